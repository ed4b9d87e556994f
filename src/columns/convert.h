// Columns of one type made into those of a wider one, in place, and the type that two types have in common.
#pragma once

#include "columns/column.h"

namespace ocior::columns {

// Text under construction in a block.
class Text {
public:
    explicit Text(Buffer& block) noexcept : block_(block) {}
    const std::uint8_t* data() const noexcept { return block_.data(); }
    std::size_t byte_len() const noexcept { return byte_len_; }
    bool failed() const noexcept { return failed_; }  // out of memory

    // Room for so many bytes, or null.
    std::uint8_t* room(std::size_t n) noexcept {
        if (!block_.reserve(byte_len_ + n)) failed_ = true;
        return failed_ ? nullptr : block_.data() + byte_len_;
    }
    void advance_to(const std::uint8_t* end) noexcept { byte_len_ = static_cast<std::size_t>(end - block_.data()); }
    void put(const void* bytes, std::size_t n) noexcept {
        if (std::uint8_t* const to = room(n)) {
            std::memcpy(to, bytes, n);
            byte_len_ += n;
        }
    }
    void put(char c) noexcept { put(&c, 1); }
    // A JSON string of valid UTF-8.
    void put_string(const std::uint8_t* text, std::size_t n) noexcept;
    void put_integer(std::uint64_t bits, bool is_signed) noexcept;
    void put_real(double value) noexcept;

private:
    Buffer& block_;
    std::size_t byte_len_ = 0;
    bool failed_ = false;
};

// Appends the JSON text of a value of an inferred type. Members that are null are left out.
void put_json(Text& text, const Column& column, std::int64_t index) noexcept;

// What values in kJson, or texts of any kind in kText, become: all that a column has is made into text. False when out of memory, and then
// the column has lost its values.
[[nodiscard]] bool make_text(Column& column, Mixed mixed) noexcept;
// Integers become doubles, of which none is inexact.
void make_real(Column& column) noexcept;

enum class Joined : std::uint8_t { kDone, kNoMemory, kConflict };
// `into` becomes the type of both. Values are not looked at.
Joined join_types(Column& into, const Column& from, Mixed mixed) noexcept;
[[nodiscard]] bool copy_type(Column& into, const Column& from) noexcept;
// Whether values of this type and those of an integer or a real number that has been seen have no type in common.
OCIOR_INLINE bool is_mixed_number(std::uint8_t seen) noexcept {
    constexpr std::uint8_t kBothEnds = kSeenNegative | kSeenBeyond;
    return (seen & kBothEnds) == kBothEnds || ((seen & kSeenReal) && (seen & kSeenInexact));
}

// The column's values become those of `type`, which is wider. Columns that it lacks are added, with nulls. False when out of memory.
[[nodiscard]] bool cast(Column& column, const Column& type, Mixed mixed) noexcept;

}  // namespace ocior::columns
