// Pages for the memory of large documents. The kernel finds and clears a page at its first touch, which took half the time of decoding
// 10 MB (on a virtual machine 1.5 us per 4 KB, and 0.2 us per 4 KB where a page has 2 MB).
#pragma once

#include "py/tricks.h"

namespace ocior {

// Asks the kernel for huge pages behind a block that is about to be filled. Whether there are any is the system's choice
// (/sys/kernel/mm/transparent_hugepage), and the user's: OCIOR_HUGE_PAGES=0 in the environment asks for none.
OCIOR_NOINLINE void ask_for_huge_pages(void* block, std::size_t byte_len) noexcept;

OCIOR_INLINE void prefer_huge_pages(void* block, std::size_t byte_len) noexcept {
    constexpr std::size_t kMinBytes = 32 * 1024 * 1024;
    if (OCIOR_UNLIKELY(byte_len >= kMinBytes)) ask_for_huge_pages(block, byte_len);
}

// While one lives, memory is got as suits a text of `byte_len` bytes that is being decoded.
class DocumentMemory {
public:
    DocumentMemory(const Tricks& tricks, std::size_t byte_len) noexcept {
        if (OCIOR_UNLIKELY(byte_len >= kLarge)) enter(tricks, byte_len);
    }
    ~DocumentMemory() {
        if (OCIOR_UNLIKELY(has_huge_arenas_)) leave();
    }
    DocumentMemory(const DocumentMemory&) = delete;
    DocumentMemory& operator=(const DocumentMemory&) = delete;

private:
    static constexpr std::size_t kLarge = 128 * 1024, kHuge = 4 * 1024 * 1024;

    OCIOR_NOINLINE void enter(const Tricks& tricks, std::size_t byte_len) noexcept;
    OCIOR_NOINLINE void leave() noexcept;

    bool has_huge_arenas_ = false;
};

// The self-test behind Tricks::huge_pages: the interpreter's own arenas come from mmap and go by munmap, and the kernel takes the advice.
bool prove_huge_pages() noexcept;

}  // namespace ocior
