// msgspec.Struct, where a class says that it is written otherwise than as an object of its fields: by other names, with a tag, as an array,
// without defaults, without what is UNSET.
#include "encode/types/rich.h"
#include "encode/walk.h"

namespace ocior::encode {
namespace {

// What a Struct's class says of how it is written: each its own attribute, owned.
struct StructPlan {
    Owned fields, names, defaults, config;  // three tuples, the defaults those of the last fields

    explicit StructPlan(PyTypeObject* type) noexcept {
        PyObject* const cls = reinterpret_cast<PyObject*>(type);
        const auto tuple = [cls](const char* name) {
            Owned found = get_attribute(cls, name);
            return found && PyTuple_Check(found.get()) ? std::move(found) : Owned();
        };
        fields = tuple("__struct_fields__");
        if (!fields) return;
        names = tuple("__struct_encode_fields__");
        defaults = tuple("__struct_defaults__");
        config = get_attribute(cls, "__struct_config__");
    }
    explicit operator bool() const noexcept {
        return fields && names && defaults && config && PyTuple_GET_SIZE(fields.get()) == PyTuple_GET_SIZE(names.get());
    }
    // An attribute of the config. Empty where it is None.
    Owned setting(const char* name) const noexcept {
        Owned found = get_attribute(config.get(), name);
        return found.get() == Py_None ? Owned() : std::move(found);
    }
    bool is_set(const char* name) const noexcept { return setting(name).get() == Py_True; }
    // The default of field `i`; null where it has none.
    PyObject* default_of(Py_ssize_t i) const noexcept {
        i -= PyTuple_GET_SIZE(fields.get()) - PyTuple_GET_SIZE(defaults.get());
        return i >= 0 ? PyTuple_GET_ITEM(defaults.get(), i) : nullptr;
    }
};

// Whether msgspec leaves out a field with this value and default: the same object, or what is empty where a list, dict or set would be
// made.
bool is_default(PyObject* value, PyObject* usual) noexcept {
    if (!usual || value == usual) return usual != nullptr;
    const Owned factory = get_attribute(usual, "factory");
    PyErr_Clear();
    if (!factory || factory.get() != reinterpret_cast<PyObject*>(Py_TYPE(value))) return false;
    if (PyList_CheckExact(value)) return PyList_GET_SIZE(value) == 0;
    if (PyDict_CheckExact(value)) return PyDict_GET_SIZE(value) == 0;
    return Py_IS_TYPE(value, &PySet_Type) && PySet_GET_SIZE(value) == 0;
}

// A dict by the names that are written, or a list; with the tag before all fields.
Owned replace_struct(Call& call, PyObject* value) noexcept {
    const StructPlan plan(Py_TYPE(value));
    if (!plan) return PyErr_Occurred() ? Owned() : (PyErr_SetString(PyExc_TypeError, "a Struct without its fields"), Owned());
    const Owned unset = loaded("msgspec", "UNSET"), tag = plan.setting("tag"), tag_field = plan.setting("tag_field");
    const bool is_list = plan.is_set("array_like"), omits_defaults = plan.is_set("omit_defaults");
    if (PyErr_Occurred()) return {};
    Owned made = Owned::steal(is_list ? PyList_New(0) : PyDict_New());
    const auto add = [&](PyObject* name, PyObject* item) {
        return (is_list ? PyList_Append(made.get(), item) : PyDict_SetItem(made.get(), name, item)) == 0;
    };
    if (!made || (tag && (is_list || tag_field) && !add(tag_field.get(), tag.get()))) return {};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plan.fields.get()); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(plan.fields.get(), i);
        if (!is_list && (call.rich & kNoPrivateFields) && PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) > 0 &&
            PyUnicode_READ_CHAR(name, 0) == '_')
            continue;
        const Owned item = Owned::steal(PyObject_GetAttr(value, name));
        if (!item) return {};
        const bool is_left_out = item.get() == unset.get() || (omits_defaults && is_default(item.get(), plan.default_of(i)));
        if ((is_list || !is_left_out) && !add(PyTuple_GET_ITEM(plan.names.get(), i), item.get())) return {};
    }
    return made;
}

}  // namespace

bool is_special_struct(PyTypeObject* type) noexcept {
    const StructPlan plan(type);
    if (!plan) return PyErr_Clear(), false;
    const Owned unset = loaded("msgspec", "UNSET");
    bool is_special = PyObject_RichCompareBool(plan.fields.get(), plan.names.get(), Py_EQ) != 1 || plan.setting("tag") ||
                      plan.is_set("array_like") || plan.is_set("omit_defaults");
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(plan.fields.get()); ++i) is_special |= plan.default_of(i) == unset.get() && unset;
    forget_error();
    return is_special;
}

const Handler kStruct{.role = Handler::Role::kReplaced, .replace = replace_struct};

}  // namespace ocior::encode
