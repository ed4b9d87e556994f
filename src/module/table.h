// Tables of Arrow's columns, and scans, which give them piece by piece: the types, and the functions that make them.
#pragma once

#include "module/table_reader.h"

namespace ocior::module {

// These add the types Table and Scan to the module. False with an error set.
[[nodiscard]] bool add_table_type(PyObject* module) noexcept;
[[nodiscard]] bool add_scan_type(PyObject* module) noexcept;

// read_table(source, **keywords), open_scan(source, **keywords), infer_form(source, **keywords): the keywords are those of TableReader.
PyObject* read_table(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* open_scan(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;
PyObject* infer_form(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;

// What both have in common.

// The type of that name in the module, a new reference. Null with an error set.
PyTypeObject* type_named(PyObject* module, const char* name) noexcept;
// A Table, which takes `table` over. Null with an error set.
PyObject* new_table(PyObject* module, columns::Table* table, const TableReader& reader) noexcept;
// Gives a batch the types that the reader has found. False with an error set.
[[nodiscard]] bool finish(columns::Batch& batch, TableReader& reader) noexcept;
// A capsule that owns the stream. Null with an error set, and the stream is released.
PyObject* new_capsule(ArrowArrayStream* stream) noexcept;
// Whether __arrow_c_stream__ was called as its protocol says. What the caller would like to have is not looked at, as it allows.
[[nodiscard]] bool check_stream_arguments(Py_ssize_t positional, PyObject* kwnames) noexcept;
// The Schema of a type. Null with an error set.
PyObject* schema_of(const columns::Column& type, columns::Mixed mixed) noexcept;

}  // namespace ocior::module
