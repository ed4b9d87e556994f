// Loads that may read past the end of a string but never past its page, for ports without masked loads.
#pragma once

#include "base/config.h"

// Such a load reads bytes behind the string, which are thrown away. It is safe, because it stays inside a page that holds a byte of the
// string. AddressSanitizer has to be told, and can only be told of a function that is not inlined into instrumented code.
#if OCIOR_HAS_ASAN
#define OCIOR_OVERREAD __attribute__((noinline, no_sanitize("address"))) inline
#else
#define OCIOR_OVERREAD OCIOR_INLINE
#endif

namespace ocior::simd {

// Whether `byte_len` bytes from p lie in one page.
OCIOR_INLINE bool within_page(const void* p, std::size_t byte_len) noexcept {
    return (reinterpret_cast<std::uintptr_t>(p) & (kPageBytes - 1)) <= kPageBytes - byte_len;
}

// The 8 bytes at p, which is a multiple of 8: all of them lie in the page of the first one.
OCIOR_OVERREAD std::uint64_t load_word_beyond(const void* p) noexcept {
    std::uint64_t word;
    __builtin_memcpy(&word, p, sizeof word);
    return word;
}

}  // namespace ocior::simd
