// Strings into JSON text: copy, escape and convert in one pass. Three roads: keep the text's own characters (copy_escaped), ASCII only
// (copy_escaped_ascii), UTF-8 (copy_escaped_utf8). The quotes around the string are the caller's.
//
// The source is exactly n units: no load touches a page without a byte of it. The output has room for the longest result,
// 6 units per unit (copy_escaped), 6 bytes per unit or 12 per u32 unit (ascii), 6 bytes per unit (utf8), plus kWriteSlack bytes; whole
// vectors are stored inside that room.
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text {

namespace detail {
template <CodeUnit Src, CodeUnit Dst>
std::size_t copy_plain_run_on(Dst* dst, const Src* src, std::size_t n) noexcept;
template <CodeUnit Src, CodeUnit Dst>
Dst* copy_escaped_on(Dst* dst, const Src* src, std::size_t n) noexcept;
template <CodeUnit Src>
std::uint8_t* copy_escaped_ascii_on(std::uint8_t* dst, const Src* src, std::size_t n) noexcept;
// One to two vectors of units, the second of which may overlap the first, stored as they are; whether `marks(vector)` has none in either.
template <CodeUnit Unit, typename Marks>
OCIOR_INLINE bool copy_two(Unit* dst, const Unit* src, std::size_t n, Marks marks) noexcept {
    using V = simd::Vec<Unit>;
    const V head = V::load(src), tail = V::load(src + n - V::kLanes);
    head.store(dst);
    tail.store(dst + n - V::kLanes);
    return (marks(head) | marks(tail)).none();
}

// The short case of both: n bytes in one vector (two of 16 bytes) are stored as they are, and that was right when none is marked: one load,
// one store, one test. kWriteSlack covers the whole store.
template <bool kAscii>
OCIOR_INLINE bool copy_unmarked(std::uint8_t* dst, const std::uint8_t* src, std::size_t n) noexcept {
    using V = simd::Vec<std::uint8_t>;
    const auto marks = [](V v) {
        const auto m = simd::marked_lanes(v);
        if constexpr (kAscii) return m | simd::ge<std::uint8_t>(v, 0x7F);
        else return m;
    };
    if (OCIOR_LIKELY(n - 1 < V::kLanes)) {
        const V v = V::load_upto(src, n);
        v.store(dst);
        return (marks(v).bits() & low_bits(static_cast<unsigned>(n * simd::Mask<std::uint8_t>::kBitsPerLane))) == 0;
    }
    return simd::kVecBytes == 16 && n - 1 < 2 * V::kLanes && copy_two(dst, src, n, marks);
}

}  // namespace detail

// json's ensure_ascii=False: \" \\ \b \f \n \r \t, the other control characters as \u00xx, everything else as it is.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE Dst* copy_escaped(Dst* dst, const Src* src, std::size_t n) noexcept {
    if constexpr (sizeof(Dst) == 1) {
        if (OCIOR_LIKELY(detail::copy_unmarked<false>(dst, src, n))) return dst + n;
    }
    return detail::copy_escaped_on<Src, Dst>(dst, src, n);
}

// The start of a text that copy_escaped leaves as it is, up to the vector of units that has something to escape in it or lies across the
// end; how many units that was. Room for n units and kWriteSlack is enough.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE std::size_t copy_plain_run(Dst* dst, const Src* src, std::size_t n) noexcept {
    return detail::copy_plain_run_on<Src, Dst>(dst, src, n);
}

// json's ensure_ascii=True: everything outside ' '..'~' as \uxxxx (lower case), beyond the BMP as a surrogate pair.
template <CodeUnit Src>
OCIOR_INLINE std::uint8_t* copy_escaped_ascii(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    if constexpr (sizeof(Src) == 1) {
        if (OCIOR_LIKELY(detail::copy_unmarked<true>(dst, src, n))) return dst + n;
    }
    return detail::copy_escaped_ascii_on<Src>(dst, src, n);
}

// At most a vector of units, stored as they are, or wider; whether that was right: nothing in them wants an escape.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE bool copy_plain_units(Dst* dst, const Src* src, std::size_t n) noexcept {
    const auto v = simd::Vec<Src>::load_upto(src, n);
    simd::store_as(dst, v, n);
    return (simd::marked_lanes(v).bits() & low_bits(static_cast<unsigned>(n * simd::Mask<Src>::kBitsPerLane))) == 0;
}

// What copy_escaped writes of one to a vector of units, in line, for units of which some are likely to want an escape; null when a control
// character among them has no short one.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE Dst* copy_short_escaped(Dst* dst, const Src* src, std::size_t n) noexcept {
    const auto v = simd::Vec<Src>::load_upto(src, n);
    const std::uint64_t lanes = low_bits(static_cast<unsigned>(n)), marks = simd::marked_lanes(v).lane_bits() & lanes;
    const auto unit = simd::short_forms(v);
    if (OCIOR_UNLIKELY((simd::eq<Src>(unit, 0).lane_bits() & lanes) != 0)) return nullptr;
    return simd::store_prefixed<Src, Dst>(dst, unit, simd::Vec<Src>::splat('\\'), marks, n);
}

// One to two vectors of units, stored as they are; whether that was right: nothing in them wants an escape.
template <CodeUnit Unit>
OCIOR_INLINE bool copy_plain_two(Unit* dst, const Unit* src, std::size_t n) noexcept {
    return detail::copy_two(dst, src, n, [](simd::Vec<Unit> v) OCIOR_INLINE_LAMBDA { return simd::marked_lanes(v); });
}

// copy_escaped in line, for one to some hundred units of which some may want an escape. (Tried and lost: two to four vectors of wide
// units, or four of bytes, the last ones overlapping, under one test. Plain strings gain up to 1.2 of the speed by that, but those with
// escapes fall to 0.6 to 0.9.)
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE Dst* copy_few_escaped(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    // GCC makes ready what the escapes want before the loop, for every string, unless they are said to be rare.
    constexpr double kPlain = sizeof(Src) == 1 ? 0.9 : 0.99;
    for (; n > V::kLanes; n -= V::kLanes, src += V::kLanes) {
        const V v = V::load(src);
        const auto marks = simd::marked_lanes(v);
        if (__builtin_expect_with_probability(marks.none(), 1, kPlain)) {
            simd::store_as<Src, Dst>(dst, v);
            dst += V::kLanes;
        } else {
            const auto unit = simd::short_forms(v);
            if (OCIOR_UNLIKELY(!simd::eq<Src>(unit, 0).none())) return detail::copy_escaped_on<Src, Dst>(dst, src, n);
            dst = simd::store_prefixed<Src, Dst>(dst, unit, V::splat('\\'), marks.lane_bits(), V::kLanes);
        }
    }
    if (OCIOR_LIKELY(copy_plain_units(dst, src, n))) return dst + n;
    Dst* const end = copy_short_escaped(dst, src, n);
    return OCIOR_LIKELY(end != nullptr) ? end : detail::copy_escaped_on<Src, Dst>(dst, src, n);
}

// One to a vector of UCS-2 units, in UTF-8 if each of them takes three bytes, or each takes two; else null.
OCIOR_INLINE std::uint8_t* copy_even_utf8(std::uint8_t* dst, const std::uint16_t* src, std::size_t n) noexcept {
    using V = simd::Vec<std::uint16_t>;
    const V v = V::load_upto(src, n), high = v & V::splat(0xF800);
    const std::uint64_t all = low_bits(static_cast<unsigned>(n * simd::Mask<std::uint16_t>::kBitsPerLane));
    const auto low = simd::eq<std::uint16_t>(high, 0);
    if (((low | simd::eq<std::uint16_t>(high, 0xD800)).bits() & all) == 0) return simd::store_utf8_run(dst, v, n);
    const auto ascii = simd::eq<std::uint16_t>(v & V::splat(0xFF80), 0);
    if (((low.bits() ^ ascii.bits()) & all) != all) return nullptr;
    const V pairs = simd::shift_right<6>(v) | simd::shift_left<8>(v & V::splat(0x3F)) | V::splat(0x80C0);
    pairs.store(dst);
    return dst + 2 * n;
}

// At most kShortUtf8 units of any kind, in UTF-8 if nothing in them wants an escape and none is a surrogate; else null.
inline constexpr std::size_t kShortUtf8 = simd::Vec<std::uint32_t>::kLanes;
template <CodeUnit Src>
OCIOR_INLINE std::uint8_t* copy_short_utf8(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<std::uint32_t>;
    const auto units = simd::Vec<Src>::load_upto(src, n);
    V c;
    if constexpr (sizeof(Src) == 1) c = simd::widen_half(simd::widen_half(units, 0), 0);
    else if constexpr (sizeof(Src) == 2) c = simd::widen_half(units, 0);
    else c = units;
    const auto marks = simd::marked_lanes(c), surrogates = simd::eq<std::uint32_t>(c & V::splat(0xFFFFF800), 0xD800);
    if (((marks | surrogates).bits() & low_bits(static_cast<unsigned>(n * simd::Mask<std::uint32_t>::kBitsPerLane))) != 0) return nullptr;
    return simd::store_utf8<false>(dst, c, c, marks, n);
}

// Code points (u8 is Latin-1, u16 UCS-2) to escaped UTF-8. stop is src + n, or the lone surrogate that has no UTF-8; what is before
// it has been written.
template <CodeUnit Src>
Utf8Copy<Src> copy_escaped_utf8(std::uint8_t* dst, const Src* src, std::size_t n) noexcept;

}  // namespace ocior::text
