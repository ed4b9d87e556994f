// 128 bits as hexadecimal digits in groups, as UUIDs have them, in the compiler's own vectors.
#pragma once

#include "base/bits.h"

#if defined(__SSSE3__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace ocior::simd {

// The digit of each number below 16.
template <typename Bytes>
OCIOR_INLINE Bytes hex_digits(Bytes numbers) noexcept {
#if defined(__SSSE3__) || defined(__ARM_NEON)
    const Bytes digits = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
#if defined(__SSSE3__)
    return (Bytes)_mm_shuffle_epi8((__m128i)digits, (__m128i)numbers);
#else
    return (Bytes)vqtbl1q_u8((uint8x16_t)digits, (uint8x16_t)numbers);
#endif
#else
    return numbers + '0' + ((Bytes)(numbers > 9) & ('a' - '0' - 10));
#endif
}

// Stores 36 bytes, the canonical form of RFC 9562: 8-4-4-4-12 digits. Each half byte becomes a byte, the upper one first.
OCIOR_INLINE void store_uuid(std::uint8_t* to, std::uint64_t high, std::uint64_t low) noexcept {
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    using Words = std::uint64_t __attribute__((vector_size(16)));  // made in registers: a wide load fails to forward two stores
    const auto bytes = (Bytes)Words{__builtin_bswap64(high), __builtin_bswap64(low)};
    const Bytes upper = bytes >> 4, lower = bytes & 15;
    const Bytes first = hex_digits(__builtin_shufflevector(upper, lower, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)),
                last = hex_digits(__builtin_shufflevector(upper, lower, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)),
                dashes = Bytes{} + '-';
    const Bytes head = __builtin_shufflevector(first, dashes, 0, 1, 2, 3, 4, 5, 6, 7, 16, 8, 9, 10, 11, 16, 12, 13);
    const Bytes digits_from_14 = __builtin_shufflevector(first, last, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29);
    const Bytes middle = __builtin_shufflevector(digits_from_14, dashes, 0, 1, 16, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13);
    std::memcpy(to + 20, &last, sizeof last);  // the last twelve stand behind the dashes
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + 16, &middle, sizeof middle);
}

}  // namespace ocior::simd
