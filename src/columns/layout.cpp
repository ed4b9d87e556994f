// What becomes of the values of declared types when all of them are there, and what is dropped of maps.
#include <algorithm>
#include <new>
#include <utility>

#include "base/bits.h"
#include "columns/declared.h"
#include "text/text_table.h"

namespace ocior::columns {
namespace {

using text::Bytes;

Bytes text_at(const Column& column, std::int64_t i) noexcept {
    const auto* const offsets = column.values.as<std::int32_t>();
    static constexpr std::uint8_t kNothing = 0;  // where all texts are empty there need be no block
    const std::uint8_t* const texts = column.data.data() ? column.data.data() : &kNothing;
    return {texts + offsets[i], static_cast<std::size_t>(offsets[i + 1] - offsets[i])};
}
struct TextOf {
    const Column& column;
    Bytes operator()(std::uint32_t number) const noexcept { return text_at(column, number); }
};

// Appends values [first, last) of a column of the same type. Those that `from` does not have any more are null, and so are nulls.
bool append_values(Column& to, const Column& from, std::int64_t first, std::int64_t last) noexcept {
    const bool is_narrow = !from.has_offsets() && (from.kind == Kind::kInteger || from.kind == Kind::kReal || from.kind == Kind::kDeclared);
    const std::size_t byte_len = is_narrow ? from.values_byte_len(1) : 0;
    for (std::int64_t i = first; i < last; ++i) {
        if (i >= from.length || !from.is_valid(i)) {
            if (!to.fill_nulls(to.length + 1)) return false;
            continue;
        }
        if (!to.begin_value(to.length)) return false;
        if (is_narrow) {
            const auto at = static_cast<std::size_t>(to.length), of = static_cast<std::size_t>(i);
            std::memcpy(to.values.data() + at * byte_len, from.values.data() + of * byte_len, byte_len);
        } else if (from.has_text()) {
            const Bytes text = text_at(from, i);
            if (!to.append_text(text.first, text.byte_len)) return false;
            continue;
        } else if (from.kind == Kind::kList) {
            const auto* const offsets = from.values.as<std::int32_t>();
            Column& items = *to.items();
            const std::int64_t begin = to.item_count(to.length), end = begin + offsets[i + 1] - offsets[i];
            if (!items.fill_nulls(begin) || !append_values(items, *from.items(), offsets[i], offsets[i + 1])) return false;
            to.values.as<std::int32_t>()[to.length + 1] = static_cast<std::int32_t>(end);
        } else if (from.kind == Kind::kStruct) {
            for (std::uint32_t k = 0; k < from.child_count; ++k)
                if (!to.children[k]->fill_nulls(to.length) || !append_values(*to.children[k], *from.children[k], i, i + 1)) return false;
        } else {
            to.put_bit(from.values.data()[i >> 3] >> (i & 7) & 1);
        }
        to.end_value();
    }
    return true;
}

std::size_t count_of(const Column& column) noexcept { return static_cast<std::size_t>(column.length); }

Put widen_offsets(Column& column) noexcept {
    Buffer wide;
    if (!wide.reserve((count_of(column) + 1) * sizeof(std::int64_t))) return Put::kNoMemory;
    std::copy_n(column.values.as<std::int32_t>(), count_of(column) + 1, wide.as<std::int64_t>());
    column.values.swap(wide);
    return Put::kDone;
}

constexpr std::size_t kViewBytes = 16;

// A view: the length, then up to 12 bytes, or the first 4, the number of a block and a place in it.
Put make_views(Column& column) noexcept {
    constexpr std::size_t kMostInline = 12;
    Buffer views;
    if (!views.reserve(count_of(column) * kViewBytes)) return Put::kNoMemory;
    std::memset(views.data(), 0, count_of(column) * kViewBytes);
    for (std::int64_t i = 0; i < column.length; ++i) {
        std::uint8_t* const view = views.data() + static_cast<std::size_t>(i) * kViewBytes;
        const Bytes text = text_at(column, i);
        store(view, static_cast<std::int32_t>(text.byte_len));
        if (text.byte_len <= kMostInline) {
            std::memcpy(view + 4, text.first, text.byte_len);
        } else {
            std::memcpy(view + 4, text.first, 4);
            store(view + 12, static_cast<std::int32_t>(text.first - column.data.data()));
        }
    }
    column.values.swap(views);
    return Put::kDone;
}

Put make_fixed_bytes(Column& column) noexcept {
    const auto width = static_cast<std::size_t>(column.declared->width);
    Buffer bytes;
    if (!bytes.reserve(count_of(column) * width)) return Put::kNoMemory;
    std::memset(bytes.data(), 0, count_of(column) * width);
    for (std::int64_t i = 0; i < column.length; ++i) {
        const Bytes value = text_at(column, i);
        std::memcpy(bytes.data() + static_cast<std::size_t>(i) * width, value.first, value.byte_len);
    }
    column.values.swap(bytes);
    column.data.reset();
    column.data_len = 0;
    return Put::kDone;
}

Put make_dictionary(Column& column) noexcept {
    if (column.child_count == 0 && !column.add_child("", 0)) return Put::kNoMemory;
    Column& texts = *column.children[0];
    texts.kind = Kind::kText;
    const DeclaredType index{.code = column.declared->index};
    const std::size_t byte_len = index.value_bytes();
    const std::uint64_t most = low_bits(static_cast<unsigned>(8 * byte_len) - (index.code <= Code::kInt64));
    Buffer indices;
    if (!indices.reserve(count_of(column) * byte_len)) return Put::kNoMemory;
    std::memset(indices.data(), 0, count_of(column) * byte_len);
    text::TextTable table(TextOf{texts});
    for (std::int64_t i = 0; i < column.length; ++i) {
        if (!column.is_valid(i)) continue;
        if (!table.reserve(count_of(texts) + 1)) return Put::kNoMemory;
        const Bytes text = text_at(column, i);
        std::uint32_t& number = table.find(text);
        if (number == 0) {
            if (count_of(texts) > most) return Put::kRefused;
            if (!texts.begin_value(texts.length) || !texts.append_text(text.first, text.byte_len)) return Put::kNoMemory;
            number = static_cast<std::uint32_t>(texts.length);
        }
        const std::uint64_t found = number - 1;
        std::memcpy(indices.data() + static_cast<std::size_t>(i) * byte_len, &found, byte_len);
    }
    column.values.swap(indices);
    column.data.reset();
    column.data_len = 0;
    return Put::kDone;
}

// Nulls take as much room in a list of fixed size as values: they are given items, which are null.
Put fill_lists(Column& column) noexcept {
    if (column.null_count > 0) {
        const Column& items = *column.items();
        auto* const filled = new (std::nothrow) Column;
        if (!filled) return Put::kNoMemory;
        bool is_done = copy_type(*filled, items);
        for (std::int64_t i = 0; is_done && i < column.length; ++i) {
            const std::int64_t width = column.declared->width, first = column.values.as<std::int32_t>()[i];
            is_done = column.is_valid(i) ? append_values(*filled, items, first, first + width) : filled->fill_nulls(filled->length + width);
        }
        if (!is_done || !filled->complete(filled->length)) return delete filled, Put::kNoMemory;
        filled->parent = &column;
        std::swap(filled->name, column.items()->name);
        filled->name_len = items.name_len;
        delete std::exchange(column.children[0], filled);
    }
    column.values.reset();
    return Put::kDone;
}

}  // namespace

bool drop_equal_keys(Column& pairs, std::int64_t first) noexcept {
    constexpr std::int64_t kFew = 16;  // which are compared with each other
    const Column& keys = *pairs.children[0];
    const std::int64_t last = pairs.length;
    if (last - first < 2) return true;
    Buffer marks;  // of each pair whether it is dropped; made for the first one
    const auto drop = [&](std::int64_t i) {
        if (!marks.data()) {
            if (!marks.reserve(static_cast<std::size_t>(last - first))) return false;
            std::memset(marks.data(), 0, static_cast<std::size_t>(last - first));
        }
        return marks.data()[i - first] = 1, true;
    };
    if (last - first <= kFew) {
        for (std::int64_t i = first; i < last; ++i)
            for (std::int64_t k = i + 1; k < last; ++k)
                if (text_at(keys, i) == text_at(keys, k) && !drop(i)) return false;
    } else {
        text::TextTable table(TextOf{keys});
        if (!table.reserve(static_cast<std::size_t>(last - first))) return false;
        for (std::int64_t i = first; i < last; ++i) {
            std::uint32_t& number = table.find(text_at(keys, i));
            if (number != 0 && !drop(number - 1)) return false;
            number = static_cast<std::uint32_t>(i + 1);
        }
    }
    if (!marks.data()) return true;
    Column kept;
    if (!copy_type(kept, pairs)) return false;
    for (std::int64_t i = first; i < last; ++i)
        if (!marks.data()[i - first] && !append_values(kept, pairs, i, i + 1)) return false;
    pairs.cut(first);
    return append_values(pairs, kept, 0, kept.length);
}

std::size_t laid_out_bytes(const Column& column) noexcept {
    switch (column.declared ? column.declared->code : Code::kBinary) {
        case Code::kLargeText:
        case Code::kLargeBinary:
        case Code::kLargeList: return sizeof(std::int64_t);
        case Code::kTextView:
        case Code::kBinaryView: return kViewBytes;
        case Code::kFixedBinary: return std::max<std::size_t>(static_cast<std::size_t>(column.declared->width), 1);
        case Code::kDictionary: return DeclaredType{.code = column.declared->index}.value_bytes();
        case Code::kFixedList: return 1;
        default: return column.has_offsets() ? sizeof(std::int32_t) : std::max<std::size_t>(column.values_byte_len(1), 1);
    }
}

Put lay_out(Column& column) noexcept {
    if (column.null_count == column.length) {
        column.values.reset();  // it need not be laid out
        if (column.declared->code == Code::kFixedList) column.items()->make_null(column.length * column.declared->width);
        return Put::kDone;
    }
    switch (column.declared->code) {
        case Code::kLargeText:
        case Code::kLargeBinary:
        case Code::kLargeList: return widen_offsets(column);
        case Code::kTextView:
        case Code::kBinaryView: return make_views(column);
        case Code::kFixedBinary: return make_fixed_bytes(column);
        case Code::kDictionary: return make_dictionary(column);
        case Code::kFixedList: return fill_lists(column);
        default: return Put::kDone;
    }
}

}  // namespace ocior::columns
