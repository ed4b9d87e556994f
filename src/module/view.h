// The document that views read from.
#pragma once

#include "py/ref.h"

namespace ocior::module {

struct State;

// Adds the type of the documents to the state. False with an error set.
[[nodiscard]] bool add_viewed_type(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
