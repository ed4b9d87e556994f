// Vectorcall arguments by keyword table, and the way out for whatever is odd about them: the json module's own function.
#pragma once

#include "py/ref.h"

namespace ocior::module {

// A call as CPython hands it over: positional arguments, then the values of `kwnames`.
struct Arguments {
    PyObject* const* values;
    Py_ssize_t positional;
    PyObject* kwnames;  // tuple or null

    Py_ssize_t keyword_count() const noexcept { return kwnames ? PyTuple_GET_SIZE(kwnames) : 0; }
};

// Whether a keyword's name, ASCII in practice, is `text`.
inline bool is_name(PyObject* name, const char* text) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name));
    return PyUnicode_IS_COMPACT_ASCII(name) && n == std::strlen(text) && std::memcmp(PyUnicode_1BYTE_DATA(name), text, n) == 0;
}

// Sorts arguments into slots: slot i belongs to names[i]; slot 0 may also be given by position. Slots stay null where
// nothing is given. False, without an error, for anything json's signature would not take: missing, unknown, given twice.
template <std::size_t n>
[[nodiscard]] bool sort_arguments(const Arguments& arguments, const char* const (&names)[n], PyObject* (&slots)[n]) noexcept {
    if (arguments.positional > 1) return false;
    if (arguments.positional == 1) slots[0] = arguments.values[0];
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* name = PyTuple_GET_ITEM(arguments.kwnames, k);
        std::size_t i = 0;
        while (i < n && !is_name(name, names[i])) ++i;
        if (i == n || slots[i]) return false;
        slots[i] = arguments.values[arguments.positional + k];
    }
    return slots[0] != nullptr;
}

// json.<function>(*positional, **keywords): the arguments exactly as they came.
PyObject* call_json(const char* function, const Arguments& arguments) noexcept;

// json.<function>(first, **keywords) with the slots that are given; slot 0 is `first`.
PyObject* call_json(const char* function, const char* const* names, PyObject* const* slots, std::size_t n) noexcept;

// TypeError for arguments that sort_arguments did not take, in Python's words; null.
PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* const* names, std::size_t n) noexcept;

// The truth of an option, or `otherwise` when it is not given. False with an error set.
[[nodiscard]] bool read_flag(PyObject* given, bool otherwise, bool& flag) noexcept;

}  // namespace ocior::module
