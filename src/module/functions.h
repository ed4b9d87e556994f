// The native functions of the module, and methods of Encoder. CPython calls them by METH_FASTCALL | METH_KEYWORDS if nothing else is said.
#pragma once

#include "py/ref.h"

namespace ocior::module {

// A function of any signature, cast to the type that a method table stores.
template <typename Function>
PyCFunction as_method(Function* function) noexcept {
    return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

PyObject* load(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* loads(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* at(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* pointer_tokens(PyObject* module, PyObject* pointer) noexcept;  // METH_O: the tokens of a JSON pointer, a tuple of str
PyObject* view(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* dumps_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* dump(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* encode_basestring(PyObject* module, PyObject* str) noexcept;        // METH_O
PyObject* encode_basestring_ascii(PyObject* module, PyObject* str) noexcept;  // METH_O

PyObject* encoder_encode(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* encoder_iterencode(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;

}  // namespace ocior::module
