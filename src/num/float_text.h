// The text of a double's shortest digits in Python's notation, inline for those who write many: write_float.cpp, and the encoder's runs.
#pragma once

#include "num/shortest.h"
#include "num/write.h"
#include "simd/decimal_write.h"

namespace ocior::num::detail {

inline constexpr std::uint64_t k1e15 = 1000000000000000;

// e+XX: at least two digits, as C's printf writes it. Inline although rare: GCC 12 jumps to a local function without
// vzeroupper, and the dirty upper halves then slow down every SSE instruction of whoever called us (by up to 10x).
OCIOR_INLINE std::uint8_t* put_exponent(std::uint8_t* out, int exponent) noexcept {
    out[0] = 'e';
    out[1] = exponent < 0 ? '-' : '+';
    const auto magnitude = static_cast<std::uint32_t>(exponent < 0 ? -exponent : exponent);
    store(out + 2, detail::kTriples.padded[magnitude] >> (magnitude < 100 ? 8 : 0));
    return out + 4 + (magnitude >= 100);
}

// repr's choice of notation: positional for 10^-4 <= |v| < 10^16. head < 10^16, and only its first digit may be 0.
OCIOR_INLINE std::uint8_t* put_decimal(std::uint8_t* out, const Decimal& d) noexcept {
    const std::uint64_t lead = d.head < k1e15;
    const simd::Digits17 digits(d.head, d.tail, lead);
    const unsigned digit_count = digits.count();
    const int exponent = d.exponent + 16 - static_cast<int>(lead);
    if (OCIOR_LIKELY(static_cast<unsigned>(exponent) < 16)) {
        const auto point = static_cast<unsigned>(exponent) + 1;
        digits.put(out, point);
        // At least one digit stays behind the point; the digits beyond digit_count are zeros.
        return out + (digit_count > point ? digit_count : point + 1) + 1;
    }
    if (OCIOR_LIKELY(static_cast<unsigned>(exponent + 4) < 4)) {
        store(out, load<std::uint64_t>("0.000000"));
        out += 1 - exponent;
        digits.put(out, simd::kPointless);
        return out + digit_count;
    }
    digits.put(out, 1);
    return put_exponent(out + (digit_count == 1 ? 1 : digit_count + 1), exponent);  // behind d.ddd
}

}  // namespace ocior::num::detail

namespace ocior::num {

// write_f64 for nearly all finite doubles; null for zero, subnormals, some powers of two and what is not finite.
OCIOR_INLINE std::uint8_t* write_regular_f64(std::uint8_t* out, double v) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(v);
    const std::uint64_t biased = (bits >> 52) & 0x7ff, fraction = bits & low_bits(52);
    if (OCIOR_UNLIKELY(biased - 1 >= 0x7fe)) return nullptr;
    const ExponentRow& row = kExponentTable.row[biased];
    if (OCIOR_UNLIKELY((fraction | row.regular) == 0)) return nullptr;
    *out = '-';
    return detail::put_decimal(out + (bits >> 63), shortest_regular(fraction | 1ull << 52, row));
}

}  // namespace ocior::num
