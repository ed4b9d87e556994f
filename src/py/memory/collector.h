// CPython's garbage collector, as lists and dicts that are made by hand tell it of themselves: it keeps those that may be part of a cycle
// in a list, and counts all that there are, to know when to look for garbage. Without a GIL there is no list, but a mark in each of them,
// and every thread counts its own, to tell the others now and then.
#pragma once

#include "base/bits.h"
#include "py/layout.h"
#include "py/tricks.h"

namespace ocior {

// Mirror of PyGC_Head, which lies in front of an object.
struct CollectorLinks {
    CollectorLinks* next;      // null where the object is not tracked
    CollectorLinks* previous;  // the two lowest bits are flags, which a new object has none of

    static OCIOR_INLINE CollectorLinks* of(PyObject* object) noexcept { return reinterpret_cast<CollectorLinks*>(object) - 1; }
};

// Mirror of struct gc_generation. Its objects are linked to a ring, which `ring` closes.
struct Generation {
    CollectorLinks ring;
    int threshold;
    int count;  // of the youngest one: objects made since the last collection, less those freed

    // Makes an object its last one.
    OCIOR_INLINE void append(CollectorLinks* links) noexcept {
        CollectorLinks* const last = ring.previous;
        last->next = ring.previous = links;
        *links = {&ring, last};
    }
};
static_assert(offsetof(Generation, threshold) == 16 && offsetof(Generation, count) == 20);

class Collector {
public:
    // To be called before the containers of a call are made.
    OCIOR_INLINE void begin(const Tricks& tricks) noexcept {
        if constexpr (!layout::kMayMakeContainers) return;
        youngest_ = tricks.youngest;
        if constexpr (!layout::kHasGil)
            if (tricks.count_offset)
                thread_count_ = reinterpret_cast<Py_ssize_t*>(reinterpret_cast<char*>(PyThreadState_Get()) + tricks.count_offset);
        no_keys_ = tricks.no_keys;
        if (OCIOR_LIKELY(!goes_on_)) free_lists_ = free_dicts_ = tricks.container_headers ? kFreeObjects : ~std::size_t{0};
    }

    // Whether several readings make one call, which keeps all that they make: then the objects that CPython has at hand are used up once.
    void set_going_on(bool goes_on) noexcept { goes_on_ = goes_on; }

    // Whether the next list, or dict, of this call is to be made by hand. CPython keeps some that were freed at hand, and its own functions
    // give these out faster; of a small document all are taken from there.
    OCIOR_INLINE bool makes_list() noexcept { return layout::kMayMakeContainers && is_used_up(free_lists_); }
    OCIOR_INLINE bool makes_dict() noexcept { return layout::kMayMakeContainers && is_used_up(free_dicts_); }

    // An object of that type, not tracked, in `block`, which is of the "object" domain and has room for CollectorLinks in front of it, or
    // comes, without a GIL, from where CPython has its containers.
    OCIOR_INLINE PyObject* adopt(void* block, PyTypeObject* type) noexcept {
        auto* object = static_cast<PyObject*>(block);
        if constexpr (layout::kHasGil) {
            auto* const links = static_cast<CollectorLinks*>(block);
            object = reinterpret_cast<PyObject*>(links + 1);
            *links = {nullptr, nullptr};
        }
        layout::init_header(object, type);
        if constexpr (layout::kHasGil) ++youngest_->count;
        else ++*thread_count_;
        is_told_ = false;
        return object;
    }

    OCIOR_INLINE bool is_tracked(PyObject* object) const noexcept {
        if constexpr (!layout::kHasGil && layout::kMayMakeContainers)
            if (OCIOR_LIKELY(thread_count_ != nullptr)) return layout::is_marked_tracked(object);
        if (layout::kHasGil && layout::kMayMakeContainers && OCIOR_LIKELY(youngest_ != nullptr))
            return CollectorLinks::of(object)->next != nullptr;
        return PyObject_GC_IsTracked(object) != 0;
    }

    // Tracks one that is not.
    OCIOR_INLINE void track(PyObject* object) noexcept {
        if constexpr (!layout::kHasGil && layout::kMayMakeContainers)
            if (OCIOR_LIKELY(thread_count_ != nullptr)) return layout::mark_tracked(object);
        if (layout::kMayLinkContainers && OCIOR_LIKELY(youngest_ != nullptr)) youngest_->append(CollectorLinks::of(object));
        else PyObject_GC_Track(object);
    }

    // What an empty dict has.
    OCIOR_INLINE PyDictKeysObject* no_keys() const noexcept { return no_keys_; }
    // CPython counts from 0 upwards; these are far above.
    OCIOR_INLINE std::uint64_t next_dict_version() noexcept {
        if constexpr (!layout::kHasDictVersions) return 0;
        if (OCIOR_UNLIKELY((dict_version_ & (kVersions - 1)) == 0)) dict_version_ = take_versions();
        return dict_version_ += kVersionStep;
    }

    // When all are made: CPython, which only counts what it makes itself, is told if it is time to look for garbage.
    OCIOR_INLINE void settle() noexcept {
        if (OCIOR_LIKELY(is_told_)) return;
        is_told_ = true;
        const bool is_time = layout::kHasGil ? youngest_->count > youngest_->threshold : *thread_count_ >= kThreadThreshold;
        if (OCIOR_UNLIKELY(is_time)) ask_for_collection();
    }

    static constexpr std::size_t kFreeObjects = 80;  // that CPython keeps of each of both types, at most

private:
    static constexpr Py_ssize_t kThreadThreshold = 512;  // more a thread does not keep to itself
    static constexpr std::uint64_t kVersionStep = 1 << 12;  // the lower bits say who watches the dict
    static constexpr std::uint64_t kVersions = kVersionStep << 16;

    static OCIOR_INLINE bool is_used_up(std::size_t& free_objects) noexcept {
        if (OCIOR_UNLIKELY(free_objects == 0)) return true;
        --free_objects;
        return false;
    }

    static OCIOR_NOINLINE std::uint64_t take_versions() noexcept;
    static OCIOR_NOINLINE void ask_for_collection() noexcept;

    Generation* youngest_ = nullptr;  // where containers are made by hand
    Py_ssize_t* thread_count_ = nullptr;  // without a GIL
    PyDictKeysObject* no_keys_ = nullptr;
    std::size_t free_lists_ = ~std::size_t{0}, free_dicts_ = ~std::size_t{0};
    std::uint64_t dict_version_ = 0;
    bool is_told_ = true;
    bool goes_on_ = false;
};

}  // namespace ocior
