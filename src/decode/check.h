// A look at whether a text is JSON, without making the objects that it describes.
#pragma once

#include "decode/state.h"

namespace ocior::decode {

// Whether loads() without keywords reads `text`, a str or bytes in UTF-8 without surrogates. False where it does not, and where that is not
// certain: loads() will tell, and raise what is to be raised. No exception is set.
bool is_surely_json(State& state, PyObject* text) noexcept;

}  // namespace ocior::decode
