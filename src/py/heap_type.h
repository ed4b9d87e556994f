// What types of our own, made at run time, have in common.
#pragma once

#include "py/ref.h"

namespace ocior {

// tp_dealloc of a collected type without a finalizer: `clear` lets go of everything.
template <int clear(PyObject*) noexcept>
void dealloc_heap_object(PyObject* self) noexcept {
    PyTypeObject* type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    clear(self);
    type->tp_free(self);
    Py_DECREF(type);
}

}  // namespace ocior
