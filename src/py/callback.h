// The user's code, called by ours.
#pragma once

#include "py/ref.h"

namespace ocior {

// What `act`, which runs the user's code, returns. It counts for the interpreter's limit of recursion: that code may be a method of ours
// (`encoder.default = encoder.encode`), and where no frame of Python's lies between the calls the C stack would overflow. Null, with
// RecursionError set, where the limit is reached; `where` ends its message.
template <typename Act>
OCIOR_INLINE PyObject* call_back(const char* where, Act&& act) noexcept {
    if (OCIOR_UNLIKELY(Py_EnterRecursiveCall(where) != 0)) return nullptr;
    PyObject* const result = act();
    Py_LeaveRecursiveCall();
    return result;
}

}  // namespace ocior
