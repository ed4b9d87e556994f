// msgspec.json: what ocior refuses, msgspec is asked again, by its own decoder or encoder of the same arguments. The cold half of it, the
// package's ocior/compat/msgspec/json.py, makes those, and says by which Node a type is read.
#include "compat/parts.h"
#include "compat/state.h"

#include <new>

#include "compat/facade.h"
#include "compat/msgspec_types.h"
#include "module/functions.h"
#include "py/attribute.h"
#include "py/heap_type.h"
#include "py/taken_error.h"
#include "typed/typed.h"

namespace ocior::compat {

using namespace module;

namespace {

// msgspec nests as deep as the interpreter's stack allows just now. What is deeper than this is left to it.
constexpr std::size_t kMostDepth = 200;

// Whether msgspec is to be asked: an error is set, and it is no lack of memory, and nothing that ends programs.
bool may_ask_again() noexcept { return PyErr_ExceptionMatches(PyExc_Exception) && !PyErr_ExceptionMatches(PyExc_MemoryError); }

// ---- encode ----

constexpr encode::Dialect kWriting = [] {
    encode::Dialect dialect = encode::kJsonInPython;
    dialect.reading = encode::Reading::kAtOnce;
    dialect.notes = encode::NoteStyle::kNone;
    dialect.max_depth = kMostDepth;
    dialect.asks_encoder_class = false;
    dialect.rounds_offsets = false;  // msgspec rounds in another way
    dialect.plan_of = msgspec_plan_of;
    dialect.read_key = read_msgspec_key;
    return dialect;
}();

encode::Options options_of(PyObject* hook) noexcept {
    using namespace encode;
    Options options{
        .dialect = &kWriting,
        .ensure_ascii = false,
        .check_circular = false,
        .non_finite = NonFiniteNumbers::kNull,
        .exponents = Exponents::kUnsignedLate,
        .to_bytes = true,
        .rich = kByDialect | kRich | kCommon | kUtcZ | kDecimalText,
        .default_hook = hook,
        .item = kComma,
        .key = kColon,
    };
    options.settle();
    return options;
}
const encode::Options kDefaultOptions = options_of(nullptr);

struct EncoderObject {
    PyObject_HEAD PyObject* module;  // owned, as are those that follow
    PyObject* hook;                  // null: none
    PyObject* otherwise;             // msgspec's encode method of the same arguments
    bool is_left;                    // all is left to msgspec
};
EncoderObject* as_encoder(PyObject* object) noexcept { return reinterpret_cast<EncoderObject*>(object); }

// The encoder that has this method of msgspec's. `hook`: the enc_hook, or None. `is_left`: whether all is left to msgspec.
PyObject* encoder_new(PyTypeObject* cls, PyObject* arguments, PyObject* keywords) noexcept {
    PyObject *otherwise, *hook;
    int is_left;
    static const char* const kNames[] = {"otherwise", "hook", "is_left", nullptr};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOp", const_cast<char**>(kNames), &otherwise, &hook, &is_left)) return nullptr;
    PyObject* const module = module_of_type(cls);
    PyObject* const self = module ? cls->tp_alloc(cls, 0) : nullptr;
    if (!self) return nullptr;
    EncoderObject& encoder = *as_encoder(self);
    encoder.module = new_ref(module);
    encoder.hook = hook == Py_None ? nullptr : new_ref(hook);
    encoder.otherwise = new_ref(otherwise);
    encoder.is_left = is_left;
    return self;
}

PyObject* encode_with(PyObject* self, PyObject* value) noexcept {
    const Owned hold = Owned::borrow(self), hold_value = Owned::borrow(value);
    const EncoderObject& encoder = *as_encoder(self);
    if (OCIOR_UNLIKELY(!encoder.module)) return refuse_late_call();
    if (!encoder.is_left) {
        State& state = state_of(encoder.module);
        PyObject* const text = encode::dumps(state.encoder, state.constants, options_of(encoder.hook), value);
        if (OCIOR_LIKELY(text != nullptr)) return text;
        if (!may_ask_again()) return nullptr;
        PyErr_Clear();
    }
    const Owned otherwise = Owned::borrow(encoder.otherwise);
    return PyObject_CallOneArg(otherwise.get(), value);
}

// The hook that these arguments name, null for none. False where they are more than a value, a hook and no order.
bool read_hook(const Arguments& arguments, PyObject*& hook) noexcept {
    hook = nullptr;
    if (arguments.positional != 1) return false;
    for (Py_ssize_t i = 0; i < arguments.keyword_count(); ++i) {
        PyObject *const name = PyTuple_GET_ITEM(arguments.kwnames, i), *const given = arguments.values[1 + i];
        const bool is_hook = PyUnicode_CompareWithASCIIString(name, "enc_hook") == 0;
        if (!is_hook && PyUnicode_CompareWithASCIIString(name, "order") != 0) return false;
        if (given == Py_None) continue;
        if (!is_hook || !PyCallable_Check(given)) return false;
        hook = given;
    }
    return true;
}

PyObject* encode(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) {
        const Owned hold = Owned::borrow(values[0]);
        PyObject* const text = encode::dumps(state.encoder, state.constants, kDefaultOptions, values[0]);
        if (OCIOR_LIKELY(text != nullptr)) return text;
        if (!may_ask_again()) return nullptr;
        PyErr_Clear();
        const Owned otherwise = Owned::borrow(state.msgspec.encode);
        return otherwise ? PyObject_CallOneArg(otherwise.get(), hold.get()) : refuse_late_call();
    }
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (PyObject* hook; read_hook(arguments, hook)) {
        PyObject* const text = encode::dumps(state.encoder, state.constants, options_of(hook), arguments.values[0]);
        if (OCIOR_LIKELY(text != nullptr)) return text;
        if (!may_ask_again()) return nullptr;
        PyErr_Clear();
    }
    const Owned otherwise = Owned::borrow(state.msgspec.encode);
    return module::call(otherwise.get(), arguments);
}

int visit_encoder(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_encoder(self)->module);
    Py_VISIT(as_encoder(self)->hook);
    Py_VISIT(as_encoder(self)->otherwise);
    return 0;
}

// An encoder in use holds what it needs.
int clear_encoder(PyObject* self) noexcept {
    Py_CLEAR(as_encoder(self)->module);
    Py_CLEAR(as_encoder(self)->hook);
    Py_CLEAR(as_encoder(self)->otherwise);
    return 0;
}

// ---- decode ----

constexpr decode::Dialect kReading = {
    .names_trailing_commas = false, .names_byte_order_mark = false, .asks_json_of_escape_at_end = false, .takes_utf8_only = true};

constexpr decode::Options kPolicies{
    .non_finite = NonFiniteNumbers::kError, .surrogates = Surrogates::kError, .dialect = &kReading, .max_depth = kMostDepth};

struct DecoderObject {
    enum class By : std::uint8_t { kMsgspec, kUntyped, kNode };

    // What it reads by, which never changes.
    struct Body : typed::DecoderParts {
        By by = By::kMsgspec;
    };

    PyObject_HEAD Body* body;
    PyObject* module;     // owned, as is
    PyObject* otherwise;  // msgspec's decode method of the same arguments
};
DecoderObject* as_decoder(PyObject* object) noexcept { return reinterpret_cast<DecoderObject*>(object); }

// The decoder that has this method of msgspec's. `node`: what hints.py would give; or None, for what is left to msgspec; or "any".
PyObject* decoder_new(PyTypeObject* cls, PyObject* arguments, PyObject* keywords) noexcept {
    PyObject *otherwise, *node;
    static const char* const kNames[] = {"otherwise", "node", nullptr};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO", const_cast<char**>(kNames), &otherwise, &node)) return nullptr;
    PyObject* const module = module_of_type(cls);
    if (!module) return nullptr;
    const Owned hold[] = {Owned::borrow(module), Owned::borrow(node), Owned::borrow(otherwise)};
    State& state = state_of(module);
    if (!typed::open(state.typed, state.decoder, reinterpret_cast<PyObject*>(state.encoder.own.raw_type))) return nullptr;
    const Owned self = Owned::steal(cls->tp_alloc(cls, 0));
    if (!self) return nullptr;
    DecoderObject& decoder = *as_decoder(self.get());
    decoder.module = new_ref(module);
    decoder.otherwise = new_ref(otherwise);
    auto* const body = decoder.body = new (std::nothrow) DecoderObject::Body;
    if (!body) return PyErr_NoMemory();
    body->options = kPolicies;
    if (PyUnicode_Check(node)) {
        body->by = DecoderObject::By::kUntyped;
    } else if (node != Py_None) {
        body->by = DecoderObject::By::kNode;
        if (!typed::compile(state.constants.tricks, node, body->plan)) return nullptr;
    }
    body->settle(state.constants.tricks, state.decoder.decimals);
    return Owned::borrow(self.get()).release();
}

// What ocior makes of the document, or msgspec of one that is left to it. Null with an error set.
PyObject* read_with(PyObject* self, PyObject* input) noexcept {
    using By = DecoderObject::By;
    const Owned hold = Owned::borrow(self), hold_input = Owned::borrow(input);
    const DecoderObject& decoder = *as_decoder(self);
    if (OCIOR_UNLIKELY(!decoder.body || !decoder.module)) return refuse_late_call();
    const Owned module = Owned::borrow(decoder.module);
    State& state = state_of(module.get());
    DecoderObject::Body& body = *decoder.body;
    if (body.by == By::kUntyped) return decode::loads_without_hooks(state.decoder, body.options, input);
    // Surrogates that a str holds itself are not looked for in what is skipped.
    if (OCIOR_UNLIKELY(PyUnicode_Check(input) && PyUnicode_KIND(input) > 1 && body.by == By::kNode) && has_surrogate(input))
        return PyErr_SetString(PyExc_ValueError, "a str with surrogates"), nullptr;
    if (OCIOR_LIKELY(body.by == By::kNode))
        return typed::loads(state.typed, state.decoder, {body.plan, body.memories, body.options, body.any_options, 1, nullptr, true, false},
                            input);
    const Owned otherwise = Owned::borrow(decoder.otherwise);
    return otherwise ? PyObject_CallOneArg(otherwise.get(), input) : refuse_late_call();
}

// What comes of a document that is refused, with the error set.
PyObject* ask_again(PyObject* self, PyObject* input) noexcept {
    const DecoderObject& decoder = *as_decoder(self);
    if (!decoder.body || decoder.body->by == DecoderObject::By::kMsgspec || !may_ask_again()) return nullptr;
    TakenError error;
    PyObject* const reason = error.value();
    const Owned name = Owned::steal(PyUnicode_InternFromString("_ask_again"));
    return name ? PyObject_CallMethodObjArgs(self, name.get(), input, reason ? reason : Py_None, nullptr) : nullptr;
}

PyObject* decode_with(PyObject* self, PyObject* input) noexcept {
    const Owned hold = Owned::borrow(self), hold_input = Owned::borrow(input);
    PyObject* const value = read_with(self, input);
    return OCIOR_LIKELY(value != nullptr) ? value : ask_again(self, input);
}

// The decoder that was kept for these arguments: a document, and maybe a type. Empty, without an error, where there is none.
Owned find_decoder(const Msgspec& own, const Arguments& arguments) noexcept {
    if (OCIOR_UNLIKELY(arguments.positional != 1)) return {};
    if (!arguments.kwnames) return Owned::borrow(own.untyped);
    if (PyTuple_GET_SIZE(arguments.kwnames) != 1 || PyTuple_GET_ITEM(arguments.kwnames, 0) != own.type_name) return {};
    const Owned decoders = Owned::borrow(own.decoders), type = Owned::borrow(arguments.values[1]);
    Owned decoder = decoders ? value_of_key(decoders.get(), type.get()) : Owned();
    if (OCIOR_UNLIKELY(!decoder)) PyErr_Clear();  // it cannot be hashed
    return decoder;
}

PyObject* decode(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    Msgspec& own = state_of(module).msgspec;
    const Owned document = Owned::borrow(positional == 1 ? values[0] : nullptr);
    if (const Owned decoder = find_decoder(own, {values, positional, kwnames}); OCIOR_LIKELY(decoder))
        return decode_with(decoder.get(), document.get());
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    const Owned otherwise = Owned::borrow(own.decode);
    return module::call(otherwise.get(), arguments);
}

int visit_decoder(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    const DecoderObject& decoder = *as_decoder(self);
    Py_VISIT(decoder.module);
    Py_VISIT(decoder.otherwise);
    return decoder.body ? decoder.body->visit(visit, arg) : 0;
}

int clear_decoder(PyObject* self) noexcept {
    Py_CLEAR(as_decoder(self)->otherwise);
    return 0;
}

int free_decoder_parts(PyObject* self) noexcept {
    DecoderObject& decoder = *as_decoder(self);
    delete std::exchange(decoder.body, nullptr);
    Py_CLEAR(decoder.module);
    return clear_decoder(self);
}

// ---- the part ----

// Takes what struct Msgspec has.
PyObject* open(PyObject* module, PyObject* arguments) noexcept {
    Msgspec& own = state_of(module).msgspec;
    PyObject *decoders, *untyped, *decode, *encode;
    if (!PyArg_ParseTuple(arguments, "O!OOO", &PyDict_Type, &decoders, &untyped, &decode, &encode)) return nullptr;
    own.for_each([](PyObject*& one) { Py_CLEAR(one); });
    own.decoders = new_ref(decoders);
    own.untyped = new_ref(untyped);
    own.decode = new_ref(decode);
    own.encode = new_ref(encode);
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"decode", as_method(decode), METH_FASTCALL | METH_KEYWORDS,
     "decode(buf, /, *, type='Any', strict=True, dec_hook=None)\n--\n\n"
     "Deserialize an object from JSON, as the type says."},
    {"encode", as_method(encode), METH_FASTCALL | METH_KEYWORDS,
     "encode(obj, /, *, enc_hook=None, order=None)\n--\n\n"
     "Serialize an object as JSON, to bytes."},
    {"open", open, METH_VARARGS, nullptr},
};

PyMethodDef encoder_methods[] = {
    {"encode", as_method(encode_with), METH_O, "encode($self, obj, /)\n--\n\nSerialize an object to bytes."},
    {nullptr, nullptr, 0, nullptr},
};
PyMethodDef decoder_methods[] = {
    {"decode", as_method(decode_with), METH_O,
     "decode($self, buf, /)\n--\n\nDeserialize an object from JSON: a str, or a buffer of UTF-8."},
    {"_read", as_method(read_with), METH_O, nullptr},
    {"__class_getitem__", Py_GenericAlias, METH_O | METH_CLASS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};
PyType_Slot encoder_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(encoder_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<clear_encoder>)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_encoder)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_encoder)},
    {Py_tp_methods, encoder_methods},
    {0, nullptr},
};
PyType_Slot decoder_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(decoder_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<free_decoder_parts>)},
    {Py_tp_traverse, reinterpret_cast<void*>(visit_decoder)},
    {Py_tp_clear, reinterpret_cast<void*>(clear_decoder)},
    {Py_tp_methods, decoder_methods},
    {0, nullptr},
};

bool add(PyObject* module, module::State& of_module) noexcept {
    State& state = state_of(of_module);
    Facade facade("msgspec.json");
    if (!(state.msgspec.type_name = PyUnicode_InternFromString("type")) || !facade.add(module, functions)) return false;
    constexpr unsigned long kFlags = Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE;
    return facade.add("Encoder", make_type(module, "ocior.compat.msgspec.json.Encoder", sizeof(EncoderObject), kFlags, encoder_slots)) &&
           facade.add("Decoder", make_type(module, "ocior.compat.msgspec.json.Decoder", sizeof(DecoderObject), kFlags, decoder_slots)) &&
           facade.finish(module, "msgspec");
}

int visit(module::State& state, PyObject*, visitproc visit, void* arg) noexcept {
    int stop = 0;
    state_of(state).msgspec.for_each([&](PyObject* one) {
        if (!stop && one) stop = visit(one, arg);
    });
    return stop;
}

void clear_cycles(module::State& state) noexcept {
    state_of(state).msgspec.for_each([](PyObject*& one) { Py_CLEAR(one); });
}

void clear(module::State& state) noexcept { Py_CLEAR(state_of(state).msgspec.type_name); }

}  // namespace

const Part kMsgspecPart{add, visit, clear_cycles, clear};

}  // namespace ocior::compat
