// The start of an indented line, where it is short: what pretty output has between any two items.
#pragma once

#include "simd/lanes.h"

namespace ocior::encode {

inline constexpr std::size_t kShortLine = 32;  // units of indentation that are put down at once

// A new line and `count` units of `fill`, at most kShortLine; 1 + kShortLine units are stored.
template <CodeUnit Unit>
OCIOR_INLINE Unit* put_short_line(Unit* at, simd::Vec<Unit> fill, std::size_t count) noexcept {
    constexpr std::size_t kLanes = simd::Vec<Unit>::kLanes, kStep = kLanes < kShortLine ? kLanes : kShortLine;
    for (std::size_t i = 0; i < kShortLine; i += kStep) fill.store(at + 1 + i);
    *at = '\n';
    return at + 1 + count;
}

}  // namespace ocior::encode
