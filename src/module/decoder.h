// The native half of ocior.decoder.JSONDecoder, and decoding by a class that the user gives.
#pragma once

#include "module/state.h"

namespace ocior::module {

// The type Decoder: __init__, decode and raw_decode of JSONDecoder, over json's. Null with an error set.
PyTypeObject* make_decoder_type(PyObject* module) noexcept;

// cls(**keywords).decode(text); natively if cls has only the ways of json's class or of ours. Null with an error set.
PyObject* decode_by_class(State& state, PyObject* cls, PyObject* keywords, PyObject* text) noexcept;

}  // namespace ocior::module
