// Doubles and float32 to the text of Python's repr: shortest digits first, then one of three notations.
#include "num/shortest.h"
#include "num/write.h"
#include "simd/decimal_write.h"

namespace ocior::num {
namespace {

constexpr std::uint64_t k1e15 = 1000000000000000;

// d.ddde+XX; `exponent` is that of the first digit. Inline although rare: GCC 12 jumps to a local function without
// vzeroupper, and the dirty upper halves then slow down every SSE instruction of whoever called us (by up to 10x).
OCIOR_INLINE std::uint8_t* put_scientific(std::uint8_t* out, unsigned digit_count, int exponent) noexcept {
    out += digit_count == 1 ? 1 : digit_count + 1;
    out[0] = 'e';
    out[1] = exponent < 0 ? '-' : '+';
    const auto magnitude = static_cast<std::uint32_t>(exponent < 0 ? -exponent : exponent);
    // At least two digits, as C's printf writes it.
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
    return put_scientific(out, digit_count, exponent);
}

// Fewer than 15 digits in the head: subnormals and float32.
OCIOR_INLINE std::uint8_t* put_short_decimal(std::uint8_t* out, const Decimal& d) noexcept {
    std::uint64_t head = d.head * 10 + d.tail;
    int exponent = d.exponent - 1;
    if (OCIOR_LIKELY(head < 1000000000)) {  // a float32 has 7 to 9
        head *= 1000000;
        exponent -= 6;
    }
    while (head < k1e15) {
        head *= 10;
        --exponent;
    }
    return put_decimal(out, {head, 0, exponent});
}

OCIOR_COLD std::uint8_t* write_subnormal(std::uint8_t* out, std::uint64_t c) noexcept {
    if (c == 0) {
        store(out, load<std::uint32_t>("0.0"));
        return out + 3;
    }
    const Decimal d = shortest_regular(c, kExponentTable.row[0]);
    return d.head < k1e15 ? put_short_decimal(out, d) : put_decimal(out, d);
}

OCIOR_COLD std::uint8_t* write_power_of_two(std::uint8_t* out, int q) noexcept {
    return put_decimal(out, shortest_power_of_two(1ull << 52, q));
}

}  // namespace

std::uint8_t* write_f64(std::uint8_t* out, double v) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(v);
    const std::uint64_t biased = (bits >> 52) & 0x7ff, fraction = bits & low_bits(52);
    *out = '-';
    out += bits >> 63;
    if (OCIOR_UNLIKELY(biased == 0)) return write_subnormal(out, fraction);
    const ExponentRow& row = kExponentTable.row[biased];
    if (OCIOR_UNLIKELY((fraction | row.regular) == 0)) return write_power_of_two(out, static_cast<int>(biased) - 1075);
    return put_decimal(out, shortest_regular(fraction | 1ull << 52, row));
}

std::uint8_t* write_f32(std::uint8_t* out, float v) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    const std::uint32_t biased = (bits >> 23) & 0xff, fraction = bits & low_bits(23);
    *out = '-';
    out += bits >> 31;
    if (OCIOR_UNLIKELY(biased == 0 && fraction == 0)) return write_subnormal(out, 0);
    const std::uint64_t c = biased ? fraction | 1u << 23 : fraction;
    const std::uint32_t binary_exponent = biased ? biased : 1;
    // A float32 scales like the double with the same least significant bit: 2^(x - 150) = 2^(x + 925 - 1075).
    const Decimal d = OCIOR_LIKELY(fraction != 0 || biased == 1)
                          ? shortest_regular(c, kExponentTable.row[binary_exponent + 925])
                          : shortest_power_of_two(c, static_cast<int>(binary_exponent) - 150);
    return put_short_decimal(out, d);
}

}  // namespace ocior::num
