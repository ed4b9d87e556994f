// Unaligned loads and stores, bit scans and wide products: the arithmetic that C++20 spells too long.
#pragma once

#include <bit>

#include "base/config.h"

namespace ocior {

using uint128 = unsigned __int128;
using int128 = __int128;

template <typename T>
OCIOR_INLINE T load(const void* p) noexcept {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

template <typename T>
OCIOR_INLINE void store(void* p, T value) noexcept {
    std::memcpy(p, &value, sizeof value);
}

OCIOR_INLINE unsigned trailing_zeros(std::uint64_t x) noexcept { return static_cast<unsigned>(__builtin_ctzll(x)); }
OCIOR_INLINE unsigned leading_zeros(std::uint64_t x) noexcept { return static_cast<unsigned>(__builtin_clzll(x)); }

// |x|, also for INT64_MIN.
OCIOR_INLINE std::uint64_t magnitude(std::int64_t x) noexcept {
    return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
}

// Quotient and rest of a number of 128 bits, 0 < divisor < 2^32, by four digits of 32 bits: the compiler's own division of so many bits is
// a call of its run-time library, which that of MSVC lacks.
struct Division {
    uint128 quotient;
    std::uint32_t rest;
};
OCIOR_INLINE constexpr Division divide(uint128 value, std::uint32_t divisor) noexcept {
    Division done = {0, 0};
    for (int shift = 96; shift >= 0; shift -= 32) {
        const std::uint64_t part = std::uint64_t{done.rest} << 32 | static_cast<std::uint32_t>(value >> shift);
        done.quotient = done.quotient << 32 | part / divisor;
        done.rest = static_cast<std::uint32_t>(part % divisor);
    }
    return done;
}

// The low `n` bits set, 0 <= n <= 64.
OCIOR_INLINE constexpr std::uint64_t low_bits(unsigned n) noexcept { return n >= 64 ? ~0ull : (1ull << n) - 1; }

}  // namespace ocior
