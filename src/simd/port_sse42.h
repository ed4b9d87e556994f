// SSE4.2 (x86-64-v2): 16-byte vectors, masks as vectors.
#pragma once

#include <nmmintrin.h>

#include "base/bits.h"
#include "base/config.h"
#include "simd/bytes16_x86.h"
#include "simd/overread.h"

namespace ocior::simd {

inline constexpr std::size_t kVecBytes = 16;

template <CodeUnit U>
struct Mask {
    __m128i raw;
    using Bits = std::uint32_t;
    static constexpr unsigned kBitsPerLane = sizeof(U);
    static constexpr Bits kAll = 0xFFFF;
    OCIOR_INLINE Bits bits() const noexcept { return static_cast<std::uint32_t>(_mm_movemask_epi8(raw)); }
    OCIOR_INLINE bool any() const noexcept { return bits() != 0; }
    OCIOR_INLINE bool none() const noexcept { return bits() == 0; }
    OCIOR_INLINE unsigned first() const noexcept { return trailing_zeros(bits()) / sizeof(U); }
    OCIOR_INLINE std::uint64_t lane_bits() const noexcept {
        if constexpr (sizeof(U) == 1) return bits();
        else if constexpr (sizeof(U) == 2) return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(raw, _mm_setzero_si128())));
        else return static_cast<std::uint32_t>(_mm_movemask_ps(_mm_castsi128_ps(raw)));
    }
    friend OCIOR_INLINE Mask operator|(Mask a, Mask b) noexcept { return {_mm_or_si128(a.raw, b.raw)}; }
    friend OCIOR_INLINE Mask operator&(Mask a, Mask b) noexcept { return {_mm_and_si128(a.raw, b.raw)}; }
};

OCIOR_OVERREAD __m128i load_beyond(const void* p) noexcept { return _mm_loadu_si128(static_cast<const __m128i*>(p)); }

// Loads the byte_len bytes at a page's end, behind which nothing may be readable, by way of a buffer: rare.
OCIOR_NOINLINE inline __m128i load_at_page_end(const void* p, std::size_t byte_len) noexcept {
    alignas(16) std::uint8_t copy[16] = {};
    std::memcpy(copy, p, byte_len);
    return _mm_load_si128(reinterpret_cast<const __m128i*>(copy));
}

template <CodeUnit U>
struct Vec {
    static constexpr std::size_t kLanes = kVecBytes / sizeof(U);
    __m128i raw;

    static OCIOR_INLINE Vec load(const void* p) noexcept { return {_mm_loadu_si128(static_cast<const __m128i*>(p))}; }
    static OCIOR_INLINE Vec load_upto(const U* p, std::size_t n) noexcept {
        if (OCIOR_LIKELY(within_page(p, kVecBytes))) return {load_beyond(p)};
        return {load_at_page_end(p, n * sizeof(U))};
    }
    static OCIOR_INLINE Vec splat(U u) noexcept {
        if constexpr (sizeof(U) == 1) return {_mm_set1_epi8(static_cast<char>(u))};
        else if constexpr (sizeof(U) == 2) return {_mm_set1_epi16(static_cast<short>(u))};
        else return {_mm_set1_epi32(static_cast<int>(u))};
    }
    OCIOR_INLINE void store(void* p) const noexcept { _mm_storeu_si128(static_cast<__m128i*>(p), raw); }
    // The first n lanes; the others become zero.
    OCIOR_INLINE Vec keep_first(std::size_t n) const noexcept {
        alignas(16) static constexpr auto kOnes = [] {
            struct {
                std::uint8_t at[32];
            } t{};
            for (int i = 0; i < 16; ++i) t.at[i] = 0xFF;
            return t;
        }();
        return {_mm_and_si128(raw, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kOnes.at + 16 - n * sizeof(U))))};
    }
    friend OCIOR_INLINE Vec operator|(Vec a, Vec b) noexcept { return {_mm_or_si128(a.raw, b.raw)}; }
    friend OCIOR_INLINE Vec operator&(Vec a, Vec b) noexcept { return {_mm_and_si128(a.raw, b.raw)}; }
    friend OCIOR_INLINE Vec operator^(Vec a, Vec b) noexcept { return {_mm_xor_si128(a.raw, b.raw)}; }
};

template <int kBits, CodeUnit U>
    requires(sizeof(U) > 1)
OCIOR_INLINE Vec<U> shift_left(Vec<U> v) noexcept {
    if constexpr (sizeof(U) == 2) return {_mm_slli_epi16(v.raw, kBits)};
    else return {_mm_slli_epi32(v.raw, kBits)};
}
template <int kBits, CodeUnit U>
    requires(sizeof(U) > 1)
OCIOR_INLINE Vec<U> shift_right(Vec<U> v) noexcept {
    if constexpr (sizeof(U) == 2) return {_mm_srli_epi16(v.raw, kBits)};
    else return {_mm_srli_epi32(v.raw, kBits)};
}
template <CodeUnit U>
OCIOR_INLINE Vec<U> select(Mask<U> m, Vec<U> yes, Vec<U> no) noexcept {
    return {_mm_blendv_epi8(no.raw, yes.raw, m.raw)};
}

template <CodeUnit U>
OCIOR_INLINE __m128i same_lanes(__m128i a, __m128i b) noexcept {
    if constexpr (sizeof(U) == 1) return _mm_cmpeq_epi8(a, b);
    else if constexpr (sizeof(U) == 2) return _mm_cmpeq_epi16(a, b);
    else return _mm_cmpeq_epi32(a, b);
}
template <CodeUnit U>
OCIOR_INLINE Vec<U> min(Vec<U> a, Vec<U> b) noexcept {
    if constexpr (sizeof(U) == 1) return {_mm_min_epu8(a.raw, b.raw)};
    else if constexpr (sizeof(U) == 2) return {_mm_min_epu16(a.raw, b.raw)};
    else return {_mm_min_epu32(a.raw, b.raw)};
}
OCIOR_INLINE Vec<std::uint8_t> subtract_saturated(Vec<std::uint8_t> a, Vec<std::uint8_t> b) noexcept {
    return {_mm_subs_epu8(a.raw, b.raw)};
}
OCIOR_INLINE Vec<std::uint32_t> add(Vec<std::uint32_t> a, Vec<std::uint32_t> b) noexcept { return {_mm_add_epi32(a.raw, b.raw)}; }

template <CodeUnit U>
OCIOR_INLINE Mask<U> eq(Vec<U> v, U u) noexcept {
    return {same_lanes<U>(v.raw, Vec<U>::splat(u).raw)};
}
// SSE has no unsigned compare: a lane of v is at most u where min(v, u) is v.
template <CodeUnit U>
OCIOR_INLINE Mask<U> lt(Vec<U> v, U u) noexcept {
    const __m128i w = Vec<U>::splat(static_cast<U>(u - 1)).raw;
    if constexpr (sizeof(U) == 1) return {same_lanes<U>(_mm_min_epu8(v.raw, w), v.raw)};
    else if constexpr (sizeof(U) == 2) return {same_lanes<U>(_mm_min_epu16(v.raw, w), v.raw)};
    else return {same_lanes<U>(_mm_min_epu32(v.raw, w), v.raw)};
}
template <CodeUnit U>
OCIOR_INLINE Mask<U> ge(Vec<U> v, U u) noexcept {
    const __m128i w = Vec<U>::splat(u).raw;
    if constexpr (sizeof(U) == 1) return {same_lanes<U>(_mm_max_epu8(v.raw, w), v.raw)};
    else if constexpr (sizeof(U) == 2) return {same_lanes<U>(_mm_max_epu16(v.raw, w), v.raw)};
    else return {same_lanes<U>(_mm_max_epu32(v.raw, w), v.raw)};
}
OCIOR_INLINE Mask<std::uint8_t> lt_signed(Vec<std::uint8_t> v, std::int8_t i) noexcept { return {_mm_cmpgt_epi8(_mm_set1_epi8(i), v.raw)}; }

// A vector of kLanes units, read from narrower ones.
template <CodeUnit U, CodeUnit Src>
OCIOR_INLINE Vec<U> load_widened(const Src* p) noexcept {
    if constexpr (sizeof(U) == sizeof(Src)) return Vec<U>::load(p);
    else if constexpr (sizeof(U) == 2) return {_mm_cvtepu8_epi16(load8(p))};
    else if constexpr (sizeof(Src) == 1) return {_mm_cvtepu8_epi32(_mm_cvtsi32_si128(load<int>(p)))};
    else return {_mm_cvtepu16_epi32(load8(p))};
}

// The low half (i = 0) or the high half (i = 1) of the lanes, twice as wide.
OCIOR_INLINE Vec<std::uint16_t> widen_half(Vec<std::uint8_t> v, int i) noexcept {
    const __m128i zero = _mm_setzero_si128();
    return {i == 0 ? _mm_unpacklo_epi8(v.raw, zero) : _mm_unpackhi_epi8(v.raw, zero)};
}
OCIOR_INLINE Vec<std::uint32_t> widen_half(Vec<std::uint16_t> v, int i) noexcept {
    const __m128i zero = _mm_setzero_si128();
    return {i == 0 ? _mm_unpacklo_epi16(v.raw, zero) : _mm_unpackhi_epi16(v.raw, zero)};
}

// Stores lanes as units of out: whole vectors, until the first n lanes are out.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void store_as(Dst* out, Vec<Src> v, std::size_t n = Vec<Src>::kLanes) noexcept {
    [[maybe_unused]] const auto put = [out, n](std::size_t i, __m128i w) {
        if (n * sizeof(Dst) > i * kVecBytes) _mm_storeu_si128(reinterpret_cast<__m128i*>(out) + i, w);
    };
    if constexpr (sizeof(Src) == sizeof(Dst)) {
        v.store(out);
    } else if constexpr (sizeof(Src) == 1 && sizeof(Dst) == 2) {
        put(0, _mm_cvtepu8_epi16(v.raw));
        put(1, _mm_unpackhi_epi8(v.raw, _mm_setzero_si128()));
    } else if constexpr (sizeof(Src) == 1 && sizeof(Dst) == 4) {
        put(0, _mm_cvtepu8_epi32(v.raw));
        put(1, _mm_cvtepu8_epi32(_mm_srli_si128(v.raw, 4)));
        put(2, _mm_cvtepu8_epi32(_mm_srli_si128(v.raw, 8)));
        put(3, _mm_cvtepu8_epi32(_mm_srli_si128(v.raw, 12)));
    } else if constexpr (sizeof(Src) == 2 && sizeof(Dst) == 4) {
        put(0, _mm_cvtepu16_epi32(v.raw));
        put(1, _mm_unpackhi_epi16(v.raw, _mm_setzero_si128()));
    } else if constexpr (sizeof(Src) == 2) {
        _mm_storel_epi64(reinterpret_cast<__m128i*>(out), _mm_packus_epi16(v.raw, v.raw));
    } else {
        const __m128i words = _mm_packus_epi32(v.raw, v.raw);
        if constexpr (sizeof(Dst) == 2) _mm_storel_epi64(reinterpret_cast<__m128i*>(out), words);
        else store(out, static_cast<std::uint32_t>(_mm_cvtsi128_si32(_mm_packus_epi16(words, words))));
    }
}

template <CodeUnit U>
OCIOR_INLINE Bytes16 part(Vec<U> v, std::size_t) noexcept {
    return v.raw;
}

template <CodeUnit U>
OCIOR_INLINE Vec<U> short_letters(Vec<U> v) noexcept {
    return {short_letters(v.raw)};
}

// 16-bit lanes, all bits of which are set where the lane's bit in `bits` is, else none.
OCIOR_INLINE Vec<std::uint16_t> filled_lanes(std::uint64_t bits) noexcept {
    const __m128i weights = _mm_setr_epi16(1, 2, 4, 8, 16, 32, 64, 128);
    return {_mm_cmpeq_epi16(_mm_and_si128(_mm_set1_epi16(static_cast<short>(bits)), weights), weights)};
}

// The mask of the bytes whose bit in `bits` is set.
OCIOR_INLINE Mask<std::uint8_t> byte_lanes_of(std::uint64_t bits) noexcept {
    const __m128i source = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
    const __m128i weights = _mm_set1_epi64x(static_cast<long long>(0x8040201008040201));
    const __m128i spread = _mm_shuffle_epi8(_mm_cvtsi32_si128(static_cast<int>(bits)), source);
    return {_mm_cmpeq_epi8(_mm_and_si128(spread, weights), weights)};
}

// The entry of the table that the lower four bits of a lane number; 0 where the lane's uppermost bit is set.
OCIOR_INLINE Vec<std::uint8_t> look_up(const std::uint8_t (&table)[16], Vec<std::uint8_t> v) noexcept {
    return {_mm_shuffle_epi8(load16(table), v.raw)};
}
// The mean of two lanes, rounded up.
OCIOR_INLINE Vec<std::uint8_t> average(Vec<std::uint8_t> a, Vec<std::uint8_t> b) noexcept { return {_mm_avg_epu8(a.raw, b.raw)}; }

// The values of hexadecimal digits, in the lanes of `digits`. The other lanes hold 15 at most.
OCIOR_INLINE Vec<std::uint8_t> hex_values(Vec<std::uint8_t> v, Mask<std::uint8_t>& digits) noexcept {
    // 0-9 become 0xF0 and more by a sum that wraps, whatever follows them stays below; letters of both cases become 10 to 15.
    const __m128i decimal = _mm_subs_epu8(_mm_add_epi8(v.raw, _mm_set1_epi8(static_cast<char>(0xFF - '9'))), _mm_set1_epi8(6));
    const __m128i letter = _mm_sub_epi8(_mm_and_si128(v.raw, _mm_set1_epi8(static_cast<char>(0xDF))), _mm_set1_epi8('A'));
    const __m128i value =
        _mm_min_epu8(_mm_sub_epi8(decimal, _mm_set1_epi8(static_cast<char>(0xF0))), _mm_adds_epu8(letter, _mm_set1_epi8(10)));
    const __m128i nibble = _mm_and_si128(value, _mm_set1_epi8(15));
    digits.raw = _mm_cmpeq_epi8(nibble, value);
    return {nibble};
}

// Lane i takes lane i + k; the last k lanes become zero.
template <int k>
OCIOR_INLINE Vec<std::uint8_t> lanes_after(Vec<std::uint8_t> v) noexcept {
    return {_mm_srli_si128(v.raw, k)};
}

// Units as bytes in the low lanes, 0xFF in the place of those that are larger; the other lanes are zero.
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint8_t> v) noexcept { return v; }
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint16_t> v) noexcept {
    return {_mm_packus_epi16(_mm_min_epu16(v.raw, _mm_set1_epi16(0xFF)), _mm_setzero_si128())};
}
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint32_t> v) noexcept {
    const __m128i zero = _mm_setzero_si128();
    return {_mm_packus_epi16(_mm_packus_epi32(_mm_min_epu32(v.raw, _mm_set1_epi32(0xFF)), zero), zero)};
}

inline constexpr std::size_t kUtf8RunChars = 8;
// Loads characters of three bytes each into the low lanes: returns how many of the first `wanted` (at most kUtf8RunChars) at p are such,
// up to the first that is not. Reads 28 bytes.
OCIOR_INLINE std::size_t load_utf8_run(const std::uint8_t* p, std::size_t wanted, Vec<std::uint16_t>& units) noexcept {
    return trailing_zeros(load_utf8_run8(p, units.raw) | 1ull << 2 * wanted) / 2;
}

// Space, tab, newline, carriage return: each byte is looked up by its low nibble and must be what stands there.
OCIOR_INLINE Mask<std::uint8_t> space_lanes(Vec<std::uint8_t> v) noexcept {
    const __m128i spaces = _mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, -1, '\r', -1, -1);
    return {_mm_cmpeq_epi8(_mm_shuffle_epi8(spaces, v.raw), v.raw)};
}

// Two vectors of units, all below 0x10000, as one.
OCIOR_INLINE Vec<std::uint16_t> narrow(Vec<std::uint32_t> a, Vec<std::uint32_t> b) noexcept { return {_mm_packus_epi32(a.raw, b.raw)}; }

using StringHead = Vec<std::uint8_t>;

OCIOR_INLINE bool equal_upto(const std::uint8_t* p, const std::uint8_t* q, std::size_t n) noexcept {
    const __m128i same =
        _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)), _mm_loadu_si128(reinterpret_cast<const __m128i*>(q)));
    const std::uint32_t differ = ~static_cast<std::uint32_t>(_mm_movemask_epi8(same)) & 0xFFFF;
    return (differ & low_bits(static_cast<unsigned>(n))) == 0;
}

}  // namespace ocior::simd
