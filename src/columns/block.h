// A block of text that holds whole lines, and the rows and mistakes that were found in it.
#pragma once

#include "columns/batch.h"
#include "columns/column_builder.h"

namespace ocior::columns {

// A record that is no row.
struct BadRecord {
    const std::uint8_t* first;     // in the block
    std::size_t byte_len;
    std::uint64_t line, number;    // lines and records before it in the block
    std::size_t mistake;           // bytes behind the first one
    Error error;
    bool is_torn;    // no newline ends it
    char* message;   // of the problem, owned
};

// What makes rows of lines: types, and blocks that are used again. One thread at a time may use it.
struct RowReader {
    Column root;
    BuilderMemory memory;
    Rules rules;
    std::size_t max_record = std::size_t{256} << 20;

    Arena* arena = nullptr;  // of the batches, shared

    RowReader() noexcept { root.kind = Kind::kStruct; }
    ~RowReader() {
        if (arena) arena->release();
    }
    RowReader(const RowReader&) = delete;
    RowReader& operator=(const RowReader&) = delete;
    // Takes over how things are done, and a copy of the types. False when out of memory.
    [[nodiscard]] bool follow(const RowReader& other) noexcept;
};

class TextBlock {
public:
    TextBlock() noexcept = default;
    ~TextBlock() { restart(); }
    TextBlock(const TextBlock&) = delete;
    TextBlock& operator=(const TextBlock&) = delete;

    // As stream::Block has them.
    std::uint8_t* room_for(std::size_t byte_len) noexcept {
        return bytes_.reserve(byte_len_ + byte_len + 1 + kReadSlack) ? bytes_.data() + byte_len_ : nullptr;
    }
    void add(std::size_t byte_len) noexcept { byte_len_ += byte_len; }
    [[nodiscard]] bool append(const void* bytes, std::size_t byte_len) noexcept {
        std::uint8_t* const to = room_for(byte_len);
        if (to && byte_len) std::memcpy(to, bytes, byte_len);
        if (to) add(byte_len);
        return to != nullptr;
    }
    std::uint8_t* data() noexcept { return bytes_.data(); }
    std::size_t byte_len() const noexcept { return byte_len_; }
    // Forgets the bytes from there on.
    void cut(std::size_t byte_len) noexcept { byte_len_ = byte_len; }
    void restart() noexcept;
    // Passes over a byte order mark.
    void skip_mark() noexcept {
        if (byte_len_ >= 3 && std::memcmp(bytes_.data(), "\xEF\xBB\xBF", 3) == 0) begin_ = 3;
    }
    void forget_bad() noexcept;

    // Reads the lines, whose newlines become NULs. Stops at the first bad record where the rules are not tolerant.
    void read_lines(RowReader& reader) noexcept;
    // Reads the record at [first, last) of the text, which ends at text.last.
    [[nodiscard]] bool read_record(RowReader& reader, grammar::Text<Utf8Source> text, const std::uint8_t* first, const std::uint8_t* last,
                                   bool is_torn) noexcept;
    // Takes what rows the reader has into a batch. False when out of memory.
    [[nodiscard]] bool take_batch(RowReader& reader) noexcept;

    grammar::Stack<Batch*> batches;  // owned
    std::size_t batch_count = 0, next_batch = 0;
    grammar::Stack<BadRecord> bad;
    std::size_t bad_count = 0;
    std::uint64_t line_count = 0, record_count = 0;
    std::uint64_t offset = 0;  // of the first byte in the source
    bool is_out_of_memory = false;

private:
    grammar::Stack<std::uint8_t> bytes_;
    std::size_t byte_len_ = 0, begin_ = 0;
};

}  // namespace ocior::columns
