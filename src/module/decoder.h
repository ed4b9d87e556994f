// The native base class of ocior.JSONDecoder, and decoding by a class that the user gives.
#pragma once

#include "module/state.h"

namespace ocior::module {

// The type Decoder, which has __init__, decode and raw_decode of json.JSONDecoder. Null with an error set.
PyObject* make_decoder_type(PyObject* module) noexcept;

// The result of cls(**keywords).decode(text). It is made natively if the class overrides none of the methods that json's class or ours
// decodes by. Null with an error set.
PyObject* decode_by_class(State& state, PyObject* cls, PyObject* keywords, PyObject* text) noexcept;

}  // namespace ocior::module
