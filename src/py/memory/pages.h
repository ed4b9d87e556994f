// Pages for the memory of large documents. The kernel finds and clears a page at its first touch, which took half the time of decoding
// 10 MB (on virtual machines 1.1 to 1.5 us per 4 KB; 0.45 us where many are asked for at once, and 0.16 us where a page has 2 MB).
#pragma once

#include "py/tricks.h"

namespace ocior {

// Asks the kernel for huge pages behind a block that is about to be filled; its first `used_bytes` are. Whether there are any is the
// system's choice
// (/sys/kernel/mm/transparent_hugepage), and the user's: see want_huge_pages.
OCIOR_NOINLINE void ask_for_huge_pages(void* block, std::size_t byte_len, std::size_t used_bytes) noexcept;

OCIOR_INLINE void prefer_huge_pages(void* block, std::size_t byte_len, std::size_t used_bytes) noexcept {
    constexpr std::size_t kMinBytes = 32 * 1024 * 1024;
    if (OCIOR_UNLIKELY(byte_len >= kMinBytes)) ask_for_huge_pages(block, byte_len, used_bytes);
}

// Has the kernel find and clear the pages of memory that is about to be filled, in less than half the time that it takes one by one. Where
// it can't, they come as they are used.
void populate(void* at, std::size_t byte_len) noexcept;

// The C library gives the kernel back blocks that are larger than any that it saw freed, and what is freed at the end of its heap but for
// twice as much as that. A list's items or the output of a call are then found anew page by page (mesh.json took 1.5 times as long), a str
// or bytes that is cut to its size each time (200 KB of integers 2.8 times). So it is shown a block twice as large, which nobody touches.
OCIOR_NOINLINE void teach_malloc(std::size_t byte_len) noexcept;

// Has blocks of up to so many bytes kept, 32 MB at most. For a table out of 40 MB of text this takes 0.4 of the time.
void keep_blocks_when_freed(std::size_t byte_len) noexcept;

OCIOR_INLINE void keep_when_freed(std::size_t byte_len) noexcept {
    constexpr std::size_t kLarge = 120 * 1024;  // glibc's threshold is 128 KB
    if (OCIOR_UNLIKELY(byte_len >= kLarge)) teach_malloc(byte_len);
}

// How far a text had been read when last looked at, and how many arenas were taken since `first`. It stays where it is while it is
// followed: not on the C stack, which greenlets move.
struct Progress {
    const void* first;
    const void* reached;
    const void* last;
    std::size_t unit_bytes;
    std::size_t arenas;
};

// While one lives, memory is got as suits a text of `length` units that is being decoded; towards the end of one whose progress is known
// no more than it will need. Units, not bytes: one wide character makes all of a text wide, and none of its objects but its own string.
class DocumentMemory {
public:
    DocumentMemory(const Tricks& tricks, std::size_t length, Progress* progress) noexcept : progress_(progress) {
        keep_when_freed(length);
        if (OCIOR_UNLIKELY(length >= kLarge)) enter(tricks);
    }
    ~DocumentMemory() {
        if (OCIOR_UNLIKELY(has_huge_arenas_)) leave();
    }
    DocumentMemory(const DocumentMemory&) = delete;
    DocumentMemory& operator=(const DocumentMemory&) = delete;

private:
    static constexpr std::size_t kLarge = 1024 * 1024;

    OCIOR_NOINLINE void enter(const Tricks& tricks) noexcept;
    OCIOR_NOINLINE void leave() noexcept;

    Progress* const progress_;  // or null
    bool has_huge_arenas_ = false;
};

// The self-test behind Tricks::huge_pages: the interpreter's own arenas come from mmap and go by munmap, and the kernel takes the advice.
// False but in the main interpreter: the arena allocator is the process's, and the main interpreter's lock guards who changes it.
bool prove_huge_pages(Tricks&) noexcept;

// Whether huge pages are asked for at all in this process; at first they are.
void want_huge_pages(bool are_wanted) noexcept;

}  // namespace ocior
