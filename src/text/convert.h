// Copies between code-unit widths, and the widest unit of a string. Exact-size: no access outside the n units of either side
// (reads may over-read within a page).
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text {

namespace detail {
template <CodeUnit Src, CodeUnit Dst>
void convert_on(Dst* dst, const Src* src, std::size_t n) noexcept;
}

// Widens or narrows (values known to fit).
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void convert(Dst* dst, const Src* src, std::size_t n) noexcept {
    if constexpr (sizeof(Src) == sizeof(Dst)) std::memcpy(dst, src, n * sizeof(Src));
    else detail::convert_on<Src, Dst>(dst, src, n);
}

// Widens n units in one block of memory: `dst` is not before `src`, and what it overwrites of them has been read by then.
template <CodeUnit Src, CodeUnit Dst>
void widen_within(Dst* dst, const Src* src, std::size_t n) noexcept;

// The units or'ed together.
template <CodeUnit U>
std::uint32_t or_of(const U* p, std::size_t n) noexcept;

}  // namespace ocior::text
