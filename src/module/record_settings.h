// How records are read, compiled from the keywords that all functions for streams share: those of loads, and their own.
#pragma once

#include "decode/decode.h"
#include "module/bad_records.h"
#include "module/loads_options.h"
#include "module/state.h"
#include "select/pointers.h"
#include "stream/records.h"
#include "typed/typed.h"

namespace ocior::module {

// A JSON Pointer to items.
struct ItemSteps {
    Owned pointer;  // a str

    // `given`: the pointer, or null for the empty one. False with an error set.
    [[nodiscard]] bool read(PyObject* given) noexcept;
    // Alive as long as this is.
    stream::Steps steps(bool is_strict, std::size_t max_depth) const noexcept;

private:
    Owned names_, texts_;  // its steps, and their UTF-8, as two tuples
};

struct RecordSettings {
    Owned hooks[kPolicies];  // that `options` borrow
    decode::Options options;
    Owned decoder;           // a TypedDecoder where there is a type
    Owned by_class;          // an object of the class that decodes, or of a decoder's
    bool has_selection = false;
    select::Selection selection;
    Owned missing;           // what stands for a field that a record lacks
    bool checks = true;
    BadRecords bad;
    std::size_t max_record = std::size_t{256} << 20;
    ItemSteps at;

    // False with an error set: TypeError for a keyword that there is not, or a value of a wrong type; ValueError for a wrong value.
    [[nodiscard]] bool read(State& state, PyObject* module, PyObject* const* values, PyObject* kwnames, stream::Framing framing) noexcept;
    // Reads the keywords that a constructor is given, a dict or null, as the other read() does those of a function.
    [[nodiscard]] bool read(State& state, PyObject* module, PyObject* keywords, stream::Framing framing) noexcept;

    stream::Steps steps() const noexcept { return at.steps(options.strict, options.max_depth); }
    int visit(visitproc visit, void* arg) const noexcept;
};

// Reads records as the settings say; a Maker of stream::Records. The context is one that a call has leased.
class RecordMaker {
public:
    RecordMaker(State& state, const RecordSettings& settings) noexcept;

    void use(decode::Context* context) noexcept { context_ = context; }
    bool reads_in_place() const noexcept { return way_ <= Way::kFieldsInPlace; }
    PyObject* in_place(const stream::Record& record, const std::uint8_t*& next) noexcept;
    PyObject* alone(PyObject* bytes, bool& is_bad) noexcept;
    PyObject* with_key(const stream::Record& record, PyObject* value, bool& is_bad) noexcept;
    void refuse(grammar::Error error, PyObject* bytes, std::size_t at) noexcept;
    void refuse_length() noexcept;

private:
    // How a record is read. The first ones run no code of Python's.
    enum class Way : std::uint8_t { kPlain, kTyped, kFieldsInPlace, kHooks, kTypedCalls, kFields, kClass };

    PyObject* plain_alone(PyObject* bytes, bool& is_bad) noexcept;
    bool blames_text() const noexcept;

    State& state_;
    const RecordSettings& settings_;
    decode::Context* context_ = nullptr;
    Way way_;
};

}  // namespace ocior::module
