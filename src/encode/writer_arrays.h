// The arrays of numbers of writer.h: nested lists, out of the array's memory.
#pragma once

#include "encode/types/arrays.h"
#include "encode/writer.h"

namespace ocior::encode {

// An element at any address.
template <typename Type>
OCIOR_INLINE Type load_element(const char* from, bool is_swapped) noexcept {
    auto value = load<Type>(from);
    if (OCIOR_UNLIKELY(is_swapped)) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(&value);
        for (std::size_t i = 0; i < sizeof value / 2; ++i) std::swap(bytes[i], bytes[sizeof value - 1 - i]);
    }
    return value;
}

// Writes the array in the top frame, or as much of it as there is room for. Null, as everywhere, where the walk stops; it goes on here.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_array(Unit* at, ArrayView& view) noexcept {
    const auto open_list = [&](int dimension, const char* first) {
        view.index[dimension] = 0;
        view.next[dimension] = first;
        view.open = dimension + 1;
        if constexpr (kHasLines) ++call_.level;
        at = put(at, '[');
    };
    while (!view.is_done) {
        if (!has_item_room(at) && !(at = grow_or_flush(at, kItemRoom))) return nullptr;
        const int inner = view.open - 1;
        if (inner < 0) {
            open_list(0, static_cast<const char*>(view.buffer.buf));
        } else if (view.index[inner] == view.length(inner)) {
            const bool has_items = view.length(inner) > 0;
            if (has_items) at -= item_separator_length();
            if constexpr (kHasLines) --call_.level;
            if (has_items && !(at = put_line(at))) return nullptr;
            at = put(at, ']');
            view.is_done = --view.open == 0;
            if (!view.is_done) at = put_item_separator(at);
        } else if (inner + 1 < view.dimensions) {
            at = put_line(at);
            if (kHasLines && OCIOR_UNLIKELY(!at)) return nullptr;
            const char* const first = view.next[inner];
            view.next[inner] += view.stride(inner);
            ++view.index[inner];
            open_list(inner + 1, first);
        } else {
            at = put_elements(at, view);
            if (OCIOR_UNLIKELY(!at)) return nullptr;
        }
    }
    return at;
}

// Elements of the innermost list that is open, while there is room.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_elements(Unit* at, ArrayView& view) noexcept {
    const auto integer = [](Unit* to, auto value) OCIOR_INLINE_LAMBDA {
        if constexpr (std::is_signed_v<decltype(value)>) return num::write_i64(to, value);
        else return num::write_u64(to, value);
    };
    // Numbers that are written by functions for ASCII.
    const auto ascii = [&](Unit* to, auto write) OCIOR_INLINE_LAMBDA -> Unit* {
        if constexpr (sizeof(Unit) == 1) {
            return write(to);
        } else {
            std::uint8_t text[kShortScalar];
            const std::uint8_t* const end = write(text);
            return end ? put_ascii(to, text, static_cast<std::size_t>(end - text)) : nullptr;
        }
    };
    const auto real = [&](Unit* to, double value, auto write) OCIOR_INLINE_LAMBDA -> Unit* {
        if (OCIOR_LIKELY(__builtin_isfinite(value))) return ascii(to, write);
        return put_non_finite(to, value);
    };
    switch (view.element) {
        case Element::kBool:
            return put_row<std::uint8_t>(at, view, [](Unit* to, std::uint8_t value) OCIOR_INLINE_LAMBDA {
                return value ? put_word(to, 0x65757274, 4) : put_word(to, 0x65736c6166, 5);
            });
        case Element::kInt8: return put_row<std::int8_t>(at, view, integer);
        case Element::kInt16: return put_row<std::int16_t>(at, view, integer);
        case Element::kInt32: return put_row<std::int32_t>(at, view, integer);
        case Element::kInt64: return put_row<std::int64_t>(at, view, integer);
        case Element::kUint8: return put_row<std::uint8_t>(at, view, integer);
        case Element::kUint16: return put_row<std::uint16_t>(at, view, integer);
        case Element::kUint32: return put_row<std::uint32_t>(at, view, integer);
        case Element::kUint64: return put_row<std::uint64_t>(at, view, integer);
        case Element::kFloat16:
            return put_row<std::uint16_t>(at, view, [&](Unit* to, std::uint16_t bits) OCIOR_INLINE_LAMBDA {
                const auto value = num::float_of_f16(bits);
                const bool is_wider = call_.rich & kStored;
                return real(to, value,
                            [&](std::uint8_t* text) { return is_wider ? num::write_f32(text, value) : num::write_f16(text, bits); });
            });
        case Element::kFloat32:
            return put_row<float>(at, view, [&](Unit* to, float value) OCIOR_INLINE_LAMBDA {
                return real(to, value, [&](std::uint8_t* text) { return num::write_f32(text, value); });
            });
        case Element::kFloat64:
            return put_row<double>(at, view, [&](Unit* to, double value) OCIOR_INLINE_LAMBDA {
                return real(to, value, [&](std::uint8_t* text) { return num::write_f64(text, value); });
            });
        case Element::kDatetime:
            return put_row<std::int64_t>(at, view, [&](Unit* to, std::int64_t ticks) -> Unit* {
                if (ticks == kNotATime) return put_word(to, 0x6c6c756e, 4);
                to = ascii(put(to, '"'), [&](std::uint8_t* text) { return write_ticks(call_, view.ticks, ticks, text); });
                return to ? put(to, '"') : nullptr;
            });
    }
    __builtin_unreachable();
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_non_finite(Unit* at, double value) noexcept {
    const Owned number = Owned::steal(PyFloat_FromDouble(value));
    const char* const text = number ? allowed_non_finite_text(call_, number.get(), value) : nullptr;
    return text ? put_ascii(at, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)) : nullptr;
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Type, typename Put>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_row(Unit* at, ArrayView& view, Put put_value) noexcept {
    const int inner = view.open - 1;
    const Py_ssize_t count = view.length(inner) - view.index[inner], stride = view.stride(inner);
    const char* from = view.next[inner];
    const bool is_swapped = view.is_swapped;
    Py_ssize_t done = 0;
    do {
        if constexpr (kHasLines) {
            at = put_line(at);
            if (OCIOR_UNLIKELY(!at)) return nullptr;
        }
        Unit* const end = put_value(at, load_element<Type>(from, is_swapped));
        if (OCIOR_UNLIKELY(!end)) return note_item(at), nullptr;
        at = put_item_separator(end);
        from += stride;
    } while (++done < count && has_item_room(at));
    view.index[inner] += done;
    view.next[inner] = from;
    return at;
}

}  // namespace ocior::encode
