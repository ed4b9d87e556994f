// What ocior.compat.ujson is made of: functions that take ujson's arguments, write what it writes and raise what it raises.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Adds them to the module as `ujson`, a dict of names. False with an error set.
[[nodiscard]] bool add_ujson(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
