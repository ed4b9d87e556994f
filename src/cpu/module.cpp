// The module ocior._cpu: the processor's features and levels as Python objects. Compiled with baseline flags, so that a
// processor that runs no level at all can import it, and be told what it lacks.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "cpu/features.h"

namespace {

using namespace ocior;

PyObject* py_features(PyObject*, PyObject*) {
    PyObject* dict = PyDict_New();
    if (dict == nullptr) return nullptr;
    const auto list = cpu::features();
    const auto found = cpu::detect();
    for (std::size_t i = 0; i < list.size; ++i) {
        if (PyDict_SetItemString(dict, list.data[i].name, (found >> i) & 1 ? Py_True : Py_False) < 0) {
            Py_DECREF(dict);
            return nullptr;
        }
    }
    return dict;
}

// The names of the features in `bits`, as a tuple.
PyObject* names_of(std::uint64_t bits) {
    const auto list = cpu::features();
    PyObject* tuple = PyTuple_New(__builtin_popcountll(bits));
    if (tuple == nullptr) return nullptr;
    Py_ssize_t filled = 0;
    for (std::size_t i = 0; i < list.size; ++i) {
        if (((bits >> i) & 1) == 0) continue;
        PyObject* name = PyUnicode_FromString(list.data[i].name);
        if (name == nullptr) {
            Py_DECREF(tuple);
            return nullptr;
        }
        PyTuple_SET_ITEM(tuple, filled++, name);
    }
    return tuple;
}

PyObject* py_levels(PyObject*, PyObject*) {
    PyObject* dict = PyDict_New();
    if (dict == nullptr) return nullptr;
    const auto list = cpu::levels();
    const auto found = cpu::detect();
    for (std::size_t i = list.size; i-- > 0;) {
        PyObject* missing = names_of(cpu::needed_by(i) & ~found);
        const bool ok = missing != nullptr && PyDict_SetItemString(dict, list.data[i], missing) == 0;
        Py_XDECREF(missing);
        if (!ok) {
            Py_DECREF(dict);
            return nullptr;
        }
    }
    return dict;
}

PyMethodDef methods[] = {
    {"features", py_features, METH_NOARGS,
     PyDoc_STR("features() -> dict[str, bool]\n\nEvery processor feature that some level needs, and whether this machine has it.")},
    {"levels", py_levels, METH_NOARGS,
     PyDoc_STR("levels() -> dict[str, tuple[str, ...]]\n\nThe levels of this architecture, the most capable first, each with the\n"
               "features that this machine lacks for it: an empty tuple means usable.")},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef_Slot slots[] = {
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "ocior._cpu", PyDoc_STR("What this processor can run."), 0, methods, slots, nullptr, nullptr, nullptr,
};

}  // namespace

PyMODINIT_FUNC PyInit__cpu() { return PyModuleDef_Init(&definition); }
