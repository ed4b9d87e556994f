// What the three kernels that escape share: which lanes want a backslash, and what becomes of them. Included by text/escape*.cpp alone.
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text::detail {

using simd::marked_lanes;

OCIOR_INLINE std::uint64_t lanes_below(std::size_t n) noexcept { return low_bits(static_cast<unsigned>(n)); }

// A block of n lanes is written up to its first hard lane, and that lane's index is returned, or n where it has none. Hard lanes are
// control characters without a short escape, and in UTF-8 surrogates: they are so rare that they are written one at a time.

// The lanes of control characters without a short escape, of units that short_forms() has made.
template <CodeUnit U>
OCIOR_INLINE std::uint64_t hard_lanes(simd::Vec<U> unit, std::size_t n) noexcept {
    return simd::eq<U>(unit, 0).lane_bits() & lanes_below(n);
}

// Writes lanes as they are or, those in `prefixed`, behind a prefix. `unit` holds the letters of short escapes, and 0 in hard lanes.
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
