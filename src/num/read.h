// Text to numbers: json's grammar by one class mask, integers up to int64 and correctly rounded doubles inline.
#pragma once

#include "num/eisel_lemire.h"
#include "simd/decimal.h"

namespace ocior::num {

enum class NumberKind : std::uint8_t {
    kNone,     // no number starts here
    kInt64,    // an integer that fits
    kBigInt,   // an integer that does not: the caller converts the slice
    kFloat64,  // has a fraction or an exponent; too large is infinity, "-0.0" keeps its sign
};

struct Number {
    NumberKind kind;
    union {
        std::int64_t i;
        double d;
    };
};

// The exact value of a slice [first, last) that is known to match the grammar, correctly rounded. Reads nothing outside.
double read_f64(const std::uint8_t* first, const std::uint8_t* last) noexcept;

namespace detail {

// Any number at all, one unit at a time: more than 31 characters, more than 19 digits, and everything that
// looked odd.
template <CodeUnit Unit>
const Unit* read_number_slow(const Unit* p, Number& out) noexcept;

inline constexpr std::uint64_t kZeros = 0x3030303030303030;

// Bit 7 of every byte that is no digit, in eight characters xor '0'. Digits are 0 to 9: adding 0x76 reaches 0x80 from 10
// on. Carries out of a byte only spoil what is behind the first hit.
OCIOR_INLINE std::uint64_t digits_end(std::uint64_t digits) noexcept {
    return ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
}

// Integers of up to 8 characters, by eight bytes in a general register; null if it is anything else.
//
// The position of the next token depends on the length found here, and a parser can only be as fast as this chain:
// load, test, count, add. So it starts at the second character (the first is '-' or a digit anyway) and nothing
// about the sign or the value is on it.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* read_short_integer(const Unit* p, Number& out) noexcept {
    const std::uint64_t ends = digits_end(simd::load_narrow8(p + 1) ^ kZeros);
    if (ends == 0) return nullptr;
    const std::size_t more = trailing_zeros(ends) / 8, length = 1 + more;
    const Unit* const end = p + 1 + more;
    const std::size_t negative = *p == '-';
    const std::size_t digit_count = length - negative;
    const std::uint32_t first_digit = static_cast<std::uint32_t>(p[negative]) - '0';
    // A zero in front of more digits wraps around and looks like no digit: the slow road knows both.
    if (*end == '.' || (*end | 0x20) == 'e' || first_digit - (digit_count > 1) > 9) return nullptr;
    const std::uint64_t digits = simd::load_narrow8(p + negative) ^ kZeros;
    const std::int64_t magnitude = simd::value8(digits << (64 - 8 * digit_count));
    out.kind = NumberKind::kInt64;
    out.i = negative ? -magnitude : magnitude;
    return end;
}

// Sign and one to three digits of an exponent at p; null if there are none or more.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* read_exponent(const Unit* p, int& exponent) noexcept {
    const bool down = *p == '-';
    p += down || *p == '+';
    const std::uint64_t digits = simd::load_narrow8(p) ^ kZeros;
    const std::uint64_t ends = digits_end(digits) & 0xffffffff;
    const unsigned bits = trailing_zeros(ends | 1ull << 39) & ~7u;  // 8 for each digit
    if (OCIOR_UNLIKELY(bits - 8 > 16)) return nullptr;
    const auto aligned = static_cast<std::uint32_t>(digits << (32 - bits));
    const auto magnitude =
        static_cast<int>((aligned >> 8 & 0xff) * 100 + (aligned >> 16 & 0xff) * 10 + (aligned >> 24));
    exponent = down ? -magnitude : magnitude;
    return p + bits / 8;
}

}  // namespace detail

// The longest match of -?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)? at `p`, which holds '-' or a digit; returns its end. Text
// conventions of decoding: a sentinel that is no number character ends the text, 64 bytes are readable behind it.
// `expected` is a hint that costs nothing when wrong but time: the kind of the last number in the same place.
//
// One load classifies 32 characters: the first behind the first that is neither digit nor point ends the number. What is
// unusual (a broken rule like "01", "1.", "1.2.3", "1e"; more than 19 digits or 31 characters; an exponent without a
// point) is only noticed here and left to the slow road, which knows all rules.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* read_number(const Unit* p, Number& out, NumberKind expected = NumberKind::kInt64) noexcept {
    if (expected != NumberKind::kFloat64) {
        if (const Unit* const end = detail::read_short_integer(p, out); OCIOR_LIKELY(end != nullptr)) return end;
    }
    const auto block = simd::NumberBlock::load(p);
    const std::uint32_t ends = block.ends_from_second(p);  // '/' does not end: it is the neighbour of '.' and '0'
    if (OCIOR_UNLIKELY((ends & 0x7fffffff) == 0)) return detail::read_number_slow<Unit>(p, out);
    const std::size_t last = trailing_zeros(ends), length = last + 1;
    const Unit* const end = p + 1 + last;
    const bool has_exponent = (*end | 0x20) == 'e';
    const std::uint32_t others = block.non_digits();
    const std::size_t negative = others & 1;  // '-' is the only other character that may be the first
    const std::uint32_t point_bit = others & (ends ^ (ends - 1)) & ~1u;
    const std::uint32_t first_digit = static_cast<std::uint32_t>(p[negative]) - '0';

    if (point_bit == 0) {
        const std::size_t digit_count = length - negative;
        if (OCIOR_UNLIKELY(has_exponent || digit_count > 18 || first_digit - (digit_count > 1) > 9)) {
            return detail::read_number_slow<Unit>(p, out);
        }
        const auto magnitude = static_cast<std::int64_t>(block.value(length, simd::kNoPoint));
        out.kind = NumberKind::kInt64;
        out.i = negative ? -magnitude : magnitude;
        return end;
    }

    const std::size_t point = trailing_zeros(point_bit), fraction = last - point;
    const std::size_t digit_count = last - negative;
    if (OCIOR_UNLIKELY((point_bit & (point_bit - 1)) != 0 || p[point] != '.' || fraction == 0 || digit_count > 19 ||
                       first_digit - (point > negative + 1) > 9)) {
        return detail::read_number_slow<Unit>(p, out);
    }
    out.kind = NumberKind::kFloat64;
    const std::uint64_t w = block.value(length, fraction);
    if (OCIOR_UNLIKELY(has_exponent)) {
        int exponent;
        const Unit* const exponent_end = detail::read_exponent(end + 1, exponent);
        if (OCIOR_UNLIKELY(exponent_end == nullptr)) return detail::read_number_slow<Unit>(p, out);
        out.d = with_sign(eisel_lemire(w, exponent - static_cast<int>(fraction)), negative);
        return exponent_end;
    }
    // William Clinger's exact case: w and the power of ten are both doubles without error, so one division rounds once.
    const double magnitude = digit_count <= 15
                                 ? static_cast<double>(static_cast<std::int64_t>(w)) / kExactPow10[fraction]
                                 : eisel_lemire_fraction(w, fraction);
    out.d = with_sign(magnitude, negative);
    return end;
}

}  // namespace ocior::num
