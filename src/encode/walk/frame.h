// An open container, as the walk finds it again, and what it reads where that is no container of its own.
#pragma once

#include <cstdlib>

#include "py/fetch.h"
#include "py/lock.h"

namespace ocior::encode {

enum class FrameKind : std::uint8_t {
    kSingle,  // one value: the root, or what a default hook returned
    kList,    // or a tuple
    // With a GIL, since 3.12: a list all of whose items are taken at once. It is read in place until it is pinned; then its items are
    // copied, and it is a kList, or a kLostList where there is no memory for them.
    kDerivedList,
    kLostList,
    kDict,
    kFields,  // a tuple of names and values in turn, which nobody else has
    kEntries,  // keys and values in the context's Entries, which `place.begin` points to, also where that is no longer read; the references
               // are the frame's once it is pinned
    kArray,  // an ArrayView
    kText,  // a long string that is written piece by piece
    // Those that follow hold the item being written.
    kItems,  // a list of (key, value) tuples: sorted keys, or the items() of a dict subclass, whose own list others may edit
    kPairs,  // what those items() iterate over, pair by pair
    kIterator,  // what a subclass of list or tuple iterates over, item by item
};

constexpr bool reads_list(FrameKind kind) noexcept { return kind == FrameKind::kList || kind == FrameKind::kDerivedList; }

// Whether what is open is a list or dict of the text.
constexpr bool is_level(FrameKind kind) noexcept {
    return kind != FrameKind::kSingle && kind != FrameKind::kArray && kind != FrameKind::kText;
}

// An open container. References are borrowed from its parent until Python code is about to run; then every frame is pinned.
struct Frame {
    static constexpr std::uint8_t kIdentity = 1, kIterated = 2;  // one bit each: both are asked for at once

    PyObject* identity;  // the object met in the document: what a cycle is told by
    PyObject* iterated;  // what the items come from; identity itself for list, tuple, dict and kEntries
    Py_ssize_t position;  // next item, unless `place` tells
    FrameKind kind;
    std::uint8_t owned;  // kIdentity: the frame is pinned; kIterated: of kEntries, what was taken from the context's Entries
    bool wrote_item;
    std::uint32_t dict_size;  // of a dict that is pinned: the lower half of what it was at first; of kEntries: how many
    Place place;  // of a list or dict between whose items no Python code has run; pinning ends that
    [[no_unique_address]] GuardOf guard = {};  // of `iterated`

    // (Made where it stands, member by member. One that is made elsewhere and copied is read by vectors before its members have left the
    // store buffer: without a GIL each container took 5 ns longer.)
    OCIOR_INLINE Frame(PyObject* identity, PyObject* iterated, FrameKind kind, bool is_pinned) noexcept
        : identity(identity),
          iterated(iterated),
          position(0),
          kind(kind),
          owned(is_pinned ? kIdentity : 0),
          wrote_item(false),
          dict_size(0),
          place{} {}
    // A frame of kind kEntries.
    OCIOR_INLINE Frame(PyObject* identity, layout::StrEntry* entries, std::size_t count) noexcept
        : Frame(identity, identity, FrameKind::kEntries, false) {
        owned = kIterated;
        dict_size = static_cast<std::uint32_t>(count);
        place = {entries, entries + count, entries};
    }

    bool is_pinned() const noexcept { return (owned & kIdentity) != 0; }
    bool owns_iterated() const noexcept { return (owned & kIterated) != 0; }
    // The item or (key, value) being written, owned; null before the first. What it comes from may let go of it meanwhile.
    bool holds_item() const noexcept { return kind >= FrameKind::kItems; }
    PyObject* item() const noexcept { return static_cast<PyObject*>(const_cast<void*>(place.begin)); }
    void set_item(PyObject* item) noexcept { place.begin = item; }
    // The entries of a frame of kind kEntries.
    layout::StrEntry* entries() const noexcept { return static_cast<layout::StrEntry*>(const_cast<void*>(place.begin)); }
};

// A stack of keys and values that were taken out of an object: what frames of kind kEntries read. It does not move.
class Entries {
public:
    static constexpr std::size_t kMost = 4096;

    ~Entries() { std::free(first_); }

    // Room for `count` more. Null where there is none: then a tuple serves.
    OCIOR_INLINE layout::StrEntry* take(std::size_t count) noexcept {
        if (OCIOR_UNLIKELY(!first_) && !(first_ = static_cast<layout::StrEntry*>(std::malloc(kMost * sizeof *first_)))) return nullptr;
        if (OCIOR_UNLIKELY(count > kMost - used_)) return nullptr;
        used_ += count;
        return first_ + used_ - count;
    }
    // Gives back all from `first` on.
    OCIOR_INLINE void give_back(const layout::StrEntry* first) noexcept { used_ = static_cast<std::size_t>(first - first_); }

private:
    layout::StrEntry* first_ = nullptr;
    std::size_t used_ = 0;
};

}  // namespace ocior::encode
