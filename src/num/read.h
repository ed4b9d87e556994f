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

}  // namespace detail

// The longest match of -?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)? at `p`, which holds '-' or a digit; returns its end. Text
// conventions of decoding: a sentinel that is no number character ends the text, 64 bytes are readable behind it.
//
// One load classifies 32 characters: the first behind the sign that is neither digit nor point ends the number. Only this
// position is on the way to the next token, so nothing else may delay it: not the sign (the first character is '-' or
// a digit, so its bit is simply forced), not the value. A number that breaks a rule ("01", "1.", "1.2.3", "1e") or has more
// than 19 digits or 31 characters is left to the slow road, which knows all rules; here one branch notices them all.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* read_number(const Unit* p, Number& out) noexcept {
    const auto block = simd::NumberBlock::load(p);
    const std::uint32_t ends = block.ends() & ~1u;
    if (OCIOR_UNLIKELY(ends == 0)) return detail::read_number_slow<Unit>(p, out);
    const auto length = static_cast<unsigned>(__builtin_ctz(ends));
    const Unit* const end = p + length;
    const bool has_exponent = (*end | 0x20) == 'e';
    const std::uint32_t digits = block.digits();
    // '-' is the only non-digit that the first character may be.
    const std::uint32_t negative = ~digits & 1;
    const std::uint32_t others = ~(digits | negative) & (ends ^ (ends - 1)) >> 1;
    const unsigned digit_count = length - negative - (others != 0);
    const bool leading_zero = p[negative] == '0' && (digits >> negative & 2) != 0;

    if (others == 0 && !has_exponent) {
        if (OCIOR_UNLIKELY(digit_count - 1 >= 18 || leading_zero)) {  // none, or 19 and more
            return detail::read_number_slow<Unit>(p, out);
        }
        std::uint64_t magnitude;
        if (length <= 8) {
            // The characters right-aligned in 8 bytes: first shift out what follows, then clear the sign.
            const std::uint64_t text = (block.first8() ^ 0x3030303030303030) << (64 - 8 * length);
            magnitude = simd::value8(text & low_bits(8 * digit_count) << (64 - 8 * digit_count));
        } else {
            magnitude = block.value(length, simd::kNoPoint);
        }
        out.kind = NumberKind::kInt64;
        out.i = static_cast<std::int64_t>((magnitude ^ (0 - static_cast<std::uint64_t>(negative))) + negative);
        return end;
    }

    const auto point = static_cast<unsigned>(__builtin_ctz(others | 1u << 31));
    const unsigned fraction = others ? length - 1 - point : simd::kNoPoint;
    const bool odd = (others & (others - 1)) != 0 || fraction == 0 || !(digits >> negative & 1) || leading_zero ||
                     digit_count > 19 || (others && p[point] != '.');
    if (OCIOR_UNLIKELY(odd)) return detail::read_number_slow<Unit>(p, out);
    const std::uint64_t w = block.value(length, fraction);
    out.kind = NumberKind::kFloat64;
    if (OCIOR_UNLIKELY(has_exponent)) {
        const Unit* x = end + 1;
        const bool down = *x == '-';
        x += down || *x == '+';
        std::uint32_t digit = static_cast<std::uint32_t>(*x) - '0';
        if (OCIOR_UNLIKELY(digit > 9)) return detail::read_number_slow<Unit>(p, out);
        int exponent = 0;
        do {
            if (exponent < 100000) exponent = exponent * 10 + static_cast<int>(digit);
            digit = static_cast<std::uint32_t>(*++x) - '0';
        } while (digit <= 9);
        const int fraction_digits = others ? static_cast<int>(fraction) : 0;
        out.d = with_sign(eisel_lemire(w, (down ? -exponent : exponent) - fraction_digits), negative);
        return x;
    }
    // William Clinger's exact case: w and the power of ten are both doubles without error, so one division rounds once.
    const double magnitude = digit_count <= 15
                                 ? static_cast<double>(static_cast<std::int64_t>(w)) / kExactPow10[fraction]
                                 : eisel_lemire_fraction(w, -static_cast<int>(fraction));
    out.d = with_sign(magnitude, negative);
    return end;
}

}  // namespace ocior::num
