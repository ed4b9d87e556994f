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

enum class Sorting : std::uint8_t { kGood, kUnknownName, kRefused };  // kRefused: missing, given twice, too many

// Sorts arguments into slots: slot i belongs to names[i]; slot 0 may also be given by position. Slots stay null where
// nothing is given. Sets no error.
template <std::size_t n>
[[nodiscard]] Sorting sort_arguments(const Arguments& arguments, const char* const (&names)[n], PyObject* (&slots)[n]) noexcept {
    if (arguments.positional > 1) return Sorting::kRefused;
    if (arguments.positional == 1) slots[0] = arguments.values[0];
    bool unknown = false;
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* name = PyTuple_GET_ITEM(arguments.kwnames, k);
        std::size_t i = 0;
        while (i < n && !is_name(name, names[i])) ++i;
        if (i == n) unknown = true;
        else if (slots[i]) return Sorting::kRefused;
        else slots[i] = arguments.values[arguments.positional + k];
    }
    if (!slots[0]) return Sorting::kRefused;
    return unknown ? Sorting::kUnknownName : Sorting::kGood;
}

// TypeError in Python's words for what sort_arguments refused; null.
PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* first_name) noexcept;

// A dict of the keyword arguments. Empty with an error set.
Owned keywords_of(const Arguments& arguments) noexcept;

// json.<function>(*positional, **keywords): the arguments as they came, or with `keywords` in place of their own.
PyObject* call_json(const char* function, const Arguments& arguments) noexcept;
PyObject* call_json(const char* function, const Arguments& arguments, PyObject* keywords) noexcept;

// The truth of an option, or `otherwise` when it is not given. False with an error set.
[[nodiscard]] bool read_flag(PyObject* given, bool otherwise, bool& flag) noexcept;

}  // namespace ocior::module
