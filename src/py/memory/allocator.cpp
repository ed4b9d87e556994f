#include "py/memory/allocator.h"

#include <utility>

#include "platform/system.h"
#include "py/exported.h"

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

// The offset, in the segment of a block of mimalloc's, of what is known of the segment's slices. It stands behind the number of this
// thread, which occurs once. 0 where the offset cannot be told.
std::size_t find_slices(const void* block) noexcept {
    constexpr std::size_t kSearched = 1024;
    const char* const segment = HeapPage::segment_of(block);
    std::size_t found = 0;
    if (!platform::is_mapped(segment)) return 0;  // no memory at all: another allocator's block
    for (std::size_t at = 0; at < kSearched; at += sizeof(std::uintptr_t)) {
        if (__atomic_load_n(reinterpret_cast<const std::uintptr_t*>(segment + at), __ATOMIC_RELAXED) != layout::thread_id()) continue;
        if (found) return 0;
        found = at + sizeof(std::uintptr_t);
    }
    return found;
}

// Whether mimalloc and HeapPage agree about the blocks of one domain.
bool prove_page_blocks(const PyMemAllocatorEx& mimalloc, std::size_t& slices_offset) noexcept {
    constexpr std::size_t kBytes = 96, kCount = 500;
    void* blocks[kCount] = {};
    std::size_t count = 0, foretold = 0, taken = 0;
    const auto allocate = [&] { return blocks[count] = mimalloc.malloc(mimalloc.ctx, kBytes), blocks[count++]; };
    const auto page_of_last = [&]() -> HeapPage* {
        HeapPage* const page = HeapPage::of(blocks[count - 1], slices_offset, layout::thread_id());
        return page && page->block_bytes == kBytes && page->used > 0 ? page : nullptr;
    };
    bool agrees = allocate() != nullptr && (slices_offset || (slices_offset = find_slices(blocks[0]))) && page_of_last();
    while (agrees && count < kCount - 1) {
        HeapPage* const page = page_of_last();
        char* const next = page->free;
        const std::uint32_t used = page->used;
        if (count % 2 == 0 && (blocks[count] = page->take())) {  // by hand
            ++count, ++taken;
            agrees = page->used == used + 1;
            continue;
        }
        char* const following = next ? load<char*>(next) : nullptr;
        agrees =
            allocate() && page_of_last() && (!next || (blocks[count - 1] == next && page->free == following && page->used == used + 1));
        foretold += next != nullptr;
    }
    for (std::size_t i = 0; i < count; ++i) {
        HeapPage* const page = agrees ? HeapPage::of(blocks[i], slices_offset, layout::thread_id()) : nullptr;
        const std::uint32_t used = page ? page->used : 0;
        mimalloc.free(mimalloc.ctx, blocks[i]);
        if (used > 1) agrees = page->used == used - 1 && page->freed == blocks[i];
    }
    return agrees && foretold >= kCount / 4 && taken >= kCount / 4;
}

// Whether pymalloc and BlockPool agree about the pools of one size, or too few blocks were free to tell.
enum class PoolProof { kAgrees, kDiffers, kTooFewFree };

PoolProof prove_pools(const PyMemAllocatorEx& pymalloc, std::size_t block_bytes) noexcept {
    constexpr std::size_t kCount = 128, kMostPerPool = 48;  // more than two pools hold, so that some lie near a header
    const std::size_t size_class = BlockPool::class_of(block_bytes), per_pool = (BlockPool::kBytes - sizeof(BlockPool)) / block_bytes;
    void* blocks[kCount];
    bool agrees = per_pool <= kMostPerPool;
    for (void*& block : blocks) {
        block = pymalloc.malloc(pymalloc.ctx, block_bytes);
        // The block lies a header and a whole number of blocks behind the start of a pool. No other allocator has all its blocks at such
        // places.
        agrees = agrees && block && (BlockPool::offset_of(block) - sizeof(BlockPool)) % block_bytes == 0;
    }
    std::size_t proved = 0;
    for (std::size_t i = 0; agrees && i < kCount; ++i) {
        BlockPool* const pool = BlockPool::of(blocks[i], size_class);
        if (!pool || pool->used < 2) continue;
        agrees = give_back(pool, std::exchange(blocks[i], nullptr), pymalloc);
        // All that the pool has but its last one are taken by hand, and given back.
        void* taken[kMostPerPool];
        std::size_t count = 0, unused = pool->unused();
        while (agrees && count < per_pool && (taken[count] = pool->take()))
            agrees = BlockPool::offset_of(taken[count++]) < pool->next_offset && pool->unused() == unused - count;
        agrees = agrees && count == unused - 1;
        proved += count;
        while (agrees && count > 0) agrees = give_back(pool, taken[--count], pymalloc);
    }
    for (void* block : blocks) pymalloc.free(pymalloc.ctx, block);
    if (!agrees) return PoolProof::kDiffers;
    return proved >= per_pool ? PoolProof::kAgrees : PoolProof::kTooFewFree;
}

}  // namespace

bool prove_page_blocks(Tricks& tricks) noexcept {
    if constexpr (!layout::kMayTakePageBlocks) return false;
    PyMemAllocatorEx raw, allocators[2];
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &raw);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &allocators[0]);
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &allocators[1]);
    for (int domain = 0; domain < 2; ++domain) {
        const PyMemAllocatorEx& allocator = allocators[domain];
        if (allocator.ctx || allocator.malloc == raw.malloc) return false;  // somebody stands in between, or the C library
        if (!prove_page_blocks(allocator, tricks.slices_offset)) return false;
        tricks.mallocs[domain] = allocator.malloc;
    }
    return allocators[0].malloc != allocators[1].malloc;
}

bool prove_pool_blocks(Tricks& tricks) noexcept {
    if constexpr (!layout::kMayTakeBlocks) return false;
    PyMemAllocatorEx pymalloc;
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &pymalloc);
    if (pymalloc.ctx) return false;  // somebody stands in between: tracemalloc, debug hooks
    tricks.mallocs[0] = tricks.mallocs[1] = pymalloc.malloc;
    // A program may have left many pools of one size with a single free block each, from which nothing can be taken.
    for (const std::size_t block_bytes : {496, 464, 432, 368}) {
        const PoolProof proof = prove_pools(pymalloc, block_bytes);
        if (proof != PoolProof::kTooFewFree) return proof == PoolProof::kAgrees;
    }
    return false;
}

bool prove_allocator_table(Tricks& tricks) noexcept {
    constexpr std::size_t kSearched = 16 * 1024;  // a small part of that state
    if (!(tricks.pool_blocks || tricks.page_blocks) || !exported::runtime) return false;
    PyMemAllocatorEx all[3];
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &all[0]);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &all[1]);
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &all[2]);
    unsigned places = 0;
    for (std::size_t at = 0; at < kSearched; at += alignof(PyMemAllocatorEx)) {
        if (std::memcmp(exported::runtime + at, all, sizeof all) != 0) continue;
        tricks.allocators = reinterpret_cast<const PyMemAllocatorEx*>(exported::runtime + at) + 1;
        ++places;
    }
    return places == 1;
}

}  // namespace ocior
