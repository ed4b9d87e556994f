// msgspec.Struct, where a class says that it is written otherwise than as an object of its fields: by other names, with a tag, as an array,
// without defaults, without what is UNSET.
#include "encode/types/rich.h"

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
        if (is_known && ((tag && tag_field && !PyUnicode_CheckExact(tag_field.get())) || !are_str(fields) || !are_str(names)))
            is_known = false;
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
    static bool are_str(const Owned& tuple) noexcept {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple.get()); ++i)
            if (!PyUnicode_CheckExact(PyTuple_GET_ITEM(tuple.get(), i))) return false;
        return true;
    }
    // What is None becomes empty.
    static bool read_setting(const Owned& config, const char* name, Owned& setting) noexcept {
        Owned found = get_attribute(config.get(), name);
        if (!found) return false;
        if (found.get() != Py_None) setting = std::move(found);
        return true;
    }
};

bool is_special(const StructPlan& plan, const Owned& unset) noexcept {
    const int has_own_names = PyObject_RichCompareBool(plan.fields.get(), plan.names.get(), Py_EQ);
    bool may_be_unset = false;
    for (Py_ssize_t i = 0; unset && i < PyTuple_GET_SIZE(plan.fields.get()); ++i) may_be_unset |= plan.default_of(i) == unset.get();
    return has_own_names != 1 || plan.tag || plan.is_array || plan.omits_defaults || may_be_unset;
}

// Says that a field is left out where it has its default: the same object, or an empty one where a list, dict or set would be made. (A
// value is compared with where the default was, and nothing is read there: a class that only looks like a Struct may not keep it.)
void omit_default(FieldForm& field, PyObject* usual) noexcept {
    const Owned factory_type = loaded("msgspec._core", "Factory");
    field.of |= FieldForm::kOmitsDefault;
    field.usual = usual;
    if (reinterpret_cast<PyObject*>(Py_TYPE(usual)) != factory_type.get()) return;
    const Owned factory = get_attribute(usual, "factory");
    const bool is_of_container = factory.get() == reinterpret_cast<PyObject*>(&PyList_Type) ||
                                 factory.get() == reinterpret_cast<PyObject*>(&PyDict_Type) ||
                                 factory.get() == reinterpret_cast<PyObject*>(&PySet_Type);
    forget_error();
    if (!is_of_container) return void(field.of &= static_cast<std::uint8_t>(~FieldForm::kOmitsDefault));
    field.of |= FieldForm::kHasFactory;
    field.usual = factory.get();
}

}  // namespace

Form* form_of_struct(PyTypeObject* type, std::uint32_t flags, Owned& attributes) noexcept {
    const StructPlan plan(type);
    const Owned unset = plan.is_known ? loaded("msgspec", "UNSET") : Owned();
    if (!plan.is_known || !is_special(plan, unset)) return nullptr;
    const Py_ssize_t count = PyTuple_GET_SIZE(plan.fields.get());
    const Owned names = Owned::steal(PyList_New(0)), fields = Owned::steal(PyList_New(0));
    Form* const form = names && fields ? Form::make(static_cast<std::size_t>(count)) : nullptr;
    if (!form) return PyErr_NoMemory(), nullptr;
    const auto fail = [form]() -> Form* { return Form::let_go(form), nullptr; };
    form->is_array = plan.is_array;
    form->compares_defaults = false;
    if (plan.tag && (plan.is_array || plan.tag_field)) {
        form->tag_value = Owned::borrow(plan.tag.get());
        if (!plan.is_array) form->tag_name = Owned::borrow(plan.tag_field.get());
    }
    if (unset && !plan.is_array && !(form->missing = Owned::steal(PyTuple_Pack(1, unset.get())))) return fail();
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const name = PyTuple_GET_ITEM(plan.fields.get(), i);
        if (!plan.is_array && is_left_out_as_private(name, flags)) continue;
        FieldForm& field = form->fields[PyList_GET_SIZE(fields.get())];
        if (PyList_Append(fields.get(), name) < 0 || PyList_Append(names.get(), PyTuple_GET_ITEM(plan.names.get(), i)) < 0) return fail();
        if (plan.is_array) continue;
        if (unset) field.of |= FieldForm::kOmitsMissing;
        if (PyObject* const usual = plan.default_of(i); usual && plan.omits_defaults) omit_default(field, usual);
    }
    attributes = Owned::steal(PyList_AsTuple(fields.get()));
    form->names = Owned::steal(PyList_AsTuple(names.get()));
    return attributes && form->names ? form : fail();
}

}  // namespace ocior::encode
