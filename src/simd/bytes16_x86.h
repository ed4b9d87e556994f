// 16 bytes in a register of x86: what packing by shuffles (pack_shuffle.h) is written over. Used by the SSE4.2 and AVX2 ports.
#pragma once

#include <nmmintrin.h>

#include "base/bits.h"
#include "base/config.h"

namespace ocior::simd {

using Bytes16 = __m128i;

OCIOR_INLINE Bytes16 load16(const void* p) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }
OCIOR_INLINE Bytes16 load8(const void* p) noexcept { return _mm_loadl_epi64(static_cast<const __m128i*>(p)); }
OCIOR_INLINE void store16(void* p, Bytes16 x) noexcept { _mm_storeu_si128(static_cast<__m128i*>(p), x); }
OCIOR_INLINE void store8(void* p, Bytes16 x) noexcept { _mm_storel_epi64(static_cast<__m128i*>(p), x); }
OCIOR_INLINE Bytes16 lookup16(Bytes16 table, Bytes16 index) noexcept { return _mm_shuffle_epi8(table, index); }
// The low 8 bytes of a and of b; the high 8 bytes of a and of b.
OCIOR_INLINE Bytes16 low_halves(Bytes16 a, Bytes16 b) noexcept { return _mm_unpacklo_epi64(a, b); }
OCIOR_INLINE Bytes16 high_halves(Bytes16 a, Bytes16 b) noexcept { return _mm_unpackhi_epi64(a, b); }
// The 16-bit lanes of a and of b, all below 0x100, as bytes.
OCIOR_INLINE Bytes16 pack_words(Bytes16 a, Bytes16 b) noexcept { return _mm_packus_epi16(a, b); }
OCIOR_INLINE unsigned count_bits(std::uint64_t bits) noexcept { return static_cast<unsigned>(_mm_popcnt_u64(bits)); }

template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void store_widened(Dst* out, Bytes16 x) noexcept {
    const Bytes16 zero = _mm_setzero_si128();
    if constexpr (sizeof(Src) == sizeof(Dst)) {
        store16(out, x);
    } else if constexpr (sizeof(Src) == 2) {
        store16(out, _mm_unpacklo_epi16(x, zero));
        store16(out + 4, _mm_unpackhi_epi16(x, zero));
    } else {
        const Bytes16 low = _mm_unpacklo_epi8(x, zero), high = _mm_unpackhi_epi8(x, zero);
        if constexpr (sizeof(Dst) == 2) {
            store16(out, low);
            store16(out + 8, high);
        } else {
            store16(out, _mm_unpacklo_epi16(low, zero));
            store16(out + 4, _mm_unpackhi_epi16(low, zero));
            store16(out + 8, _mm_unpacklo_epi16(high, zero));
            store16(out + 12, _mm_unpackhi_epi16(high, zero));
        }
    }
}

// The letter of a short escape for each byte that is a control character with one, 0 for all other bytes: the saturating sum has the upper
// bit set from 0x10 on, which makes the shuffle yield 0.
OCIOR_INLINE Bytes16 short_letters(Bytes16 x) noexcept {
    const Bytes16 letters = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 'b', 't', 'n', 0, 'f', 'r', 0, 0);
    return _mm_shuffle_epi8(letters, _mm_adds_epu8(x, _mm_set1_epi8(0x70)));
}

// 8 units that take three bytes each in UTF-8: the text is 24 bytes, 28 are stored.
OCIOR_INLINE void store_utf8_units(std::uint8_t* out, Bytes16 units) noexcept {
    const Bytes16 lead = _mm_or_si128(_mm_srli_epi16(units, 12), _mm_set1_epi16(static_cast<short>(0x80E0)));
    const Bytes16 middle = _mm_and_si128(_mm_slli_epi16(units, 2), _mm_set1_epi16(0x3F00));
    const Bytes16 first_two = _mm_or_si128(lead, middle);
    const Bytes16 last = _mm_or_si128(_mm_and_si128(units, _mm_set1_epi16(0x3F)), _mm_set1_epi16(0x80));
    const Bytes16 three = _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1);
    store16(out, _mm_shuffle_epi8(_mm_unpacklo_epi16(first_two, last), three));
    store16(out + 12, _mm_shuffle_epi8(_mm_unpackhi_epi16(first_two, last), three));
}

// The four hexadecimal digits of each of 8 units, in reading order: those of units 0-3 in `low`, those of 4-7 in `high`.
OCIOR_INLINE void hex_digits8(Bytes16 units, Bytes16& low, Bytes16& high) noexcept {
    const Bytes16 digits = _mm_setr_epi8('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f');
    const Bytes16 swapped = _mm_or_si128(_mm_slli_epi16(units, 8), _mm_srli_epi16(units, 8));
    const Bytes16 nibble = _mm_set1_epi8(15);
    const Bytes16 first = _mm_shuffle_epi8(digits, _mm_and_si128(_mm_srli_epi16(swapped, 4), nibble));
    const Bytes16 second = _mm_shuffle_epi8(digits, _mm_and_si128(swapped, nibble));
    low = _mm_unpacklo_epi8(first, second);
    high = _mm_unpackhi_epi8(first, second);
}

// 8 units as \uxxxx: 48 bytes.
OCIOR_INLINE void store_hex_run8(std::uint8_t* out, Bytes16 units) noexcept {
    Bytes16 low, high;
    hex_digits8(units, low, high);
    // Six bytes a unit, so three vectors of 16: the first ends inside unit 2, the second inside unit 5.
    const Bytes16 prefixes0 = _mm_setr_epi8('\\', 'u', 0, 0, 0, 0, '\\', 'u', 0, 0, 0, 0, '\\', 'u', 0, 0);
    const Bytes16 prefixes1 = _mm_setr_epi8(0, 0, '\\', 'u', 0, 0, 0, 0, '\\', 'u', 0, 0, 0, 0, '\\', 'u');
    const Bytes16 prefixes2 = _mm_setr_epi8(0, 0, 0, 0, '\\', 'u', 0, 0, 0, 0, '\\', 'u', 0, 0, 0, 0);
    const Bytes16 from0 = _mm_setr_epi8(-1, -1, 0, 1, 2, 3, -1, -1, 4, 5, 6, 7, -1, -1, 8, 9);
    const Bytes16 from1 = _mm_setr_epi8(2, 3, -1, -1, 4, 5, 6, 7, -1, -1, 8, 9, 10, 11, -1, -1);  // of digits 8-23
    const Bytes16 from2 = _mm_setr_epi8(4, 5, 6, 7, -1, -1, 8, 9, 10, 11, -1, -1, 12, 13, 14, 15);
    store16(out, _mm_or_si128(_mm_shuffle_epi8(low, from0), prefixes0));
    store16(out + 16, _mm_or_si128(_mm_shuffle_epi8(_mm_alignr_epi8(high, low, 8), from1), prefixes1));
    store16(out + 32, _mm_or_si128(_mm_shuffle_epi8(high, from2), prefixes2));
}

// Makes a 32-bit lane of each of 8 units: its four digits where the unit's lane of `hexed` has all bits set, else the unit itself. Units
// 0-3 go into `low`, units 4-7 into `high`.
OCIOR_INLINE void digits_or_units8(Bytes16 units, Bytes16 hexed, Bytes16& low, Bytes16& high) noexcept {
    hex_digits8(units, low, high);
    const Bytes16 zero = _mm_setzero_si128();
    low = _mm_blendv_epi8(_mm_unpacklo_epi16(units, zero), low, _mm_unpacklo_epi16(hexed, hexed));
    high = _mm_blendv_epi8(_mm_unpackhi_epi16(units, zero), high, _mm_unpackhi_epi16(hexed, hexed));
}

// Four code points as UTF-16, each in its 32-bit lane: a unit, or a pair with the lead surrogate in the lower half.
OCIOR_INLINE Bytes16 utf16_lanes(Bytes16 code_points) noexcept {
    const Bytes16 astral = _mm_sub_epi32(code_points, _mm_set1_epi32(0x10000));
    const Bytes16 lead = _mm_or_si128(_mm_srli_epi32(astral, 10), _mm_set1_epi32(static_cast<int>(0xDC00D800)));
    const Bytes16 pair = _mm_or_si128(lead, _mm_slli_epi32(_mm_and_si128(astral, _mm_set1_epi32(0x3FF)), 16));
    const Bytes16 is_pair = _mm_cmpgt_epi32(code_points, _mm_set1_epi32(0xFFFF));
    return _mm_blendv_epi8(code_points, pair, is_pair);
}

// Four characters of three bytes each from 12 of the 16 bytes at p, as 32-bit lanes. All bits of a lane of `whole` are set where the bytes
// do have the form of such a character.
OCIOR_INLINE Bytes16 load_utf8_run4(const std::uint8_t* p, Bytes16& whole) noexcept {
    const Bytes16 reversed = _mm_setr_epi8(2, 1, 0, -1, 5, 4, 3, -1, 8, 7, 6, -1, 11, 10, 9, -1);
    const Bytes16 x = _mm_shuffle_epi8(load16(p), reversed);  // last, middle, lead, 0
    whole = _mm_cmpeq_epi32(_mm_and_si128(x, _mm_set1_epi32(0x00F0C0C0)), _mm_set1_epi32(0x00E08080));
    const Bytes16 fields = _mm_and_si128(x, _mm_set1_epi32(0x000F3F3F));
    const Bytes16 joined = _mm_maddubs_epi16(fields, _mm_set1_epi32(0x00014001));  // last + 64 middle, lead
    return _mm_madd_epi16(joined, _mm_set1_epi32(0x10000001));                     // + 4096 lead
}

// Eight characters of three bytes each from the 28 bytes at p, as 16-bit lanes. Returns two bits a lane: set where the bytes have another
// form, or the character is overlong.
OCIOR_INLINE unsigned load_utf8_run8(const std::uint8_t* p, Bytes16& units) noexcept {
    Bytes16 whole_low, whole_high;
    const Bytes16 low = load_utf8_run4(p, whole_low), high = load_utf8_run4(p + 12, whole_high);
    units = _mm_packus_epi32(low, high);
    const Bytes16 overlong = _mm_cmpeq_epi16(_mm_and_si128(units, _mm_set1_epi16(static_cast<short>(0xF800))), _mm_setzero_si128());
    const Bytes16 right = _mm_andnot_si128(overlong, _mm_packs_epi32(whole_low, whole_high));
    return static_cast<unsigned>(_mm_movemask_epi8(right)) ^ 0xFFFF;
}

// Four characters of four bytes each from the 16 bytes at p, as 32-bit lanes; false when one is anything else.
OCIOR_INLINE bool load_utf8_quads(const std::uint8_t* p, Bytes16& code_points) noexcept {
    const Bytes16 reversed = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    const Bytes16 x = _mm_shuffle_epi8(load16(p), reversed);
    const Bytes16 form = _mm_and_si128(x, _mm_set1_epi32(static_cast<int>(0xF8C0C0C0)));
    const Bytes16 whole = _mm_cmpeq_epi32(form, _mm_set1_epi32(static_cast<int>(0xF0808080)));
    const Bytes16 joined = _mm_maddubs_epi16(_mm_and_si128(x, _mm_set1_epi32(0x073F3F3F)), _mm_set1_epi16(0x4001));
    code_points = _mm_madd_epi16(joined, _mm_set1_epi32(0x10000001));
    const Bytes16 above_bmp = _mm_cmpgt_epi32(code_points, _mm_set1_epi32(0xFFFF));
    const Bytes16 right = _mm_andnot_si128(_mm_cmpgt_epi32(code_points, _mm_set1_epi32(0x10FFFF)), _mm_and_si128(whole, above_bmp));
    return _mm_movemask_epi8(right) == 0xFFFF;
}

}  // namespace ocior::simd
