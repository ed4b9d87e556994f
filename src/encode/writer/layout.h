// The arrays of writer.h that are short enough for one line, where values have lines of their own: they are written so, too, and joined
// when they end, because only then their length is known.
#pragma once

#include "encode/writer/writer.h"

namespace ocior::encode {

// Calls act(item, end) for the text of each item of the array that starts at `first` and goes on up to `end`, where it holds no line but
// those before its items: bracket, line, item, separator, line, item. Ends where act returns false.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Act>
OCIOR_INLINE void Writer<mode, Unit, spacing>::for_each_item(Unit* first, Unit* end, Act act) const noexcept {
    const Indent& indent = options_.indent;
    const std::size_t line = 1 + call_.level * (indent.text.data ? indent.text.length : indent.count);
    const std::size_t separator = options_.item.length, line_end = line_end_in(options_.item);
    for (Unit* item = first + 1 + line; item < end;) {
        Unit* const mark = std::find(item, end, static_cast<Unit>('\n'));
        Unit* const behind = mark == end ? end : mark - line_end;
        if (!act(item, behind)) return;
        item = mark == end ? end : behind + separator + line;
    }
}

// The first line end in a separator; its length where there is none.
template <Mode mode, CodeUnit Unit, Spacing spacing>
std::size_t Writer<mode, Unit, spacing>::line_end_in(const Separator& separator) noexcept {
    const void* const text = separator.data ? separator.data : &separator.word;
    const auto find = [&]<typename Of>(const Of* units) {
        return static_cast<std::size_t>(std::find(units, units + separator.length, static_cast<Of>('\n')) - units);
    };
    if (separator.width == 1) return find(static_cast<const std::uint8_t*>(text));
    return separator.width == 2 ? find(static_cast<const std::uint16_t*>(text)) : find(static_cast<const std::uint32_t*>(text));
}

// How long the array is on one line, where its items are followed by the separator and one space at least; more than `most` where that is
// enough to know.
template <Mode mode, CodeUnit Unit, Spacing spacing>
std::size_t Writer<mode, Unit, spacing>::length_on_one_line(Unit* first, Unit* end, std::size_t most) const noexcept {
    const std::size_t between = options_.item.length + !ends_with_space(options_.item);
    std::size_t length = 2, next = 0;
    for_each_item(first, end, [&](const Unit* item, const Unit* behind) {
        length += next + static_cast<std::size_t>(behind - item);
        next = between;
        return length <= most;
    });
    return length;
}

// The end of the list that has been written up to its last item, on one line; null where it stays as it is.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::join_list(Unit* at, bool has_items) noexcept {
    Unit* const first = base_ + std::exchange(call_.flat_list, Call::kNoList);
    if (!has_items || length_on_one_line(first, at, options_.short_arrays) > options_.short_arrays) return nullptr;
    const std::size_t separator = options_.item.length;
    const bool wants_space = !ends_with_space(options_.item);
    Unit* to = first + 1;
    // What is written never gets to where the next item is read: there is a line, of one unit at least, before each.
    for_each_item(first, at, [&](Unit* item, Unit* behind) {
        const std::size_t n = static_cast<std::size_t>(behind - item) + (behind == at ? 0 : separator);
        std::memmove(to, item, n * sizeof(Unit));
        to += n;
        if (behind != at && wants_space) to = put(to, ' ');
        return true;
    });
    note_item(to);
    return to;
}

// Whether the list that has been written up to `at` may be joined when it ends, so that it is not to be handed over before. (The last item
// may have its separator behind it already.)
template <Mode mode, CodeUnit Unit, Spacing spacing>
bool Writer<mode, Unit, spacing>::may_be_joined(Unit* at) noexcept {
    if (call_.flat_list == Call::kNoList) return false;
    const std::size_t most = options_.short_arrays + options_.item.length;
    if (length_on_one_line(base_ + call_.flat_list, at, most) <= most) return true;
    call_.flat_list = Call::kNoList;
    return false;
}

}  // namespace ocior::encode
