// The types behind ocior.JSONEncoder.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Makes Encoder and Pieces, and puts the first into the module. False with an error set.
[[nodiscard]] bool add_encoder_types(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
