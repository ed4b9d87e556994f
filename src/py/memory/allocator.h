// Memory for the small objects of one loads call: blocks of pymalloc's pools, taken without a call.
#pragma once

#include "py/memory/blocks.h"
#include "py/tricks.h"

namespace ocior {

// Pools of pymalloc to take blocks from without a call, where pymalloc is what PyObject_Malloc asks. Python code may put another allocator
// in its place (tracemalloc does), so this is only for where none can run between a refresh and an allocation. Before 3.12 every allocation
// of a container may collect garbage, and nothing is remembered.
class ObjectAllocator {
public:
    ObjectAllocator() noexcept = default;
    ObjectAllocator(const ObjectAllocator&) = delete;
    ObjectAllocator& operator=(const ObjectAllocator&) = delete;
    ~ObjectAllocator() {
        for (void* pin : pins_) PyObject_Free(pin);
    }

    void refresh(const Tricks& tricks, bool python_may_run) noexcept {
        pools_ = kNoPools;
        pymalloc_ = nullptr;
        serves_mem_ = false;
        if (!layout::kMayTakeBlocks || python_may_run || !tricks.pool_blocks) return;
        PyMemAllocatorEx asked[2];
        const PyMemAllocatorEx* now = tricks.allocators;
        if (!tricks.allocator_table) {  // takes a lock each
            PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &asked[0]);
            PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &asked[1]);
            now = asked;
        }
        if (now[1].malloc != tricks.pymalloc) return;
        pools_ = own_pools_;
        pymalloc_ = tricks.pymalloc;
        serves_mem_ = now[0].malloc == tricks.pymalloc;
    }

    // 0 < byte_len <= BlockPool::kMaxBlock. Null when out of memory (no error set).
    OCIOR_INLINE void* allocate(std::size_t byte_len) noexcept {
        if constexpr (layout::kMayTakeBlocks) {
            if (BlockPool* const pool = pools_[BlockPool::class_of(byte_len)]; OCIOR_LIKELY(pool != nullptr))
                if (void* block = pool->take(); OCIOR_LIKELY(block != nullptr)) return block;
            return allocate_from_another_pool(byte_len);
        }
        return PyObject_Malloc(byte_len);
    }

    // For the keys table of a dict.
    OCIOR_INLINE void* allocate_keys(std::size_t byte_len) noexcept {
        if constexpr (!layout::kPartsAreObjects) return allocate_mem(byte_len);
        return OCIOR_LIKELY(byte_len <= BlockPool::kMaxBlock) ? allocate(byte_len) : PyObject_Malloc(byte_len);
    }

    // Of the "mem" domain, for the array of a list's items.
    OCIOR_INLINE void* allocate_mem(std::size_t byte_len) noexcept {
        if (OCIOR_LIKELY(serves_mem_ && byte_len <= BlockPool::kMaxBlock)) return allocate(byte_len);
        return PyMem_Malloc(byte_len);
    }

private:
    static constexpr std::size_t kMinUnused = 8;  // blocks that make a pool worth keeping
    static constexpr BlockPool* kNoPools[BlockPool::kClasses] = {};

    OCIOR_NOINLINE void* allocate_from_another_pool(std::size_t byte_len) noexcept {
        if (!pymalloc_) return PyObject_Malloc(byte_len);
        void* const block = pymalloc_(nullptr, byte_len);
        if (!block) return nullptr;
        const std::size_t size_class = BlockPool::class_of(byte_len);
        BlockPool* const pool = BlockPool::of(block, size_class);
        if (!pool || pool == own_pools_[size_class] || pool->unused() < kMinUnused) return block;
        void* const pin = pool->take();
        if (!pin) return block;
        PyObject_Free(pins_[size_class]);
        pins_[size_class] = pin;
        own_pools_[size_class] = pool;
        return block;
    }

    void* (*pymalloc_)(void* ctx, std::size_t byte_len) = nullptr;  // where there are pools; it looks at no context
    bool serves_mem_ = false;                                       // the "mem" domain, too
    BlockPool* const* pools_ = kNoPools;  // by size class
    BlockPool* own_pools_[BlockPool::kClasses] = {};
    void* pins_[BlockPool::kClasses] = {};  // a block of each, so that it is never given back while it is kept here
};

// The self-test behind Tricks::pool_blocks: objects come from pymalloc, and its pools are what BlockPool says. Blocks are given back and
// taken beside it, and it must agree about every one of them. Nothing is looked at but blocks that were taken here, and headers on their
// pages: those pools belong to this interpreter, whose lock is held.
bool prove_pool_blocks(Tricks& tricks) noexcept;

// And behind Tricks::allocator_table: CPython keeps the allocators of its domains "raw", "mem" and "object" one behind the other, at the
// one place of its run-time state that reads as those three. They are not changed to make sure: all of the process uses them. So what
// stands there is compared with pymalloc and never called.
bool prove_allocator_table(Tricks& tricks) noexcept;

}  // namespace ocior
