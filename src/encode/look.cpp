#include "encode/look.h"

#include "py/taken_error.h"

namespace ocior::encode {
namespace {

// The first error of a look at a type that is more than that something is not there. Owned.
thread_local PyObject* set_aside = nullptr;
thread_local int looks = 0;  // that have begun

// Whether the error that is set tells of more than that something is not there.
bool is_error_serious() noexcept { return PyErr_ExceptionMatches(PyExc_MemoryError) || !PyErr_ExceptionMatches(PyExc_Exception); }

}  // namespace

bool has_serious_error() noexcept {
    if (!PyErr_Occurred()) return false;
    if (is_error_serious()) return true;
    return PyErr_Clear(), false;
}

void forget_error() noexcept {
    if (!PyErr_Occurred()) return;
    if (!is_error_serious()) return PyErr_Clear();
    fail_look();
}

void fail_look() noexcept {
    if (!PyErr_Occurred()) return;
    if (looks == 0 || set_aside) return PyErr_Clear();
    TakenError taken;
    PyObject* const error = taken.value();
    set_aside = new_ref(error ? error : PyExc_MemoryError);  // there may be no memory to make it
}

bool restore_error(PyObject* outer) noexcept {
    --looks;
    const Owned error = Owned::steal(std::exchange(set_aside, outer));
    if (error && !PyErr_Occurred())
        PyErr_SetObject(PyType_Check(error.get()) ? error.get() : reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return !error;
}

PyObject* begin_look() noexcept {
    ++looks;
    return std::exchange(set_aside, nullptr);
}

Owned loaded_or_error(const char* module, const char* name) noexcept {
    const Owned module_name = Owned::steal(PyUnicode_FromString(module));
    const Owned found = module_name ? Owned::steal(PyImport_GetModule(module_name.get())) : Owned();
    Owned attribute = found ? get_attribute(found.get(), name) : Owned();
    return has_serious_error() ? Owned() : std::move(attribute);
}
Owned loaded(const char* module, const char* name) noexcept {
    Owned attribute = loaded_or_error(module, name);
    forget_error();
    return attribute;
}

bool is_derived(PyTypeObject* type, const Owned& base) noexcept {
    return base && PyType_Check(base.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base.get()));
}

bool has_attribute(PyTypeObject* type, const char* name) noexcept {
    const Owned found = find_in_class(type, name);
    forget_error();
    return static_cast<bool>(found);
}

bool shares_attribute(PyTypeObject* type, const Owned& base, const char* name) noexcept {
    const Owned of_base = find_in_class(reinterpret_cast<PyTypeObject*>(base.get()), name);
    const bool is_same = of_base && find_in_class(type, name).get() == of_base.get();
    forget_error();
    return is_same;
}

}  // namespace ocior::encode
