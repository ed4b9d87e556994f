#include "decode/place.h"

#include "decode/columns.h"
#include "decode/line.h"

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

template <typename Unit>
Snippet snippet_in(const Unit* units, std::size_t length, std::size_t offset) noexcept {
    const auto is_break = [](std::uint32_t unit) { return unit == '\n' || unit == '\r'; };
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
    Line text, caret;
    if (first > 0 && !is_break(units[first - 1])) {
        text.add(kCut);
        for (std::size_t i = 0; i < sizeof kCut - 1; ++i) caret.add(' ');
    }
    for (std::size_t i = first; i < last; ++i) {
        const std::uint32_t code_point = shown(units[i]);
        text.add(code_point);
        if (i >= offset) continue;
        const unsigned columns = columns_of(code_point);
        if (columns) caret.add(columns == 2 ? kWideSpace : ' ');
    }
    if (last < length && !is_break(units[last])) text.add(kCut);
    caret.add('^');
    return {text.finish(), caret.finish()};
}

}  // namespace

Snippet snippet_of(const StrView& document, std::size_t offset) noexcept {
    if (document.width == 1) return snippet_in(static_cast<const std::uint8_t*>(document.data), document.length, offset);
    if (document.width == 2) return snippet_in(static_cast<const std::uint16_t*>(document.data), document.length, offset);
    return snippet_in(static_cast<const std::uint32_t*>(document.data), document.length, offset);
}

}  // namespace ocior::decode
