// Types that the caller has declared, and that no value has by itself: narrow numbers, decimals, moments, bytes, dictionaries, maps.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/config.h"

namespace ocior::columns {

struct Column;

// What a value of such a type is made of.
enum class Code : std::uint8_t {
    kInt8,
    kInt16,
    kInt32,
    kInt64,
    kUInt8,
    kUInt16,
    kUInt32,
    kUInt64,
    kFloat16,
    kFloat32,
    kDecimal32,
    kDecimal64,
    kDecimal128,
    kDecimal256,
    kDate32,
    kDate64,
    kTime32,
    kTime64,
    kTimestamp,
    kDuration,  // `unit`: 0 seconds, 1 ms, 2 us, 3 ns
    kBinary,
    kLargeBinary,
    kBinaryView,
    kFixedBinary,  // base64 in JSON; built as texts are
    // These are built as kText is, and laid out as Arrow has them when a batch is complete.
    kLargeText,
    kTextView,
    kDictionary,  // of texts: the indices have the code `index`
    // These are built as kList is.
    kLargeList,
    kFixedList,
    kMap,  // the items are structs of a key and a value
};

struct DeclaredType {
    Code code;
    Code index = Code::kInt32;  // of kDictionary
    std::uint8_t unit = 0;
    std::int32_t width = 0;     // of kFixedBinary bytes, of kFixedList items, of decimals the digits
    std::int32_t scale = 0;     // of decimals
    char zone[64] = {};         // of timestamps; empty where they have none

    // Whether a column of kDeclared has bytes behind offsets.
    bool is_bytes() const noexcept { return code >= Code::kBinary && code <= Code::kFixedBinary; }
    // Bytes of a value in Column::values, of what is no text and no list.
    std::size_t value_bytes() const noexcept;
};

}  // namespace ocior::columns
