// What readers and feeds have in common: records out of a block, and what becomes of those that are wrong.
#pragma once

#include "module/record_settings.h"
#include "module/turn.h"
#include "stream/snapshot.h"

namespace ocior::module {

class RecordStream {
public:
    enum class Step : std::uint8_t { kValue, kMore, kEnd, kFailed };

    // The owner keeps the module, whose state this is.
    RecordStream(State& state, stream::Framing framing) noexcept : state_(state), framing_(framing) {}
    ~RecordStream() { close(); }
    RecordStream(const RecordStream&) = delete;
    RecordStream& operator=(const RecordStream&) = delete;

    RecordSettings settings;
    TurnLock lock;

    // Has to be called when the settings have been read, once. False when out of memory.
    [[nodiscard]] bool open() noexcept;
    bool is_open() const noexcept { return records_ != nullptr; }
    void close() noexcept;

    stream::Block& block() noexcept { return records_->block(); }
    void finish() noexcept { records_->finish(); }

    // The next value. Bad records are dealt with as the settings say; kFailed with an exception set.
    Step next(PyObject*& value) noexcept;
    // Gives the next value as the other next() does, with a context of the caller's: for calls that read many.
    Step next(decode::Context& context, PyObject*& value) noexcept;
    // Whether nothing comes any more: at the end, or behind a mistake.
    bool has_ended() const noexcept { return has_ended_; }
    // Appends a chunk: a str or what exports bytes. False with an exception set.
    [[nodiscard]] bool append(PyObject* chunk) noexcept;
    // Whether a chunk, which is short, was appended, and completes nothing. False where it is for append().
    [[nodiscard]] OCIOR_INLINE bool append_within_line(PyObject* chunk) noexcept {
        constexpr Py_ssize_t kMost = 1024;  // a longer one mostly has a newline, and would be searched twice
        return PyBytes_CheckExact(chunk) && PyBytes_GET_SIZE(chunk) <= kMost &&
               records_->append_within_line(PyBytes_AS_STRING(chunk), static_cast<std::size_t>(PyBytes_GET_SIZE(chunk)));
    }
    // The value so far of the record that has begun; None where none has.
    PyObject* snapshot(bool with_strings) noexcept;
    // Lets go of what snapshots of a record have read, which is whole now.
    void forget_snapshots() noexcept { snapshot_.forget(); }

    std::uint64_t skipped() const noexcept { return settings.bad.skipped(); }
    std::uint64_t dropped() const noexcept { return settings.bad.dropped(); }
    // How many bytes of the source have been read, and how many newlines are among them.
    std::uint64_t offset() noexcept { return records_ ? block().offset_of(block().first()) : last_offset_; }
    std::uint64_t line() noexcept { return records_ ? block().lines_before(block().first()) : last_line_; }

    int visit(visitproc visit, void* arg) const noexcept;

private:
    [[nodiscard]] bool settle(bool may_go_on) noexcept;

    State& state_;
    const stream::Framing framing_;
    stream::Records* records_ = nullptr;
    RecordMaker* maker_ = nullptr;
    stream::Snapshot snapshot_;
    std::uint64_t last_offset_ = 0, last_line_ = 0;
    bool has_ended_ = false;
};

// These add the type RecordReader, and the types LineFeed and ValueFeed, to the module. False with an error set.
[[nodiscard]] bool add_record_reader(PyObject* module) noexcept;
[[nodiscard]] bool add_record_feeds(PyObject* module) noexcept;

// lines.loads(data, **keywords).
PyObject* load_lines(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;

}  // namespace ocior::module
