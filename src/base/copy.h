// memcpy for long blocks, wherever they lie to each other.
#pragma once

#include "base/bits.h"

namespace ocior {

// Copies by cache lines, of which the last may overlap the one before it; byte_len is that of a line at least.
inline OCIOR_NOINLINE void copy_by_lines(std::uint8_t* to, const std::uint8_t* from, std::size_t byte_len) noexcept {
    struct Line {
        std::uint64_t words[8];
    };
    for (std::size_t i = 0; i < byte_len - sizeof(Line); i += sizeof(Line)) {
        store(to + i, load<Line>(from + i));
        __asm__ volatile("" : : : "memory");  // or the compiler makes the loop the call that it is here to avoid
    }
    store(to + byte_len - sizeof(Line), load<Line>(from + byte_len - sizeof(Line)));
}

// Copies `byte_len` bytes that do not overlap. Where the target begins up to 31 bytes behind the source, counted within a page, `rep
// movsb`, which glibc's memcpy takes for more than 2 KiB, runs at half its speed on AMD, and up to 15 bytes behind at a twentieth (Zen 5: 4
// GB/s instead of 100; Zen 3 does, too: lunnova.dev/articles/ryzen-slow-short-rep-mov). Blocks with a short header, copied from the start
// of a page, lie like that: the items of lists without a GIL.
OCIOR_INLINE void copy_block(void* to, const void* from, std::size_t byte_len) noexcept {
    constexpr std::uintptr_t kPage = 4096, kNear = 32;
    constexpr std::size_t kShort = 1024;  // from here on a library may take that instruction
    const std::uintptr_t behind = (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
    if (OCIOR_UNLIKELY(behind - 1 < kNear - 1 && byte_len > kShort))
        return copy_by_lines(static_cast<std::uint8_t*>(to), static_cast<const std::uint8_t*>(from), byte_len);
    std::memcpy(to, from, byte_len);
}

}  // namespace ocior
