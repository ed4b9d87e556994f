// The functions of the module, as CPython calls them (METH_FASTCALL | METH_KEYWORDS).
#pragma once

#include "py/ref.h"

namespace ocior::module {

PyObject* loads(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* dumps_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;

}  // namespace ocior::module
