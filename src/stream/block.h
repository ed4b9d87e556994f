// The bytes of a stream that are still needed, in one block with the sentinel and the slack behind them that the parser relies on.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "grammar/padded.h"

namespace ocior::stream {

// How many of the bytes are newlines. Behind `last`, kReadSlack bytes are readable.
std::uint64_t count_newlines(const std::uint8_t* first, const std::uint8_t* last) noexcept;

// How far the UTF-8 in [first, last) goes without half a character at its end.
const std::uint8_t* end_of_characters(const std::uint8_t* first, const std::uint8_t* last) noexcept;

// Either bytes that somebody else keeps, which are there from the beginning, or a block of our own, to which more and more is appended.
// What lies before first() has been read; its room is used again.
class Block {
public:
    using Byte = std::uint8_t;

    Block() noexcept = default;
    ~Block() { std::free(own_); }
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    // Reads the bytes where they lie, which stay as they are. Behind them are a NUL and bytes that may be read (may_read_in_place()).
    void lend(const Byte* bytes, std::size_t byte_len) noexcept {
        base_ = first_ = counted_ = bytes;
        last_ = bytes + byte_len;
    }

    // Appends a copy of the bytes. False when out of memory; then nothing has changed.
    [[nodiscard]] bool append(const void* bytes, std::size_t byte_len) noexcept {
        if (OCIOR_UNLIKELY(byte_len == 0)) return true;
        Byte* const end = room_for(byte_len);
        if (OCIOR_UNLIKELY(!end)) return false;
        std::memcpy(end, bytes, byte_len);
        add(byte_len);
        return true;
    }
    // Where so many bytes may be written that are to be appended, or fewer of them; null when out of memory.
    Byte* room_for(std::size_t byte_len) noexcept {
        if (OCIOR_UNLIKELY(byte_len > room_) && !make_room(byte_len)) return nullptr;
        return own_ + (last_ - base_);
    }
    // They have been written.
    void add(std::size_t byte_len) noexcept {
        last_ += byte_len;
        room_ -= byte_len;
        std::memset(own_ + (last_ - base_), 0, 1 + kReadSlack);
    }

    const Byte* first() const noexcept { return first_; }
    const Byte* last() const noexcept { return last_; }
    std::size_t byte_len() const noexcept { return static_cast<std::size_t>(last_ - first_); }

    // What stands before `p` has been read.
    void advance(const Byte* p) noexcept { first_ = p; }

    // The source had so many bytes before those that are appended.
    void begin_at(std::uint64_t offset) noexcept { offset_ = offset; }
    // How many bytes of the source stand before `p`.
    std::uint64_t offset_of(const Byte* p) const noexcept { return offset_ + static_cast<std::uint64_t>(p - base_); }
    // Whoever finds all newlines says so beforehand, and tells of each one that is passed over.
    void will_be_told_of_lines() noexcept { counts_ = false; }
    void pass_line() noexcept { ++newlines_; }
    // How many newlines were appended before `p`, which lies at or behind where this was asked last. No byte is looked at twice.
    std::uint64_t lines_before(const Byte* p) noexcept {
        if (counts_ && p > counted_) {
            newlines_ += count_newlines(counted_, p);
            counted_ = p;
        }
        return newlines_;
    }

private:
    static constexpr Byte kNothing[1 + kReadSlack] = {};
    static constexpr std::size_t kLeast = 4096, kKept = 4 * 1024 * 1024;

    // Room for so many bytes more: the unread ones move to the beginning of the block, or of a larger one. They do so only where at least
    // as many bytes have been read as are moved, so all moves together take time in proportion to what is appended.
    OCIOR_NOINLINE bool make_room(std::size_t byte_len) noexcept {
        const std::size_t unread = this->byte_len(), read = static_cast<std::size_t>(first_ - base_);
        const std::size_t capacity = read + unread + room_;
        (void)lines_before(first_);
        Byte* block = own_;
        std::size_t wanted = capacity;
        const bool is_blown_up = capacity > kKept && unread + byte_len < capacity / 8;
        if (!own_ || unread + byte_len > capacity || read < unread || is_blown_up) {
            wanted = std::max({2 * (unread + byte_len), kLeast, is_blown_up ? 0 : capacity});
            block = static_cast<Byte*>(std::malloc(wanted + 1 + kReadSlack));
            if (!block) return false;
        }
        if (unread) std::memmove(block, first_, unread);
        offset_ += read;
        if (block != own_) std::free(std::exchange(own_, block));
        base_ = first_ = counted_ = own_;
        last_ = own_ + unread;
        room_ = wanted - unread;
        return true;
    }

    Byte* own_ = nullptr;          // our block, or null
    const Byte* base_ = kNothing;   // where the block, or what was lent, begins
    const Byte* first_ = kNothing;  // what is unread
    const Byte* last_ = kNothing;
    const Byte* counted_ = kNothing;  // newlines before it are counted
    std::size_t room_ = 0;         // behind last_, without the slack
    std::uint64_t offset_ = 0;     // of base_ in the source
    std::uint64_t newlines_ = 0;
    bool counts_ = true;
};

}  // namespace ocior::stream
