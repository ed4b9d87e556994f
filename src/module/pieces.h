// Pieces: the iterator that iterencode() returns, a text in parts that are made when they are asked for.
#pragma once

#include "module/encode_settings.h"

namespace ocior::module {

// The type, for the module `module`. Null with an error set.
PyObject* make_pieces_type(PyObject* module) noexcept;

// The pieces of `value` by these settings. Null with an error set.
PyObject* new_pieces(PyObject* module, EncodeSettings&& settings, PyObject* value) noexcept;

}  // namespace ocior::module
