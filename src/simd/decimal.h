// Decimal digits in vector registers: sixteen digits out of an integer (writing), up to 32 characters into one (reading).
#pragma once

#include "base/bits.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace ocior::simd {

// ---- 8 digits in a general register ----

// Division and remainder at once, three times (Xiang JunBo's form): x + (2^s - d) * (x / d) puts x / d above bit s and
// x % d below it. The quotients are multiply-and-shift; the masks cut off what the neighbour field leaked in.
//   abcdefgh -> abcd : efgh -> ab : cd : ef : gh -> a : b : ... : h, most significant field highest
OCIOR_INLINE std::uint64_t bcd8(std::uint64_t below_1e8) noexcept {
    constexpr std::uint64_t kDiv10000 = (1ull << 40) / 10000 + 1, kDiv100 = (1ull << 19) / 100 + 1;
    constexpr std::uint64_t kDiv10 = (1ull << 10) / 10 + 1;
    static_assert(99999999 * (kDiv10000 * 10000 - (1ull << 40)) < (1ull << 40));
    static_assert(9999 * (kDiv100 * 100 - (1ull << 19)) < (1ull << 19));
    static_assert(99 * (kDiv10 * 10 - (1ull << 10)) < (1ull << 10));
    std::uint64_t x = below_1e8;
    x += ((1ull << 32) - 10000) * ((x * kDiv10000) >> 40);
    x += ((1ull << 16) - 100) * (((x * kDiv100) >> 19) & 0x0000007f0000007f);
    x += ((1ull << 8) - 10) * (((x * kDiv10) >> 10) & 0x000f000f000f000f);
    return x;
}

// The inverse on up to 8 characters '0'..'9' minus '0', first character in the lowest byte (Daniel Lemire's and
// Johnny Lee's SWAR form): pairs, then fours, then eight, each step one multiply-and-add.
OCIOR_INLINE std::uint32_t value8(std::uint64_t digits) noexcept {
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t kMask = 0x000000ff000000ff;
    return static_cast<std::uint32_t>(((digits & kMask) * (100 + (1000000ull << 32)) +
                                       ((digits >> 16) & kMask) * (1 + (10000ull << 32))) >> 32);
}

#if defined(__SSE4_1__)

// Where sixteen digits go when a point is put behind the first `point` of them, 1 <= point <= 16: the shuffle takes
// them from the reversed order that Digits16 holds, `ascii` turns them into characters and adds the point.
struct PointRow {
    std::uint8_t shuffle[16];
    std::uint8_t ascii[16];
};
struct PointTable {
    PointRow row[17];
};
constexpr PointTable make_point_table() {
    PointTable table{};
    for (int point = 0; point <= 16; ++point) {
        for (int i = 0; i < 16; ++i) {
            const int digit = i < point ? i : i - 1;
            table.row[point].shuffle[i] = i == point ? 0x80 : static_cast<std::uint8_t>(15 - digit);
            table.row[point].ascii[i] = i == point ? '.' : '0';
        }
    }
    table.row[0] = table.row[16];
    return table;
}
alignas(32) inline constexpr PointTable kPointTable = make_point_table();

// Sixteen digits of a number below 10^16, the least significant in byte 0.
class Digits16 {
public:
    OCIOR_INLINE explicit Digits16(std::uint64_t below_1e16) noexcept {
        const std::uint64_t high = below_1e16 / 100000000, low = below_1e16 - high * 100000000;
        // The three steps of bcd8 on both halves at once.
        const Constants* c = &kConstants;
        asm("" : "+r"(c));  // or GCC makes every constant anew from a general register
        const auto splat = [c](int i) { return _mm_load_si128(reinterpret_cast<const __m128i*>(c->splat[i])); };
        __m128i x = _mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(low)), static_cast<long long>(high), 1);
        const __m128i quotient4 = _mm_srli_epi64(_mm_mul_epu32(x, splat(0)), 40);
        x = _mm_add_epi64(x, _mm_mul_epu32(quotient4, splat(1)));
        // Only the even 16-bit lanes are not 0. Quotients move to the odd lanes, remainders stay.
        const __m128i quotient2 = _mm_srli_epi16(_mm_mulhi_epu16(x, splat(2)), 3);
        x = _mm_or_si128(_mm_add_epi16(x, _mm_mullo_epi16(quotient2, splat(3))), _mm_slli_epi32(quotient2, 16));
        const __m128i quotient1 = _mm_mulhi_epu16(x, splat(4));
        reversed_ = _mm_add_epi16(x, _mm_mullo_epi16(quotient1, splat(5)));
    }

    // 0 to 15; the number is not 0.
    OCIOR_INLINE unsigned trailing_zeros() const noexcept {
        const int non_zero = _mm_movemask_epi8(_mm_cmpgt_epi8(reversed_, _mm_setzero_si128()));
        return static_cast<unsigned>(__builtin_ctz(static_cast<unsigned>(non_zero) | 0x10000));
    }

    // All sixteen at `out`.
    OCIOR_INLINE void put(std::uint8_t* out) const noexcept { put_row(out, 16); }

    // All sixteen and `tail` as the seventeenth, with a point behind the first `point` (1 to 16).
    OCIOR_INLINE void put_with_point(std::uint8_t* out, unsigned point, unsigned tail) const noexcept {
        const unsigned last = static_cast<unsigned>(_mm_cvtsi128_si32(reversed_)) & 0xff;
        const unsigned behind = point == 16 ? '.' | ('0' + tail) << 8 : ('0' + last) | ('0' + tail) << 8;
        put_row(out, point);
        store(out + 16, static_cast<std::uint16_t>(behind));
    }

private:
    OCIOR_INLINE void put_row(std::uint8_t* out, unsigned point) const noexcept {
        const PointRow& row = kPointTable.row[point];
        const __m128i digits = _mm_shuffle_epi8(reversed_, _mm_load_si128(reinterpret_cast<const __m128i*>(row.shuffle)));
        const __m128i text = _mm_or_si128(digits, _mm_load_si128(reinterpret_cast<const __m128i*>(row.ascii)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), text);
    }

    struct Constants {
        alignas(16) std::uint64_t splat[6][2];
    };
    static constexpr Constants make_constants() noexcept {
        constexpr std::uint64_t k16 = 0x0001000100010001;
        const std::uint64_t value[6] = {(1ull << 40) / 10000 + 1,     (1ull << 32) - 10000,
                                        ((1ull << 19) / 100 + 1) * k16, ((1ull << 16) - 100) * k16,
                                        ((1ull << 16) / 10 + 1) * k16,  ((1ull << 8) - 10) * k16};
        Constants constants{};
        for (int i = 0; i < 6; ++i) constants.splat[i][0] = constants.splat[i][1] = value[i];
        return constants;
    }
    static const Constants kConstants;

    __m128i reversed_;
};
alignas(64) inline constexpr Digits16::Constants Digits16::kConstants = Digits16::make_constants();

#else

class Digits16 {
public:
    OCIOR_INLINE explicit Digits16(std::uint64_t below_1e16) noexcept {
        const std::uint64_t high = below_1e16 / 100000000, low = below_1e16 - high * 100000000;
        high_ = __builtin_bswap64(bcd8(high));
        low_ = __builtin_bswap64(bcd8(low));
    }

    OCIOR_INLINE unsigned trailing_zeros() const noexcept {
        return low_ ? leading_zeros(low_) / 8 : 8 + leading_zeros(high_ | 1) / 8;
    }

    OCIOR_INLINE void put(std::uint8_t* out) const noexcept {
        store(out, high_ | kAsciiZeros);
        store(out + 8, low_ | kAsciiZeros);
    }

    OCIOR_INLINE void put_with_point(std::uint8_t* out, unsigned point, unsigned tail) const noexcept {
        std::uint8_t text[32];
        store(text, high_ | kAsciiZeros);
        store(text + 8, low_ | kAsciiZeros);
        store(text + 16, kAsciiZeros + tail);
        std::memcpy(out, text, 16);
        out[point] = '.';
        std::uint8_t behind[16];
        std::memcpy(behind, text + point, 16);
        std::memcpy(out + point + 1, behind, 16);
    }

private:
    static constexpr std::uint64_t kAsciiZeros = 0x3030303030303030;
    std::uint64_t high_, low_;
};

#endif

// ---- Reading: 32 characters of a number ----
//
// NumberBlock holds the 32 characters at p, one byte each; a wider unit becomes a byte that is no number character
// unless it is one. digits() and points(): one bit per character. value(): the digits of the first `length` characters
// as one number; `fraction` of them stand behind a point.
//
// Gathering: right-align the characters so that the last of the number is lane 31, and let the lanes left of the point
// take the character one further left, which drops the point:
//
//     text  - 1 2 . 3 4 5 ,          length 7, fraction 3
//     lane  ... 27 28 29 30 31
//     takes ...  1  2  4  5  6        = lane - 32 + length, minus 1 in the lanes below 32 - fraction
//
// Lanes that would take a negative index are 0; '-' becomes 0 by saturating subtraction of '0'. Then pairs, fours
// and eights of digits are joined by multiply-and-add. A compress followed by an expand (AVX-512 VBMI2) does the same
// with fewer tables, but costs two more shuffles and two more trips through mask registers.

// lane[k] = k - 32: loaded at `length`, the index that every lane takes. left[k] = -1 below 32: loaded at
// `fraction`, the correction left of the point; at 32, when there is no point, none.
struct GatherTable {
    std::int8_t lane[64];
    std::int8_t left[64];
};
constexpr GatherTable make_gather_table() {
    GatherTable table{};
    for (int k = 0; k < 64; ++k) {
        table.lane[k] = static_cast<std::int8_t>(k - 32);
        table.left[k] = k < 32 ? -1 : 0;
    }
    return table;
}
alignas(64) inline constexpr GatherTable kGatherTable = make_gather_table();

inline constexpr std::size_t kNoPoint = 32;  // the `fraction` of a number without a point

// Up to three digits, then two groups of eight, the first of them in the low half.
OCIOR_INLINE std::uint64_t join_eights(std::uint64_t top, std::uint64_t pair) noexcept {
    return top * 10000000000000000 + static_cast<std::uint32_t>(pair) * 100000000ull + (pair >> 32);
}

// Four-byte units have only 16 that may be read at once (64 bytes are readable behind the end). If all of them belong
// to a number, the text does not end there and the next 16 may be read as well.
OCIOR_INLINE bool may_belong_to_number(std::uint8_t c) noexcept { return c >= '-' && c <= '9'; }

// Eight units as bytes, saturated.
template <CodeUnit Unit>
OCIOR_INLINE std::uint64_t load_narrow8(const Unit* p) noexcept {
    if constexpr (sizeof(Unit) == 1) return load<std::uint64_t>(p);
#if defined(__SSE4_1__)
    const auto at = [p](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i); };
    __m128i x = at(0);
    if constexpr (sizeof(Unit) == 4) x = _mm_packus_epi32(x, at(1));
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(x, x)));
#else
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i) bytes |= static_cast<std::uint64_t>(p[i] > 0xff ? 0xff : p[i]) << (8 * i);
    return bytes;
#endif
}

#if defined(__SSE4_1__)

// Sixteen units as bytes, saturated: what does not fit becomes 0 or 255.
template <CodeUnit Unit>
OCIOR_INLINE __m128i load_narrow16(const Unit* p) noexcept {
    const auto at = [p](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i); };
    if constexpr (sizeof(Unit) == 1) {
        return at(0);
    } else if constexpr (sizeof(Unit) == 2) {
        return _mm_packus_epi16(at(0), at(1));
    } else {
        return _mm_packus_epi16(_mm_packus_epi32(at(0), at(1)), _mm_packus_epi32(at(2), at(3)));
    }
}

template <CodeUnit Unit>
OCIOR_INLINE __m128i load_narrow_next16(const Unit* p, __m128i first) noexcept {
    if constexpr (sizeof(Unit) == 4) {
        const __m128i from_minus = _mm_sub_epi8(first, _mm_set1_epi8('-'));
        const __m128i inside = _mm_cmpeq_epi8(_mm_min_epu8(from_minus, _mm_set1_epi8('9' - '-')), from_minus);
        if (_mm_movemask_epi8(inside) != 0xffff) return _mm_setzero_si128();
    }
    return load_narrow16(p + 16);
}

#endif

#if defined(__AVX2__)

class NumberBlock {
public:
    template <CodeUnit Unit>
    OCIOR_INLINE static NumberBlock load(const Unit* p) noexcept {
        NumberBlock block;
        if constexpr (sizeof(Unit) == 1) {
            block.text_ = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
        } else {
            const __m128i low = load_narrow16(p);
            block.text_ = _mm256_set_m128i(load_narrow_next16(p, low), low);
        }
        block.values_ = _mm256_subs_epu8(block.text_, _mm256_set1_epi8('0'));
        return block;
    }

    OCIOR_INLINE std::uint32_t digits() const noexcept {
        const __m256i x = _mm256_sub_epi8(text_, _mm256_set1_epi8('0'));
#if defined(__AVX512BW__) && defined(__AVX512VL__)
        return _mm256_cmplt_epu8_mask(x, _mm256_set1_epi8(10));
#else
        return bits(_mm256_cmpeq_epi8(_mm256_min_epu8(x, _mm256_set1_epi8(9)), x));
#endif
    }
    OCIOR_INLINE std::uint32_t points() const noexcept { return bits(_mm256_cmpeq_epi8(text_, _mm256_set1_epi8('.'))); }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        const auto table = [](const std::int8_t* at) {
            return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
        };
        const __m256i take =
            _mm256_add_epi8(table(kGatherTable.lane + length), table(kGatherTable.left + fraction));
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
        // A permute takes its index modulo 32, so the lanes left of the first character are masked.
        const std::size_t kept = fraction < 32 ? length - 1 : length;
        const __m256i right = _mm256_maskz_permutexvar_epi8(~0u << (32 - kept), take, values_);
#else
        // A shuffle looks up within 16 bytes and gives 0 where bit 7 of the index is set.
        const __m256i from_low = _mm256_shuffle_epi8(_mm256_permute2x128_si256(values_, values_, 0x00),
                                                     _mm256_adds_epu8(take, _mm256_set1_epi8(0x70)));
        const __m256i from_high = _mm256_shuffle_epi8(_mm256_permute2x128_si256(values_, values_, 0x11),
                                                      _mm256_sub_epi8(take, _mm256_set1_epi8(16)));
        const __m256i right = _mm256_or_si256(from_low, from_high);
#endif
        const __m256i pairs = _mm256_maddubs_epi16(right, _mm256_set1_epi16(10 | 1 << 8));
        const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
        const __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(10000 | 1 << 16));
        const auto upper = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)));
        const auto lower = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1)));
        return join_eights(upper >> 32, lower);
    }

private:
    OCIOR_INLINE static std::uint32_t bits(__m256i flags) noexcept {
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(flags));
    }

    __m256i text_, values_;
};

#elif defined(__SSE4_1__)

class NumberBlock {
public:
    template <CodeUnit Unit>
    OCIOR_INLINE static NumberBlock load(const Unit* p) noexcept {
        NumberBlock block;
        block.low_ = load_narrow16(p);
        block.high_ = load_narrow_next16(p, block.low_);
        return block;
    }

    OCIOR_INLINE std::uint32_t digits() const noexcept {
        return bits([](__m128i text) {
            const __m128i x = _mm_sub_epi8(text, _mm_set1_epi8('0'));
            return _mm_cmpeq_epi8(_mm_min_epu8(x, _mm_set1_epi8(9)), x);
        });
    }
    OCIOR_INLINE std::uint32_t points() const noexcept {
        return bits([](__m128i text) { return _mm_cmpeq_epi8(text, _mm_set1_epi8('.')); });
    }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        const __m128i zero = _mm_set1_epi8('0');
        const __m128i low = _mm_subs_epu8(low_, zero), high = _mm_subs_epu8(high_, zero);
        const __m128i both = _mm_packus_epi32(fours(low, high, length, fraction),
                                              fours(low, high, length + 16, fraction + 16));
        const __m128i eights = _mm_madd_epi16(both, _mm_set1_epi32(10000 | 1 << 16));
        return join_eights(static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights)) >> 32,
                           static_cast<std::uint64_t>(_mm_extract_epi64(eights, 1)));
    }

private:
    // Sixteen of the gathered digits, joined to four numbers.
    OCIOR_INLINE static __m128i fours(__m128i low, __m128i high, std::size_t length, std::size_t fraction) noexcept {
        const auto table = [](const std::int8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
        const __m128i take = _mm_add_epi8(table(kGatherTable.lane + length), table(kGatherTable.left + fraction));
        // A shuffle looks up within 16 bytes and gives 0 where bit 7 of the index is set.
        const __m128i right = _mm_or_si128(_mm_shuffle_epi8(low, _mm_adds_epu8(take, _mm_set1_epi8(0x70))),
                                           _mm_shuffle_epi8(high, _mm_sub_epi8(take, _mm_set1_epi8(16))));
        return _mm_madd_epi16(_mm_maddubs_epi16(right, _mm_set1_epi16(10 | 1 << 8)), _mm_set1_epi32(100 | 1 << 16));
    }
    template <typename Test>
    OCIOR_INLINE std::uint32_t bits(Test test) const noexcept {
        return static_cast<std::uint32_t>(_mm_movemask_epi8(test(low_))) |
               static_cast<std::uint32_t>(_mm_movemask_epi8(test(high_))) << 16;
    }

    __m128i low_, high_;
};

#elif defined(__ARM_NEON)

class NumberBlock {
public:
    template <CodeUnit Unit>
    OCIOR_INLINE static NumberBlock load(const Unit* p) noexcept {
        NumberBlock block;
        block.text_.val[0] = load_narrow16(p);
        block.text_.val[1] = vdupq_n_u8(0);
        if constexpr (sizeof(Unit) == 4) {
            const uint8x16_t from_minus = vsubq_u8(block.text_.val[0], vdupq_n_u8('-'));
            if (vmaxvq_u8(from_minus) > '9' - '-') return block;
        }
        block.text_.val[1] = load_narrow16(p + 16);
        return block;
    }

    OCIOR_INLINE std::uint32_t digits() const noexcept {
        return bits([](uint8x16_t text) { return vcltq_u8(vsubq_u8(text, vdupq_n_u8('0')), vdupq_n_u8(10)); });
    }
    OCIOR_INLINE std::uint32_t points() const noexcept {
        return bits([](uint8x16_t text) { return vceqq_u8(text, vdupq_n_u8('.')); });
    }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        const uint8x16_t zero = vdupq_n_u8('0');
        const uint8x16x2_t values = {vqsubq_u8(text_.val[0], zero), vqsubq_u8(text_.val[1], zero)};
        const uint64x2_t upper = eights(values, length, fraction), lower = eights(values, length + 16, fraction + 16);
        return vgetq_lane_u64(upper, 1) * 10000000000000000 + vgetq_lane_u64(lower, 0) * 100000000 +
               vgetq_lane_u64(lower, 1);
    }

private:
    template <CodeUnit Unit>
    OCIOR_INLINE static uint8x16_t load_narrow16(const Unit* p) noexcept {
        if constexpr (sizeof(Unit) == 1) {
            return vld1q_u8(p);
        } else if constexpr (sizeof(Unit) == 2) {
            return vcombine_u8(vqmovn_u16(vld1q_u16(p)), vqmovn_u16(vld1q_u16(p + 8)));
        } else {
            const auto eight = [](const std::uint32_t* q) {
                return vqmovn_u16(vcombine_u16(vqmovn_u32(vld1q_u32(q)), vqmovn_u32(vld1q_u32(q + 4))));
            };
            return vcombine_u8(eight(p), eight(p + 8));
        }
    }
    // Sixteen of the gathered digits as two numbers. The table lookup gives 0 for every index above 31.
    OCIOR_INLINE static uint64x2_t eights(uint8x16x2_t values, std::size_t length, std::size_t fraction) noexcept {
        const int8x16_t take = vaddq_s8(vld1q_s8(kGatherTable.lane + length), vld1q_s8(kGatherTable.left + fraction));
        const uint8x16_t right = vqtbl2q_u8(values, vreinterpretq_u8_s8(take));
        const uint8x16_t tens = vreinterpretq_u8_u16(vdupq_n_u16(10 | 1 << 8));
        const uint16x8_t hundreds = vreinterpretq_u16_u32(vdupq_n_u32(100 | 1 << 16));
        const uint32x4_t ten_thousands = vreinterpretq_u32_u64(vdupq_n_u64(10000 | 1ull << 32));
        const uint16x8_t pairs = vpaddlq_u8(vmulq_u8(right, tens));
        const uint32x4_t fours = vpaddlq_u16(vmulq_u16(pairs, hundreds));
        return vpaddlq_u32(vmulq_u32(fours, ten_thousands));
    }
    // One bit per character: keep bit i % 8 in byte i, then add neighbours three times.
    template <typename Test>
    OCIOR_INLINE std::uint32_t bits(Test test) const noexcept {
        const uint8x16_t weight = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
        const uint8x16_t low = vandq_u8(test(text_.val[0]), weight), high = vandq_u8(test(text_.val[1]), weight);
        uint8x16_t sum = vpaddq_u8(low, high);
        sum = vpaddq_u8(sum, sum);
        sum = vpaddq_u8(sum, sum);
        return vgetq_lane_u32(vreinterpretq_u32_u8(sum), 0);
    }

    uint8x16x2_t text_;
};

#else

class NumberBlock {
public:
    template <CodeUnit Unit>
    OCIOR_INLINE static NumberBlock load(const Unit* p) noexcept {
        NumberBlock block{};
        for (int i = 0; i < 32; ++i) {
            if (p[i] > 0xff || !may_belong_to_number(static_cast<std::uint8_t>(p[i]))) break;
            block.text_[i] = static_cast<std::uint8_t>(p[i]);
        }
        return block;
    }

    OCIOR_INLINE std::uint32_t digits() const noexcept { return bits('0', '9'); }
    OCIOR_INLINE std::uint32_t points() const noexcept { return bits('.', '.'); }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        std::uint64_t w = 0;
        for (std::size_t i = 0; i < length; ++i) {
            if (i + 1 + fraction != length && text_[i] >= '0') w = w * 10 + text_[i] - '0';
        }
        return w;
    }

private:
    OCIOR_INLINE std::uint32_t bits(std::uint8_t first, std::uint8_t last) const noexcept {
        std::uint32_t mask = 0;
        for (int i = 0; i < 32; ++i) mask |= static_cast<std::uint32_t>(text_[i] >= first && text_[i] <= last) << i;
        return mask;
    }

    std::uint8_t text_[32];
};

#endif

}  // namespace ocior::simd
