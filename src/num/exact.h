// The last resort of reading: the exact comparison of a long decimal with the middle between two doubles.
#pragma once

#include "base/bits.h"

namespace ocior::num {

// The double that is nearest to a decimal which is too long for one word: `below` or the next one above, between which it lies. A tie goes
// to the even significand. The decimal is 10^exponent times the integer of the digits [first, last), the first of which is not 0; there may
// be a point among them.
template <CodeUnit Unit>
double nearer(const Unit* first, const Unit* last, std::int64_t exponent, double below) noexcept;

}  // namespace ocior::num
