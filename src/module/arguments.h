// Vectorcall arguments by keyword table.
#pragma once

#include <iterator>

#include "py/layout.h"
#include "py/ref.h"

namespace ocior::module {

// A call as CPython hands it over: positional arguments, then the values of `kwnames`.
struct Arguments {
    PyObject* const* values;
    Py_ssize_t positional;
    PyObject* kwnames;  // tuple or null

    Py_ssize_t keyword_count() const noexcept { return kwnames ? PyTuple_GET_SIZE(kwnames) : 0; }
};

// The arguments of a call, held, with the object or the module that it is a call of. A caller may lend what Python code takes away from it
// meanwhile: functools.partial does, and operator.methodcaller since 3.13.
class HeldArguments {
public:
    HeldArguments(PyObject* self, const Arguments& lent) noexcept
        : self_(Owned::borrow(self)),
          kwnames_(Owned::borrow(lent.kwnames)),
          arguments_(lent),
          count_(lent.positional + lent.keyword_count()) {
        if (OCIOR_UNLIKELY(count_ > kFew))
            all_ = static_cast<PyObject**>(PyMem_Malloc(static_cast<std::size_t>(count_) * sizeof(PyObject*)));
        arguments_.values = all_;
        if (OCIOR_UNLIKELY(!all_)) {
            PyErr_NoMemory();
            return;
        }
        for (Py_ssize_t i = 0; i < count_; ++i) all_[i] = new_ref(lent.values[i]);
    }
    ~HeldArguments() {
        if (OCIOR_UNLIKELY(!all_)) return;
        for (Py_ssize_t i = 0; i < count_; ++i) Py_DECREF(all_[i]);
        if (OCIOR_UNLIKELY(all_ != few_)) PyMem_Free(all_);
    }
    HeldArguments(const HeldArguments&) = delete;
    HeldArguments& operator=(const HeldArguments&) = delete;

    // False: MemoryError is set.
    explicit operator bool() const noexcept { return arguments_.values != nullptr; }
    const Arguments& get() const noexcept { return arguments_; }

private:
    static constexpr Py_ssize_t kFew = 12;

    Owned self_, kwnames_;
    Arguments arguments_;
    PyObject* few_[kFew];
    PyObject** all_ = few_;
    Py_ssize_t count_;
};

// What never changes, its truth included, and refers to nothing else.
inline bool is_constant(PyObject* value) noexcept {
    return value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyUnicode_CheckExact(value);
}

inline bool is_tuple_of_str(PyObject* value) noexcept {
    if (!PyTuple_CheckExact(value)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i)
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(value, i))) return false;
    return true;
}

// Whether it is a str. If not, an error is set, in the words of json's C functions; where they come from Argument Clinic since 3.15, those
// name the `argument`.
[[nodiscard]] inline bool check_str(PyObject* object, const char* argument = nullptr) noexcept {
    if (PyUnicode_Check(object)) return true;
    const char* const type = Py_TYPE(object)->tp_name;
    if (argument && PY_VERSION_HEX >= 0x030F0000)
        PyErr_Format(PyExc_TypeError, "%s must be str, not %.50s", argument, object == Py_None ? "None" : type);
    else PyErr_Format(PyExc_TypeError, "first argument must be a string, not %.80s", type);
    return false;
}

enum class Sorting : std::uint8_t { kGood, kUnknownName, kRefused };  // kRefused: missing, given twice, too many

// The names, interned: a call's keywords nearly always are the same objects.
template <std::size_t n>
struct Names {
    PyObject* interned[n] = {};

    [[nodiscard]] bool create(const char* const (&names)[n]) noexcept {
        for (std::size_t i = 0; i < n; ++i)
            if (!(interned[i] = PyUnicode_InternFromString(names[i]))) return false;
        return true;
    }
    void clear() noexcept {
        for (PyObject*& name : interned) Py_CLEAR(name);
    }
    // The index of a keyword, or n.
    std::size_t find(PyObject* keyword) const noexcept {
        for (std::size_t i = 0; i < n; ++i)
            if (interned[i] == keyword) return i;
        std::size_t i = 0;
        while (i < n && PyUnicode_Compare(interned[i], keyword) != 0) ++i;
        return i;
    }
};

// Sorts arguments into slots: slot i belongs to names[i]; the first `required` must be given and may be by position. Slots stay null
// where nothing is given. Sets no error.
template <std::size_t n>
[[nodiscard]] Sorting sort_arguments(const Arguments& arguments, const Names<n>& names, PyObject* (&slots)[n],
                                     std::size_t required = 1) noexcept {
    if (static_cast<std::size_t>(arguments.positional) > required) return Sorting::kRefused;
    for (Py_ssize_t i = 0; i < arguments.positional; ++i) slots[i] = arguments.values[i];
    bool unknown = false;
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        const std::size_t i = names.find(PyTuple_GET_ITEM(arguments.kwnames, k));
        if (i == n) unknown = true;
        else if (slots[i]) return Sorting::kRefused;
        else slots[i] = arguments.values[arguments.positional + k];
    }
    for (std::size_t i = 0; i < required; ++i)
        if (!slots[i]) return Sorting::kRefused;
    return unknown ? Sorting::kUnknownName : Sorting::kGood;
}

// TypeError in Python's words for what sort_arguments refused; null.
PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* first_name) noexcept;

// A dict of the keyword arguments. Empty with an error set.
Owned keywords_of(const Arguments& arguments) noexcept;

// A finalizer may call ours when the garbage collector has cleared the module or the class. Null with RuntimeError set.
PyObject* refuse_late_call() noexcept;

// function(*positional, **keywords): the arguments as they came. A null function is one that is gone.
PyObject* call(PyObject* function, const Arguments& arguments) noexcept;

// function(self, *positional, **keywords): a method that json's class has, for an object of ours.
PyObject* call(PyObject* function, PyObject* self, const Arguments& arguments) noexcept;

// The truth of an option, or `otherwise` when it is not given. False with an error set.
[[nodiscard]] OCIOR_INLINE bool read_flag(PyObject* given, bool otherwise, bool& flag) noexcept {
    if (OCIOR_LIKELY(!given || PyBool_Check(given))) {
        flag = given ? given == Py_True : otherwise;
        return true;
    }
    const int truth = PyObject_IsTrue(given);
    flag = truth > 0;
    return truth >= 0;
}

}  // namespace ocior::module
