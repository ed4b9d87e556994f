// Reading numbers out of line: every length, every rule of the grammar, the extremes of the exponent.
#include "num/exact.h"
#include "num/read.h"

namespace ocior::num {

// Subnormal results need their own rounding: shifting by more bits first, so that no bit is rounded twice.
OCIOR_COLD double eisel_lemire_extreme(std::uint64_t w, int q) noexcept {
    if (w == 0 || q < kMinPow10) return 0.0;
    constexpr double kInfinity = __builtin_inf();
    if (q > 308) return kInfinity;
    const detail::Product product = detail::multiply(w, q, kPow10[q], detail::biased_base(q));
    if (product.biased <= 0) {
        const int shift = 1 - product.biased;
        if (shift >= 64) return 0.0;
        // A tie cannot occur here: q < -4. So bits that leave on the right do not matter but for the last of them.
        std::uint64_t significand = product.significand >> shift;
        significand = (significand + (significand & 1)) >> 1;
        return std::bit_cast<double>(significand);  // 2^52 becomes the smallest normal double by itself
    }
    if (product.biased >= 2047) return kInfinity;
    return detail::assemble(product);  // rounding up the largest significand carries into infinity
}

namespace detail {
namespace {

template <CodeUnit Unit>
OCIOR_INLINE unsigned digit_at(const Unit* p, const Unit* last) noexcept {
    return p == last ? 10u : static_cast<unsigned>(*p) - '0';
}

// Digits of the significand as they come: the first 19 significant ones in a word, the rest counted.
template <CodeUnit Unit>
struct Significand {
    std::uint64_t w = 0;
    int taken = 0;
    std::int64_t dropped = 0;
    bool dropped_non_zero = false;
    const Unit* first_significant = nullptr;

    const Unit* scan(const Unit* p, const Unit* last) noexcept {
        for (unsigned digit; (digit = digit_at(p, last)) <= 9; ++p) {
            if (taken < 19) {
                w = w * 10 + digit;
                if (w != 0 && taken++ == 0) first_significant = p;
            } else {
                ++dropped;
                dropped_non_zero |= digit != 0;
            }
        }
        return p;
    }
};

OCIOR_INLINE int clamp_exponent(std::int64_t q) noexcept { return static_cast<int>(q < -100000 ? -100000 : q > 100000 ? 100000 : q); }

// What the grammar found, before it is known which kind of number is wanted.
template <CodeUnit Unit>
struct Match {
    const Unit* end;
    const Unit* digits_end;
    std::int64_t integer_digits;
    std::int64_t exponent;  // of the last digit
    bool negative;
    bool is_float;
    Significand<Unit> significand;

    double magnitude() const noexcept {
        const int q = clamp_exponent(exponent + significand.dropped);
        const double low = eisel_lemire(significand.w, q);
        // The digits dropped put the value between w and w + 1. Mostly both round to the same double.
        if (OCIOR_LIKELY(!significand.dropped_non_zero) || eisel_lemire(significand.w + 1, q) == low) return low;
        return nearer(LongDecimal<Unit>{significand.first_significant, digits_end, exponent}, low);
    }
};

// False if no number starts at p.
template <CodeUnit Unit>
bool match(const Unit* p, const Unit* last, Match<Unit>& m) noexcept {
    m.negative = p != last && *p == '-';
    p += m.negative;
    const Unit* const integer = p;
    const unsigned first_digit = digit_at(p, last);
    if (first_digit > 9) return false;
    p = first_digit == 0 ? p + 1 : m.significand.scan(p, last);
    m.integer_digits = p - integer;
    m.is_float = false;
    m.digits_end = p;
    m.exponent = 0;
    if (p != last && *p == '.' && digit_at(p + 1, last) <= 9) {
        m.is_float = true;
        m.digits_end = m.significand.scan(p + 1, last);
        m.exponent = -(m.digits_end - (p + 1));
        p = m.digits_end;
    }
    if (p != last && (*p | 0x20) == 'e') {
        const Unit* x = p + 1;
        const bool down = x != last && *x == '-';
        x += down || (x != last && *x == '+');
        if (digit_at(x, last) <= 9) {
            m.is_float = true;
            std::int64_t value = 0;
            for (unsigned digit; (digit = digit_at(x, last)) <= 9; ++x) {
                if (value < (1ll << 50)) value = value * 10 + digit;  // far more than any text has digits
            }
            m.exponent += down ? -value : value;
            p = x;
        }
    }
    m.end = p;
    return true;
}

// One unit at a time: more than 31 characters, more than 19 digits, and everything that looked odd.
template <CodeUnit Unit>
OCIOR_COLD const Unit* read_number_slow(const Unit* p, Number& out) noexcept {
    Match<Unit> m;
    if (!match<Unit>(p, nullptr, m)) {
        out.kind = NumberKind::kNone;
        return p;
    }
    if (m.is_float) {
        out.kind = NumberKind::kFloat64;
        out.d = with_sign(m.magnitude(), m.negative);
    } else if (m.integer_digits > 19 || m.significand.w > (1ull << 63) - 1 + m.negative) {
        out.kind = NumberKind::kBigInt;
    } else {
        out.kind = NumberKind::kInt64;
        out.i = static_cast<std::int64_t>(m.negative ? 0 - m.significand.w : m.significand.w);
    }
    return m.end;
}

}  // namespace
}  // namespace detail

template <CodeUnit Unit>
OCIOR_NOINLINE const Unit* read_number(const Unit* p, Number& out) noexcept {
    const auto integer = read_integer(p);
    if (OCIOR_UNLIKELY(integer.end == nullptr)) return detail::read_number_slow(p, out);
    out.kind = NumberKind::kInt64;
    out.i = static_cast<std::int64_t>(integer.negative ? 0 - integer.magnitude : integer.magnitude);
    return integer.end;
}

template const std::uint8_t* read_number(const std::uint8_t*, Number&) noexcept;
template const std::uint16_t* read_number(const std::uint16_t*, Number&) noexcept;
template const std::uint32_t* read_number(const std::uint32_t*, Number&) noexcept;

double read_f64(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    detail::Match<std::uint8_t> m;
    if (!detail::match(first, last, m)) return 0.0;  // not what was promised
    return with_sign(m.magnitude(), m.negative);
}

}  // namespace ocior::num
