// What interpreters export under names that their headers lack, or that not all of them have: found in the process when this module is
// loaded, null where there is no such name.
#pragma once

#include "py/ref.h"

namespace ocior::exported {

// Since 3.10: attribute `name` as a new reference, and 1 where that is a function that has not been bound to the object.
extern int (*const get_method)(PyObject* object, PyObject* name, PyObject** method);

// Since 3.13: a new reference to what _PyType_Lookup finds.
extern PyObject* (*const lookup_type_ref)(PyTypeObject* type, PyObject* name);

// The interpreter's run-time state.
extern const char* const runtime;

}  // namespace ocior::exported
