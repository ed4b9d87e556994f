// The working memory of one call to loads: value stack, frames, scratch text, key memory. Lives in a pool between calls.
#pragma once

#include <cstdlib>

#include "base/pool.h"
#include "decode/key_cache.h"
#include "decode/shapes.h"
#include "decode/source.h"
#include "py/memory/pages.h"
#include "py/str.h"

namespace ocior::decode {

// Deepest nesting accepted. The stack is our own, so this is a choice: above what json reaches on any version's
// default stack, below what a hostile document could make of memory.
inline constexpr std::size_t kMaxDepth = 65536;

// A growable array of trivial values that keeps its block between calls. The block is from CPython's "mem" domain, as a list's items are.
template <typename T>
class Stack {
public:
    ~Stack() { PyMem_Free(data_); }

    T* data() noexcept { return data_; }
    std::size_t capacity() const noexcept { return capacity_; }

    // At least `wanted` elements; the content is kept. False when out of memory (no error set).
    [[nodiscard]] bool reserve(std::size_t wanted) noexcept {
        if (wanted <= capacity_) return true;
        std::size_t capacity = capacity_ ? capacity_ * 2 : kInitial;
        if (capacity < wanted) capacity = wanted;
        auto* data = static_cast<T*>(PyMem_Realloc(data_, capacity * sizeof(T)));
        if (!data) return false;
        prefer_huge_pages(data, capacity * sizeof(T), capacity_ * sizeof(T));
        populated_ = capacity_;
        data_ = data;
        capacity_ = capacity;
        return true;
    }

    // Of a large block, the first `used` elements of which are in use: gets the pages for as many again.
    void populate_ahead(std::size_t used) noexcept {
        constexpr std::size_t kLarge = 1024 * 1024 / sizeof(T);  // smaller ones come from memory that is there
        if (capacity_ < kLarge || used < populated_) return;
        const std::size_t most = capacity_ - capacity_ / 16;  // the last part may stay unused
        populated_ = 2 * used < most ? 2 * used : capacity_;
        if (used < most) populate(data_ + used, ((2 * used < most ? 2 * used : most) - used) * sizeof(T));
    }

    // Gives back a block that one large document has blown up.
    void trim(std::size_t kept_bytes) noexcept {
        if (capacity_ * sizeof(T) <= kept_bytes) return;
        PyMem_Free(data_);
        data_ = nullptr;
        capacity_ = 0;
    }

    // Gives its block away, cut to the first `n` elements, and takes a new one. Null, and nothing has changed, when out of memory (no error
    // set).
    T* hand_over(std::size_t n) noexcept {
        auto* fresh = static_cast<T*>(PyMem_Malloc(kInitial * sizeof(T)));
        if (!fresh) return nullptr;
        auto* cut = static_cast<T*>(PyMem_Realloc(data_, n * sizeof(T)));
        T* const block = cut ? cut : data_;
        data_ = fresh;
        capacity_ = kInitial;
        return block;
    }

private:
    static constexpr std::size_t kInitial = sizeof(T) >= 64 ? 64 : 4096 / sizeof(T);
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
    std::size_t populated_ = 0;  // how many of a large block have their pages
};

enum class Inside : std::uint8_t { kNothing, kArray, kObject };

struct Frame {
    std::size_t base;    // index of the container's first value on the value stack
    ShapeNode* node;     // object: shape so far, or null once keys lie on the value stack themselves
    ShapeNode* context;  // shape node under which this container was found
    Inside inside;
    bool has_container;  // a list or dict is among the values; with hooks the builder takes any for one
    std::uint16_t known_keys = 0;  // of the object, to the trees, if more have been added to them since; else 0
};

// Separators as the document writes them between two values: a comma and the white space behind it, per depth.
struct Separator {
    static constexpr std::size_t kMaxBytes = 64;
    alignas(64) std::uint8_t bytes[kMaxBytes + kReadSlack];
    std::uint32_t byte_len;
};

struct Context {
    using Owner = PyObject*;
    static constexpr std::size_t kSeparatorDepths = 16;
    static constexpr std::size_t kKeptBytes = 64 * 1024;
    static constexpr std::size_t kLargeArray = kKeptBytes / sizeof(PyObject*);  // items that the value stack is not kept with

    Owned module;  // whose state the pool is in
    Stack<PyObject*> values;
    Stack<Frame> frames;
    Stack<std::uint8_t> scratch;
    ShapeBudget shape_budget;
    ShapeTree shapes[kSourceCount];
    KeyCache keys;
    ObjectAllocator allocator;
    Progress progress;
    bool is_extra = false;
    Separator separators[kSourceCount][kSeparatorDepths] = {};  // per source: one text must not be taken for another of wider units

    explicit Context(PyObject* owner) noexcept : module(Owned::borrow(owner)) {}
    ~Context() { forget(); }

    void trim() noexcept {
        values.trim(kKeptBytes);
        frames.trim(kKeptBytes);
        scratch.trim(kKeptBytes);
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
