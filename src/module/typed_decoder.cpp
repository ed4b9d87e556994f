#include "module/typed_decoder.h"

#include <new>

#include "module/functions.h"
#include "module/level.h"
#include "module/policies.h"
#include "py/attribute.h"
#include "py/heap_type.h"
#include "typed/typed.h"

namespace ocior::module {
namespace {

constexpr std::size_t kMaxErrors = 100;

struct DecoderObject {
    struct Body : typed::DecoderParts {
        std::size_t max_errors = kMaxErrors;
    };

    PyObject_HEAD Body* body;
    PyObject* module;  // owned, as are those that follow
    PyObject* type;
};

DecoderObject* as_decoder(PyObject* object) noexcept { return reinterpret_cast<DecoderObject*>(object); }

[[nodiscard]] bool read_arguments(DecoderObject::Body& body, PyObject* const* policies, PyObject* max_errors) noexcept {
    if (!read_policies(policies, body.options)) return false;
    if (max_errors && !read_number(max_errors, "max_errors", PY_SSIZE_T_MAX, false, body.max_errors)) return false;
    if (max_errors && body.max_errors == 0) return PyErr_SetString(PyExc_ValueError, "max_errors must be at least 1"), false;
    return true;
}

PyObject* new_decoder(PyTypeObject* cls, PyObject* arguments, PyObject* keywords) noexcept {
    static const char* const kNames[] = {"type",       "strict",         "unknown",    "rules",        "convert",
                                         "max_errors", "duplicate_keys", "non_finite", "big_integers", "integer_bits",
                                         "surrogates", "max_depth",      nullptr};
    PyObject *type, *strict = Py_True, *unknown = nullptr, *rules = Py_None, *convert = Py_None, *max_errors = nullptr,
                    *policies[kPolicyCount] = {};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|$OOOOOOOOOOO:Decoder", const_cast<char**>(kNames), &type, &strict, &unknown,
                                     &rules, &convert, &max_errors, &policies[0], &policies[1], &policies[2], &policies[3], &policies[4],
                                     &policies[5]))
        return nullptr;
    PyObject* const module = module_of_type(cls);
    if (!module) return nullptr;
    State& state = state_of(module);
    const Owned hold[] = {Owned::borrow(module), Owned::borrow(type)};
    if (!typed::open(state.typed, state.decoder, reinterpret_cast<PyObject*>(state.encoder.own.raw_type))) return nullptr;
    const Owned self = Owned::steal(cls->tp_alloc(cls, 0));
    if (!self) return nullptr;
    DecoderObject& decoder = *as_decoder(self.get());
    decoder.module = new_ref(module);
    decoder.type = new_ref(type);
    auto* const body = decoder.body = new (std::nothrow) DecoderObject::Body;
    if (!body) return PyErr_NoMemory();
    if (!read_arguments(*body, policies, max_errors)) return nullptr;
    const int is_strict = PyObject_IsTrue(strict);
    if (is_strict < 0) return nullptr;
    const Owned positional = Owned::steal(PyTuple_Pack(1, type)),
                named =
                    Owned::steal(Py_BuildValue("{sOsOsO}", "strict", is_strict ? Py_True : Py_False, "rules", rules, "convert", convert));
    if (!positional || !named || (unknown && PyDict_SetItemString(named.get(), "unknown", unknown) < 0)) return nullptr;
    const Owned node = Owned::steal(PyObject_Call(state.typed.describe, positional.get(), named.get()));
    if (!node || !typed::compile(state.constants.tricks, node.get(), body->plan)) return nullptr;
    body->settle(state.constants.tricks, state.decoder.decimals);
    return Owned::borrow(self.get()).release();
}

PyObject* decode_with(PyObject* self, PyObject* input) noexcept {
    const Owned hold = Owned::borrow(self);  // see HeldArguments
    const DecoderObject& decoder = *as_decoder(self);
    if (OCIOR_UNLIKELY(!decoder.body || !decoder.module)) return refuse_late_call();
    const Owned module = Owned::borrow(decoder.module);
    State& state = state_of(module.get());
    return typed::loads(state.typed, state.decoder, parts_of_typed_decoder(self), input);
}

int visit_decoder(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    const DecoderObject& decoder = *as_decoder(self);
    Py_VISIT(decoder.module);
    Py_VISIT(decoder.type);
    return decoder.body ? decoder.body->visit(visit, arg) : 0;
}

int clear_decoder(PyObject* self) noexcept {
    DecoderObject& decoder = *as_decoder(self);
    Py_CLEAR(decoder.type);
    return 0;
}

int free_decoder_parts(PyObject* self) noexcept {
    DecoderObject& decoder = *as_decoder(self);
    delete std::exchange(decoder.body, nullptr);
    Py_CLEAR(decoder.module);
    return clear_decoder(self);
}

PyObject* repr_decoder(PyObject* self) noexcept {
    PyObject* const type = as_decoder(self)->type;
    return type ? PyUnicode_FromFormat("ocior.Decoder(%R)", type) : PyUnicode_FromString("ocior.Decoder()");
}

PyObject* type_of_decoder(PyObject* self, void*) noexcept {
    PyObject* const type = as_decoder(self)->type;
    return new_ref(type ? type : Py_None);
}

PyDoc_STRVAR(decoder_doc,
             "Decoder(type, *, strict=True, unknown='ignore', rules=None, convert=None,\n"
             "        max_errors=100, duplicate_keys='last', non_finite='constant',\n"
             "        big_integers='exact', integer_bits=64, surrogates='keep',\n"
             "        max_depth=None)\n"
             "--\n\n"
             "Decodes JSON documents into objects of a declared type.\n\n"
             "type: a dataclass, attrs class, TypedDict, NamedTuple, msgspec.Struct, an\n"
             "Enum, or any annotation made of these and of Python's own types.\n"
             "strict: False also takes numbers in strings and the like.\n"
             "unknown: 'ignore' or 'forbid', for keys that a class has no field for.\n"
             "rules: a dict of classes to Rules. convert: a dict of classes to Convert.\n"
             "max_errors: as many problems a ValidationError lists at most.\n"
             "The others are the policies of loads.\n\n"
             "Raises TypeError for a type that cannot be decoded.\n\n"
             "    >>> Decoder(list[int]).decode('[1, 2]')\n"
             "    [1, 2]");
PyDoc_STRVAR(decode_doc,
             "decode($self, data, /)\n"
             "--\n\n"
             "The object that the JSON document in data describes: a str, bytes, or any\n"
             "other contiguous buffer.\n\n"
             "Raises JSONDecodeError for text that is not JSON, ValidationError for a\n"
             "document that is not of the type, and what loads raises.");

PyMethodDef methods[] = {{"decode", as_method(decode_with), METH_O, decode_doc},
                         {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef attributes[] = {{"type", type_of_decoder, nullptr, "The type that is decoded into.", nullptr},
                            {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(decoder_doc)},
    {Py_tp_new, reinterpret_cast<void*>(new_decoder)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<free_decoder_parts>)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_decoder)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_decoder)},
    {Py_tp_repr, reinterpret_cast<void*>(repr_decoder)},
    {Py_tp_methods, methods},
    {Py_tp_getset, attributes},
    {0, nullptr},
};

}  // namespace

bool add_typed_decoder(PyObject* module, State& state) noexcept {
    (void)state;
    const Owned type = Owned::steal(make_type(module, "ocior.Decoder", sizeof(DecoderObject), Py_TPFLAGS_HAVE_GC, slots));
    return type && PyModule_AddObjectRef(module, "TypedDecoder", type.get()) == 0;
}

Owned typed_decoder_for(State& state, PyObject* module, PyObject* type, PyObject* strict, PyObject* const* policies) noexcept {
    if (!typed::open(state.typed, state.decoder, reinterpret_cast<PyObject*>(state.encoder.own.raw_type))) return {};
    const Owned cls = get_attribute(module, "TypedDecoder"), keywords = Owned::steal(PyDict_New());
    if (!cls || !keywords || (strict && PyDict_SetItemString(keywords.get(), "strict", strict) < 0)) return {};
    for (std::size_t i = 0; i < kPolicyCount; ++i)
        if (policies[i] && PyDict_SetItem(keywords.get(), state.json_decoding.names.interned[kDecoderPolicies + i], policies[i]) < 0)
            return {};
    const Owned positional = Owned::steal(PyTuple_Pack(2, cls.get(), type));
    Owned decoder = positional ? Owned::steal(PyObject_Call(state.typed.decoder_for, positional.get(), keywords.get())) : Owned();
    if (decoder && !Py_IS_TYPE(decoder.get(), reinterpret_cast<PyTypeObject*>(cls.get())))
        return PyErr_SetString(PyExc_TypeError, "no decoder"), Owned();
    return decoder;
}

typed::Decoder parts_of_typed_decoder(PyObject* decoder) noexcept {
    const DecoderObject& object = *as_decoder(decoder);
    DecoderObject::Body& body = *object.body;
    return {body.plan, body.memories, body.options, body.any_options, body.max_errors, object.type};
}

PyObject* loads_typed(State& state, PyObject* module, PyObject* type, PyObject* strict, PyObject* const* policies,
                      PyObject* input) noexcept {
    if (!typed::open(state.typed, state.decoder, reinterpret_cast<PyObject*>(state.encoder.own.raw_type))) return nullptr;
    // What is asked for again and again, a type and nothing else, is found by its address. The decoder keeps it alive, so nothing else can
    // have that.
    bool is_plain = layout::kHasGil && !strict;
    for (std::size_t i = 0; i < kPolicyCount; ++i) is_plain = is_plain && !policies[i];
    PyObject*& recent = state.typed.recent[reinterpret_cast<std::uintptr_t>(type) / 64 % typed::State::kRecent];
    if (is_plain && recent && as_decoder(recent)->type == type) return decode_with(recent, input);
    const Owned decoder = typed_decoder_for(state, module, type, strict, policies);
    if (!decoder) return nullptr;
    if (is_plain && as_decoder(decoder.get())->type == type) {
        PyObject* const old = std::exchange(recent, new_ref(decoder.get()));
        Py_XDECREF(old);
    }
    return decode_with(decoder.get(), input);
}

}  // namespace ocior::module
