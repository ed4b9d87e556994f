// Eight 64-bit integers in one vector, with multiply-adds of 52 bits, where the level has AVX-512 with IFMA and VBMI (kHasU64x8).
#pragma once

#include "simd/decimal_write.h"
#include "simd/lanes.h"

namespace ocior::simd {

#if defined(__AVX512IFMA__) && defined(__AVX512VBMI__)

inline constexpr bool kHasU64x8 = true;

// Forms with a mask are used, because GCC 12 warns about undefined operands in its own header's forms without one.
inline constexpr __mmask8 kAllEight = 0xff;

struct U64x8 {
    __m512i raw;

    static OCIOR_INLINE U64x8 splat(const std::uint64_t& x) noexcept { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
    static OCIOR_INLINE U64x8 zero() noexcept { return {_mm512_setzero_si512()}; }
    template <typename Get>
    static OCIOR_INLINE U64x8 from(Get get) noexcept {
        const auto lane = [&](int i) OCIOR_INLINE_LAMBDA { return static_cast<long long>(get(i)); };
        return {_mm512_setr_epi64(lane(0), lane(1), lane(2), lane(3), lane(4), lane(5), lane(6), lane(7))};
    }
    static OCIOR_INLINE U64x8 load(const std::uint64_t* p) noexcept { return {_mm512_load_si512(p)}; }  // p is aligned to 64 bytes
    static OCIOR_INLINE U64x8 load_any(const std::uint64_t* p) noexcept { return {_mm512_loadu_si512(p)}; }
    OCIOR_INLINE void store(std::uint64_t* p) const noexcept { _mm512_store_si512(p, raw); }  // p is aligned to 64 bytes

    friend OCIOR_INLINE U64x8 operator+(U64x8 a, U64x8 b) noexcept { return {_mm512_add_epi64(a.raw, b.raw)}; }
    friend OCIOR_INLINE U64x8 operator-(U64x8 a, U64x8 b) noexcept { return {_mm512_sub_epi64(a.raw, b.raw)}; }
    friend OCIOR_INLINE U64x8 operator-(U64x8 a) noexcept { return zero() - a; }
    friend OCIOR_INLINE U64x8 operator&(U64x8 a, U64x8 b) noexcept { return {_mm512_and_si512(a.raw, b.raw)}; }
    friend OCIOR_INLINE U64x8 operator|(U64x8 a, U64x8 b) noexcept { return {_mm512_or_si512(a.raw, b.raw)}; }
    friend OCIOR_INLINE U64x8 operator<<(U64x8 a, U64x8 n) noexcept { return {_mm512_maskz_sllv_epi64(kAllEight, a.raw, n.raw)}; }
    friend OCIOR_INLINE U64x8 operator>>(U64x8 a, U64x8 n) noexcept { return {_mm512_maskz_srlv_epi64(kAllEight, a.raw, n.raw)}; }
    template <unsigned n>
    OCIOR_INLINE U64x8 shift_left() const noexcept {
        return {_mm512_maskz_slli_epi64(kAllEight, raw, n)};
    }
    template <unsigned n>
    OCIOR_INLINE U64x8 shift_right() const noexcept {
        return {_mm512_maskz_srli_epi64(kAllEight, raw, n)};
    }
    template <unsigned n>
    OCIOR_INLINE U64x8 shift_right_signed() const noexcept {
        return {_mm512_maskz_srai_epi64(kAllEight, raw, n)};
    }
};

// One bit per lane.
struct Mask8 {
    __mmask8 bits;
    friend OCIOR_INLINE Mask8 operator|(Mask8 a, Mask8 b) noexcept { return {static_cast<__mmask8>(a.bits | b.bits)}; }
    friend OCIOR_INLINE Mask8 operator&(Mask8 a, Mask8 b) noexcept { return {static_cast<__mmask8>(a.bits & b.bits)}; }
    friend OCIOR_INLINE Mask8 operator~(Mask8 a) noexcept { return {static_cast<__mmask8>(~a.bits)}; }
};
OCIOR_INLINE Mask8 less(U64x8 a, U64x8 b) noexcept { return {_mm512_cmplt_epu64_mask(a.raw, b.raw)}; }
OCIOR_INLINE Mask8 equal(U64x8 a, U64x8 b) noexcept { return {_mm512_cmpeq_epi64_mask(a.raw, b.raw)}; }
OCIOR_INLINE Mask8 is_zero(U64x8 a) noexcept { return {_mm512_testn_epi64_mask(a.raw, a.raw)}; }
OCIOR_INLINE U64x8 select(Mask8 m, U64x8 yes, U64x8 no) noexcept { return {_mm512_mask_mov_epi64(no.raw, m.bits, yes.raw)}; }
OCIOR_INLINE U64x8 where(Mask8 m, U64x8 a) noexcept { return {_mm512_maskz_mov_epi64(m.bits, a.raw)}; }  // else 0
OCIOR_INLINE U64x8 add_where(Mask8 m, U64x8 a, U64x8 b) noexcept { return {_mm512_mask_add_epi64(a.raw, m.bits, a.raw, b.raw)}; }
OCIOR_INLINE U64x8 max_signed(U64x8 a, U64x8 b) noexcept { return {_mm512_maskz_max_epi64(kAllEight, a.raw, b.raw)}; }
OCIOR_INLINE U64x8 leading_zeros(U64x8 a) noexcept { return {_mm512_lzcnt_epi64(a.raw)}; }

// The products of the low 32 bits of each lane.
OCIOR_INLINE U64x8 multiply_32(U64x8 a, U64x8 b) noexcept { return {_mm512_maskz_mul_epu32(kAllEight, a.raw, b.raw)}; }
OCIOR_INLINE U64x8 multiply_32_signed(U64x8 a, U64x8 b) noexcept { return {_mm512_maskz_mul_epi32(kAllEight, a.raw, b.raw)}; }
// The low 52 bits of a and of b are multiplied; the low (high) 52 bits of the product are added to the sum.
OCIOR_INLINE U64x8 add_product_low(U64x8 sum, U64x8 a, U64x8 b) noexcept { return {_mm512_madd52lo_epu64(sum.raw, a.raw, b.raw)}; }
OCIOR_INLINE U64x8 add_product_high(U64x8 sum, U64x8 a, U64x8 b) noexcept { return {_mm512_madd52hi_epu64(sum.raw, a.raw, b.raw)}; }

// Loads the eight rows of two numbers that `index` names: `first` gets the first numbers, `second` the second ones. This is six times as
// fast as an instruction that gathers.
template <typename Row>
OCIOR_INLINE void load_pairs(const Row* rows, U64x8 index, U64x8& first, U64x8& second) noexcept {
    static_assert(sizeof(Row) == 16);
    alignas(64) std::uint64_t at[8];
    index.store(at);
    asm volatile("" ::: "memory");  // else GCC would take the numbers out of the vector one by one
    const auto row = [&](int i) OCIOR_INLINE_LAMBDA { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(rows + at[i])); };
    const auto four = [&](int i) OCIOR_INLINE_LAMBDA {
        const __m256i low = _mm256_inserti128_si256(_mm256_castsi128_si256(row(i)), row(i + 2), 1);
        const __m256i high = _mm256_inserti128_si256(_mm256_castsi128_si256(row(i + 4)), row(i + 6), 1);
        return _mm512_maskz_inserti64x4(kAllEight, _mm512_castsi256_si512(low), high, 1);
    };
    const __m512i even = four(0), odd = four(1);
    first = {_mm512_maskz_unpacklo_epi64(kAllEight, even, odd)};
    second = {_mm512_maskz_unpackhi_epi64(kAllEight, even, odd)};
}

// The eight digits of each of eight numbers below 10^8, one per byte, the last digit in the lowest byte, by the three divisions of digits8
// in decimal_write.h.
struct Digits8Constants {
    std::uint64_t div10000 = kDiv10000, mod10000 = kMod10000, div100 = kDiv100 * k16, mod100 = kMod100 * k16, div10 = kDiv10 * k16,
                  mod10 = kMod10 * k16;
    static constexpr std::uint64_t k16 = 0x0001000100010001;
};
OCIOR_INLINE U64x8 digits8(U64x8 x, const Digits8Constants& k) noexcept {
    const auto splat = [](const std::uint64_t& constant) OCIOR_INLINE_LAMBDA { return U64x8::splat(constant); };
    x = x + multiply_32(multiply_32(x, splat(k.div10000)).shift_right<40>(), splat(k.mod10000));
    const __m512i hundreds = _mm512_srli_epi16(_mm512_mulhi_epu16(x.raw, splat(k.div100).raw), 3);
    const __m512i rest = _mm512_add_epi16(x.raw, _mm512_mullo_epi16(hundreds, splat(k.mod100).raw));
    const __m512i pairs = _mm512_or_si512(rest, _mm512_maskz_slli_epi32(0xffff, hundreds, 16));
    return {_mm512_add_epi16(pairs, _mm512_mullo_epi16(_mm512_mulhi_epu16(pairs, splat(k.div10).raw), splat(k.mod10).raw))};
}

// Stores eight rows of 32 bytes: one lane of `a`, one of `b`, and one of `c` twice. `rows` is aligned to 64 bytes.
struct RowOrder {
    std::uint64_t first[8] = {0, 8, 1, 9, 2, 10, 3, 11}, second[8] = {4, 12, 5, 13, 6, 14, 7, 15};
    std::uint64_t row[4][8] = {
        {0, 1, 8, 8, 2, 3, 9, 9}, {4, 5, 10, 10, 6, 7, 11, 11}, {0, 1, 12, 12, 2, 3, 13, 13}, {4, 5, 14, 14, 6, 7, 15, 15}};
};
OCIOR_INLINE void store_rows(std::uint8_t (*rows)[32], U64x8 a, U64x8 b, U64x8 c, const RowOrder& order) noexcept {
    const auto take = [](const std::uint64_t* p) OCIOR_INLINE_LAMBDA { return _mm512_load_si512(p); };
    const __m512i low = _mm512_permutex2var_epi64(a.raw, take(order.first), b.raw);
    const __m512i high = _mm512_permutex2var_epi64(a.raw, take(order.second), b.raw);
    for (int i = 0; i < 4; ++i) _mm512_store_si512(rows[2 * i], _mm512_permutex2var_epi64(i < 2 ? low : high, take(order.row[i]), c.raw));
}

// Stores the bytes of each lane in the other order. `out` is aligned to 64 bytes.
OCIOR_INLINE void store_reversed(std::uint8_t* out, U64x8 a) noexcept {
    const __m512i reversed = _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607);
    _mm512_store_si512(out, _mm512_shuffle_epi8(a.raw, reversed));
}

// Stores eight rows of 16 bytes: the reversed bytes of one lane of `high`, then those of one of `low`. `rows` is aligned to 64 bytes.
OCIOR_INLINE void store_reversed(std::uint8_t* rows, U64x8 high, U64x8 low, const RowOrder& order) noexcept {
    store_reversed(rows, {_mm512_permutex2var_epi64(high.raw, _mm512_load_si512(order.first), low.raw)});
    store_reversed(rows + 64, {_mm512_permutex2var_epi64(high.raw, _mm512_load_si512(order.second), low.raw)});
}

// Stores 32 bytes: out[i] is row[take[i]].
OCIOR_INLINE void put_row(std::uint8_t* out, const std::uint8_t* row, const std::uint8_t* take) noexcept {
    const auto load32 = [](const std::uint8_t* p) OCIOR_INLINE_LAMBDA { return _mm256_load_si256(reinterpret_cast<const __m256i*>(p)); };
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm256_maskz_permutexvar_epi8(~0u, load32(take), load32(row)));
}

// Stores eight numbers, each with what follows it: a minus where `sign` is 1 and not 0, its digits but the first `start` ones, and
// `separator_length` bytes, 1 or 2, of the separator. Of 8 digits each, or of 16, of which the first three are never wanted. Each number
// has 16 bytes, of which those that are not wanted drop out. 152 bytes may be stored.
template <unsigned kDigits>
OCIOR_INLINE std::uint8_t* put_eight(std::uint8_t* out, const std::uint8_t* digits, U64x8 start, U64x8 sign, std::uint16_t separator,
                                     unsigned separator_length) noexcept {
    constexpr unsigned kSkipped = kDigits == 8 ? 0 : 3, kBehind = 1 + kDigits - kSkipped;  // bytes 1 to kBehind are digits
    struct Places {
        alignas(64) std::uint8_t at[2][64] = {};
        constexpr Places() noexcept {
            for (unsigned half = 0; half < 2; ++half)
                for (unsigned i = 0; i < 64; ++i)
                    at[half][i] = static_cast<std::uint8_t>((4 * half + i / 16) * kDigits % 64 + (i % 16 - 1 + kSkipped) % kDigits);
        }
    };
    static constexpr Places kPlaces;
    constexpr std::uint64_t kKept = (1ull << kBehind) - 2;
    const std::uint64_t behind = ((std::uint64_t{1} << separator_length) - 1) << kBehind;
    U64x8 shown = U64x8::splat(kKept) << start;
    if constexpr (kSkipped != 0) shown = shown.shift_right<kSkipped>();
    const U64x8 kept = (shown & U64x8::splat(kKept)) | sign | U64x8::splat(behind);
    const __m128i masks = _mm512_maskz_cvtepi64_epi16(kAllEight, kept.raw);
    const __m512i around =
        _mm512_broadcast_i32x4(_mm_set_epi64x(static_cast<long long>(static_cast<std::uint64_t>(separator) << (8 * (kBehind - 8))), '-'));
    const auto put_four = [&](unsigned half, std::uint64_t mask) OCIOR_INLINE_LAMBDA {
        const __m512i text = _mm512_loadu_si512(digits + (kDigits == 8 ? 0 : 64 * half));
        const __m512i all = _mm512_mask_permutexvar_epi8(around, kKept * 0x0001000100010001, _mm512_load_si512(kPlaces.at[half]), text);
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(mask, all));
        out += __builtin_popcountll(mask);
    };
    put_four(0, static_cast<std::uint64_t>(_mm_cvtsi128_si64(masks)));
    put_four(1, static_cast<std::uint64_t>(_mm_extract_epi64(masks, 1)));
    return out;
}

#else

inline constexpr bool kHasU64x8 = false;

#endif

}  // namespace ocior::simd
