#include "columns/convert.h"

#include <cmath>

#include "base/bits.h"
#include "num/write.h"

namespace ocior::columns {

void Text::put_string(const std::uint8_t* text, std::size_t n) noexcept {
    static constexpr char kDigits[] = "0123456789abcdef";
    std::uint8_t* out = room(6 * n + 2);
    if (!out) return;
    *out++ = '"';
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t c = text[i];
        const char* const found = c < 0x20 ? std::strchr("\bb\tt\nn\ff\rr", c) : nullptr;
        if (c >= 0x20 && c != '"' && c != '\\') {
            *out++ = c;
        } else if (c >= 0x20 || (c && found)) {
            *out++ = '\\';
            *out++ = c >= 0x20 ? c : static_cast<std::uint8_t>(found[1]);
        } else {
            std::memcpy(out, "\\u00", 4);
            out[4] = static_cast<std::uint8_t>(kDigits[c >> 4]), out[5] = static_cast<std::uint8_t>(kDigits[c & 15]);
            out += 6;
        }
    }
    *out++ = '"';
    advance_to(out);
}

void Text::put_integer(std::uint64_t bits, bool is_signed) noexcept {
    std::uint8_t* const out = room(num::kFormatRoom);
    if (!out) return;
    advance_to(is_signed ? num::write_i64(out, static_cast<std::int64_t>(bits)) : num::write_u64(out, bits));
}

void Text::put_real(double value) noexcept {
    if (std::isnan(value)) return put("NaN", 3);
    if (std::isinf(value)) return value < 0 ? put("-Infinity", 9) : put("Infinity", 8);
    if (std::uint8_t* const out = room(num::kFormatRoom)) advance_to(num::write_f64(out, value));
}

void put_json(Text& text, const Column& column, std::int64_t i) noexcept {
    if (i >= column.length || !column.is_valid(i)) return text.put("null", 4);
    switch (column.kind) {
        case Kind::kNull:
        case Kind::kDeclared: return text.put("null", 4);
        case Kind::kBool: return column.values.data()[i >> 3] >> (i & 7) & 1 ? text.put("true", 4) : text.put("false", 5);
        case Kind::kInteger: return text.put_integer(column.values.as<std::uint64_t>()[i], !(column.seen & kSeenBeyond));
        case Kind::kReal: return text.put_real(column.values.as<double>()[i]);
        case Kind::kText:
        case Kind::kJson: {
            const auto* const offsets = column.values.as<std::int32_t>();
            const std::uint8_t* const first = column.data.data() + offsets[i];
            const auto n = static_cast<std::size_t>(offsets[i + 1] - offsets[i]);
            return column.kind == Kind::kJson ? text.put(first, n) : text.put_string(first, n);
        }
        case Kind::kList: {
            const auto* const offsets = column.values.as<std::int32_t>();
            text.put('[');
            for (std::int64_t item = offsets[i]; item < offsets[i + 1]; ++item) {
                if (item != offsets[i]) text.put(',');
                put_json(text, *column.items(), item);
            }
            return text.put(']');
        }
        case Kind::kStruct: {
            char before = '{';
            for (std::uint32_t k = 0; k < column.child_count; ++k) {
                const Column& child = *column.children[k];
                if (child.kind == Kind::kNull || i >= child.length || !child.is_valid(i)) continue;
                text.put(before);
                text.put_string(reinterpret_cast<const std::uint8_t*>(child.name), child.name_len);
                text.put(':');
                put_json(text, child, i);
                before = ',';
            }
            if (before == '{') text.put('{');
            return text.put('}');
        }
    }
}

bool make_text(Column& column, Mixed mixed) noexcept {
    const Kind kind = mixed == Mixed::kText ? Kind::kText : Kind::kJson;
    if (column.kind == Kind::kNull) {
        if (!change_kind(column, kind)) return false;
    } else if (column.kind != kind) {
        Buffer block;
        Column made;
        made.kind = kind;
        for (std::int64_t i = 0; i < column.length; ++i) {
            if (!column.is_valid(i)) continue;
            Text text(block);
            put_json(text, column, i);
            if (text.failed() || !made.begin_value(i) || !made.append_text(text.data(), text.byte_len())) return false;
        }
        if (!made.fill_nulls(column.length)) return false;
        column.take_values(made);
    }
    column.seen = kind == Kind::kText ? kAnyAsText : 0;
    return true;
}

void make_real(Column& column) noexcept {
    const bool is_signed = !(column.seen & kSeenBeyond);
    auto* const bits = column.values.as<std::uint64_t>();
    for (std::int64_t i = 0; i < column.length; ++i) {
        const double value = is_signed ? static_cast<double>(static_cast<std::int64_t>(bits[i])) : static_cast<double>(bits[i]);
        store(bits + i, value);
    }
    column.kind = Kind::kReal;
}

bool copy_type(Column& into, const Column& from) noexcept {
    if (!into.take_own_type_of(from)) return false;
    for (std::uint32_t i = 0; i < from.child_count; ++i) {
        const Column& child = *from.children[i];
        Column* const copy = into.add_child(child.name, child.name_len);
        if (!copy || !copy_type(*copy, child)) return false;
    }
    if (from.kind != Kind::kStruct) return true;
    if (!into.make_fields()) return false;
    if (from.fields) into.fields->unexpected = from.fields->unexpected, into.fields->has_required = from.fields->has_required;
    return true;
}

Joined join_types(Column& into, const Column& from, Mixed mixed) noexcept {
    if (from.kind == Kind::kNull) return Joined::kDone;
    if (into.kind == Kind::kNull) return copy_type(into, from) ? Joined::kDone : Joined::kNoMemory;
    const auto is_number = [](const Column& column) { return column.kind == Kind::kInteger || column.kind == Kind::kReal; };
    if (is_number(into) && is_number(from)) {
        into.seen |= from.seen;
        if (!is_mixed_number(into.seen)) {
            into.kind = into.seen & kSeenReal ? Kind::kReal : Kind::kInteger;
            return Joined::kDone;
        }
    } else if (into.kind == from.kind) {
        into.seen |= from.seen;
        if (into.kind == Kind::kList) return join_types(*into.items(), *from.items(), mixed);
        if (into.kind != Kind::kStruct) return Joined::kDone;
        for (std::uint32_t i = 0; i < from.child_count; ++i) {
            const Column& child = *from.children[i];
            bool is_new;
            Column* const known = into.find_or_add(child.name, child.name_len, is_new);
            if (!known) return Joined::kNoMemory;
            const Joined joined = join_types(*known, child, mixed);
            if (joined != Joined::kDone) return joined;
        }
        return Joined::kDone;
    }
    if (mixed == Mixed::kRaise) return Joined::kConflict;
    into.forget_type();
    into.kind = mixed == Mixed::kText ? Kind::kText : Kind::kJson;
    into.seen = mixed == Mixed::kText ? kAnyAsText : 0;
    return Joined::kDone;
}

bool cast(Column& column, const Column& type, Mixed mixed) noexcept {
    if (column.kind == Kind::kNull || column.null_count == column.length) {
        // All are null: Arrow's blocks for it need not be made (batch.h), only its children.
        column.forget_type();
        if (!copy_type(column, type)) return false;
        column.make_null(column.length);
        return true;
    }
    if (column.kind == Kind::kStruct) {
        if (type.kind != Kind::kStruct) return make_text(column, mixed);
        // Its children become those of the type, in their order. Mostly they are the first ones of it.
        for (std::uint32_t i = 0; i < type.child_count; ++i) {
            const Column& wanted = *type.children[i];
            std::uint32_t k = i;
            while (k < column.child_count && !column.children[k]->has_name_of(wanted)) ++k;
            if (k >= column.child_count) {
                Column* const child = column.add_child(wanted.name, wanted.name_len);
                if (!child) return false;
                child->length = child->null_count = column.length;
                k = column.child_count - 1;
            }
            std::swap(column.children[i], column.children[k]);
            if (!cast(*column.children[i], wanted, mixed)) return false;
        }
        return true;
    }
    if (column.kind == Kind::kList && type.kind == Kind::kList) return cast(*column.items(), *type.items(), mixed);
    if (column.kind == type.kind) return true;
    if (column.kind == Kind::kInteger && type.kind == Kind::kReal) return make_real(column), true;
    return make_text(column, mixed);
}

}  // namespace ocior::columns
