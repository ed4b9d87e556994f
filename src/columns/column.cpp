#include "columns/column.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/bits.h"

namespace ocior::columns {
namespace {

std::uint32_t hash_of(const std::uint8_t* name, std::size_t byte_len) noexcept {
    std::uint64_t hash = byte_len * 0x9E3779B97F4A7C15;
    const auto mix = [&](std::uint64_t word) {
        hash = (hash ^ word) * 0xD6E8FEB86659FD93;
        hash ^= hash >> 32;
    };
    for (; byte_len >= 8; name += 8, byte_len -= 8) mix(load<std::uint64_t>(name));
    std::uint64_t rest = 0;
    std::memcpy(&rest, name, byte_len);
    mix(rest);
    return static_cast<std::uint32_t>(hash ^ hash >> 29);
}

void clear_bits(std::uint8_t* bits, std::int64_t first, std::int64_t last) noexcept {
    for (; first < last && first % 8 != 0; ++first) bits[first >> 3] &= static_cast<std::uint8_t>(~(1u << (first & 7)));
    if (first < last) std::memset(bits + (first >> 3), 0, static_cast<std::size_t>((last - first + 7) >> 3));
}

void set_bits(std::uint8_t* bits, std::int64_t count) noexcept {
    std::memset(bits, 0xff, static_cast<std::size_t>(count >> 3));
    if (count % 8) bits[count >> 3] = static_cast<std::uint8_t>((1u << (count & 7)) - 1);
}

std::int64_t count_clear_bits(const std::uint8_t* bits, std::int64_t first, std::int64_t last) noexcept {
    std::int64_t set = 0, i = first;
    for (; i < last && i % 8 != 0; ++i) set += bits[i >> 3] >> (i & 7) & 1;
    for (; i + 64 <= last; i += 64) set += __builtin_popcountll(load<std::uint64_t>(bits + (i >> 3)));
    for (; i < last; ++i) set += bits[i >> 3] >> (i & 7) & 1;
    return last - first - set;
}

}  // namespace

// The place of the child of that name, or the free one where it belongs. The table is there and has free places.
std::uint32_t* Fields::find(const Column& owner, const std::uint8_t* name, std::size_t byte_len) noexcept {
    for (std::size_t at = hash_of(name, byte_len);; ++at) {
        std::uint32_t& place = places.data()[at & (place_count - 1)];
        if (place == 0) return &place;
        const Column& child = *owner.children[place - 1];
        if (child.name_len == byte_len && std::memcmp(child.name, name, byte_len) == 0) return &place;
    }
}

// Makes room for one more child, at least. False when out of memory.
bool Fields::enlarge(const Column& owner) noexcept {
    if (2 * (owner.child_count + 1) <= place_count) return true;
    const std::size_t wanted = place_count ? 2 * place_count : 16;
    std::size_t count = wanted;
    while (count < 2 * (std::size_t{owner.child_count} + 1)) count *= 2;
    if (!places.reserve(count)) return false;
    place_count = count;
    std::memset(places.data(), 0, count * sizeof(std::uint32_t));
    for (std::uint32_t i = 0; i < owner.child_count; ++i) {
        const Column& child = *owner.children[i];
        *find(owner, reinterpret_cast<const std::uint8_t*>(child.name), child.name_len) = i + 1;
    }
    return true;
}

void Column::forget_type() noexcept {
    for (std::uint32_t i = 0; i < child_count; ++i) delete children[i];
    std::free(children);
    std::free(declared);
    delete fields;
    children = nullptr, declared = nullptr, fields = nullptr;
    child_count = child_room = 0;
}

bool Column::take_own_type_of(const Column& other) noexcept {
    kind = other.kind;
    seen = other.seen;
    is_nullable = other.is_nullable;
    is_fixed = other.is_fixed;
    if (!other.declared) return true;
    declared = static_cast<DeclaredType*>(std::malloc(sizeof(DeclaredType)));
    if (declared) *declared = *other.declared;
    return declared != nullptr;
}

void Column::take_values(Column& other) noexcept {
    forget_type();
    kind = other.kind;
    length = other.length;
    null_count = other.null_count;
    data_len = other.data_len;
    room_ = other.room_;
    validity.swap(other.validity);
    values.swap(other.values);
    data.swap(other.data);
}

void Column::make_null(std::int64_t count) noexcept {
    length = null_count = count;
    for (std::uint32_t i = 0; i < child_count; ++i) children[i]->make_null(kind == Kind::kStruct ? count : 0);
}

Column* Column::add_child(const char* child_name, std::size_t byte_len) noexcept {
    if (child_count == child_room) {
        const std::uint32_t wanted = child_room ? 2 * child_room : 4;
        auto* const more = static_cast<Column**>(std::realloc(children, wanted * sizeof(Column*)));
        if (!more) return nullptr;
        children = more;
        child_room = wanted;
    }
    auto* const child = new (std::nothrow) Column;
    char* const copy = child ? static_cast<char*>(std::malloc(byte_len + 1)) : nullptr;
    if (!copy) return delete child, nullptr;
    std::memcpy(copy, child_name, byte_len);
    copy[byte_len] = 0;
    child->name = copy;
    child->name_len = static_cast<std::uint32_t>(byte_len);
    child->parent = this;
    return children[child_count++] = child;
}

const Column* Column::child_named(const char* child_name, std::size_t byte_len) const noexcept {
    for (std::uint32_t i = 0; i < child_count; ++i)
        if (children[i]->name_len == byte_len && std::memcmp(children[i]->name, child_name, byte_len) == 0) return children[i];
    return nullptr;
}

bool Column::make_fields() noexcept {
    if (fields) return true;
    fields = new (std::nothrow) Fields;
    if (fields && fields->enlarge(*this)) return true;
    delete std::exchange(fields, nullptr);
    return false;
}

Column* Column::find_or_add(const char* child_name, std::size_t byte_len, bool& is_new) noexcept {
    if (!make_fields()) return nullptr;
    const auto* const text = reinterpret_cast<const std::uint8_t*>(child_name);
    const std::uint32_t place = *fields->find(*this, text, byte_len);
    is_new = place == 0;
    if (!is_new) return children[place - 1];
    Column* const child = fields->enlarge(*this) ? add_child(child_name, byte_len) : nullptr;
    if (child) *fields->find(*this, text, byte_len) = child_count;
    return child;
}

std::size_t Column::values_byte_len(std::int64_t count) const noexcept {
    const auto n = static_cast<std::size_t>(count);
    if (has_offsets()) return (n + 1) * sizeof(std::int32_t);
    switch (kind) {
        case Kind::kBool: return (n + 7) / 8;
        case Kind::kInteger:
        case Kind::kReal: return n * sizeof(std::uint64_t);
        case Kind::kDeclared: return n * declared->value_bytes();
        default: return 0;
    }
}

bool Column::make_room(std::int64_t count) noexcept {
    const auto wanted = static_cast<std::size_t>(count) < 512 ? 1024 : 2 * static_cast<std::size_t>(count);
    const bool is_new = values.data() == nullptr && has_offsets();
    const std::size_t byte_len = values_byte_len(static_cast<std::int64_t>(wanted));
    if ((byte_len && !values.reserve(byte_len)) || (has_text() && !data.reserve(1)) || (null_count && !validity.reserve(wanted / 8 + 8)))
        return false;
    if (is_new) values.as<std::int32_t>()[0] = 0;
    room_ = wanted;
    return true;
}

void Column::restart() noexcept {
    length = null_count = data_len = 0;
    for (std::uint32_t i = 0; i < child_count; ++i) children[i]->restart();
}

bool Column::begin_elsewhere(std::int64_t index) noexcept {
    if (length > index) return cut(index), true;
    return fill_nulls(index);
}

bool Column::fill_nulls(std::int64_t count) noexcept {
    if (length >= count) return true;
    if (kind == Kind::kNull) return null_count = length = count, true;
    if (null_count == 0) {
        // Validity begins now: all values that have come are valid.
        if (!validity.reserve(std::max(room_, static_cast<std::size_t>(count)) / 8 + 8)) return false;
        set_bits(validity.data(), length);
    }
    const std::int64_t missing = count - length;
    null_count += missing;
    if (static_cast<std::size_t>(count) > room_ && !make_room(count)) return null_count -= missing, false;
    clear_bits(validity.data(), length, count);
    if (has_offsets()) {
        auto* const offsets = values.as<std::int32_t>();
        std::fill(offsets + length + 1, offsets + count + 1, offsets[length]);
    } else if (kind == Kind::kBool) {
        clear_bits(values.data(), length, count);
    } else if (const std::size_t byte_len = values_byte_len(missing)) {
        std::memset(values.data() + values_byte_len(length), 0, byte_len);
    }
    length = count;
    return true;
}

void Column::cut(std::int64_t count) noexcept {
    // A list that has begun and not ended has items already.
    if (length <= count) return kind == Kind::kList ? items()->cut(item_count(length)) : void();
    const std::int64_t before = std::exchange(length, count);
    if (kind == Kind::kNull) {
        null_count = count;
    } else if (null_count) {
        null_count -= count_clear_bits(validity.data(), count, before);
        if (count % 8) clear_bits(validity.data(), count, count + 8 - count % 8);
    }
    if (has_text()) data_len = count ? values.as<std::int32_t>()[count] : 0;
    if (kind == Kind::kList) items()->cut(item_count(count));
    if (kind == Kind::kStruct)
        for (std::uint32_t i = 0; i < child_count; ++i) children[i]->cut(count);
}

bool Column::complete(std::int64_t count) noexcept {
    if (!fill_nulls(count)) return false;
    if (kind == Kind::kList) return items()->complete(item_count(count));
    if (kind == Kind::kStruct)
        for (std::uint32_t i = 0; i < child_count; ++i)
            if (!children[i]->complete(count)) return false;
    return true;
}

std::size_t Column::count_columns() const noexcept {
    std::size_t count = child_count;
    for (std::uint32_t i = 0; i < child_count; ++i) count += children[i]->count_columns();
    return count;
}

bool change_kind(Column& column, Kind kind) noexcept {
    const std::int64_t count = column.length;
    if (kind == Kind::kList && column.child_count == 0 && !column.add_child("item", 4)) return false;
    if (kind == Kind::kStruct && !column.make_fields()) return false;
    column.values.reset();
    column.room_ = 0;
    column.length = column.null_count = column.data_len = 0;
    column.kind = kind;
    return column.fill_nulls(count);
}

}  // namespace ocior::columns
