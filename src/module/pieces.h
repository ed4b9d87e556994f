// Pieces: the iterator that iterencode() returns. It makes a piece of the JSON text each time that it is asked for one.
#pragma once

#include "module/encode_settings.h"

namespace ocior::module {

// Null with an error set.
PyObject* make_pieces_type(PyObject* module) noexcept;

// An iterator over the pieces of the text of `value`. Null with an error set.
PyObject* new_pieces(PyObject* module, EncodeSettings&& settings, PyObject* value) noexcept;

}  // namespace ocior::module
