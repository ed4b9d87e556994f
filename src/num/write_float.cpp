// Doubles to the text of Python's repr: shortest digits first, then one of three notations.
#include "num/float_text.h"

namespace ocior::num {
namespace {

// Zero, subnormals, and the powers of two that shortest_regular() does not take.
OCIOR_COLD std::uint8_t* write_irregular(std::uint8_t* out, std::uint64_t biased, std::uint64_t fraction) noexcept {
    if ((biased | fraction) == 0) {
        store(out, load<std::uint32_t>("0.0"));
        return out + 3;
    }
    Decimal d = biased ? shortest_power_of_two(static_cast<int>(biased) - 1075) : shortest_regular(fraction, kExponentTable.row[0]);
    if (d.head < detail::k1e15) {  // a subnormal may have fewer digits than put_decimal() wants
        for (d = {d.head * 10 + d.tail, 0, d.exponent - 1}; d.head < detail::k1e15; d.head *= 10) --d.exponent;
    }
    return detail::put_decimal(out, d);
}

// c * 2^q of a format with few digits: its ulp is 2^q, but half of that below `least`, the c of a power of two.
std::uint8_t* write_narrow(std::uint8_t* out, std::uint64_t c, int q, bool is_least) noexcept {
    if (c == 0) {
        store(out, load<std::uint32_t>("0.0"));
        return out + 3;
    }
    Decimal d = is_least ? shortest_power_of_two(q, c) : shortest_regular(c, kExponentTable.row[q + 1075]);
    for (d = {d.head * 10 + d.tail, 0, d.exponent - 1}; d.head < detail::k1e15; d.head *= 10) --d.exponent;
    return detail::put_decimal(out, d);
}

}  // namespace

std::uint8_t* write_f32(std::uint8_t* out, float v) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    const std::uint32_t biased = bits >> 23 & 0xff, fraction = bits & 0x7fffff;
    *out = '-';
    return write_narrow(out + (bits >> 31), biased ? fraction | 1u << 23 : fraction, static_cast<int>(biased ? biased : 1) - 150,
                        fraction == 0 && biased > 1);
}

std::uint8_t* write_f16(std::uint8_t* out, std::uint16_t bits) noexcept {
    const unsigned biased = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    *out = '-';
    return write_narrow(out + (bits >> 15), biased ? fraction | 1u << 10 : fraction, static_cast<int>(biased ? biased : 1) - 25,
                        fraction == 0 && biased > 1);
}

std::uint8_t* write_f64(std::uint8_t* out, double v) noexcept {
    if (std::uint8_t* const end = write_regular_f64(out, v); OCIOR_LIKELY(end != nullptr)) return end;
    const auto bits = std::bit_cast<std::uint64_t>(v);
    *out = '-';
    return write_irregular(out + (bits >> 63), (bits >> 52) & 0x7ff, bits & low_bits(52));
}

}  // namespace ocior::num
