// What the three escaping kernels share: which lanes need a backslash, and what becomes of them. Internal to text/escape*.cpp.
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text::detail {

using simd::marked_lanes;

OCIOR_INLINE std::uint64_t lanes_below(std::size_t n) noexcept { return low_bits(static_cast<unsigned>(n)); }

// A block of n lanes is written up to the first lane that it cannot handle, and that lane's index is returned (n: the whole block).
// Such "hard" lanes are control characters without a short form and lone surrogates: rare enough to be finished one at a time.

// Among lanes whose short escapes have become letters: the control characters that have none.
template <CodeUnit U>
OCIOR_INLINE std::uint64_t hard_lanes(simd::Vec<U> unit, std::size_t n) noexcept {
    return simd::eq<U>(unit, 0).lane_bits() & lanes_below(n);
}

// Lanes that are written as they are or behind a prefix: `unit` has the short escapes' letters in it and 0 in hard lanes.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE std::size_t write_prefixed(Dst*& dst, simd::Vec<Src> unit, simd::Vec<Src> prefix, std::uint64_t prefixed,
                                        std::size_t n) noexcept {
    const std::uint64_t hard = hard_lanes(unit, n);
    if (OCIOR_UNLIKELY(hard != 0)) {
        n = trailing_zeros(hard);
        if (n == 0) return 0;
        prefixed &= lanes_below(n);
    }
    dst = simd::store_prefixed<Src, Dst>(dst, unit, prefix, prefixed, n);
    return n;
}

}  // namespace ocior::text::detail
