// The working memory of one call to dumps: the stack of open containers and the scratch block. Lives in a pool.
#pragma once

#include <cstdlib>

#include "base/pool.h"
#include "encode/output.h"
#include "encode/types.h"
#include "py/fetch.h"

namespace ocior::encode {

enum class FrameKind : std::uint8_t {
    kSingle,  // one value: the root, or what a default hook returned
    kList,    // or a tuple of exactly that type
    kDict,
    kText,  // a long string that is written piece by piece
    // Those that follow hold the item being written.
    kItems,     // a list of (key, value) tuples: sorted keys, or the items() of a dict subclass, whose own list others may edit
    kPairs,     // what those items() iterate over, pair by pair
    kIterator,  // what a subclass of list or tuple iterates over, item by item
};

// An open container. References are borrowed from its parent until Python code is about to run; then every frame is pinned.
struct Frame {
    PyObject* identity;   // the object met in the document: what a cycle is told by
    PyObject* iterated;   // what the items come from; identity itself for list, tuple and dict
    Py_ssize_t position;  // next item, unless `place` tells
    FrameKind kind;
    bool is_pinned;       // `identity` is owned
    bool owns_iterated;
    bool wrote_item;
    std::uint32_t dict_size;  // of a dict that is pinned: the lower half of what it was at first
    Place place;          // of a list or dict between whose items no Python code has run; pinning ends that

    // The item or (key, value) being written, owned; null before the first. What it comes from may let go of it meanwhile.
    bool holds_item() const noexcept { return kind >= FrameKind::kItems; }
    PyObject* item() const noexcept { return static_cast<PyObject*>(const_cast<void*>(place.begin)); }
    void set_item(PyObject* item) noexcept { place.begin = item; }
};

struct Context {
    using Owner = PyObject*;
    Owned module;  // whose state the pool is in
    Frame* frames = nullptr;
    std::size_t frame_capacity = 0;
    std::uint8_t* scratch = nullptr;
    std::size_t last_large = 0;     // bytes of the last output that was not small
    unsigned last_large_width = 0;  // the width of the last output if it was that one, else 0
    bool may_be_nested = false;
    TypeTable types;

    explicit Context(PyObject* owner) noexcept : module(Owned::borrow(owner)) {}
    ~Context() {
        std::free(frames);
        std::free(scratch);
    }

    // False when out of memory (no error set).
    [[nodiscard]] bool prepare() noexcept {
        if (!scratch) scratch = static_cast<std::uint8_t*>(std::malloc(Output::kScratchBytes));
        return scratch && (frames || reserve_frames(64));
    }

    [[nodiscard]] bool reserve_frames(std::size_t wanted) noexcept {
        std::size_t capacity = frame_capacity ? frame_capacity * 2 : 64;
        if (capacity < wanted) capacity = wanted;
        auto* grown = static_cast<Frame*>(std::realloc(frames, capacity * sizeof(Frame)));
        if (!grown) return false;
        frames = grown;
        frame_capacity = capacity;
        return true;
    }

    void trim() noexcept {
        if (frame_capacity <= 1024) return;
        std::free(frames);
        frames = nullptr;
        frame_capacity = 0;
    }
};

using Contexts = Pool<Context, !layout::kHasGil>;

}  // namespace ocior::encode
