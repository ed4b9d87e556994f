// What ocior.compat.ssrjson is made of: functions that take ssrjson's arguments, write what it writes and raise what it raises.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Adds them to the module as `ssrjson`, a dict of names. False with an error set.
[[nodiscard]] bool add_ssrjson(PyObject* module, State& state) noexcept;

}  // namespace ocior::module
