// loads and load: their keywords are compiled to decode::Options, or handed to a decoder class.
#include "module/functions.h"

#include "module/arguments.h"
#include "module/decoder.h"
#include "module/loads_options.h"
#include "module/state.h"
#include "module/suggestion.h"
#include "module/typed_decoder.h"
#include "py/taken_error.h"

namespace ocior::module {
namespace {

// The slots of the arguments; those of LoadsOption begin at kOptions.
constexpr std::size_t kInput = 0, kCls = 1, kOptions = 2, kType = kOptions + kLoadsOptionCount, kCount = kType + 1;
static_assert(std::size(kLoadsNames) == kCount && std::size(kLoadNames) == kCount);
using LoadNames = Names<kCount>;

// Sets `hook` to what is given for parse_float, parse_int or parse_constant, unless that is false, which json replaces by the constructor
// `built_in`, or this constructor itself: neither needs a call. False with an error set.
[[nodiscard]] bool read_parse_hook(PyObject* given, PyTypeObject* built_in, PyObject*& hook) noexcept {
    if (!given || given == Py_None || given == reinterpret_cast<PyObject*>(built_in)) return true;
    const int truth = PyObject_IsTrue(given);
    if (truth > 0) hook = given;
    return truth >= 0;
}

// The keywords that json hands to a decoder class: hooks that are not None, and all that its own functions have no parameter for. Empty
// with an error set.
Owned keywords_for_class(const Arguments& arguments, const LoadNames& names, PyObject* const* slots, bool has_class) noexcept {
    Owned keywords = Owned::steal(PyDict_New());
    if (!keywords) return {};
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(arguments.kwnames, k);
        const std::size_t i = names.find(name);
        const bool is_own = i >= kOptions + kPolicies || (i == kOptions + kArrayHook && !kJsonHasArrayHook);  // no keyword of json's
        const bool passes = i == kCount || i == kOptions + kStrict || (is_own && has_class);
        if (passes && PyDict_SetItem(keywords.get(), name, arguments.values[arguments.positional + k]) < 0) return {};
    }
    for (const std::size_t i : {kObjectHook, kObjectPairsHook, kParseFloat, kParseInt, kParseConstant, kArrayHook}) {
        if (i == kArrayHook && !(has_class && kJsonHasArrayHook)) continue;
        const std::size_t slot = kOptions + i;
        if (not_none(slots[slot]) && PyDict_SetItem(keywords.get(), names.interned[slot], slots[slot]) < 0) return {};
    }
    return keywords;
}

// The first keyword that has no slot, borrowed; null where there is none.
PyObject* first_unknown(const Arguments& arguments, const LoadNames& names) noexcept {
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k)
        if (PyObject* const name = PyTuple_GET_ITEM(arguments.kwnames, k); names.find(name) == kCount) return name;
    return nullptr;
}

// Does what loads and load do with `input` and the keywords in `slots`. Where no class is given, json's refuses unknown keywords. Null with
// an error set.
PyObject* loads_with(State& state, PyObject* module, PyObject* input, Sorting sorting, const Arguments& arguments, const LoadNames& names,
                     PyObject* const* slots) noexcept {
    PyObject* const cls = not_none(slots[kCls]);
    if (cls || sorting == Sorting::kUnknownName) {
        const Owned text = decode::text_of(state.decoder, input);
        const Owned keywords = text ? keywords_for_class(arguments, names, slots, cls != nullptr) : Owned();
        if (!keywords) return nullptr;
        if (cls) return decode_by_class(state, cls, keywords.get(), text.get());
        PyObject* const value = decode_by_class(state, state.json_decoding.decoder_type, keywords.get(), text.get());
        if (!value) suggest_keyword(first_unknown(arguments, names), KeywordNames(kLoadsNames).subspan(kCls));
        return value;
    }
    if (PyObject* const type = not_none(slots[kType])) {
        if (!may_have_type(slots + kOptions)) return nullptr;
        return loads_typed(state, module, type, slots[kOptions + kStrict], slots + kOptions + kPolicies, input);
    }
    decode::Options options;
    if (!read_loads_options(state, slots + kOptions, options)) {
        // json looks at the input first: where that is refused, too, its error is raised.
        TakenError error;
        if (decode::text_of(state.decoder, input)) error.restore();
        return nullptr;
    }
    return decode::loads(state.decoder, options, input);
}

OCIOR_NOINLINE PyObject* loads_by_arguments(State& state, PyObject* module, const Arguments& lent) noexcept {
    const HeldArguments arguments(module, lent);
    if (!arguments) return nullptr;
    PyObject* slots[kCount] = {};
    const Sorting sorting = sort_arguments(arguments, state.loads_names, slots);
    if (sorting == Sorting::kRefused) return call(state.json_decoding.loads, arguments);  // in json's words
    return loads_with(state, module, slots[kInput], sorting, arguments, state.loads_names, slots);
}

}  // namespace

bool may_have_type(PyObject* const* slots) noexcept {
    for (const std::size_t i : {kObjectHook, kParseFloat, kParseInt, kParseConstant, kObjectPairsHook, kArrayHook})
        if (not_none(slots[i])) return PyErr_Format(PyExc_TypeError, "%s cannot be given beside type", kLoadsNames[kOptions + i]), false;
    return true;
}

bool read_loads_options(State& state, PyObject* const* slots, decode::Options& options) noexcept {
    options.object_hook = not_none(slots[kObjectHook]);
    options.object_pairs_hook = not_none(slots[kObjectPairsHook]);
    options.array_hook = not_none(slots[kArrayHook]);
    if (!read_parse_hook(slots[kParseFloat], &PyFloat_Type, options.parse_float) ||
        !read_parse_hook(slots[kParseInt], &PyLong_Type, options.parse_int) ||
        !read_parse_hook(slots[kParseConstant], nullptr, options.parse_constant) || !read_flag(slots[kStrict], true, options.strict) ||
        !read_policies(slots + kPolicies, options))
        return false;
    options.settle(state.constants.tricks, state.decoder.decimals);
    return true;
}

PyObject* loads(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    static constexpr decode::Options kDefaults;
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return decode::loads_without_hooks(state.decoder, kDefaults, values[0]);
    return loads_by_arguments(state, module, {values, positional, kwnames});
}

PyObject* load(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    PyObject* slots[kCount] = {};
    const Sorting sorting = sort_arguments(arguments, state.load_names, slots);
    if (sorting == Sorting::kRefused) return call(state.json_decoding.load, arguments);
    const Owned input = Owned::steal(PyObject_CallMethodNoArgs(slots[kInput], state.json_decoding.names.interned[kDecoderRead]));
    return input ? loads_with(state, module, input.get(), sorting, arguments, state.load_names, slots) : nullptr;
}

}  // namespace ocior::module
