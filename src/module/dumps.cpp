// dumps and dumps_to_bytes, and the two string functions of json.encoder.
#include "module/functions.h"

#include "module/encoder.h"
#include "module/late_encoder.h"
#include "module/typed_encoder.h"

namespace ocior::module {
namespace {

// Keeps what the arguments of a call were compiled to.
void keep(State& state, const EncodeFunction& function, const Arguments& arguments, const KeptKeywords::Compiled& compiled,
          PyObject* plans = nullptr) noexcept {
    if (const Lease kept(state.*function.kept); kept) kept->keep(arguments, compiled, state.encoder.own.default_type, plans);
}

// Encodes by an encoder object: of the user's class `cls`, or of json's own where arguments are to be refused in json's words.
PyObject* encode_by_object(State& state, const EncodeFunction& function, const Arguments& arguments, PyObject* const* slots,
                           bool write_cache, bool may_keep) noexcept {
    PyObject* const value = slots[kObject];
    PyObject* const cls = slots[kCls];
    KeptKeywords::Compiled compiled{.options = {},
                                    .cls = reinterpret_cast<PyTypeObject*>(cls),
                                    .class_version = cls ? version_of_plain_class(cls, state.json_encoding) : 0};
    Owned encoder = make_encoder(state.json_encoding, arguments, function);
    if (!encoder) return nullptr;
    EncodeSettings settings{.options = function.defaults};
    settings.options.write_cache = write_cache;
    if (settings.compile(state.json_encoding, {encoder.get()}, MayOverride::kNothing)) {
        PyObject* const given = slots[kDefault];
        if (may_keep && compiled.class_version != 0 && (!given || given == Py_None)) {
            compiled.options = settings.options;
            compiled.has_own_default = std::exchange(compiled.options.default_hook, nullptr) != nullptr;
            keep(state, function, arguments, compiled);
        }
        return encode::dumps(state.encoder, state.constants, settings.options, value);
    }
    if (PyErr_Occurred()) return nullptr;
    PyObject* text = PyObject_CallMethodOneArg(encoder.get(), state.json_encoding.encode_name, value);
    if (!function.defaults.to_bytes || !text || PyBytes_Check(text)) return text;
    const Owned owned = Owned::steal(text);
    return PyUnicode_AsUTF8String(text);
}

// Encodes a value that is written as its `type` says.
PyObject* encode_typed(State& state, const EncodeFunction& function, const Arguments& arguments, PyObject* const* slots,
                       EncodeSettings& settings, bool may_keep) noexcept {
    PyObject* const type = slots[kType];
    const unsigned version = PyType_Check(type) ? version_of_class(reinterpret_cast<PyTypeObject*>(type), state) : 0;
    if (!compile_typed(state, slots, settings)) return nullptr;
    const bool is_prepared = settings.options.plans->prepare != nullptr;
    if (may_keep && version != 0 && !is_prepared)
        keep(state, function, arguments,
             {.options = settings.options, .cls = reinterpret_cast<PyTypeObject*>(type), .class_version = version}, settings.plans.get());
    return dumps_typed(state, settings.options, slots[kObject]);
}

// A call with an encoder class that was compiled to `options`, whose default() is asked.
OCIOR_NOINLINE PyObject* encode_with_late_encoder(State& state, PyObject* module, const Arguments& arguments,
                                                  const EncodeFunction& function, const encode::Options& options) noexcept {
    const LateEncoder encoder(state, module, arguments, function);
    encode::Options told = options;
    told.default_hook = encoder.hook();
    return told.default_hook ? encode::dumps(state.encoder, state.constants, told, arguments.values[0]) : nullptr;
}

// Whether write_utf8_cache() has changed nothing of what the function does.
template <const EncodeFunction& function>
OCIOR_INLINE bool writes_no_cache(const State& state) noexcept {
    return function.extra != kWriteCache || OCIOR_LIKELY(!state.write_cache);
}

// A call with keywords, and other ones than the last calls, or with wrong arguments.
template <const EncodeFunction& function>
OCIOR_NOINLINE PyObject* encode_by_arguments(State& state, PyObject* module, const Arguments& lent) noexcept {
    const HeldArguments arguments(module, lent);
    if (!arguments) return nullptr;
    PyObject* slots[kEncodeSlots] = {};
    const Sorting sorting = sort_arguments(arguments, state.json_encoding.names, slots);
    if (sorting == Sorting::kRefused)
        return function.name ? refuse_arguments(function.name, arguments, kEncodeNames[kObject])
                             : call(state.json_encoding.dumps, arguments);
    EncodeSettings settings{.options = function.defaults};
    bool& write_cache = settings.options.write_cache;
    bool may_keep = true;  // what write_utf8_cache() may change is not kept
    if constexpr (function.extra == kWriteCache) {
        write_cache = state.write_cache;
        may_keep = !write_cache;
        PyObject* const given = slots[kWriteCache];
        if (given && given != Py_None && !read_flag(given, false, write_cache)) return nullptr;
    }
    const bool knows_all = function.knows_all(sorting, slots);
    if (knows_all && is_typed(slots)) return encode_typed(state, function, arguments, slots, settings, may_keep);
    if (!knows_all || !settings.compile(slots))
        return encode_by_object(state, function, arguments, slots, write_cache, may_keep && sorting == Sorting::kGood && !slots[kType]);
    if (may_keep) keep(state, function, arguments, {.options = settings.options});
    return encode::dumps(state.encoder, state.constants, settings.options, slots[kObject]);
}

// A call with keywords, or that keeps UTF-8. Keywords are only sorted if none of the last calls had the same.
template <const EncodeFunction& function>
OCIOR_NOINLINE PyObject* encode_by_keywords(State& state, PyObject* module, const Arguments& arguments) noexcept {
    if (function.extra == kWriteCache && arguments.positional == 1 && !arguments.kwnames) {
        encode::Options options = function.defaults;
        options.write_cache = state.write_cache;
        return encode::dumps(state.encoder, state.constants, options, arguments.values[0]);
    }
    if (writes_no_cache<function>(state))
        if (const Lease kept(state.*function.kept); OCIOR_LIKELY(static_cast<bool>(kept)))
            if (const KeptKeywords::Compiled* const compiled = kept->find(arguments); OCIOR_LIKELY(compiled != nullptr)) {
                if (OCIOR_UNLIKELY(compiled->has_own_default))
                    return encode_with_late_encoder(state, module, arguments, function, compiled->options);
                return encode::dumps(state.encoder, state.constants, compiled->options, arguments.values[0]);
            }
    return encode_by_arguments<function>(state, module, arguments);
}

// A call of `function`. What needs room on the stack is done elsewhere, so that a call without keywords pays for none.
template <const EncodeFunction& function>
OCIOR_INLINE PyObject* encode_call(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames) && writes_no_cache<function>(state))
        return encode::dumps(state.encoder, state.constants, function.defaults, values[0]);
    return encode_by_keywords<function>(state, module, {values, positional, kwnames});
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
