// w * 10^q to the nearest double, by one or two 64x64-bit multiplications.
#pragma once

#include "num/pow10.h"

namespace ocior::num {

inline constexpr double kExactPow10[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                         1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

OCIOR_INLINE double with_sign(double magnitude, std::uint64_t negative) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | negative << 63);
}

namespace detail {

struct Product {
    std::uint64_t significand;  // 54 bits: 53 and the rounding bit
    int biased;                 // exponent field of a normal double
};

// The exponent field of w * 10^q, before the leading zeros of w are taken off and the top bit of the product is added.
constexpr int biased_base(int q) noexcept { return floor_log2_pow10(q) + 63 + 1023; }

// Michael Eisel's algorithm as given by Daniel Lemire ("Number Parsing at a Gigabyte per Second", 2021). w is normalised, so
// its product with the high word of the power has 127 or 128 bits, of which 54 decide. The low word of the power adds
// less than one unit to the high word of the product, so it is only looked at when the nine bits below those 54 are all
// ones and a carry would travel. Noble Mushtak and Lemire ("Fast Number Parsing Without Fallback", 2022) prove that
// with 128 bits no doubt is left for any 64-bit w.
OCIOR_INLINE Product multiply(std::uint64_t w, int q, const Pow10& power, int base) noexcept {
    const unsigned zeros = leading_zeros(w);
    w <<= zeros;
    const uint128 product = static_cast<uint128>(w) * power.high;
    auto high = static_cast<std::uint64_t>(product >> 64), low = static_cast<std::uint64_t>(product);
    if (OCIOR_UNLIKELY((high & 0x1ff) == 0x1ff)) {
        const auto correction = static_cast<std::uint64_t>((static_cast<uint128>(w) * power.low) >> 64);
        low += correction;
        high += low < correction;
    }
    const auto top = static_cast<unsigned>(high >> 63);
    std::uint64_t significand = high >> (top + 9);
    // Exactly half way between two doubles: only possible where 5^q fits 64 bits or 5^-q divides w, -4 <= q <= 23.
    // Clearing the rounding bit rounds to even.
    if (OCIOR_UNLIKELY(low <= 1)) {
        if (q >= -4 && q <= 23 && (significand & 3) == 1 && significand << (top + 9) == high) significand &= ~1ull;
    }
    return {significand, base + static_cast<int>(top) - static_cast<int>(zeros)};
}

// Rounds, and drops the rounding bit. The hidden bit is added onto the exponent field, and so is the carry of rounding up to 2^53.
OCIOR_INLINE double assemble(const Product& product) noexcept {
    const std::uint64_t rounded = (product.significand + (product.significand & 1)) >> 1;
    return std::bit_cast<double>((static_cast<std::uint64_t>(product.biased - 1) << 52) + rounded);
}

}  // namespace detail

// The powers of ten that the digits of a number without an exponent are multiplied by, each with its biased_base().
struct FractionPower {
    Pow10 power;
    std::int64_t base;
};
struct FractionTable {
    FractionPower row[20];
};
constexpr FractionTable make_fraction_table() {
    FractionTable table{};
    for (int n = 0; n < 20; ++n) table.row[n] = {kPow10[-n], detail::biased_base(-n)};
    return table;
}
alignas(64) inline constexpr FractionTable kFractionTable = make_fraction_table();

// w * 10^-digits for w < 10^19 and digits < 20: the result is zero or a normal double.
OCIOR_INLINE double eisel_lemire_fraction(std::uint64_t w, std::size_t digits) noexcept {
    if (OCIOR_UNLIKELY(w == 0)) return 0.0;
    const FractionPower& row = kFractionTable.row[digits];
    return detail::assemble(detail::multiply(w, -static_cast<int>(digits), row.power, static_cast<int>(row.base)));
}

// w * 10^q where the result may be subnormal, zero or infinite.
double eisel_lemire_extreme(std::uint64_t w, int q) noexcept;

// w * 10^q for any w and q.
OCIOR_INLINE double eisel_lemire(std::uint64_t w, int q) noexcept {
    // 10^-307 > 2^-1022 and 10^19 * 10^288 < 2^1024.
    if (OCIOR_UNLIKELY(w == 0 || q < -307 || q > 288)) return eisel_lemire_extreme(w, q);
    return detail::assemble(detail::multiply(w, q, kPow10[q], detail::biased_base(q)));
}

}  // namespace ocior::num
