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
    static PyObject* held(PyObject* object) noexcept { return object; }

private:
    PyObject* list_;
    Py_ssize_t position_;
};

class DictRun {
public:
    DictRun() noexcept = default;
    DictRun(const Tricks&, PyObject* dict, Py_ssize_t position) noexcept : dict_(dict), position_(position) {}

    bool next(PyObject*& key, PyObject*& value) noexcept {
        int found;
        Py_BEGIN_CRITICAL_SECTION(dict_);
        found = PyDict_Next(dict_, &position_, &key, &value);
        if (found) {
            Py_INCREF(key);
            Py_INCREF(value);
        }
        Py_END_CRITICAL_SECTION();
        return found;
    }
    Py_ssize_t position() const noexcept { return position_; }
    static PyObject* held(PyObject* object) noexcept { return object; }

private:
    PyObject* dict_;
    Py_ssize_t position_;
};

#else

class ListRun {
public:
    ListRun() noexcept = default;
    OCIOR_INLINE ListRun(PyObject* list, Py_ssize_t position) noexcept
        : items_(reinterpret_cast<PyListObject*>(list)->ob_item), position_(position), size_(PyList_GET_SIZE(list)) {}

    // Loads from far memory stall every conversion: ask early for the items of a list of numbers ...
    OCIOR_INLINE void prefetch_items() const noexcept {
        if (position_ + 8 < size_) __builtin_prefetch(items_[position_ + 8]);
    }
    // ... and of a list of lists, for what these hold.
    OCIOR_INLINE void prefetch_lists() const noexcept {
        if (position_ + 8 >= size_) return;
        __builtin_prefetch(items_[position_ + 8]);
        PyObject* near = items_[position_ + 4];
        if (!PyList_CheckExact(near)) return;
        __builtin_prefetch(reinterpret_cast<PyListObject*>(near)->ob_item);
        PyObject* nearer = items_[position_ + 2];
        if (PyList_CheckExact(nearer) && PyList_GET_SIZE(nearer) > 0) {
            __builtin_prefetch(PyList_GET_ITEM(nearer, 0));
            __builtin_prefetch(PyList_GET_ITEM(nearer, PyList_GET_SIZE(nearer) - 1));
        }
    }

    OCIOR_INLINE bool next(PyObject*& value) noexcept {
        if (OCIOR_UNLIKELY(position_ >= size_)) return false;
        value = items_[position_++];
        return true;
    }
    // The next item, or null: it is not taken until skip().
    OCIOR_INLINE PyObject* peek() const noexcept { return position_ < size_ ? items_[position_] : nullptr; }
    OCIOR_INLINE void skip() noexcept { ++position_; }
    OCIOR_INLINE Py_ssize_t position() const noexcept { return position_; }
    static OCIOR_INLINE PyObject* held(PyObject*) noexcept { return nullptr; }

private:
    PyObject* const* items_;
    Py_ssize_t position_;
    Py_ssize_t size_;
};

// Reads the entries of a table of str keys in place where its layout is proven, else asks CPython for each.
class DictRun {
public:
    DictRun() noexcept = default;
    OCIOR_INLINE DictRun(const Tricks& tricks, PyObject* dict, Py_ssize_t position) noexcept : dict_(dict), position_(position) {
        if constexpr (layout::kMayReadKeysTable) {
            auto* table = OCIOR_LIKELY(tricks.keys_table) ? layout::combined_str_table(dict) : nullptr;
            if (OCIOR_LIKELY(table != nullptr)) {
                entries_ = layout::str_entries(table);
                count_ = table->entry_count;
                return;
            }
        }
        entries_ = nullptr;
    }

    OCIOR_INLINE bool next(PyObject*& key, PyObject*& value) noexcept {
        if (OCIOR_LIKELY(entries_ != nullptr)) {
            while (OCIOR_LIKELY(position_ < count_)) {
                const layout::StrEntry& entry = entries_[position_++];
                if (OCIOR_UNLIKELY(!entry.value)) continue;  // deleted
                key = entry.key;
                value = entry.value;
                return true;
            }
            return false;
        }
        Py_ssize_t position = position_;
        const bool found = PyDict_Next(dict_, &position, &key, &value);
        position_ = position;
        return found;
    }
    OCIOR_INLINE Py_ssize_t position() const noexcept { return position_; }
    static OCIOR_INLINE PyObject* held(PyObject*) noexcept { return nullptr; }

private:
    PyObject* dict_;
    Py_ssize_t position_;
    const layout::StrEntry* entries_;
    Py_ssize_t count_;
};

#endif

}  // namespace ocior
