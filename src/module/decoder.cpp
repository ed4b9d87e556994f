#include "module/decoder.h"

#include "module/functions.h"
#include "module/level.h"
#include "module/scanner.h"
#include "module/suggestion.h"
#include "py/attribute.h"
#include "py/heap_type.h"

namespace ocior::module {

bool JsonDecoding::create(PyObject* decoder_module) noexcept {
    const Owned json = Owned::steal(PyImport_ImportModule("json")), scanner = Owned::steal(PyImport_ImportModule("json.scanner"));
    if (!json || !scanner || !names.create(kDecoderNames)) return false;
    const auto get = [](PyObject* owner, const char* name, PyObject*& slot) {
        slot = get_attribute(owner, name).release();
        return slot != nullptr;
    };
    PyObject* constants = nullptr;
    const bool found = get(json.get(), "load", load) && get(json.get(), "loads", loads) &&
                       get(decoder_module, "JSONDecoder", decoder_type) && get(decoder_type, "__init__", decoder_init) &&
                       get(decoder_type, "decode", decode) && get(decoder_type, "raw_decode", raw_decode) &&
                       get(decoder_module, "JSONObject", parse_object) && get(decoder_module, "JSONArray", parse_array) &&
                       get(scanner.get(), "c_make_scanner", scanner_type) && get(decoder_module, "_CONSTANTS", constants) &&
                       get(constants, "__getitem__", default_constant);
    Py_XDECREF(constants);
    return found;
}

namespace {

PyObject* raw_decode(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept;

bool is_method(PyObject* bound, PyObject* function, PyObject* self) noexcept {
    return PyMethod_Check(bound) && PyMethod_GET_FUNCTION(bound) == function && PyMethod_GET_SELF(bound) == self;
}

// Whether the attribute raw_decode of `decoder` is our method or json's. kFailed with an error set. (A quarter of the time of a small
// document is saved where no bound method need be made.)
Known has_known_raw_decode(const State& state, PyObject* decoder) noexcept {
    PyObject* const name = state.json_decoding.names.interned[kDecoderRawDecode];
    PyObject* found = nullptr;
    const bool is_unbound = exported::get_method && exported::get_method(decoder, name, &found);
    const Owned method = Owned::steal(exported::get_method ? found : PyObject_GetAttr(decoder, name));
    if (!method) return Known::kFailed;
    PyObject* const function = method.get();
    if (is_unbound) {
        const bool ours = Py_IS_TYPE(function, &PyMethodDescr_Type) &&
                          reinterpret_cast<PyMethodDescrObject*>(function)->d_method->ml_meth == as_method(raw_decode);
        return ours || function == state.json_decoding.raw_decode ? Known::kYes : Known::kNo;
    }
    const bool ours = PyCFunction_Check(function) && PyCFunction_GET_FUNCTION(function) == as_method(raw_decode) &&
                      PyCFunction_GET_SELF(function) == decoder;
    return ours || is_method(function, state.json_decoding.raw_decode, decoder) ? Known::kYes : Known::kNo;
}

// A scanner that is none of ours would read as json does, whatever the decoder was told. False with TypeError set where it was told
// something.
[[nodiscard]] OCIOR_NOINLINE bool may_have_scanner(const State& state, PyObject* decoder, PyObject* scanner) noexcept {
    const JsonDecoding& json = state.json_decoding;
    if (PyObject_TypeCheck(scanner, json.own_scanner_type) || !PyObject_TypeCheck(decoder, json.own_decoder_type)) return true;
    const Known has = has_policies(state, decoder);
    if (has == Known::kYes) PyErr_SetString(PyExc_TypeError, "decode_policies need a scan_once that is a scanner of ocior's");
    return has == Known::kNo;
}

// The options by which `decoder` reads at present, which are those of its scan_once. kNo where a program has replaced that by something
// else, kFailed with an error set.
Known options_of_decoder(State& state, PyObject* decoder, ScannerOptions& found) noexcept {
    const Owned scanner = Owned::steal(PyObject_GetAttr(decoder, state.json_decoding.names.interned[kDecoderScanOnce]));
    if (!scanner) return Known::kFailed;
    const Known known = options_of(state, scanner.get(), found);
    if (OCIOR_LIKELY(found.scanner.get() != nullptr) || known == Known::kFailed) return known;
    return may_have_scanner(state, decoder, scanner.get()) ? known : Known::kFailed;
}

// Does what json's decode does with a str. Null without an error set, and `known` is kNo, where that has to be left to Python code; null
// with an error set otherwise. The caller keeps both objects alive.
PyObject* decode_natively(State& state, PyObject* decoder, PyObject* str, Known& known) noexcept {
    ScannerOptions scanner;
    known = has_known_raw_decode(state, decoder);
    if (known == Known::kYes) known = options_of_decoder(state, decoder, scanner);
    return known == Known::kYes ? decode::loads_text(state.decoder, *scanner.options, str) : nullptr;
}

// (It is no METH_METHOD. Before 3.14 CPython crashes where such a method is bound by __get__ without a class.)
PyObject* decode_method(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    PyObject* const module = module_of_type(Py_TYPE(self));
    if (OCIOR_UNLIKELY(!module)) return nullptr;  // the class is being finalized
    State& state = state_of(module);
    const HeldArguments arguments(self, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (OCIOR_LIKELY(positional == 1 && !kwnames && PyUnicode_Check(arguments.values[0]))) {
        Known known;
        PyObject* value = decode_natively(state, self, arguments.values[0], known);
        if (OCIOR_LIKELY(known != Known::kNo)) return value;
    }
    return call(state.json_decoding.decode, arguments.with_self());
}

// The argument idx of raw_decode(s, idx=0). Negative where the arguments have to be left to json.
Py_ssize_t read_index(const Arguments& arguments) noexcept {
    const Py_ssize_t positional = arguments.positional, keywords = arguments.keyword_count();
    if (positional == 1 && keywords == 0) return 0;
    if (positional + keywords != 2 || positional == 0) return -1;
    if (keywords == 1 && PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(arguments.kwnames, 0), "idx") != 0) return -1;
    if (!PyLong_CheckExact(arguments.values[1])) return -1;
    const Py_ssize_t index = PyLong_AsSsize_t(arguments.values[1]);
    if (index == -1) PyErr_Clear();
    return index;
}

PyObject* raw_decode(PyObject* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    PyObject* const module = module_of_type(Py_TYPE(self));
    if (OCIOR_UNLIKELY(!module)) return nullptr;
    State& state = state_of(module);
    const HeldArguments arguments(self, {values, positional, kwnames});
    if (!arguments) return nullptr;
    const Py_ssize_t index = read_index(arguments);
    if (OCIOR_LIKELY(index >= 0 && PyUnicode_Check(arguments.values[0]))) {
        ScannerOptions scanner;
        const Known known = options_of_decoder(state, self, scanner);
        if (known == Known::kFailed) return nullptr;
        if (OCIOR_LIKELY(known == Known::kYes))
            return raw_decode_with(state, *scanner.options, arguments.values[0], static_cast<std::size_t>(index));
    }
    return call(state.json_decoding.raw_decode, arguments.with_self());
}

// Calls json.JSONDecoder.__init__ with arguments that it refuses, `unknown` among them if that is a keyword, for its words.
int refuse_init(const JsonDecoding& json, PyObject* self, PyObject* args, PyObject* kwargs, PyObject* unknown) noexcept {
    const Owned keywords = Owned::steal(kwargs ? PyDict_Copy(kwargs) : PyDict_New());
    if (!keywords) return -1;
    for (std::size_t i = kDecoderArrayHook; i < kDecoderKeywordCount; ++i) {
        PyObject* const name = json.names.interned[i];
        const int has_it = PyDict_Contains(keywords.get(), name);
        if (has_it < 0 || (has_it && PyDict_DelItem(keywords.get(), name) < 0)) return -1;
    }
    const int result = call_init(json.decoder_init, self, args, keywords.get());
    if (result < 0) suggest_keyword(unknown, {kDecoderNames, kDecoderKeywordCount});
    return result;
}

// The policies that are given, which `options` gets, as the dict that the decoder keeps: None if there are none. Empty with an error set.
Owned kept_policies(const JsonDecoding& json, const Owned (&given)[kDecoderKeywordCount], decode::Options& options) noexcept {
    PyObject* policies[kPolicyCount];
    Owned kept = Owned::borrow(Py_None);
    for (std::size_t i = 0; i < kPolicyCount; ++i) {
        policies[i] = given[kDecoderPolicies + i].get();
        if (!policies[i]) continue;
        if (kept.get() == Py_None) kept = Owned::steal(PyDict_New());
        if (!kept || PyDict_SetItem(kept.get(), json.names.interned[kDecoderPolicies + i], policies[i]) < 0) return {};
    }
    return kept.get() == Py_None || read_policies(policies, options) ? std::move(kept) : Owned();
}

int decoder_init(PyObject* self, PyObject* args, PyObject* kwargs) noexcept {
    PyObject* const module = module_of_type(Py_TYPE(self));
    if (!module) return -1;
    const JsonDecoding& json = state_of(module).json_decoding;
    const Owned hold_self = Owned::borrow(self), hold_args = Owned::borrow(args),
                hold_kwargs = Owned::borrow(kwargs);  // see HeldArguments
    Owned given[kDecoderKeywordCount];
    Owned unknown;
    const bool are_str = for_each_keyword(kwargs, [&](PyObject* key, PyObject* value) {
        const std::size_t name = json.names.find(key);
        if (name < kDecoderKeywordCount) given[name] = Owned::borrow(value);
        else if (!unknown) unknown = Owned::borrow(key);
    });
    if (!are_str) return -1;
    if (unknown || PyTuple_GET_SIZE(args) != 0) return refuse_init(json, self, args, kwargs, unknown.get());
    decode::Options policies;
    const Owned kept = kept_policies(json, given, policies);
    if (!kept) return -1;

    const auto set = [&](DecoderName name, PyObject* attribute) {
        return PyObject_SetAttr(self, json.names.interned[name], attribute) == 0;
    };
    const auto set_given = [&](DecoderName name, PyObject* otherwise) { return set(name, given[name] ? given[name].get() : otherwise); };
    // Sets what is given, or `otherwise` if that is false.
    const auto set_true = [&](DecoderName name, PyObject* otherwise) {
        const int truth = given[name] ? PyObject_IsTrue(given[name].get()) : 0;
        return truth >= 0 && set(name, truth ? given[name].get() : otherwise);
    };
    if (!json.own_scanner_type) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), -1;
    const bool are_set =
        set_given(kDecoderObjectHook, Py_None) && set_true(kDecoderParseFloat, reinterpret_cast<PyObject*>(&PyFloat_Type)) &&
        set_true(kDecoderParseInt, reinterpret_cast<PyObject*>(&PyLong_Type)) && set_true(kDecoderParseConstant, json.default_constant) &&
        set_given(kDecoderStrict, Py_True) && set_given(kDecoderObjectPairsHook, Py_None) && set_given(kDecoderArrayHook, Py_None) &&
        set(kDecoderParseObject, json.parse_object) && set(kDecoderParseArray, json.parse_array) &&
        set(kDecoderParseString, json.own_scanstring);
    if (!are_set) return -1;
    const Owned memo = Owned::steal(PyDict_New());
    if (!memo || !set(kDecoderMemo, memo.get()) || !set(kDecoderPoliciesKept, kept.get())) return -1;
    const Owned scanner = Owned::steal(new_scanner(module, json.own_scanner_type, self, policies));
    return scanner && set(kDecoderScanOnce, scanner.get()) ? 0 : -1;
}

PyDoc_STRVAR(decode_doc,
             "decode($self, s, _w=None)\n"
             "--\n\n"
             "The value of the JSON document in the str s.\n\n"
             "Raises JSONDecodeError for text that is not JSON.\n\n"
             "    >>> JSONDecoder().decode('[1, 2.5]')\n"
             "    [1, 2.5]");

PyDoc_STRVAR(raw_decode_doc,
             "raw_decode($self, s, idx=0)\n"
             "--\n\n"
             "The value that starts at s[idx], whatever follows it, and the index behind it:\n"
             "a tuple of two. Takes time in proportion to that value.\n\n"
             "    >>> JSONDecoder().raw_decode('[1] [2]')\n"
             "    ([1], 3)");

PyMethodDef methods[] = {
    {"decode", as_method(decode_method), METH_FASTCALL | METH_KEYWORDS, decode_doc},
    {"raw_decode", as_method(raw_decode), METH_FASTCALL | METH_KEYWORDS, raw_decode_doc},
    {nullptr, nullptr, 0, nullptr},
};

PyDoc_STRVAR(decoder_doc,
             "Decoder(*, object_hook=None, parse_float=None, parse_int=None,\n"
             "        parse_constant=None, strict=True, object_pairs_hook=None,\n"
             "        array_hook=None, duplicate_keys='last', non_finite='constant',\n"
             "        big_integers='exact', integer_bits=64, surrogates='keep',\n"
             "        max_depth=None)\n"
             "--\n\n"
             "The native half of ocior.JSONDecoder.");

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(decoder_doc)},
    {Py_tp_init, reinterpret_cast<void*>(decoder_init)},
    {Py_tp_methods, methods},
    {0, nullptr},
};

}  // namespace

PyObject* make_decoder_type(PyObject* module) noexcept {
    return make_type(module, OCIOR_MODULE_NAME ".Decoder", sizeof(PyObject), Py_TPFLAGS_BASETYPE, slots);
}

PyObject* decode_by_class(State& state, PyObject* cls, PyObject* keywords, PyObject* text) noexcept {
    const JsonDecoding& json = state.json_decoding;
    if (!cls) return refuse_late_call();
    const Owned decoder = Owned::steal(PyObject_VectorcallDict(cls, nullptr, 0, keywords));
    const Owned method = decoder ? Owned::steal(PyObject_GetAttr(decoder.get(), json.names.interned[kDecoderDecode])) : Owned();
    if (!method) return nullptr;
    if (is_method(method.get(), json.decode, decoder.get())) {
        Known known;
        PyObject* value = decode_natively(state, decoder.get(), text, known);
        if (known != Known::kNo) return value;
    }
    return PyObject_CallOneArg(method.get(), text);
}

}  // namespace ocior::module
