// Doubles to halves, the numbers of 16 bits of IEEE 754.
#pragma once

#include <cmath>
#include <cstdint>

namespace ocior::num {

// The bits of the half that is nearest, of two the one with an even significand; those of infinity where all are too small.
inline std::uint16_t half_of(double value) noexcept {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) << 15);
    const double size = std::fabs(value);
    if (std::isnan(value)) return 0x7e00;
    if (size >= 65520) return sign | 0x7c00;  // half way from the largest one to 2^16
    // In units of the last place, which are 2^-24 at least. Where these are rounded up to a power of two, the exponent takes the carry.
    const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
    const auto units = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
    return static_cast<std::uint16_t>(sign | ((exponent + 14) * 1024 + units));
}

}  // namespace ocior::num
