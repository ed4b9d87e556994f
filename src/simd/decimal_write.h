// Seventeen digits in vector registers, laid out as text with a point among them.
#pragma once

#include "base/bits.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace ocior::simd {

// ---- Sixteen digits of a number below 10^16, one per byte, the last digit in byte 0 ----
//
// Quotient and remainder at once (Xiang JunBo's form): x + (2^s - d) * (x / d) has x / d above bit s and x % d below it.
// Each quotient is a multiplication and a shift.
//   abcdefgh -> abcd : efgh -> ab : cd : ef : gh -> a : b : ... : h, most significant field highest
inline constexpr std::uint64_t kDiv10000 = (1ull << 40) / 10000 + 1, kMod10000 = (1ull << 32) - 10000;
inline constexpr std::uint64_t kDiv100 = (1ull << 19) / 100 + 1, kMod100 = (1ull << 16) - 100;
inline constexpr std::uint64_t kDiv10 = (1ull << 16) / 10 + 1, kMod10 = (1ull << 8) - 10;
// A factor that is rounded up gives the right quotient as long as x * (factor * d - 2^s) < 2^s.
static_assert(99999999 * (kDiv10000 * 10000 - (1ull << 40)) < (1ull << 40));
static_assert(9999 * (kDiv100 * 100 - (1ull << 19)) < (1ull << 19));
static_assert(99 * (kDiv10 * 10 - (1ull << 16)) < (1ull << 16));

// The 8 digits of a number below 10^8 by these three steps in a general register, the last digit in the lowest byte. The masks cut off
// what leaks in from the neighbour field.
OCIOR_INLINE std::uint64_t digits8(std::uint64_t x) noexcept {
    x += kMod10000 * ((x * kDiv10000) >> 40);
    x += kMod100 * (((x * kDiv100) >> 19) & 0x0000007f0000007f);
    constexpr std::uint64_t kDiv10Short = (1ull << 10) / 10 + 1;  // fields are 16 bits wide
    static_assert(99 * (kDiv10Short * 10 - (1ull << 10)) < (1ull << 10));
    return x + kMod10 * (((x * kDiv10Short) >> 10) & 0x000f000f000f000f);
}

#if defined(__SSE4_1__)

using Digits16 = __m128i;

#if defined(__AVX512IFMA__)

// All eight digits of a number below 10^8 at once, each from its own fraction: floor(10 * {x / 10^n}) is the n-th digit
// from the right. In units of 2^-52, with m = floor(2^52 / 10^n), (x + 1) * m exceeds x / 10^n by m - x * (2^52 / 10^n - m),
// which is below 10^-n, the distance to the next fraction, and not negative (checked below for every n). One 52-bit
// multiply-add gives the fraction, another the digit: 8 cycles instead of the 35 of three rounds of division.
struct DigitConstants {
    alignas(64) std::uint64_t unit[8];
    alignas(64) std::uint8_t order[64];
};
constexpr DigitConstants make_digit_constants() noexcept {
    DigitConstants constants{};
    std::uint64_t power = 10;
    for (int i = 0; i < 8; ++i, power *= 10) constants.unit[i] = (1ull << 52) / power;
    // Byte 0 of the 64-bit lanes holds the low number's digits, byte 1 the high number's.
    for (int i = 0; i < 16; ++i) constants.order[i] = static_cast<std::uint8_t>(i < 8 ? 8 * i : 8 * (i - 8) + 1);
    return constants;
}
alignas(64) inline constexpr DigitConstants kDigitConstants = make_digit_constants();

constexpr bool fractions_hold() {
    std::uint64_t power = 10;
    for (const std::uint64_t m : kDigitConstants.unit) {
        if (99999999 * ((1ull << 52) - m * power) > m * power) return false;
        power *= 10;
    }
    return true;
}
static_assert(fractions_hold());

OCIOR_INLINE Digits16 digits16(std::uint64_t x) noexcept {
    const std::uint64_t high = x / 100000000, low = x - high * 100000000;
    const DigitConstants* c = &kDigitConstants;
    asm("" : "+r"(c));  // else GCC would make the constants anew from general registers
    const __m512i unit = _mm512_load_si512(c->unit), zero = _mm512_setzero_si512();
    const auto digits = [unit, zero](std::uint64_t number) {
        const __m512i fractions = _mm512_madd52lo_epu64(unit, _mm512_set1_epi64(static_cast<long long>(number)), unit);
        return _mm512_madd52hi_epu64(zero, fractions, _mm512_set1_epi64(10));
    };
    const __m512i both = _mm512_or_si512(digits(low), _mm512_maskz_slli_epi64(0xff, digits(high), 8));
    const __m512i ordered = _mm512_maskz_permutexvar_epi8(~0ull, _mm512_load_si512(c->order), both);
    return (__m128i)__builtin_shufflevector((__v8di)ordered, (__v8di)ordered, 0, 1);  // GCC 12 warns about the cast
}
OCIOR_INLINE Digits16 digits16_of_8(std::uint64_t x) noexcept { return _mm_cvtsi64_si128(static_cast<long long>(digits8(x))); }

#else

struct DigitConstants {
    alignas(64) std::uint64_t splat[6][2];
};
constexpr DigitConstants make_digit_constants() noexcept {
    constexpr std::uint64_t k16 = 0x0001000100010001;
    const std::uint64_t value[6] = {kDiv10000, kMod10000, kDiv100 * k16, kMod100 * k16, kDiv10 * k16, kMod10 * k16};
    DigitConstants constants{};
    for (int i = 0; i < 6; ++i) constants.splat[i][0] = constants.splat[i][1] = value[i];
    return constants;
}
inline constexpr DigitConstants kDigitConstants = make_digit_constants();

// The digits of two numbers below 10^8, each in eight bytes.
OCIOR_INLINE Digits16 digits_of_eights(__m128i v) noexcept {
    const DigitConstants* c = &kDigitConstants;
    asm("" : "+r"(c));  // else GCC would make each constant anew from a general register
    const auto splat = [c](int i) { return _mm_load_si128(reinterpret_cast<const __m128i*>(c->splat[i])); };
    v = _mm_add_epi64(v, _mm_mul_epu32(_mm_srli_epi64(_mm_mul_epu32(v, splat(0)), 40), splat(1)));
    // The odd 16-bit lanes are 0. Quotients move there, remainders stay in the even ones.
    const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(v, splat(2)), 3);
    v = _mm_or_si128(_mm_add_epi16(v, _mm_mullo_epi16(hundreds, splat(3))), _mm_slli_epi32(hundreds, 16));
    return _mm_add_epi16(v, _mm_mullo_epi16(_mm_mulhi_epu16(v, splat(4)), splat(5)));
}
OCIOR_INLINE Digits16 digits16(std::uint64_t x) noexcept {
    const std::uint64_t high = x / 100000000, low = x - high * 100000000;
    return digits_of_eights(_mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(low)), static_cast<long long>(high), 1));
}
// The digits of one number below 10^8, in the low eight bytes.
OCIOR_INLINE Digits16 digits16_of_8(std::uint64_t x) noexcept { return digits_of_eights(_mm_cvtsi64_si128(static_cast<long long>(x))); }

#endif

// A bit for each digit, set if it is not 0; the lowest bit is that of the last digit.
OCIOR_INLINE std::uint32_t non_zero(Digits16 digits) noexcept {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpgt_epi8(digits, _mm_setzero_si128())));
}
OCIOR_INLINE std::uint32_t last_digit(Digits16 digits) noexcept { return static_cast<std::uint32_t>(_mm_cvtsi128_si32(digits)) & 0xff; }
// Another digit in byte 8.
OCIOR_INLINE Digits16 with_ninth(Digits16 digits, std::uint32_t digit) noexcept {
    return _mm_insert_epi8(digits, static_cast<int>(digit), 8);
}
// Stores 16 bytes: byte i is text[i], or'ed with digit byte take[i] unless that is 0x80.
OCIOR_INLINE void put16(std::uint8_t* out, Digits16 digits, const std::uint8_t* take, const std::uint8_t* text) noexcept {
    const auto load16 = [](const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); };
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm_or_si128(_mm_shuffle_epi8(digits, load16(take)), load16(text)));
}

#else

#if defined(__ARM_NEON)

using Digits16 = uint8x16_t;

OCIOR_INLINE Digits16 digits16(std::uint64_t x) noexcept {
    const std::uint64_t high = x / 100000000, low = x - high * 100000000;
    return vcombine_u8(vcreate_u8(digits8(low)), vcreate_u8(digits8(high)));
}
OCIOR_INLINE Digits16 digits16_of_8(std::uint64_t x) noexcept { return vcombine_u8(vcreate_u8(digits8(x)), vcreate_u8(0)); }
OCIOR_INLINE std::uint32_t non_zero(Digits16 digits) noexcept {
    const uint8x16_t weight = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    uint8x16_t sum = vandq_u8(vtstq_u8(digits, digits), weight);
    sum = vpaddq_u8(sum, sum);
    sum = vpaddq_u8(sum, sum);
    return vgetq_lane_u16(vreinterpretq_u16_u8(vpaddq_u8(sum, sum)), 0);
}
OCIOR_INLINE std::uint32_t last_digit(Digits16 digits) noexcept { return vgetq_lane_u8(digits, 0); }
OCIOR_INLINE Digits16 with_ninth(Digits16 digits, std::uint32_t digit) noexcept {
    return vsetq_lane_u8(static_cast<std::uint8_t>(digit), digits, 8);
}
OCIOR_INLINE void put16(std::uint8_t* out, Digits16 digits, const std::uint8_t* take, const std::uint8_t* text) noexcept {
    vst1q_u8(out, vorrq_u8(vqtbl1q_u8(digits, vld1q_u8(take)), vld1q_u8(text)));
}

#else

struct Digits16 {
    std::uint8_t digit[16];
};

OCIOR_INLINE Digits16 digits16(std::uint64_t x) noexcept {
    const std::uint64_t high = x / 100000000, low = x - high * 100000000;
    Digits16 digits;
    store(digits.digit, digits8(low));
    store(digits.digit + 8, digits8(high));
    return digits;
}
OCIOR_INLINE Digits16 digits16_of_8(std::uint64_t x) noexcept { return digits16(x); }
OCIOR_INLINE std::uint32_t non_zero(const Digits16& digits) noexcept {
    std::uint32_t mask = 0;
    for (int i = 0; i < 16; ++i) mask |= static_cast<std::uint32_t>(digits.digit[i] != 0) << i;
    return mask;
}
OCIOR_INLINE std::uint32_t last_digit(const Digits16& digits) noexcept { return digits.digit[0]; }
OCIOR_INLINE Digits16 with_ninth(Digits16 digits, std::uint32_t digit) noexcept {
    digits.digit[8] = static_cast<std::uint8_t>(digit);
    return digits;
}
OCIOR_INLINE void put16(std::uint8_t* out, const Digits16& digits, const std::uint8_t* take, const std::uint8_t* text) noexcept {
    for (int i = 0; i < 16; ++i) {
        out[i] = static_cast<std::uint8_t>((take[i] < 16 ? digits.digit[take[i]] : 0) | text[i]);
    }
}

#endif
#endif

// ---- Up to fifteen digits as text, with a point among them ----

// row[places]: where the bytes of a Digits16 go, for a point before the last `places` digits.
struct PointTable {
    struct Row {
        std::uint8_t take[32], text[32];
    };
    Row row[16];
};
constexpr PointTable make_point_table() {
    PointTable table{};
    for (int places = 0; places < 16; ++places) {
        for (int i = 0; i < 32; ++i) {
            const int point = 16 - places, digit = i > point ? i - 1 : i;
            table.row[places].take[i] = static_cast<std::uint8_t>(i == point || digit > 15 ? 0x80 : 15 - digit);
            table.row[places].text[i] = i == point ? '.' : '0';
        }
    }
    return table;
}
alignas(64) inline constexpr PointTable kPoints = make_point_table();

// Stores the last `count` digits of a number below 10^16 and a point before the last `places` of them, which may be all: 16 bytes, of which
// count + 1, up to 16, are the text. Zeros come first where the number has fewer digits. No branch depends on the number.
OCIOR_INLINE void put_with_point(std::uint8_t* out, std::uint64_t number, std::size_t count, std::size_t places) noexcept {
    const PointTable::Row& row = kPoints.row[places];
    const std::size_t first = 16 - count;
    put16(out, digits16(number), row.take + first, row.text + first);
}

// ---- Seventeen digits as text ----

inline constexpr unsigned kPointless = 17;  // in the place of the number of digits before the point: there is none

// row[lead][point]: where the bytes of a Digits16 go, for `lead` leading zeros (0 or 1) and a point behind the first `point` digits.
// Where a permute takes 32 bytes, they are followed by the seventeenth digit (16) and the point (17); elsewhere those are stored apart.
struct LayoutRow {
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
    std::uint8_t take[32];
#else
    std::uint8_t take[16];
    std::uint8_t text[16];
#endif
};
struct LayoutTable {
    LayoutRow row[2][18];
};
constexpr LayoutTable make_layout_table() {
    LayoutTable table{};
    for (int lead = 0; lead < 2; ++lead) {
        for (int point = 0; point <= 17; ++point) {
            LayoutRow& row = table.row[lead][point];
            for (int i = 0; i < static_cast<int>(sizeof row.take); ++i) {
                const int digit = lead + (i > point ? i - 1 : i);  // of the seventeen
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
                row.take[i] = static_cast<std::uint8_t>(i == point ? 17 : digit < 16 ? 15 - digit : digit == 16 ? 16 : 31);
#else
                row.take[i] = static_cast<std::uint8_t>(i == point || digit > 15 ? 0x80 : 15 - digit);
                row.text[i] = i == point ? '.' : '0';
#endif
            }
        }
    }
    return table;
}
alignas(64) inline constexpr LayoutTable kLayout = make_layout_table();

// The sixteen digits of `head` and one more, `tail`. The first digit of head may be 0 (`lead` is 1 then), and is no part of the
// text. It is skipped when the text is laid out, so that the arithmetic, which takes longest, need not wait for `lead`.
class Digits17 {
public:
    // 0 < head < 10^16, tail < 10, lead = head < 10^15.
    OCIOR_INLINE Digits17(std::uint64_t head, std::uint64_t tail, std::uint64_t lead) noexcept
        : digits_(digits16(head)), tail_(static_cast<std::uint32_t>(tail)), lead_(static_cast<std::uint32_t>(lead)) {}

    // How many digits there are without trailing zeros, at least 1.
    OCIOR_INLINE unsigned count() const noexcept {
        return 17 - lead_ - static_cast<unsigned>(__builtin_ctz(2 * non_zero(digits_) + (tail_ != 0)));
    }

    // Stores all digits, with a point behind the first `point` of them (1 to 16), or without one (kPointless). May store 32 bytes.
    OCIOR_INLINE void put(std::uint8_t* out, unsigned point) const noexcept {
        const LayoutRow& row = kLayout.row[lead_][point];
#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
        const auto beside = static_cast<int>(tail_ | (('.' - '0') & 0xff) << 8);  // the point, as if it were a digit
        const __m256i all = _mm256_inserti128_si256(_mm256_castsi128_si256(digits_), _mm_cvtsi32_si128(beside), 1);
        const __m256i take = _mm256_load_si256(reinterpret_cast<const __m256i*>(row.take));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out),
                            _mm256_add_epi8(_mm256_maskz_permutexvar_epi8(~0u, take, all), _mm256_set1_epi8('0')));
#else
        put16(out, digits_, row.take, row.text);
        if (OCIOR_LIKELY(point < 16)) {  // digits 15 and 16 of the text
            const std::uint32_t behind = (last_digit(digits_) | tail_ << 8) >> (8 * lead_);
            store(out + 16, static_cast<std::uint16_t>(behind + 0x3030));
            return;
        }
        out[16 - lead_] = static_cast<std::uint8_t>('0' + tail_);
        if (point == 16) {
            out[17] = static_cast<std::uint8_t>('0' + (lead_ ? 0 : tail_));
            out[16] = '.';
        }
#endif
    }

private:
    Digits16 digits_;
    std::uint32_t tail_, lead_;
};

// ---- Nine digits as text ----

// row[lead][point]: the same for the eight digits of a Digits16, of which 0 to 2 are leading zeros, and the ninth.
struct ShortLayoutTable {
    struct Row {
        std::uint8_t take[16], text[16];
    };
    Row row[3][18];
};
constexpr ShortLayoutTable make_short_layout_table() {
    ShortLayoutTable table{};
    for (int lead = 0; lead < 3; ++lead) {
        for (int point = 0; point <= 17; ++point) {
            for (int i = 0; i < 16; ++i) {
                const int digit = lead + (i > point ? i - 1 : i);  // of the nine
                table.row[lead][point].take[i] = static_cast<std::uint8_t>(i == point || digit > 8 ? 0x80 : digit == 8 ? 8 : 7 - digit);
                table.row[lead][point].text[i] = i == point ? '.' : '0';
            }
        }
    }
    return table;
}
alignas(64) inline constexpr ShortLayoutTable kShortLayout = make_short_layout_table();

// Digits17 with eight digits in place of sixteen, of which up to two may be leading zeros.
class Digits9 {
public:
    // 10^5 <= head < 10^8, tail < 10, lead = (head < 10^7) + (head < 10^6).
    OCIOR_INLINE Digits9(std::uint64_t head, std::uint64_t tail, unsigned lead) noexcept
        : digits_(digits16_of_8(head)), tail_(static_cast<std::uint32_t>(tail)), lead_(lead) {}

    OCIOR_INLINE unsigned count() const noexcept {
        return 9 - lead_ - static_cast<unsigned>(__builtin_ctz(2 * non_zero(digits_) + (tail_ != 0)));
    }

    // Stores all digits, with a point behind the first `point` of them and zeros (1 to 16), or without one (kPointless). May store 18
    // bytes: what lies beyond 16 is always a point and a zero.
    OCIOR_INLINE void put(std::uint8_t* out, unsigned point) const noexcept {
        const ShortLayoutTable::Row& row = kShortLayout.row[lead_][point];
        put16(out, with_ninth(digits_, tail_), row.take, row.text);
        if (OCIOR_UNLIKELY(point == 15 || point == 16)) store(out + 14, load<std::uint32_t>(point == 15 ? "0.0" : "00.0"));
    }

private:
    Digits16 digits_;
    std::uint32_t tail_, lead_;
};

}  // namespace ocior::simd
