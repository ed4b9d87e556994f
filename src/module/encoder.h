// Encoder, the native base of ocior.JSONEncoder. It has the constructor and the methods of json.JSONEncoder; the attributes of an object
// are compiled once, not for every call.
#pragma once

#include "module/state.h"

namespace ocior::module {

// Makes the type Encoder, which becomes an attribute of the module, and the type of what its iterencode() returns. False with an error set.
[[nodiscard]] bool add_encoder_types(PyObject* module, State& state) noexcept;

// Frees State::recent_settings.
void forget_recent_settings(State& state) noexcept;

// The version of `cls` if it is json's encoder class, ocior's, or a class derived from one of them whose objects are made without code of
// its own. Then nobody can tell when one is made, and its settings depend on the class and the keywords alone. Else 0, or where it has
// none.
unsigned version_of_plain_class(PyObject* cls, const JsonEncoding& json) noexcept;

// An object of such a class, whose tp_new is `make`. `slots` holds a value for each keyword of json's encoder class; separators are None or
// a tuple of two. Empty with an error set.
Owned new_plain_encoder(const State& state, PyTypeObject* cls, newfunc make, PyObject* const* slots) noexcept;

}  // namespace ocior::module
