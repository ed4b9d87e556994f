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

// Writes what shortest_regular() does not take of a narrow format: zero, subnormals, and some powers of two.
template <FloatFormat format>
OCIOR_COLD std::uint8_t* write_irregular_narrow(std::uint8_t* out, std::uint32_t bits) noexcept {
    using Format = NarrowFormat<format>;
    const std::uint32_t biased = bits >> Format::kFractionBits & Format::exponent_bits, fraction = bits & Format::fraction_bits;
    *out = '-';
    out += bits >> (Format::kFractionBits + Format::kExponentBits);
    if ((biased | fraction) == 0) {
        store(out, load<std::uint32_t>("0.0"));
        return out + 3;
    }
    const int q = static_cast<int>(biased ? biased : 1) - static_cast<int>(Format::bias);
    const bool has_near_neighbour = fraction == 0 && biased > 1;  // below it, half as far away as the one above
    Decimal d = has_near_neighbour ? shortest_power_of_two(q, Format::one)
                                   : shortest_regular(biased ? fraction | Format::one : fraction, kExponentTable.row[q + 1075]);
    for (d = {d.head * 10 + d.tail, 0, d.exponent - 1}; d.head < detail::k1e15; d.head *= 10) --d.exponent;
    return detail::put_decimal(out, d);
}

template <FloatFormat format>
OCIOR_INLINE std::uint8_t* write_narrow(std::uint8_t* out, std::uint32_t bits) noexcept {
    std::uint8_t* const end = write_regular_narrow<format>(out, bits);
    return OCIOR_LIKELY(end != nullptr) ? end : write_irregular_narrow<format>(out, bits);
}

}  // namespace

std::uint8_t* write_f32(std::uint8_t* out, float v) noexcept {
    return write_narrow<FloatFormat::k32>(out, std::bit_cast<std::uint32_t>(v));
}
std::uint8_t* write_f16(std::uint8_t* out, std::uint16_t bits) noexcept { return write_narrow<FloatFormat::k16>(out, bits); }

std::uint8_t* write_f64(std::uint8_t* out, double v) noexcept {
    if (std::uint8_t* const end = write_regular_f64(out, v); OCIOR_LIKELY(end != nullptr)) return end;
    const auto bits = std::bit_cast<std::uint64_t>(v);
    *out = '-';
    return write_irregular(out + (bits >> 63), (bits >> 52) & 0x7ff, bits & low_bits(52));
}

}  // namespace ocior::num
