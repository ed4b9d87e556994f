// Decimal numbers with a fixed count of fraction digits, as integers of up to 256 bits: nothing is rounded.
#pragma once

#include <cstdint>

namespace ocior::num {

// The limbs of an integer, the lowest one first, in two's complement.
struct FixedPoint {
    std::uint64_t limbs[4] = {};
};

// Reads the number of JSON at [first, last), times 10^scale. False where that is no integer of at most `most_digits` digits, of which there
// are 76 at most, or where the text begins with no digit, as the words for what is not finite do.
bool read_fixed_point(const std::uint8_t* first, const std::uint8_t* last, std::int32_t most_digits, std::int32_t scale,
                      FixedPoint& value) noexcept;

}  // namespace ocior::num
