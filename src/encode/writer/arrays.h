// The arrays of numbers of writer.h: the brackets of nested lists, and the elements that elements.h writes.
#pragma once

#include "encode/arrays/elements.h"
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
            if (has_line && (n > kShortLine || (!kFixed && options_.indent.text.data))) return put_lone_element(at, view, window);
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
    return OCIOR_LIKELY(end != at) ? end : put_lone_element(at, view, window);
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

}  // namespace ocior::encode
