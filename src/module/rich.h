// The types ocior.Default and ocior.Raw.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Makes the types and adds them to the module. False with an error set.
[[nodiscard]] bool add_rich_types(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
