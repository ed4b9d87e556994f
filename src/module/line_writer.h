// Many values as lines: dump_lines, dump_lines_to_bytes, and LineEncoder, whose blocks of whole lines keep memory bounded.
#pragma once

#include "module/state.h"

namespace ocior::module {

PyObject* dump_lines(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* dump_lines_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;

extern const char dump_lines_doc[];
extern const char dump_lines_to_bytes_doc[];

// Makes the type LineEncoder, an attribute of the module. False with an error set.
[[nodiscard]] bool add_line_encoder_type(PyObject* module) noexcept;

}  // namespace ocior::module
