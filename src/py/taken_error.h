// The exception that is set, taken off the interpreter for a while.
#pragma once

#include <utility>

#include "py/ref.h"

namespace ocior {

// Dropped in the end, unless it is set again.
class TakenError {
public:
    TakenError() noexcept {
        PyObject *type, *value, *traceback;
        PyErr_Fetch(&type, &value, &traceback);
        type_ = Owned::steal(type);
        value_ = Owned::steal(value);
        traceback_ = Owned::steal(traceback);
    }

    // In the place of whatever is set by now.
    void restore() noexcept { PyErr_Restore(type_.release(), value_.release(), traceback_.release()); }

    // The exception object, made if there was none yet, which may fail: null, or another exception. None may be set. Borrowed.
    PyObject* value() noexcept {
        PyObject *type = type_.release(), *value = value_.release(), *traceback = traceback_.release();
        PyErr_NormalizeException(&type, &value, &traceback);
        type_ = Owned::steal(type);
        value_ = Owned::steal(value);
        traceback_ = Owned::steal(traceback);
        return value;
    }

    bool matches(PyObject* type) const noexcept { return type_ && PyErr_GivenExceptionMatches(type_.get(), type); }

    // Takes a new exception instead, whose cause the one taken so far becomes.
    void replace(PyObject* type, const char* message) noexcept {
        Owned cause = Owned::borrow(value());
        PyErr_SetString(type, message);
        replace();
        if (PyObject* const error = value(); error && cause) PyException_SetCause(error, cause.release());
    }

    // Takes the exception that is set now instead; the one taken so far becomes its context.
    void replace() noexcept {
        TakenError next;
        PyObject *const error = value(), *const next_error = next.value();
        if (error && next_error && error != next_error) {
            if (traceback_) PyException_SetTraceback(error, traceback_.get());
            PyException_SetContext(next_error, value_.release());
        }
        type_ = std::move(next.type_);
        value_ = std::move(next.value_);
        traceback_ = std::move(next.traceback_);
    }

    // For the garbage collector, which has to see what an object of ours refers to.
    int traverse(visitproc visit, void* arg) const noexcept {
        Py_VISIT(type_.get());
        Py_VISIT(value_.get());
        Py_VISIT(traceback_.get());
        return 0;
    }

private:
    Owned type_, value_, traceback_;
};

}  // namespace ocior
