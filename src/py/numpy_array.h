// numpy.ndarray, read by the layout of its objects, which numpy documents as PyArrayObject_fields and has kept since 1.7: to ask for one of
// its attributes takes as long as to write a small array.
#pragma once

#include "py/proved_type.h"
#include "py/ref.h"
#include "py/tricks.h"

namespace ocior {

class NumpyArrays {
public:
    // Whether `given` is the class itself, and its objects can be read here. Sets no error.
    bool knows(const Tricks& tricks, PyTypeObject* given) noexcept;

    // An array whose elements are in the processor's order of bytes and lie one behind the other, in C's order.
    struct Memory {
        const char* from;
        int dimensions;
        const Py_ssize_t* lengths;
        int type;  // a number of NPY_TYPES, which are documented, too
    };
    // False where it is another one, or none of the class.
    OCIOR_INLINE bool read(PyObject* value, Memory& memory) const noexcept {
        const auto* const array = reinterpret_cast<const Array*>(value);
        if (OCIOR_UNLIKELY(!Py_IS_TYPE(value, type_.get()) || !(array->flags & kInOrder))) return false;
        const Description& description = *array->description;
        if (OCIOR_UNLIKELY(description.order != '=' && description.order != '|')) return false;
        memory = {array->from, array->dimensions, array->lengths, description.type};
        return true;
    }

    // What lies in the array itself, of any kind: others may change it, but not free it while the array is held.
    struct Fixed {
        const char* from;
        bool is_in_order;  // the elements lie one behind the other, in C's order
    };
    bool read(PyObject* value, Fixed& fixed) const noexcept {
        const auto* const array = reinterpret_cast<const Array*>(value);
        if (!Py_IS_TYPE(value, type_.get())) return false;
        fixed = {__atomic_load_n(&array->from, __ATOMIC_RELAXED), (__atomic_load_n(&array->flags, __ATOMIC_RELAXED) & kInOrder) != 0};
        return true;
    }

    // What counts of the dtype of an array.
    struct Element {
        char kind;
        bool is_native;  // in the processor's order of bytes
    };
    static Element element_of(PyObject* dtype) noexcept {
        const auto& description = *reinterpret_cast<const Description*>(dtype);
        return {description.kind, description.order == '=' || description.order == '|'};
    }

    void clear() noexcept { type_.clear(); }

private:
    struct Description {
        PyObject header;
        PyTypeObject* scalar_type;
        char kind, letter, order, reserved;
        int type;
    };
    struct Array {
        PyObject header;
        const char* from;
        int dimensions;
        const Py_ssize_t* lengths;
        const Py_ssize_t* strides;
        PyObject* base;
        const Description* description;
        int flags;
    };
    static constexpr int kInOrder = 1;  // of the flags

    static bool prove(PyTypeObject* type) noexcept;
    static bool agrees(const Array& array, PyObject* attributes) noexcept;

    ProvedType type_;
};

}  // namespace ocior
