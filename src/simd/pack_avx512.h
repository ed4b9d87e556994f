// Output of variable length with AVX-512: lanes are spread to their longest form, then a compress moves the bytes that are wanted together.
#pragma once

#include "simd/port_avx512.h"

namespace ocior::simd {

namespace detail {

template <std::size_t N>
struct alignas(64) ByteTable {
    std::uint8_t at[N] = {};
};
template <std::size_t N>
OCIOR_INLINE __m512i table(const ByteTable<N>& t, std::size_t offset = 0) noexcept {
    return _mm512_load_si512(t.at + offset);
}

// At each control character that has a short escape, the escape's letter; 0 at the others.
template <CodeUnit U>
inline constexpr auto kShortForms = [] {
    ByteTable<64> t;
    constexpr std::uint8_t letters[][2] = {{8, 'b'}, {9, 't'}, {10, 'n'}, {12, 'f'}, {13, 'r'}};
    for (const auto& l : letters) t.at[l[0] * sizeof(U)] = l[1];
    return t;
}();

OCIOR_INLINE unsigned count_bits(std::uint64_t bits) noexcept { return static_cast<unsigned>(__builtin_popcountll(bits)); }

// Stores the `count` units in the low lanes of v as units of Dst, in whole vectors.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void put_units(Dst* out, __m512i v, std::size_t count) noexcept {
    store_as<Src, Dst>(out, Vec<Src>{v}, count);
}

// n <= kLanes / 2 units with their prefixes: interleaved to pairs of prefix and unit, from which the prefixes that are not wanted drop out.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_half_prefixed(Dst* out, __m256i unit, __m256i prefix, std::uint64_t prefixed, std::size_t n) noexcept {
    __m512i pairs;
    if constexpr (sizeof(Src) == 1) {
        const __m512i high = _mm512_slli_epi16(_mm512_cvtepu8_epi16(unit), 8);
        pairs = _mm512_maskz_compress_epi8(_pdep_u64(prefixed, 0x5555555555555555) | 0xAAAAAAAAAAAAAAAA,
                                           _mm512_or_si512(high, _mm512_cvtepu8_epi16(prefix)));
    } else if constexpr (sizeof(Src) == 2) {
        const __m512i high = _mm512_slli_epi32(_mm512_cvtepu16_epi32(unit), 16);
        pairs = _mm512_maskz_compress_epi16(_pdep_u32(static_cast<std::uint32_t>(prefixed), 0x55555555) | 0xAAAAAAAA,
                                            _mm512_or_si512(high, _mm512_cvtepu16_epi32(prefix)));
    } else {
        const __m512i high = _mm512_slli_epi64(_mm512_cvtepu32_epi64(unit), 32);
        pairs = _mm512_maskz_compress_epi32(static_cast<__mmask16>(_pdep_u32(static_cast<std::uint32_t>(prefixed), 0x5555) | 0xAAAA),
                                            _mm512_or_si512(high, _mm512_cvtepu32_epi64(prefix)));
    }
    const std::size_t count = n + count_bits(prefixed);
    put_units<Src, Dst>(out, pairs, count);
    return out + count;
}

}  // namespace detail

// Control characters that have a short escape become its letter, other control characters 0.
template <CodeUnit U>
OCIOR_INLINE Vec<U> short_forms(Vec<U> v) noexcept {
    const __m512i letters = detail::table(detail::kShortForms<U>);
    const auto controls = lt<U>(v, 0x20).k;
    if constexpr (sizeof(U) == 1) return {_mm512_mask_permutexvar_epi8(v.raw, controls, v.raw, letters)};
    else if constexpr (sizeof(U) == 2) return {_mm512_mask_permutexvar_epi16(v.raw, controls, v.raw, letters)};
    else return {_mm512_mask_mov_epi32(v.raw, controls, _mm512_maskz_permutexvar_epi32(lt<U>(v, 0x10).k, v.raw, letters))};
}

// Stores the first n lanes (1 <= n), those in `prefixed` (no bit at or above n) behind the unit that `prefix` holds for them. Whole vectors
// are stored.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_prefixed(Dst* out, Vec<Src> unit, Vec<Src> prefix, std::uint64_t prefixed, std::size_t n) noexcept {
    if constexpr (sizeof(Dst) < sizeof(Src)) {
        static_assert(sizeof(Src) == 2);  // lanes below 0x100: already as wide as their pair
        const __m512i pairs = _mm512_or_si512(_mm512_slli_epi16(unit.raw, 8), prefix.raw);
        const std::uint64_t kept = _pdep_u64(prefixed, 0x5555555555555555) | 0xAAAAAAAAAAAAAAAA;
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, pairs));
        return out + n + detail::count_bits(prefixed);
    } else {
        constexpr std::size_t kHalf = Vec<Src>::kLanes / 2;
        const std::uint64_t low = prefixed & low_bits(kHalf);
        const std::size_t low_n = n < kHalf ? n : kHalf;
        out = detail::store_half_prefixed<Src, Dst>(out, _mm512_castsi512_si256(unit.raw), _mm512_castsi512_si256(prefix.raw), low, low_n);
        if (n <= kHalf) return out;
        return detail::store_half_prefixed<Src, Dst>(out, _mm512_extracti64x4_epi64(unit.raw, 1), _mm512_extracti64x4_epi64(prefix.raw, 1),
                                                     prefixed >> kHalf, n - kHalf);
    }
}

// Stores the first n lanes, code points but no surrogates, as UTF-8. What is one byte is taken from `one`: ASCII as it is, and in the lanes
// of `marks` the letter of an escape, which goes behind a backslash. Each lane becomes four bytes, the lead byte lowest, those that are not
// used zero; then the used ones move together.
//   c       000aaabb bbbbcccc ccdddddd
//   fields  00dddddd 00cccccc 00bbbbbb 00000aaa
template <bool kMarks>
OCIOR_INLINE std::uint8_t* store_utf8(std::uint8_t* out, Vec<std::uint32_t> c, Vec<std::uint32_t> one, Mask<std::uint32_t> marks,
                                      std::size_t n) noexcept {
    // Indexed by the number of leading zero bits modulo 16: 24 to 21 such bits mean two bytes, 20 to 16 three, 15 to 11 four.
    const __m512i markers = _mm512_setr_epi32(static_cast<int>(0x8080E000), static_cast<int>(0x8080E000), static_cast<int>(0x8080E000),
                                              static_cast<int>(0x8080E000), static_cast<int>(0x8080E000), static_cast<int>(0x80C00000),
                                              static_cast<int>(0x80C00000), static_cast<int>(0x80C00000), static_cast<int>(0x80C00000), 0,
                                              0, static_cast<int>(0x808080F0), static_cast<int>(0x808080F0), static_cast<int>(0x808080F0),
                                              static_cast<int>(0x808080F0), static_cast<int>(0x808080F0));
    const __m512i marker = _mm512_permutexvar_epi32(_mm512_lzcnt_epi32(c.raw), markers);
    const __m512i fields = _mm512_multishift_epi64_epi8(_mm512_set1_epi64(0x20262C3200060C12), c.raw);
    __m512i bytes = _mm512_ternarylogic_epi32(fields, _mm512_set1_epi32(0x3F3F3F3F), marker, 0xEA);  // (fields & mask) | marker
    bytes = _mm512_mask_slli_epi32(bytes, lt<std::uint32_t>(c, 0x80).k, one.raw, 24);
    if constexpr (kMarks) bytes = _mm512_mask_or_epi32(bytes, marks.k, bytes, _mm512_set1_epi32('\\' << 16));
    const std::uint64_t used = _bzhi_u64(_mm512_test_epi8_mask(bytes, bytes), static_cast<unsigned>(4 * n));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, bytes));
    return out + detail::count_bits(used);
}

namespace detail {

// Output byte i of a run of three-byte sequences is made of unit i / 3, of its bits from 12, 6 or 0 on. One permutation of bytes brings
// the units of each 8 output bytes (four at most) into one quadword, one multishift picks 8 bits from there for each output byte.
struct Utf8Run {
    ByteTable<128> spread, shift, keep, marker;
    constexpr Utf8Run() {
        for (unsigned i = 0; i < 128; ++i) {
            const unsigned first_unit = (i & ~7u) / 3;
            const unsigned source = first_unit * 2 + i % 8;  // quadword i / 8 holds four consecutive units
            spread.at[i] = static_cast<std::uint8_t>(source & 63);
            const unsigned unit = i / 3 - first_unit, field = 12 - 6 * (i % 3);
            shift.at[i] = static_cast<std::uint8_t>(unit * 16 + field);
            keep.at[i] = i % 3 == 0 ? 0x0F : 0x3F;
            marker.at[i] = i % 3 == 0 ? 0xE0 : 0x80;
        }
    }
};
inline constexpr Utf8Run kUtf8Run;

OCIOR_INLINE __m512i utf8_run(__m512i units, std::size_t part) noexcept {
    const __m512i spread = _mm512_permutexvar_epi8(table(kUtf8Run.spread, part * 64), units);
    const __m512i fields = _mm512_multishift_epi64_epi8(table(kUtf8Run.shift, part * 64), spread);
    // (fields & keep) | marker
    return _mm512_ternarylogic_epi32(fields, table(kUtf8Run.keep, part * 64), table(kUtf8Run.marker, part * 64), 0xEA);
}

// For \uxxxx in the place of UTF-8: six bytes per unit, fields of 4 bits, and a table that makes digits of them and ignores higher bits.
struct HexRun {
    ByteTable<192> spread, shift;
    ByteTable<64> digits, marker[3];
    std::uint64_t marker_bits[3] = {};
    constexpr HexRun() {
        for (unsigned i = 0; i < 64; ++i) digits.at[i] = static_cast<std::uint8_t>("0123456789abcdef"[i & 15]);
        for (unsigned i = 0; i < 192; ++i) {
            const unsigned first_unit = (i & ~7u) / 6;
            spread.at[i] = static_cast<std::uint8_t>((first_unit * 2 + i % 8) & 63);
            const unsigned unit = i / 6 - first_unit, place = i % 6;
            if (place < 2) {
                marker[i / 64].at[i % 64] = place == 0 ? '\\' : 'u';
                marker_bits[i / 64] |= 1ull << i % 64;
            } else {
                shift.at[i] = static_cast<std::uint8_t>(unit * 16 + 4 * (5 - place));
            }
        }
    }
};
inline constexpr HexRun kHexRun;

OCIOR_INLINE __m512i hex_run(__m512i units, std::size_t part) noexcept {
    const __m512i spread = _mm512_permutexvar_epi8(table(kHexRun.spread, part * 64), units);
    const __m512i fields = _mm512_multishift_epi64_epi8(table(kHexRun.shift, part * 64), spread);
    return _mm512_mask_permutexvar_epi8(table(kHexRun.marker[part]), ~kHexRun.marker_bits[part], fields, table(kHexRun.digits));
}

}  // namespace detail

// Stores the first n lanes, which take three bytes each in UTF-8.
OCIOR_INLINE std::uint8_t* store_utf8_run(std::uint8_t* out, Vec<std::uint16_t> v, std::size_t n) noexcept {
    _mm512_storeu_si512(out, detail::utf8_run(v.raw, 0));
    if (n > 21) _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 64), _mm512_castsi512_si256(detail::utf8_run(v.raw, 1)));
    return out + 3 * n;
}

// Stores the first n lanes as \uxxxx.
OCIOR_INLINE std::uint8_t* store_hex_run(std::uint8_t* out, Vec<std::uint16_t> v, std::size_t n) noexcept {
    _mm512_storeu_si512(out, detail::hex_run(v.raw, 0));
    if (n > 10) _mm512_storeu_si512(out + 64, detail::hex_run(v.raw, 1));
    if (n > 21) _mm512_storeu_si512(out + 128, detail::hex_run(v.raw, 2));
    return out + 6 * n;
}

// Stores the first n lanes: those in `hexed` as \uxxxx, those in `prefixed` behind a backslash, the others as they are. Eight at a time are
// spread over a quadword each, whose used bytes are not zero.
OCIOR_INLINE std::uint8_t* store_ascii_mix(std::uint8_t* out, Vec<std::uint16_t> v, std::uint64_t prefixed, std::uint64_t hexed,
                                           std::size_t n) noexcept {
    const __m512i fields = _mm512_set1_epi64(0x0004080C0000);  // bytes 2 to 5: the nibbles from the highest
    const __m512i digits = detail::table(detail::kHexRun.digits);
    const auto eight = [&](__m128i units, unsigned i) {
        __m512i lanes = _mm512_cvtepu16_epi64(units);
        const __m512i nibbles = _mm512_multishift_epi64_epi8(fields, lanes);
        const __m512i hex_bytes = _mm512_mask_permutexvar_epi8(_mm512_set1_epi64('\\' | 'u' << 8), 0x3C3C3C3C3C3C3C3C, nibbles, digits);
        lanes = _mm512_mask_mov_epi64(lanes, static_cast<__mmask8>(hexed >> i), hex_bytes);
        const auto pre = static_cast<__mmask8>(prefixed >> i);
        if (pre != 0) lanes = _mm512_mask_or_epi64(lanes, pre, _mm512_slli_epi64(lanes, 8), _mm512_set1_epi64('\\'));
        const std::uint64_t used = _bzhi_u64(_mm512_test_epi8_mask(lanes, lanes), static_cast<unsigned>(n - i < 8 ? 8 * (n - i) : 64));
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(used, lanes));
        out += detail::count_bits(used);
    };
    eight(_mm512_castsi512_si128(v.raw), 0);
    if (n > 8) eight(_mm512_extracti32x4_epi32(v.raw, 1), 8);
    if (n > 16) eight(_mm512_extracti32x4_epi32(v.raw, 2), 16);
    if (n > 24) eight(_mm512_extracti32x4_epi32(v.raw, 3), 24);
    return out;
}

// Calls write(units, count) with the first n lanes of two vectors, code points, as UTF-16; once or several times.
template <typename Write>
OCIOR_INLINE void each_utf16(Vec<std::uint32_t> a, Vec<std::uint32_t> b, std::size_t n, Write write) noexcept {
    const auto one = [&](Vec<std::uint32_t> v, std::size_t lanes) {
        const __m512i astral = _mm512_sub_epi32(v.raw, _mm512_set1_epi32(0x10000));
        const __mmask16 pairs = ge<std::uint32_t>(v, 0x10000).k;
        const __m512i lead = _mm512_or_si512(_mm512_srli_epi32(astral, 10), _mm512_set1_epi32(0xD800));
        const __m512i trail = _mm512_or_si512(_mm512_and_si512(astral, _mm512_set1_epi32(0x3FF)), _mm512_set1_epi32(0xDC00));
        const __m512i units = _mm512_mask_or_epi32(v.raw, pairs, lead, _mm512_slli_epi32(trail, 16));
        const std::uint32_t kept = _pdep_u32(pairs, 0xAAAAAAAA) | 0x55555555;
        const std::size_t count = lanes + detail::count_bits(_bzhi_u32(pairs, static_cast<unsigned>(lanes)));
        write(Vec<std::uint16_t>{_mm512_maskz_compress_epi16(kept, units)}, count);
    };
    one(a, n < 16 ? n : 16);
    if (n > 16) one(b, n - 16);
}

// store_kept and store_first write the lanes asked for and no byte more, so an output of exact size needs no care at its end.
inline constexpr bool kExactStores = true;

// Stores the lanes in `kept` as units of Dst, and not a byte more.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_kept(Dst* out, Vec<Src> v, std::uint64_t kept) noexcept {
    const std::size_t count = detail::count_bits(kept);
    if constexpr (sizeof(Src) == 1) {
        Vec<Src>{_mm512_maskz_compress_epi8(kept, v.raw)}.store_upto(out, count);
    } else if constexpr (sizeof(Src) == 4) {
        Vec<Src>{_mm512_maskz_compress_epi32(static_cast<__mmask16>(kept), v.raw)}.store_upto(out, count);
    } else {
        const __m512i packed = _mm512_maskz_compress_epi16(static_cast<__mmask32>(kept), v.raw);
        if constexpr (sizeof(Dst) == 2) {
            Vec<Src>{packed}.store_upto(out, count);
        } else {
            Vec<Dst>{_mm512_cvtepu16_epi32(_mm512_castsi512_si256(packed))}.store_upto(out, count < 16 ? count : 16);
            if (count > 16) Vec<Dst>{_mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(packed, 1))}.store_upto(out + 16, count - 16);
        }
    }
    return out + count;
}

// The lanes in `kept` moved together, zeros behind them. pack_shuffle.h has no definition of it.
template <CodeUnit U>
OCIOR_INLINE Vec<U> kept_lanes(Vec<U> v, std::uint64_t kept) noexcept {
    if constexpr (sizeof(U) == 1) return {_mm512_maskz_compress_epi8(kept, v.raw)};
    else if constexpr (sizeof(U) == 2) return {_mm512_maskz_compress_epi16(static_cast<__mmask32>(kept), v.raw)};
    else return {_mm512_maskz_compress_epi32(static_cast<__mmask16>(kept), v.raw)};
}

// Stores the lanes in `kept` as units of Dst, in whole vectors.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_kept_loosely(Dst* out, Vec<Src> v, std::uint64_t kept) noexcept {
    store_as<Src, Dst>(out, kept_lanes(v, kept));
    return out + detail::count_bits(kept);
}

namespace detail {

// Stores the first n units of a part of a vector, and not a byte more, as Vec::store_upto does of a whole one.
template <CodeUnit U>
OCIOR_INLINE void store_upto(U* p, __m256i part, std::size_t n) noexcept {
    if (OCIOR_UNLIKELY(!within_page(p, sizeof part))) return Vec<U>{_mm512_castsi256_si512(part)}.store_upto(p, n);
    const auto lanes = _bzhi_u32(~0u, static_cast<unsigned>(n));
    if constexpr (sizeof(U) == 1) _mm256_mask_storeu_epi8(p, lanes, part);
    else _mm256_mask_storeu_epi16(p, static_cast<__mmask16>(lanes), part);
}
OCIOR_INLINE void store_upto(std::uint8_t* p, __m128i part, std::size_t n) noexcept {
    if (OCIOR_UNLIKELY(!within_page(p, sizeof part))) return Vec<std::uint8_t>{_mm512_castsi128_si512(part)}.store_upto(p, n);
    _mm_mask_storeu_epi8(p, static_cast<__mmask16>(_bzhi_u32(~0u, static_cast<unsigned>(n))), part);
}

}  // namespace detail

// Stores the first n lanes as units of Dst, and not a byte more.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_first(Dst* out, Vec<Src> v, std::size_t n) noexcept {
    if constexpr (sizeof(Src) == sizeof(Dst)) {
        v.store_upto(out, n);
    } else if constexpr (sizeof(Dst) < sizeof(Src)) {
        // Narrowed in a register: an instruction that narrows to memory under a mask takes many more steps.
        if constexpr (sizeof(Src) == 2) detail::store_upto(out, _mm512_maskz_cvtepi16_epi8(~0u, v.raw), n);
        else if constexpr (sizeof(Dst) == 1) detail::store_upto(out, _mm512_maskz_cvtepi32_epi8(0xffff, v.raw), n);
        else detail::store_upto(out, _mm512_maskz_cvtepi32_epi16(0xffff, v.raw), n);
    } else {
        constexpr std::size_t kStep = Vec<Dst>::kLanes;
        alignas(64) Src units[Vec<Src>::kLanes];
        if (n > kStep) v.store(units);
        widen_low<Dst>(v).store_upto(out, n < kStep ? n : kStep);
        for (std::size_t i = kStep; i < n; i += kStep) load_widened<Dst>(units + i).store_upto(out + i, n - i < kStep ? n - i : kStep);
    }
    return out + n;
}

inline constexpr std::size_t kUtf8RunChars = 21;

// Loads characters of three bytes each into the low lanes: returns how many of the first `wanted` (at most kUtf8RunChars) at p are such,
// up to the first that is not. Reads 64 bytes.
OCIOR_INLINE std::size_t load_utf8_run(const std::uint8_t* p, std::size_t wanted, Vec<std::uint16_t>& units) noexcept {
    static constexpr auto kTake = [] {
        detail::ByteTable<128> t;  // which bytes make each lane: the last and the middle one; then, in the upper half of it, the lead byte
        for (unsigned i = 0; i < 21; ++i) {
            t.at[2 * i] = static_cast<std::uint8_t>(3 * i + 2);
            t.at[2 * i + 1] = static_cast<std::uint8_t>(3 * i + 1);
            t.at[64 + 2 * i + 1] = static_cast<std::uint8_t>(3 * i);
        }
        return t;
    }();
    static constexpr auto kForm = [] {
        detail::ByteTable<128> t;  // mask and value of the bits that tell lead from other bytes; byte 63 may be anything
        for (unsigned i = 0; i < 63; ++i) {
            t.at[i] = i % 3 == 0 ? 0xF0 : 0xC0;
            t.at[64 + i] = i % 3 == 0 ? 0xE0 : 0x80;
        }
        return t;
    }();
    const __m512i bytes = _mm512_loadu_si512(p);
    // (bytes & mask) ^ value
    const __m512i faults = _mm512_ternarylogic_epi32(bytes, detail::table(kForm), detail::table(kForm, 64), 0x6A);
    const __m512i tail = _mm512_and_si512(_mm512_permutexvar_epi8(detail::table(kTake), bytes), _mm512_set1_epi8(0x3F));
    // The lead byte in the upper half of a 16-bit lane: the shift drops the four bits that tell its length.
    const __m512i lead = _mm512_maskz_permutexvar_epi8(0xAAAAAAAAAAAAAAAA, detail::table(kTake, 64), bytes);
    const __m512i low = _mm512_maddubs_epi16(tail, _mm512_set1_epi16(0x4001));  // last + 64 * middle
    units.raw = _mm512_or_si512(low, _mm512_slli_epi16(lead, 4));
    const std::uint64_t overlong = _mm512_cmplt_epu16_mask(units.raw, _mm512_set1_epi16(0x800));
    const std::uint64_t stop_byte = _mm512_test_epi8_mask(faults, faults) | 1ull << 63;
    const std::uint64_t stop_lane = overlong | 1ull << wanted;
    const std::size_t whole = trailing_zeros(stop_byte) / 3, right = trailing_zeros(stop_lane);
    return whole < right ? whole : right;
}

// Stores the characters of one to four bytes that begin at the lanes in `begins` and end inside the vector, 16 at a time. Each lane
// gathers four bytes, the first uppermost, and drops those of the next character. False for an overlong form or a code point above
// 0x10FFFF; lead bytes above F4 must have been excluded.
inline constexpr bool kGathersCharacters = true;
bool load_utf8_quads_to(std::uint32_t* out, const std::uint8_t* p) noexcept;  // defined in pack_shuffle.h alone
OCIOR_INLINE bool store_characters(std::uint32_t*& out, Vec<std::uint8_t> v, std::uint64_t begins) noexcept {
    static constexpr auto kTake = [] {
        detail::ByteTable<256> t;  // 0 four times, then 1 four times, and so on
        for (unsigned i = 0; i < 256; ++i) t.at[i] = static_cast<std::uint8_t>(i / 4);
        return t;
    }();
    // Indexed by the upper four bits of the lead byte: the shift, the bits that are fields, the least code point.
    const __m512i shifts = _mm512_setr_epi32(24, 24, 24, 24, 24, 24, 24, 24, 0, 0, 0, 0, 16, 16, 8, 0);
    const __m512i masks = _mm512_setr_epi32(127, 127, 127, 127, 127, 127, 127, 127, 0, 0, 0, 0, 0x1F3F, 0x1F3F, 0x0F3F3F, 0x073F3F3F);
    const __m512i least = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x80, 0x800, 0x10000);
    const __m512i positions = _mm512_maskz_compress_epi8(begins, detail::byte_numbers());
    const unsigned count = detail::count_bits(begins);
    for (unsigned i = 0; i < count; i += 16) {
        const __m512i take =
            _mm512_add_epi8(_mm512_permutexvar_epi8(detail::table(kTake, 4 * i), positions), _mm512_set1_epi32(0x00010203));
        const __m512i bytes = _mm512_permutexvar_epi8(take, v.raw);
        const __m512i kind = _mm512_srli_epi32(bytes, 28);
        const __m512i fields =
            _mm512_and_si512(_mm512_srlv_epi32(bytes, _mm512_permutexvar_epi32(kind, shifts)), _mm512_permutexvar_epi32(kind, masks));
        const __m512i halves = _mm512_maddubs_epi16(fields, _mm512_set1_epi16(0x4001));
        const __m512i c = _mm512_madd_epi16(halves, _mm512_set1_epi32(0x10000001));
        const auto lanes = static_cast<__mmask16>(_bzhi_u32(0xFFFF, count - i));
        const __mmask16 wrong = _mm512_mask_cmplt_epu32_mask(lanes, c, _mm512_permutexvar_epi32(kind, least)) |
                                _mm512_mask_cmpgt_epu32_mask(lanes, c, _mm512_set1_epi32(0x10FFFF));
        if (wrong != 0) return false;
        Vec<std::uint32_t>{c}.store_upto(out + i, count - i < 16 ? count - i : 16);
    }
    out += count;
    return true;
}

}  // namespace ocior::simd
