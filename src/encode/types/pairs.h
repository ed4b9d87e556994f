// Names and values in turn, in a tuple that nobody else has: what a frame of kind kFields reads.
#pragma once

#include "encode/walk/call.h"

namespace ocior::encode {

// A tuple for names and values in turn. Its items are empty.
inline Owned new_pairs(std::size_t count) noexcept { return Owned::steal(PyTuple_New(static_cast<Py_ssize_t>(2 * count))); }

OCIOR_INLINE void put_pair(PyObject* pairs, std::size_t i, PyObject* name, PyObject* value) noexcept {
    PyTuple_SET_ITEM(pairs, static_cast<Py_ssize_t>(2 * i), new_ref(name));
    PyTuple_SET_ITEM(pairs, static_cast<Py_ssize_t>(2 * i + 1), value);
}

// Orders names and values in turn by the names, where the call sorts keys.
inline void sort_pairs(Call& call, PyObject* pairs) noexcept {
    if (!call.options.sort_keys) return;
    auto* const items = reinterpret_cast<layout::StrEntry*>(const_cast<PyObject**>(items_of_tuple(pairs)));
    call.context.orders.sort(call.options, items, static_cast<std::size_t>(PyTuple_GET_SIZE(pairs)) / 2);
}

}  // namespace ocior::encode
