// Values for columns of declared types, which no value has by itself (declared_type.h).
#pragma once

#include "columns/column.h"
#include "columns/convert.h"

namespace ocior::columns {

// A value as the text has it.
struct Scalar {
    enum class What : std::uint8_t { kBool, kInteger, kReal, kBigInteger, kText } what;
    bool is_true = false;            // kBool
    bool is_negative = false;        // kInteger
    std::uint64_t magnitude = 0;     // kInteger
    double real = 0;                 // kReal
    const std::uint8_t* first = nullptr;  // the number as it was written, or the string's text in UTF-8; 64 bytes behind it may be read
    const std::uint8_t* last = nullptr;
};

enum class Put : std::uint8_t { kDone, kRefused, kNoMemory };

// Appends the value to a column of kDeclared, which has begun it (Column::begin_value). kRefused where it does not fit.
Put put_declared(Column& column, const Scalar& value) noexcept;

// Whether a list of so many items fits the declared type.
bool may_have_items(const DeclaredType& type, std::int64_t count) noexcept;

// Of the pairs of a map that is being built, those from `first` on, drops each that has the key of a later one. False when out of memory.
[[nodiscard]] bool drop_equal_keys(Column& pairs, std::int64_t first) noexcept;

// Lays the values of a complete column with a declared type out as Arrow has them: wider offsets, views, indices of a dictionary, bytes of
// a fixed width. Blocks that it makes are the column's own. Columns below it are not laid out, and must not be before it is: a list of
// fixed size adds items for its nulls, a dictionary fills its child, which it makes if it has none. One without
// values has no blocks of them. kRefused: there are more different texts than indices of a dictionary.
Put lay_out(Column& column) noexcept;
// Bytes that a value takes in the block of values or offsets that Arrow has for it, or 1 if they are less.
std::size_t laid_out_bytes(const Column& column) noexcept;

// The type that a format string of the C data interface names, into a column that has none yet: kinds that are inferred, too. Children are
// not made. kRefused for one that JSON cannot fill.
Put read_format(Column& column, const char* format) noexcept;
// Whether a column whose format has been read has children that JSON can fill.
bool has_fitting_children(const Column& column) noexcept;
// What the C data interface calls the type, and what people call it ("int64", "timestamp[us, tz=UTC]").
void put_format(Text& text, const Column& column) noexcept;
void put_type_name(Text& text, const Column& column) noexcept;

}  // namespace ocior::columns
