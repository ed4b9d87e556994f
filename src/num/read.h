// Text to numbers, by json's grammar: integers of up to 64 bits and correctly rounded doubles, inline.
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

namespace detail {

inline constexpr std::uint64_t kZeros = 0x3030303030303030;

// Takes eight characters xor '0', in which digits are 0 to 9, and sets bit 7 of every byte that is no digit: adding 0x76 reaches 0x80 from
// 10 on. A carry out of a byte only spoils what is behind the first byte that is no digit.
OCIOR_INLINE std::uint64_t digits_end(std::uint64_t digits) noexcept {
    return ((digits + 0x7676767676767676) | digits) & 0x8080808080808080;
}

// Reads the sign of an exponent at p, if it has one, and its digits, which must be one to three. Null where they are not.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* read_exponent(const Unit* p, int& exponent) noexcept {
    const bool down = *p == '-';
    p += down || *p == '+';
    const std::uint64_t digits = simd::load_narrow8(p) ^ kZeros;
    const std::uint64_t ends = digits_end(digits) & 0xffffffff;
    const unsigned bits = trailing_zeros(ends | 1ull << 39) & ~7u;  // 8 for each digit
    if (OCIOR_UNLIKELY(bits - 8 > 16)) return nullptr;
    const auto aligned = static_cast<std::uint32_t>(digits << (32 - bits));
    const auto magnitude = static_cast<int>((aligned >> 8 & 0xff) * 100 + (aligned >> 16 & 0xff) * 10 + (aligned >> 24));
    exponent = down ? -magnitude : magnitude;
    return p + bits / 8;
}

}  // namespace detail

// An integer that is not followed by a fraction or an exponent.
template <CodeUnit Unit>
struct Integer {
    const Unit* end;  // null if it is anything else, or does not fit 63 bits and a sign
    std::uint64_t magnitude;
    bool negative;
};

// The integer at `p`, which holds '-' or a digit: up to 16 characters by one block, up to 20 by two.
//
// The position of the next token depends on the length found here, and a parser can only be as fast as this chain: load, test, count,
// add. Nothing about the sign or the value is on it.
template <CodeUnit Unit>
OCIOR_INLINE Integer<Unit> read_integer(const Unit* p) noexcept {
    constexpr Integer<Unit> kNone = {nullptr, 0, false};
    const bool negative = *p == '-';
    unsigned length = simd::DigitBlock::length(p);
    const auto block = simd::DigitBlock::load(p);
    std::uint64_t magnitude;
    if (OCIOR_LIKELY(length <= 16)) {
        magnitude = block.value(length);
    } else {
        constexpr std::uint64_t kPowers[] = {1, 10, 100, 1000, 10000};
        const std::uint64_t more = simd::load_narrow8(p + 16) ^ detail::kZeros;
        const unsigned bits = trailing_zeros(detail::digits_end(more) | 1ull << 47) & ~7u;  // 8 for each digit
        length = 16 + bits / 8;
        if (length - negative > 19) return kNone;
        magnitude = block.value(16) * kPowers[bits / 8] + simd::value8(more << (64 - bits));
        if (magnitude >> 63) return kNone;
    }
    const Unit* const end = p + length;
    if (OCIOR_UNLIKELY(*end != ',') && (*end == '.' || (*end | 0x20) == 'e')) return kNone;
    if (OCIOR_UNLIKELY(static_cast<std::uint32_t>(p[negative]) - '1' > 8) && length - negative != 1) return kNone;  // "-", "01"
    return {end, magnitude, negative};
}

// A number with a point.
template <CodeUnit Unit>
struct Real {
    const Unit* end;  // null if it is anything else
    double value;
};

// The number with a point at `p`, which holds '-' or a digit.
//
// One load classifies 32 characters: the first behind the first that is neither digit nor point ends the number. What is unusual (a
// broken rule like "01.", "1.", "1.2.3", "1.0e"; more than 19 digits or 31 characters) is only noticed here and left to the slow
// road, which knows all rules.
template <CodeUnit Unit>
OCIOR_INLINE Real<Unit> read_real(const Unit* p) noexcept {
    constexpr Real<Unit> kNone = {nullptr, 0};
    const auto block = simd::NumberBlock::load(p);
    const std::uint32_t ends = block.ends_from_second(p);  // '/' does not end: it is the neighbour of '.' and '0'
    if (OCIOR_UNLIKELY((ends & 0x7fffffff) == 0)) return kNone;
    const std::size_t last = trailing_zeros(ends), length = last + 1;
    const Unit* const end = p + 1 + last;
    const std::uint32_t others = block.non_digits();
    const std::size_t negative = others & 1;  // '-' is the only other character that may be the first
    const std::uint32_t point_bit = others & (ends ^ (ends - 1)) & ~1u;
    if (OCIOR_UNLIKELY(point_bit == 0)) return kNone;
    const std::size_t point = trailing_zeros(point_bit), fraction = last - point;
    const std::size_t digit_count = last - negative;
    const std::uint32_t first_digit = static_cast<std::uint32_t>(p[negative]) - '0';
    if (OCIOR_UNLIKELY((point_bit & (point_bit - 1)) != 0 || p[point] != '.' || fraction == 0 || first_digit - (point > negative + 1) > 9))
        return kNone;
    if (OCIOR_UNLIKELY(*end != ',') && OCIOR_UNLIKELY((*end | 0x20) == 'e')) {
        int exponent;
        const Unit* const exponent_end = detail::read_exponent(end + 1, exponent);
        if (OCIOR_UNLIKELY(exponent_end == nullptr || digit_count > 19)) return kNone;
        return {exponent_end, with_sign(eisel_lemire(block.value(length, fraction), exponent - static_cast<int>(fraction)), negative)};
    }
    // William Clinger's exact case: w and the power of ten are both doubles without error, so one division rounds once.
    if (OCIOR_LIKELY(digit_count <= 15)) {
        const auto w = static_cast<std::int64_t>(block.value_of_15(length, fraction));
        return {end, with_sign(static_cast<double>(w) / kExactPow10[fraction], negative)};
    }
    if (OCIOR_UNLIKELY(digit_count > 19)) return kNone;
    return {end, with_sign(eisel_lemire_fraction(block.value(length, fraction), fraction), negative)};
}

// Reads any number, which is the longest match of -?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)? at `p`, where '-' or a digit stands. Returns its
// end. A sentinel that is part of no number ends the text, and 64 bytes from there on are readable, as in all decoding. Out of line: it is
// for what read_integer or read_real leaves.
template <CodeUnit Unit>
const Unit* read_number(const Unit* p, Number& out) noexcept;

// The end that read_number would find, `p` itself for none, without the value: one load finds the ends of both rows of digits.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* skip_number(const Unit* p) noexcept {
    const std::uint64_t digits = static_cast<std::uint32_t>(~simd::NumberBlock::load(p).non_digits());
    const auto is_digit = [](Unit unit) { return static_cast<std::uint32_t>(unit) - '0' <= 9; };
    const auto behind_digits = [&](std::size_t i) OCIOR_INLINE_LAMBDA {
        if (OCIOR_LIKELY(i < 32)) i += trailing_zeros(~(digits >> i));
        if (OCIOR_UNLIKELY(i >= 32))
            while (is_digit(p[i])) ++i;
        return i;
    };
    const std::size_t first = *p == '-';
    std::size_t end = p[first] == '0' ? first + 1 : behind_digits(first);
    if (OCIOR_UNLIKELY(end == first)) return p;
    if (p[end] == '.' && OCIOR_LIKELY(is_digit(p[end + 1]))) end = behind_digits(end + 1);
    if (OCIOR_UNLIKELY((p[end] | 0x20) == 'e')) {
        std::size_t exponent = end + 1;
        exponent += p[exponent] == '-' || p[exponent] == '+';
        for (; is_digit(p[exponent]); ++exponent) end = exponent + 1;
    }
    return p + end;
}

}  // namespace ocior::num
