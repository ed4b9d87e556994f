// dumps and dumps_to_bytes, and the two string functions of json.encoder.
#include "module/functions.h"

#include "module/encode_settings.h"

namespace ocior::module {
namespace {

// Encodes by an encoder object: of the user's class, or of json's own where arguments are to be refused in json's words.
PyObject* encode_by_object(State& state, const EncodeFunction& function, const Arguments& arguments, PyObject* value,
                           bool write_cache) noexcept {
    Owned encoder = make_encoder(state.json_encoding, arguments, function);
    if (!encoder) return nullptr;
    EncodeSettings settings{.options = function.defaults};
    settings.options.write_cache = write_cache;
    if (settings.compile(state.json_encoding, {encoder.get()}, true))
        return encode::dumps(state.encoder, state.constants, settings.options, value);
    if (PyErr_Occurred()) return nullptr;
    PyObject* text = PyObject_CallMethodOneArg(encoder.get(), state.json_encoding.encode_name, value);
    if (!function.defaults.to_bytes || !text || PyBytes_Check(text)) return text;
    const Owned owned = Owned::steal(text);
    return PyUnicode_AsUTF8String(text);
}

// A call of `function`. Its arguments are only sorted if it has keywords, and other ones than the last call.
template <const EncodeFunction& function>
OCIOR_INLINE PyObject* encode_call(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    constexpr bool kMayKeepUtf8 = function.extra == kWriteCache;
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) {
        if (!kMayKeepUtf8 || OCIOR_LIKELY(!state.write_cache))
            return encode::dumps(state.encoder, state.constants, function.defaults, values[0]);
        encode::Options options = function.defaults;
        options.write_cache = true;
        return encode::dumps(state.encoder, state.constants, options, values[0]);
    }
    KeptKeywords& keywords = state.*function.kept;
    if (const encode::Options* kept = keywords.find({values, positional, kwnames}))
        return encode::dumps(state.encoder, state.constants, encode::Options(*kept), values[0]);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    PyObject* slots[kEncodeSlots] = {};
    const Sorting sorting = sort_arguments(arguments, state.json_encoding.names, slots);
    if (sorting == Sorting::kRefused)
        return function.name ? refuse_arguments(function.name, arguments, kEncodeNames[kObject])
                             : call(state.json_encoding.dumps, arguments);
    EncodeSettings settings{.options = function.defaults};
    bool& write_cache = settings.options.write_cache;
    if constexpr (kMayKeepUtf8) {
        write_cache = state.write_cache;
        PyObject* const given = slots[kWriteCache];
        if (given && given != Py_None && !read_flag(given, false, write_cache)) return nullptr;
    }
    if (!function.knows_all(sorting, slots) || !settings.compile(slots))
        return encode_by_object(state, function, arguments, slots[kObject], write_cache);
    keywords.keep(arguments, settings.options);
    return encode::dumps(state.encoder, state.constants, settings.options, slots[kObject]);
}

}  // namespace

PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    return encode_call<kDumps>(module, values, positional, kwnames);
}
PyObject* dumps_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    return encode_call<kDumpsToBytes>(module, values, positional, kwnames);
}

namespace {

PyObject* quoted(PyObject* module, PyObject* str, bool ensure_ascii) noexcept {
    if (!check_str(str, ensure_ascii ? "encode_basestring_ascii() argument" : "encode_basestring() argument")) return nullptr;
    State& state = state_of(module);
    return encode::dumps(state.encoder, state.constants, {.ensure_ascii = ensure_ascii}, str);
}

}  // namespace

PyObject* encode_basestring(PyObject* module, PyObject* str) noexcept { return quoted(module, str, false); }
PyObject* encode_basestring_ascii(PyObject* module, PyObject* str) noexcept { return quoted(module, str, true); }

}  // namespace ocior::module
