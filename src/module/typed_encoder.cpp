#include "module/typed_encoder.h"

#include <new>

#include "module/suggestion.h"
#include "py/attribute.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

using encode::PlansObject;

// ---- EncodePlans ----

PlansObject* as_plans(PyObject* object) noexcept { return reinterpret_cast<PlansObject*>(object); }

PyObject* plans_new(PyTypeObject* type, PyObject* positional, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(type);
    PyObject *resolve, *prepare = Py_None;
    static const char* names[] = {"resolve", "prepare", nullptr};
    const Owned hold_positional = Owned::borrow(positional), hold_keywords = Owned::borrow(keywords);  // see HeldArguments
    if (!module || !PyArg_ParseTupleAndKeywords(positional, keywords, "O|O:EncodePlans", const_cast<char**>(names), &resolve, &prepare))
        return nullptr;
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    std::uint32_t number = ++state_of(module).plans_count;
    if (number == 0) number = ++state_of(module).plans_count;  // 0 is that of calls without plans
    as_plans(self)->key = static_cast<encode::PlanKey>(number) << encode::kPlansShift;
    as_plans(self)->resolve = new_ref(resolve);
    as_plans(self)->prepare = prepare == Py_None ? nullptr : new_ref(prepare);
    return self;
}

int plans_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_plans(self)->resolve);
    Py_VISIT(as_plans(self)->prepare);
    return 0;
}
int plans_clear(PyObject* self) noexcept {
    Py_CLEAR(as_plans(self)->resolve);
    Py_CLEAR(as_plans(self)->prepare);
    return 0;
}

PyDoc_STRVAR(plans_doc,
             "EncodePlans(resolve, prepare=None)\n"
             "--\n\n"
             "How classes are written that say so: resolve is called with each class once,\n"
             "prepare with each whole value.");

PyType_Slot plans_slots[] = {
    {Py_tp_doc, const_cast<char*>(plans_doc)},
    {Py_tp_new, reinterpret_cast<void*>(plans_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<plans_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(plans_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(plans_clear)},
    {0, nullptr},
};

// The result, a PlansObject, of a function of the package's module that reads types. Empty with an error set.
template <typename... Given>
Owned plans_by(State& state, const char* function, Given... given) noexcept {
    const Owned module = Owned::steal(PyImport_ImportModule("ocior._typed.encoding"));
    const Owned made = module ? Owned::steal(get_attribute(module.get(), function).release()) : Owned();
    PyTypeObject* const type = state.encoder.own.plans_type;
    Owned plans = made && type ? Owned::steal(PyObject_CallFunctionObjArgs(made.get(), type, given..., nullptr)) : Owned();
    if (plans && !Py_IS_TYPE(plans.get(), type)) return PyErr_Format(PyExc_TypeError, "%s() gave no plans", function), Owned();
    return plans;
}

// ---- Encoder ----

struct TypedEncoderObject {
    PyObject_HEAD PyObject* module;  // owned: keeps the module's state alive
    State* state;
    PyObject* type;                  // owned
    EncodeSettings to_bytes, to_str;
};
TypedEncoderObject* as_encoder(PyObject* object) noexcept { return reinterpret_cast<TypedEncoderObject*>(object); }

// What an Encoder() is given by name.
struct GivenKeywords {
    Owned slots[kEncodeSlots], rules, convert, unknown;
};

bool sort_keywords(const JsonEncoding& json, PyObject* keywords, GivenKeywords& given) noexcept {
    const bool are_str = for_each_keyword(keywords, [&](PyObject* name, PyObject* value) {
        const auto is = [name](const char* text) { return PyUnicode_CompareWithASCIIString(name, text) == 0; };
        const std::size_t slot = json.names.find(name);
        if (is("rules")) given.rules = Owned::borrow(value);
        else if (is("convert")) given.convert = Owned::borrow(value);
        else if (slot == kEncodeSlots || slot == kObject || slot == kFile || slot == kCls || slot == kType)
            given.unknown = Owned::borrow(name);
        else given.slots[slot] = Owned::borrow(value);
    });
    if (!are_str) return false;
    PyObject* const unknown = given.unknown.get();
    if (!unknown) return true;
    constexpr const char* kNames[] = {"default",   "rules",     "convert",  "ensure_ascii",   "separators",    "indent",
                                      "sort_keys", "allow_nan", "skipkeys", "check_circular", "is_write_cache"};
    if (const char* const meant = most_similar(unknown, kNames))
        PyErr_Format(PyExc_TypeError, "Encoder() got an unexpected keyword argument '%U'. Did you mean '%s'?", unknown, meant);
    else PyErr_Format(PyExc_TypeError, "Encoder() got an unexpected keyword argument '%U'", unknown);
    return false;
}

// Compiles keywords for settings that have plans. False with an error set.
bool compile_settings(PyObject* const* slots, EncodeSettings& settings) noexcept {
    PyObject* const hook = slots[kDefault];
    if (hook && hook != Py_None && !PyCallable_Check(hook))
        return PyErr_Format(PyExc_TypeError, "default must be callable or None, not %.100s", Py_TYPE(hook)->tp_name), false;
    if (settings.compile(slots)) {
        settings.hook = Owned::borrow(settings.options.default_hook);
        return true;
    }
    PyErr_SetString(PyExc_TypeError,
                    "with a type, indent must be an int, a str or None, separators a tuple of two str or None, and all else true or false");
    return false;
}

bool compile_both(State& state, const GivenKeywords& given, PyObject* plans, TypedEncoderObject* self) noexcept {
    PyObject* slots[kEncodeSlots];
    for (std::size_t i = 0; i < kEncodeSlots; ++i) slots[i] = given.slots[i].get();
    self->to_bytes.options = self->to_str.options = kDumpsToBytes.defaults;
    self->to_bytes.options.write_cache = state.write_cache;
    PyObject* const cache = slots[kWriteCache];
    if (cache && cache != Py_None && !read_flag(cache, false, self->to_bytes.options.write_cache)) return false;
    self->to_str.options.to_bytes = false;
    for (EncodeSettings* settings : {&self->to_bytes, &self->to_str}) {
        settings->use_plans(plans);
        if (!compile_settings(slots, *settings)) return false;
    }
    return true;
}

PyObject* typed_encoder_new(PyTypeObject* cls, PyObject* positional, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(cls);
    if (!module) return nullptr;
    const Owned hold_positional = Owned::borrow(positional), hold_keywords = Owned::borrow(keywords);  // see HeldArguments
    if (const Py_ssize_t count = PyTuple_GET_SIZE(positional); count != 1)
        return PyErr_Format(PyExc_TypeError, "Encoder() takes exactly 1 positional argument, the type (%zd given)", count);
    State& state = state_of(module);
    GivenKeywords given;
    if (!sort_keywords(state.json_encoding, keywords, given)) return nullptr;
    PyObject* const type = PyTuple_GET_ITEM(positional, 0);
    const auto or_none = [](const Owned& object) { return object ? object.get() : Py_None; };
    const Owned plans = plans_by(state, "new_plans", type, or_none(given.rules), or_none(given.convert));
    Owned self = plans ? Owned::steal(cls->tp_alloc(cls, 0)) : Owned();
    if (!self) return nullptr;
    TypedEncoderObject* const encoder = as_encoder(self.get());
    new (&encoder->to_bytes) EncodeSettings{.options = {}};
    new (&encoder->to_str) EncodeSettings{.options = {}};
    encoder->module = new_ref(module);
    encoder->state = &state;
    encoder->type = new_ref(type);
    return compile_both(state, given, plans.get(), encoder) ? self.release() : nullptr;
}

int typed_encoder_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    const TypedEncoderObject* const encoder = as_encoder(self);
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(encoder->module);
    Py_VISIT(encoder->type);
    for (const EncodeSettings* settings : {&encoder->to_bytes, &encoder->to_str}) {
        Py_VISIT(settings->hook.get());
        Py_VISIT(settings->plans.get());
    }
    return 0;
}
int typed_encoder_clear(PyObject* self) noexcept {
    TypedEncoderObject* const encoder = as_encoder(self);
    for (EncodeSettings* settings : {&encoder->to_bytes, &encoder->to_str}) {
        settings->options.default_hook = nullptr;
        settings->options.plans = nullptr;
        settings->hook = Owned();
        settings->plans = Owned();
        settings->item_text = Owned();
        settings->key_text = Owned();
        settings->indent_text = Owned();
    }
    Py_CLEAR(encoder->type);
    Py_CLEAR(encoder->module);
    return 0;
}

template <EncodeSettings TypedEncoderObject::* settings>
PyObject* typed_encode(PyObject* self, PyObject* value) noexcept {
    TypedEncoderObject* const encoder = as_encoder(self);
    if (OCIOR_UNLIKELY(!encoder->module || !(encoder->*settings).plans)) return refuse_late_call();
    const Owned hold = Owned::borrow(self);
    return dumps_typed(*encoder->state, (encoder->*settings).options, value);
}

PyObject* typed_encoder_repr(PyObject* self) noexcept {
    PyObject* const type = as_encoder(self)->type;
    if (!type) return refuse_late_call();
    const Owned name = PyType_Check(type) ? get_attribute(type, "__qualname__") : Owned::steal(PyObject_Repr(type));
    return name ? PyUnicode_FromFormat("ocior.Encoder(%S)", name.get()) : nullptr;
}

PyDoc_STRVAR(encode_doc,
             "encode($self, obj, /)\n"
             "--\n\n"
             "obj as JSON text in UTF-8 bytes. Raises what dumps_to_bytes raises.");
PyDoc_STRVAR(encode_str_doc,
             "encode_str($self, obj, /)\n"
             "--\n\n"
             "obj as the text that encode gives, in a str. Raises what dumps raises.");
PyDoc_STRVAR(typed_encoder_doc,
             "Encoder(type, /, *, default=None, rules=None, convert=None,\n"
             "        ensure_ascii=False, separators=None, indent=None, sort_keys=False,\n"
             "        allow_nan=True, skipkeys=False, check_circular=True,\n"
             "        is_write_cache=None)\n"
             "--\n\n"
             "Writes objects of type, a class or an annotation, and what they hold: under the\n"
             "names, with the tags, and without what is left out, that their classes say by\n"
             "Alias, Rest, Convert, Missing and __ocior__ = Rules(...).\n\n"
             "Each object is written by the class that it has, and nothing is checked: type\n"
             "says which classes will come. default is an ocior.Default, None for that without\n"
             "keywords, or a function for what that does not know. rules has Rules, and\n"
             "convert has Convert, for classes of others, in dicts by class. The other\n"
             "keywords are those of dumps_to_bytes.\n\n"
             "An Encoder never changes, and threads may share it. Raises TypeError for a type\n"
             "that is none, and for wrong keywords.\n\n"
             "    >>> Encoder(Order, rules={Order: Rules(rename='camel')}).encode(order)\n"
             "    b'{\"orderId\":7}'");

PyMethodDef typed_encoder_methods[] = {
    {"encode", typed_encode<&TypedEncoderObject::to_bytes>, METH_O, encode_doc},
    {"encode_str", typed_encode<&TypedEncoderObject::to_str>, METH_O, encode_str_doc},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot typed_encoder_slots[] = {
    {Py_tp_doc, const_cast<char*>(typed_encoder_doc)},
    {Py_tp_new, reinterpret_cast<void*>(typed_encoder_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<typed_encoder_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(typed_encoder_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(typed_encoder_clear)},
    {Py_tp_repr, reinterpret_cast<void*>(typed_encoder_repr)},
    {Py_tp_methods, typed_encoder_methods},
    {0, nullptr},
};

}  // namespace

bool compile_typed(State& state, PyObject* const* slots, EncodeSettings& settings) noexcept {
    const Owned plans = plans_by(state, "kept_plans", slots[kType]);
    if (!plans) return false;
    settings.use_plans(plans.get());
    return compile_settings(slots, settings);
}

unsigned version_of_class(PyTypeObject* type, const State& state) noexcept { return make_type_version(type, state.encoder.own.value_name); }

Owned prepared(const encode::Options& options, PyObject* value) noexcept {
    PyObject* const prepare = options.plans->prepare;
    return OCIOR_UNLIKELY(prepare != nullptr) ? Owned::steal(PyObject_CallOneArg(prepare, value)) : Owned::borrow(value);
}

PyObject* dumps_typed(State& state, const encode::Options& options, PyObject* value) noexcept {
    if (OCIOR_LIKELY(!options.plans->prepare)) return encode::dumps(state.encoder, state.constants, options, value);
    const Owned other = prepared(options, value);
    return other ? encode::dumps(state.encoder, state.constants, options, other.get()) : nullptr;
}

bool add_typed_encoder_types(PyObject* module, State& state) noexcept {
    const Owned plans = Owned::steal(
        make_type(module, "ocior.EncodePlans", sizeof(PlansObject), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, plans_slots));
    const Owned encoder = Owned::steal(
        make_type(module, "ocior.Encoder", sizeof(TypedEncoderObject), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, typed_encoder_slots));
    if (!plans || !encoder || PyModule_AddObjectRef(module, "EncodePlans", plans.get()) < 0 ||
        PyModule_AddObjectRef(module, "TypedEncoder", encoder.get()) < 0)
        return false;
    state.encoder.own.plans_type = reinterpret_cast<PyTypeObject*>(new_ref(plans.get()));
    return true;
}

}  // namespace ocior::module
