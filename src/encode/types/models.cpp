// Classes of pydantic: by pydantic's own serializer, so that what a class says of its JSON counts, as in model_dump_json().
#include "encode/types/rich.h"
#include "encode/walk/call.h"

namespace ocior::encode {
namespace {

constexpr const char *kModelMethod = "model_dump_json", *kOldModelMethod = "json";

// What JSON, a str or bytes, stands for. The walk writes that as the call wants it. Empty with an error set.
Owned read_json(Call& call, Owned text) noexcept {
    if (!text) return {};
    return Owned::steal(call.own.read_json(call.own.module_state, text.get(), call.options.unique_keys, nullptr));
}

// Whether pydantic's serializer has to be told that aliases are the keys of no model which does not say so: before 2.11 it took them, where
// model_dump_json() does not.
bool needs_alias_setting() noexcept {
    const Owned base = loaded("pydantic.main", "BaseModel"), method = base ? get_attribute(base.get(), kModelMethod) : Owned();
    const Owned defaults = method ? get_attribute(method.get(), "__kwdefaults__") : Owned();
    forget_error();
    return defaults && PyDict_Check(defaults.get()) && PyDict_GetItemString(defaults.get(), "by_alias") == Py_False;
}

// (The serializer of a class whose types are not all defined yet is another object, which makes the real one when it is asked.)
template <bool kSetsAlias>
Owned replace_model(Call& call, PyObject* value) noexcept {
    const OwnTypes& own = call.own;
    const Owned serializer = find_in_class(Py_TYPE(value), own.serializer_name);
    if (!serializer) return PyErr_SetString(PyExc_TypeError, "a class of pydantic without its serializer"), Owned();
    // What pydantic does not know is written as the Default has it.
    PyObject* const hook = call.options.default_hook ? call.options.default_hook : Py_None;
    PyObject* const arguments[] = {serializer.get(), value, hook, Py_False};
    const Owned names = Owned::steal(PyTuple_Pack(kSetsAlias ? 2 : 1, own.fallback_name, own.by_alias_name));
    if (!names) return {};
    // Where a model holds what the Default writes, which holds a model, each may take tens of kilobytes of the stack.
    constexpr int kWeight = 32;
    return read_json(
        call, Owned::steal(call_back_or<PyObject*, kWeight>(nullptr, call.context.may_be_nested, " while encoding a JSON object", [&] {
            return PyObject_VectorcallMethod(own.to_json_name, arguments, 2, names.get());
        })));
}

// By a method that gives the JSON.
template <const char* const& method>
Owned replace_by_json_of(Call& call, PyObject* value) noexcept {
    return read_json(call, call_method_of_class(value, method));
}

constexpr Plan kModel{.role = Role::kReplaced, .replace = replace_model<false>},
    kModelWithoutAliases{.role = Role::kReplaced, .replace = replace_model<true>},
    kModelOfItsOwn{.role = Role::kReplaced, .replace = replace_by_json_of<kModelMethod>},
    kOldModel{.role = Role::kReplaced, .replace = replace_by_json_of<kOldModelMethod>};

}  // namespace

const Plan* find_model(PyTypeObject* type) noexcept {
    if (has_attribute(type, "__pydantic_serializer__")) {
        const Owned base = loaded("pydantic.main", "BaseModel");
        const bool is_usual = is_derived(type, base) && shares_attribute(type, base, kModelMethod);
        if (!is_usual && has_attribute(type, kModelMethod)) return &kModelOfItsOwn;
        return needs_alias_setting() ? &kModelWithoutAliases : &kModel;
    }
    for (const char* module : {"pydantic.v1.main", "pydantic.main"})
        if (is_derived(type, loaded(module, "BaseModel"))) return &kOldModel;
    return nullptr;
}

}  // namespace ocior::encode
