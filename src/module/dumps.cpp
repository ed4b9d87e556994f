// dumps and dumps_to_bytes, and the two string functions of json.encoder.
#include "module/functions.h"

#include "module/encode_settings.h"

namespace ocior::module {
namespace {

// By way of an encoder object: a user's class, or json's own for arguments that it refuses in its own words, or does not look at.
PyObject* dumps_by_object(State& state, const Arguments& arguments, PyObject* value, bool to_bytes, bool write_cache) noexcept {
    Owned encoder = make_encoder(state.json_encoding, arguments, to_bytes ? Layout::kCompact : Layout::kJson);
    if (!encoder) return nullptr;
    EncodeSettings settings;
    if (settings.compile(state.json_encoding, {encoder.get()}, to_bytes, true)) {
        settings.options.write_cache = write_cache;
        return encode::dumps(state.encoder, state.constants, settings.options, value);
    }
    if (PyErr_Occurred()) return nullptr;
    PyObject* text = PyObject_CallMethodOneArg(encoder.get(), state.json_encoding.encode_name, value);
    if (!to_bytes || !text || PyBytes_Check(text)) return text;
    const Owned owned = Owned::steal(text);
    return PyUnicode_AsUTF8String(text);
}

}  // namespace

PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return encode::dumps(state.encoder, state.constants, encode::Options{}, values[0]);
    if (const encode::Options* kept = state.dumps_keywords.find({values, positional, kwnames}))
        return encode::dumps(state.encoder, state.constants, encode::Options(*kept), values[0]);
    const HeldArguments held(module, {values, positional, kwnames});
    if (!held) return nullptr;
    const Arguments& arguments = held.get();
    PyObject* slots[kDumpsSlots] = {};
    const Sorting sorting = sort_arguments(arguments, state.json_encoding.attribute_names, slots);
    if (sorting == Sorting::kRefused) return call(state.json_encoding.dumps, arguments);
    EncodeSettings settings;
    const bool plain = sorting == Sorting::kGood && !slots[kWriteCache] && (!slots[kCls] || slots[kCls] == Py_None);
    if (!plain || !settings.compile(slots, Layout::kJson, false)) return dumps_by_object(state, arguments, slots[kObject], false, false);
    state.dumps_keywords.keep(arguments, settings.options);
    return encode::dumps(state.encoder, state.constants, settings.options, slots[kObject]);
}

PyObject* dumps_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames))
        return encode::dumps(state.encoder, state.constants, EncodeSettings::compact_utf8(state.write_cache), values[0]);
    if (const encode::Options* kept = state.dumps_to_bytes_keywords.find({values, positional, kwnames}))
        return encode::dumps(state.encoder, state.constants, encode::Options(*kept), values[0]);
    const HeldArguments held(module, {values, positional, kwnames});
    if (!held) return nullptr;
    const Arguments& arguments = held.get();
    PyObject* slots[kDumpsSlots] = {};
    const Sorting sorting = sort_arguments(arguments, state.json_encoding.attribute_names, slots);
    if (sorting == Sorting::kRefused) return refuse_arguments("dumps_to_bytes", arguments, kDumpsNames[kObject]);
    EncodeSettings settings;
    bool write_cache = state.write_cache;
    if (slots[kWriteCache] && slots[kWriteCache] != Py_None && !read_flag(slots[kWriteCache], false, write_cache)) return nullptr;
    const bool plain = sorting == Sorting::kGood && (!slots[kCls] || slots[kCls] == Py_None);
    if (!plain || !settings.compile(slots, Layout::kCompact, true))
        return dumps_by_object(state, arguments, slots[kObject], true, write_cache);
    settings.options.write_cache = write_cache;
    state.dumps_to_bytes_keywords.keep(arguments, settings.options);
    return encode::dumps(state.encoder, state.constants, settings.options, slots[kObject]);
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
