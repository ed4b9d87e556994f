// One item of a container that other threads may be editing. With the GIL it is borrowed and this header costs nothing; without,
// each step takes the container's own lock and a strong reference, and no lock is held while a child is entered.
#pragma once

#include "py/container.h"

namespace ocior {

// Gives back what a fetch has taken.
OCIOR_INLINE void release_fetched(PyObject* object) noexcept {
#ifdef Py_GIL_DISABLED
    Py_XDECREF(object);
#else
    (void)object;
#endif
}

// False at the end of the list.
OCIOR_INLINE bool fetch_item(PyObject* list, Py_ssize_t& position, PyObject*& value) noexcept {
#ifdef Py_GIL_DISABLED
    value = PyList_GetItemRef(list, position);
    if (!value) return PyErr_Clear(), false;
    ++position;
    return true;
#else
    if (position >= PyList_GET_SIZE(list)) return false;
    value = PyList_GET_ITEM(list, position++);
    return true;
#endif
}

// False at the end of the dict.
OCIOR_INLINE bool fetch_entry(const Tricks& tricks, PyObject* dict, Py_ssize_t& position, PyObject*& key, PyObject*& value) noexcept {
#ifdef Py_GIL_DISABLED
    int found;
    Py_BEGIN_CRITICAL_SECTION(dict);
    found = PyDict_Next(dict, &position, &key, &value);
    if (found) {
        Py_INCREF(key);
        Py_INCREF(value);
    }
    Py_END_CRITICAL_SECTION();
    (void)tricks;
    return found;
#else
    DictCursor cursor{position};
    const bool found = cursor.next(tricks, dict, key, value);
    position = cursor.position;
    return found;
#endif
}

}  // namespace ocior
