// What types of our own, made at run time, have in common.
#pragma once

#include "py/ref.h"

namespace ocior {

// The type `name`, a string that lasts, with the module that it belongs to. Null with an error set.
inline PyObject* make_type(PyObject* module, const char* name, std::size_t size, unsigned long flags, PyType_Slot* slots) noexcept {
    PyType_Spec spec{name, static_cast<int>(size), 0, static_cast<unsigned>(Py_TPFLAGS_DEFAULT | flags), slots};
    return PyType_FromModuleAndSpec(module, &spec, nullptr);
}

// Lets go of everything by `clear`, and frees the object.
template <int clear(PyObject*) noexcept>
void free_heap_object(PyObject* self) noexcept {
    PyTypeObject* type = Py_TYPE(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

// tp_dealloc of a collected type without a finalizer. CPython's trashcan frees later what many objects around it, each of which refers to
// the next one, are being freed for: the C stack would be too small. (An object of a derived class is in the trashcan's hands already.)
template <int clear(PyObject*) noexcept>
void dealloc_heap_object(PyObject* self) noexcept {
    PyObject_GC_UnTrack(self);
    if (Py_TYPE(self)->tp_dealloc != dealloc_heap_object<clear>) return free_heap_object<clear>(self);
    Py_TRASHCAN_BEGIN(self, dealloc_heap_object<clear>) free_heap_object<clear>(self);
    Py_TRASHCAN_END
}

// tp_dealloc of a type that the garbage collector does not know. Its objects refer to none that could refer to them.
template <int clear(PyObject*) noexcept>
void dealloc_uncollected_object(PyObject* self) noexcept {
    free_heap_object<clear>(self);
}

}  // namespace ocior
