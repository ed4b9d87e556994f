#include "decode/errors/place.h"

#include "decode/errors/columns.h"

namespace ocior::decode {
namespace {

constexpr std::size_t kShown = 80;           // code points of a line, the marks of a cut included
constexpr char kCut[] = "...";
constexpr std::size_t kRoom = kShown - 2 * (sizeof kCut - 1);
constexpr std::size_t kBehind = 30;          // of a line cut on both sides: so many from the place on

constexpr std::uint32_t kWideSpace = 0x3000;  // ideographic space: as wide as what stands above it

// Something of one line that any terminal shows, for any code point.
std::uint32_t shown(std::uint32_t code_point) noexcept {
    if (Py_UNICODE_ISPRINTABLE(code_point)) return code_point;
    if (code_point == kWideSpace) return code_point;
    return code_point < 0x20 || code_point == 0x7f || Py_UNICODE_ISSPACE(code_point) ? ' ' : 0xFFFD;
}

// Whether all of the units are shown as they are, in one column each.
template <typename Unit>
bool are_plain(const Unit* units, std::size_t n) noexcept {
    bool are = true;
    for (std::size_t i = 0; i < n; ++i) are &= units[i] >= ' ' && units[i] < 0x7f;
    return are;
}

bool is_break(std::uint32_t unit) noexcept { return unit == '\n' || unit == '\r'; }

// The place itself, but for the end of a document whose last line is blank: then the end of what stands before it.
template <typename Unit>
std::size_t place_to_show(const Unit* units, std::size_t length, std::size_t offset) noexcept {
    if (offset < length) return offset;
    std::size_t behind = offset;
    bool is_blank_line = false;
    for (; behind > 0 && (is_break(units[behind - 1]) || units[behind - 1] == ' ' || units[behind - 1] == '\t'); --behind)
        is_blank_line |= is_break(units[behind - 1]);
    return is_blank_line ? behind : offset;
}

template <typename Unit>
void add_snippet_of(Line& text, Line& caret, const Unit* units, std::size_t length, std::size_t offset) noexcept {
    offset = place_to_show(units, length, offset);
    // The line, as far as it could be shown.
    std::size_t first = offset, last = offset;
    while (first > 0 && offset - first <= kShown && !is_break(units[first - 1])) --first;
    while (last < length && last - offset <= kShown && !is_break(units[last])) ++last;
    if (last - first > kShown) {
        const std::size_t behind = last - offset < kBehind ? last - offset : kBehind;
        const std::size_t before = offset - first < kRoom - behind ? offset - first : kRoom - behind;
        first = offset - before;
        if (last - first > kRoom) last = first + kRoom;
    }
    if (first > 0 && !is_break(units[first - 1])) {
        text.add(kCut);
        caret.add_spaces(sizeof kCut - 1);
    }
    if (are_plain(units + first, last - first)) {
        text.add_ascii(units + first, last - first);
        caret.add_spaces(offset - first);
    } else {
        for (std::size_t i = first; i < last; ++i) {
            const std::uint32_t code_point = shown(units[i]);
            text.add(code_point);
            if (i >= offset) continue;
            const unsigned columns = columns_of(code_point);
            if (columns) caret.add(columns == 2 ? kWideSpace : ' ');
        }
    }
    if (last < length && !is_break(units[last])) text.add(kCut);
    caret.add('^');
}

}  // namespace

void add_snippet(Line& text, Line& caret, const StrView& document, std::size_t offset) noexcept {
    const auto add = [&](const auto* units) { add_snippet_of(text, caret, units, document.length, offset); };
    if (document.width == 1) add(static_cast<const std::uint8_t*>(document.data));
    else if (document.width == 2) add(static_cast<const std::uint16_t*>(document.data));
    else add(static_cast<const std::uint32_t*>(document.data));
}

}  // namespace ocior::decode
