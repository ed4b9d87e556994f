// An encoder object for a call with cls= that is made no sooner than its default() is called: most calls need none, and to make it takes
// longer than a small document.
#pragma once

#include "module/encode_settings.h"

namespace ocior::module {

// The type of LateEncoder::hook(). Null with an error set.
PyObject* make_late_default_type(PyObject* module) noexcept;

// For a class of which makes_plain_encoders() is true. Lives as long as the call.
class LateEncoder {
public:
    LateEncoder(State& state, PyObject* module, const Arguments& lent, const EncodeFunction& function) noexcept;
    LateEncoder(const LateEncoder&) = delete;
    LateEncoder& operator=(const LateEncoder&) = delete;

    // A function of one argument: default() of the object. Null with an error set.
    PyObject* hook() const noexcept { return hook_.get(); }

    // Null with an error set.
    PyObject* call_default(PyObject* value) noexcept;

private:
    State& state_;
    HeldArguments arguments_;
    const EncodeFunction& function_;
    Owned default_;  // the bound method; empty until it is called
    Owned hook_;
};

}  // namespace ocior::module
