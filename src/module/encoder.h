// Encoder, the native base of ocior.JSONEncoder. It has the constructor and the methods of json.JSONEncoder; the attributes of an object
// are compiled once, not for every call.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Makes the type Encoder, which becomes an attribute of the module, and the type of what its iterencode() returns. False with an error set.
[[nodiscard]] bool add_encoder_types(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
