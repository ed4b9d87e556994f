#include "module/scanner.h"

#include <structmember.h>

#include "decode/errors/raise.h"
#include "module/level.h"
#include "py/heap_type.h"

namespace ocior::module {
namespace {

// The hooks, in the order in which json asks a context for them; it asks for array_hook since Python 3.15.
enum Hook : std::size_t { kObjectHook, kObjectPairsHook, kArrayHook, kParseFloat, kParseInt, kParseConstant, kHookCount };
static_assert(ScannerOptions::kHooks == kHookCount);
constexpr DecoderName kHookNames[] = {kDecoderObjectHook, kDecoderObjectPairsHook, kDecoderArrayHook,
                                      kDecoderParseFloat, kDecoderParseInt,        kDecoderParseConstant};

struct Scanner {
    PyObject_HEAD vectorcallfunc call;
    PyObject* module;
    PyObject* hooks[kHookCount];
    decode::Options options;
    char strict;
};

Scanner* as_scanner(PyObject* object) noexcept { return reinterpret_cast<Scanner*>(object); }

// Whether `hook` is what a decoder has that was given no parse_constant: the look-up in a dict of constants, which needs no call.
bool is_default_constant(const State& state, PyObject* hook) noexcept {
    PyObject* const usual = state.json_decoding.default_constant;
    if (hook == usual) return true;
    if (!usual || !PyCFunction_CheckExact(hook) || !PyCFunction_CheckExact(usual)) return false;
    return PyCFunction_GET_SELF(hook) == PyCFunction_GET_SELF(usual) && PyCFunction_GET_FUNCTION(hook) == PyCFunction_GET_FUNCTION(usual);
}

decode::Options compile(State& state, PyObject* const* hooks, bool strict, const decode::Options& policies) noexcept {
    const auto unless = [](PyObject* usual, PyObject* hook) { return hook == usual ? nullptr : hook; };
    decode::Options options = policies;
    options.object_hook = unless(Py_None, hooks[kObjectHook]);
    options.object_pairs_hook = unless(Py_None, hooks[kObjectPairsHook]);
    options.array_hook = unless(Py_None, hooks[kArrayHook]);
    options.parse_float = unless(reinterpret_cast<PyObject*>(&PyFloat_Type), hooks[kParseFloat]);
    options.parse_int = unless(reinterpret_cast<PyObject*>(&PyLong_Type), hooks[kParseInt]);
    options.parse_constant = is_default_constant(state, hooks[kParseConstant]) ? nullptr : hooks[kParseConstant];
    options.strict = strict;
    options.settle(state.constants.tricks, state.decoder.decimals);
    return options;
}

// Asks `context` for the attributes that a scanner captures. False with an error set.
[[nodiscard]] bool read_context(const State& state, PyObject* context, Owned (&hooks)[kHookCount], bool& strict) noexcept {
    const auto& names = state.json_decoding.names.interned;
    const Owned flag = Owned::steal(PyObject_GetAttr(context, names[kDecoderStrict]));
    const int truth = flag ? PyObject_IsTrue(flag.get()) : -1;
    if (truth < 0) return false;
    strict = truth > 0;
    for (std::size_t i = 0; i < kHookCount; ++i) {
        hooks[i] = Owned::steal(PyObject_GetAttr(context, names[kHookNames[i]]));
        if (hooks[i]) continue;
        if (kJsonHasArrayHook || i != kArrayHook || !PyErr_ExceptionMatches(PyExc_AttributeError)) return false;
        PyErr_Clear();  // a context that was made for this version's json has no array_hook
        hooks[i] = Owned::borrow(Py_None);
    }
    return true;
}

PyObject* pair_of(PyObject* value, Py_ssize_t end) noexcept {
    Owned owned = Owned::steal(value), index = Owned::steal(PyLong_FromSsize_t(end));
    PyObject* pair = index ? PyTuple_New(2) : nullptr;
    if (!pair) return nullptr;
    PyTuple_SET_ITEM(pair, 0, owned.release());
    PyTuple_SET_ITEM(pair, 1, index.release());
    return pair;
}

PyObject* scan_once(Scanner* self, PyObject* str, Py_ssize_t index) noexcept {
    if (!check_str(str)) return nullptr;
    if (index < 0) return PyErr_SetString(PyExc_ValueError, "idx cannot be negative"), nullptr;
    if (OCIOR_UNLIKELY(!self->module)) return PyErr_SetString(PyExc_RuntimeError, "the scanner is being finalized"), nullptr;
    State& state = state_of(self->module);
    const Owned hold_self = Owned::borrow(reinterpret_cast<PyObject*>(self)), hold = Owned::borrow(str);  // see HeldArguments
    const auto start = static_cast<std::size_t>(index);
    const decode::Scanned scanned = decode::scan_value(state.decoder, self->options, str, start);
    if (OCIOR_LIKELY(scanned.value != nullptr)) return pair_of(scanned.value, scanned.position);
    if (scanned.error == decode::Error::kPython) return nullptr;
    if (scanned.error != decode::Error::kExpectingValue)
        return decode::raise(state.decoder, *self->options.dialect, scanned.error, str, start, scanned.position);
    const Owned position = Owned::steal(PyLong_FromSsize_t(scanned.position));
    if (position) PyErr_SetObject(PyExc_StopIteration, position.get());
    return nullptr;
}

PyObject* call_slowly(Scanner* self, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    static const char* const kNames[] = {"string", "idx", nullptr};
    const HeldArguments arguments(reinterpret_cast<PyObject*>(self), {values, positional, kwnames});
    if (!arguments) return nullptr;
    const Owned keywords = keywords_of(arguments), tuple = Owned::steal(PyTuple_New(positional));
    if (!keywords || !tuple) return nullptr;
    for (Py_ssize_t i = 0; i < positional; ++i) PyTuple_SET_ITEM(tuple.get(), i, new_ref(arguments.values[i]));
    PyObject* str;
    Py_ssize_t index;
    char** const names = const_cast<char**>(kNames);
    if (!PyArg_ParseTupleAndKeywords(tuple.get(), keywords.get(), "On:scan_once", names, &str, &index)) return nullptr;
    return scan_once(self, str, index);
}

PyObject* scanner_call(PyObject* self, PyObject* const* values, std::size_t count, PyObject* kwnames) noexcept {
    const Py_ssize_t positional = PyVectorcall_NARGS(count);
    if (OCIOR_LIKELY(positional == 2 && !kwnames && PyLong_CheckExact(values[1]))) {
        const Py_ssize_t index = PyLong_AsSsize_t(values[1]);
        if (index == -1 && PyErr_Occurred()) return nullptr;
        return scan_once(as_scanner(self), values[0], index);
    }
    return call_slowly(as_scanner(self), values, positional, kwnames);
}

PyObject* scanner_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) noexcept {
    static const char* const kNames[] = {"context", nullptr};
    PyObject* context;
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:make_scanner", const_cast<char**>(kNames), &context)) return nullptr;
    PyObject* const module = module_of_type(type);
    if (!module) return nullptr;
    const Owned hold_context = Owned::borrow(context);  // see HeldArguments
    decode::Options policies;
    return read_policies_of(state_of(module), context, policies) ? new_scanner(module, type, context, policies) : nullptr;
}

int scanner_traverse(PyObject* self, visitproc visit, void* arg) noexcept {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(as_scanner(self)->module);
    for (PyObject* hook : as_scanner(self)->hooks) Py_VISIT(hook);
    return 0;
}

int scanner_clear(PyObject* self) noexcept {
    as_scanner(self)->options = {};
    for (PyObject*& hook : as_scanner(self)->hooks) Py_CLEAR(hook);
    Py_CLEAR(as_scanner(self)->module);
    return 0;
}

constexpr Py_ssize_t offset_of_hook(Hook hook) noexcept {
    return static_cast<Py_ssize_t>(offsetof(Scanner, hooks) + hook * sizeof(PyObject*));
}

PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Scanner, call), READONLY, nullptr},
    {"strict", T_BOOL, offsetof(Scanner, strict), READONLY, "strict"},
    {"object_hook", T_OBJECT, offset_of_hook(kObjectHook), READONLY, "object_hook"},
    {"object_pairs_hook", T_OBJECT, offset_of_hook(kObjectPairsHook), READONLY, "object_pairs_hook"},
    {"parse_float", T_OBJECT, offset_of_hook(kParseFloat), READONLY, "parse_float"},
    {"parse_int", T_OBJECT, offset_of_hook(kParseInt), READONLY, "parse_int"},
    {"parse_constant", T_OBJECT, offset_of_hook(kParseConstant), READONLY, "parse_constant"},
    {"array_hook", T_OBJECT, offset_of_hook(kArrayHook), READONLY, "array_hook"},
    {nullptr, 0, 0, 0, nullptr},
};

PyDoc_STRVAR(scanner_doc,
             "Scanner(context)\n"
             "--\n\n"
             "Reads one value at a time: scanner(string, idx) is (value, end), the value that\n"
             "starts at string[idx] and the index behind it.\n\n"
             "context, a JSONDecoder as a rule, gives the attributes strict, object_hook,\n"
             "object_pairs_hook, array_hook (it may have none before Python 3.15),\n"
             "parse_float, parse_int and parse_constant; they are captured when the scanner\n"
             "is made, and so are the policies of JSONDecoder's keywords.\n\n"
             "Raises StopIteration with the index where there is no value, JSONDecodeError\n"
             "for other mistakes.\n\n"
             "    >>> Scanner(JSONDecoder())('[1, 2] [3]', 0)\n"
             "    ([1, 2], 6)");

PyType_Slot slots[] = {
    {Py_tp_doc, const_cast<char*>(scanner_doc)},
    {Py_tp_new, reinterpret_cast<void*>(scanner_new)},
    {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
    {Py_tp_traverse, reinterpret_cast<void*>(scanner_traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(scanner_clear)},
    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_heap_object<scanner_clear>)},
    {Py_tp_members, members},
    {0, nullptr},
};

}  // namespace

PyObject* make_scanner_type(PyObject* module) noexcept {
    return make_type(module, OCIOR_MODULE_NAME ".Scanner", sizeof(Scanner),
                     Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots);
}

PyObject* new_scanner(PyObject* module, PyTypeObject* type, PyObject* context, const decode::Options& policies) noexcept {
    State& state = state_of(module);
    const Owned hold_type = Owned::borrow(reinterpret_cast<PyObject*>(type)),
                hold_context = Owned::borrow(context);  // see HeldArguments
    Owned hooks[kHookCount];
    bool strict;
    if (!read_context(state, context, hooks, strict)) return nullptr;
    PyObject* self = type->tp_alloc(type, 0);
    if (!self) return nullptr;
    Scanner* scanner = as_scanner(self);
    scanner->call = scanner_call;
    scanner->module = new_ref(module);
    scanner->strict = strict;
    for (std::size_t i = 0; i < kHookCount; ++i) scanner->hooks[i] = hooks[i].release();
    scanner->options = compile(state, scanner->hooks, strict, policies);
    return self;
}

Known options_of(State& state, PyObject* scanner, ScannerOptions& found) noexcept {
    if (OCIOR_LIKELY(Py_TYPE(scanner) == state.json_decoding.own_scanner_type)) {
        found.options = &as_scanner(scanner)->options;
        found.scanner = Owned::borrow(scanner);
        return Known::kYes;
    }
    if (reinterpret_cast<PyObject*>(Py_TYPE(scanner)) != state.json_decoding.scanner_type) return Known::kNo;
    bool strict;
    if (!read_context(state, scanner, found.hooks, strict)) return Known::kFailed;
    PyObject* hooks[kHookCount];
    for (std::size_t i = 0; i < kHookCount; ++i) hooks[i] = found.hooks[i].get();
    found.options = &found.compiled.emplace(compile(state, hooks, strict, {}));
    return Known::kYes;
}

PyObject* raw_decode_with(State& state, const decode::Options& options, PyObject* str, std::size_t index) noexcept {
    const decode::Scanned scanned = decode::scan_value(state.decoder, options, str, index);
    if (OCIOR_LIKELY(scanned.value != nullptr)) return pair_of(scanned.value, scanned.position);
    if (scanned.error == decode::Error::kPython) return decode::reraise_as_json(state.decoder, str, index);
    return decode::raise(state.decoder, *options.dialect, scanned.error, str, index, scanned.position);
}

const char scanstring_doc[] =
    "scanstring($module, string, end, strict=True, /)\n"
    "--\n\n"
    "The JSON string whose opening quote is string[end - 1], as (str, end): its\n"
    "text with the escapes resolved, and the index behind its closing quote.\n\n"
    "Raises JSONDecodeError for a string that does not end, for a wrong escape, and,\n"
    "unless strict is false, for a control character.\n\n"
    "    >>> scanstring('[\"a\\\\n\", 1]', 2)\n"
    "    ('a\\n', 6)";

PyObject* scanstring(PyObject* module, PyObject* arguments) noexcept {
    constexpr const char* kFormat = PY_VERSION_HEX >= 0x030C0000 ? "On|p:scanstring" : "On|i:scanstring";  // the same as json's
    PyObject* str;
    Py_ssize_t end;
    int strict = 1;
    const Owned hold_module = Owned::borrow(module), hold_arguments = Owned::borrow(arguments);  // see HeldArguments
    if (!PyArg_ParseTuple(arguments, kFormat, &str, &end, &strict) || !check_str(str, "scanstring() argument 1")) return nullptr;
    StrView view;
    if (!view_of(str, view)) return nullptr;
    const auto start = static_cast<std::size_t>(end);
    if (end < 0 || start > view.length) return PyErr_SetString(PyExc_ValueError, "end is out of bounds"), nullptr;
    State& state = state_of(module);
    const decode::Scanned scanned = decode::scan_string(state.decoder, str, start, strict);
    if (OCIOR_LIKELY(scanned.value != nullptr)) return pair_of(scanned.value, scanned.position);
    if (scanned.error == decode::Error::kPython) return nullptr;
    return decode::raise(state.decoder, decode::kJson, scanned.error, str, start, scanned.position);
}

}  // namespace ocior::module
