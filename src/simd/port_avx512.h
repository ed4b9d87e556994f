// AVX-512 (F, BW, CD, DQ, VL, VBMI, VBMI2): 64-byte vectors, masks in mask registers, loads and stores of an exact size by masks.
#pragma once

// GCC 12 finds the deliberately undefined operands of its own AVX-512 header suspicious (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

#include <array>
#include <type_traits>

#include "base/bits.h"
#include "base/config.h"
#include "simd/overread.h"

namespace ocior::simd {

inline constexpr std::size_t kVecBytes = 64;

template <CodeUnit U>
struct Mask {
    using Bits = std::conditional_t<sizeof(U) == 1, __mmask64, std::conditional_t<sizeof(U) == 2, __mmask32, __mmask16>>;
    static constexpr unsigned kBitsPerLane = 1;
    static constexpr Bits kAll = static_cast<Bits>(~0ull);
    Bits k;
    OCIOR_INLINE Bits bits() const noexcept { return k; }
    OCIOR_INLINE bool any() const noexcept { return k != 0; }
    OCIOR_INLINE bool none() const noexcept { return k == 0; }
    OCIOR_INLINE unsigned first() const noexcept { return trailing_zeros(k); }
    OCIOR_INLINE std::uint64_t lane_bits() const noexcept { return k; }
    friend OCIOR_INLINE Mask operator|(Mask a, Mask b) noexcept { return {static_cast<Bits>(a.k | b.k)}; }
    friend OCIOR_INLINE Mask operator&(Mask a, Mask b) noexcept { return {static_cast<Bits>(a.k & b.k)}; }
};

namespace detail {

// The bytes 0 to 63.
OCIOR_INLINE __m512i byte_numbers() noexcept {
    alignas(64) static constexpr auto kNumbers = [] {
        std::array<std::uint8_t, 64> numbers{};
        for (unsigned i = 0; i < 64; ++i) numbers[i] = static_cast<std::uint8_t>(i);
        return numbers;
    }();
    return _mm512_load_si512(&kNumbers);
}

}  // namespace detail

template <CodeUnit U>
struct Vec {
    static constexpr std::size_t kLanes = kVecBytes / sizeof(U);
    __m512i raw;

    static OCIOR_INLINE Vec load(const void* p) noexcept { return {_mm512_loadu_si512(p)}; }
    static OCIOR_INLINE Vec load_upto(const U* p, std::size_t n) noexcept {
        const std::uint64_t lanes = _bzhi_u64(~0ull, static_cast<unsigned>(n));
        if constexpr (sizeof(U) == 1) return {_mm512_maskz_loadu_epi8(lanes, p)};
        else if constexpr (sizeof(U) == 2) return {_mm512_maskz_loadu_epi16(static_cast<__mmask32>(lanes), p)};
        else return {_mm512_maskz_loadu_epi32(static_cast<__mmask16>(lanes), p)};
    }
    static OCIOR_INLINE Vec splat(U u) noexcept {
        if constexpr (sizeof(U) == 1) return {_mm512_set1_epi8(static_cast<char>(u))};
        else if constexpr (sizeof(U) == 2) return {_mm512_set1_epi16(static_cast<short>(u))};
        else return {_mm512_set1_epi32(static_cast<int>(u))};
    }
    OCIOR_INLINE void store(void* p) const noexcept { _mm512_storeu_si512(p, raw); }
    OCIOR_INLINE void store_upto(U* p, std::size_t n) const noexcept {
        const std::uint64_t lanes = _bzhi_u64(~0ull, static_cast<unsigned>(n));
        if (OCIOR_UNLIKELY(!within_page(p, kVecBytes)) && within_page(p, n * sizeof(U))) return store_at_page_end(p, n);
        if constexpr (sizeof(U) == 1) _mm512_mask_storeu_epi8(p, lanes, raw);
        else if constexpr (sizeof(U) == 2) _mm512_mask_storeu_epi16(p, static_cast<__mmask32>(lanes), raw);
        else _mm512_mask_storeu_epi32(p, static_cast<__mmask16>(lanes), raw);
    }
    // store_upto() where the vector reaches into a page that the n units do not touch. If that page was never written, or is shared since a
    // fork, the processor takes an assist to find that nothing is stored there: 170 ns on Zen 5, each time. So the last whole vector of the
    // first page is stored.
    OCIOR_INLINE void store_at_page_end(U* p, std::size_t n) const noexcept {
        const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(p) % kVecBytes);
        const __m512i from = _mm512_sub_epi8(detail::byte_numbers(), _mm512_set1_epi8(static_cast<char>(shift)));
        const std::uint64_t lanes = _bzhi_u64(~0ull, static_cast<unsigned>(n * sizeof(U))) << shift;
        _mm512_mask_storeu_epi8(reinterpret_cast<char*>(p) - shift, lanes, _mm512_maskz_permutexvar_epi8(lanes, from, raw));
    }
    // The first n lanes; the others become zero.
    OCIOR_INLINE Vec keep_first(std::size_t n) const noexcept {
        return {_mm512_maskz_mov_epi8(_bzhi_u64(~0ull, static_cast<unsigned>(n * sizeof(U))), raw)};
    }
    friend OCIOR_INLINE Vec operator|(Vec a, Vec b) noexcept { return {_mm512_or_si512(a.raw, b.raw)}; }
    friend OCIOR_INLINE Vec operator&(Vec a, Vec b) noexcept { return {_mm512_and_si512(a.raw, b.raw)}; }
    friend OCIOR_INLINE Vec operator^(Vec a, Vec b) noexcept { return {_mm512_xor_si512(a.raw, b.raw)}; }
};

template <int kBits, CodeUnit U>
    requires(sizeof(U) > 1)
OCIOR_INLINE Vec<U> shift_left(Vec<U> v) noexcept {
    if constexpr (sizeof(U) == 2) return {_mm512_slli_epi16(v.raw, kBits)};
    else return {_mm512_slli_epi32(v.raw, kBits)};
}
template <int kBits, CodeUnit U>
    requires(sizeof(U) > 1)
OCIOR_INLINE Vec<U> shift_right(Vec<U> v) noexcept {
    if constexpr (sizeof(U) == 2) return {_mm512_srli_epi16(v.raw, kBits)};
    else return {_mm512_srli_epi32(v.raw, kBits)};
}
template <CodeUnit U>
OCIOR_INLINE Vec<U> select(Mask<U> m, Vec<U> yes, Vec<U> no) noexcept {
    if constexpr (sizeof(U) == 1) return {_mm512_mask_mov_epi8(no.raw, m.k, yes.raw)};
    else if constexpr (sizeof(U) == 2) return {_mm512_mask_mov_epi16(no.raw, m.k, yes.raw)};
    else return {_mm512_mask_mov_epi32(no.raw, m.k, yes.raw)};
}

template <CodeUnit U>
OCIOR_INLINE Vec<U> min(Vec<U> a, Vec<U> b) noexcept {
    if constexpr (sizeof(U) == 1) return {_mm512_min_epu8(a.raw, b.raw)};
    else if constexpr (sizeof(U) == 2) return {_mm512_min_epu16(a.raw, b.raw)};
    else return {_mm512_min_epu32(a.raw, b.raw)};
}
OCIOR_INLINE Vec<std::uint8_t> subtract_saturated(Vec<std::uint8_t> a, Vec<std::uint8_t> b) noexcept {
    return {_mm512_subs_epu8(a.raw, b.raw)};
}
OCIOR_INLINE Vec<std::uint32_t> add(Vec<std::uint32_t> a, Vec<std::uint32_t> b) noexcept { return {_mm512_add_epi32(a.raw, b.raw)}; }

template <CodeUnit U>
OCIOR_INLINE Mask<U> eq(Vec<U> v, U u) noexcept {
    const __m512i w = Vec<U>::splat(u).raw;
    if constexpr (sizeof(U) == 1) return {_mm512_cmpeq_epi8_mask(v.raw, w)};
    else if constexpr (sizeof(U) == 2) return {_mm512_cmpeq_epi16_mask(v.raw, w)};
    else return {_mm512_cmpeq_epi32_mask(v.raw, w)};
}
template <CodeUnit U>
OCIOR_INLINE Mask<U> lt(Vec<U> v, U u) noexcept {
    const __m512i w = Vec<U>::splat(u).raw;
    if constexpr (sizeof(U) == 1) return {_mm512_cmplt_epu8_mask(v.raw, w)};
    else if constexpr (sizeof(U) == 2) return {_mm512_cmplt_epu16_mask(v.raw, w)};
    else return {_mm512_cmplt_epu32_mask(v.raw, w)};
}
template <CodeUnit U>
OCIOR_INLINE Mask<U> ge(Vec<U> v, U u) noexcept {
    const __m512i w = Vec<U>::splat(u).raw;
    if constexpr (sizeof(U) == 1) return {_mm512_cmpge_epu8_mask(v.raw, w)};
    else if constexpr (sizeof(U) == 2) return {_mm512_cmpge_epu16_mask(v.raw, w)};
    else return {_mm512_cmpge_epu32_mask(v.raw, w)};
}
OCIOR_INLINE Mask<std::uint8_t> lt_signed(Vec<std::uint8_t> v, std::int8_t i) noexcept {
    return {_mm512_cmplt_epi8_mask(v.raw, _mm512_set1_epi8(i))};
}

// A vector of kLanes units, read from narrower ones.
template <CodeUnit U, CodeUnit Src>
OCIOR_INLINE Vec<U> load_widened(const Src* p) noexcept {
    if constexpr (sizeof(U) == sizeof(Src)) return Vec<U>::load(p);
    else if constexpr (sizeof(U) == 2) return {_mm512_cvtepu8_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
    else if constexpr (sizeof(Src) == 1) return {_mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
    else return {_mm512_cvtepu16_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}

// The low lanes of v, widened.
template <CodeUnit U, CodeUnit Src>
OCIOR_INLINE Vec<U> widen_low(Vec<Src> v) noexcept {
    if constexpr (sizeof(U) == 2) return {_mm512_cvtepu8_epi16(_mm512_castsi512_si256(v.raw))};
    else if constexpr (sizeof(Src) == 1) return {_mm512_cvtepu8_epi32(_mm512_castsi512_si128(v.raw))};
    else return {_mm512_cvtepu16_epi32(_mm512_castsi512_si256(v.raw))};
}

// The low half (i = 0) or the high half (i = 1) of the lanes, twice as wide.
OCIOR_INLINE Vec<std::uint16_t> widen_half(Vec<std::uint8_t> v, int i) noexcept {
    return {_mm512_cvtepu8_epi16(i == 0 ? _mm512_castsi512_si256(v.raw) : _mm512_extracti64x4_epi64(v.raw, 1))};
}
OCIOR_INLINE Vec<std::uint32_t> widen_half(Vec<std::uint16_t> v, int i) noexcept {
    return {_mm512_cvtepu16_epi32(i == 0 ? _mm512_castsi512_si256(v.raw) : _mm512_extracti64x4_epi64(v.raw, 1))};
}

// Stores lanes as units of out: whole vectors, until the first n lanes are out.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void store_as(Dst* out, Vec<Src> v, std::size_t n = Vec<Src>::kLanes) noexcept {
    if constexpr (sizeof(Src) == sizeof(Dst)) {
        v.store(out);
    } else if constexpr (sizeof(Src) == 1 && sizeof(Dst) == 2) {
        _mm512_storeu_si512(out, _mm512_cvtepu8_epi16(_mm512_castsi512_si256(v.raw)));
        if (n > 32) _mm512_storeu_si512(out + 32, _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(v.raw, 1)));
    } else if constexpr (sizeof(Src) == 1 && sizeof(Dst) == 4) {
        _mm512_storeu_si512(out, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(v.raw)));
        if (n > 16) _mm512_storeu_si512(out + 16, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v.raw, 1)));
        if (n > 32) _mm512_storeu_si512(out + 32, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v.raw, 2)));
        if (n > 48) _mm512_storeu_si512(out + 48, _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(v.raw, 3)));
    } else if constexpr (sizeof(Src) == 2 && sizeof(Dst) == 4) {
        _mm512_storeu_si512(out, _mm512_cvtepu16_epi32(_mm512_castsi512_si256(v.raw)));
        if (n > 16) _mm512_storeu_si512(out + 16, _mm512_cvtepu16_epi32(_mm512_extracti64x4_epi64(v.raw, 1)));
    } else if constexpr (sizeof(Src) == 2) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_maskz_cvtepi16_epi8(~0u, v.raw));
    } else if constexpr (sizeof(Dst) == 1) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_maskz_cvtepi32_epi8(0xffff, v.raw));
    } else {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_maskz_cvtepi32_epi16(0xffff, v.raw));
    }
}

OCIOR_INLINE Mask<std::uint8_t> byte_lanes_of(std::uint64_t bits) noexcept { return {bits}; }

// The values of hexadecimal digits, in the lanes of `digits`. The other lanes hold 15 at most.
OCIOR_INLINE Vec<std::uint8_t> hex_values(Vec<std::uint8_t> v, Mask<std::uint8_t>& digits) noexcept {
    alignas(64) static constexpr auto kValues = [] {
        struct {
            std::uint8_t of[128];
        } t{};
        for (auto& value : t.of) value = 0x80;
        for (std::uint8_t i = 0; i < 10; ++i) t.of['0' + i] = i;
        for (std::uint8_t i = 0; i < 6; ++i) t.of['a' + i] = t.of['A' + i] = static_cast<std::uint8_t>(10 + i);
        return t;
    }();
    const __m512i values = _mm512_permutex2var_epi8(_mm512_load_si512(kValues.of), v.raw, _mm512_load_si512(kValues.of + 64));
    digits.k = ~_mm512_movepi8_mask(_mm512_or_si512(values, v.raw));  // the look-up ignores the uppermost bit of each lane of v
    return {_mm512_maskz_mov_epi8(digits.k, values)};
}

// Lane i takes lane i + k; the last k lanes become zero.
template <int k>
OCIOR_INLINE Vec<std::uint8_t> lanes_after(Vec<std::uint8_t> v) noexcept {
    alignas(64) static constexpr auto kTake = [] {
        struct {
            std::uint8_t at[64];
        } t{};
        for (unsigned i = 0; i < 64; ++i) t.at[i] = static_cast<std::uint8_t>(i + k);
        return t;
    }();
    return {_mm512_maskz_permutexvar_epi8(~0ull >> k, _mm512_load_si512(kTake.at), v.raw)};
}

// Units as bytes in the low lanes, 0xFF in the place of those that are larger; the other lanes are zero.
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint8_t> v) noexcept { return v; }
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint16_t> v) noexcept {
    return {_mm512_zextsi256_si512(_mm512_maskz_cvtusepi16_epi8(~0u, v.raw))};
}
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint32_t> v) noexcept {
    return {_mm512_zextsi128_si512(_mm512_maskz_cvtusepi32_epi8(0xffff, v.raw))};
}

// Space, tab, newline, carriage return: each byte is looked up by its low nibble and must be what stands there.
OCIOR_INLINE Mask<std::uint8_t> space_lanes(Vec<std::uint8_t> v) noexcept {
    const __m512i spaces =
        _mm512_maskz_broadcast_i32x4(0xffff, _mm_setr_epi8(' ', -1, -1, -1, -1, -1, -1, -1, -1, '\t', '\n', -1, -1, '\r', -1, -1));
    return {_mm512_cmpeq_epi8_mask(_mm512_shuffle_epi8(spaces, v.raw), v.raw)};
}

// Two vectors of units, all below 0x10000, as one.
OCIOR_INLINE Vec<std::uint16_t> narrow(Vec<std::uint32_t> a, Vec<std::uint32_t> b) noexcept {
    return {_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_maskz_cvtepi32_epi16(0xffff, a.raw)),
                               _mm512_maskz_cvtepi32_epi16(0xffff, b.raw), 1)};
}

// Half a vector: most keys and many strings are that short, and fewer of its loads and stores cross a cache line. The instructions of
// AVX2 tell sooner, too, where a string ends, which is what the next token waits for. (With whole vectors only, documents of short strings
// took 1.05 times as long to decode, more than with AVX2.)
struct HalfVec {
    static constexpr std::size_t kBytes = 32;
    __m256i raw;

    static OCIOR_INLINE HalfVec load(const void* p) noexcept { return {_mm256_loadu_si256(static_cast<const __m256i*>(p))}; }
    OCIOR_INLINE void store_upto(std::uint8_t* p, std::size_t n) const noexcept {
        if (OCIOR_UNLIKELY(!within_page(p, kBytes))) return Vec<std::uint8_t>{_mm512_castsi256_si512(raw)}.store_upto(p, n);
        _mm256_mask_storeu_epi8(p, _bzhi_u32(~0u, static_cast<unsigned>(n)), raw);
    }
};
struct HalfMask {
    std::uint32_t lanes;
    OCIOR_INLINE bool any() const noexcept { return lanes != 0; }
    OCIOR_INLINE unsigned first() const noexcept { return trailing_zeros(lanes); }
};
OCIOR_INLINE HalfMask marked_or_wide_lanes(HalfVec v) noexcept {
    const __m256i is_low = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x21), _mm256_xor_si256(v.raw, _mm256_set1_epi8(2)));
    const __m256i is_marked = _mm256_or_si256(_mm256_cmpeq_epi8(v.raw, _mm256_set1_epi8('\\')), is_low);
    return {static_cast<std::uint32_t>(_mm256_movemask_epi8(is_marked))};
}
using StringHead = HalfVec;

OCIOR_INLINE bool equal_upto(const std::uint8_t* p, const std::uint8_t* q, std::size_t n) noexcept {
    if (OCIOR_LIKELY(n <= HalfVec::kBytes)) {
        const __m256i are_equal = _mm256_cmpeq_epi8(HalfVec::load(p).raw, HalfVec::load(q).raw);
        return _bzhi_u32(~static_cast<std::uint32_t>(_mm256_movemask_epi8(are_equal)), static_cast<unsigned>(n)) == 0;
    }
    const __m512i a = _mm512_loadu_si512(p);
    const __mmask64 differ = _mm512_cmpneq_epi8_mask(a, _mm512_loadu_si512(q));
    return _bzhi_u64(differ, static_cast<unsigned>(n)) == 0;
}

}  // namespace ocior::simd
