// Ownership of CPython references in the type: Owned holds one, Borrowed is a plain PyObject*.
// The door to <Python.h> for every room that may know Python.
#pragma once

#ifndef PY_SSIZE_T_CLEAN
#define PY_SSIZE_T_CLEAN
#endif
#include <Python.h>

#include <utility>

#include "base/config.h"

namespace ocior {

// One strong reference, or none (then a Python error is set where a function returns it).
class Owned {
public:
    Owned() noexcept = default;
    ~Owned() { Py_XDECREF(object_); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept {
        PyObject* old = std::exchange(object_, std::exchange(other.object_, nullptr));
        Py_XDECREF(old);
        return *this;
    }

    [[nodiscard]] static Owned steal(PyObject* object) noexcept {
        Owned owned;
        owned.object_ = object;
        return owned;
    }
    [[nodiscard]] static Owned borrow(PyObject* object) noexcept {
        Py_XINCREF(object);
        return steal(object);
    }

    explicit operator bool() const noexcept { return object_ != nullptr; }
    PyObject* get() const noexcept { return object_; }
    [[nodiscard]] PyObject* release() noexcept { return std::exchange(object_, nullptr); }

private:
    PyObject* object_ = nullptr;
};

OCIOR_INLINE PyObject* new_ref(PyObject* object) noexcept {
    Py_INCREF(object);
    return object;
}

}  // namespace ocior
