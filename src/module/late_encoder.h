// An encoder object for a call with cls= that is made no sooner than its default() is called: most calls need none, and to make it takes
// longer than a small document.
#pragma once

#include "module/encode_settings.h"

namespace ocior::module {

// The type of LateEncoder::hook(). Null with an error set.
PyObject* make_late_default_type(PyObject* module) noexcept;

// For a class that has a version_of_plain_class(). Lives as long as the call. What json would take from the class when it makes the object,
// it takes at once: code that runs before default() is called may change the class.
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
    PyTypeObject* cls() const noexcept { return reinterpret_cast<PyTypeObject*>(slots_[kCls]); }

    State& state_;
    HeldArguments arguments_;
    const EncodeFunction& function_;
    PyObject* slots_[kEncodeSlots] = {};
    newfunc make_ = nullptr;
    Owned of_class_;  // what the class has by the name `default`
    Owned default_;   // that of the object; empty until it is called
    Owned hook_;
};

}  // namespace ocior::module
