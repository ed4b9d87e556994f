// A part of the module: what it adds to it, and what it owns in the module's state.
#pragma once

#include "py/ref.h"

namespace ocior::module {

struct State;

struct Part {
    bool (*add)(PyObject* module, State& state) noexcept;  // false with an error set
    int (*visit)(State& state, PyObject* module, visitproc visit, void* arg) noexcept;  // for the garbage collector
    // Clears what may be part of a cycle: at shutdown a finalizer may still call functions of the module.
    void (*clear_cycles)(State& state) noexcept;
    void (*clear)(State& state) noexcept;  // all else, for ever
};

}  // namespace ocior::module
