// The shortest decimal that reads back as a given binary float: one 64x128-bit multiplication, no loop, no division.
#pragma once

#include "num/pow10.h"

namespace ocior::num {

// (head * 10 + tail) * 10^exponent. When tail == 0, head may end in zeros; the writer drops them.
struct Decimal {
    std::uint64_t head;
    unsigned tail;
    int exponent;
};

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
// product is that close to a whole unit. tests/long/verify_shortest.py walks, for every q, exactly the significands
// whose f comes within a few units of one of the decision points, and finds no wrong digit.

// a < b ? yes : no, never as a branch: which way these comparisons go is as good as random, and compilers guess.
OCIOR_INLINE std::uint64_t select_less(std::uint64_t a, std::uint64_t b, std::uint64_t yes, std::uint64_t no) noexcept {
#if defined(__x86_64__)
    asm("cmpq %[b], %[a]\n\tcmovbq %[yes], %[no]" : [no] "+r"(no) : [a] "r"(a), [b] "r"(b), [yes] "r"(yes) : "cc");
    return no;
#else
    return a < b ? yes : no;
#endif
}

inline constexpr std::uint64_t kNearHalf = (1ull << 63) + 6;  // see round_to_digit

// round(10 * f), ties to even. f is rounded down, so 10 * f may be up to 10 units short of the true value; the +6 makes up
// for that without ever jumping over a true one below a half (checked by the same script). Exact ties occur
// only at f = 1/4 and 3/4, where 10 * f is 2.5 and 7.5: (2n + 1) / 20 is a dyadic fraction only if 5 divides 2n + 1.
OCIOR_INLINE unsigned round_to_digit(std::uint64_t f) noexcept {
    const auto digit = static_cast<unsigned>((static_cast<uint128>(f) * 10 + kNearHalf) >> 64);
    return digit - (f == 1ull << 62);  // 2.5 -> 2, and 7.5 -> 8 is what rounding up does anyway
}

struct Scaled {
    std::uint64_t integral;
    std::uint64_t fraction;  // times 2^-64
    std::uint64_t half_ulp;  // times 2^-64
};

// c * 2^q / 10^(k+1). c < 2^53.
OCIOR_INLINE Scaled scale(std::uint64_t c, int q, int k) noexcept {
    const Pow10& power = kPow10[-k - 1];
    // power * 2^(e - 127) = 10^(-k-1); c * power * 2^(q + e - 127) shall have its unit at bit 134 of the 192-bit product.
    const int shift = q + floor_log2_pow10(-k - 1) + 7;
    const std::uint64_t shifted = c << shift;  // shift is 3 to 7, since 0.1 <= ulp < 4/3
    const uint128 product =
        static_cast<uint128>(power.high) * shifted + ((static_cast<uint128>(power.low) * shifted) >> 64);
    return {static_cast<std::uint64_t>(product >> 70), static_cast<std::uint64_t>(product >> 6),
            power.high >> (7 - shift)};
}

// Every finite non-zero significand whose neighbours are equally far away.
OCIOR_INLINE Decimal shortest_regular(std::uint64_t c, int q) noexcept {
    const int k = floor_log10_pow2(q);
    const Scaled s = scale(c, q, k);
    const std::uint64_t reach = s.half_ulp + (~c & 1);
    std::uint64_t sum;
    const bool up = __builtin_add_overflow(s.fraction, reach, &sum);
    const std::uint64_t digit = select_less(s.fraction, reach, 0, round_to_digit(s.fraction));
    // Not above f: the digit stays. (f + h < h is "carried".)
    return {s.integral + up, static_cast<unsigned>(select_less(sum, reach, 0, digit)), k};
}

// A power of two: the neighbour below is half as far, so the interval is [v - h/2, v + h]. Rare (1 in 2^52): kept
// simple. Only 2045 doubles take this road, and the unit test tries them all.
OCIOR_COLD inline Decimal shortest_power_of_two(std::uint64_t c, int q) noexcept {
    constexpr auto floor_log10_three_quarters_pow2 = [](int e) { return (e * 315653 - 131072) >> 20; };
    static_assert(floor_log10_three_quarters_pow2(0) == -1 && floor_log10_three_quarters_pow2(4) == 1);
    const int k = floor_log10_three_quarters_pow2(q);
    const Scaled s = scale(c, q, k);
    const std::uint64_t below = s.half_ulp >> 1;
    if (s.fraction + s.half_ulp < s.half_ulp) return {s.integral + 1, 0, k};
    if (s.fraction <= below) return {s.integral, 0, k};
    unsigned digit = round_to_digit(s.fraction);
    // 10 * h/2 may be as small as 1/3, so the nearest digit may be below the interval: then it is the next one.
    const auto first_inside =
        static_cast<unsigned>((static_cast<uint128>(s.fraction - below) * 10 + ~0ull) >> 64);
    if (digit < first_inside) digit = first_inside;
    return {s.integral, digit, k};
}

}  // namespace ocior::num
