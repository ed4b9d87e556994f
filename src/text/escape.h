// Strings into JSON text: copied, escaped and converted in one pass. Three roads: the characters stay as they are (copy_escaped), become
// ASCII (copy_escaped_ascii), become UTF-8 (copy_escaped_utf8). The quotes around the string are put by the caller.
//
// The source is exactly n units: no load touches a page that holds none of them. The output has room for the longest result, 6 units for
// each unit (12 where units of four bytes become ASCII), and kWriteSlack bytes; whole vectors are stored inside that room.
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text {

namespace detail {
template <bool kAscii, CodeUnit Src, CodeUnit Dst>
std::size_t copy_plain_run_on(Dst* dst, const Src* src, std::size_t n) noexcept;
template <CodeUnit Src, CodeUnit Dst>
Dst* copy_escaped_on(Dst* dst, const Src* src, std::size_t n) noexcept;
// Of n units, no more than a vector, those in `marks` want an escape, and those of them in `hard`, at least one, are control characters
// without a short one.
template <CodeUnit Src, CodeUnit Dst>
Dst* copy_marked_on(Dst* dst, const Src* src, std::size_t n, std::uint64_t marks, std::uint64_t hard) noexcept;
// Writes text in which escapes are likely; n may be any number.
template <CodeUnit Src, CodeUnit Dst>
Dst* copy_with_escapes_on(Dst* dst, const Src* src, std::size_t n) noexcept;
template <CodeUnit Src>
std::uint8_t* copy_escaped_ascii_on(std::uint8_t* dst, const Src* src, std::size_t n) noexcept;
// Functions whose names end in _on are the parts that are not inline: they go on where the inline part ends.

// The inline part of copy_escaped (kAscii: of copy_escaped_ascii) for bytes. Where one vector holds all of them (or two of 16 bytes), they
// are stored as they are. Returns whether that is the text, because none wants an escape: one load, one store, one test.
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
    if (simd::kVecBytes != 16 || n - 1 >= 2 * V::kLanes) return false;
    const V head = V::load(src), tail = V::load(src + n - V::kLanes);  // they may overlap
    head.store(dst);
    tail.store(dst + n - V::kLanes);
    return (marks(head) | marks(tail)).none();
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

// Copies the start of a text that copy_escaped (kAscii: copy_escaped_ascii, of bytes) leaves as it is, up to the first vector that has
// something to escape; of what is no whole vector at the end nothing may be copied. Returns how many units that was. Room for n units and
// kWriteSlack is enough.
template <bool kAscii = false, CodeUnit Src, CodeUnit Dst>
    requires(kAscii ? sizeof(Src) == 1 && sizeof(Dst) == 1 : sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE std::size_t copy_plain_run(Dst* dst, const Src* src, std::size_t n) noexcept {
    return detail::copy_plain_run_on<kAscii>(dst, src, n);
}

// json's ensure_ascii=True: everything outside ' '..'~' as \uxxxx (lower case), beyond the BMP as a surrogate pair.
template <CodeUnit Src>
OCIOR_INLINE std::uint8_t* copy_escaped_ascii(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    if constexpr (sizeof(Src) == 1) {
        if (OCIOR_LIKELY(detail::copy_unmarked<true>(dst, src, n))) return dst + n;
    }
    return detail::copy_escaped_ascii_on<Src>(dst, src, n);
}

// Stores at most a vector of units as they are, or wider. Returns whether that is their text, because none wants an escape.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE bool copy_plain_units(Dst* dst, const Src* src, std::size_t n) noexcept {
    const auto v = simd::Vec<Src>::load_upto(src, n);
    simd::store_as(dst, v, n);
    return (simd::marked_lanes(v).bits() & low_bits(static_cast<unsigned>(n * simd::Mask<Src>::kBitsPerLane))) == 0;
}

// copy_escaped, inline, for one to a vector of units some of which are likely to want an escape.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE Dst* copy_short_escaped(Dst* dst, const Src* src, std::size_t n) noexcept {
    const auto v = simd::Vec<Src>::load_upto(src, n);
    const std::uint64_t lanes = low_bits(static_cast<unsigned>(n)), marks = simd::marked_lanes(v).lane_bits() & lanes;
    const auto unit = simd::short_forms(v);
    const std::uint64_t hard = simd::eq<Src>(unit, 0).lane_bits() & lanes;
    if (OCIOR_UNLIKELY(hard != 0)) return detail::copy_marked_on<Src, Dst>(dst, src, n, marks, hard);
    return simd::store_prefixed<Src, Dst>(dst, unit, simd::Vec<Src>::splat('\\'), marks, n);
}

// The marks of one to a vector of bytes: those that want an escape, and those of them that have no short one.
struct Marks {
    std::uint64_t all, hard;
};

// copy_escaped, inline, for one to a vector of bytes of which some want an escape, if all have a short one; else null. It writes 2 n units
// at most.
OCIOR_INLINE std::uint8_t* copy_shortly_escaped(std::uint8_t* dst, const std::uint8_t* src, std::size_t n, Marks& marks) noexcept {
    using V = simd::Vec<std::uint8_t>;
    const V v = V::load_upto(src, n), unit = simd::short_forms(v);
    const std::uint64_t lanes = low_bits(static_cast<unsigned>(n));
    marks = {simd::marked_lanes(v).lane_bits() & lanes, simd::eq<std::uint8_t>(unit, 0).lane_bits() & lanes};
    if (OCIOR_UNLIKELY(marks.hard != 0)) return nullptr;
    return simd::store_prefixed<std::uint8_t, std::uint8_t>(dst, unit, V::splat('\\'), marks.all, n);
}
// Writes the bytes for which copy_shortly_escaped() has returned null. `marks` are those that it has found.
OCIOR_INLINE std::uint8_t* copy_marked(std::uint8_t* dst, const std::uint8_t* src, std::size_t n, Marks marks) noexcept {
    return detail::copy_marked_on<std::uint8_t, std::uint8_t>(dst, src, n, marks.all, marks.hard);
}

// copy_escaped, inline, for 1 to 256 units of which some may want an escape. `may_be_plain` is false where one of the last vector is known
// to, which saves a test.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE Dst* copy_few_escaped(Dst* dst, const Src* src, std::size_t n, bool may_be_plain = true) noexcept {
    using V = simd::Vec<Src>;
    // Unless escapes are said to be rare, GCC loads before the loop, for every string, the constants that they need.
    constexpr double kPlain = sizeof(Src) == 1 ? 0.9 : 0.99;
    for (; n > V::kLanes; n -= V::kLanes, src += V::kLanes) {
        const V v = V::load(src);
        const auto marks = simd::marked_lanes(v);
        if (__builtin_expect_with_probability(marks.none(), 1, kPlain)) {
            simd::store_as<Src, Dst>(dst, v);
            dst += V::kLanes;
        } else {
            const auto unit = simd::short_forms(v);
            if (OCIOR_UNLIKELY(!simd::eq<Src>(unit, 0).none())) return detail::copy_with_escapes_on<Src, Dst>(dst, src, n);
            dst = simd::store_prefixed<Src, Dst>(dst, unit, V::splat('\\'), marks.lane_bits(), V::kLanes);
        }
    }
    if (OCIOR_LIKELY(may_be_plain && copy_plain_units(dst, src, n))) return dst + n;
    return copy_short_escaped(dst, src, n);
}

// Copies the start of a byte string of some vectors, kPlainHead < n <= kMostPlain, that copy_escaped (kAscii: copy_escaped_ascii) leaves as
// it is. Returns how many units that was: n, or 0, kPlainHead or kMostPlain / 2 where one that wants an escape stands behind these. How
// many vectors are copied depends on n by a single branch: the loop that stops at n ends with one that is mispredicted for most strings. A
// group of vectors that would lie across the end lies before it, over what has been copied already. Each of the three parts has one test.
// The test of the head tells most texts with escapes from those without, before more is copied in vain.
inline constexpr std::size_t kPlainHead = simd::kVecBytes < 32 ? 32 : simd::kVecBytes;
inline constexpr std::size_t kMostPlain = 256;
template <bool kAscii>
OCIOR_INLINE std::size_t copy_some_plain(std::uint8_t* dst, const std::uint8_t* src, std::size_t n) noexcept {
    using V = simd::Vec<std::uint8_t>;
    constexpr std::size_t kGroup = kPlainHead, kMiddle = kMostPlain / 2;
    const auto copy_vector = [=](std::size_t at) OCIOR_INLINE_LAMBDA {
        const V v = V::load(src + at);
        v.store(dst + at);
        return simd::zero_where_marked<kAscii>(v);
    };
    const auto copy_group = [=](std::size_t at) OCIOR_INLINE_LAMBDA {
        V joined = copy_vector(at);
        for (std::size_t i = V::kLanes; i < kGroup; i += V::kLanes) joined = min(joined, copy_vector(at + i));
        return joined;
    };
    const auto is_plain = [](V joined) OCIOR_INLINE_LAMBDA { return OCIOR_LIKELY(simd::eq<std::uint8_t>(joined, 0).none()); };
    if (!is_plain(copy_group(0))) return 0;
    const std::size_t last = n - kGroup;
    V joined = copy_group(kGroup < last ? kGroup : last);
    for (std::size_t i = 2 * kGroup; i < kMiddle; i += kGroup) joined = min(joined, copy_group(i < last ? i : last));
    if (!is_plain(joined)) return kGroup;
    if (n <= kMiddle) return n;
    joined = copy_group(n - kMiddle);
    for (std::size_t i = kGroup; i < kMiddle; i += kGroup) joined = min(joined, copy_group(n - kMiddle + i));
    return is_plain(joined) ? n : kMiddle;
}

// copy_escaped for text in which an escape is known to be.
template <CodeUnit Src, CodeUnit Dst>
    requires(sizeof(Dst) >= sizeof(Src))
OCIOR_INLINE Dst* copy_with_escapes(Dst* dst, const Src* src, std::size_t n) noexcept {
    return detail::copy_with_escapes_on<Src, Dst>(dst, src, n);
}

// Stores one to a vector of UCS-2 units as UTF-8 if all of them take three bytes each, or all take two; else returns null.
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

// Stores at most kShortUtf8 units as UTF-8 if none of them wants an escape or is a surrogate; else returns null.
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

// Text (Latin-1, UCS-2 or UCS-4, by the width of its units) to escaped UTF-8. In the result, stop is src + n, or a surrogate, which has no
// UTF-8; what is before it has been written.
template <CodeUnit Src>
Utf8Copy<Src> copy_escaped_utf8(std::uint8_t* dst, const Src* src, std::size_t n) noexcept;

}  // namespace ocior::text
