// The lock of one object: CPython's critical section without the GIL, nothing with it. Whoever waits for another lock meanwhile lets go of
// this one.
#pragma once

#include "py/layout.h"

namespace ocior {

class ObjectLock {
public:
#ifdef Py_GIL_DISABLED
    void lock(PyObject* object) noexcept { PyCriticalSection_Begin(&section_, object); }
    void unlock() noexcept { PyCriticalSection_End(&section_); }

private:
    PyCriticalSection section_;
#else
    void lock(PyObject*) noexcept {}
    void unlock() noexcept {}
#endif
};

// That lock, held for a scope.
class Locked {
public:
    explicit Locked(PyObject* object) noexcept { lock_.lock(object); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    ObjectLock lock_;
};

}  // namespace ocior
