// The items of a container, one after the other, while other threads may be editing it. With the GIL a run keeps pointers in
// registers until Python code may have run, and references are borrowed; without, each step takes the container's own lock
// and strong references, and no lock is held while a child is entered.
#pragma once

#include "py/container.h"

namespace ocior {

#ifdef Py_GIL_DISABLED

class ListRun {
public:
    ListRun() noexcept = default;
    ListRun(PyObject* list, Py_ssize_t position) noexcept : list_(list), position_(position) {}

    void prefetch_items() const noexcept {}
    void prefetch_lists() const noexcept {}
    bool next(PyObject*& value) noexcept {
        value = PyList_GetItemRef(list_, position_);
        if (!value) return PyErr_Clear(), false;
        ++position_;
        return true;
    }
    Py_ssize_t position() const noexcept { return position_; }

private:
    PyObject* list_;
    Py_ssize_t position_;
};

class DictRun {
public:
    DictRun() noexcept = default;
    DictRun(const Tricks&, PyObject*, Py_ssize_t position) noexcept : position_(position) {}

    template <typename Dict>
    bool next(Dict get_dict, PyObject*& key, PyObject*& value) noexcept {
        PyObject* const dict = get_dict();
        int found;
        Py_BEGIN_CRITICAL_SECTION(dict);
        found = PyDict_Next(dict, &position_, &key, &value);
        if (found) {
            Py_INCREF(key);
            Py_INCREF(value);
        }
        Py_END_CRITICAL_SECTION();
        return found;
    }
    Py_ssize_t position() const noexcept { return position_; }

private:
    Py_ssize_t position_;
};

#else

class ListRun {
public:
    ListRun() noexcept = default;
    // From an item on that may be gone: the list may have become shorter since its position was noted.
    OCIOR_INLINE ListRun(PyObject* list, Py_ssize_t position) noexcept {
        const Py_ssize_t size = PyList_GET_SIZE(list);
        begin_ = items_of(list);
        next_ = begin_ + (position < size ? position : size);
        end_ = begin_ + size;
    }

    // Member by member: as one vector they would be read before the last step's store of one has left the store buffer.
    OCIOR_INLINE ListRun& operator=(const ListRun& other) noexcept {
        next_ = other.next_;
        end_ = other.end_;
        begin_ = other.begin_;
        return *this;
    }

    // Loads from far memory stall every conversion: ask early for the items of a list of numbers ...
    OCIOR_INLINE void prefetch_items() const noexcept {
        if (end_ - next_ > 8) __builtin_prefetch(next_[8]);
    }
    // ... and of a list of lists, for what these hold.
    OCIOR_INLINE void prefetch_lists() const noexcept {
        if (end_ - next_ <= 8) return;
        __builtin_prefetch(next_[8]);
        PyObject* near = next_[4];
        if (!PyList_CheckExact(near)) return;
        __builtin_prefetch(items_of(near));
        PyObject* nearer = next_[2];
        if (PyList_CheckExact(nearer) && PyList_GET_SIZE(nearer) > 0) {
            __builtin_prefetch(PyList_GET_ITEM(nearer, 0));
            __builtin_prefetch(PyList_GET_ITEM(nearer, PyList_GET_SIZE(nearer) - 1));
        }
    }

    OCIOR_INLINE bool next(PyObject*& value) noexcept {
        if (OCIOR_UNLIKELY(next_ == end_)) return false;
        value = *next_++;
        return true;
    }
    // The next item, or null: it is not taken until skip().
    OCIOR_INLINE PyObject* peek() const noexcept { return next_ != end_ ? *next_ : nullptr; }
    OCIOR_INLINE void skip() noexcept { ++next_; }
    // Where the item that came last stands, where the last one ends, and going on somewhere between.
    OCIOR_INLINE PyObject* const* last() const noexcept { return next_ - 1; }
    OCIOR_INLINE PyObject* const* end() const noexcept { return end_; }
    OCIOR_INLINE void go_on_at(PyObject* const* next) noexcept { next_ = next; }
    // Asks nothing of the list: by now a finalizer may have edited it.
    OCIOR_INLINE Py_ssize_t position() const noexcept { return next_ - begin_; }

private:
    static OCIOR_INLINE PyObject* const* items_of(PyObject* list) noexcept { return reinterpret_cast<PyListObject*>(list)->ob_item; }

    PyObject* const* next_;
    PyObject* const* end_;
    PyObject* const* begin_;
};

// Reads the entries of a table of str keys in place where its layout is proven, else asks CPython for each.
class DictRun {
public:
    DictRun() noexcept = default;
    OCIOR_INLINE DictRun(const Tricks& tricks, PyObject* dict, Py_ssize_t position) noexcept {
        if constexpr (layout::kMayReadKeysTable) {
            auto* table = OCIOR_LIKELY(tricks.keys_table) ? layout::combined_str_table(dict) : nullptr;
            if (OCIOR_LIKELY(table != nullptr)) {
                const layout::StrEntry* const entries = layout::str_entries(table);
                entries_ = entries;
                next_ = entries + (position < table->entry_count ? position : table->entry_count);
                end_ = entries + table->entry_count;
                return;
            }
        }
        next_ = end_ = entries_ = nullptr;
        asked_position_ = position;
    }
    OCIOR_INLINE DictRun& operator=(const DictRun& other) noexcept {
        next_ = other.next_;
        end_ = other.end_;
        entries_ = other.entries_;
        asked_position_ = other.asked_position_;
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
    OCIOR_INLINE Py_ssize_t position() const noexcept { return end_ ? next_ - entries_ : asked_position_; }

private:
    OCIOR_INLINE bool ask(PyObject* dict, PyObject*& key, PyObject*& value) noexcept {
        // Copies: what has its address taken lives in memory, in the loop around, too.
        Py_ssize_t position = asked_position_;
        PyObject *next_key, *next_value;
        const bool found = PyDict_Next(dict, &position, &next_key, &next_value);
        asked_position_ = position;
        if (found) {
            key = next_key;
            value = next_value;
        }
        return found;
    }

    const layout::StrEntry* next_;
    const layout::StrEntry* end_;  // null where CPython is asked
    const layout::StrEntry* entries_;
    Py_ssize_t asked_position_;
};

#endif

}  // namespace ocior
