#include "encode/form.h"

#include <new>

namespace ocior::encode {
namespace {

// Whether a container of exactly one of CPython's classes is as it is when it is made without arguments.
bool is_empty(PyObject* value) noexcept {
    if (PyList_CheckExact(value)) return PyList_GET_SIZE(value) == 0;
    if (PyDict_CheckExact(value)) return PyDict_GET_SIZE(value) == 0;
    if (PyTuple_CheckExact(value)) return PyTuple_GET_SIZE(value) == 0;
    if (PyUnicode_CheckExact(value)) return PyUnicode_GET_LENGTH(value) == 0;
    if (PyBytes_CheckExact(value)) return PyBytes_GET_SIZE(value) == 0;
    if (PyByteArray_CheckExact(value)) return PyByteArray_GET_SIZE(value) == 0;
    return (Py_IS_TYPE(value, &PySet_Type) || Py_IS_TYPE(value, &PyFrozenSet_Type)) && PySet_GET_SIZE(value) == 0;
}

// Whether the value is left out because of its default. Where only the same object is, `compares` is false.
Presence presence_beside(PyObject* usual, bool compares, PyObject* value) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    if (value == usual) return Presence::kLeftOut;
    if (!compares || type != Py_TYPE(usual)) return Presence::kWritten;
    if (type == &PyFloat_Type) {  // which tells -0.0 from 0.0, and takes a NaN for itself
        const double one = PyFloat_AS_DOUBLE(value), other = PyFloat_AS_DOUBLE(usual);
        return std::memcmp(&one, &other, sizeof one) == 0 ? Presence::kLeftOut : Presence::kWritten;
    }
    if (type != &PyUnicode_Type && type != &PyLong_Type && type != &PyBytes_Type) return Presence::kToBeAsked;
    return PyObject_RichCompareBool(value, usual, Py_EQ) == 1 ? Presence::kLeftOut : Presence::kWritten;
}

}  // namespace

Form* Form::make(std::size_t count) noexcept {
    void* const memory = PyMem_Malloc(sizeof(Form));
    if (!memory) return nullptr;
    Form* const form = new (memory) Form;
    form->fields = static_cast<FieldForm*>(PyMem_Calloc(count ? count : 1, sizeof(FieldForm)));
    if (form->fields) return form;
    return let_go(form), nullptr;
}

void Form::let_go(Form* form) noexcept {
    if (!form || --form->owners != 0) return;
    form->~Form();
    PyMem_Free(form);
}

Presence Form::presence_by(const FieldForm& field, PyObject* value) const noexcept {
    if ((field.of & FieldForm::kOmitsNone) && value == Py_None) return Presence::kLeftOut;
    if ((field.of & FieldForm::kOmitsMissing) && is_missing(value)) return Presence::kLeftOut;
    if (!(field.of & FieldForm::kOmitsDefault)) return Presence::kWritten;
    if (!(field.of & FieldForm::kHasFactory)) return presence_beside(field.usual, compares_defaults, value);
    const bool is_made = field.usual == reinterpret_cast<PyObject*>(Py_TYPE(value)) && is_empty(value);
    return is_made ? Presence::kLeftOut : Presence::kWritten;
}

Presence Form::ask_presence(std::size_t i, PyObject* value) const noexcept {
    const Presence known = presence_of(i, value);
    if (known != Presence::kToBeAsked) return known;
    const int is_equal = PyObject_RichCompareBool(value, fields[i].usual, Py_EQ);
    return is_equal < 0 ? Presence::kFailed : is_equal ? Presence::kLeftOut : Presence::kWritten;
}

}  // namespace ocior::encode
