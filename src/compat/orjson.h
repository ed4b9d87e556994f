// What ocior.compat.orjson is made of: functions that take orjson's arguments, write what it writes and raise what it raises.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Adds them to the module as `orjson`, a dict of names. False with an error set.
[[nodiscard]] bool add_orjson(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
