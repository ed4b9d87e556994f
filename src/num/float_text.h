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

// repr's choice of notation for a number whose first digit is at 10^exponent: positional for 10^-4 <= |v| < 10^16.
template <typename Digits>
OCIOR_INLINE std::uint8_t* put_digits(std::uint8_t* out, const Digits& digits, int exponent) noexcept {
    const unsigned digit_count = digits.count();
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

// head < 10^16, and only its first digit may be 0.
OCIOR_INLINE std::uint8_t* put_decimal(std::uint8_t* out, const Decimal& d) noexcept {
    const std::uint64_t lead = d.head < k1e15;
    return put_digits(out, simd::Digits17(d.head, d.tail, lead), d.exponent + 16 - static_cast<int>(lead));
}
// 10^5 <= head < 10^8.
OCIOR_INLINE std::uint8_t* put_short_decimal(std::uint8_t* out, const Decimal& d) noexcept {
    const unsigned lead = (d.head < 10000000) + (d.head < 1000000);
    return put_digits(out, simd::Digits9(d.head, d.tail, lead), d.exponent + 8 - static_cast<int>(lead));
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

// The binary formats of IEEE 754 that are written.
enum class FloatFormat : std::uint8_t { k16, k32, k64 };

// What a narrow format has in place of a double's numbers.
template <FloatFormat format>
struct NarrowFormat {
    static constexpr bool k16 = format == FloatFormat::k16;
    static constexpr unsigned kFractionBits = k16 ? 10 : 23, kExponentBits = k16 ? 5 : 8;
    static constexpr std::uint64_t one = 1ull << kFractionBits, fraction_bits = one - 1, exponent_bits = (1 << kExponentBits) - 1,
                                   magnitude_bits = (exponent_bits << kFractionBits) | fraction_bits, regular_exponents = exponent_bits - 1,
                                   bias = exponent_bits / 2 + kFractionBits;
    // The powers of two that shortest_regular() takes: 2^-46 to 2^24, 2^-5 to 2^15. The unit test tries all.
    static constexpr std::uint64_t least_regular_power = k16 ? 15 - 5 : 127 - 46, regular_powers = k16 ? 21 : 71;
};

// write_f32 or write_f16 for nearly all finite numbers of the format, given by their bits; null for zero, subnormals, some powers of two
// and what is not finite.
template <FloatFormat format>
OCIOR_INLINE std::uint8_t* write_regular_narrow(std::uint8_t* out, std::uint32_t bits) noexcept {
    using Format = NarrowFormat<format>;
    const std::uint64_t biased = bits >> Format::kFractionBits & Format::exponent_bits, fraction = bits & Format::fraction_bits;
    if (OCIOR_UNLIKELY(biased - 1 >= Format::regular_exponents)) return nullptr;
    if (OCIOR_UNLIKELY(fraction == 0 && biased - Format::least_regular_power >= Format::regular_powers)) return nullptr;
    // The head is from 838860 to 16777216, or from 102 to 2048: then it is brought near to that.
    Decimal d = shortest_regular(fraction | Format::one, kExponentTable.row[biased + (1075 - Format::bias)]);
    if constexpr (Format::k16) d = {1000 * (10 * d.head + d.tail), 0, d.exponent - 4};
    *out = '-';
    return detail::put_short_decimal(out + (bits >> (Format::kFractionBits + Format::kExponentBits)), d);
}

}  // namespace ocior::num
