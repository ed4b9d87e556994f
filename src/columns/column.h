// Columns under construction: types that are found out from the values, and the values, as Arrow lays them out. No Python.
#pragma once

#include "columns/declared_type.h"
#include "grammar/key_trie.h"
#include "grammar/stack.h"

namespace ocior::columns {

// A growing block, or one that somebody else keeps, which has no capacity.
class Buffer {
public:
    Buffer() noexcept = default;
    ~Buffer() { reset(); }
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;

    std::uint8_t* data() noexcept { return data_; }
    const std::uint8_t* data() const noexcept { return data_; }
    template <typename T>
    T* as() noexcept {
        return reinterpret_cast<T*>(data_);
    }
    template <typename T>
    const T* as() const noexcept {
        return reinterpret_cast<const T*>(data_);
    }
    std::size_t capacity() const noexcept { return capacity_; }

    // At least so many bytes, and kWriteSlack more that may be written; what is in it stays. False when out of memory.
    [[nodiscard]] OCIOR_INLINE bool reserve(std::size_t byte_len) noexcept { return OCIOR_LIKELY(byte_len <= capacity_) || grow(byte_len); }
    void lend(std::uint8_t* data) noexcept {
        reset();
        data_ = data;
    }
    void reset() noexcept {
        if (capacity_) std::free(data_);
        data_ = nullptr;
        capacity_ = 0;
    }
    void swap(Buffer& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(capacity_, other.capacity_);
    }

private:
    OCIOR_NOINLINE bool grow(std::size_t byte_len) noexcept {
        const std::size_t wanted = byte_len < 512 ? 1024 : 2 * byte_len;
        auto* const block = static_cast<std::uint8_t*>(std::realloc(capacity_ ? data_ : nullptr, wanted + kWriteSlack));
        if (!block) return false;
        data_ = block;
        capacity_ = wanted;
        return true;
    }

    std::uint8_t* data_ = nullptr;
    std::size_t capacity_ = 0;
};

enum class Kind : std::uint8_t {
    kNull,      // nothing but nulls has come
    kBool,      // a bit each
    kInteger,   // 64 bits, of which Seen tells whether they have a sign
    kReal,      // doubles
    kText,
    kJson,      // the text of any value
    kList,
    kStruct,
    kDeclared,  // what `declared` says, of which the kinds above have nothing
};

// What values a column of numbers has had. A form tells them, as bits.
enum Seen : std::uint8_t {
    kSeenInteger = 1,
    kSeenReal = 2,
    kSeenNegative = 4,  // an integer
    kSeenBeyond = 8,    // an integer above 2**63 - 1
    kSeenInexact = 16,  // an integer that is no double
    kGiven = 32,        // the type was declared
    kAnyAsText = 64,    // of kText: values of other kinds have come, too
};

// What becomes of values that have no type in common.
enum class Mixed : std::uint8_t { kJson, kText, kRaise };
// What becomes of a key, or a value, that types that do not change have no place for.
enum class Unexpected : std::uint8_t { kAdd, kRaise, kIgnore };

// Types are nested no deeper, for those who go through them by recursion. What is nested deeper is kept as text.
inline constexpr std::size_t kMostNests = 60;

struct Column;

struct ColumnLeaf {
    Column* column = nullptr;  // null: the value is not wanted
};
using ColumnTrie = grammar::KeyTrie<ColumnLeaf>;
using ColumnNode = grammar::KeyNode<ColumnLeaf>;

// How the members of a struct are found by their keys.
struct Fields {
    ColumnTrie trie;
    grammar::Stack<std::uint32_t> places;  // a table of hashes: 1 + the number of a child, or 0
    std::size_t place_count = 0;           // a power of two
    Unexpected unexpected = Unexpected::kAdd;
    bool has_required = false;  // some child is not nullable

    std::uint32_t* find(const Column& owner, const std::uint8_t* name, std::size_t byte_len) noexcept;
    [[nodiscard]] bool enlarge(const Column& owner) noexcept;
};

struct Column {
    Kind kind = Kind::kNull;
    std::uint8_t seen = 0;
    bool is_nullable = true;
    bool is_fixed = false;  // its type does not change
    std::int64_t length = 0;      // values that are there; those that are missing at the end are nulls
    std::int64_t null_count = 0;  // among them; if there are any, validity has a bit for each value
    Buffer validity, values, data;  // values: bits, numbers, or offsets. data: text
    std::int64_t data_len = 0;
    Column** children = nullptr;  // of a list one, of a struct its members
    std::uint32_t child_count = 0, child_room = 0;
    Column* parent = nullptr;
    char* name = nullptr;  // UTF-8 with a NUL behind it, owned
    std::uint32_t name_len = 0;
    Fields* fields = nullptr;          // of a struct that is being built, owned
    DeclaredType* declared = nullptr;  // of kDeclared, and of texts and lists that Arrow lays out in another way; owned

    Column() noexcept = default;
    ~Column() {
        forget_type();
        std::free(name);
    }
    Column(const Column&) = delete;
    Column& operator=(const Column&) = delete;

    // A new child, of no type yet; null when out of memory.
    Column* add_child(const char* name, std::size_t name_len) noexcept;
    // The member of a struct that has that name, made if there is none. Null when out of memory.
    Column* find_or_add(const char* name, std::size_t name_len, bool& is_new) noexcept;
    const Column* child_named(const char* name, std::size_t name_len) const noexcept;
    [[nodiscard]] bool make_fields() noexcept;
    Column* items() noexcept { return children[0]; }
    const Column* items() const noexcept { return children[0]; }
    // How many items the first `count` lists have.
    std::int64_t item_count(std::int64_t count) const noexcept { return count ? values.as<std::int32_t>()[count] : 0; }

    // (Where all are null there may be no blocks.)
    bool is_valid(std::int64_t i) const noexcept {
        return null_count == 0 || (null_count != length && (validity.data()[i >> 3] >> (i & 7) & 1));
    }

    // Makes sure that the next value is that at `index`: those before it that have not come are nulls, and one that is there already, of
    // an equal key, goes. Room for the value is there. False when out of memory.
    [[nodiscard]] OCIOR_INLINE bool begin_value(std::int64_t index) noexcept {
        return (OCIOR_LIKELY(length == index) || begin_elsewhere(index)) && ensure_room();
    }
    // The value is there.
    OCIOR_INLINE void end_value() noexcept {
        if (OCIOR_UNLIKELY(null_count != 0)) {
            std::uint8_t& byte = validity.data()[length >> 3];
            byte = static_cast<std::uint8_t>((length & 7 ? byte : 0) | 1u << (length & 7));
        }
        ++length;
    }
    // Nulls up to `count` values. False when out of memory.
    [[nodiscard]] bool fill_nulls(std::int64_t count) noexcept;
    // Forgets all values but the first ones.
    void cut(std::int64_t count) noexcept;
    // Fills all columns below it so that each has as many values as it must have, `count` here.
    [[nodiscard]] bool complete(std::int64_t count) noexcept;
    // Takes over kind and values of another column, which has text, in the place of its own.
    void take_values(Column& other) noexcept;
    // The type becomes that of `other`, but for children. It has none yet. False when out of memory.
    [[nodiscard]] bool take_own_type_of(const Column& other) noexcept;
    // Forgets type and children, and keeps the name.
    void forget_type() noexcept;
    // So many nulls, and nothing else, in it and all below it.
    void make_null(std::int64_t count) noexcept;
    bool has_name_of(const Column& other) const noexcept {
        return name_len == other.name_len && std::memcmp(name, other.name, name_len) == 0;
    }
    // Forgets all values, and keeps types and blocks.
    void restart() noexcept;
    std::size_t count_columns() const noexcept;

    // Appends text to the value that has begun. False when out of memory, or where all of the column's text has 2 GB.
    [[nodiscard]] OCIOR_INLINE std::uint8_t* room_for_text(std::size_t byte_len) noexcept {
        const auto used = static_cast<std::size_t>(data_len);
        if (OCIOR_UNLIKELY(used + byte_len > INT32_MAX) || !data.reserve(used + byte_len)) return nullptr;
        return data.data() + used;
    }
    OCIOR_INLINE void end_text(std::size_t byte_len) noexcept {
        data_len += static_cast<std::int64_t>(byte_len);
        values.as<std::int32_t>()[length + 1] = static_cast<std::int32_t>(data_len);
        end_value();
    }
    [[nodiscard]] OCIOR_INLINE bool append_text(const std::uint8_t* text, std::size_t byte_len) noexcept {
        std::uint8_t* const to = room_for_text(byte_len);
        if (OCIOR_UNLIKELY(!to)) return false;
        std::memcpy(to, text, byte_len);
        end_text(byte_len);
        return true;
    }
    void put_bit(bool value) noexcept {
        std::uint8_t& byte = values.data()[length >> 3];
        const auto bit = static_cast<std::uint8_t>(1u << (length & 7));
        byte = static_cast<std::uint8_t>(value ? byte | bit : byte & ~bit);
    }
    // Bytes that `count` values take in `values`, with the offset behind the last one.
    std::size_t values_byte_len(std::int64_t count) const noexcept;
    bool has_text() const noexcept { return kind == Kind::kText || kind == Kind::kJson || (declared && declared->is_bytes()); }
    bool has_offsets() const noexcept { return has_text() || kind == Kind::kList; }

private:
    OCIOR_INLINE bool ensure_room() noexcept {
        if (OCIOR_LIKELY(static_cast<std::size_t>(length) < room_)) return true;
        return make_room(length + 1);
    }
    [[nodiscard]] bool begin_elsewhere(std::int64_t index) noexcept;
    [[nodiscard]] bool make_room(std::int64_t count) noexcept;
    std::size_t room_ = 0;  // values for which `values` and `validity` have room

    friend bool change_kind(Column& column, Kind kind) noexcept;
};

// Gives a column without values of its own kind, or of none, another kind: its blocks are made anew, with nulls for what was there.
[[nodiscard]] bool change_kind(Column& column, Kind kind) noexcept;

}  // namespace ocior::columns
