// The records of a stream, one after the other, as objects: framed in the block, read where they lie, and read once more alone where
// something is wrong with one.
#pragma once

#include "stream/framing.h"

namespace ocior::stream {

enum class Outcome : std::uint8_t {
    kValue,
    kMore,    // the block ends inside of a record: append(), or finish()
    kEnd,
    kBad,     // a record is wrong: an exception is set, bad() tells of the record, and reading may go on
    kBroken,  // what stands between the records is wrong: as kBad, but no record follows
    kNowhere, // the pointer leads to nothing that has items
    kFailed,  // an exception is set that has nothing to do with the text
};

// A record that is wrong.
struct Bad {
    Owned text;  // bytes
    std::uint64_t offset = 0, line = 0, number = 0;  // of its first byte, line and record in the source, all counted from 0
    std::size_t byte_len = 0;
    bool is_torn = false;
};

// Maker: what becomes of a record.
//   bool reads_in_place()             Whether no code of Python's runs while a record is read.
//   PyObject* in_place(record, next)  The value of a record that lies in the block, and the byte behind it. Null without an exception where
//                                     the record has to be read alone; `next` is how far was read then, or null where that is not known.
//   PyObject* alone(bytes, is_bad)    The value of the text in bytes; null with an exception set, and is_bad where the text is at fault.
//   PyObject* with_key(record, value, is_bad)
//                                     The item of an object, which takes over the value; null as above.
//   void refuse(error, text, at)      Raises what is wrong in the text around the items.
//   void refuse_length()              Raises that a record is too long.
class Records {
public:
    Records(Framing framing, Steps steps, std::size_t max_record) noexcept : framer_(framing, steps), max_record_(max_record) {
        if (framing == Framing::kLines) block_.will_be_told_of_lines();
    }

    Block& block() noexcept { return block_; }
    void finish() noexcept { is_final_ = true; }
    // Whether the bytes were appended, and complete no record. False where next() has to tell, and they are not appended.
    [[nodiscard]] OCIOR_INLINE bool append_within_line(const void* bytes, std::size_t byte_len) noexcept {
        return framing() == Framing::kLines && framer_.append_within_line(block_, bytes, byte_len, max_record_);
    }
    Bad& bad() noexcept { return bad_; }
    // Notes that as a bad record, which begins at `first`, and goes on as if nothing were wrong. False with an exception set.
    [[nodiscard]] bool note_unfinished(const std::uint8_t* first) noexcept {
        return note({first, block_.last(), nullptr, true}, block_.last());
    }
    Framing framing() const noexcept { return framer_.framing(); }

    template <typename Maker>
    Outcome next(Maker& maker, Workspace& workspace, PyObject*& value) noexcept {
        Record record;
        switch (framer_.next(block_, is_final_, record, workspace)) {
            case Next::kRecord: break;
            case Next::kEnd: return Outcome::kEnd;
            case Next::kNowhere: return Outcome::kNowhere;
            case Next::kMore:
                record = {framer_.unfinished(block_), block_.last(), nullptr, false};
                if (OCIOR_LIKELY(static_cast<std::size_t>(record.last - record.first) <= max_record_)) return Outcome::kMore;
                return too_long(maker, record, true);
            case Next::kMistake:
                if (!note(record, record.last)) return Outcome::kFailed;
                maker.refuse(framer_.mistake(), bad_.text.get(), framer_.mistake_at());
                return Outcome::kBroken;
        }
        record.text_last = block_.last();
        if (OCIOR_UNLIKELY(static_cast<std::size_t>(record.last - record.first) > max_record_)) return too_long(maker, record, false);
        if (OCIOR_LIKELY(maker.reads_in_place() && overrun_ <= block_.offset_of(record.first))) {
            const std::uint8_t* next = nullptr;
            value = maker.in_place(record, next);
            if (OCIOR_LIKELY(value != nullptr)) {
                bool is_bad = false;
                if (OCIOR_UNLIKELY(record.key != nullptr)) value = maker.with_key(record, value, is_bad);
                if (OCIOR_LIKELY(value && framer_.accept(block_, record, next ? next : record.last))) return ++number_, Outcome::kValue;
                Py_CLEAR(value);
                PyErr_Clear();  // what is wrong with the key is found again
                note_overrun(record, next);
            } else if (PyErr_Occurred()) {
                if (!PyErr_ExceptionMatches(PyExc_ValueError)) {
                    framer_.pass(block_, record);
                    ++number_;
                    return Outcome::kFailed;
                }
                PyErr_Clear();  // Python refuses to make an integer of thousands of digits: alone, the record is found to be bad
            } else {
                note_overrun(record, next);
            }
        }
        return alone(maker, record, value);
    }

private:
    static constexpr std::ptrdiff_t kShown = 256;  // bytes of a record that is too long

    // Notes the record's place, and copies its text up to `last`. False with an exception set.
    [[nodiscard]] OCIOR_NOINLINE bool note(const Record& record, const std::uint8_t* last) noexcept {
        bad_.text = Owned::steal(PyBytes_FromStringAndSize(reinterpret_cast<const char*>(record.first), last - record.first));
        bad_.offset = block_.offset_of(record.first);
        bad_.line = block_.lines_before(record.first);
        bad_.number = number_;
        bad_.byte_len = static_cast<std::size_t>(record.last - record.first);
        bad_.is_torn = record.is_torn;
        return static_cast<bool>(bad_.text);
    }

    // A newline does not end what is open, so a line that opens an array is read on into those behind it before it is refused, and a file
    // of such lines would be read again for each of them. No more is read ahead than has been read already: lines are copied out first
    // until then.
    OCIOR_NOINLINE void note_overrun(const Record& record, const std::uint8_t* next) noexcept {
        if (framing() != Framing::kLines || record.is_torn) return;
        const std::uint8_t* stop = next;
        if (!stop) {
            ValueEnd end;
            const bool may_be_open = *record.first == '[' || *record.first == '{' || *record.first == '"';
            stop = may_be_open && !end.find(record.first, record.last, false) ? block_.last() : record.last;
        }
        if (stop > record.last) overrun_ += static_cast<std::uint64_t>(stop - record.last);
    }

    template <typename Maker>
    OCIOR_NOINLINE Outcome too_long(Maker& maker, const Record& record, bool is_unfinished) noexcept {
        if (!note(record, record.first + std::min(kShown, record.last - record.first))) return Outcome::kFailed;
        bool goes_on = true;
        if (is_unfinished) goes_on = framer_.pass_unfinished(block_);
        else framer_.pass(block_, record);
        ++number_;
        maker.refuse_length();
        return goes_on ? Outcome::kBad : Outcome::kBroken;
    }

    template <typename Maker>
    OCIOR_NOINLINE Outcome alone(Maker& maker, const Record& record, PyObject*& value) noexcept {
        const std::uint64_t line_of_key = record.key ? block_.lines_before(record.key - 1) : 0;
        if (!note(record, record.last)) return Outcome::kFailed;
        bool is_bad = false;
        value = maker.alone(bad_.text.get(), is_bad);
        if (value && record.key) {
            value = maker.with_key(record, value, is_bad);
            if (!value && is_bad) {  // its text begins with the key
                bad_.offset = block_.offset_of(record.key - 1);
                bad_.line = line_of_key;
            }
        }
        framer_.pass(block_, record);
        ++number_;
        if (value) return bad_.text = Owned(), Outcome::kValue;
        return is_bad ? Outcome::kBad : Outcome::kFailed;
    }

    Block block_;
    Framer framer_;
    const std::size_t max_record_;
    std::uint64_t number_ = 0;
    std::uint64_t overrun_ = 0;  // bytes behind their lines that readings have looked at
    bool is_final_ = false;
    Bad bad_;
};

}  // namespace ocior::stream
