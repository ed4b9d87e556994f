#include "module/arguments.h"

namespace ocior::module {

PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* first_name) noexcept {
    if (arguments.positional > 1)
        return PyErr_Format(PyExc_TypeError, "%s() takes 1 positional argument but %zd were given", function, arguments.positional);
    if (arguments.positional == 1)  // names in a call are unique: only the first can stand twice
        return PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function, first_name);
    return PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional argument: '%s'", function, first_name);
}

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

PyObject* call(PyObject* function, PyObject* self, const Arguments& arguments) noexcept {
    if (!function) return refuse_late_call();
    const auto count = static_cast<std::size_t>(arguments.positional + arguments.keyword_count());
    PyObject* few[8];
    PyObject** all = count < std::size(few) ? few : static_cast<PyObject**>(PyMem_Malloc((count + 1) * sizeof(PyObject*)));
    if (!all) return PyErr_NoMemory();
    all[0] = self;
    if (count) std::memcpy(all + 1, arguments.values, count * sizeof(PyObject*));
    PyObject* result = PyObject_Vectorcall(function, all, static_cast<std::size_t>(arguments.positional) + 1, arguments.kwnames);
    if (all != few) PyMem_Free(all);
    return result;
}

}  // namespace ocior::module
