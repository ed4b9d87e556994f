#include "module/rich.h"

#include "decode/check.h"
#include "decode/decode.h"
#include "encode/arrays/view.h"
#include "module/functions.h"
#include "module/level.h"
#include "module/policies.h"
#include "module/suggestion.h"
#include "py/heap_type.h"

#include <structmember.h>

#include <array>
#include <type_traits>

namespace ocior::module {
namespace {

using encode::DefaultObject;
using encode::Policies;
using encode::RawObject;

DefaultObject* as_default(PyObject* object) noexcept { return reinterpret_cast<DefaultObject*>(object); }
RawObject* as_raw(PyObject* object) noexcept { return reinterpret_cast<RawObject*>(object); }

// ---- Default ----

// A keyword of Default that is true or false, and the flag it stands for.
struct Switch {
    const char* name;
    std::uint32_t flag;
    bool is_set_by;  // by true, or by false
};
constexpr Switch kSwitches[] = {
    {"naive_utc", encode::kNaiveUtc, true},
    {"utc_z", encode::kUtcZ, true},
    {"microseconds", encode::kNoMicroseconds, false},
    {"keys", encode::kRichKeys, true},
    {"private_fields", encode::kNoPrivateFields, false},
    {"namedtuple_as_object", encode::kNamedTuples, true},
    {"iterable_as_array", encode::kIterables, true},
    {"exceptions", encode::kExceptions, true},
    {"html_safe", encode::kEscapedMarkup | encode::kEscapedLineEnds, true},
    {"escape_slashes", encode::kEscapedSlashes, true},
};

// A keyword of Default that is one of two words, and the flag that the second stands for.
struct Choice {
    const char* name;
    const char* usual;
    const char* other;
    std::uint32_t flag;
};
constexpr Choice kChoices[] = {
    {"enum", "value", "name", encode::kEnumNames},
    {"decimal", "number", "str", encode::kDecimalText},
    {"bytes", "error", "base64", encode::kBase64},
};

// A keyword of Default that is one of several words, each of which stands for a value of a member of Policies, in the order of these.
struct PolicyWords {
    const char* name;
    const char* words[4];
    void (*set)(Policies& policies, unsigned i);
    unsigned (*get)(const Policies& policies);
};
template <auto member>
constexpr PolicyWords policy_words(const char* name, const char* first, const char* second, const char* third = nullptr,
                                   const char* fourth = nullptr) noexcept {
    return {name,
            {first, second, third, fourth},
            [](Policies& policies, unsigned i) { policies.*member = static_cast<std::remove_reference_t<decltype(policies.*member)>>(i); },
            [](const Policies& policies) { return static_cast<unsigned>(policies.*member); }};
}
constexpr PolicyWords kPolicyWords[] = {
    policy_words<&Policies::non_finite>("non_finite", "name", "error", "null"),
    policy_words<&Policies::big_integers>("big_integers", "exact", "float", "str", "error"),
    policy_words<&Policies::surrogates>("surrogates", "keep", "error", "replace"),
    policy_words<&Policies::duplicate_keys>("duplicate_keys", "keep", "error"),
};

// The places of all keywords: those of the tables, one table behind the other, and then those that stand in none.
constexpr std::size_t kSwitch = 0, kChoice = kSwitch + std::size(kSwitches), kPolicyWord = kChoice + std::size(kChoices);
enum Keyword : std::size_t {
    kFallback = kPolicyWord + std::size(kPolicyWords),
    kIntegerBits,
    kCanonical,
    kShortArrays,
    kMaxDepth,
    kKeywordCount
};
constexpr auto kKeywords = [] {
    std::array<const char*, kKeywordCount> names{};
    auto* name = names.data();
    for (const Switch& one : kSwitches) *name++ = one.name;
    for (const Choice& one : kChoices) *name++ = one.name;
    for (const PolicyWords& one : kPolicyWords) *name++ = one.name;
    for (const char* const other : {"fallback", "integer_bits", "canonical", "short_arrays", "max_depth"}) *name++ = other;
    return names;
}();
using GivenKeywords = Owned[kKeywordCount];

void refuse_keyword(PyObject* unknown) noexcept {
    constexpr const char* kText = "Default() got an unexpected keyword argument '%U'";
    constexpr const char* kSuggestingText = "Default() got an unexpected keyword argument '%U'. Did you mean '%s'?";
    const char* const meant = most_similar(unknown, kKeywords);
    if (meant) PyErr_Format(PyExc_TypeError, kSuggestingText, unknown, meant);
    else PyErr_Format(PyExc_TypeError, kText, unknown);
}

// Puts the arguments of Default() where their names stand. False with TypeError set.
bool sort_keywords(PyObject* positional, PyObject* keywords, GivenKeywords& given) noexcept {
    const Py_ssize_t count = PyTuple_GET_SIZE(positional);
    if (count > 1) return PyErr_Format(PyExc_TypeError, "Default() takes at most 1 positional argument (%zd given)", count), false;
    Owned unknown;
    const bool are_str = for_each_keyword(keywords, [&](PyObject* name, PyObject* value) {
        std::size_t i = 0;
        while (i < kKeywordCount && PyUnicode_CompareWithASCIIString(name, kKeywords[i]) != 0) ++i;
        if (i < kKeywordCount) given[i] = Owned::borrow(value);
        else if (!unknown) unknown = Owned::borrow(name);
    });
    if (!are_str) return false;
    if (unknown) return refuse_keyword(unknown.get()), false;
    if (count == 0) return true;
    if (given[kFallback]) return PyErr_SetString(PyExc_TypeError, "Default() got multiple values for argument 'fallback'"), false;
    given[kFallback] = Owned::borrow(PyTuple_GET_ITEM(positional, 0));
    return true;
}

// What the keywords of a new Default say, but for the fallback.
struct Draft {
    std::uint32_t flags = encode::kUsualDefault;
    Policies policies{};

    void put(std::uint32_t flag, bool is_set) noexcept { flags = is_set ? flags | flag : flags & ~flag; }
};

bool read_truth(PyObject* value, bool& flag) noexcept {
    const int truth = PyObject_IsTrue(value);
    if (truth >= 0) flag = truth > 0;
    return truth >= 0;
}

bool read_length(const char* name, PyObject* value, std::size_t most, std::uint32_t& length) noexcept {
    std::size_t number = length;
    if (!read_number(value, name, most, true, number)) return false;
    length = static_cast<std::uint32_t>(number);
    return true;
}

// A value by position may be one that is to be written: then the class Default was given as default=, in the place of an object of it.
bool check_fallback(PyObject* value, bool is_by_position) noexcept {
    if (value == Py_None || PyCallable_Check(value)) return true;
    const char* const hint = is_by_position ? " (default= takes ocior.default or ocior.Default(...), not the class)" : "";
    return PyErr_Format(PyExc_TypeError, "fallback must be callable or None, not %.100s%s", Py_TYPE(value)->tp_name, hint), false;
}

// False with an error set.
bool read_keywords(const GivenKeywords& given, bool is_fallback_by_position, Draft& draft) noexcept {
    if (given[kFallback] && !check_fallback(given[kFallback].get(), is_fallback_by_position)) return false;
    const Owned* place = given + kSwitch;
    for (const Switch& one : kSwitches) {
        PyObject* const value = (place++)->get();
        bool truth;
        if (!value) continue;
        if (!read_truth(value, truth)) return false;
        draft.put(one.flag, truth == one.is_set_by);
    }
    for (const Choice& one : kChoices) {
        PyObject* const value = (place++)->get();
        unsigned word;
        if (!value) continue;
        if (!read_word(value, one.name, {one.usual, one.other}, word)) return false;
        draft.put(one.flag, word != 0);
    }
    Policies& policies = draft.policies;
    for (const PolicyWords& one : kPolicyWords) {
        PyObject* const value = (place++)->get();
        unsigned word;
        if (!value) continue;
        if (!read_word(value, one.name, one.words, word)) return false;
        one.set(policies, word);
    }
    if (PyObject* const value = given[kIntegerBits].get()) {
        bool are_53;
        if (!read_integer_bits(value, are_53)) return false;
        policies.integers = are_53 ? encode::IntegerRange::k53Bits : encode::IntegerRange::k64Bits;
    }
    const auto read = [&](Keyword keyword, auto reader) { return !given[keyword] || reader(given[keyword].get()); };
    return read(kCanonical, [&](PyObject* value) { return read_truth(value, policies.canonical); }) &&
           read(kShortArrays, [&](PyObject* value) { return read_length("short_arrays", value, INT32_MAX, policies.short_arrays); }) &&
           read(kMaxDepth, [&](PyObject* value) { return read_length("max_depth", value, ocior::kMaxDepth, policies.max_depth); });
}

// What a default hook has to return: the value in json's own types. Policies are about text, which others write in their own way.
PyObject* default_call(PyObject* self, PyObject* const* values, std::size_t nargsf, PyObject* kwnames) noexcept {
    if (PyVectorcall_NARGS(nargsf) != 1 || (kwnames && PyTuple_GET_SIZE(kwnames) > 0))
        return PyErr_SetString(PyExc_TypeError, "a Default takes exactly one argument"), nullptr;
    PyObject* const module = as_default(self)->module;
    if (!module) return refuse_late_call();
    const Owned hold = Owned::borrow(self), hold_module = Owned::borrow(module), value = Owned::borrow(values[0]);
    State& state = state_of(module);
    // Nothing is escaped that need not be: two lone surrogates in a row would be read as one character.
    const encode::Options options{.ensure_ascii = false, .has_policies = true, .default_hook = self};
    const Owned text = Owned::steal(encode::dumps(state.encoder, state.constants, options, value.get()));
    return text ? decode::loads(state.decoder, decode::Options{}, text.get()) : nullptr;
}

// What JSON stands for that a class of another library has written of its object.
PyObject* read_json(void* module_state, PyObject* text, bool unique_keys, PyObject* parse_float) noexcept {
    State& state = *static_cast<State*>(module_state);
    decode::Options options{};
    options.parse_float = parse_float;
    if (unique_keys) options.duplicate_keys = decode::DuplicateKeys::kError;
    options.settle(state.constants.tricks, state.decoder.decimals);
    return decode::loads(state.decoder, options, text);
}

PyObject* default_new(PyTypeObject* type, PyObject* positional, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(type);
    if (!module) return nullptr;
    GivenKeywords given;
    Draft draft;
    if (!sort_keywords(positional, keywords, given) || !read_keywords(given, PyTuple_GET_SIZE(positional) > 0, draft)) return nullptr;
    if (draft.policies.canonical && (draft.flags & encode::kExtraEscapes))
        return PyErr_SetString(PyExc_ValueError, "canonical text has no extra escapes"), nullptr;
    PyObject* const self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    as_default(self)->flags = draft.flags;
    as_default(self)->policies = draft.policies;
    as_default(self)->has_policies = draft.policies != Policies{};
    as_default(self)->call = default_call;
    as_default(self)->fallback = given[kFallback].get() == Py_None ? nullptr : given[kFallback].release();
    as_default(self)->module = new_ref(module);
    return self;
}

int default_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_default(self)->fallback);
    Py_VISIT(as_default(self)->module);
    return 0;
}
int default_clear(PyObject* self) noexcept {
    Py_CLEAR(as_default(self)->fallback);
    Py_CLEAR(as_default(self)->module);
    return 0;
}

PyObject* default_get_fallback(PyObject* self, void*) noexcept {
    PyObject* const fallback = as_default(self)->fallback;
    return new_ref(fallback ? fallback : Py_None);
}

// The keywords that make an equal one, in the order of the tables above. Empty with an error set.
Owned default_keywords(PyObject* self) noexcept {
    const DefaultObject* const object = as_default(self);
    Owned keywords = Owned::steal(PyDict_New());
    bool is_good = static_cast<bool>(keywords);
    const auto add = [&](const char* name, PyObject* given) {
        const Owned value = Owned::steal(given);
        is_good = is_good && value && PyDict_SetItemString(keywords.get(), name, value.get()) == 0;
    };
    if (!is_good) return {};
    if (object->fallback) add("fallback", new_ref(object->fallback));
    for (const Switch& one : kSwitches)
        if (object->flags & one.flag) add(one.name, PyBool_FromLong(one.is_set_by));
    for (const Choice& one : kChoices)
        if (object->flags & one.flag) add(one.name, PyUnicode_FromString(one.other));
    const Policies &policies = object->policies, usual{};
    for (const PolicyWords& one : kPolicyWords)
        if (const unsigned i = one.get(policies)) add(one.name, PyUnicode_FromString(one.words[i]));
    if (policies.integers != usual.integers) add("integer_bits", PyLong_FromLong(53));
    if (policies.canonical) add("canonical", PyBool_FromLong(1));
    if (policies.max_depth != usual.max_depth) add("max_depth", PyLong_FromUnsignedLong(policies.max_depth));
    if (policies.short_arrays) add("short_arrays", PyLong_FromUnsignedLong(policies.short_arrays));
    return is_good ? std::move(keywords) : Owned();
}

PyObject* default_repr(PyObject* self) noexcept {
    const Owned keywords = default_keywords(self), list = keywords ? Owned::steal(PyDict_Items(keywords.get())) : Owned();
    const Owned pairs = list ? Owned::steal(PyList_AsTuple(list.get())) : Owned();  // nobody changes it while the fallback's repr is made
    const Owned parts = Owned::steal(PyList_New(0)), separator = Owned::steal(PyUnicode_FromString(", "));
    if (!pairs || !parts || !separator) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(pairs.get()); ++i) {
        PyObject* const pair = PyTuple_GET_ITEM(pairs.get(), i);
        const Owned part = Owned::steal(PyUnicode_FromFormat("%U=%R", PyTuple_GET_ITEM(pair, 0), PyTuple_GET_ITEM(pair, 1)));
        if (!part || PyList_Append(parts.get(), part.get()) < 0) return nullptr;
    }
    const Owned joined = Owned::steal(PyUnicode_Join(separator.get(), parts.get()));
    return joined ? PyUnicode_FromFormat("ocior.Default(%U)", joined.get()) : nullptr;
}

// For pickle: the type with `keywords` is called with `argument`, or without any. Takes `keywords` over.
PyObject* reduce(PyObject* self, Owned keywords, PyObject* argument) noexcept {
    const Owned functools = keywords ? Owned::steal(PyImport_ImportModule("functools")) : Owned();
    const Owned partial = functools ? get_attribute(functools.get(), "partial") : Owned();
    PyObject* type = reinterpret_cast<PyObject*>(Py_TYPE(self));
    const Owned make = partial ? Owned::steal(PyObject_VectorcallDict(partial.get(), &type, 1, keywords.get())) : Owned();
    if (!make) return nullptr;
    return argument ? Py_BuildValue("O(O)", make.get(), argument) : Py_BuildValue("O()", make.get());
}

PyObject* default_reduce(PyObject* self, PyObject*) noexcept { return reduce(self, default_keywords(self), nullptr); }

// Nothing of them ever changes.
PyObject* copy_unchanged(PyObject* self, PyObject*) noexcept { return new_ref(self); }

PyMethodDef default_methods[] = {
    {"__reduce__", default_reduce, METH_NOARGS, nullptr},
    {"__copy__", copy_unchanged, METH_NOARGS, nullptr},
    {"__deepcopy__", copy_unchanged, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyDoc_STRVAR(default_doc,
             "Default(fallback=None, *, naive_utc=False, utc_z=False, microseconds=True,\n"
             "        keys=False, private_fields=True, namedtuple_as_object=False,\n"
             "        iterable_as_array=False, exceptions=False, html_safe=False,\n"
             "        escape_slashes=False, enum='value', decimal='number', bytes='error',\n"
             "        non_finite='name', big_integers='exact', surrogates='keep',\n"
             "        duplicate_keys='keep', integer_bits=64, max_depth=None,\n"
             "        canonical=False, short_arrays=None)\n"
             "--\n\n"
             "A default= function for what json has no form for: dataclasses, dates and times,\n"
             "UUIDs, enums, decimals, paths, sets, mappings, numpy's arrays and more. ocior\n"
             "knows it by heart and calls no Python code for it; elsewhere (json.dumps, a\n"
             "framework) it is an ordinary function.\n\n"
             "fallback is a default= function for all other types. The keywords from non_finite\n"
             "on are about all that is written, whatever its type.\n\n"
             "    >>> dumps({'at': datetime.date(2026, 1, 2)}, default=Default())\n"
             "    '{\"at\": \"2026-01-02\"}'");

PyMemberDef default_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(DefaultObject, call), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};
PyGetSetDef default_attributes[] = {
    {"fallback", default_get_fallback, nullptr, "The default= function for all other types, or None.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot default_slots[] = {
    {Py_tp_doc, const_cast<char*>(default_doc)},
    {Py_tp_new, reinterpret_cast<void*>(default_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<default_clear>)},
    {Py_tp_traverse, reinterpret_cast<void*>(default_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(default_clear)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_repr, reinterpret_cast<void*>(default_repr)},
    {Py_tp_methods, default_methods},
    {Py_tp_members, default_members},
    {Py_tp_getset, default_attributes},
    {0, nullptr},
};

// ---- Raw ----

// A str or bytes of exactly that type, with the contents of `given`. Empty with TypeError set for anything else.
Owned text_of(PyObject* given) noexcept {
    if (PyUnicode_CheckExact(given) || PyBytes_CheckExact(given)) return Owned::borrow(given);
    if (PyUnicode_Check(given)) return Owned::steal(PyUnicode_FromObject(given));
    if (PyObject_CheckBuffer(given)) return Owned::steal(PyBytes_FromObject(given));
    PyErr_Format(PyExc_TypeError, "Raw() takes a str or bytes, not %.100s", Py_TYPE(given)->tp_name);
    return {};
}

PyObject* raw_new(PyTypeObject* type, PyObject* positional, PyObject* keywords) noexcept {
    PyObject* const module = module_of_type(type);
    if (!module) return nullptr;
    static const char* names[] = {"", "check", nullptr};
    PyObject* given;
    int check = 1;
    const Owned hold_positional = Owned::borrow(positional), hold_keywords = Owned::borrow(keywords);  // see HeldArguments
    if (!PyArg_ParseTupleAndKeywords(positional, keywords, "O|$p:Raw", const_cast<char**>(names), &given, &check)) return nullptr;
    Owned text = text_of(given);
    if (!text) return nullptr;
    State& state = state_of(module);
    if (check && !decode::is_surely_json(state.decoder, text.get())) {
        // What is no JSON is refused in the words of loads. Bytes are put into UTF-8, so they may be nothing else.
        const Owned decoded = PyBytes_Check(text.get())
                                  ? Owned::steal(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(text.get()), PyBytes_GET_SIZE(text.get()), nullptr))
                                  : Owned::borrow(text.get());
        if (!decoded || !Owned::steal(decode::loads(state.decoder, decode::Options{}, decoded.get()))) return nullptr;
    }
    PyObject* const self = type->tp_alloc(type, 0);
    if (self) as_raw(self)->text = text.release();
    return self;
}

int raw_clear(PyObject* self) noexcept {
    Py_CLEAR(as_raw(self)->text);
    return 0;
}

PyObject* raw_get_text(PyObject* self, void*) noexcept { return new_ref(as_raw(self)->text); }

PyObject* raw_repr(PyObject* self) noexcept { return PyUnicode_FromFormat("ocior.Raw(%R)", as_raw(self)->text); }

PyObject* raw_reduce(PyObject* self, PyObject*) noexcept {
    return reduce(self, Owned::steal(Py_BuildValue("{sO}", "check", Py_False)), as_raw(self)->text);
}

PyMethodDef raw_methods[] = {
    {"__reduce__", raw_reduce, METH_NOARGS, nullptr},
    {"__copy__", copy_unchanged, METH_NOARGS, nullptr},
    {"__deepcopy__", copy_unchanged, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyDoc_STRVAR(raw_doc,
             "Raw(text, /, *, check=True)\n"
             "--\n\n"
             "JSON that is ready: dumps writes text, a str or UTF-8 bytes, as it stands.\n\n"
             "check=False trusts it; else what is no JSON raises what loads raises.\n\n"
             "    >>> dumps({'cached': Raw('[1,2]')})\n"
             "    '{\"cached\": [1,2]}'");

PyGetSetDef raw_attributes[] = {
    {"text", raw_get_text, nullptr, "What is written, a str or bytes.", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};
PyType_Slot raw_slots[] = {
    {Py_tp_doc, const_cast<char*>(raw_doc)},
    {Py_tp_new, reinterpret_cast<void*>(raw_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_uncollected_object<raw_clear>)},
    {Py_tp_repr, reinterpret_cast<void*>(raw_repr)},
    {Py_tp_methods, raw_methods},
    {Py_tp_getset, raw_attributes},
    {0, nullptr},
};

}  // namespace

bool add_rich_types(PyObject* module, State& state) noexcept {
    encode::OwnTypes& own = state.encoder.own;
    const Owned default_type =
        Owned::steal(make_type(module, "ocior.Default", sizeof(DefaultObject),
                               Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_IMMUTABLETYPE, default_slots));
    const Owned raw_type = Owned::steal(make_type(module, "ocior.Raw", sizeof(RawObject), Py_TPFLAGS_IMMUTABLETYPE, raw_slots));
    if (!default_type || !raw_type || PyModule_AddObjectRef(module, "Default", default_type.get()) < 0 ||
        PyModule_AddObjectRef(module, "Raw", raw_type.get()) < 0)
        return false;
    own.default_type = reinterpret_cast<PyTypeObject*>(new_ref(default_type.get()));
    own.raw_type = reinterpret_cast<PyTypeObject*>(new_ref(raw_type.get()));
    if (!(own.array_view_type = encode::make_array_view_type(module))) return false;
    own.decimals = &state.decoder.decimals;
    own.numpy_arrays = &state.numpy_arrays;
    own.read_json = read_json;
    own.module_state = &state;
    own.int_name = PyUnicode_InternFromString("int");
    own.value_name = PyUnicode_InternFromString("value");
    own.stored_value_name = PyUnicode_InternFromString("_value_");
    own.stored_name_name = PyUnicode_InternFromString("_name_");
    own.utcoffset_name = PyUnicode_InternFromString("utcoffset");
    own.array_struct_name = PyUnicode_InternFromString("__array_struct__");
    own.to_dict_name = PyUnicode_InternFromString("toDict");
    own.json_method_name = PyUnicode_InternFromString("__json__");
    own.items_name = PyUnicode_InternFromString("items");
    own.getattribute_name = PyUnicode_InternFromString("__getattribute__");
    own.serializer_name = PyUnicode_InternFromString("__pydantic_serializer__");
    own.to_json_name = PyUnicode_InternFromString("to_json");
    own.fallback_name = PyUnicode_InternFromString("fallback");
    own.by_alias_name = PyUnicode_InternFromString("by_alias");
    own.dtype_name = PyUnicode_InternFromString("dtype");
    own.itemsize_name = PyUnicode_InternFromString("itemsize");
    own.shape_name = PyUnicode_InternFromString("shape");
    own.strides_name = PyUnicode_InternFromString("strides");
    own.arrow_stream_name = PyUnicode_InternFromString("__arrow_c_stream__");
    own.arrow_array_name = PyUnicode_InternFromString("__arrow_c_array__");
    return own.serializer_name && own.to_json_name && own.fallback_name && own.by_alias_name && own.dtype_name && own.itemsize_name &&
           own.shape_name && own.strides_name && own.arrow_stream_name && own.arrow_array_name && own.items_name && own.getattribute_name &&
           own.to_dict_name && own.json_method_name && own.utcoffset_name && own.array_struct_name && own.int_name && own.value_name &&
           own.stored_value_name && own.stored_name_name;
}

}  // namespace ocior::module
