// Classes that say how they are written to an encoder that asks them: what its plans tell becomes the form of their fields, or a function.
#include "encode/types/rich.h"
#include "encode/walk/call.h"

namespace ocior::encode {
namespace {

// What the plans tell of a class; empty, with an error set, where that fails.
Owned resolve(Call& call, PyTypeObject* type) noexcept {
    PyObject* const function = call.options.plans->resolve;
    if (!function) return PyErr_SetString(PyExc_RuntimeError, "the encoder is being finalized"), Owned();
    return Owned::steal(call_back(call.context.may_be_nested, " while encoding a JSON object",
                                  [&] { return PyObject_CallOneArg(function, reinterpret_cast<PyObject*>(type)); }));
}

Owned replace_by_function(Call& call, PyObject* value) noexcept {
    const Owned function = resolve(call, Py_TYPE(value));
    return function ? Owned::steal(PyObject_CallOneArg(function.get(), value)) : Owned();
}

constexpr Plan kByFunction{.role = Role::kReplaced, .replace = replace_by_function};

// The places of what the tuple has of a class that has a form: first of each field, then of the class.
enum Told : Py_ssize_t { kAttributes, kNames, kOf, kUsuals, kDumps, kMissing, kTagName, kTagValue, kRest, kIsArray, kTold };

Owned borrow_unless_none(PyObject* object) noexcept { return object == Py_None ? Owned() : Owned::borrow(object); }

}  // namespace

const Plan* find_by_plans(Call& call, PyTypeObject* type) noexcept {
    const Owned told = resolve(call, type);
    if (!told) fail_look();
    return told && told.get() != Py_None && !PyTuple_CheckExact(told.get()) ? &kByFunction : nullptr;
}

Form* form_by_plans(Call& call, PyTypeObject* type, Owned& attributes) noexcept {
    const Owned told = resolve(call, type);
    if (!told) fail_look();
    if (!told || !PyTuple_CheckExact(told.get()) || PyTuple_GET_SIZE(told.get()) != kTold) return nullptr;
    const auto at = [&](Told place) { return PyTuple_GET_ITEM(told.get(), place); };
    const auto item = [&](Told place, Py_ssize_t i) { return PyTuple_GET_ITEM(at(place), i); };
    const Py_ssize_t count = PyTuple_GET_SIZE(at(kAttributes)), rest = PyLong_AsSsize_t(at(kRest));
    const Owned fields = Owned::steal(PyList_New(0)), names = Owned::steal(PyList_New(0));
    Form* const form = fields && names ? Form::make(static_cast<std::size_t>(count)) : nullptr;
    if (!form) return PyErr_NoMemory(), fail_look(), nullptr;
    form->is_array = at(kIsArray) == Py_True;
    form->missing = Owned::borrow(at(kMissing));
    form->tag_value = borrow_unless_none(at(kTagValue));
    if (!form->is_array) form->tag_name = borrow_unless_none(at(kTagName));
    bool is_good = true;
    for (Py_ssize_t i = 0; is_good && i < count; ++i) {
        if (!form->is_array && is_left_out_as_private(item(kAttributes, i), static_cast<std::uint32_t>(call.rich))) continue;
        const auto place = static_cast<std::size_t>(PyList_GET_SIZE(fields.get()));
        FieldForm& field = form->fields[place];
        const long of = PyLong_AsLong(item(kOf, i));
        field.of = static_cast<std::uint8_t>(form->is_array ? of & FieldForm::kOmitsMissing : of);
        field.usual = item(kUsuals, i);
        field.dump = item(kDumps, i) == Py_None ? nullptr : item(kDumps, i);
        form->has_dumps |= field.dump != nullptr;
        if (i == rest && !form->is_array) form->rest = place;
        is_good = PyList_Append(fields.get(), item(kAttributes, i)) == 0 && PyList_Append(names.get(), item(kNames, i)) == 0;
    }
    attributes = Owned::steal(PyList_AsTuple(fields.get()));
    form->names = Owned::steal(PyList_AsTuple(names.get()));
    if (is_good && attributes && form->names) return form;
    fail_look();
    return Form::let_go(form), nullptr;
}

}  // namespace ocior::encode
