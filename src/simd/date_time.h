// The digits of dates and times, as RFC 3339 has them, in the compiler's own vectors.
#pragma once

#include <cstring>

#include "base/bits.h"
#include "base/config.h"

namespace ocior::simd {

// Stores 20 bytes: "YYYY-MM-DDThh:mm:ss.". `pairs` has a byte below 100 for every two digits, the century in the lowest one; the uppermost
// one is ignored. Each becomes two digits in a lane of 16 bits: the first digit of x is x * 103 / 1024.
OCIOR_INLINE void store_date_time(std::uint8_t* to, std::uint64_t pairs) noexcept {
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    using Lanes = std::uint16_t __attribute__((vector_size(16)));
    using Words = std::uint64_t __attribute__((vector_size(16)));
    const auto lanes =
        (Lanes)__builtin_shufflevector((Bytes)Words{pairs, 0}, Bytes{}, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16, 5, 16, 6, 16, 7, 16);
    const Lanes tens = lanes * 103 >> 10;
    // The second digit, x - 10 * tens, goes into the upper byte, the first one stays in the lower. (The last lane is ignored. Were its
    // factor the same, GCC would write shifts and sums for the product, more instructions.)
    constexpr std::uint16_t kLift = 10 * 256 - 1;
    const Lanes lift = {kLift, kLift, kLift, kLift, kLift, kLift, kLift, 0};
    const Bytes digits = (Bytes)((lanes << 8) - tens * lift) + '0';
    const Bytes marks = {'-', 'T', ':', '.'};
    const Bytes head = __builtin_shufflevector(digits, marks, 0, 1, 2, 3, 16, 4, 5, 16, 6, 7, 17, 8, 9, 18, 10, 11);
    const Bytes tail = __builtin_shufflevector(digits, marks, 18, 12, 13, 19, 12, 13, 12, 13, 12, 13, 12, 13, 12, 13, 12, 13);
    const std::uint64_t tail_word = ((Words)tail)[0];
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + 16, &tail_word, 4);
}

}  // namespace ocior::simd
