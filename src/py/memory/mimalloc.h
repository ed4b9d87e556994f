// Blocks of mimalloc, the allocator of free-threaded CPython, taken from its pages without a call: what mimalloc itself does first, with
// the page known instead of looked up. A segment is 32 MiB; it begins with what is known of it, the number of the thread that owns it
// last, and of each of its slices of 64 KiB. Small blocks have pages of one slice:
//
//     segment | ... thread | HeapPage, HeapPage, ...                   a page: free -> block -> block -> nothing
//
// A thread takes and gives back the blocks of its own pages without a lock; those that others give back mimalloc keeps apart.
//
// Source: D. Leijen, B. Zorn, L. de Moura, "Mimalloc: Free List Sharding in Action", 2019. Only where Tricks::page_blocks has proved it.
#pragma once

#include <utility>

#include "py/memory/blocks.h"

namespace ocior {

// Mirror of struct mi_page_s.
struct HeapPage {
    std::uint32_t slice_count, slice_offset;
    std::uint64_t of_no_concern;
    char* free;          // the blocks that an allocation takes; when there are none, mimalloc looks for others
    std::uint32_t used;  // blocks
    std::uint32_t block_bytes;
    char* freed;  // by this thread since then
    std::uint64_t of_no_concern_either[7];

    static constexpr std::uintptr_t kSegmentBytes = 32 * 1024 * 1024;
    static constexpr unsigned kLog2SliceBytes = 16;

    static const char* segment_of(const void* block) noexcept {
        return reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(block) & ~(kSegmentBytes - 1));
    }

    // The page of a block whose segment has its slices from `slices_offset` on, or null where another thread owns it, or it has more
    // slices than one.
    static HeapPage* of(void* block, std::size_t slices_offset, std::uintptr_t thread) noexcept {
        char* const slices = const_cast<char*>(segment_of(block)) + slices_offset;
        if (__atomic_load_n(reinterpret_cast<std::uintptr_t*>(slices) - 1, __ATOMIC_RELAXED) != thread) return nullptr;
        const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(block) & (kSegmentBytes - 1);
        HeapPage* const page = reinterpret_cast<HeapPage*>(slices) + (offset >> kLog2SliceBytes);
        return page->slice_count == 1 && page->slice_offset == 0 ? page : nullptr;
    }

    // A block, or null when none is at hand.
    OCIOR_INLINE void* take() noexcept {
        char* const block = free;
        if (OCIOR_UNLIKELY(!block)) return nullptr;
        char* const following = load<char*>(block);
        __builtin_prefetch(following, 1);
        free = following;
        ++used;
        return block;
    }
};
static_assert(sizeof(HeapPage) == 96 && offsetof(HeapPage, free) == 16 && offsetof(HeapPage, freed) == 32);

// The pages that one call takes blocks from, which belong to the thread that makes it.
class HeapBlocks {
public:
    enum Domain : bool { kMem, kObject };  // of CPython's allocators, which have pages of their own

    HeapBlocks() noexcept = default;
    HeapBlocks(const HeapBlocks&) = delete;
    HeapBlocks& operator=(const HeapBlocks&) = delete;
    ~HeapBlocks() { end(); }

    // To be called before the objects of a call are made. The allocators of both domains have to be mimalloc.
    OCIOR_INLINE void begin(std::size_t slices_offset) noexcept {
        end();
        std::memset(calls_, 0, sizeof calls_);
        slices_offset_ = slices_offset;
        thread_ = layout::thread_id();
    }
    // To be called when the objects have been made, or may be made no more.
    OCIOR_INLINE void end() noexcept {
        if (OCIOR_UNLIKELY(known_ != 0)) forget();
        if (OCIOR_UNLIKELY(kept_container_ != nullptr)) {
            PyObject_GC_Del(std::exchange(kept_container_, nullptr));
            container_page_ = nullptr;
        }
        slices_offset_ = 0;
    }

    // A block of a domain, 0 < byte_len <= BlockPool::kMaxBlock. Null when out of memory (no error set).
    template <Domain kDomain>
    OCIOR_INLINE void* allocate(std::size_t byte_len) noexcept {
        const std::size_t slot = slot_of(kDomain, byte_len);
        if (HeapPage* const page = pages_[slot]; OCIOR_LIKELY(page != nullptr))
            if (void* const block = page->take(); OCIOR_LIKELY(block != nullptr)) return block;
        return allocate_by_call(slot, byte_len);
    }

    // A block for a list or a dict, from the page where CPython has them. CPython gives no block of that page but by making such an object.
    // Null where no block is at hand.
    OCIOR_INLINE void* take_container() noexcept { return OCIOR_LIKELY(container_page_ != nullptr) ? container_page_->take() : nullptr; }
    // Whether objects of that size come from such pages.
    static constexpr bool is_container(std::size_t byte_len) noexcept { return byte_len > 48 && byte_len <= kContainerBytes; }

    // A block from the page of that container, if the page has more of them. Blocks for containers come from this page from now on, and the
    // container is kept, so that the page stays. Null where the container is to be used itself.
    OCIOR_NOINLINE void* take_beside(PyObject* object) noexcept {
        if (slices_offset_ == 0) return nullptr;
        HeapPage* const page = HeapPage::of(object, slices_offset_, thread_);
        if (!page || page == container_page_ || page->block_bytes != kContainerBytes || !page->free) return nullptr;
        if (kept_container_) PyObject_GC_Del(kept_container_);
        kept_container_ = object;
        container_page_ = page;
        return page->take();
    }

private:
    static constexpr std::uint32_t kContainerBytes = 64;
    static constexpr std::size_t kSlots =
        layout::kMayTakePageBlocks ? 2 * BlockPool::kClasses : 1;  // for sizes, which are told apart as in pymalloc
    static constexpr std::uint8_t kPatience = 16;  // blocks of a size before it is worth to look for their page

    static constexpr std::size_t slot_of(Domain domain, std::size_t byte_len) noexcept {
        return BlockPool::class_of(byte_len) * 2 + domain;
    }

    OCIOR_NOINLINE void* allocate_by_call(std::size_t slot, std::size_t byte_len) noexcept {
        void* const block = slot % 2 == kObject ? PyObject_Malloc(byte_len) : PyMem_Malloc(byte_len);
        if (OCIOR_UNLIKELY(!block) || slices_offset_ == 0) return block;
        if (calls_[slot] < kPatience) ++calls_[slot];
        else adopt_page_of(block, slot);
        return block;
    }

    // Takes blocks from the page of that block from now on. A page without blocks in use may go away: one is kept.
    void adopt_page_of(void* block, std::size_t slot) noexcept {
        HeapPage* const page = HeapPage::of(block, slices_offset_, thread_);
        if (!page || page == pages_[slot] || page->block_bytes < BlockPool::block_bytes(slot / 2)) return;
        void* const pin = page->take();
        if (!pin) return;
        give_back(slot, std::exchange(pins_[slot], pin));
        pages_[slot] = page;
        known_ |= std::uint64_t{1} << slot;
    }

    OCIOR_NOINLINE void forget() noexcept {
        for (; known_ != 0; known_ &= known_ - 1) {
            const auto slot = static_cast<std::size_t>(std::countr_zero(known_));
            give_back(slot, std::exchange(pins_[slot], nullptr));
            pages_[slot] = nullptr;
        }
    }

    static void give_back(std::size_t slot, void* pin) noexcept { slot % 2 == kObject ? PyObject_Free(pin) : PyMem_Free(pin); }

    HeapPage* pages_[kSlots] = {};
    void* pins_[kSlots] = {};           // a block of each
    std::uint64_t known_ = 0;           // which there are
    std::uint8_t calls_[kSlots] = {};   // how many blocks were asked for by a call, up to kPatience
    HeapPage* container_page_ = nullptr;
    PyObject* kept_container_ = nullptr;  // of that page; nobody else knows it
    std::size_t slices_offset_ = 0;     // of every segment; 0 outside of calls, and where blocks come from elsewhere
    std::uintptr_t thread_ = 0;
};

}  // namespace ocior
