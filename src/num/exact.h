// The last resort of reading: the exact comparison of a long decimal with the middle between two doubles.
#pragma once

#include "base/bits.h"

namespace ocior::num {

// A decimal that was too long for one word: the characters [first, last), which may have a point among them and no leading zeros, as an
// integer times 10^exponent.
template <CodeUnit Unit>
struct LongDecimal {
    const Unit* first;  // the first significant digit
    const Unit* last;   // one past the last digit
    std::int64_t exponent;  // of the last digit
};

// The double that is nearest to a decimal: `below` or the next one above, between which the decimal lies. A tie goes to the even
// significand.
template <CodeUnit Unit>
double nearer(const LongDecimal<Unit>& decimal, double below) noexcept;

}  // namespace ocior::num
