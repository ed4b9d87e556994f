// Copies from code units of one width to another, and how wide the units of a string are. Nothing outside of the n units is written;
// what is read outside of them lies in a page that holds one of them.
#pragma once

#include "base/copy.h"
#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text {

namespace detail {
template <CodeUnit Src, CodeUnit Dst>
void convert_on(Dst* dst, const Src* src, std::size_t n) noexcept;
}

// Widens, or narrows units that are known to fit.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void convert(Dst* dst, const Src* src, std::size_t n) noexcept {
    if constexpr (sizeof(Src) == sizeof(Dst)) copy_block(dst, src, n * sizeof(Src));
    else detail::convert_on<Src, Dst>(dst, src, n);
}

// Widens n units in the block in which they lie: `dst` is not before `src`, and no unit is overwritten before it has been read.
template <CodeUnit Src, CodeUnit Dst>
void widen_within(Dst* dst, const Src* src, std::size_t n) noexcept;

// The units or'ed together.
template <CodeUnit U>
std::uint32_t or_of(const U* p, std::size_t n) noexcept;

}  // namespace ocior::text
