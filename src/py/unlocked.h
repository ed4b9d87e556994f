// The attributes of an instance that many threads use, compared with known ones without a GIL, without a lock and without a reference: no
// cache line is written that other threads read. CPython looks the methods of such an instance up in the same way
// (_PyDict_GetMethodStackRef): a dict that an instance has let go of, and a table that a dict had before, are freed no sooner than every
// thread has been between two instructions of Python code or has waited for something. Needs Tricks::unlocked_attributes.
#pragma once

#include "py/layout.h"

namespace ocior {

#ifdef Py_GIL_DISABLED

inline bool is_own_object(PyObject* object) noexcept { return _Py_IsOwnedByCurrentThread(object); }

// Whether CPython keeps what instances of the type have where compare_unlocked() looks for it.
inline bool has_managed_dict(PyTypeObject* type) noexcept { return PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT); }

// Whether a table that the dict had before is not freed while this thread may read it. That of a dict of the thread's own never is: any
// other thread marks the dict before it gives it another table.
OCIOR_INLINE bool may_read_unlocked(PyObject* dict) noexcept {
    constexpr std::uint8_t kShared = 1 << 4;  // set by the first other thread that looks anything up
    return is_own_object(dict) || (__atomic_load_n(&dict->ob_gc_bits, __ATOMIC_RELAXED) & kShared);
}

// Whether the instance, whose type has_managed_dict(), has `count` attributes, and is_same(i, name, value) of the i-th. False, too, where
// that cannot be told without a lock, or where they lie in another order. `is_same` compares addresses and nothing more: the objects may be
// gone.
template <typename IsSame>
OCIOR_INLINE bool compare_unlocked(PyObject* instance, std::size_t count, IsSame is_same) noexcept {
    const auto load_pointer = [](auto* const& place) { return __atomic_load_n(&place, __ATOMIC_ACQUIRE); };
    if (const layout::InlineValues* const inside = layout::valid_inline_values(instance)) {
        const layout::KeysTable* const table = layout::shared_keys_table(Py_TYPE(instance));
        if (!table || count > inside->capacity) return false;
        const layout::StrEntry* const entries = layout::str_entries(const_cast<layout::KeysTable*>(table));
        std::size_t found = 0;
        for (std::size_t i = 0; i < inside->capacity; ++i) {
            PyObject* const value = load_pointer(inside->values[i]);
            if (!value) continue;
            if (found == count || !is_same(found, load_pointer(entries[i].key), value)) return false;
            ++found;
        }
        return found == count;
    }
    PyObject* const dict = layout::dict_of_instance(instance);
    if (!dict || OCIOR_UNLIKELY(!may_read_unlocked(dict))) return false;
    auto* const table = reinterpret_cast<layout::KeysTable*>(load_pointer(reinterpret_cast<PyDictObject*>(dict)->ma_keys));
    // (Deleted attributes leave gaps, which are counted here.)
    if (table->kind != layout::kStrKeys || __atomic_load_n(&table->entry_count, __ATOMIC_ACQUIRE) != static_cast<Py_ssize_t>(count))
        return false;
    const layout::StrEntry* const entries = layout::str_entries(table);
    for (std::size_t i = 0; i < count; ++i) {
        PyObject* const value = load_pointer(entries[i].value);
        if (!value || !is_same(i, load_pointer(entries[i].key), value)) return false;
    }
    return true;
}

// Lets this thread compare the attributes of the instance from now on, as long as it has the same dict. No lock may be held. Sets no error.
inline void prepare_to_read_unlocked(PyObject* instance, PyObject* any_name) noexcept {
    const Owned dict = Owned::steal(PyObject_GenericGetDict(instance, nullptr));
    if (!dict || (!may_read_unlocked(dict.get()) && PyDict_Contains(dict.get(), any_name) < 0)) PyErr_Clear();
}

// Has CPython count no references to the object any more that frames of Python code have, so that threads which only call its methods do
// not all write its count. From then on only the garbage collector frees it.
inline void count_fewer_references(PyObject* object) noexcept {
#if PY_VERSION_HEX >= 0x030E0000
    (void)PyUnstable_Object_EnableDeferredRefcount(object);
#else
    (void)object;
#endif
}

#endif

}  // namespace ocior
