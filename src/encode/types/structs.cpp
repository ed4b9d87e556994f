// msgspec.Struct, where a class says that it is written otherwise than as an object of its fields: by other names, with a tag, as an array,
// without defaults, without what is UNSET.
#include "encode/types/rich.h"
#include "encode/walk/call.h"

namespace ocior::encode {
namespace {

// What a Struct's class says of how it is written. The class is held: its attributes may be Python code, as may those of the config.
struct StructPlan {
    Owned type, fields, names, defaults;  // three tuples, the defaults those of the last fields
    Owned tag, tag_field;  // empty where there is none
    bool is_array = false, omits_defaults = false;
    bool is_known = false;  // else an error may be set

    explicit StructPlan(PyTypeObject* of_type) noexcept : type(Owned::borrow(reinterpret_cast<PyObject*>(of_type))) {
        Owned config, array_like, omit_defaults;
        if (!read_tuple("__struct_fields__", fields) || !read_tuple("__struct_encode_fields__", names) ||
            !read_tuple("__struct_defaults__", defaults) || PyTuple_GET_SIZE(fields.get()) != PyTuple_GET_SIZE(names.get()))
            return;
        config = get_attribute(type.get(), "__struct_config__");
        is_known = config && read_setting(config, "tag", tag) && read_setting(config, "tag_field", tag_field) &&
                   read_setting(config, "array_like", array_like) && read_setting(config, "omit_defaults", omit_defaults);
        is_array = array_like.get() == Py_True;
        omits_defaults = omit_defaults.get() == Py_True;
    }
    // The default of field `i`; null where it has none.
    PyObject* default_of(Py_ssize_t i) const noexcept {
        i -= PyTuple_GET_SIZE(fields.get()) - PyTuple_GET_SIZE(defaults.get());
        return i >= 0 ? PyTuple_GET_ITEM(defaults.get(), i) : nullptr;
    }

private:
    bool read_tuple(const char* name, Owned& tuple) const noexcept {
        tuple = get_attribute(type.get(), name);
        return tuple && PyTuple_Check(tuple.get());
    }
    // What is None becomes empty.
    static bool read_setting(const Owned& config, const char* name, Owned& setting) noexcept {
        Owned found = get_attribute(config.get(), name);
        if (!found) return false;
        if (found.get() != Py_None) setting = std::move(found);
        return true;
    }
};

// Whether msgspec leaves out a field with this value and default: the same object, or what is empty where a list, dict or set would be
// made. Negative with an error set.
int is_default(PyObject* value, PyObject* usual) noexcept {
    if (!usual || value == usual) return usual != nullptr;
    const Owned factory_type = loaded_or_error("msgspec._core", "Factory");
    if (!factory_type || reinterpret_cast<PyObject*>(Py_TYPE(usual)) != factory_type.get()) return PyErr_Occurred() ? -1 : 0;
    const Owned factory = get_attribute(usual, "factory");
    if (!factory) return -1;
    if (factory.get() != reinterpret_cast<PyObject*>(Py_TYPE(value))) return 0;
    if (PyList_CheckExact(value)) return PyList_GET_SIZE(value) == 0;
    if (PyDict_CheckExact(value)) return PyDict_GET_SIZE(value) == 0;
    return Py_IS_TYPE(value, &PySet_Type) && PySet_GET_SIZE(value) == 0;
}

// A dict by the names that are written, or a list; with the tag before all fields.
Owned replace_struct(Call& call, PyObject* value) noexcept {
    const StructPlan plan(Py_TYPE(value));
    if (!plan.is_known && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "a Struct without its fields");
    const Owned unset = plan.is_known ? loaded_or_error("msgspec", "UNSET") : Owned();
    if (PyErr_Occurred()) return {};
    Owned made = Owned::steal(plan.is_array ? PyList_New(0) : PyDict_New());
    const auto add = [&](PyObject* name, PyObject* item) {
        return (plan.is_array ? PyList_Append(made.get(), item) : PyDict_SetItem(made.get(), name, item)) == 0;
    };
    if (!made || (plan.tag && (plan.is_array || plan.tag_field) && !add(plan.tag_field.get(), plan.tag.get()))) return {};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plan.fields.get()); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(plan.fields.get(), i);
        if (!plan.is_array && PyUnicode_Check(name) && is_left_out_as_private(name, call.rich)) continue;
        const Owned item = Owned::steal(PyObject_GetAttr(value, name));
        if (!item) return {};
        int is_left_out = item.get() == unset.get();
        if (plan.omits_defaults && !is_left_out) is_left_out = is_default(item.get(), plan.default_of(i));
        if (is_left_out < 0) return {};
        if ((plan.is_array || !is_left_out) && !add(PyTuple_GET_ITEM(plan.names.get(), i), item.get())) return {};
    }
    return made;
}

}  // namespace

bool is_special_struct(PyTypeObject* type) noexcept {
    const StructPlan plan(type);
    bool is_special = false;
    if (plan.is_known) {
        const Owned unset = loaded("msgspec", "UNSET");
        const int has_own_names = PyObject_RichCompareBool(plan.fields.get(), plan.names.get(), Py_EQ);
        is_special = has_own_names != 1 || plan.tag || plan.is_array || plan.omits_defaults;
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plan.fields.get()); ++i) is_special |= plan.default_of(i) == unset.get() && unset;
    }
    forget_error();
    return is_special;
}

const Plan kStruct{.role = Role::kReplaced, .replace = replace_struct};

}  // namespace ocior::encode
