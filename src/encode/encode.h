// Entry to the encoder: a Python value -> its JSON text as str or bytes.
#pragma once

#include "base/pool.h"
#include "encode/context.h"
#include "encode/options.h"
#include "py/constants.h"

namespace ocior::encode {

// What the encoder keeps between calls, in the module's state.
struct State {
    Pool<Context> contexts;
};

// Null with an exception set: TypeError, ValueError, UnicodeEncodeError, RecursionError, MemoryError, or what a hook raised.
PyObject* dumps(State& state, const Constants& constants, const Options& options, PyObject* value) noexcept;

}  // namespace ocior::encode
