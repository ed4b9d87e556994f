// The arrays of numbers of writer.h: the brackets of nested lists, and the elements that elements.h writes.
#pragma once

#include "encode/arrays/elements.h"
#include "encode/arrays/view.h"
#include "encode/writer/writer.h"

namespace ocior::encode {

// Writes the array in the top frame, or as much of it as there is room for. Null, as everywhere, where the walk stops; it goes on here.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_array(Unit* at, ArrayView& view) noexcept {
    const auto open_list = [&](int dimension, const char* first) {
        view.index[dimension] = 0;
        view.next[dimension] = first;
        view.open = dimension + 1;
        if constexpr (kHasLines) ++call_.level;
        at = view.length(dimension) ? put_opening(at, '[') : put(at, '[');  // an empty one has no lines
    };
    NumberWindow window;
    while (!view.is_done) {
        if (!has_item_room(at) && !(at = grow_or_flush(at, kItemRoom))) return nullptr;
        const int inner = view.open - 1;
        if (inner < 0) {
            open_list(0, static_cast<const char*>(view.buffer.buf));
        } else if (view.index[inner] == view.length(inner)) {
            const bool has_items = view.length(inner) > 0;
            if (has_items) at -= item_separator_length();
            Unit* const on_one_line = has_items ? joined(at, has_items) : nullptr;
            if constexpr (kHasLines) --call_.level;
            if (on_one_line) at = on_one_line;
            else if (has_items && !(at = put_line(at))) return nullptr;
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
            at = put_elements(at, view, window);
            if (OCIOR_UNLIKELY(!at)) return nullptr;
        }
    }
    return at;
}

// Elements of the innermost list that is open, and maybe of those behind it, while there is room.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_elements(Unit* at, ArrayView& view, NumberWindow& window) noexcept {
    Unit* end;
    if constexpr (kFixed && !kHasLines) {
        end = put_element_run(at, view, window, KnownSeparator<kItemLength>{});
    } else {
        ElementSeparator separator;
        at = put_line(at);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        if (kFixed || !options_.item.data) {
            store(separator.text, kFixed ? kItemWord : options_.item.word);
            separator.length = item_separator_length();
            const std::size_t n = call_.level * options_.indent.count;
            const bool has_line = kFixed || options_.pretty;
            if (has_line && (n > kShortLine || (!kFixed && options_.indent.text.data))) return put_element_alone(at, view, window);
            if (has_line) {
                const auto fill = simd::Vec<std::uint8_t>::splat(static_cast<std::uint8_t>(options_.indent.fill));
                std::uint8_t line[1 + kShortLine + simd::kVecBytes];
                put_short_line(line, fill, n);
                std::memcpy(separator.text + separator.length, line, 1 + kShortLine);
                separator.length += 1 + n;
            }
            end = put_element_run(at, view, window, separator);
            if (OCIOR_LIKELY(end != nullptr && end != at) && has_line) return end - (1 + n);
        } else {
            end = at;
        }
    }
    return OCIOR_LIKELY(end != at) ? end : put_element_alone(at, view, window);
}

// Elements by write_elements(), which makes bytes.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Separator>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_element_run(Unit* at, ArrayView& view, NumberWindow& window,
                                                                const Separator& separator) noexcept {
    static_assert(kItemRoom >= kElementsRoom);
    std::uint8_t* end;
    if constexpr (sizeof(Unit) == 1) {
        end = write_elements(call_, view, window, separator, at, item_limit_);
        if (OCIOR_LIKELY(end != nullptr)) return end;
    } else {
        constexpr std::size_t kPart = 1024;
        std::uint8_t text[kPart + kElementsRoom];
        end = write_elements(call_, view, window, separator, text, text + std::min<std::size_t>(kPart, item_limit_ - at));
        if (OCIOR_LIKELY(end != nullptr)) return put_ascii(at, text, static_cast<std::size_t>(end - text));
    }
    return note_item(at), nullptr;
}

// One element, whose line is there, and a separator of any length.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_element_alone(Unit* at, ArrayView& view, NumberWindow& window) noexcept {
    std::uint8_t text[kElementsRoom];
    const std::uint8_t* const behind = write_elements(call_, view, window, ElementSeparator{}, text, text);
    Unit* end = nullptr;
    if (behind && behind != text) {
        end = put_ascii(at, text, static_cast<std::size_t>(behind - text));
    } else if (behind) {
        const int inner = view.open - 1;
        const char* const from = view.next[inner];
        const auto load_as = [&]<typename Type>(Type) { return load_element<Type>(from, view.is_swapped); };
        switch (view.element) {
            case Element::kInt64: end = put_big_integer(at, load_as(std::int64_t{})); break;
            case Element::kUint64: end = put_big_integer(at, load_as(std::uint64_t{})); break;
            case Element::kFloat16: end = put_non_finite(at, num::float_of_f16(load_as(std::uint16_t{}))); break;
            case Element::kFloat32: end = put_non_finite(at, load_as(float{})); break;
            default: end = put_non_finite(at, load_as(double{})); break;
        }
        view.next[inner] += view.run_stride();
        ++view.index[inner];
    }
    return OCIOR_LIKELY(end != nullptr) ? put_item_separator(end) : (note_item(at), nullptr);
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_non_finite(Unit* at, double value) noexcept {
    const Owned number = Owned::steal(PyFloat_FromDouble(value));
    const char* const text = number ? allowed_non_finite_text(call_, number.get(), value) : nullptr;
    return text ? put_ascii(at, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)) : nullptr;
}

// One beyond the range that is allowed, as the int of that value would be written.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Type>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_big_integer(Unit* at, Type value) noexcept {
    const Owned number = Owned::steal(std::is_signed_v<Type> ? PyLong_FromLongLong(static_cast<long long>(value))
                                                             : PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value)));
    return number ? put_scalar(at, json_plan_of(&PyLong_Type), number.get()) : nullptr;
}

}  // namespace ocior::encode
