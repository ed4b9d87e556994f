// The JSON pointers of the last calls, and what they were compiled to: most programs ask for the same ones again and again.
#pragma once

#include "base/pool.h"
#include "module/arguments.h"
#include "select/pointers.h"

namespace ocior::module {

// Lives in a pool: nobody else changes what a call reads by, be it another thread or Python code that runs during the call.
class KeptSelections {
public:
    using Owner = PyObject*;
    bool may_be_nested = false;  // which does not matter here

    explicit KeptSelections(PyObject* module) noexcept : module_(Owned::borrow(module)) {}

    // What the pointers are compiled to, until the next call of this function. Null with an error set.
    const select::Selection* find(PyObject* pointers) noexcept {
        for (Entry& entry : entries_)
            if (entry.pointers.get() == pointers) return &entry.selection;
        Entry& entry = entries_[next_++ % kEntries];
        entry.pointers = Owned();
        if (!entry.selection.compile(pointers)) return nullptr;
        const bool stays = (PyUnicode_CheckExact(pointers) || is_tuple_of_str(pointers)) && entry.selection.node_count() <= kMostNodes;
        if (stays) entry.pointers = Owned::borrow(pointers);
        return &entry.selection;
    }
    void trim() noexcept {
        for (Entry& entry : entries_)
            if (!entry.pointers) entry.selection.clear();
    }

private:
    static constexpr unsigned kEntries = 4;
    static constexpr std::size_t kMostNodes = 256;

    struct Entry {
        Owned pointers;  // as they were given; empty where they may change
        select::Selection selection;
    };

    Entry entries_[kEntries];
    unsigned next_ = 0;  // is replaced next
    Owned module_;       // whose state the pool is in
};

using KeptSelectionsPool = Pool<KeptSelections, !layout::kHasGil>;

}  // namespace ocior::module
