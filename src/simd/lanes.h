// The one place that picks the instruction set: Vec<Unit>, Mask<Unit> and the primitives that text kernels are written over.
//
// Every port offers, in namespace ocior::simd:
//   kVecBytes                       bytes per vector
//   Vec<U>                          kLanes, load(p), load_upto(p, n) (1 <= n <= kLanes, exact-size source, lanes from n on hold anything),
//                                   store(p), splat(u), keep_first(n); |, & and ^ of lanes
//   Mask<U>                         any(), none(), first() (lane index; any() holds), lane_bits() (one bit per lane), bits() (the cheapest
//                                   integer form: kBitsPerLane equal bits per lane, kAll); | and & of masks
//   eq(v, u)  lt(v, u)  ge(v, u)    unsigned comparison with one unit (lt: u > 0)
//   lt_signed(v, i)                 bytes below i, all as signed numbers
//   min(v, w)                       the lesser unit of each lane
//   subtract_saturated(v, w)        of bytes; equal_upto(p, q, n): whether n bytes in memory are equal
//   StringHead                      what is looked at first of a string of bytes: Vec<std::uint8_t>, or half of it
//   select(mask, yes, no)  shift_left<k>(v)  shift_right<k>(v)
//   load_widened<U>(p)              a vector of U read from narrower units
//   widen_half(v, i)                the low (0) or high (1) lanes, twice as wide
//   narrow(a, b)                    two vectors of 32-bit lanes below 0x10000 as one of 16-bit lanes
//   store_as(out, v, n)             lanes as units of out, widened, or narrowed where all are known to fit; whole vectors until n are out
//   space_lanes(v)                  JSON white space
//   byte_lanes_of(bits)  lanes_after<k>(v)  hex_values(v, digits)  narrow_saturated(v)  add(v, w): what unescape.h is written over;
//   look_up(table, v)  average(v, w): the same, where there is no compress instruction
// and in its packing header (pack_avx512.h, or pack_shuffle.h over what bytes16_x86.h has), output whose length depends on the lanes:
//   for encoding: short_forms  store_prefixed  store_utf8  store_utf8_run  store_hex_run  store_ascii_mix  each_utf16
//   for decoding: store_kept  store_kept_loosely  store_first  load_utf8_run  store_characters
#pragma once

#include "base/bits.h"
#include "base/config.h"

#if defined(__AVX512VBMI2__)
#include "simd/pack_avx512.h"
#include "simd/port_avx512.h"
#elif defined(__AVX2__)
#include "simd/port_avx2.h"

#include "simd/pack_shuffle.h"
#elif defined(__SSE4_2__)
#include "simd/port_sse42.h"

#include "simd/pack_shuffle.h"
#elif defined(__ARM_NEON)
#include "simd/port_neon.h"

#include "simd/pack_shuffle.h"
#else
#error "ocior needs SSE4.2, AVX2, AVX-512 VBMI2 or NEON"
#endif

namespace ocior::simd {

// The lanes of what JSON escapes, and what ends a run of text in a string: quote, backslash, control characters. Xor with 2 turns the
// quote, 0x22, into 0x20, the neighbour of the control characters, and leaves those among themselves.
template <CodeUnit U>
OCIOR_INLINE Mask<U> marked_lanes(Vec<U> v) noexcept {
    return eq<U>(v, '\\') | lt<U>(v ^ Vec<U>::splat(2), 0x21);
}
// These lanes, and those of bytes that are not ASCII: as signed bytes they are below 0x21 as well.
OCIOR_INLINE Mask<std::uint8_t> marked_or_wide_lanes(Vec<std::uint8_t> v) noexcept {
    return eq<std::uint8_t>(v, '\\') | lt_signed(v ^ Vec<std::uint8_t>::splat(2), 0x21);
}
// Bytes that are 0 in marked lanes (kAscii: also where 0x7F or more stands) and nowhere else. The min of a few such vectors says whether
// any has a marked lane, by one test. (With AVX-512 strings of two to four vectors take 0.93 to 0.98 of the time that AnyMarked needs.)
// The other operands are its constants: vectors of '\\', 2, 0x20 and, if kAscii, 0x7F.
template <bool kAscii>
OCIOR_INLINE Vec<std::uint8_t> zero_where_marked(Vec<std::uint8_t> v, Vec<std::uint8_t> backslash, Vec<std::uint8_t> two,
                                                 Vec<std::uint8_t> space, Vec<std::uint8_t> del) noexcept {
    const Vec<std::uint8_t> plain = min(v ^ backslash, subtract_saturated(v ^ two, space));
    if constexpr (kAscii) return min(plain, subtract_saturated(del, v));
    else return plain;
}
template <bool kAscii = false>
OCIOR_INLINE Vec<std::uint8_t> zero_where_marked(Vec<std::uint8_t> v) noexcept {
    using V = Vec<std::uint8_t>;
    return zero_where_marked<kAscii>(v, V::splat('\\'), V::splat(2), V::splat(0x20), V::splat(0x7F));
}

// Whether any of several vectors, of which there is a first, has a marked lane (kAscii, of bytes: or one of 0x7F or more), by one test for
// all of them.
template <CodeUnit U, bool kAscii = false>
class AnyMarked {
public:
    OCIOR_INLINE explicit AnyMarked(Vec<U> v) noexcept : controls_(without_quotes(v)), backslashes_(without_backslashes(v)), wide_(v) {
        if constexpr (kAscii) wide_ = without_wide(v);
    }
    OCIOR_INLINE void look_at(Vec<U> v) noexcept {
        controls_ = min(controls_, without_quotes(v));
        backslashes_ = min(backslashes_, without_backslashes(v));
        if constexpr (kAscii) wide_ = min(wide_, without_wide(v));
    }
    OCIOR_INLINE bool none() const noexcept {
        if constexpr (sizeof(U) > 1) return (eq<U>(backslashes_, 0) | lt<U>(controls_, 0x21)).none();
        else {
            const Vec<U> least = min(backslashes_, subtract_saturated(controls_, Vec<U>::splat(0x20)));
            return eq<U>(kAscii ? min(least, wide_) : least, 0).none();
        }
    }

private:
    // Units of which control characters and quotes are at most 0x20; backslashes are 0; wide ones are 0.
    static OCIOR_INLINE Vec<U> without_quotes(Vec<U> v) noexcept { return v ^ Vec<U>::splat(2); }
    static OCIOR_INLINE Vec<U> without_backslashes(Vec<U> v) noexcept { return v ^ Vec<U>::splat('\\'); }
    static OCIOR_INLINE Vec<U> without_wide(Vec<U> v) noexcept { return subtract_saturated(Vec<U>::splat(0x7F), v); }

    Vec<U> controls_, backslashes_, wide_;  // the least unit of each lane
};

// Whether the n bytes at a and at b are equal. From a and from b 64 bytes are readable, however small n is.
OCIOR_INLINE bool equal(const void* a, const void* b, std::size_t n) noexcept {
    const auto* p = static_cast<const std::uint8_t*>(a);
    const auto* q = static_cast<const std::uint8_t*>(b);
    if (OCIOR_LIKELY(n <= kVecBytes)) return equal_upto(p, q, n);
    if constexpr (kVecBytes < 32) {
        if (n <= 2 * kVecBytes) return equal_upto(p, q, kVecBytes) && equal_upto(p + n - kVecBytes, q + n - kVecBytes, kVecBytes);
    }
    return std::memcmp(a, b, n) == 0;
}

// A short copy without a call: 16 bytes at a time, the last ones overlapping.
OCIOR_INLINE void copy_exact(void* dst, const void* src, std::size_t byte_len) noexcept {
    auto* to = static_cast<std::uint8_t*>(dst);
    const auto* from = static_cast<const std::uint8_t*>(src);
    if (byte_len >= 16) {
        for (std::size_t i = 0; i < byte_len - 16; i += 16) std::memcpy(to + i, from + i, 16);
        std::memcpy(to + byte_len - 16, from + byte_len - 16, 16);
    } else if (byte_len >= 8) {
        const auto head = load<std::uint64_t>(from), tail = load<std::uint64_t>(from + byte_len - 8);
        store(to, head);
        store(to + byte_len - 8, tail);
    } else if (byte_len >= 4) {
        const auto head = load<std::uint32_t>(from), tail = load<std::uint32_t>(from + byte_len - 4);
        store(to, head);
        store(to + byte_len - 4, tail);
    } else if (byte_len > 0) {
        const std::uint8_t first = from[0], middle = from[byte_len / 2], end = from[byte_len - 1];
        to[0] = first;
        to[byte_len / 2] = middle;
        to[byte_len - 1] = end;
    }
}

}  // namespace ocior::simd
