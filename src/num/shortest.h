// The shortest decimal that reads back as a given binary float: one 64x128-bit multiplication, no loop, no division.
#pragma once

#include "num/pow10.h"

namespace ocior::num {

// The idea is Raffaello Giulietti's Schubfach ("The Schubfach way to render doubles", 2020): scale the rounding
// interval so that it holds at least one and at most ten integers, and look for a multiple of ten among them. Yaoyuan
// Guo (yy_double) decides from one product instead of three; Xiang JunBo (xjb) scales by one power of ten less, so
// that the multiple of ten is the integral part and the last digit comes out of the fraction; Victor Zverovich (zmij)
// showed that the comparisons become carries. This is our formulation of it.
//
// Let v = c * 2^q, half an ulp h = 2^(q-1), k = floor(log10(2^q)). Divided by 10^(k+1), an ulp lies in [0.1, 1):
//
//        m                 v                       m+1         m = integral part: 15 or 16 digits for normal doubles
//     ---|--+--+--+--+-----*-----+--+--+--+--+--+---|---       f = fraction, in units of 2^-64
//                     [--h--|--h--]                            at most one of m, m+1 is within h: then it is shortest
//
//   f <= h       m  is in the interval (equality counts for even c, since reading rounds to even)
//   f >= 1 - h   m+1 is: f + h carries out of 64 bits
//   otherwise    one more digit, the nearest to 10 * f; it is in the interval because 10 * h >= 0.5
//
// The product is exact to within two units of 2^-70, so f is off by at most one unit of 2^-64, and only where the
// product is that close to a whole unit. tests/long/verify_shortest.py lists, for every q, exactly the significands
// whose f comes within a few units of a decision point, and finds every digit right.

// (head * 10 + tail) * 10^exponent. When tail == 0, head may end in zeros; the writer drops them.
struct Decimal {
    std::uint64_t head;
    std::uint64_t tail;
    int exponent;
};

// What depends on the binary exponent alone: a row for each exponent field of a double. Field 0, of subnormals, means the same exponent
// as 1.
struct ExponentRow {
    std::uint16_t power;  // row of 10^(-k-1) in kPow10
    std::uint8_t shift;   // of c, so that the unit of v / 10^(k+1) is bit 134 of the 192-bit product; 3 to 6
    std::uint8_t regular;  // shortest_regular is right for the power of two of this exponent, too
};
struct ExponentTable {
    ExponentRow row[2047];
};

// power * 2^(e - 127) = 10^(-k-1), so c * 2^shift * power = c * 2^q * 10^(-k-1) * 2^134.
constexpr int scale_shift(int q, int k) noexcept { return q + floor_log2_pow10(-k - 1) + 7; }

constexpr ExponentTable make_exponent_table() {
    ExponentTable table{};
    for (int biased = 0; biased < 2047; ++biased) {
        const int q = (biased ? biased : 1) - 1075, k = floor_log10_pow2(q), e = biased - 1023;
        table.row[biased] = {static_cast<std::uint16_t>(-k - 1 - kMinPow10), static_cast<std::uint8_t>(scale_shift(q, k)),
                             static_cast<std::uint8_t>(biased <= 1 || (e >= -23 && e <= 63))};
    }
    return table;
}
alignas(64) inline constexpr ExponentTable kExponentTable = make_exponent_table();

// a < b ? yes : no, never as a branch: which way these comparisons go is as good as random, and compilers guess.
OCIOR_INLINE std::uint64_t select_less(std::uint64_t a, std::uint64_t b, std::uint64_t yes, std::uint64_t no) noexcept {
#if defined(__x86_64__)
    asm("cmpq %[b], %[a]\n\tcmovbq %[yes], %[no]" : [no] "+r"(no) : [a] "r"(a), [b] "r"(b), [yes] "r"(yes) : "cc");
    return no;
#else
    return a < b ? yes : no;
#endif
}

struct Scaled {
    std::uint64_t integral;
    std::uint64_t fraction;  // times 2^-64
    std::uint64_t half_ulp;  // times 2^-64
};

// c * 2^q / 10^(k+1), c < 2^53.
OCIOR_INLINE Scaled scale(std::uint64_t c, const Pow10& power, unsigned shift) noexcept {
    c <<= shift;
    const uint128 product = static_cast<uint128>(power.high) * c;
    // (GCC 12 would add two numbers of 128 bits by way of the stack, which costs all of write_f64 a seventh.)
    std::uint64_t low;
    const bool carry = __builtin_add_overflow(static_cast<std::uint64_t>(product),
                                              static_cast<std::uint64_t>((static_cast<uint128>(power.low) * c) >> 64), &low);
    const std::uint64_t high = static_cast<std::uint64_t>(product >> 64) + carry;
    return {high >> 6, high << 58 | low >> 6, power.high >> (7 - shift)};
}

// round(10 * f), ties to even, as (f + bias) * 10 with a bias of 1/20. f is rounded down, so 10 * f may be up to ten units
// too small. A bias one unit above 2^64 / 20 rounded up makes up for that, and never lifts a true value from below a tie to
// above it (the script checks both; one unit less fails). Exact ties occur only at f = 1/4 and 3/4, where 10 * f is
// 2.5 and 7.5, since (2n + 1) / 20 is a dyadic fraction only if 5 divides 2n + 1. If f + bias wraps around, m + 1 is near.
inline constexpr std::uint64_t kTieBias = (1ull << 62) / 5 + 2;
static_assert(kTieBias == 922337203685477581 + 1);

OCIOR_INLINE std::uint64_t round_to_digit(std::uint64_t f) noexcept {
    auto digit = static_cast<std::uint64_t>((static_cast<uint128>(f + kTieBias) * 10) >> 64);
    if (OCIOR_UNLIKELY(f == 1ull << 62)) {  // 2.5 -> 2; and 7.5 -> 8 is what rounding up does anyway
        asm("" : "=r"(digit) : "0"(2ull));  // keeps it a branch, which is never taken on real data
    }
    return digit;
}

// Takes every finite double that is not zero, but for some powers of two.
//
// Below a power of two the neighbours are half as far apart, so there the interval is [v - h/2, v + h], and these steps may
// find a multiple of ten in the missing half. They don't for 2^-23 to 2^63, the ones that people write; and below
// 2^-1022 the neighbour is a subnormal at the same distance. `regular` marks these exponents; the unit test tries all.
OCIOR_INLINE Decimal shortest_regular(std::uint64_t c, const ExponentRow& row) noexcept {
    const Scaled s = scale(c, kPow10.row[row.power], row.shift);
    const std::uint64_t reach = s.half_ulp + (~c & 1), sum = s.fraction + reach;
    const std::uint64_t digit = select_less(s.fraction, reach, 0, round_to_digit(s.fraction));
    return {s.integral + (sum < reach), select_less(sum, reach, 0, digit), -1 - kMinPow10 - row.power};
}

// A power of two, c * 2^q, whose neighbour below is half as far away as the one above: c is 2^52 for a double. Only some 2000 doubles take
// this road; the unit test tries them all.
OCIOR_COLD inline Decimal shortest_power_of_two(int q, std::uint64_t c = 1ull << 52) noexcept {
    // floor(log10(3/4 * 2^q)): 131072 / 2^20 = 0.125 is just above -log10(3/4) = 0.12494.
    const int k = (q * 315653 - 131072) >> 20;
    const Scaled s = scale(c, kPow10[-k - 1], static_cast<unsigned>(scale_shift(q, k)));
    const std::uint64_t below = s.half_ulp >> 1;
    // In a narrow format both candidates may be in the interval: then the nearer one is right.
    const bool is_above_inside = s.fraction + s.half_ulp < s.half_ulp, is_below_inside = s.fraction <= below;
    if (is_above_inside && !(is_below_inside && s.fraction < 1ull << 63)) return {s.integral + 1, 0, k};
    if (is_below_inside) return {s.integral, 0, k};
    // 10 * h/2 may be as small as 1/3, so the nearest digit may be below the interval: then it is the next one.
    const std::uint64_t digit = round_to_digit(s.fraction);
    // (The end of the interval is a number of one digit for some floats of 16 bits alone: there the fractions, which are rounded down, may
    // not make it a little more.)
    const std::uint64_t rounding = c == 1ull << 52 ? ~0ull : ~0ull - 256;
    const auto inside = static_cast<std::uint64_t>((static_cast<uint128>(s.fraction - below) * 10 + rounding) >> 64);
    return {s.integral, digit < inside ? inside : digit, k};
}

}  // namespace ocior::num
