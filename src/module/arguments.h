// The arguments of a call: held while the call lasts, and sorted by their names.
#pragma once

#include <iterator>
#include <span>

#include "py/layout.h"
#include "py/lock.h"
#include "py/ref.h"

namespace ocior::module {

// The arguments as CPython hands them over (METH_FASTCALL): `values` holds the positional ones, then those that `kwnames` names.
struct Arguments {
    PyObject* const* values;
    Py_ssize_t positional;
    PyObject* kwnames;  // a tuple, or null where there are none

    Py_ssize_t keyword_count() const noexcept { return kwnames ? PyTuple_GET_SIZE(kwnames) : 0; }
};

// References to the arguments of a call, and to the object or module whose function is called. Their caller need not keep them alive:
// Python code that runs meanwhile may take them from a functools.partial, for example, or since 3.13 from an operator.methodcaller.
class HeldArguments : public Arguments {
public:
    HeldArguments(PyObject* self, const Arguments& lent) noexcept
        : Arguments(lent), kwnames_(Owned::borrow(lent.kwnames)), count_(1 + lent.positional + lent.keyword_count()) {
        if (OCIOR_UNLIKELY(count_ > kFew))
            all_ = static_cast<PyObject**>(PyMem_Malloc(static_cast<std::size_t>(count_) * sizeof(PyObject*)));
        if (OCIOR_UNLIKELY(!all_)) {
            PyErr_NoMemory();
            return;
        }
        all_[0] = new_ref(self);
        for (Py_ssize_t i = 1; i < count_; ++i) all_[i] = new_ref(lent.values[i - 1]);
        values = all_ + 1;
    }
    ~HeldArguments() {
        if (OCIOR_UNLIKELY(!all_)) return;
        for (Py_ssize_t i = 0; i < count_; ++i) Py_DECREF(all_[i]);
        if (OCIOR_UNLIKELY(all_ != few_)) PyMem_Free(all_);
    }
    HeldArguments(const HeldArguments&) = delete;
    HeldArguments& operator=(const HeldArguments&) = delete;

    // False where MemoryError is set.
    explicit operator bool() const noexcept { return all_ != nullptr; }
    // The object or module, as an argument before the others.
    Arguments with_self() const noexcept { return {all_, positional + 1, kwnames}; }

private:
    static constexpr Py_ssize_t kFew = 13;

    Owned kwnames_;
    PyObject* few_[kFew];
    PyObject** all_ = few_;
    Py_ssize_t count_;
};

// Whether neither the value nor its truth can ever change, and it refers to no other object.
inline bool is_constant(PyObject* value) noexcept {
    return value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) || PyUnicode_CheckExact(value);
}

inline bool is_tuple_of_str(PyObject* value) noexcept {
    if (!PyTuple_CheckExact(value)) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(value); ++i)
        if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(value, i))) return false;
    return true;
}

// Whether `object` is a str. If it is not, TypeError is set, in the words of json's functions in C. Some of these name the `argument` since
// 3.15, where Argument Clinic generates their words.
[[nodiscard]] inline bool check_str(PyObject* object, const char* argument = nullptr) noexcept {
    if (PyUnicode_Check(object)) return true;
    const char* const type = Py_TYPE(object)->tp_name;
    if (argument && PY_VERSION_HEX >= 0x030F0000)
        PyErr_Format(PyExc_TypeError, "%s must be str, not %.50s", argument, object == Py_None ? "None" : type);
    else PyErr_Format(PyExc_TypeError, "first argument must be a string, not %.80s", type);
    return false;
}

enum class Sorting : std::uint8_t {
    kGood,
    kUnknownName,
    kRefused,  // a required argument is missing, one is given twice, or too many are given by position
};

// Names of arguments or attributes, interned. The keywords of a call nearly always are these same objects.
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
    // The index of the name that equals `keyword`; n where there is none.
    std::size_t find(PyObject* keyword) const noexcept {
        for (std::size_t i = 0; i < n; ++i)
            if (interned[i] == keyword) return i;
        std::size_t i = 0;
        while (i < n && PyUnicode_Compare(interned[i], keyword) != 0) ++i;
        return i;
    }
};

// Puts the argument that is named names.interned[i] into slots[i]. The first `required` arguments have to be given; only they may be given
// by position. The slots of others are left as they are where nothing is given. Sets no error.
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

// Sets TypeError for arguments that sort_arguments has refused, in the words of Python itself. Returns null.
PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* first_name) noexcept;

// Sets TypeError for arguments that sort_arguments() has refused, or of which one has none of the `names`. Returns null. The first
// `required` arguments are those that are required.
PyObject* refuse_arguments(const char* function, const Arguments& arguments, std::span<const char* const> names,
                           std::size_t required) noexcept;

// A dict of the keyword arguments. Empty with an error set.
Owned keywords_of(const Arguments& arguments) noexcept;

// Calls take(name, value), which runs no Python code, with each of the keywords that a constructor is given; null stands for none. The
// dict is its caller's, who may change it as soon as Python code runs (a thread may be started with such a dict, for example). So `take`
// stores references of its own. False with TypeError set where a name is no str.
template <typename Take>
[[nodiscard]] bool for_each_keyword(PyObject* keywords, Take take) noexcept {
    if (!keywords) return true;
    const Locked lock(keywords);
    PyObject *name, *value;
    for (Py_ssize_t i = 0; PyDict_Next(keywords, &i, &name, &value);) {
        if (!PyUnicode_Check(name)) return PyErr_SetString(PyExc_TypeError, "keywords must be strings"), false;
        take(name, value);
    }
    return true;
}

// What a constructor is given, as a function gets it, and held: the dict of its keywords is its caller's, who may change it.
class ConstructorArguments {
public:
    // `first` is the positional argument, or null where there is none; `keywords` may be null. False with an error set.
    [[nodiscard]] bool take(PyObject* first, PyObject* keywords) noexcept;

    Arguments get() const noexcept;

private:
    Owned names_, values_;
    Py_ssize_t positional_ = 0;
};

// Sets RuntimeError: a finalizer has called us after the garbage collector cleared the module or the class. Returns null.
PyObject* refuse_late_call() noexcept;

// The result of function(*positional, **keywords), or null with an error set. `function` is null once the garbage collector has cleared it.
PyObject* call(PyObject* function, const Arguments& arguments) noexcept;

// Has json's `init` initialise `self`, which is of a class of ours: init(self, *positional, **keywords). -1 with an error set.
int call_init(PyObject* init, PyObject* self, PyObject* positional, PyObject* keywords) noexcept;

// Sets `flag` to the truth of `given`, or to `otherwise` where that is null. False with an error set.
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
