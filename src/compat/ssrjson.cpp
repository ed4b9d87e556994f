#include "compat/parts.h"
#include "compat/state.h"

#include <string_view>

#include "compat/facade.h"
#include "compat/messages.h"
#include "decode/encoding.h"
#include "encode/types/rich.h"
#include "module/functions.h"
#include "module/level.h"
#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::compat {

using namespace module;

namespace {

// ---- keywords ----

bool is_name(PyObject* name, const char* text) noexcept { return PyUnicode_CompareWithASCIIString(name, text) == 0; }

// What json's keywords that ssrjson does not have do: a line on the standard error, once, or an error. True where they are left out.
[[nodiscard]] bool ignore_keyword(SsrjsonSettings& settings, const char* function, PyObject* name) noexcept {
    if (settings.is_strict) return PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument ''%U''", function, name), false;
    if (!settings.is_silent.exchange(true)) PySys_WriteStderr("Warning: some options are not supported in this version of ssrjson\n");
    return true;
}

// The only positional argument, which may be given by its name, borrowed. Calls take(name, value) for each other keyword, which says
// whether it could be taken. Null with an error set.
template <typename Take>
PyObject* read_arguments(const HeldArguments& arguments, const char* function, const char* first, Take&& take) noexcept {
    const Py_ssize_t positional = arguments.positional;
    if (positional > 1)
        return PyErr_Format(PyExc_TypeError, "%s() takes 1 positional argument but %zd were given", function, positional), nullptr;
    PyObject* input = positional == 1 ? arguments.values[0] : nullptr;
    for (Py_ssize_t i = 0; i < arguments.keyword_count(); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(arguments.kwnames, i);
        PyObject* const value = arguments.values[positional + i];
        if (!is_name(name, first)) {
            if (!take(name, value)) return nullptr;
        } else if (positional == 1) {
            return PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", function, first), nullptr;
        } else {
            input = value;
        }
    }
    if (!input) PyErr_Format(PyExc_TypeError, "%s() missing 1 required positional argument: '%s'", function, first);
    return input;
}

[[nodiscard]] bool read_bool(PyObject* given, const char* what, bool& flag) noexcept {
    if (!PyBool_Check(given)) return PyErr_Format(PyExc_TypeError, "%s must be True or False", what), false;
    flag = given == Py_True;
    return true;
}

[[nodiscard]] bool read_indent(PyObject* given, long& indent) noexcept {
    if (given == Py_None) return indent = 0, true;
    if (!PyLong_Check(given)) return PyErr_SetString(PyExc_TypeError, "indent must be an integer or None"), false;
    int overflow;
    indent = PyLong_AsLongAndOverflow(given, &overflow);
    if (indent == 2 || indent == 4) return true;
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "integer indent must be 2 or 4");
    return false;
}

// ---- dumps, dumps_to_bytes ----

constexpr const char kDumps[] = "dumps", kDumpsToBytes[] = "dumps_to_bytes", kLoads[] = "loads";

// ssrjson's JSONEncodeError is a class of the module, which write() puts in the place of these.
constexpr encode::Dialect kWriting = [] {
    encode::Dialect dialect = encode::kJsonInPython;
    dialect.reading = encode::Reading::kAtOnce;
    dialect.notes = encode::NoteStyle::kNone;
    dialect.max_depth = 1024;
    dialect.too_deep = {encode::ErrorClass::kValue, "Too many nested structures"};
    dialect.unknown_type = {encode::ErrorClass::kValue, "Unsupported type to encode"};
    dialect.unknown_key = {encode::ErrorClass::kValue, "Expected `str` as key"};
    dialect.low_integer = {encode::ErrorClass::kValue, "convert value to long long failed"};
    dialect.wide_integer = {encode::ErrorClass::kValue, "convert value to unsigned long long failed"};
    dialect.surrogate = {encode::ErrorClass::kValue, "Cannot encode unicode character in range [0xd800, 0xdfff] to UTF-8"};
    dialect.asks_encoder_class = false;
    return dialect;
}();

encode::Options options_of(const SsrjsonSettings& settings, bool to_bytes, long indent) noexcept {
    encode::Options options{
        .dialect = &kWriting,
        .ensure_ascii = false,
        .check_circular = false,
        .integers = encode::IntegerRange::k64Bits,
        .big_integers = BigIntegers::kError,
        .to_bytes = to_bytes,
        .write_cache = to_bytes && settings.writes_cache,
        .rich = encode::kStored | (settings.has_numpy ? encode::kPlainArrays : 0u),
        .pretty = indent > 0,
        .item = encode::kComma,
        .key = indent > 0 ? encode::kColonSpace : encode::kColon,
    };
    options.indent.count = static_cast<std::size_t>(indent);
    options.settle();
    return options;
}

// Errors of the encoder get ssrjson's name.
PyObject* write(State& state, const encode::Options& options, PyObject* value) noexcept {
    PyObject* const text = encode::dumps(state.encoder, state.constants, options, value);
    if (OCIOR_LIKELY(text != nullptr)) return text;
    TakenError taken;
    PyObject* const error = taken.value();
    const bool is_own = error && (Py_IS_TYPE(error, reinterpret_cast<PyTypeObject*>(PyExc_ValueError)) ||
                                  Py_IS_TYPE(error, reinterpret_cast<PyTypeObject*>(PyExc_TypeError)));
    if (!is_own || !state.ssrjson.encode_error) return taken.restore(), nullptr;
    const Owned message = Owned::steal(PyObject_Str(error));
    if (message) PyErr_SetObject(state.ssrjson.encode_error, message.get());
    return nullptr;
}

template <const char* function>
PyObject* dumps_as(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    constexpr bool kToBytes = function == kDumpsToBytes;
    State& state = state_of(module);
    SsrjsonSettings& settings = state.ssrjson.settings;
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return write(state, options_of(settings, kToBytes, 0), values[0]);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    long indent = 0;
    bool writes_cache = settings.writes_cache;
    PyObject* const value = read_arguments(arguments, function, "obj", [&](PyObject* name, PyObject* given) {
        if (is_name(name, "indent")) return read_indent(given, indent);
        if (kToBytes && is_name(name, "is_write_cache")) return read_bool(given, "is_write_cache argument", writes_cache);
        if (!kToBytes) return ignore_keyword(settings, function, name);
        return PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument ''%U''", function, name), false;
    });
    if (!value) return nullptr;
    encode::Options options = options_of(settings, kToBytes, indent);
    options.write_cache = kToBytes && writes_cache;
    return write(state, options, value);
}

// ---- loads ----

// The document as ssrjson counts places in it: a str, or the bytes as characters of their own. Empty with an error set.
Owned document_of(const decode::Refused& refused, decode::Error& error, Py_ssize_t& offset) noexcept {
    if (refused.document) return Owned::borrow(refused.document);
    // A string without an end that ends in the midst of a character is wrong where that begins.
    if (error == decode::Error::kUnterminatedString && !Owned::steal(decode::decode_bytes(refused.data, refused.length, true))) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return {};
        PyErr_Clear();
        error = decode::Error::kInvalidUtf8;
        offset = static_cast<Py_ssize_t>(refused.length);
    }
    return Owned::steal(PyUnicode_DecodeLatin1(static_cast<const char*>(refused.data), static_cast<Py_ssize_t>(refused.length), nullptr));
}

// The error is made of one str, which ends with the place. What a hook raises passes as it is.
PyObject* refuse_document(const decode::Refused& refused) noexcept {
    decode::Error error = refused.error;
    if (error == decode::Error::kPython) return nullptr;
    auto offset = static_cast<Py_ssize_t>(refused.offset);
    const Owned document = document_of(refused, error, offset);
    if (!document) return nullptr;
    const char* const message = ssrjson_message_of(error, document.get(), offset);
    PyObject* const type = refused.state.decode_error ? refused.state.decode_error : PyExc_ValueError;
    if (offset == kNoPlace) PyErr_SetString(type, message);
    else PyErr_Format(type, "%s, at position %zd", message, offset);
    return nullptr;
}

// ssrjson reads NaN and infinities, too.
constexpr decode::Dialect kReadingDialect = {.names_trailing_commas = true,
                                             .names_byte_order_mark = false,
                                             .asks_json_of_escape_at_end = false,
                                             .keeps_surrogates_of_str = true,
                                             .takes_words_in_any_case = true,
                                             .takes_utf8_only = true,
                                             .decodes_first = false,
                                             .refuse = refuse_document};
constexpr decode::Options kReading{
    .big_integers = BigIntegers::kFloat, .surrogates = Surrogates::kError, .dialect = &kReadingDialect, .max_depth = 1024};

PyObject* loads(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    const bool is_text = positional == 1 && (PyUnicode_Check(values[0]) || PyBytes_Check(values[0]));
    if (OCIOR_LIKELY(is_text && !kwnames)) return decode::loads(state.ssrjson.decoder, kReading, values[0]);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    decode::Options options = kReading;
    const auto read_hook = [](PyObject* given, const char* name, PyObject*& hook) {
        hook = given == Py_None ? nullptr : given;
        if (!hook || PyCallable_Check(hook)) return true;
        return PyErr_Format(PyExc_TypeError, "%s must be callable", name), false;
    };
    PyObject* const input = read_arguments(arguments, kLoads, "s", [&](PyObject* name, PyObject* given) {
        if (is_name(name, "object_hook")) return read_hook(given, "object_hook", options.object_hook);
        if (is_name(name, "array_hook")) return read_hook(given, "array_hook", options.array_hook);
        return ignore_keyword(state.ssrjson.settings, kLoads, name);
    });
    if (!input) return nullptr;
    if (!PyUnicode_Check(input) && !PyBytes_Check(input) && !PyByteArray_Check(input))
        return PyErr_Format(PyExc_TypeError, "the JSON object must be str, bytes or bytearray, not %.200s", Py_TYPE(input)->tp_name),
               nullptr;
    return decode::loads(state.ssrjson.decoder, options, input);
}

// ---- settings ----

template <const char* function>
PyObject* set_flag(PyObject* given, std::atomic<bool>& flag) noexcept {
    bool value = false;
    if (!read_bool(given, function, value)) return nullptr;
    flag = value;
    Py_RETURN_NONE;
}
constexpr const char kStrictArgument[] = "strict_argparse() argument", kCacheArgument[] = "write_utf8_cache() argument";

PyObject* strict_argparse(PyObject* module, PyObject* given) noexcept {
    return set_flag<kStrictArgument>(given, state_of(module).ssrjson.settings.is_strict);
}
PyObject* write_utf8_cache(PyObject* module, PyObject* given) noexcept {
    return set_flag<kCacheArgument>(given, state_of(module).ssrjson.settings.writes_cache);
}
PyObject* suppress_api_warning(PyObject* module, PyObject*) noexcept {
    state_of(module).ssrjson.settings.is_silent = true;
    Py_RETURN_NONE;
}

PyObject* get_current_features(PyObject* module, PyObject*) noexcept {
    const SsrjsonSettings& settings = state_of(module).ssrjson.settings;
    const auto flag = [](bool on) { return on ? Py_True : Py_False; };
    constexpr std::string_view kLevel = OCIOR_STRING(OCIOR_LEVEL_NAME);
    constexpr const char* kSimd = kLevel == "v4" ? "AVX512" : kLevel == "v3" ? "AVX2" : kLevel == "v2" ? "SSE4.2" : "NEON";
    return Py_BuildValue("{s:O,s:O,s:O,s:O,s:O,s:O,s:s}", "multi_lib", Py_True, "write_utf8_cache", flag(settings.writes_cache),
                         "strict_arg_parse", flag(settings.is_strict), "free_threading", flag(!layout::kHasGil), "lockfree", Py_False,
                         "pgo", Py_False, "simd", kSimd);
}

// Arrays are written once numpy has been named. Another module with all the names takes that back.
PyObject* setup_numpy_types(PyObject* module, PyObject* const* values, Py_ssize_t count) noexcept {
    if (count > 1) return PyErr_SetString(PyExc_TypeError, "setup_numpy_types() takes at most 1 argument"), nullptr;
    const Owned given = count == 1 ? Owned::borrow(values[0]) : Owned::steal(PyImport_ImportModule("numpy"));
    if (!given) return nullptr;
    if (!PyModule_Check(given.get())) return PyErr_SetString(PyExc_TypeError, "setup_numpy_types() argument must be a module"), nullptr;
    for (const char* name :
         {"float32", "int64", "int32", "uint64", "uint32", "bool_", "float16", "int16", "int8", "uint16", "uint8", "ndarray"})
        if (!get_attribute(given.get(), name)) return nullptr;
    const Owned arrays = get_attribute(given.get(), "ndarray"), of_numpy = encode::loaded("numpy", "ndarray");
    if (!arrays) return nullptr;
    state_of(module).ssrjson.settings.has_numpy = arrays.get() == of_numpy.get();
    Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {kDumps, as_method(dumps_as<kDumps>), METH_FASTCALL | METH_KEYWORDS,
     "dumps(obj, indent=None)\n--\n\nConverts arbitrary object recursively into JSON."},
    {kDumpsToBytes, as_method(dumps_as<kDumpsToBytes>), METH_FASTCALL | METH_KEYWORDS,
     "dumps_to_bytes(obj, indent=None, is_write_cache=None)\n--\n\nConverts arbitrary object recursively into JSON."},
    {kLoads, as_method(loads), METH_FASTCALL | METH_KEYWORDS, "loads(s)\n--\n\nConverts JSON as string to dict object structure."},
    {"get_current_features", as_method(get_current_features), METH_NOARGS, "get_current_features()\n--\n\nGet current features."},
    {"suppress_api_warning", as_method(suppress_api_warning), METH_NOARGS,
     "suppress_api_warning()\n--\n\nSuppress warning when invalid arguments received."},
    {"strict_argparse", strict_argparse, METH_O, "strict_argparse(value)\n--\n\nSet strict argument parsing mode. Default is False."},
    {"write_utf8_cache", write_utf8_cache, METH_O,
     "write_utf8_cache(value)\n--\n\nSet whether to write UTF-8 cache when calling dumps_to_bytes(). Default is True."},
    {"setup_numpy_types", as_method(setup_numpy_types), METH_FASTCALL,
     "setup_numpy_types(numpy_module=None)\n--\n\n"
     "Setup numpy type support. Pass the numpy module or call without arguments to auto-import numpy."},
};

bool add(PyObject* module, module::State& of_module) noexcept {
    Ssrjson& ssrjson = state_of(of_module).ssrjson;
    ssrjson.decoder.contexts.open(module);
    Facade facade("ssrjson");
    if (!facade.add(module, functions)) return false;
    ssrjson.decoder.decode_error = PyErr_NewException("ocior.compat.ssrjson.JSONDecodeError", PyExc_ValueError, nullptr);
    ssrjson.encode_error = PyErr_NewException("ocior.compat.ssrjson.JSONEncodeError", PyExc_ValueError, nullptr);
    if (!ssrjson.decoder.decode_error || !ssrjson.encode_error) return false;
    return facade.add("JSONDecodeError", new_ref(ssrjson.decoder.decode_error)) &&
           facade.add("JSONEncodeError", new_ref(ssrjson.encode_error)) && facade.finish(module);
}

int visit(module::State& state, PyObject* module, visitproc visit, void* arg) noexcept {
    const Ssrjson& ssrjson = state_of(state).ssrjson;
    Py_VISIT(ssrjson.encode_error);
    return ssrjson.decoder.visit(module, visit, arg);
}

void clear_cycles(module::State& state) noexcept {
    Ssrjson& ssrjson = state_of(state).ssrjson;
    ssrjson.decoder.clear_cycles();
    Py_CLEAR(ssrjson.encode_error);
}

void clear(module::State& state) noexcept { state_of(state).ssrjson.decoder.clear(); }

}  // namespace

const Part kSsrjsonPart{add, visit, clear_cycles, clear};

}  // namespace ocior::compat
