// What a decoder looks for in text: the end of a string, and of white space. The first vector is looked at inline; functions whose names
// end in _on go on from there.
//
// Input is decoding text: a NUL unit stands at the text's end and kReadSlack readable bytes behind it, so no end is passed.
// A string ends at a quote, a backslash or a control character, hence at the sentinel.
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text {

// Scan<U>{stop, bits}: stop is the first unit that ends the run; bits is the width class of the units before it: the bits 0x80, 0x100 and
// 0x10000 are set where a unit is that large, and no others, so 0 means ASCII.
//
// Utf8Scan{stop, code_points, max_byte}: code_points is the number of bytes before stop that are no continuation bytes; max_byte is the
// class of the largest byte: 0x7F ASCII, 0xC3 Latin-1, 0xEF UCS-2, 0xFF UCS-4.

namespace detail {

// The bits of the lanes below the lowest set bit of `stop`; all bits where stop is 0.
template <typename Bits>
OCIOR_INLINE Bits lanes_before(Bits stop) noexcept {
    return static_cast<Bits>(~stop & (stop - 1));
}

// The width class of the lanes before the lowest bit of `stop`.
template <CodeUnit U>
OCIOR_INLINE std::uint32_t width_before(simd::Vec<U> v, typename simd::Mask<U>::Bits stop) noexcept {
    const auto before = lanes_before(stop);
    if (OCIOR_LIKELY((simd::ge<U>(v, 0x80).bits() & before) == 0)) return 0;
    std::uint32_t width = 0x80;
    if constexpr (sizeof(U) > 1) {
        if ((simd::ge<U>(v, 0x100).bits() & before) != 0) width |= 0x100;
    }
    if constexpr (sizeof(U) > 2) {
        if ((simd::ge<U>(v, 0x10000).bits() & before) != 0) width |= 0x10000;
    }
    return width;
}

// The bits of the lanes that are not JSON white space.
template <CodeUnit U>
OCIOR_INLINE auto non_space_bits(simd::Vec<U> v) noexcept {
    using Bits = typename simd::Mask<U>::Bits;
    if constexpr (sizeof(U) == 1) {
        return static_cast<Bits>(simd::space_lanes(v).bits() ^ simd::Mask<U>::kAll);
    } else {
        const auto spaces = simd::eq<U>(v, ' ') | simd::eq<U>(v, '\t') | simd::eq<U>(v, '\n') | simd::eq<U>(v, '\r');
        return static_cast<Bits>(spaces.bits() ^ simd::Mask<U>::kAll);
    }
}

template <CodeUnit U>
Scan<U> scan_string_on(const U* p, std::uint32_t bits) noexcept;
Utf8Scan scan_string_utf8_on(const std::uint8_t* p, std::size_t code_points) noexcept;
template <CodeUnit U>
const U* skip_whitespace_on(const U* p) noexcept;

}  // namespace detail

// The first unit at or after p that is not JSON white space.
template <CodeUnit U>
OCIOR_INLINE const U* skip_whitespace(const U* p) noexcept {
    if (OCIOR_LIKELY(*p > 0x20)) return p;
    if (*p == ' ' && p[1] > 0x20) return p + 1;
    const auto other = detail::non_space_bits(simd::Vec<U>::load(p));
    if (OCIOR_LIKELY(other != 0)) return p + trailing_zeros(other) / simd::Mask<U>::kBitsPerLane;
    return detail::skip_whitespace_on(p + simd::Vec<U>::kLanes);
}

template <CodeUnit U>
OCIOR_INLINE Scan<U> scan_string(const U* p) noexcept {
    const auto v = simd::Vec<U>::load(p);
    const auto ends = simd::marked_lanes<U>(v);
    const auto stop = ends.bits();
    const std::uint32_t bits = detail::width_before<U>(v, stop);
    if (OCIOR_LIKELY(stop != 0)) return {p + ends.first(), bits};
    return detail::scan_string_on<U>(p + simd::Vec<U>::kLanes, bits);
}

OCIOR_INLINE Utf8Scan scan_string_utf8(const std::uint8_t* p) noexcept {
    using V = simd::Vec<std::uint8_t>;
    const V v = V::load(p);
    const auto ends = simd::marked_lanes<std::uint8_t>(v);
    const auto stop = ends.bits();
    if (OCIOR_LIKELY((simd::ge<std::uint8_t>(v, 0x80).bits() & detail::lanes_before(stop)) == 0)) {
        if (OCIOR_LIKELY(stop != 0)) {
            const unsigned length = ends.first();
            return {p + length, length, 0x7F};
        }
        return detail::scan_string_utf8_on(p + V::kLanes, V::kLanes);
    }
    return detail::scan_string_utf8_on(p, 0);
}

// Scans all of [first, last), whatever is in it: stop is last. kReadSlack bytes behind last are readable.
Utf8Scan measure_utf8(const std::uint8_t* first, const std::uint8_t* last) noexcept;

}  // namespace ocior::text
