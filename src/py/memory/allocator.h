// Memory for the small objects that one call makes: blocks of pymalloc's pools, or of mimalloc's pages, taken without a call.
#pragma once

#include <utility>

#include "py/memory/blocks.h"
#include "py/memory/collector.h"
#include "py/memory/mimalloc.h"
#include "py/tricks.h"

namespace ocior {

// Pools of pymalloc, or pages of mimalloc, to take blocks from without a call, where that is what PyObject_Malloc asks. Python code may put
// another allocator in its place (tracemalloc does), so this is only for where none can run between a refresh and an allocation. Before
// 3.12 every allocation of a container may collect garbage, and nothing is remembered.
class ObjectAllocator {
public:
    ObjectAllocator() noexcept = default;
    ObjectAllocator(const ObjectAllocator&) = delete;
    ObjectAllocator& operator=(const ObjectAllocator&) = delete;
    ~ObjectAllocator() {
        for (void* pin : pins_) PyObject_Free(pin);
    }

    // To be called before objects are made. Only the check that nothing has changed is inline: each of the smallest calls makes it.
    OCIOR_INLINE void refresh(const Tricks& tricks, bool python_may_run) noexcept {
        if constexpr (!layout::kMayTakeBlocks && !layout::kMayTakePageBlocks) return;
        if (OCIOR_LIKELY(tricks.allocator_table && !python_may_run && serves_mem_)) {
            const auto serves = [&](int domain) { return tricks.allocators[domain].malloc == tricks.mallocs[domain]; };
            if (OCIOR_LIKELY(serves(0) && serves(1))) {
                if constexpr (layout::kMayTakePageBlocks) heap_blocks_.begin(tricks.slices_offset);
                return;
            }
        }
        find_allocators(tricks, python_may_run);
    }

    // To be called when all objects of a call have been made.
    OCIOR_INLINE void settle() noexcept {
        give_back();
        collector.settle();
    }
    // To be called when no more objects are made.
    OCIOR_INLINE void give_back() noexcept {
        if constexpr (layout::kMayTakePageBlocks) heap_blocks_.end();
    }

    // A block for an object, 0 < byte_len <= BlockPool::kMaxBlock. Null when out of memory (no error set).
    OCIOR_INLINE void* allocate(std::size_t byte_len) noexcept {
        if constexpr (layout::kMayTakeBlocks) {
            if (BlockPool* const pool = pools_[BlockPool::class_of(byte_len)]; OCIOR_LIKELY(pool != nullptr))
                if (void* block = pool->take(); OCIOR_LIKELY(block != nullptr)) return block;
            return allocate_from_another_pool(byte_len);
        }
        if constexpr (layout::kMayTakePageBlocks) return heap_blocks_.allocate<HeapBlocks::kObject>(byte_len);
        return PyObject_Malloc(byte_len);
    }

    // A block for an object of any size.
    OCIOR_INLINE void* allocate_any(std::size_t byte_len) noexcept {
        return OCIOR_LIKELY(byte_len <= BlockPool::kMaxBlock) ? allocate(byte_len) : PyObject_Malloc(byte_len);
    }

    // A new object of that type, without what makes it one, for Collector::track(). Null when out of memory, with or without an error set.
    template <typename Object>
    OCIOR_INLINE Object* new_container(PyTypeObject* type) noexcept {
        if constexpr (!layout::kHasGil) {
            static_assert(HeapBlocks::is_container(sizeof(Object)));
            void* block = heap_blocks_.take_container();
            if (OCIOR_UNLIKELY(!block)) {
                PyObject* const object = _PyObject_GC_New(type);
                block = object ? heap_blocks_.take_beside(object) : nullptr;
                if (OCIOR_LIKELY(!block)) return reinterpret_cast<Object*>(object);
            }
            return reinterpret_cast<Object*>(collector.adopt(block, type));
        }
        void* const block = allocate(sizeof(CollectorLinks) + sizeof(Object));
        return OCIOR_LIKELY(block != nullptr) ? reinterpret_cast<Object*>(collector.adopt(block, type)) : nullptr;
    }

    // A block for the keys table of a dict.
    OCIOR_INLINE void* allocate_keys(std::size_t byte_len) noexcept {
        if constexpr (!layout::kPartsAreObjects) return allocate_mem(byte_len);
        return allocate_any(byte_len);
    }

    // A block of the "mem" domain, for the array of a list's items.
    OCIOR_INLINE void* allocate_mem(std::size_t byte_len) noexcept {
        if (OCIOR_LIKELY(serves_mem_ && byte_len <= BlockPool::kMaxBlock)) {
            if constexpr (layout::kMayTakePageBlocks) return heap_blocks_.allocate<HeapBlocks::kMem>(byte_len);
            return allocate(byte_len);
        }
        return PyMem_Malloc(byte_len);
    }

    Collector collector;

private:
    static constexpr std::size_t kMinUnused = 8;  // blocks that make a pool worth keeping
    static constexpr BlockPool* kNoPools[BlockPool::kClasses] = {};

    OCIOR_NOINLINE void find_allocators(const Tricks& tricks, bool python_may_run) noexcept {
        pools_ = kNoPools;
        pymalloc_ = nullptr;
        serves_mem_ = false;
        heap_blocks_.end();
        if (python_may_run || !(tricks.pool_blocks || tricks.page_blocks)) return;
        PyMemAllocatorEx asked[2];
        const PyMemAllocatorEx* now = tricks.allocators;
        if (!tricks.allocator_table) {  // takes a lock each
            PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &asked[0]);
            PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &asked[1]);
            now = asked;
        }
        if (now[1].malloc != tricks.mallocs[1]) return;
        serves_mem_ = now[0].malloc == tricks.mallocs[0];
        if constexpr (layout::kMayTakePageBlocks) {
            if (serves_mem_) heap_blocks_.begin(tricks.slices_offset);
        } else {
            pools_ = own_pools_;
            pymalloc_ = tricks.mallocs[1];
        }
    }

    OCIOR_NOINLINE void* allocate_from_another_pool(std::size_t byte_len) noexcept {
        if (!pymalloc_) return PyObject_Malloc(byte_len);
        void* const block = pymalloc_(nullptr, byte_len);
        if (!block) return nullptr;
        const std::size_t size_class = BlockPool::class_of(byte_len);
        if (OCIOR_LIKELY(adopt_pool_of(block, size_class))) return block;
        constexpr unsigned kLog2Patience = 6;
        if (OCIOR_UNLIKELY(++misses_[size_class] >> (kLog2Patience + searches_[size_class]) != 0)) search_pool(size_class);
        return block;
    }

    // Takes blocks from the pool of that block from now on, if it is found and has enough of them.
    bool adopt_pool_of(void* block, std::size_t size_class) noexcept {
        BlockPool* const pool = BlockPool::of(block, size_class);
        if (!pool || pool == own_pools_[size_class] || pool->unused() < kMinUnused) return false;
        void* const pin = pool->take();
        if (!pin) return false;
        PyObject_Free(pins_[size_class]);
        pins_[size_class] = pin;
        own_pools_[size_class] = pool;
        misses_[size_class] = 0;
        return true;
    }

    // Small calls get the same few blocks over and over, from which their pool may not be found. So now and then, and ever more rarely,
    // as many are taken at once as two pools hold, until one is met from which it is.
    OCIOR_NOINLINE void search_pool(std::size_t size_class) noexcept {
        constexpr std::uint8_t kMostSearches = 10;  // counted: from then on they come equally often
        misses_[size_class] = 0;
        if (searches_[size_class] < kMostSearches) ++searches_[size_class];
        const std::size_t block_len = BlockPool::block_bytes(size_class);
        void* taken = nullptr;  // the last one, which begins with where the one before it is
        for (std::size_t n = 2 * BlockPool::kBytes / block_len; n > 0; --n) {
            void* const block = pymalloc_(nullptr, block_len);
            if (!block) break;
            store(block, std::exchange(taken, block));
            if (adopt_pool_of(block, size_class)) break;
        }
        while (taken) PyObject_Free(std::exchange(taken, load<void*>(taken)));
    }

    void* (*pymalloc_)(void* ctx, std::size_t byte_len) = nullptr;  // where there are pools; it looks at no context
    bool serves_mem_ = false;                                       // the "mem" domain, too
    BlockPool* const* pools_ = kNoPools;  // by size class
    BlockPool* own_pools_[BlockPool::kClasses] = {};
    void* pins_[BlockPool::kClasses] = {};  // a block of each, so that it is never given back while it is kept here
    std::uint32_t misses_[BlockPool::kClasses] = {};  // how many blocks in a row had a pool that was not adopted
    std::uint8_t searches_[BlockPool::kClasses] = {};  // how often one was searched for
    HeapBlocks heap_blocks_;
};

// The self-test behind Tricks::pool_blocks: objects come from pymalloc, and its pools are what BlockPool says. Blocks are given back and
// taken beside it, and it must agree about every one of them. Nothing is looked at but blocks that were taken here, and headers on their
// pages: those pools belong to this interpreter, whose lock is held.
bool prove_pool_blocks(Tricks& tricks) noexcept;

// The self-test behind Tricks::page_blocks: which block mimalloc will give next is told from its page, and mimalloc must agree about blocks
// that were taken from the page without asking it. The page and its blocks belong to this thread, and nobody else changes them.
bool prove_page_blocks(Tricks& tricks) noexcept;

// The self-test behind Tricks::allocator_table: CPython keeps the allocators of its domains "raw", "mem" and "object" one behind the other,
// at the one place of its run-time state that reads as those three. They are not changed to make sure: all of the process uses them. So
// what stands there is compared with CPython's own and never called.
bool prove_allocator_table(Tricks& tricks) noexcept;

}  // namespace ocior
