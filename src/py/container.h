// list and dict objects: building a list at its exact size from a run of owned values, and walking dict entries.
#pragma once

#include "py/allocator.h"

namespace ocior {

// Moves owned references. Short runs by scalar moves: a wide load right after 8-byte stores fails to forward
// (12 % of loads on record-like data).
OCIOR_INLINE void move_refs(PyObject** to, PyObject* const* from, std::size_t n) noexcept {
    if (OCIOR_LIKELY(n <= 12)) {
        for (std::size_t i = 0; i < n; ++i) {
            PyObject* item = from[i];
            __asm__ volatile("" : "+r"(item));  // keeps the loop scalar
            to[i] = item;
        }
    } else {
        std::memcpy(to, from, n * sizeof(PyObject*));
    }
}

// Makes the block `items`, of the "mem" domain, the items of an empty list. Needs Tricks::list_items.
OCIOR_INLINE void plant_items(PyObject* list, PyObject** items, std::size_t n) noexcept {
    auto* object = reinterpret_cast<PyListObject*>(list);
    object->ob_item = items;
    object->allocated = static_cast<Py_ssize_t>(n);
    Py_SET_SIZE(object, static_cast<Py_ssize_t>(n));
}

// A list that takes over the `n` references at `values`. Empty result on MemoryError: the references stay the caller's.
OCIOR_INLINE PyObject* list_from(const Tricks& tricks, ObjectAllocator& allocator, PyObject* const* values, std::size_t n) noexcept {
    if constexpr (layout::kMayPlantListItems) {
        if (OCIOR_LIKELY(tricks.list_items)) {
            PyObject* list = PyList_New(0);
            if (OCIOR_UNLIKELY(!list) || n == 0) return list;
            auto** items = static_cast<PyObject**>(allocator.allocate_mem(n * sizeof(PyObject*)));
            if (OCIOR_UNLIKELY(!items)) {
                Py_DECREF(list);
                return PyErr_NoMemory();
            }
            move_refs(items, values, n);
            plant_items(list, items, n);
            return list;
        }
    }
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(n));
    if (OCIOR_UNLIKELY(!list)) return nullptr;
    for (std::size_t i = 0; i < n; ++i) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), values[i]);
    return list;
}

// A dict of the `n` str keys and their values, which lie `key_step` and `value_step` pointers apart; takes references of its own. Of
// equal keys the first stays, with the last one's value. Null with an error set.
inline PyObject* dict_from_items(const Tricks& tricks, PyObject* const* keys, std::size_t key_step, PyObject* const* values,
                                 std::size_t value_step, std::size_t n) noexcept {
    const auto size = [](std::size_t count) { return static_cast<Py_ssize_t>(count); };
    if (OCIOR_LIKELY(tricks.dict_from_items != nullptr)) return tricks.dict_from_items(keys, size(key_step), values, size(value_step), size(n));
    Owned dict = Owned::steal(PyDict_New());
    for (std::size_t i = 0; dict && i < n; ++i)
        if (PyDict_SetItem(dict.get(), keys[i * key_step], values[i * value_step]) < 0) return nullptr;
    return dict.release();
}

// Tracks a dict whose values were written in place; older versions track a dict only once it holds a container.
OCIOR_INLINE void track_dict(PyObject* dict, bool has_container) noexcept {
    if ((has_container || PY_VERSION_HEX >= 0x030E0000) && !PyObject_GC_IsTracked(dict)) PyObject_GC_Track(dict);
}

// A copy of `tmpl`, a dict of `n` str keys with None values, whose values become the `n` references at `values`, which
// it takes over. Needs Tricks::keys_table. Empty result on MemoryError: the references stay the caller's.
OCIOR_INLINE PyObject* dict_from_template(ObjectAllocator& allocator, PyObject* tmpl, PyObject* const* values, std::size_t n, bool has_container) noexcept {
    if constexpr (layout::kMayPlantKeysTable) {
        PyObject* dict = PyDict_New();
        if (OCIOR_UNLIKELY(!dict)) return nullptr;
        auto* const model = layout::combined_str_table(tmpl);
        const std::size_t entries_offset = layout::entries_offset(model), capacity = layout::entry_capacity(model);
        auto* const table = static_cast<char*>(allocator.allocate_keys(entries_offset + capacity * sizeof(layout::StrEntry)));
        if (OCIOR_UNLIKELY(!table)) {
            Py_DECREF(dict);
            return PyErr_NoMemory();
        }
        const auto* const from = reinterpret_cast<const char*>(model);
        for (std::size_t at = 0; at < entries_offset; at += 8) store(table + at, load<std::uint64_t>(from + at));
        auto* const made = reinterpret_cast<layout::KeysTable*>(table);
        made->refcnt = 1;
        made->version = 0;
        const layout::StrEntry* const keys = layout::str_entries(model);
        layout::StrEntry* const entries = layout::str_entries(made);
        for (std::size_t i = 0; i < n; ++i) entries[i] = {new_ref(keys[i].key), values[i]};
        for (std::size_t i = n; i < capacity; ++i) entries[i] = {nullptr, nullptr};
        auto* const object = reinterpret_cast<PyDictObject*>(dict);
        object->ma_keys = reinterpret_cast<PyDictKeysObject*>(made);
        object->ma_used = static_cast<Py_ssize_t>(n);
        track_dict(dict, has_container);
        return dict;
    }
    PyObject* dict = PyDict_Copy(tmpl);
    if (OCIOR_UNLIKELY(!dict)) return nullptr;
    layout::StrEntry* entry = layout::str_entries(layout::combined_str_table(dict));
    for (std::size_t i = 0; i < n; ++i) entry[i].value = values[i];
    if constexpr (!layout::kImmortalConstants) Py_SET_REFCNT(Py_None, Py_REFCNT(Py_None) - static_cast<Py_ssize_t>(n));
    track_dict(dict, has_container);
    return dict;
}

// True when `tmpl` can serve dict_from_template: its entries lie in one table, in order, without gaps.
inline bool is_template(PyObject* tmpl, std::size_t n) noexcept {
    if constexpr (!layout::kMayReadKeysTable) return false;
    auto* table = layout::combined_str_table(tmpl);
    return table && static_cast<std::size_t>(table->entry_count) == n && static_cast<std::size_t>(PyDict_GET_SIZE(tmpl)) == n;
}

}  // namespace ocior
