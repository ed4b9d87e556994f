// Private knowledge of CPython that this process may use: compiled in by version, proved by a self-test at import,
// switched off together by OCIOR_TRICKS=0. Read by decode/ and encode/, reported by get_current_features().
#pragma once

#include "py/ref.h"

namespace ocior {

struct Tricks {
    bool direct_scalars = false;  // str, int and float objects are written from their layout
    bool keys_table = false;      // dict entries are read, and templates overwritten, in place
    bool list_items = false;      // a list's item array is planted as one block
    bool utf8_forms = false;      // a str is given the UTF-8 form that we made of it

    bool huge_pages = false;      // arenas of small objects are halves of huge pages while a large document is decoded

    // CPython's own function for a dict of known size, unexported by its headers: keys and values lie some pointers apart.
    PyObject* (*dict_from_items)(PyObject* const* keys, Py_ssize_t key_step, PyObject* const* values, Py_ssize_t value_step,
                                 Py_ssize_t n) = nullptr;

    void* (*pymalloc)(void*, std::size_t) = nullptr;  // CPython's allocator of small objects, if blocks may be taken from its pools
    const PyMemAllocatorEx* allocators =
        nullptr;     // with that: where CPython keeps those of its domains "mem" and "object", if it was found

    // Runs the self-tests. Never fails: what cannot be proved stays off.
    void probe() noexcept;
};

}  // namespace ocior
