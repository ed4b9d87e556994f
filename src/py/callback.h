// The user's code, called by ours.
#pragma once

#include "py/ref.h"

namespace ocior {

// What `act`, which runs the user's code, returns. It counts for the interpreter's limit of recursion: that code may be a method of ours
// (`encoder.default = encoder.encode`), and where no frame of Python's lies between the calls the C stack would overflow. `failed`, with
// RecursionError set, where the limit is reached; `where` ends its message. `may_be_nested`: false where calls are surely not nested deep
// and need not be counted: it takes 10 to 20 ns. `kWeight`: so many calls it counts for, where it takes more of the C stack than a call of
// Python code does; since 3.14 the stack itself is measured.
template <typename Result, int kWeight = 1, typename Act>
OCIOR_INLINE Result call_back_or(Result failed, bool may_be_nested, const char* where, Act&& act) noexcept {
    if (OCIOR_LIKELY(!may_be_nested)) return act();
    // 3.12 and 3.13 count calls, and let as many be as a stack of 8 MB holds if each takes 0.8 KB. Ours take up to twice that.
    constexpr int kCount = PY_VERSION_HEX >= 0x030E0000 ? 1 : PY_VERSION_HEX >= 0x030C0000 ? 2 * kWeight : (kWeight + 7) / 8;
    int entered = 0;
    while (entered < kCount && OCIOR_LIKELY(Py_EnterRecursiveCall(where) == 0)) ++entered;
    const Result result = OCIOR_LIKELY(entered == kCount) ? act() : failed;
    while (entered-- > 0) Py_LeaveRecursiveCall();
    return result;
}
template <typename Act>
OCIOR_INLINE PyObject* call_back(bool may_be_nested, const char* where, Act&& act) noexcept {
    return call_back_or<PyObject*>(nullptr, may_be_nested, where, act);
}

}  // namespace ocior
