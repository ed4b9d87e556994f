// ocior.Decoder, and loads() into declared types.
#pragma once

#include "module/state.h"
#include "typed/typed.h"

namespace ocior::module {

// Adds the type TypedDecoder to the module. False with an error set.
[[nodiscard]] bool add_typed_decoder(PyObject* module, State& state) noexcept;

// The value of a document as `type` says. `strict` and the kPolicyCount policies are null where they are not given. Null with an error set.
PyObject* loads_typed(State& state, PyObject* module, PyObject* type, PyObject* strict, PyObject* const* policies,
                      PyObject* input) noexcept;

// The TypedDecoder of `type`, which others may use, too. Arguments as above. Empty with an error set.
Owned typed_decoder_for(State& state, PyObject* module, PyObject* type, PyObject* strict, PyObject* const* policies) noexcept;
// What a TypedDecoder reads by, as long as it lives.
typed::Decoder parts_of_typed_decoder(PyObject* decoder) noexcept;

}  // namespace ocior::module
