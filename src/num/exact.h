// The last resort of reading: the exact comparison of a long decimal with the middle between two doubles.
#pragma once

#include "base/bits.h"

namespace ocior::num {

// 0.d1d2d3... style decimal that was too long for one word: `digits` significant characters, not counting leading zeros,
// possibly with a point among them; value = (the digits as an integer) * 10^exponent.
template <CodeUnit Unit>
struct LongDecimal {
    const Unit* first;  // the first significant digit
    const Unit* last;   // one past the last digit
    std::int64_t exponent;  // of the last digit
};

// `below` and the next double above it enclose the decimal: which one is nearer? Ties go to the even significand.
template <CodeUnit Unit>
double nearer(const LongDecimal<Unit>& decimal, double below) noexcept;

}  // namespace ocior::num
