// The objects that are the encoder's own, an ocior.Default and ready JSON, and what it keeps for types of others.
#pragma once

#include "encode/policies.h"
#include "py/ref.h"

namespace ocior {
class Decimals;
class NumpyArrays;
}  // namespace ocior

namespace ocior::encode {

// An ocior.Default.
struct DefaultObject {
    PyObject_HEAD std::uint32_t flags;
    bool has_policies;  // other ones than those of no Default at all
    Policies policies;
    vectorcallfunc call;
    PyObject* fallback;  // owned: a hook for all other types, or null
    PyObject* module;    // owned
};

// How the classes of one encoder are written that say so themselves, or for which the encoder's caller does.
struct PlansObject {
    PyObject_HEAD PlanKey key;  // a number of its own, above the RichFlags, so that its plans have places of their own in tables
    // Owned: is called with a class. It returns None where nothing is said; a callable whose result is written in the place of an object;
    // or the tuple that form_by_plans() reads, which stays the same and lives as long as the class and these plans do.
    PyObject* resolve;
    PyObject* prepare;  // owned: is called with the whole value, and what it returns is written; null where the value is
};

// Ready JSON: an ocior.Raw.
struct RawObject {
    PyObject_HEAD PyObject* text;  // owned: exactly a str, or exactly bytes
};

// What the module owns for all this.
struct OwnTypes {
    Decimals* decimals = nullptr;  // the module's
    NumpyArrays* numpy_arrays = nullptr;
    // What a str or bytes of JSON stands for; null with an error set. `unique_keys`: two equal keys of one object are an error.
    // `parse_float` makes the numbers with a fraction or an exponent; null where they are floats.
    PyObject* (*read_json)(void* module_state, PyObject* text, bool unique_keys, PyObject* parse_float) noexcept = nullptr;
    void* module_state = nullptr;
    PyTypeObject* default_type = nullptr;  // of these two structs
    PyTypeObject* raw_type = nullptr;
    PyTypeObject* fragment_type = nullptr;  // of RawObject, too: another library's name for it
    PyTypeObject* plans_type = nullptr;  // of PlansObject
    PyTypeObject* table_type = nullptr;  // whose rows are written without being asked for
    PyObject* array_view_type = nullptr;
    // These names are interned.
    PyObject *int_name = nullptr, *value_name = nullptr, *stored_value_name = nullptr, *stored_name_name = nullptr,
             *utcoffset_name = nullptr, *array_struct_name = nullptr, *to_dict_name = nullptr, *json_method_name = nullptr,
             *items_name = nullptr, *getattribute_name = nullptr, *serializer_name = nullptr, *to_json_name = nullptr,
             *fallback_name = nullptr, *by_alias_name = nullptr, *dtype_name = nullptr, *itemsize_name = nullptr, *shape_name = nullptr,
             *strides_name = nullptr, *arrow_stream_name = nullptr, *arrow_array_name = nullptr;

    // The names stay: at shutdown a finalizer may still encode.
    void clear() noexcept {
        Py_CLEAR(default_type);
        Py_CLEAR(raw_type);
        Py_CLEAR(fragment_type);
        Py_CLEAR(array_view_type);
        Py_CLEAR(plans_type);
        Py_CLEAR(table_type);
    }
};

}  // namespace ocior::encode
