// Attributes by names that are written in the source.
#pragma once

#include "py/exported.h"
#include "py/ref.h"

namespace ocior {

// The attribute of that name. Empty with an error set. The name is interned: CPython's method cache keeps each name that it is asked for,
// so a new object of the same text for every look-up (PyObject_GetAttrString makes one) would push everybody else's entries out.
inline Owned get_attribute(PyObject* object, const char* name) noexcept {
    const Owned interned = Owned::steal(PyUnicode_InternFromString(name));
    return interned ? Owned::steal(PyObject_GetAttr(object, interned.get())) : Owned();
}

// The attribute, empty where the object has none, and no exception is made to say so. Empty with an error set where another one was raised.
inline Owned find_attribute(PyObject* object, PyObject* interned) noexcept {
    PyObject* found = nullptr;
#if PY_VERSION_HEX >= 0x030D0000
    (void)PyObject_GetOptionalAttr(object, interned, &found);
#else
    (void)_PyObject_LookupAttr(object, interned, &found);
#endif
    return Owned::steal(found);
}

// What the class or one that it is derived from has by that name, not bound. Empty, without an error, where there is none.
inline Owned find_in_class(PyTypeObject* type, PyObject* interned) noexcept {
    if (exported::lookup_type_ref) return Owned::steal(exported::lookup_type_ref(type, interned));
    return Owned::borrow(_PyType_Lookup(type, interned));
}

// What the class has by a name that is written in the source. Empty with an error set where there is no memory for a str of that name. What
// only the metaclass has is not found, because instances do not have it.
inline Owned find_in_class(PyTypeObject* type, const char* name) noexcept {
    const Owned interned = Owned::steal(PyUnicode_InternFromString(name));
    return interned ? find_in_class(type, interned.get()) : Owned();
}

// What the method of that name returns that the object's class has, whatever the object itself has by that name. Empty with an error set.
inline Owned call_method_of_class(PyObject* object, const char* name) noexcept {
    PyTypeObject* const type = Py_TYPE(object);
    Owned method = find_in_class(type, name);
    if (!method && !PyErr_Occurred()) PyErr_Format(PyExc_AttributeError, "'%.100s' object has no attribute '%s'", type->tp_name, name);
    if (!method) return {};
    const descrgetfunc bind = Py_TYPE(method.get())->tp_descr_get;
    if (bind) method = Owned::steal(bind(method.get(), object, reinterpret_cast<PyObject*>(type)));
    return method ? Owned::steal(PyObject_CallNoArgs(method.get())) : Owned();
}

// Whether no Python code can change what the class has: one in C, unless it says otherwise.
inline bool is_unchangeable(PyTypeObject* type) noexcept {
    return !PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE) || PyType_HasFeature(type, Py_TPFLAGS_IMMUTABLETYPE);
}

// object.__class__.__name__, which json's code in Python puts into its messages. Empty with an error set.
inline Owned class_name(PyObject* object) noexcept {
    const Owned type = get_attribute(object, "__class__");
    return type ? get_attribute(type.get(), "__name__") : Owned();
}

// What the object's method of that name returns for the argument. Empty with an error set. The name is interned, as in get_attribute().
inline Owned call_method(PyObject* object, const char* name, PyObject* argument) noexcept {
    const Owned interned = Owned::steal(PyUnicode_InternFromString(name));
    return interned ? Owned::steal(PyObject_CallMethodOneArg(object, interned.get(), argument)) : Owned();
}

// What a method of a class in C, a PyMethodDescr, returns for one argument, without a call of the descriptor: how the function wants to be
// called differs between versions of CPython. Owned; null with an error set.
inline PyObject* call_in_c(PyObject* method, PyObject* self, PyObject* argument) noexcept {
    constexpr int kByClass = METH_METHOD | METH_FASTCALL | METH_KEYWORDS;
    const PyMethodDef* const definition = reinterpret_cast<PyMethodDescrObject*>(method)->d_method;
    const int convention = definition->ml_flags & (METH_VARARGS | METH_NOARGS | METH_O | kByClass);
    if (convention == METH_O) return definition->ml_meth(self, argument);
    if (convention == kByClass) {
        const auto function = reinterpret_cast<PyCMethod>(reinterpret_cast<void (*)()>(definition->ml_meth));
        return function(self, PyDescr_TYPE(method), &argument, 1, nullptr);
    }
    PyObject* const arguments[] = {self, argument};
    return PyObject_Vectorcall(method, arguments, 2, nullptr);
}

// A number that changes whenever the class, or one that it is derived from, does, and that never comes again. 0 means that the class has no
// version.
inline unsigned type_version(PyTypeObject* type) noexcept { return __atomic_load_n(&type->tp_version_tag, __ATOMIC_RELAXED); }

// The type_version() of a class, which is given one first, where it has none and can get one. Before 3.12 a class gets its version when a
// name is looked up in it: `any_name` may be any interned str.
inline unsigned make_type_version(PyTypeObject* type, PyObject* any_name) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
    (void)any_name;
    if (!type_version(type)) (void)PyUnstable_Type_AssignVersionTag(type);
#else
    if (!type_version(type)) (void)_PyType_Lookup(type, any_name);
#endif
    return type_version(type);
}

}  // namespace ocior
