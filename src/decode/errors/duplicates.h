// Where an object has a key a second time. An object whose keys are fewer than its values does not know; this is for the error.
#pragma once

#include "decode/py_call.h"

namespace ocior::decode {

// Finds the first key that repeats an earlier one, in the object that the bracket at `last` closes, and returns the repetition's opening
// quote. Reading began at `first`. Where an object cannot be made, the call has another error afterwards.
template <typename Source>
const typename Source::Unit* find_second_key(PyCall<Source>& call, const typename Source::Unit* first,
                                             const typename Source::Unit* last) noexcept;

}  // namespace ocior::decode
