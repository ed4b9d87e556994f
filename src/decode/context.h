// The working memory of one call to loads: value stack, frames, scratch text, key memory. Lives in a pool between calls.
#pragma once

#include "base/pool.h"
#include "decode/key_cache.h"
#include "decode/shapes.h"
#include "grammar/builder.h"
#include "py/memory/pages.h"
#include "py/str.h"

namespace ocior::decode {

using namespace grammar;

struct PyHeap {  // CPython's "mem" domain, where a list's items come from
    static void* reallocate(void* block, std::size_t byte_len, std::size_t used_bytes) noexcept {
        void* const moved = PyMem_Realloc(block, byte_len);
        if (moved) prefer_huge_pages(moved, byte_len, used_bytes);
        return moved;
    }
    static void release(void* block) noexcept { PyMem_Free(block); }
};

class ValueStack : public Stack<PyObject*, PyHeap> {
public:
    [[nodiscard]] bool reserve(std::size_t wanted) noexcept {
        const std::size_t before = capacity_;
        const bool reserved = Stack::reserve(wanted);
        if (capacity_ != before) populated_ = before;
        return reserved;
    }

    // Gets the pages for the next elements of a large block: as many as the `used` ones at its start.
    void populate_ahead(std::size_t used) noexcept {
        constexpr std::size_t kLarge = 1024 * 1024 / sizeof(PyObject*);  // smaller ones come from memory that is there
        if (capacity_ < kLarge || used < populated_) return;
        const std::size_t most = capacity_ - capacity_ / 16;  // the last part may stay unused
        populated_ = 2 * used < most ? 2 * used : capacity_;
        if (used < most) populate(data_ + used, ((2 * used < most ? 2 * used : most) - used) * sizeof(PyObject*));
    }

    // Gives the block away, cut to the first `n` elements, and takes a new one. Returns null, without a change and without an error, when
    // out of memory.
    PyObject** hand_over(std::size_t n) noexcept {
        auto* fresh = static_cast<PyObject**>(PyMem_Malloc(kInitial * sizeof(PyObject*)));
        if (!fresh) return nullptr;
        auto* cut = static_cast<PyObject**>(PyMem_Realloc(data_, n * sizeof(PyObject*)));
        PyObject** const block = cut ? cut : data_;
        data_ = fresh;
        capacity_ = kInitial;
        return block;
    }

private:
    std::size_t populated_ = 0;  // how many of a large block have their pages
};

// An open list or dict.
struct PyFrame {
    static constexpr std::uint8_t kHoldsContainers =
        1;  // a list or dict is among the values; where anything is asked, any value is taken for one
    static constexpr std::uint8_t kHoldsNests = 2;       // and one of those holds a list or dict
    static constexpr std::uint8_t kIsMade = 4;           // the container was made when it began

    std::size_t base;      // index of the container's first value on the value stack
    ShapeNode* node;       // object: shape so far, or null once keys lie on the value stack themselves
    ShapeNode* found_at;   // the node under which this container was found
    Inside inside;
    std::uint8_t traits;   // of those above
    std::uint16_t known_keys = 0;  // of the object, to the trees, if more have been added to them since; else 0
    std::uint8_t room = 0;         // of the block of a container that is made: items of a list, log2 of the size of a dict's table
};

struct Context {
    using Owner = PyObject*;
    static constexpr std::size_t kListDepths = 32;
    static constexpr std::size_t kKeptBytes = 64 * 1024;
    static constexpr std::size_t kLargeArray = kKeptBytes / sizeof(PyObject*);  // items that the value stack is not kept with

    Owned module;  // whose state the pool is in
    Workspace workspace;
    ValueStack values;
    Stack<PyFrame> frames;
    std::uint8_t list_rooms[kListDepths] = {};  // by depth: as DictLeaf::list_room, for lists in lists
    ShapeBudget shape_budget;
    ShapeTree shapes[kSourceCount];
    KeyCache keys;
    ObjectAllocator allocator;
    Progress progress;
    bool may_be_nested = false;

    explicit Context(PyObject* owner) noexcept : module(Owned::borrow(owner)) {}
    ~Context() { forget(); }

    void trim() noexcept {
        values.trim(kKeptBytes);
        frames.trim(kKeptBytes);
        workspace.trim(kKeptBytes);
        keys.trim();
        // The trees are full of shapes that do not come any more: start over.
        if (shape_budget.refused > 4 * ShapeBudget::kMaxNodes) forget();
    }

private:
    void forget() noexcept {
        for (ShapeTree& tree : shapes) tree.clear();
        keys.clear();
        shape_budget = {};
    }
};

using Contexts = Pool<Context, !layout::kHasGil>;

}  // namespace ocior::decode
