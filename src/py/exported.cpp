#include "py/exported.h"

#include "platform/system.h"

namespace ocior::exported {
namespace {

template <typename Pointer>
Pointer find(const char* name) noexcept {
    return reinterpret_cast<Pointer>(platform::find_exported(Py_None, name));
}

}  // namespace

int (*const get_method)(PyObject*, PyObject*, PyObject**) = find<decltype(get_method)>("_PyObject_GetMethod");
PyObject* (*const lookup_type_ref)(PyTypeObject*, PyObject*) = find<decltype(lookup_type_ref)>("_PyType_LookupRef");
const char* const runtime = find<const char*>("_PyRuntime");

}  // namespace ocior::exported
