// The lock of one object, held for a scope: CPython's critical section without the GIL, nothing with it.
#pragma once

#include "py/layout.h"

namespace ocior {

class Locked {
public:
#ifdef Py_GIL_DISABLED
    explicit Locked(PyObject* object) noexcept { PyCriticalSection_Begin(&section_, object); }
    ~Locked() { PyCriticalSection_End(&section_); }
#else
    explicit Locked(PyObject*) noexcept {}
    ~Locked() {}
#endif
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
#ifdef Py_GIL_DISABLED
    PyCriticalSection section_;
#endif
};

}  // namespace ocior
