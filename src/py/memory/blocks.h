// Blocks of pymalloc, CPython's allocator of small objects, taken from its pools without a call: what pymalloc itself does, with the
// pool known instead of looked up. A pool is 16 KiB of blocks of one size class behind a header; its free blocks are a list, and
// behind the blocks that were ever used there is room for more:
//
//     header | used | free -> free -> | used | ... | never used        next_offset: where that begins
//
// Only where Tricks::pymalloc has proved it, and only under the GIL, which guards the pools.
#pragma once

#include "base/bits.h"
#include "py/layout.h"

namespace ocior {

// Mirror of struct pool_header.
struct BlockPool {
    std::uint32_t used;
    char* free;  // a pool that has its last block taken must be unlinked: that is left to pymalloc
    BlockPool* next;
    BlockPool* previous;
    std::uint32_t arena;
    std::uint32_t size_class;
    std::uint32_t next_offset, max_next_offset;

    static constexpr std::uintptr_t kBytes = 16 * 1024, kHeaderPage = 4096;
    static constexpr std::size_t kClasses = 32, kMaxBlock = 512;

    // The size class of a request of `byte_len` bytes, 0 < byte_len <= kMaxBlock.
    static constexpr std::size_t class_of(std::size_t byte_len) noexcept { return (byte_len - 1) / 16; }
    static constexpr std::uint32_t block_bytes(std::size_t size_class) noexcept {
        return static_cast<std::uint32_t>(16 * (size_class + 1));
    }

    // How far behind the start of its pool a block lies.
    static std::size_t offset_of(const void* block) noexcept { return reinterpret_cast<std::uintptr_t>(block) & (kBytes - 1); }

    // The pool of a block, or null when it has no header like that. Looks only into the block's own page: blocks on others find none.
    static BlockPool* of(void* block, std::size_t size_class) noexcept {
        const std::size_t offset = offset_of(block);
        if (offset >= kHeaderPage) return nullptr;
        auto* pool = reinterpret_cast<BlockPool*>(static_cast<char*>(block) - offset);
        const std::uint32_t block_len = block_bytes(size_class);
        const bool is_pool = pool->size_class == size_class && pool->max_next_offset == kBytes - block_len && pool->used > 0 &&
                             pool->used <= (kBytes - sizeof(BlockPool)) / block_len &&
                             (pool->next_offset - sizeof(BlockPool)) % block_len == 0 && (offset - sizeof(BlockPool)) % 16 == 0;
        return is_pool ? pool : nullptr;
    }

    std::size_t unused() const noexcept { return (kBytes - sizeof(BlockPool)) / block_bytes(size_class) - used; }

    // A block, or null when all but one are taken.
    OCIOR_INLINE void* take() noexcept {
        char* const block = free;
        if (OCIOR_UNLIKELY(!block)) return nullptr;
        char* following = load<char*>(block);
        if (OCIOR_UNLIKELY(!following)) {
            if (next_offset > max_next_offset) return nullptr;
            following = extend();
        }
        __builtin_prefetch(following, 1);
        free = following;
        ++used;
        return block;
    }

private:
    // Makes a list of the next few blocks that were never used.
    OCIOR_NOINLINE char* extend() noexcept {
        constexpr unsigned kBlocks = 16;
        const std::uint32_t block_len = block_bytes(size_class);
        char* const first = reinterpret_cast<char*>(this) + next_offset;
        char* last = first;
        for (unsigned i = 1; i < kBlocks && next_offset + i * block_len <= max_next_offset; ++i) {
            store(last, last + block_len);
            last += block_len;
        }
        store<char*>(last, nullptr);
        next_offset = static_cast<std::uint32_t>(last + block_len - reinterpret_cast<char*>(this));
        return first;
    }
};
static_assert(sizeof(BlockPool) == 48);

}  // namespace ocior
