#include "py/numpy_array.h"

#include "py/attribute.h"

namespace ocior {
namespace {

// What the attribute says, an integer. -1 where there is none.
Py_ssize_t integer_of(PyObject* object, const char* name) noexcept {
    const Owned found = get_attribute(object, name);
    return found && PyLong_Check(found.get()) ? PyLong_AsSsize_t(found.get()) : -1;
}

// Whether the attribute is the tuple of these integers.
bool is_tuple_of(PyObject* object, const char* name, const Py_ssize_t* integers, int count) noexcept {
    const Owned tuple = get_attribute(object, name);
    if (!tuple || !PyTuple_CheckExact(tuple.get()) || PyTuple_GET_SIZE(tuple.get()) != count) return false;
    for (int i = 0; i < count; ++i)
        if (PyLong_AsSsize_t(PyTuple_GET_ITEM(tuple.get(), i)) != integers[i]) return false;
    return true;
}

bool is_letter(PyObject* object, const char* name, char letter) noexcept {
    const Owned found = get_attribute(object, name);
    return found && PyUnicode_CheckExact(found.get()) && PyUnicode_GET_LENGTH(found.get()) == 1 &&
           PyUnicode_READ_CHAR(found.get(), 0) == static_cast<unsigned char>(letter);
}

}  // namespace

// Whether what is read of an array is what its attributes say.
bool NumpyArrays::agrees(const Array& array, PyObject* attributes) noexcept {
    const Owned dtype = get_attribute(attributes, "dtype"), flags = get_attribute(attributes, "flags"),
                base = get_attribute(attributes, "base"), interface = get_attribute(attributes, "__array_interface__"),
                scalar_type = dtype ? get_attribute(dtype.get(), "type") : Owned();
    if (!dtype || !flags || !base || !interface || !PyDict_CheckExact(interface.get()) || !scalar_type) return false;
    PyObject* const data = PyDict_GetItemString(interface.get(), "data");  // an address, and whether it is read alone
    if (!data || !PyTuple_CheckExact(data) || PyTuple_GET_SIZE(data) != 2) return false;
    if (array.dimensions != integer_of(attributes, "ndim") || integer_of(flags.get(), "num") != array.flags) return false;
    if (array.from != PyLong_AsVoidPtr(PyTuple_GET_ITEM(data, 0))) return false;
    if (array.base != (base.get() == Py_None ? nullptr : base.get())) return false;
    if (reinterpret_cast<const PyObject*>(array.description) != dtype.get()) return false;
    const Description& description = *array.description;
    return is_tuple_of(attributes, "shape", array.lengths, array.dimensions) &&
           is_tuple_of(attributes, "strides", array.strides, array.dimensions) &&
           reinterpret_cast<PyObject*>(description.scalar_type) == scalar_type.get() && is_letter(dtype.get(), "kind", description.kind) &&
           is_letter(dtype.get(), "char", description.letter) && is_letter(dtype.get(), "byteorder", description.order) &&
           integer_of(dtype.get(), "num") == description.type;
}

// Arrays of all kinds of elements, forms and orders are made, and compared.
bool NumpyArrays::prove(PyTypeObject* type) noexcept {
    constexpr const char* kElements[] = {"?",  "i1", "i2",  "i4",  "i8",  "u1",  "u2", "u4",    "u8", "f2",
                                         "f4", "f8", ">i4", "<i4", ">f8", "c16", "U3", "M8[s]", "O"};
    for (const char* elements : kElements) {
        for (const char* order : {"C", "F"}) {
            PyObject* const cls = reinterpret_cast<PyObject*>(type);
            const Owned made = Owned::steal(PyObject_CallFunction(cls, "(iii)sOiOs", 2, 5, 3, elements, Py_None, 0, Py_None, order));
            if (!made || !Py_IS_TYPE(made.get(), type)) return false;
            // The whole, a part that has a base and gaps, one without dimensions.
            const Owned part = Owned::steal(PyObject_CallMethod(made.get(), "__getitem__", "i", 1));
            const Owned one = Owned::steal(PyObject_CallFunction(cls, "()s", elements));
            for (PyObject* const array : {made.get(), part.get(), one.get()})
                if (!array || !Py_IS_TYPE(array, type) || !agrees(*reinterpret_cast<const Array*>(array), array)) return false;
        }
    }
    return true;
}

bool NumpyArrays::knows(const Tricks& tricks, PyTypeObject* given) noexcept {
    const auto has_form = [](PyTypeObject* type) { return type->tp_basicsize >= static_cast<Py_ssize_t>(sizeof(Array)); };
    return type_.knows(tricks, reinterpret_cast<PyObject*>(given), "numpy.ndarray", has_form, prove);
}

}  // namespace ocior
