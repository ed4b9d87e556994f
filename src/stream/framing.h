// Where the records of a stream lie: lines, values one behind the other, or the items of one array or object.
#pragma once

#include "decode/context.h"
#include "py/ref.h"
#include "stream/block.h"
#include "stream/value_end.h"

namespace ocior::stream {

using namespace grammar;

enum class Framing : std::uint8_t {
    kLines,   // each ends with a newline, the last one may lack it
    kValues,  // white space, nothing, or record separators between them
    kItems,   // of the array or object that a pointer leads to
};

// The text of a record, in the block.
struct Record {
    const std::uint8_t* first = nullptr;
    const std::uint8_t* last = nullptr;
    const std::uint8_t* key = nullptr;  // of an item of an object: the key's text, behind its quote
    bool is_torn = false;  // the source has ended inside of it, or before its newline
    const std::uint8_t* text_last = nullptr;  // the end of what has come, where the sentinel stands
};

enum class Next : std::uint8_t {
    kRecord,
    kMore,     // what has come ends inside of a record
    kEnd,
    kMistake,  // around the items, of which no more can be read; the record is the text around it
    kNowhere,  // the pointer leads to nothing, or to what has no items
};

// The steps of a pointer, for kItems: a tuple of str, and one of their UTF-8 in bytes, alive as long as the framer.
struct Steps {
    PyObject* names = nullptr;
    PyObject* texts = nullptr;
    std::size_t count = 0;
    // How what stands on the way is checked, as the options of loads() say.
    bool is_strict = true;
    std::size_t max_depth = kMaxDepth;
};

class Framer {
public:
    Framer(Framing framing, Steps steps) noexcept : framing_(framing), steps_(steps) {}

    // The next record of the block. `is_final`: no more will come. Record numbers go on with accept() or pass(), one of which has to
    // follow.
    Next next(Block& block, bool is_final, Record& record, Workspace& workspace) noexcept;
    // The record has been read up to `next`. False where that is not all of it.
    [[nodiscard]] bool accept(Block& block, const Record& record, const std::uint8_t* next) noexcept;
    // For kLines: appends bytes behind a line that has begun, where they do not end it, so that there is no need to ask for a record. False
    // where they are not such bytes, or memory is short; then nothing has changed.
    [[nodiscard]] OCIOR_INLINE bool append_within_line(Block& block, const void* bytes, std::size_t byte_len, std::size_t most) noexcept {
        const std::size_t unread = block.byte_len();
        if (!is_begun_ || is_discarding_ || looked_at_ != unread || unread + byte_len > most || std::memchr(bytes, '\n', byte_len))
            return false;
        if (!block.append(bytes, byte_len)) return false;
        looked_at_ = unread + byte_len;
        return true;
    }
    // The record is passed over.
    void pass(Block& block, const Record& record) noexcept;
    // What has come of an unfinished record is passed over, and so is the rest of it. False where that cannot be: no record follows.
    bool pass_unfinished(Block& block) noexcept;

    // Where the record begins that has not come whole.
    const std::uint8_t* unfinished(const Block& block) const noexcept {
        const bool is_item = framing_ == Framing::kItems && at_ == At::kValue && is_inside_ && !is_discarding_;
        return block.first() + (is_item ? value_ : 0);
    }
    Framing framing() const noexcept { return framing_; }
    // What is wrong around the items, and how many bytes behind the beginning of the record.
    Error mistake() const noexcept { return mistake_; }
    std::size_t mistake_at() const noexcept { return mistake_at_; }

private:
    // Where in the array or object the reading is. Each state but the last says what comes next.
    enum class At : std::uint8_t { kTarget, kFirst, kMember, kKey, kColon, kValueStart, kValue, kAfter, kDone };

    Next next_line(Block& block, bool is_final, Record& record) noexcept;
    Next next_value(Block& block, bool is_final, Record& record) noexcept;
    Next next_item(Block& block, bool is_final, Record& record, Workspace& workspace) noexcept;
    Next item_mistake(Error error, const Block& block, const std::uint8_t* at, Record& record) noexcept;
    Next unfinished_item(const Block& block, bool is_final, Workspace& workspace, Record& record) noexcept;
    const std::uint8_t* skip(const Block& block, std::size_t place, Workspace& workspace, Error& error) const noexcept;
    [[nodiscard]] bool pass_member(Block& block, const std::uint8_t* end, Workspace& workspace, Record& record) noexcept;
    const std::uint8_t* find_end_of_passed(Block& block) noexcept;
    bool leads_on(const Block& block, Workspace& workspace) const noexcept;
    [[nodiscard]] bool skip_mark(Block& block, bool is_final) noexcept;

    const Framing framing_;
    const Steps steps_;
    ValueEnd end_;
    std::size_t looked_at_ = 0;  // of an unfinished line
    bool is_begun_ = false;      // a byte order mark has been looked for
    bool is_discarding_ = false;

    // For kItems. Indexes count from the block's first byte.
    At at_ = At::kTarget;
    bool is_inside_ = false;  // the items have been reached
    bool is_object_ = false;  // what is being gone through
    std::size_t level_ = 0, place_ = 0, begin_ = 0, key_end_ = 0, value_ = 0, number_ = 0;
    std::size_t mistake_at_ = 0;
    Error mistake_ = Error::kNone;
};

}  // namespace ocior::stream
