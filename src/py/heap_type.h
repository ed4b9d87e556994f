// What types of our own, made at run time, have in common.
#pragma once

#include "py/ref.h"

namespace ocior {

// The type `name`, a string that lasts, with the module that it belongs to. Null with an error set.
inline PyObject* make_type(PyObject* module, const char* name, std::size_t size, unsigned long flags, PyType_Slot* slots) noexcept {
    PyType_Spec spec{name, static_cast<int>(size), 0, static_cast<unsigned>(Py_TPFLAGS_DEFAULT | flags), slots};
    return PyType_FromModuleAndSpec(module, &spec, nullptr);
}

// tp_dealloc of a collected type without a finalizer: `clear` lets go of everything.
template <int clear(PyObject*) noexcept>
void dealloc_heap_object(PyObject* self) noexcept {
    PyTypeObject* type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// The same of a type that the garbage collector does not know.
template <int clear(PyObject*) noexcept>
void dealloc_uncollected_object(PyObject* self) noexcept {
    PyTypeObject* type = Py_TYPE(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

}  // namespace ocior
