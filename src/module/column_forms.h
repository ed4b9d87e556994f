// Types of columns as tuples of Python's, which the class Schema of the package is made of:
// (format, seen, ((name, is_nullable, form), ...)). `format` is that of Arrow's C data interface, "json", or "dictionary:" and an index
// type.
#pragma once

#include "columns/batch.h"
#include "py/ref.h"

namespace ocior::module {

// A new reference, or empty with an error set.
Owned form_of(const columns::Column& type) noexcept;
// Into a column without a type. False with an error set: TypeError for what is no form.
[[nodiscard]] bool read_form(PyObject* form, columns::Column& type) noexcept;

// Functions of the module. export_schema(form) gives a capsule, import_schema(capsule) the form of what one holds, join_forms(a, b, mixed)
// the form that two inferred ones have in common.
PyObject* export_schema(PyObject* module, PyObject* form) noexcept;
PyObject* import_schema(PyObject* module, PyObject* capsule) noexcept;
PyObject* join_forms(PyObject* module, PyObject* const* values, Py_ssize_t count) noexcept;

// `name` is a word of the keyword `mixed`. False with ValueError or TypeError set.
[[nodiscard]] bool read_mixed(PyObject* name, columns::Mixed& mixed) noexcept;
const char* word_of(columns::Mixed mixed) noexcept;

}  // namespace ocior::module
