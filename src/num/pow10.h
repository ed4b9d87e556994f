// The powers of ten as 128-bit significands, computed by the compiler: one table for reading and for writing doubles.
#pragma once

#include "base/bits.h"

namespace ocior::num {

// 10^e = significand * 2^(floor(log2(10^e)) - 127), significand in [2^127, 2^128), where
//   e >= 0: rounded down (exact up to 10^55, because 5^55 < 2^128),
//   e <  0: rounded up.
// That is the convention of Eisel-Lemire reading: with a reciprocal rounded up, w * 10^-n stays exact to the
// last bit whenever 5^n divides w. The writer only needs the error to be below one unit, in either direction.
struct Pow10 {
    std::uint64_t high;
    std::uint64_t low;
};

// The smallest power that reading asks for: a significand below 2^64 times 10^-343 is below 2^-1075, half of the
// smallest double. The largest is asked for by writing: 5e-324 is scaled by 10^323.
inline constexpr int kMinPow10 = -342;
inline constexpr int kMaxPow10 = 323;

struct Pow10Table {
    Pow10 row[kMaxPow10 - kMinPow10 + 1];

    constexpr const Pow10& operator[](int exponent) const noexcept { return row[exponent - kMinPow10]; }
};

namespace detail {

// A fixed-size natural number for the compile-time computation only; limb[0] is the least significant.
template <int kLimbs>
struct ConstNatural {
    std::uint64_t limb[kLimbs] = {};

    constexpr void multiply(std::uint64_t factor) {
        std::uint64_t carry = 0;
        for (std::uint64_t& x : limb) {
            const uint128 t = static_cast<uint128>(x) * factor + carry;
            x = static_cast<std::uint64_t>(t);
            carry = static_cast<std::uint64_t>(t >> 64);
        }
    }

    constexpr void divide(std::uint64_t divisor) {  // rounds down
        std::uint64_t rest = 0;
        for (int i = kLimbs; i-- > 0;) {
            const uint128 t = (static_cast<uint128>(rest) << 64) | limb[i];
            limb[i] = static_cast<std::uint64_t>(t / divisor);
            rest = static_cast<std::uint64_t>(t % divisor);
        }
    }

    // The 128 bits that start at the highest set bit, rounded down.
    constexpr Pow10 top() const {
        int i = kLimbs - 1;
        while (limb[i] == 0) --i;
        const auto at = [this](int k) { return k >= 0 ? limb[k] : 0; };
        const int shift = std::countl_zero(limb[i]);
        if (shift == 0) return {at(i), at(i - 1)};
        return {at(i) << shift | at(i - 1) >> (64 - shift), at(i - 1) << shift | at(i - 2) >> (64 - shift)};
    }
};

constexpr Pow10Table make_pow10_table() {
    Pow10Table table{};
    // 5^323 < 2^(323 * 2.3220) < 2^751, so 12 limbs hold it.
    ConstNatural<12> power{{1}};
    for (int e = 0; e <= kMaxPow10; ++e) {
        table.row[e - kMinPow10] = power.top();
        power.multiply(5);
    }
    // floor(floor(2^n / 5^k) / 5) = floor(2^n / 5^(k+1)), so repeated short division loses nothing. 2^959 / 5^342 has
    // 959 - 795 > 128 bits left. No quotient is whole, so rounding up is adding one, and no significand is all ones.
    ConstNatural<15> reciprocal{};
    reciprocal.limb[14] = 1ull << 63;
    for (int e = -1; e >= kMinPow10; --e) {
        reciprocal.divide(5);
        Pow10 row = reciprocal.top();
        row.high += ++row.low == 0;
        table.row[e - kMinPow10] = row;
    }
    return table;
}

}  // namespace detail

alignas(64) inline constexpr Pow10Table kPow10 = detail::make_pow10_table();

static_assert(kPow10[0].high == 1ull << 63 && kPow10[0].low == 0);
static_assert(kPow10[1].high == 10ull << 60 && kPow10[1].low == 0);
static_assert(kPow10[-1].high == 0xcccccccccccccccc && kPow10[-1].low == 0xcccccccccccccccd);
// 10^27 = 5^27 * 2^27 is the last whose significand fits the high word.
static_assert(kPow10[27].low == 0 && kPow10[28].low != 0);

// floor(log2(10^e)): 217706 / 2^16 is log2(10) + 1.9e-6. floor(log10(2^e)): 315653 / 2^20 is log10(2) + 1.4e-7. Both are
// exact far beyond the exponents in use; every one of those is checked below.
inline constexpr int kLog2Of10 = 217706, kLog10Of2 = 315653;
constexpr int floor_log2_pow10(int e) noexcept { return (e * kLog2Of10) >> 16; }
constexpr int floor_log10_pow2(int e) noexcept { return (e * kLog10Of2) >> 20; }

namespace detail {
constexpr bool logarithms_hold() {
    // Walk 10^e upwards (and its reciprocal downwards) counting by how many bits each step of *10 grows.
    int bits = 0;
    for (int e = 0; e < kMaxPow10; ++e) {
        if (floor_log2_pow10(e) != bits) return false;
        bits += 3 + (kPow10[e + 1].high < kPow10[e].high);
    }
    bits = 0;
    for (int e = 0; e > kMinPow10; --e) {
        if (floor_log2_pow10(e) != bits) return false;
        bits -= 3 + (kPow10[e - 1].high > kPow10[e].high);
    }
    // k = floor(log10(2^e)) iff floor(log2(10^k)) <= e < floor(log2(10^(k+1))) + (10^(k+1) is a power of two ? 0 : 1).
    for (int e = -1074; e <= 1023; ++e) {
        const int k = floor_log10_pow2(e);
        const auto lower_ok = floor_log2_pow10(k) + (k != 0) <= e;
        const auto upper_ok = floor_log2_pow10(k + 1) + (k + 1 != 0) > e;
        if (!lower_ok || !upper_ok) return false;
    }
    return true;
}
}  // namespace detail
static_assert(detail::logarithms_hold());

}  // namespace ocior::num
