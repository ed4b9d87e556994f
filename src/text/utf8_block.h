// A vector of UTF-8: bit masks that tell whether it is well formed, and its characters as units. utf8.cpp goes through a text with it,
// decode/ takes short strings with it.
//
// Each byte is transcoded as if a character began there, with the bytes that follow it; then the lanes in which one does begin are kept.
// Whether lead and continuation bytes fit is checked on bit masks, overlong forms on the values.
//
// (Other transcoders shuffle whole characters by tables indexed by length patterns: Lemire and Mula, "Transcoding billions of Unicode
// characters per second with SIMD instructions". Here no step waits for the length of the character before it.)
#pragma once

#include "simd/lanes.h"
#include "text/scalar.h"

namespace ocior::text::detail {

using V8 = simd::Vec<std::uint8_t>;
using V16 = simd::Vec<std::uint16_t>;

// Which of some lanes of a vector of UTF-8 are bytes that are not ASCII, which of these lead a character, which lead one of three bytes or
// more, and which lead one of four or more.
struct Utf8Lanes {
    std::uint64_t high, lead, three, four;

    OCIOR_INLINE Utf8Lanes(V8 v, std::uint64_t lanes) noexcept
        : high(at_least(v, 0x80) & lanes),
          lead(at_least(v, 0xC0) & lanes),
          three(at_least(v, 0xE0) & lanes),
          four(at_least(v, 0xF0) & lanes) {}

    // The lanes that have to be continuation bytes, where no character goes on past the vector.
    OCIOR_INLINE std::uint64_t continuations() const noexcept { return lead << 1 | three << 2 | four << 3; }
    // Whether just these lanes are continuation bytes, and no C0 or C1 leads. Overlong forms of three or four bytes and code points that
    // are too large are not found.
    OCIOR_INLINE bool are_whole(V8 v) const noexcept {
        return continuations() == (high & ~lead) && (simd::lt<std::uint8_t>(v, 0xC2).lane_bits() & lead) == 0;
    }

    // Whether whole characters have an overlong form of three or four bytes, or a code point above 0x10FFFF.
    OCIOR_INLINE bool have_bad_values(V8 v) const noexcept {
        const auto behind = [v](std::uint8_t lead) { return simd::eq<std::uint8_t>(v, lead).lane_bits() << 1; };
        std::uint64_t bad = behind(0xE0) & ~at_least(v, 0xA0);
        if (four != 0) bad |= (behind(0xF0) & ~at_least(v, 0x90)) | (behind(0xF4) & at_least(v, 0x90)) | at_least(v, 0xF5);
        return (bad & high) != 0;
    }

    // Cuts n where the last character goes on past the first n bytes: it waits for the next block. Returns whether the remaining characters
    // are whole; also false if `are_last`, when such a character is truncated.
    OCIOR_INLINE bool cut_to_whole(V8 v, std::size_t& n, bool are_last) noexcept {
        const std::uint64_t valid = low_bits(static_cast<unsigned>(n));
        const std::uint64_t split = (lead & ~(valid >> 1)) | (three & ~(valid >> 2)) | (four & ~(valid >> 3));
        if (split != 0) {
            if (are_last) return false;
            n = trailing_zeros(split);
            limit_to(low_bits(static_cast<unsigned>(n)));
        }
        return are_whole(v);
    }

    OCIOR_INLINE void limit_to(std::uint64_t lanes) noexcept { high &= lanes, lead &= lanes, three &= lanes, four &= lanes; }

    static OCIOR_INLINE std::uint64_t at_least(V8 v, std::uint8_t byte) noexcept { return simd::ge<std::uint8_t>(v, byte).lane_bits(); }
};

// Characters from one vector, none of them cut: the n bytes at p, and the lanes where those of three bytes or more, those of four, and any
// begin.
struct Utf8Block {
    const std::uint8_t* p;
    std::size_t n;
    std::uint64_t three, four, begins;
};

// Characters of one or two bytes, as Latin-1. False where one is beyond it; lead bytes C0 and C1 must have been excluded.
OCIOR_INLINE bool transcode_latin1(std::uint8_t*& dst, const Utf8Block& block, V8 v) noexcept {
    if ((simd::ge<std::uint8_t>(v, 0xC4).lane_bits() & block.begins) != 0) return false;
    const V8 next = V8::load(block.p + 1);
    const V8 unit =
        simd::select(simd::eq<std::uint8_t>(v, 0xC3), next | V8::splat(0x40), simd::select(simd::eq<std::uint8_t>(v, 0xC2), next, v));
    dst = simd::store_kept<std::uint8_t, std::uint8_t>(dst, unit, block.begins);
    return true;
}

// Characters of one to three bytes, as units of Dst. False where one has an overlong form.
template <CodeUnit Dst>
OCIOR_INLINE bool transcode_bmp(Dst*& dst, const Utf8Block& block) noexcept {
    constexpr std::size_t kLanes = V16::kLanes;
    const V16 tail = V16::splat(0x3F);
    for (std::size_t i = 0; i < block.n; i += kLanes) {
        const std::uint8_t* p = block.p + i;
        const std::uint64_t begins = block.begins >> i & low_bits(kLanes);
        const V16 first = simd::load_widened<std::uint16_t>(p);
        const V16 two = simd::shift_left<6>(first) | (simd::load_widened<std::uint16_t>(p + 1) & tail);
        V16 unit = simd::select(simd::ge<std::uint16_t>(first, 0xC0), two & V16::splat(0x7FF), first);
        if (block.three != 0) {
            const V16 three = simd::shift_left<6>(two) | (simd::load_widened<std::uint16_t>(p + 2) & tail);
            const auto is_three = simd::ge<std::uint16_t>(first, 0xE0);
            if (((is_three & simd::lt<std::uint16_t>(three, 0x800)).lane_bits() & begins) != 0) return false;
            unit = simd::select(is_three, three, unit);
        }
        dst = simd::store_kept<std::uint16_t, Dst>(dst, unit, begins);
    }
    return true;
}

// Puts at `out` what transcode(end) writes, moving `end` on, and not a byte behind that. kMost units have room for it and for the whole
// vectors that it stores. Returns the end, or null where transcode() returns false.
template <std::size_t kMost, CodeUnit Dst, typename Transcode>
OCIOR_INLINE Dst* write_exactly(Dst* out, Transcode transcode) noexcept {
    if constexpr (simd::kExactStores) {
        return transcode(out) ? out : nullptr;
    } else {
        Dst units[kMost];
        Dst* end = units;
        if (!transcode(end)) return nullptr;
        const auto count = static_cast<std::size_t>(end - units);
        simd::copy_exact(out, units, count * sizeof(Dst));
        return out + count;
    }
}

}  // namespace ocior::text::detail
