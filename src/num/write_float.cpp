// Doubles and float32 to the text of Python's repr: shortest digits first, then one of three notations.
#include "num/float_text.h"

namespace ocior::num {
namespace {

using detail::k1e15;
using detail::put_decimal;

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
    if (std::uint8_t* const end = write_regular_f64(out, v); OCIOR_LIKELY(end != nullptr)) return end;
    const auto bits = std::bit_cast<std::uint64_t>(v);
    const std::uint64_t biased = (bits >> 52) & 0x7ff;
    *out = '-';
    out += bits >> 63;
    return biased == 0 ? write_subnormal(out, bits & low_bits(52)) : write_power_of_two(out, static_cast<int>(biased) - 1075);
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
    const Decimal d = OCIOR_LIKELY(fraction != 0 || biased == 1) ? shortest_regular(c, kExponentTable.row[binary_exponent + 925])
                                                                 : shortest_power_of_two(c, static_cast<int>(binary_exponent) - 150);
    return put_short_decimal(out, d);
}

}  // namespace ocior::num
