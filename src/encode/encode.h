// Entry to the encoder: a Python value -> its JSON text as str or bytes, whole or in pieces; many values -> lines.
#pragma once

#include <optional>

#include "base/pool.h"
#include "encode/context.h"
#include "encode/options.h"
#include "encode/walk/call.h"
#include "py/constants.h"
#include "py/taken_error.h"

namespace ocior::encode {

// What the encoder keeps between calls, in the module's state.
struct State {
    Contexts contexts;
    const InstalledJson& json;
    OwnTypes own{};
};

// Null with an exception set: TypeError, ValueError, UnicodeEncodeError, RecursionError, MemoryError, or what a hook raised.
PyObject* dumps(State& state, const Constants& constants, const Options& options, PyObject* value) noexcept;

// Makes the text of dumps() in pieces of about kPieceBytes, one after the other as they are asked for: memory stays bounded whatever the
// size of the value. Python code may run between two pieces.
class Stream {
public:
    static constexpr std::size_t kPieceBytes = 128 * 1024;

    // What `options` and `value` refer to, the caller keeps alive; `options.in_pieces` is set.
    Stream(State& state, const Constants& constants, const Options& options, PyObject* value) noexcept
        : state_(state), constants_(constants), options_(&options), value_(value) {}
    ~Stream() { stop(); }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    // The next piece. Null at the end; or with an exception set, after what could be written before it.
    PyObject* next() noexcept;

    // Lets go of everything; next() gives null from now on.
    void stop() noexcept;

    // For the garbage collector: the references that open frames hold.
    int traverse(visitproc visit, void* arg) const noexcept;

private:
    [[nodiscard]] bool start() noexcept;

    State& state_;
    const Constants& constants_;
    const Options* options_;
    Options told_;  // where policies go on top of them
    PyObject* value_;
    Lease<Contexts> context_;  // empty before the first piece and after the last
    std::uint8_t* block_ = nullptr;
    std::optional<Output> output_;
    std::optional<Call> call_;
    std::optional<TakenError> error_;  // to be raised once the last piece is out
    bool ended_ = false;
};

// Makes one text of many values, each of which stands on a line of its own, as dumps() writes it. Python code may run between two values.
class Lines {
public:
    // What `options` refers to, the caller keeps alive. They are not pretty, and no separator has a line end.
    Lines(State& state, const Constants& constants, const Options& options) noexcept
        : state_(state), constants_(constants), options_(&options) {}
    Lines(const Lines&) = delete;
    Lines& operator=(const Lines&) = delete;

    // To be called before all else. `expected` bytes are likely to come; 0 where nothing is known. False with an exception set.
    [[nodiscard]] bool start(std::size_t expected) noexcept;

    // Writes a line, whose value the caller keeps alive. False with an exception set, as dumps() sets it: then nothing has been written.
    [[nodiscard]] bool add(PyObject* value) noexcept;

    std::size_t length() const noexcept { return used_; }  // in code units

    // The text of all lines, with which it is over. Null with MemoryError set.
    PyObject* finish() noexcept;

private:
    [[nodiscard]] bool end_line(Call& call) noexcept;

    State& state_;
    const Constants& constants_;
    const Options* options_;
    Options told_;  // where policies go on top of them
    PlanKey rich_ = 0;
    PyObject* fallback_ = nullptr;  // borrowed
    Lease<Contexts> context_;
    std::optional<Output> output_;
    std::size_t used_ = 0;
    bool is_size_known_ = false;
};

}  // namespace ocior::encode
