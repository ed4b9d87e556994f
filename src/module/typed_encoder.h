// Encoder, which writes objects as their classes and its caller say, and dumps with `type`.
#pragma once

#include "module/encode_settings.h"

namespace ocior::module {

// Makes the types Encoder, which becomes the attribute TypedEncoder of the module, and EncodePlans. False with an error set.
[[nodiscard]] bool add_typed_encoder_types(PyObject* module, State& state) noexcept;

// Whether these arguments of dumps name a type.
inline bool is_typed(PyObject* const* slots) noexcept { return slots[kType] && slots[kType] != Py_None; }
// Compiles the arguments of a call that names a type. False with an error set.
[[nodiscard]] bool compile_typed(State& state, PyObject* const* slots, EncodeSettings& settings) noexcept;
// The version that a class has now; 0 where it has none, and can get none.
unsigned version_of_class(PyTypeObject* type, const State& state) noexcept;

// What is written in the place of a whole value. Empty with an error set.
Owned prepared(const encode::Options& options, PyObject* value) noexcept;
// Does what encode::dumps() does, for options that have plans.
PyObject* dumps_typed(State& state, const encode::Options& options, PyObject* value) noexcept;

}  // namespace ocior::module
