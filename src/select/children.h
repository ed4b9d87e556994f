// Where the values of an object or array lie, for views that read them when they are asked for.
#pragma once

#include "decode/options.h"
#include "decode/state.h"
#include "py/ref.h"

namespace ocior::select {

// In a document that loads() takes, of which `text` is decode::unchanging_text_of(): where the values of the object begin that begins at
// unit `index`, by their keys, in a dict of int; or those of an array, in bytes that hold numbers of 64 bits. Null with an error set.
PyObject* children_at(decode::State& state, const decode::Options& options, PyObject* text, std::size_t index) noexcept;

}  // namespace ocior::select
