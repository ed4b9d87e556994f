// What a RowWriter knows of a type of Arrow, and of the array that is bound: a tree with a Column for each type in it.
#pragma once

#include <cstdlib>

#include "arrow/rows.h"
#include "base/bits.h"
#include "num/float_batch.h"

namespace ocior::arrow {

// The first ones are in the order of kLetters, the formats of one letter.
enum class Kind : std::uint8_t {
    kNull,
    kBool,
    kInt8,
    kUint8,
    kInt16,
    kUint16,
    kInt32,
    kUint32,
    kInt64,
    kUint64,
    kFloat16,
    kFloat32,
    kFloat64,
    kString,  // offsets of 32 bits
    kLargeString,
    kBinary,
    kLargeBinary,
    kStringView,
    kBinaryView,
    kFixedBinary,
    kUuid,
    kBool8,
    kDecimal,
    kDate32,
    kDate64,
    kTime,  // 32 bits where there are at most 1000 ticks in a second
    kTimestamp,
    kDuration,
    kList,
    kLargeList,
    kListView,
    kLargeListView,
    kFixedList,
    kStruct,
    kMap,        // a list of pairs
    kObjectMap,  // whose keys are strings
    kDictionary,
    kRunEnds,
    kSparseUnion,
    kDenseUnion,
};
inline constexpr char kLetters[] = "nbcCsSiIlLefguUzZ";

constexpr bool is_string(Kind kind) noexcept { return kind == Kind::kString || kind == Kind::kLargeString || kind == Kind::kStringView; }

struct alignas(64) Column {
    Column() noexcept = default;
    ~Column() {
        delete[] children;
        delete floats;
        std::free(key);
        std::free(codes);
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;

    // What is looked at for each value lies in one cache line, its key in the next one: there may be hundreds of columns.
    Kind kind = Kind::kNull;
    bool is_json = false;   // of strings: ready JSON
    bool is_zoned = false;  // of timestamps
    std::uint32_t key_length = 0;
    const std::uint8_t* validity = nullptr;  // of the array: null where no value is null
    const std::uint8_t* values = nullptr;    // its second buffer
    const std::uint8_t* data = nullptr;      // its third one
    std::int64_t offset = 0;                 // its own
    num::FloatBatch* floats = nullptr;       // owned, of floats of 64 and 32 bits that are written in their order; else null
    Column* children = nullptr;              // owned. Of a dictionary: the indices, the values. Of runs: the ends, the values
    std::int64_t child_count = 0;

    static constexpr std::size_t kShortKey = 64;
    std::uint8_t short_key[kShortKey] = {};  // the start of the key

    // ---- of the type ----
    std::uint8_t* key = nullptr;   // owned: the item separator, the name in quotes, the key separator
    const char* name = "";         // behind the key, for messages
    std::int64_t width = 0;        // bytes of a value, of decimals and fixed binaries; items of a fixed list
    std::int32_t scale = 0;        // of decimals
    std::uint32_t ticks = 1;       // of a second, of times
    std::int64_t place = 0;        // among the children of its parent in Arrow
    std::int8_t* codes = nullptr;  // owned, of unions: the child of each type code from 0 to 127, or -1

    // ---- of the array ----
    std::int64_t length = 0;
    const void* const* buffers = nullptr;  // of views
    std::int64_t buffer_count = 0;
    mutable std::int64_t run = 0;          // the one that was found last
    mutable std::int64_t floats_from = 0;  // the place of the first one in the batch
    mutable std::int64_t floats_count = 0;

    template <typename T>
    OCIOR_INLINE T at(std::int64_t place) const noexcept {
        return load<T>(values + place * static_cast<std::int64_t>(sizeof(T)));
    }
    OCIOR_INLINE bool is_valid(std::int64_t place) const noexcept { return !validity || (validity[place >> 3] >> (place & 7) & 1); }
};

// Whether it is UTF-8 without surrogates. Nothing behind the text is read.
bool is_valid_utf8(const std::uint8_t* p, std::size_t n) noexcept;

// Writes valid UTF-8 as ASCII with escapes, up to six bytes for each. Of JSON, whose own escapes stay, only what is not ASCII is escaped.
std::uint8_t* copy_as_ascii(std::uint8_t* to, const std::uint8_t* p, std::size_t n, bool is_json) noexcept;

}  // namespace ocior::arrow
