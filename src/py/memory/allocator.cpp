#include "py/memory/allocator.h"

#include <utility>

// Where the interpreter exports it: its run-time state, else null.
extern "C" __attribute__((weak)) const char _PyRuntime[];

namespace ocior {
namespace {

// Has pymalloc take a block back. It must become the first free one of its pool, and be counted.
bool give_back(BlockPool* pool, void* block, const PyMemAllocatorEx& pymalloc) noexcept {
    const std::uint32_t used = pool->used;
    char* const following = pool->free;
    pymalloc.free(pymalloc.ctx, block);
    return pool->free == block && load<char*>(block) == following && pool->used == used - 1 &&
           BlockPool::offset_of(block) < pool->next_offset;
}

}  // namespace

bool prove_pool_blocks(Tricks& tricks) noexcept {
    if constexpr (!layout::kMayTakeBlocks) return false;
    constexpr std::size_t kBytes = 64, kClass = BlockPool::class_of(kBytes), kPerPool = BlockPool::kBytes / kBytes, kCount = 2 * kPerPool;
    PyMemAllocatorEx pymalloc;
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &pymalloc);
    if (pymalloc.ctx) return false;  // somebody stands in between: tracemalloc, debug hooks

    void* blocks[kCount];  // more than two pools hold, so that some lie near a header
    bool agrees = true;
    for (void*& block : blocks) {
        block = pymalloc.malloc(pymalloc.ctx, kBytes);
        // No other allocator has all its blocks there: a header and so many blocks behind the start of a pool.
        agrees = agrees && block && BlockPool::offset_of(block) % kBytes == sizeof(BlockPool) % kBytes;
    }
    std::size_t proved = 0;
    for (std::size_t i = 0; agrees && i < kCount; ++i) {
        BlockPool* const pool = BlockPool::of(blocks[i], kClass);
        if (!pool || pool->used < 2) continue;
        agrees = give_back(pool, std::exchange(blocks[i], nullptr), pymalloc);
        // All that the pool has but its last one are taken by hand, and given back.
        void* taken[kPerPool];
        std::size_t count = 0, unused = pool->unused();
        while (agrees && count < kPerPool && (taken[count] = pool->take()))
            agrees = BlockPool::offset_of(taken[count++]) < pool->next_offset && pool->unused() == unused - count;
        agrees = agrees && count == unused - 1;
        proved += count;
        while (agrees && count > 0) agrees = give_back(pool, taken[--count], pymalloc);
    }
    for (void* block : blocks) pymalloc.free(pymalloc.ctx, block);
    tricks.pymalloc = pymalloc.malloc;
    return agrees && proved >= kPerPool;
}

bool prove_allocator_table(Tricks& tricks) noexcept {
    constexpr std::size_t kSearched = 16 * 1024;  // a small part of that state
    if (!tricks.pool_blocks || !_PyRuntime) return false;
    PyMemAllocatorEx all[3];
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &all[0]);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &all[1]);
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &all[2]);
    unsigned places = 0;
    for (std::size_t at = 0; at < kSearched; at += alignof(PyMemAllocatorEx)) {
        if (std::memcmp(_PyRuntime + at, all, sizeof all) != 0) continue;
        tricks.allocators = reinterpret_cast<const PyMemAllocatorEx*>(_PyRuntime + at) + 1;
        ++places;
    }
    return places == 1;
}

}  // namespace ocior
