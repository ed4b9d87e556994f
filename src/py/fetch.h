// The items of a list, tuple or dict, one after the other, in references that are borrowed. A run keeps pointers in registers, which is
// right until Python code may have run. Without a GIL other threads may edit the container: a run begins once it is guarded (lock.h), and
// after the guard nothing that it has read counts.
#pragma once

#include "py/attribute.h"
#include "py/container.h"
#include "py/lock.h"

namespace ocior {

// Where a run stands between two items, as long as no Python code runs, and the container stays guarded. Where CPython is asked for each
// item, `end` is null.
struct Place {
    const void* next;
    const void* end;
    const void* begin;
};

// The array of items of a tuple, or of a list that nobody edits.
OCIOR_INLINE PyObject* const* items_of_list(PyObject* list) noexcept { return reinterpret_cast<PyListObject*>(list)->ob_item; }
OCIOR_INLINE PyObject* const* items_of_tuple(PyObject* tuple) noexcept { return reinterpret_cast<PyTupleObject*>(tuple)->ob_item; }
OCIOR_INLINE PyObject* const* items_of(PyObject* sequence) noexcept {
    return PyTuple_Check(sequence) ? items_of_tuple(sequence) : items_of_list(sequence);
}

// The number of items of a list or a tuple; another thread may be editing the list.
OCIOR_INLINE Py_ssize_t size_of_items(PyObject* sequence) noexcept {
    return __atomic_load_n(&reinterpret_cast<PyVarObject*>(sequence)->ob_size, __ATOMIC_RELAXED);
}

// The item at `position` of a list that others may be editing, owned. Null, without an error, where the list has become too short.
inline PyObject* new_item_ref(PyObject* list, Py_ssize_t position) noexcept {
    if (position >= PyList_GET_SIZE(list)) return nullptr;
#ifdef Py_GIL_DISABLED
    PyObject* const item = PyList_GetItemRef(list, position);
    if (!item) PyErr_Clear();
    return item;
#else
    return new_ref(PyList_GET_ITEM(list, position));
#endif
}

// What `dict.items()` gives. Of an OrderedDict without a GIL, the iterator over them: CPython (3.14, at least) makes that from the first
// key without a lock, and a thread that removes the key meanwhile frees it, so it is made under our lock here. Each of its steps locks the
// dict by itself. Empty with an error set.
inline Owned items_of_dict(PyObject* dict) noexcept {
    const Owned method = get_attribute(dict, "items");
    Owned items = Owned::steal(method ? PyObject_CallNoArgs(method.get()) : nullptr);  // PyObject_CallMethod has other words
    if (layout::kHasGil || !items || !Py_IS_TYPE(items.get(), &PyODictItems_Type)) return items;
    const Locked lock(dict);
    return Owned::steal(PyObject_GetIter(items.get()));
}

// PyMapping_Items: a list, which is the user's own if that is what items() gives. Empty with an error set.
inline Owned list_of_items(PyObject* dict) noexcept {
    if (layout::kHasGil || !PyODict_Check(dict)) return Owned::steal(PyMapping_Items(dict));
    Owned items = items_of_dict(dict);
    if (!items || PyList_CheckExact(items.get())) return items;
    const Owned iterator = Owned::steal(PyObject_GetIter(items.get()));
    if (iterator) return Owned::steal(PySequence_List(iterator.get()));
    if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%.200s.items() returned a non-iterable (type %.200s)", Py_TYPE(dict)->tp_name,
                     Py_TYPE(items.get())->tp_name);
    return {};
}

// Prefetches what the lists and dicts among the items [next, end) hold; without a GIL, only what lists hold that no other thread can find.
OCIOR_INLINE void prefetch_containers(PyObject* const* next, PyObject* const* end) noexcept {
    if (end - next <= 8) return;
    __builtin_prefetch(next[8]);
    PyObject* const near = next[4];
    if (layout::kHasGil && PyDict_CheckExact(near)) {
        const auto* const table = reinterpret_cast<const char*>(layout::keys_table(near));
        __builtin_prefetch(table);
        __builtin_prefetch(table + 64);
    }
    if (!PyList_CheckExact(near)) return;
    __builtin_prefetch(items_of_list(near));
    PyObject* const nearer = next[2];
    if (PyList_CheckExact(nearer) && has_one_reference(nearer) && PyList_GET_SIZE(nearer) > 0) {
        __builtin_prefetch(PyList_GET_ITEM(nearer, 0));
        __builtin_prefetch(PyList_GET_ITEM(nearer, PyList_GET_SIZE(nearer) - 1));
    }
}

class ListRun {
public:
    ListRun() noexcept = default;
    // A run over a list or tuple, from an item on that may be gone: the list may have become shorter since its position was noted.
    OCIOR_INLINE ListRun(PyObject* list, Py_ssize_t position) noexcept {
        const Py_ssize_t size = Py_SIZE(list);
        begin_ = items_of(list);
        next_ = begin_ + (position < size ? position : size);
        end_ = begin_ + size;
    }
    // A run over a whole list or tuple.
    static OCIOR_INLINE ListRun of_list(PyObject* list) noexcept { return ListRun(items_of_list(list), Py_SIZE(list)); }
    static OCIOR_INLINE ListRun of_tuple(PyObject* tuple) noexcept { return ListRun(items_of_tuple(tuple), Py_SIZE(tuple)); }
    OCIOR_INLINE explicit ListRun(const Place& place) noexcept
        : next_(static_cast<PyObject* const*>(place.next)),
          end_(static_cast<PyObject* const*>(place.end)),
          begin_(static_cast<PyObject* const*>(place.begin)) {}
    OCIOR_INLINE Place place() const noexcept { return {next_, end_, begin_}; }

    // Member by member: as one vector they would be read before the last step's store of one has left the store buffer.
    OCIOR_INLINE ListRun& operator=(const ListRun& other) noexcept {
        next_ = other.next_;
        end_ = other.end_;
        begin_ = other.begin_;
        return *this;
    }

    // Loads from far memory stall every conversion: ask early for the items of a list of numbers or strings ...
    OCIOR_INLINE void prefetch_items() const noexcept {
        if (end_ - next_ > 8) __builtin_prefetch(next_[8]);
    }
    // ... and of a list of containers, for what these hold.
    OCIOR_INLINE void prefetch_containers() const noexcept {
        if constexpr (layout::kHasGil) ocior::prefetch_containers(next_, end_);
    }

    OCIOR_INLINE bool next(PyObject*& value) noexcept {
        if (OCIOR_UNLIKELY(next_ == end_)) return false;
        value = *next_++;
        return true;
    }
    // The next item, or null: it is not taken.
    OCIOR_INLINE PyObject* peek() const noexcept { return next_ != end_ ? *next_ : nullptr; }
    // Where the item that came last stands, where the next one and where the last one ends, and going on somewhere between.
    OCIOR_INLINE PyObject* const* last() const noexcept { return next_ - 1; }
    OCIOR_INLINE PyObject* const* next_items() const noexcept { return next_; }
    OCIOR_INLINE PyObject* const* end() const noexcept { return end_; }
    OCIOR_INLINE void go_on_at(PyObject* const* next) noexcept { next_ = next; }
    // Asks nothing of the list: by now a finalizer may have edited it.
    OCIOR_INLINE Py_ssize_t position() const noexcept { return next_ - begin_; }

private:
    OCIOR_INLINE ListRun(PyObject* const* items, Py_ssize_t size) noexcept : next_(items), end_(items + size), begin_(items) {}

    PyObject* const* next_;
    PyObject* const* end_;
    PyObject* const* begin_;
};

// Reads the entries of a table in place where its layout is proven, else asks CPython for each.
class DictRun {
public:
    DictRun() noexcept = default;
    OCIOR_INLINE DictRun(const Tricks& tricks, PyObject* dict, Py_ssize_t position) noexcept {
        if constexpr (layout::kMayReadKeysTable) {
            auto* table = OCIOR_LIKELY(tricks.keys_table) ? layout::combined_str_table(dict) : nullptr;
            if (OCIOR_LIKELY(table != nullptr)) {
                const layout::StrEntry* const entries = layout::str_entries(table);
                entries_ = next_ = entries;
                end_ = entries + table->entry_count;
                if (position) next_ += position < table->entry_count ? position : table->entry_count;
                return;
            }
        }
        next_ = end_ = nullptr;
        asked_ = 2 * position + tricks.keys_table;
    }
    OCIOR_INLINE explicit DictRun(const Place& place) noexcept
        : next_(static_cast<const layout::StrEntry*>(place.next)),
          end_(static_cast<const layout::StrEntry*>(place.end)),
          entries_(static_cast<const layout::StrEntry*>(place.begin)) {}
    // A run over a tuple of keys and values in turn.
    OCIOR_INLINE DictRun(PyObject* tuple, Py_ssize_t position) noexcept {
        entries_ = reinterpret_cast<const layout::StrEntry*>(items_of_tuple(tuple));
        next_ = entries_ + position;
        end_ = entries_ + PyTuple_GET_SIZE(tuple) / 2;
    }
    // A run over entries that lie elsewhere and that nobody edits.
    OCIOR_INLINE DictRun(const layout::StrEntry* entries, Py_ssize_t position, std::size_t count) noexcept
        : next_(entries + position), end_(entries + count), entries_(entries) {}
    OCIOR_INLINE Place place() const noexcept { return {next_, end_, entries_}; }
    OCIOR_INLINE DictRun& operator=(const DictRun& other) noexcept {
        next_ = other.next_;
        end_ = other.end_;
        entries_ = other.entries_;
        return *this;
    }

    // `dict` gives the dict, where it is needed.
    template <typename Dict>
    OCIOR_INLINE bool next(Dict dict, PyObject*& key, PyObject*& value) noexcept {
        while (OCIOR_LIKELY(next_ != end_)) {
            key = next_->key;
            value = next_->value;
            ++next_;
            if (OCIOR_LIKELY(value != nullptr)) return true;  // else deleted
        }
        return !end_ && ask(dict(), key, value);
    }
    OCIOR_INLINE Py_ssize_t position() const noexcept { return end_ ? next_ - entries_ : asked_ >> 1; }

private:
    OCIOR_INLINE bool ask(PyObject* dict, PyObject*& key, PyObject*& value) noexcept {
        // Copies: what has its address taken lives in memory, in the loop around, too.
        Py_ssize_t position = asked_ >> 1;
        const bool may_read = asked_ & 1;
        if constexpr (layout::kMayReadKeysTable) {
            layout::KeysTable* const table = OCIOR_LIKELY(may_read) ? layout::combined_other_table(dict) : nullptr;
            if (OCIOR_LIKELY(table != nullptr)) {
                const layout::OtherEntry* const entries = layout::other_entries(table);
                while (position < table->entry_count) {
                    const layout::OtherEntry& entry = entries[position++];
                    if (OCIOR_UNLIKELY(!entry.value)) continue;  // deleted
                    asked_ = 2 * position + 1;
                    key = entry.key;
                    value = entry.value;
                    return true;
                }
                return false;
            }
        }
        PyObject *next_key, *next_value;
        const bool found = PyDict_Next(dict, &position, &next_key, &next_value);
        asked_ = 2 * position + may_read;
        if (found) {
            key = next_key;
            value = next_value;
        }
        return found;
    }

    const layout::StrEntry* next_;
    const layout::StrEntry* end_;  // null where not all keys are str, or CPython is asked
    union {
        const layout::StrEntry* entries_;
        Py_ssize_t asked_;  // where `end_` is null: twice the position, and one more if tables may be read
    };
};

}  // namespace ocior
