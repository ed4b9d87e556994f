#include "module/arguments.h"

namespace ocior::module {
namespace {

Owned json_function(const char* name) noexcept {
    Owned json = Owned::steal(PyImport_ImportModule("json"));
    return json ? Owned::steal(PyObject_GetAttrString(json.get(), name)) : Owned();
}

}  // namespace

PyObject* call_json(const char* function, const Arguments& arguments) noexcept {
    Owned callee = json_function(function);
    if (!callee) return nullptr;
    return PyObject_Vectorcall(callee.get(), arguments.values, static_cast<std::size_t>(arguments.positional), arguments.kwnames);
}

PyObject* call_json(const char* function, const char* const* names, PyObject* const* slots, std::size_t n) noexcept {
    Owned callee = json_function(function);
    Owned positional = Owned::steal(PyTuple_Pack(1, slots[0]));
    Owned keywords = Owned::steal(PyDict_New());
    if (!callee || !positional || !keywords) return nullptr;
    for (std::size_t i = 1; i < n; ++i)
        if (slots[i] && PyDict_SetItemString(keywords.get(), names[i], slots[i]) < 0) return nullptr;
    return PyObject_Call(callee.get(), positional.get(), keywords.get());
}

PyObject* refuse_arguments(const char* function, const Arguments& arguments, const char* const* names, std::size_t n) noexcept {
    if (arguments.positional > 1)
        return PyErr_Format(PyExc_TypeError, "%s() takes 1 positional argument but %zd were given", function, arguments.positional);
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* name = PyTuple_GET_ITEM(arguments.kwnames, k);
        std::size_t i = 0;
        while (i < n && !is_name(name, names[i])) ++i;
        if (i == n) return PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", function, name);
        if (i == 0 && arguments.positional)
            return PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function, names[0]);
    }
    return PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional argument: '%s'", function, names[0]);
}

bool read_flag(PyObject* given, bool otherwise, bool& flag) noexcept {
    if (!given) {
        flag = otherwise;
        return true;
    }
    const int truth = PyObject_IsTrue(given);
    flag = truth > 0;
    return truth >= 0;
}

}  // namespace ocior::module
