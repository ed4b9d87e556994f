// The ranks of a few numbers, all at once and without a branch.
#pragma once

#include "simd/lanes.h"

namespace ocior::simd {

// Counts, for each of the first `count` of `kRoom` numbers, how many of these are less, and how many are the same. The numbers behind them
// are read, too.
template <std::size_t kRoom>
OCIOR_INLINE void rank(const std::int64_t (&numbers)[kRoom], std::size_t count, std::int64_t (&less)[kRoom],
                       std::int64_t (&same)[kRoom]) noexcept {
    using Numbers = std::int64_t __attribute__((vector_size(kVecBytes)));  // which compare to 0 or -1
    constexpr std::size_t kVecs = kRoom * sizeof(std::int64_t) / kVecBytes;
    static_assert(kVecs > 0);
    Numbers all[kVecs], are_less[kVecs] = {}, are_same[kVecs] = {};
    std::memcpy(all, numbers, sizeof all);
    for (std::size_t i = 0; i < count; ++i) {
        const Numbers one = numbers[i] - Numbers{};
        for (std::size_t k = 0; k < kVecs; ++k) {
            are_less[k] -= one < all[k];
            are_same[k] -= one == all[k];
        }
    }
    std::memcpy(less, are_less, sizeof are_less);
    std::memcpy(same, are_same, sizeof are_same);
}

}  // namespace ocior::simd
