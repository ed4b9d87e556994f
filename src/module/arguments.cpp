#include "module/arguments.h"

#include "module/suggestion.h"
#include "py/fetch.h"

namespace ocior::module {

PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* first_name) noexcept {
    if (arguments.positional > 1)
        return PyErr_Format(PyExc_TypeError, "%s() takes 1 positional argument but %zd were given", function, arguments.positional);
    if (arguments.positional == 1)  // names in a call are unique: only the first can stand twice
        return PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function, first_name);
    return PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional argument: '%s'", function, first_name);
}

PyObject* refuse_arguments(const char* function, const Arguments& arguments, std::span<const char* const> names,
                           std::size_t required) noexcept {
    const auto positional = static_cast<std::size_t>(arguments.positional);
    if (positional > required)
        return PyErr_Format(PyExc_TypeError, "%s() takes %zu positional arguments but %zu were given", function, required, positional);
    std::size_t given = positional;
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(arguments.kwnames, k);
        std::size_t i = 0;
        while (i < names.size() && PyUnicode_CompareWithASCIIString(name, names[i]) != 0) ++i;
        if (i < positional) return PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", function, name);
        if (i == names.size()) {
            PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, name);
            suggest_keyword(name, names.subspan(required));
            return nullptr;
        }
        given += i == given;
    }
    return PyErr_Format(PyExc_TypeError, "%s() missing a required argument: '%s'", function, names[given]);
}

bool ConstructorArguments::take(PyObject* first, PyObject* keywords) noexcept {
    const Owned own = Owned::steal(keywords ? PyDict_Copy(keywords) : PyDict_New());
    if (!own) return false;
    positional_ = first != nullptr;
    names_ = Owned::steal(PyTuple_New(PyDict_GET_SIZE(own.get())));
    values_ = Owned::steal(PyTuple_New(positional_ + PyDict_GET_SIZE(own.get())));
    if (!names_ || !values_) return false;
    if (first) PyTuple_SET_ITEM(values_.get(), 0, new_ref(first));
    Py_ssize_t place = 0;
    return for_each_keyword(own.get(), [&](PyObject* name, PyObject* value) {
        PyTuple_SET_ITEM(values_.get(), positional_ + place, new_ref(value));
        PyTuple_SET_ITEM(names_.get(), place++, new_ref(name));
    });
}

Arguments ConstructorArguments::get() const noexcept { return {items_of_tuple(values_.get()), positional_, names_.get()}; }

Owned keywords_of(const Arguments& arguments) noexcept {
    Owned keywords = Owned::steal(PyDict_New());
    for (Py_ssize_t k = 0; keywords && k < arguments.keyword_count(); ++k)
        if (PyDict_SetItem(keywords.get(), PyTuple_GET_ITEM(arguments.kwnames, k), arguments.values[arguments.positional + k]) < 0)
            return {};
    return keywords;
}

PyObject* refuse_late_call() noexcept {
    return PyErr_SetString(PyExc_RuntimeError, "ocior is gone: its module has been finalized"), nullptr;
}

PyObject* call(PyObject* function, const Arguments& arguments) noexcept {
    if (!function) return refuse_late_call();
    return PyObject_Vectorcall(function, arguments.values, static_cast<std::size_t>(arguments.positional), arguments.kwnames);
}

int call_init(PyObject* init, PyObject* self, PyObject* positional, PyObject* keywords) noexcept {
    if (!init) return refuse_late_call(), -1;
    const Owned first = Owned::steal(PyTuple_Pack(1, self));
    const Owned all = first ? Owned::steal(PySequence_Concat(first.get(), positional)) : Owned();
    return all && Owned::steal(PyObject_Call(init, all.get(), keywords)) ? 0 : -1;
}

}  // namespace ocior::module
