// Entry to typed decoding: a Python object that holds a document -> the object of a declared type.
#pragma once

#include "decode/decode.h"
#include "typed/session.h"

namespace ocior::typed {

// What a decoder reads by.
struct Decoder {
    const Plan& plan;
    Memories& memories;
    const decode::Options& options;      // the policies
    const decode::Options& any_options;  // settled, for values that are read as loads() reads them
    std::size_t max_errors;
    PyObject* type;                      // for ValidationError
    // Digits of a second beyond six are rounded, else cut; of durations they are refused then, and so are weeks. And Call::checks_skipped.
    bool is_exacting = false;
    bool tells_problems = true;  // else a ValueError says that there are some, and no more
};

// Makes the State ready, once; it imports modules. False with an error set.
[[nodiscard]] bool open(State& state, decode::State& decoder, PyObject* raw_type) noexcept;

// The value of the document in `input`, as decode::loads(). Null with an exception set: what that raises, ValidationError, or what code of
// the user has raised.
PyObject* loads(State& state, decode::State& decoder, const Decoder& by, PyObject* input) noexcept;

}  // namespace ocior::typed
