// Encoder, the native base of ocior.JSONEncoder: the constructor and methods of json.JSONEncoder over the native encoder, with an
// object's attributes compiled once.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Makes the types, Encoder and that of what iterencode() returns, and puts the first into the module. False with an error set.
[[nodiscard]] bool add_encoder_types(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
