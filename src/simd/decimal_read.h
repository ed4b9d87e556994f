// Up to 32 characters of a number in vector registers, and the digits among them gathered into an integer.
#pragma once

#include "base/bits.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace ocior::simd {

// The number made of 8 digits 0 to 9, the first in the lowest byte (Johnny Lee's and Daniel Lemire's form): pairs, then
// fours, then eight, each step a multiplication that adds neighbour fields.
OCIOR_INLINE std::uint32_t value8(std::uint64_t digits) noexcept {
    digits = digits * 10 + (digits >> 8);
    constexpr std::uint64_t kMask = 0x000000ff000000ff;
    return static_cast<std::uint32_t>(((digits & kMask) * (100 + (1000000ull << 32)) + ((digits >> 16) & kMask) * (1 + (10000ull << 32))) >>
                                      32);
}

// NumberBlock holds the 32 units at p, one byte each; a unit above 0xff becomes a byte that no number has. value(): the digits of the
// first `length` of them as one number, `fraction` of which, at least one, stand behind a point. Two masks have a bit per character:
//   non_digits()           everything but '0' to '9'
//   ends_from_second(p)    everything but '.' to '9' from the second character on: bit 0 belongs to p[1]. '/' lies in that
//                          range; the caller checks the one character of a number that is no digit. The next token waits
//                          for this mask, so it is made in the fewest steps: its own load, one subtraction to move the
//                          range to 0, one saturating addition that sets bit 7 above it, one move of these bits.
//
// Gathering: right-align the characters so that the last of the number is lane 31, and let the lanes left of the point
// take the character one further left, which drops the point:
//
//     text  - 1 2 . 3 4 5 ,          length 7, fraction 3
//     lane  ... 27 28 29 30 31
//     takes ...  1  2  4  5  6        = lane - 32 + length, minus 1 in the lanes below 32 - fraction
//
// Lanes that would take a negative index are 0; '-' becomes 0 by saturating subtraction of '0'. Then pairs, fours
// and eights of digits are joined by multiply-and-add.

// A part of each lane's index. Where it is 128, bit 7 of the finished index is set just if the index is not negative.
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
inline constexpr int kValid = 128;
#else
inline constexpr int kValid = 0;
#endif

// lane[k] = k - 32: what is loaded at lane + length is the index that each lane takes. left[k] = -1 below 32, else 0: what is
// loaded at left + fraction is added to that, and takes the lanes left of the point one further left.
struct GatherTable {
    std::uint8_t lane[64];
    std::uint8_t left[64];
};
constexpr GatherTable make_gather_table() {
    GatherTable table{};
    for (int k = 0; k < 64; ++k) {
        table.lane[k] = static_cast<std::uint8_t>(k - 32 + kValid);
        table.left[k] = k < 32 ? 0xff : 0;
    }
    return table;
}
alignas(64) inline constexpr GatherTable kGatherTable = make_gather_table();

// The number that is written as `top`, up to three digits, and two groups of eight digits, the first in the low half of `pair`.
OCIOR_INLINE std::uint64_t join_eights(std::uint64_t top, std::uint64_t pair) noexcept {
    return top * 10000000000000000 + static_cast<std::uint32_t>(pair) * 100000000ull + (pair >> 32);
}

// Eight units as bytes, saturated: a unit that does not fit becomes 0 or 255.
template <CodeUnit Unit>
OCIOR_INLINE std::uint64_t load_narrow8(const Unit* p) noexcept {
    if constexpr (sizeof(Unit) == 1) {
        return load<std::uint64_t>(p);
    } else {
#if defined(__SSE4_1__)
        const auto at = [p](int i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p) + i); };
        __m128i x = at(0);
        if constexpr (sizeof(Unit) == 4) x = _mm_packus_epi32(x, at(1));
        return static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packus_epi16(x, x)));
#elif defined(__ARM_NEON)
        uint16x8_t x;
        if constexpr (sizeof(Unit) == 2) {
            x = vld1q_u16(p);
        } else {
            x = vcombine_u16(vqmovn_u32(vld1q_u32(p)), vqmovn_u32(vld1q_u32(p + 4)));
        }
        return vget_lane_u64(vreinterpret_u64_u8(vqmovn_u16(x)), 0);
#else
        std::uint64_t bytes = 0;
        for (int i = 0; i < 8; ++i) bytes |= static_cast<std::uint64_t>(p[i] > 0xff ? 0xff : p[i]) << (8 * i);
        return bytes;
#endif
    }
}

#if defined(__SSE4_1__)

// Sixteen units as bytes, saturated.
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

// The sixteen units behind those of `first`, which were loaded from p. Only 64 bytes are readable behind the end of a text, which is
// 16 units of four bytes: the next 16 may be read if `first` is all of a number, and so the text does not end in it.
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

// The sixteen characters at p, which begin with an integer: a digit or '-', then digits. length(p): how many characters the integer has,
// 17 for 17 or more. The next token waits for it, hence a load of its own, which does not wait for the sign. value(n): the number that the
// first n characters are, n <= 16; '-' counts as a zero.
#if defined(__SSE4_1__)

class DigitBlock {
public:
    template <CodeUnit Unit>
    OCIOR_INLINE static DigitBlock load(const Unit* p) noexcept {
        return DigitBlock(_mm_subs_epu8(load_narrow16(p), _mm_set1_epi8('0')));
    }

    template <CodeUnit Unit>
    OCIOR_INLINE static unsigned length(const Unit* p) noexcept {
        // What is above 9 after the subtraction gets bit 7.
        const __m128i others = _mm_adds_epu8(_mm_sub_epi8(load_narrow16(p + 1), _mm_set1_epi8('0')), _mm_set1_epi8(127 - 9));
        return 1 + trailing_zeros(static_cast<unsigned>(_mm_movemask_epi8(others)) | 1u << 16);
    }

    // The n digits move to the right end, where pairs, fours and eights of them are joined.
    OCIOR_INLINE std::uint64_t value(unsigned n) const noexcept {
        const __m128i take = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kTaken.lane + n));
        const __m128i pairs = _mm_maddubs_epi16(_mm_shuffle_epi8(values_, take), _mm_set1_epi16(10 | 1 << 8));
        const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
        const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
        const auto pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
        return static_cast<std::uint32_t>(pair) * 100000000ull + (pair >> 32);
    }

private:
    // lane[k] = k - 16: what is loaded at lane + n is the index that each lane takes; a negative index gives 0.
    struct Lanes {
        std::uint8_t lane[32];
    };
    static constexpr Lanes kTaken = [] {
        Lanes lanes{};
        for (int k = 0; k < 32; ++k) lanes.lane[k] = static_cast<std::uint8_t>(k - 16);
        return lanes;
    }();

    OCIOR_INLINE explicit DigitBlock(__m128i values) noexcept : values_(values) {}

    __m128i values_;
};

#else

class DigitBlock {
public:
    template <CodeUnit Unit>
    OCIOR_INLINE static DigitBlock load(const Unit* p) noexcept {
        const std::uint64_t head = load_narrow8(p) ^ kZeros;
        return DigitBlock(*p == '-' ? head & ~0xffull : head, load_narrow8(p + 8) ^ kZeros);
    }

    template <CodeUnit Unit>
    OCIOR_INLINE static unsigned length(const Unit* p) noexcept {
        const unsigned bits = digit_bits(load_narrow8(p + 1) ^ kZeros);
        return 1 + bits / 8 + (bits < 64 ? 0 : digit_bits(load_narrow8(p + 9) ^ kZeros) / 8);
    }

    OCIOR_INLINE std::uint64_t value(unsigned n) const noexcept {
        constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
        if (n <= 8) return value8(head_ << (64 - 8 * n));
        return value8(head_) * kPowers[n - 8] + value8(tail_ << (128 - 8 * n));
    }

private:
    static constexpr std::uint64_t kZeros = 0x3030303030303030;

    // Eight times the number of digits at the start of eight characters, given xor '0'. Digits are 0 to 9: adding 0x76 reaches 0x80 from
    // 10 on. Carries out of a byte only spoil what is behind the first hit.
    OCIOR_INLINE static unsigned digit_bits(std::uint64_t digits) noexcept {
        const std::uint64_t others = ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
        return others ? trailing_zeros(others) & ~7u : 64;
    }

    OCIOR_INLINE DigitBlock(std::uint64_t head, std::uint64_t tail) noexcept : head_(head), tail_(tail) {}

    std::uint64_t head_, tail_;
};

#endif

#if defined(__AVX2__)

// Constants in memory, where an instruction takes them as operands. The compiler must not see them: it would build each by two
// instructions anew for every number.
struct alignas(32) NumberConstants {
    std::uint8_t zero[32], to_nine[32];           // '0'; what sets bit 7 above 9
    std::uint8_t minus_point[32], from_point[32];  // -'.'; what sets bit 7 above '9' - '.'
};
extern const NumberConstants kNumberConstants;

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
        block.values_ = _mm256_subs_epu8(block.text_, operand(kNumberConstants.zero));
        return block;
    }

    OCIOR_INLINE std::uint32_t non_digits() const noexcept {
        const __m256i x = _mm256_sub_epi8(text_, operand(kNumberConstants.zero));
        return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_adds_epu8(x, operand(kNumberConstants.to_nine))));
    }

    template <CodeUnit Unit>
    OCIOR_INLINE std::uint32_t ends_from_second(const Unit* p) const noexcept {
        const auto after_points = [](__m256i text) {
            const __m256i x = _mm256_add_epi8(text, operand(kNumberConstants.minus_point));
            return static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_adds_epu8(x, operand(kNumberConstants.from_point))));
        };
        if constexpr (sizeof(Unit) == 1) return after_points(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 1)));
        return after_points(text_) >> 1;
    }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        const auto table = [](const std::uint8_t* at) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)); };
        const __m256i take = _mm256_add_epi8(table(kGatherTable.lane + length), table(kGatherTable.left + fraction));
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
        // The permute looks at 5 bits of the index; bit 7 survived the additions only where the index is not negative.
        const __m256i right = _mm256_maskz_permutexvar_epi8(_mm256_movepi8_mask(take), take, values_);
#else
        // A shuffle looks up within 16 bytes and gives 0 where bit 7 of the index is set.
        const __m256i from_low =
            _mm256_shuffle_epi8(_mm256_permute2x128_si256(values_, values_, 0x00), _mm256_adds_epu8(take, _mm256_set1_epi8(0x70)));
        const __m256i from_high =
            _mm256_shuffle_epi8(_mm256_permute2x128_si256(values_, values_, 0x11), _mm256_sub_epi8(take, _mm256_set1_epi8(16)));
        const __m256i right = _mm256_or_si256(from_low, from_high);
#endif
        const __m256i pairs = _mm256_maddubs_epi16(right, _mm256_set1_epi16(10 | 1 << 8));
        const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(100 | 1 << 16));
        const __m256i eights = _mm256_madd_epi16(_mm256_packus_epi32(fours, fours), _mm256_set1_epi32(10000 | 1 << 16));
        const auto upper = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_castsi256_si128(eights)));
        const auto lower = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm256_extracti128_si256(eights, 1)));
        return join_eights(upper >> 32, lower);
    }

    // value() where there are at most 15 digits.
    OCIOR_INLINE std::uint64_t value_of_15(std::size_t length, std::size_t fraction) const noexcept {
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
        const auto table = [](const std::uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 16)); };
        const __m256i take = _mm256_zextsi128_si256(_mm_add_epi8(table(kGatherTable.lane + length), table(kGatherTable.left + fraction)));
        const __m256i right = _mm256_maskz_permutexvar_epi8(_mm256_movepi8_mask(take), take, values_);
        const __m128i pairs = _mm_maddubs_epi16(_mm256_castsi256_si128(right), _mm_set1_epi16(10 | 1 << 8));
        const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(100 | 1 << 16));
        const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(10000 | 1 << 16));
        const auto pair = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
        return static_cast<std::uint32_t>(pair) * 100000000ull + (pair >> 32);
#else
        return value(length, fraction);
#endif
    }

private:
    static OCIOR_INLINE __m256i operand(const std::uint8_t* bytes) noexcept {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes));
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

    OCIOR_INLINE std::uint32_t non_digits() const noexcept { return above('0'); }

    template <CodeUnit Unit>
    OCIOR_INLINE std::uint32_t ends_from_second(const Unit*) const noexcept {
        return above('.') >> 1;
    }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        const __m128i zero = _mm_set1_epi8('0');
        const __m128i low = _mm_subs_epu8(low_, zero), high = _mm_subs_epu8(high_, zero);
        const __m128i both = _mm_packus_epi32(fours(low, high, length, fraction), fours(low, high, length + 16, fraction + 16));
        const __m128i eights = _mm_madd_epi16(both, _mm_set1_epi32(10000 | 1 << 16));
        return join_eights(static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights)) >> 32,
                           static_cast<std::uint64_t>(_mm_extract_epi64(eights, 1)));
    }

    OCIOR_INLINE std::uint64_t value_of_15(std::size_t length, std::size_t fraction) const noexcept { return value(length, fraction); }

private:
    // Sixteen of the gathered digits, joined to four numbers.
    OCIOR_INLINE static __m128i fours(__m128i low, __m128i high, std::size_t length, std::size_t fraction) noexcept {
        const auto table = [](const std::uint8_t* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); };
        const __m128i take = _mm_add_epi8(table(kGatherTable.lane + length), table(kGatherTable.left + fraction));
        // A shuffle looks up within 16 bytes and gives 0 where bit 7 of the index is set.
        const __m128i right = _mm_or_si128(_mm_shuffle_epi8(low, _mm_adds_epu8(take, _mm_set1_epi8(0x70))),
                                           _mm_shuffle_epi8(high, _mm_sub_epi8(take, _mm_set1_epi8(16))));
        return _mm_madd_epi16(_mm_maddubs_epi16(right, _mm_set1_epi16(10 | 1 << 8)), _mm_set1_epi32(100 | 1 << 16));
    }
    // Characters outside [first, '9'].
    OCIOR_INLINE std::uint32_t above(char first) const noexcept {
        const auto bits = [first](__m128i text) {
            const __m128i x = _mm_sub_epi8(text, _mm_set1_epi8(first));
            const __m128i flags = _mm_adds_epu8(x, _mm_set1_epi8(static_cast<char>(127 - ('9' - first))));
            return static_cast<std::uint32_t>(_mm_movemask_epi8(flags));
        };
        return bits(low_) | bits(high_) << 16;
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
        if constexpr (sizeof(Unit) == 4) {  // only 64 bytes are readable behind the end of a text
            const uint8x16_t from_minus = vsubq_u8(block.text_.val[0], vdupq_n_u8('-'));
            if (vmaxvq_u8(from_minus) > '9' - '-') return block;
        }
        block.text_.val[1] = load_narrow16(p + 16);
        return block;
    }

    OCIOR_INLINE std::uint32_t non_digits() const noexcept { return above('0'); }

    template <CodeUnit Unit>
    OCIOR_INLINE std::uint32_t ends_from_second(const Unit*) const noexcept {
        return above('.') >> 1;
    }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        const uint8x16_t zero = vdupq_n_u8('0');
        const uint8x16x2_t values = {vqsubq_u8(text_.val[0], zero), vqsubq_u8(text_.val[1], zero)};
        const uint64x2_t upper = eights(values, length, fraction), lower = eights(values, length + 16, fraction + 16);
        return vgetq_lane_u64(upper, 1) * 10000000000000000 + vgetq_lane_u64(lower, 0) * 100000000 + vgetq_lane_u64(lower, 1);
    }

    OCIOR_INLINE std::uint64_t value_of_15(std::size_t length, std::size_t fraction) const noexcept { return value(length, fraction); }

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
        const uint8x16_t take = vaddq_u8(vld1q_u8(kGatherTable.lane + length), vld1q_u8(kGatherTable.left + fraction));
        const uint8x16_t right = vqtbl2q_u8(values, take);
        const uint8x16_t tens = vreinterpretq_u8_u16(vdupq_n_u16(10 | 1 << 8));
        const uint16x8_t hundreds = vreinterpretq_u16_u32(vdupq_n_u32(100 | 1 << 16));
        const uint32x4_t ten_thousands = vreinterpretq_u32_u64(vdupq_n_u64(10000 | 1ull << 32));
        const uint16x8_t pairs = vpaddlq_u8(vmulq_u8(right, tens));
        const uint32x4_t fours = vpaddlq_u16(vmulq_u16(pairs, hundreds));
        return vpaddlq_u32(vmulq_u32(fours, ten_thousands));
    }
    // Characters outside [first, '9'], one bit each: keep bit i % 8 in byte i, then add neighbours three times.
    OCIOR_INLINE std::uint32_t above(std::uint8_t first) const noexcept {
        const uint8x16_t weight = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
        const uint8x16_t start = vdupq_n_u8(first), range = vdupq_n_u8(static_cast<std::uint8_t>('9' - first));
        const uint8x16_t low = vandq_u8(vcgtq_u8(vsubq_u8(text_.val[0], start), range), weight);
        const uint8x16_t high = vandq_u8(vcgtq_u8(vsubq_u8(text_.val[1], start), range), weight);
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
            if (p[i] < '-' || p[i] > '9') break;  // the text may end here
            block.text_[i] = static_cast<std::uint8_t>(p[i]);
        }
        return block;
    }

    OCIOR_INLINE std::uint32_t non_digits() const noexcept { return above('0'); }

    template <CodeUnit Unit>
    OCIOR_INLINE std::uint32_t ends_from_second(const Unit*) const noexcept {
        return above('.') >> 1;
    }

    OCIOR_INLINE std::uint64_t value(std::size_t length, std::size_t fraction) const noexcept {
        std::uint64_t w = 0;
        for (std::size_t i = 0; i < length; ++i) {
            if (i + 1 + fraction != length && text_[i] >= '0') w = w * 10 + text_[i] - '0';
        }
        return w;
    }

    OCIOR_INLINE std::uint64_t value_of_15(std::size_t length, std::size_t fraction) const noexcept { return value(length, fraction); }

private:
    // Characters outside [first, '9'].
    OCIOR_INLINE std::uint32_t above(std::uint8_t first) const noexcept {
        std::uint32_t mask = 0;
        for (int i = 0; i < 32; ++i) mask |= static_cast<std::uint32_t>(text_[i] < first || text_[i] > '9') << i;
        return mask;
    }

    std::uint8_t text_[32];
};

#endif

}  // namespace ocior::simd
