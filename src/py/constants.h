// Objects that every call needs and nobody makes twice: one-character strings, small ints, non-finite floats.
#pragma once

#include "py/str.h"
#include "py/tricks.h"

namespace ocior {

// True, False or None, owned.
OCIOR_INLINE PyObject* new_constant(PyObject* constant) noexcept {
    if constexpr (!layout::kImmortalConstants) Py_INCREF(constant);
    return constant;
}

struct Constants {
    static constexpr int kFirstInt = -5, kLastInt = 256;

    PyObject* empty_str = nullptr;
    PyObject* latin1[256] = {};  // str of one character
    PyObject* ints[kLastInt - kFirstInt + 1] = {};
    PyObject* const words[4] = {Py_False, Py_None, Py_True, nullptr};  // borrowed; in the order of decode/words.h
    PyObject* nan = nullptr;
    PyObject* infinity = nullptr;
    PyObject* minus_infinity = nullptr;
    AsciiHeader ascii_header;
    WideHeaders wide_headers;
    Tricks tricks;

    [[nodiscard]] bool create() noexcept {
        tricks.probe();
        empty_str = PyUnicode_New(0, 0);
        if (!empty_str) return false;
        for (int i = 0; i < 256; ++i)
            if (!(latin1[i] = PyUnicode_FromOrdinal(i))) return false;
        for (int i = kFirstInt; i <= kLastInt; ++i)
            if (!(ints[i - kFirstInt] = PyLong_FromLong(i))) return false;
        nan = PyFloat_FromDouble(__builtin_nan(""));
        infinity = PyFloat_FromDouble(__builtin_inf());
        minus_infinity = PyFloat_FromDouble(-__builtin_inf());
        Owned model = Owned::steal(PyUnicode_FromString("ab cd"));
        if (!nan || !infinity || !minus_infinity || !model) return false;
        ascii_header.learn(model.get());
        return wide_headers.learn();
    }

    void clear() noexcept {
        Py_CLEAR(empty_str);
        for (PyObject*& text : latin1) Py_CLEAR(text);
        for (PyObject*& integer : ints) Py_CLEAR(integer);
        Py_CLEAR(nan);
        Py_CLEAR(infinity);
        Py_CLEAR(minus_infinity);
    }
};

}  // namespace ocior
