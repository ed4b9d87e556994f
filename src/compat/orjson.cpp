#include "compat/parts.h"
#include "compat/state.h"

#include "compat/facade.h"
#include "compat/messages.h"
#include "decode/errors/raise.h"
#include "module/functions.h"
#include "py/attribute.h"
#include "py/heap_type.h"
#include "py/taken_error.h"

namespace ocior::compat {

using namespace module;

namespace {

// ---- options ----

constexpr long kIndent2 = 1 << 0, kNaiveUtc = 1 << 1, kNonStrKeys = 1 << 2, kOmitMicroseconds = 1 << 3, kSerializeNumpy = 1 << 4,
               kSortKeys = 1 << 5, kStrictInteger = 1 << 6, kUtcZ = 1 << 7, kPassthroughSubclass = 1 << 8, kPassthroughDatetime = 1 << 9,
               kAppendNewline = 1 << 10, kPassthroughDataclass = 1 << 11, kAllOptions = (1 << 12) - 1;

struct NamedOption {
    const char* name;
    long value;
};
constexpr NamedOption kOptions[] = {
    {"OPT_APPEND_NEWLINE", kAppendNewline},
    {"OPT_INDENT_2", kIndent2},
    {"OPT_NAIVE_UTC", kNaiveUtc},
    {"OPT_NON_STR_KEYS", kNonStrKeys},
    {"OPT_OMIT_MICROSECONDS", kOmitMicroseconds},
    {"OPT_PASSTHROUGH_DATACLASS", kPassthroughDataclass},
    {"OPT_PASSTHROUGH_DATETIME", kPassthroughDatetime},
    {"OPT_PASSTHROUGH_SUBCLASS", kPassthroughSubclass},
    {"OPT_SERIALIZE_DATACLASS", 0},
    {"OPT_SERIALIZE_NUMPY", kSerializeNumpy},
    {"OPT_SERIALIZE_UUID", 0},
    {"OPT_SORT_KEYS", kSortKeys},
    {"OPT_STRICT_INTEGER", kStrictInteger},
    {"OPT_UTC_Z", kUtcZ},
};

// orjson's JSONEncodeError is TypeError.
constexpr encode::Dialect dialect_of(bool has_any_keys, bool has_53_bits) noexcept {
    encode::Dialect dialect = encode::kJsonInPython;
    dialect.reading = encode::Reading::kAtOnce;
    dialect.notes = encode::NoteStyle::kNone;
    dialect.max_depth = 254;
    dialect.too_deep = dialect.circular = {encode::ErrorClass::kType, "Recursion limit reached"};
    dialect.too_deep_hook = {encode::ErrorClass::kType, "default serializer exceeds recursion limit"};
    dialect.unknown_type = {encode::ErrorClass::kType, "Type is not JSON serializable: %.200s", encode::Refusal::Shown::kTypeName};
    dialect.unknown_key = {encode::ErrorClass::kType,
                           has_any_keys ? "Dict key must a type serializable with OPT_NON_STR_KEYS" : "Dict key must be str"};
    dialect.wide_integer = dialect.huge_integer = {encode::ErrorClass::kType, "Integer exceeds 64-bit range"};
    if (has_53_bits) dialect.wide_integer = {encode::ErrorClass::kType, "Integer exceeds 53-bit range"};
    dialect.wide_key = {encode::ErrorClass::kType, "Dict integer key must be within 64-bit range"};
    dialect.surrogate = {encode::ErrorClass::kType, "str is not valid UTF-8: surrogates not allowed"};
    dialect.asks_encoder_class = false;
    dialect.chains_hook_errors = true;
    return dialect;
}
constexpr encode::Dialect kWriting[] = {dialect_of(false, false), dialect_of(false, true), dialect_of(true, false), dialect_of(true, true)};

encode::Options options_of(long option, PyObject* hook) noexcept {
    using namespace encode;
    const auto flag = [option](long bit, std::uint32_t flags) { return option & bit ? flags : 0u; };
    const bool is_pretty = option & kIndent2;
    Options options{
        .dialect = &kWriting[((option & kNonStrKeys) != 0) * 2 + ((option & kStrictInteger) != 0)],
        .ensure_ascii = false,
        .check_circular = false,
        .non_finite = NonFiniteNumbers::kNull,
        .integers = option & kStrictInteger ? IntegerRange::k53Bits : IntegerRange::k64Bits,
        .big_integers = BigIntegers::kError,
        .exponents = Exponents::kUnpaddedLate,
        .sort_keys = (option & kSortKeys) != 0,
        .ends_with_newline = (option & kAppendNewline) != 0,
        .to_bytes = true,
        .rich = kRich | kStored | kNormalizedZones | kNoPrivateFields | flag(compat::kNaiveUtc, encode::kNaiveUtc) |
                flag(compat::kUtcZ, encode::kUtcZ) | flag(kOmitMicroseconds, kNoMicroseconds) |
                (option & kNonStrKeys ? kRichKeys : kExactKeys) | flag(kSerializeNumpy, kArrays) |
                flag(kPassthroughSubclass, kPassSubclasses) | flag(kPassthroughDataclass, kPassDataclasses) |
                flag(kPassthroughDatetime, kPassDatetimes),
        .pretty = is_pretty,
        .default_hook = hook,
        .item = kComma,
        .key = is_pretty ? kColonSpace : kColon,
    };
    options.indent.count = is_pretty ? 2 : 0;
    options.settle();
    return options;
}
const encode::Options kDefaultOptions = options_of(0, nullptr);

// ---- dumps ----

PyObject* refuse(const char* message) noexcept { return PyErr_SetString(PyExc_TypeError, message), nullptr; }

// Whatever went wrong is a JSONEncodeError, but for what is no Exception, and for lack of memory.
PyObject* fail_as_encode_error() noexcept {
    if (!PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError) || PyErr_ExceptionMatches(PyExc_TypeError))
        return nullptr;
    TakenError cause;
    PyObject* const reason = cause.value();
    const Owned message = reason ? Owned::steal(PyObject_Str(reason)) : Owned();
    if (!message) return nullptr;
    PyErr_SetObject(PyExc_TypeError, message.get());
    TakenError error;
    if (PyObject* const made = error.value()) PyException_SetCause(made, new_ref(reason));
    error.restore();
    return nullptr;
}

// An option, as orjson takes it: an int, exactly, or None. -1 with an error set.
long read_option(PyObject* given) noexcept {
    if (!given || given == Py_None) return 0;
    if (!PyLong_CheckExact(given)) return refuse("Invalid opts"), -1;
    int overflow;
    const long option = PyLong_AsLongAndOverflow(given, &overflow);
    if (overflow || option < 0 || option > kAllOptions) return refuse("Invalid opts"), -1;
    return option;
}

PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) {
        PyObject* const text = encode::dumps(state.encoder, state.constants, kDefaultOptions, values[0]);
        return OCIOR_LIKELY(text != nullptr) ? text : fail_as_encode_error();
    }
    if (positional == 1 && PyTuple_GET_SIZE(kwnames) == 1 && PyTuple_GET_ITEM(kwnames, 0) == state.orjson.option_name) {
        const long bits = read_option(values[1]);
        if (bits < 0) return nullptr;
        PyObject* const text = encode::dumps(state.encoder, state.constants, options_of(bits, nullptr), values[0]);
        return OCIOR_LIKELY(text != nullptr) ? text : fail_as_encode_error();
    }
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional == 0) return refuse("dumps() missing 1 required positional argument: 'obj'");
    if (positional > 3) return PyErr_Format(PyExc_TypeError, "dumps() takes at most 3 positional arguments (%zd given)", positional);
    PyObject* hook = positional > 1 ? arguments.values[1] : nullptr;
    PyObject* option = positional > 2 ? arguments.values[2] : nullptr;
    for (Py_ssize_t i = 0; i < arguments.keyword_count(); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(kwnames, i);
        const bool is_hook = PyUnicode_CompareWithASCIIString(name, "default") == 0;
        if (!is_hook && PyUnicode_CompareWithASCIIString(name, "option") != 0) return refuse("dumps() got an unexpected keyword argument");
        PyObject*& slot = is_hook ? hook : option;
        if (slot && positional > (is_hook ? 1 : 2))
            return PyErr_Format(PyExc_TypeError, "dumps() got multiple values for argument: '%U'", name);
        slot = arguments.values[positional + i];
    }
    const long bits = read_option(option);
    if (bits < 0) return nullptr;
    PyObject* const text =
        encode::dumps(state.encoder, state.constants, options_of(bits, hook == Py_None ? nullptr : hook), arguments.values[0]);
    return text ? text : fail_as_encode_error();
}

// ---- loads ----

PyObject* raise_decode_error(State& state, const char* message, PyObject* document) noexcept {
    PyErr_Clear();
    if (!state.orjson.decoder.decode_error) return refuse_late_call();
    const Owned text = document && PyUnicode_Check(document) ? Owned::borrow(document) : Owned::steal(PyUnicode_New(0, 0));
    return text ? decode::raise_at_start(state.orjson.decoder, message, text.get()) : nullptr;
}

PyObject* refuse_document(const decode::Refused& refused) noexcept {
    decode::State& state = refused.state;
    if (refused.error == decode::Error::kPython) return decode::reraise_as_json(state, refused.document, refused.data, refused.length);
    std::size_t offset = refused.offset;
    const auto* const bytes = static_cast<const std::uint8_t*>(refused.data);
    const Owned document = refused.document ? Owned::borrow(refused.document) : decode::text_around(bytes, refused.length, true, offset);
    if (!document) return nullptr;
    auto place = static_cast<Py_ssize_t>(offset);
    const char* const message = orjson_message_of(refused.error, document.get(), place);
    return decode::raise_without_path(state, message, document.get(), place);
}

// orjson reads what RFC 8259 has and no more. (A str that holds a surrogate is refused before it is read.)
constexpr decode::Dialect kReading = {.names_trailing_commas = false,
                                      .names_byte_order_mark = false,
                                      .asks_json_of_escape_at_end = false,
                                      .keeps_surrogates_of_str = true,
                                      .takes_utf8_only = true,
                                      .refuse = refuse_document};

constexpr const char kNoUtf8[] = "str is not valid UTF-8: surrogates not allowed";

PyObject* loads(PyObject* module, PyObject* input) noexcept {
    const Owned hold = Owned::borrow(module);
    State& state = state_of(module);
    const bool is_str = PyUnicode_Check(input);
    const bool is_buffer = PyMemoryView_Check(input) ? PyBuffer_IsContiguous(PyMemoryView_GET_BUFFER(input), 'C')
                                                     : PyBytes_Check(input) || PyByteArray_Check(input);
    if (!is_str && !is_buffer) return raise_decode_error(state, "Input must be bytes, bytearray, memoryview, or str", nullptr);
    const Py_ssize_t length = is_str ? PyUnicode_GET_LENGTH(input) : PyObject_Size(input);
    if (length < 0) return nullptr;
    if (length == 0) return raise_decode_error(state, "Input is a zero-length, empty document", nullptr);
    if (is_str && OCIOR_UNLIKELY(PyUnicode_KIND(input) > 1) && has_surrogate(input)) return raise_decode_error(state, kNoUtf8, nullptr);
    static constexpr decode::Options kOptions{.non_finite = NonFiniteNumbers::kError,
                                              .big_integers = BigIntegers::kFloat,
                                              .surrogates = Surrogates::kError,
                                              .dialect = &kReading,
                                              .max_depth = 1024};
    PyObject* const value = decode::loads_without_hooks(state.orjson.decoder, kOptions, input);
    if (OCIOR_LIKELY(value != nullptr)) return value;
    if (PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return raise_decode_error(state, kNoUtf8, nullptr);
    return nullptr;
}

// ---- Fragment ----

using encode::RawObject;

RawObject* as_fragment(PyObject* object) noexcept { return reinterpret_cast<RawObject*>(object); }

// Anything is taken; what cannot be written is refused when it is met.
PyObject* fragment_new(PyTypeObject* type, PyObject* positional, PyObject* keywords) noexcept {
    if (PyTuple_GET_SIZE(positional) != 1 || (keywords && PyDict_GET_SIZE(keywords) > 0))
        return refuse("orjson.Fragment() takes exactly 1 positional argument");
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    PyObject* const contents = PyTuple_GET_ITEM(positional, 0);
    as_fragment(self)->text = new_ref(contents);
    if (!PyObject_IS_GC(contents)) PyObject_GC_UnTrack(self);  // it is in no cycle
    return self;
}

int fragment_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_fragment(self)->text);
    return 0;
}

// Called when an object is freed. (A cycle has other objects, which the garbage collector clears: the contents never change.)
int fragment_clear(PyObject* self) noexcept {
    Py_CLEAR(as_fragment(self)->text);
    return 0;
}

PyObject* fragment_get_contents(PyObject* self, void*) noexcept { return new_ref(as_fragment(self)->text); }

PyGetSetDef fragment_attributes[] = {
    {"contents", fragment_get_contents, nullptr, "What is written, a str or bytes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot fragment_slots[] = {
    {Py_tp_doc, const_cast<char*>("Fragment(contents, /)\n--\n\nJSON that is ready, a str or bytes, and trusted.")},
    {Py_tp_new, reinterpret_cast<void*>(fragment_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<fragment_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(fragment_traverse)},
    {Py_tp_getset, fragment_attributes},
    {0, nullptr},
};

PyMethodDef functions[] = {
    {"dumps", as_method(dumps), METH_FASTCALL | METH_KEYWORDS,
     "dumps(obj, /, default=None, option=None)\n--\n\nSerialize Python objects to JSON."},
    {"loads", loads, METH_O, "loads(obj, /)\n--\n\nDeserialize JSON to Python objects."},
};

bool add(PyObject* module, module::State& of_module) noexcept {
    State& state = state_of(of_module);
    state.orjson.decoder.contexts.open(module);
    if (!(state.orjson.option_name = PyUnicode_InternFromString("option"))) return false;
    Facade facade("orjson");
    for (const NamedOption& option : kOptions)
        if (!facade.add(option.name, PyLong_FromLong(option.value))) return false;
    if (!facade.add(module, functions)) return false;
    PyObject*& decode_error = state.orjson.decoder.decode_error;
    decode_error = PyErr_NewException("ocior.compat.orjson.JSONDecodeError", state.decoder.decode_error, nullptr);
    PyTypeObject*& fragment_type = state.encoder.own.fragment_type;
    fragment_type = reinterpret_cast<PyTypeObject*>(
        make_type(module, "orjson.Fragment", sizeof(RawObject), Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, fragment_slots));
    if (!decode_error || !fragment_type || !state.orjson.decoder.error_maker.learn(decode_error)) return false;
    return facade.add("JSONDecodeError", new_ref(decode_error)) && facade.add("JSONEncodeError", new_ref(PyExc_TypeError)) &&
           facade.add("Fragment", new_ref(reinterpret_cast<PyObject*>(fragment_type))) && facade.finish(module);
}

int visit(module::State& state, PyObject* module, visitproc visit, void* arg) noexcept {
    return state_of(state).orjson.decoder.visit(module, visit, arg);
}

void clear_cycles(module::State& state) noexcept { state_of(state).orjson.decoder.clear_cycles(); }

void clear(module::State& state) noexcept {
    Orjson& orjson = state_of(state).orjson;
    orjson.decoder.clear();
    Py_CLEAR(orjson.option_name);
}

}  // namespace

const Part kOrjsonPart{add, visit, clear_cycles, clear};

}  // namespace ocior::compat
