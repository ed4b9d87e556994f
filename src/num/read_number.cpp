// Reading numbers out of line: every length, every rule of the grammar, the extremes of the exponent.
#include "num/exact.h"
#include "num/read.h"

namespace ocior::num {

// A subnormal result is shifted by more bits before it is rounded, so that it is not rounded twice.
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
OCIOR_INLINE unsigned digit_at(const Unit* p) noexcept {
    return static_cast<unsigned>(*p) - '0';
}

// Digits of the significand as they come: the first 19 significant ones in a word, the rest counted.
template <CodeUnit Unit>
struct Significand {
    std::uint64_t w = 0;
    int taken = 0;
    std::int64_t dropped = 0;
    bool dropped_non_zero = false;
    const Unit* first_significant = nullptr;

    const Unit* scan(const Unit* p) noexcept {
        for (unsigned digit; (digit = digit_at(p)) <= 9; ++p) {
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

    // The double nearest to the digits, which end at `last`, times 10^exponent.
    double times_pow10(std::int64_t exponent, const Unit* last) const noexcept {
        const std::int64_t sum = exponent + dropped;
        const int q = static_cast<int>(sum < -100000 ? -100000 : sum > 100000 ? 100000 : sum);
        const double low = eisel_lemire(w, q);
        // The digits dropped put the value between w and w + 1. Mostly both round to the same double.
        if (OCIOR_LIKELY(!dropped_non_zero) || eisel_lemire(w + 1, q) == low) return low;
        return nearer(first_significant, last, exponent, low);
    }
};

// Reads one unit at a time, where there are more than 31 characters or 19 digits, or something looked odd.
template <CodeUnit Unit>
OCIOR_COLD const Unit* read_number_slow(const Unit* const first, Number& out) noexcept {
    const bool negative = *first == '-';
    const Unit* const integer = first + negative;
    if (digit_at(integer) > 9) {
        out.kind = NumberKind::kNone;
        return first;
    }
    Significand<Unit> significand;
    const Unit* p = *integer == '0' ? integer + 1 : significand.scan(integer);
    const std::ptrdiff_t integer_digits = p - integer;
    std::int64_t exponent = 0;  // of the last digit
    bool is_float = false;
    if (*p == '.' && digit_at(p + 1) <= 9) {
        is_float = true;
        const Unit* const fraction = p + 1;
        p = significand.scan(fraction);
        exponent = -(p - fraction);
    }
    const Unit* const digits_end = p;
    if ((*p | 0x20) == 'e') {
        const Unit* x = p + 1;
        const bool down = *x == '-';
        x += down || *x == '+';
        if (digit_at(x) <= 9) {
            is_float = true;
            std::int64_t value = 0;
            for (unsigned digit; (digit = digit_at(x)) <= 9; ++x) {
                if (value < (1ll << 50)) value = value * 10 + digit;  // far more than any text has digits
            }
            exponent += down ? -value : value;
            p = x;
        }
    }
    if (is_float) {
        out.kind = NumberKind::kFloat64;
        out.d = with_sign(significand.times_pow10(exponent, digits_end), negative);
    } else if (integer_digits > 19 || significand.w > (1ull << 63) - 1 + negative) {
        out.kind = NumberKind::kBigInt;
    } else {
        out.kind = NumberKind::kInt64;
        out.i = static_cast<std::int64_t>(negative ? 0 - significand.w : significand.w);
    }
    return p;
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

}  // namespace ocior::num
