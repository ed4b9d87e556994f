// The extension module _core_<level>: its functions, their docstrings, its state. It is initialised in phases (PEP 489), so that every
// interpreter has a module of its own.
#include <new>

#include "compat/parts.h"
#include "compat/state.h"
#include "module/column_forms.h"
#include "module/decoder.h"
#include "module/encoder.h"
#include "module/functions.h"
#include "module/level.h"
#include "module/line_writer.h"
#include "module/part.h"
#include "module/record_stream.h"
#include "module/rich.h"
#include "module/scanner.h"
#include "module/state.h"
#include "module/table.h"
#include "module/typed_decoder.h"
#include "module/typed_encoder.h"
#include "module/view.h"
#include "py/attribute.h"
#include "py/idle_contexts.h"

namespace ocior::module {

bool State::create() noexcept {
    if (!constants.create() || !loads_names.create(kLoadsNames) || !load_names.create(kLoadNames) || !at_names.create(kAtNames) ||
        !view_names.create(kViewNames) || !json_encoding.create())
        return false;
    if (!(default_encoders = PyList_New(0))) return false;
    Owned decoder_module = Owned::steal(PyImport_ImportModule("json.decoder"));
    if (!decoder_module) return false;
    constants.take_non_finite(decoder_module.get());
    decoder.decode_error = get_attribute(decoder_module.get(), "JSONDecodeError").release();
    decoder.json_scanstring = get_attribute(decoder_module.get(), "scanstring").release();
    return decoder.decode_error && decoder.error_maker.learn(decoder.decode_error) && decoder.json_scanstring &&
           json_decoding.create(decoder_module.get());
}

void State::clear_cycles() noexcept {
    decoder.clear_cycles();
    encoder.contexts.close();
    dumps_keywords.close();
    dumps_to_bytes_keywords.close();
    kept_selections.close();
    typed.clear();
    json_decoding.clear();
    json_encoding.default_encoder = nullptr;
    Py_CLEAR(default_encoders);
    Py_CLEAR(pieces_type);
    Py_CLEAR(viewed_type);
    Py_CLEAR(late_default_type);
    encoder.own.clear();
}

void State::clear() noexcept {
    forget_recent_settings(*this);
    decoder.clear();
    numpy_arrays.clear();
    constants.clear();
    loads_names.clear();
    load_names.clear();
    at_names.clear();
    view_names.clear();
    json_decoding.names.clear();
    json_encoding.clear();
}

namespace {

PyDoc_STRVAR(loads_doc,
             "loads($module, s, *, cls=None, object_hook=None, parse_float=None,\n"
             "      parse_int=None, parse_constant=None, object_pairs_hook=None,\n"
             "      array_hook=None, strict=True, duplicate_keys='last',\n"
             "      non_finite='constant', big_integers='exact', integer_bits=64,\n"
             "      surrogates='keep', max_depth=None, **kw)\n"
             "--\n\n"
             "The Python value of the JSON document in s.\n\n"
             "s is a str, or bytes, a bytearray, a memoryview or any other contiguous\n"
             "buffer that holds UTF-8, UTF-16 or UTF-32. The keywords up to strict are those\n"
             "of json.loads; array_hook, new there in Python 3.15, is called with every list\n"
             "and its result used instead. The others are policies, whose defaults are what\n"
             "json does:\n\n"
             "duplicate_keys: 'last', 'first' or 'error', for keys that an object has twice.\n"
             "non_finite: 'constant', 'error' or 'null', for NaN, infinities and numbers\n"
             "beyond the range of a float.\n"
             "big_integers: 'exact', 'float', 'str' or 'error', for integers beyond 64 bits,\n"
             "or with integer_bits=53 beyond those that JavaScript holds.\n"
             "surrogates: 'keep', 'error' or 'replace', for those without a pair.\n"
             "max_depth: how deep arrays and objects may be nested, at most 65536.\n\n"
             "Raises JSONDecodeError for text that is not JSON, UnicodeDecodeError for\n"
             "bytes in no encoding, TypeError for any other s, RecursionError for a\n"
             "document nested deeper than max_depth, ValueError for an integer of more digits\n"
             "than sys.set_int_max_str_digits() allows.\n\n"
             "    >>> loads('{\"a\": [1, 2.5, null]}')\n"
             "    {'a': [1, 2.5, None]}");

PyDoc_STRVAR(load_doc,
             "load($module, fp, *, cls=None, object_hook=None, parse_float=None,\n"
             "     parse_int=None, parse_constant=None, object_pairs_hook=None,\n"
             "     array_hook=None, strict=True, duplicate_keys='last',\n"
             "     non_finite='constant', big_integers='exact', integer_bits=64,\n"
             "     surrogates='keep', max_depth=None, **kw)\n"
             "--\n\n"
             "The Python value of the JSON document that fp.read() returns, a str or bytes.\n\n"
             "Takes the keywords of loads and raises what it raises.\n\n"
             "    >>> load(io.BytesIO(b'[1, 2.5]'))\n"
             "    [1, 2.5]");

PyDoc_STRVAR(at_doc,
             "at($module, data, pointers, *, object_hook=None, parse_float=None,\n"
             "   parse_int=None, parse_constant=None, object_pairs_hook=None,\n"
             "   array_hook=None, strict=True, duplicate_keys='last',\n"
             "   non_finite='constant', big_integers='exact', integer_bits=64,\n"
             "   surrogates='keep', max_depth=None, default=..., check=True)\n"
             "--\n\n"
             "What a JSON pointer (RFC 6901) leads to in the JSON document in data, of which\n"
             "nothing else is made.\n\n"
             "data is what loads takes. pointers is a str, which gives the value, or several\n"
             "of them, which give a tuple. default stands for a value that is not there.\n"
             "The whole document is checked; with check false reading stops once all values\n"
             "are found, what follows may be anything, and the first of equal keys counts.\n"
             "The others are keywords of loads; of what no pointer leads to only the grammar\n"
             "is checked, and what non_finite and surrogates forbid.\n\n"
             "Raises what loads raises, PointerError, a LookupError, where there is neither a\n"
             "value nor a default, and ValueError for what is no pointer.\n\n"
             "    >>> at('{\"a\": [1, {\"b\": 2.5}]}', '/a/1/b')\n"
             "    2.5");

PyDoc_STRVAR(dumps_doc,
             "dumps($module, obj, *, skipkeys=False, ensure_ascii=True,\n"
             "      check_circular=True, allow_nan=True, cls=None, indent=None,\n"
             "      separators=None, default=None, sort_keys=False, **kw)\n"
             "--\n\n"
             "obj as JSON text in a str: the text that json.dumps gives.\n\n"
             "Raises TypeError for a value or key that JSON has no form for, ValueError for\n"
             "a circular reference and, with allow_nan false, for NaN and infinities,\n"
             "RecursionError for a value nested more than 65536 deep.\n\n"
             "    >>> dumps({'a': [1, 2.5, None]})\n"
             "    '{\"a\": [1, 2.5, null]}'");

PyDoc_STRVAR(dumps_to_bytes_doc,
             "dumps_to_bytes($module, obj, *, skipkeys=False, ensure_ascii=False,\n"
             "               check_circular=True, allow_nan=True, cls=None, indent=None,\n"
             "               separators=None, default=None, sort_keys=False,\n"
             "               is_write_cache=None, **kw)\n"
             "--\n\n"
             "obj as JSON text in UTF-8 bytes: as dumps, but compact and not escaped unless\n"
             "asked for.\n\n"
             "is_write_cache says whether the UTF-8 form of a str that is not ASCII is kept\n"
             "in that str, for others who ask CPython for it, and memory grows; None means\n"
             "the default that write_utf8_cache() sets.\n\n"
             "Raises what dumps raises, and UnicodeEncodeError, which is a ValueError, for\n"
             "a lone surrogate.\n\n"
             "    >>> dumps_to_bytes({'a': [1, 2.5, None]})\n"
             "    b'{\"a\":[1,2.5,null]}'");

PyDoc_STRVAR(load_lines_doc,
             "loads($module, data, /, *, fields=None, default=None, check=True, type=None,\n"
             "      on_error='raise', tail='raise', max_record=268435456, **options)\n"
             "--\n\n"
             "The list of the values of the lines in data: a str, or bytes-like UTF-8.\n"
             "Options are those of loads. Blank lines are passed over.\n\n"
             "fields: a JSON Pointer (RFC 6901), or several: of each record that value, or\n"
             "a tuple of them; default stands for what is missing. All else is checked,\n"
             "unless check is false.\n"
             "on_error: 'skip' passes over bad records; a callable is given their RecordError.\n"
             "tail: 'drop' forgives a bad record that no newline ends.\n"
             "max_record: as many bytes a record has at most.\n\n"
             "Raises RecordError for a record that is wrong, and what hooks raise.\n\n"
             "    >>> loads(b'{\"a\": 1}\\n[2, 3]\\n')\n"
             "    [{'a': 1}, [2, 3]]");

PyDoc_STRVAR(dump_doc,
             "dump($module, obj, fp, *, skipkeys=False, ensure_ascii=True,\n"
             "     check_circular=True, allow_nan=True, cls=None, indent=None,\n"
             "     separators=None, default=None, sort_keys=False, **kw)\n"
             "--\n\n"
             "obj as JSON text into fp, an object with a write method: the text of dumps, in\n"
             "pieces of some 100 KB, so that memory stays bounded whatever the size of obj.\n\n"
             "fp is given str, or bytes of UTF-8 if that is what it takes: a binary file of\n"
             "the io module, or whatever refuses a str with a TypeError.\n\n"
             "Raises what dumps raises, after writing the text before the failing value, and\n"
             "whatever fp.write raises.\n\n"
             "    >>> dump({'a': [1, 2.5, None]}, sys.stdout)\n"
             "    {\"a\": [1, 2.5, null]}");

PyDoc_STRVAR(encode_basestring_doc,
             "encode_basestring($module, string, /)\n"
             "--\n\n"
             "The string as JSON text, characters beyond ASCII left as they are.\n\n"
             "    >>> encode_basestring('a\\tb')\n"
             "    '\"a\\\\tb\"'");

PyDoc_STRVAR(encode_basestring_ascii_doc,
             "encode_basestring_ascii($module, string, /)\n"
             "--\n\n"
             "The string as JSON text in ASCII.\n\n"
             "    >>> encode_basestring_ascii('\\xe9')\n"
             "    '\"\\\\u00e9\"'");

PyDoc_STRVAR(write_utf8_cache_doc,
             "write_utf8_cache($module, enabled, /)\n"
             "--\n\n"
             "Sets whether dumps_to_bytes leaves UTF-8 copies in the str objects it encodes\n"
             "when its is_write_cache is not given. Off at import.");

PyDoc_STRVAR(get_current_features_doc,
             "get_current_features($module, /)\n"
             "--\n\n"
             "What this module was built for and uses: a dict with version, level, compiler,\n"
             "free_threaded, write_utf8_cache, and tricks, the private knowledge of CPython\n"
             "that passed its self-test at import. The environment variable OCIOR_TRICKS\n"
             "switches it off: all of it by 0, parts by their names in tricks, each with a\n"
             "minus before it and a comma between (-pool_blocks,-keys_table).");

PyObject* write_utf8_cache(PyObject* module, PyObject* enabled) noexcept {
    const Owned hold = Owned::borrow(module);  // see HeldArguments
    const int truth = PyObject_IsTrue(enabled);
    if (truth < 0) return nullptr;
    state_of(module).write_cache = truth > 0;
    Py_RETURN_NONE;
}

PyObject* get_current_features(PyObject* module, PyObject*) noexcept {
    const State& state = state_of(module);
    const auto flag = [](bool on) { return on ? Py_True : Py_False; };
    const Owned tricks = state.constants.tricks.as_dict();
    if (!tricks) return nullptr;
    return Py_BuildValue("{s:s,s:s,s:s,s:O,s:O,s:O}", "version", OCIOR_VERSION, "level", OCIOR_STRING(OCIOR_LEVEL_NAME), "compiler",
                         __VERSION__, "free_threaded", flag(!layout::kHasGil), "write_utf8_cache", flag(state.write_cache), "tricks",
                         tricks.get());
}

// Sets InstalledJson::default_encoder. encoder.py calls it when it is imported, and again whenever a program reloads it.
PyObject* set_default_encoder(PyObject* module, PyObject* encoder) noexcept {
    State& state = state_of(module);
    if (!state.default_encoders) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), nullptr;
    // Its attributes move to a dict with a table of its own, in the place of one that shares its keys with other objects: the attributes of
    // other encoders are a copy of them, which every call reads.
    const Owned shared = Owned::steal(PyObject_GenericGetDict(encoder, nullptr)), own = Owned::steal(PyDict_New());
    if (!shared || !own || PyDict_Update(own.get(), shared.get()) < 0 || PyObject_GenericSetDict(encoder, own.get(), nullptr) < 0 ||
        PyList_Append(state.default_encoders, encoder) < 0)
        return nullptr;
    state.json_encoding.default_encoder = encoder;
    (void)_PyType_Lookup(Py_TYPE(encoder), state.json_encoding.encode_name);  // gives the type a version
    state.encoder_class_version = type_version(Py_TYPE(encoder));
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"load", as_method(load), METH_FASTCALL | METH_KEYWORDS, load_doc},
    {"loads", as_method(loads), METH_FASTCALL | METH_KEYWORDS, loads_doc},
    {"at", as_method(at), METH_FASTCALL | METH_KEYWORDS, at_doc},
    {"pointer_tokens", pointer_tokens, METH_O, nullptr},
    {"read_table", as_method(read_table), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"open_scan", as_method(open_scan), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"infer_form", as_method(infer_form), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"join_forms", as_method(join_forms), METH_FASTCALL, nullptr},
    {"export_schema", export_schema, METH_O, nullptr},
    {"import_schema", import_schema, METH_O, nullptr},
    {"dumps", as_method(dumps), METH_FASTCALL | METH_KEYWORDS, dumps_doc},
    {"dumps_to_bytes", as_method(dumps_to_bytes), METH_FASTCALL | METH_KEYWORDS, dumps_to_bytes_doc},
    {"dump", as_method(dump), METH_FASTCALL | METH_KEYWORDS, dump_doc},
    {"encode_basestring", encode_basestring, METH_O, encode_basestring_doc},
    {"encode_basestring_ascii", encode_basestring_ascii, METH_O, encode_basestring_ascii_doc},
    {"set_default_encoder", set_default_encoder, METH_O, nullptr},
    {"scanstring", scanstring, METH_VARARGS, scanstring_doc},
    {"view", as_method(view), METH_FASTCALL | METH_KEYWORDS, nullptr},
    {"write_utf8_cache", as_method(write_utf8_cache), METH_O, write_utf8_cache_doc},
    {"get_current_features", as_method(get_current_features), METH_NOARGS, get_current_features_doc},
    {nullptr, nullptr, 0, nullptr},
};

// The functions of ocior.lines, by the names that they have there; a pickle finds them by these.
struct LineFunction {
    const char* attribute;  // of the module
    PyMethodDef method;
};
LineFunction line_functions[] = {
    {"load_lines", {"loads", as_method(load_lines), METH_FASTCALL | METH_KEYWORDS, load_lines_doc}},
    {"dump_lines", {"dumps", as_method(dump_lines), METH_FASTCALL | METH_KEYWORDS, dump_lines_doc}},
    {"dump_lines_to_bytes", {"dumps_to_bytes", as_method(dump_lines_to_bytes), METH_FASTCALL | METH_KEYWORDS, dump_lines_to_bytes_doc}},
};

[[nodiscard]] bool add_line_functions(PyObject* module) noexcept {
    const Owned module_name = Owned::steal(PyUnicode_FromString("ocior.lines"));
    for (LineFunction& function : line_functions) {
        const Owned made = module_name ? Owned::steal(PyCFunction_NewEx(&function.method, module, module_name.get())) : Owned();
        if (!made || PyModule_AddObjectRef(module, function.attribute, made.get()) < 0) return false;
    }
    return true;
}

bool add_own(PyObject* module, State& state) noexcept {
    state.decoder.contexts.open(module);
    state.encoder.contexts.open(module);
    state.dumps_keywords.open(module);
    state.dumps_to_bytes_keywords.open(module);
    state.kept_selections.open(module);
    if (!state.create()) return false;
    JsonDecoding& json_decoding = state.json_decoding;
    json_decoding.own_scanner_type = reinterpret_cast<PyTypeObject*>(make_scanner_type(module));
    json_decoding.own_scanstring = get_attribute(module, "scanstring").release();
    if (!json_decoding.own_scanner_type || !json_decoding.own_scanstring) return false;
    json_decoding.own_decoder_type = reinterpret_cast<PyTypeObject*>(make_decoder_type(module));
    if (!json_decoding.own_decoder_type ||
        PyModule_AddObjectRef(module, "Decoder", reinterpret_cast<PyObject*>(json_decoding.own_decoder_type)) < 0 ||
        PyModule_AddObjectRef(module, "Scanner", reinterpret_cast<PyObject*>(json_decoding.own_scanner_type)) < 0)
        return false;
    return add_viewed_type(module, state) && add_encoder_types(module, state) && add_rich_types(module, state) &&
           add_typed_decoder(module, state) && add_typed_encoder_types(module, state) && add_record_reader(module) &&
           add_record_feeds(module) && add_line_encoder_type(module) && add_line_functions(module) && add_table_type(module) &&
           add_scan_type(module) && PyModule_AddObjectRef(module, "JSONDecodeError", state.decoder.decode_error) == 0;
}

int visit_own(State& state, PyObject* module, visitproc visit, void* arg) noexcept {
    Py_VISIT(state.default_encoders);
    Py_VISIT(state.pieces_type);
    Py_VISIT(state.viewed_type);
    Py_VISIT(state.late_default_type);
    Py_VISIT(state.encoder.own.default_type);
    Py_VISIT(state.encoder.own.raw_type);
    Py_VISIT(state.encoder.own.table_type);
    Py_VISIT(state.encoder.own.fragment_type);
    Py_VISIT(state.encoder.own.array_view_type);
    Py_VISIT(state.encoder.own.plans_type);
    if (const int stop = state.decoder.visit(module, visit, arg)) return stop;
    if (const int stop = state.typed.visit(visit, arg)) return stop;
    if (const int stop = visit_idle(state.encoder.contexts, module, visit, arg)) return stop;
    if (const int stop = visit_idle(state.dumps_keywords, module, visit, arg)) return stop;
    if (const int stop = visit_idle(state.dumps_to_bytes_keywords, module, visit, arg)) return stop;
    if (const int stop = visit_idle(state.kept_selections, module, visit, arg)) return stop;
    return state.json_decoding.for_each([visit, arg](PyObject* object) { return object ? visit(object, arg) : 0; });
}

constexpr Part kOwn{add_own, visit_own, [](State& state) noexcept { state.clear_cycles(); }, [](State& state) noexcept { state.clear(); }};

// Calls act(part) for each part of the module until one call says true, which is returned. The module's own part, whose constants the
// others use, comes first.
template <typename Act>
bool any_part(Act&& act) noexcept {
    if (act(kOwn)) return true;
    for (const Part* const part : compat::kParts)
        if (act(*part)) return true;
    return false;
}

int execute(PyObject* module) noexcept {
    State& state = *new (place_of_state(module)) compat::State;
    return any_part([&](const Part& part) { return !part.add(module, state); }) ? -1 : 0;
}

int traverse(PyObject* module, visitproc visit, void* arg) noexcept {
    int stop = 0;
    any_part([&](const Part& part) { return (stop = part.visit(state_of(module), module, visit, arg)) != 0; });
    return stop;
}

int clear(PyObject* module) noexcept {
    any_part([&](const Part& part) { return part.clear_cycles(state_of(module)), false; });
    return 0;
}

void release(void* module) noexcept {
    State* const state = place_of_state(static_cast<PyObject*>(module));
    if (!state) return;
    clear(static_cast<PyObject*>(module));
    any_part([&](const Part& part) { return part.clear(*state), false; });
}

PyModuleDef_Slot slots[] = {
    {Py_mod_exec, reinterpret_cast<void*>(execute)},
#if PY_VERSION_HEX >= 0x030C0000
    {Py_mod_multiple_interpreters, Py_MOD_PER_INTERPRETER_GIL_SUPPORTED},
#endif
#if PY_VERSION_HEX >= 0x030D0000
    {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
    {0, nullptr},
};

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = OCIOR_MODULE_NAME,
    .m_doc = "The core of ocior for one instruction-set level.",
    .m_size = compat::kStateRoom,
    .m_methods = methods,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = release,
};

}  // namespace

PyObject* module_of_type(PyTypeObject* type) noexcept {
    if (!type->tp_mro) return refuse_late_call();
#if PY_VERSION_HEX >= 0x030B0000
    return PyType_GetModuleByDef(type, &definition);
#else
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(type->tp_mro); ++i) {
        auto* base = reinterpret_cast<PyTypeObject*>(PyTuple_GET_ITEM(type->tp_mro, i));
        if (!PyType_HasFeature(base, Py_TPFLAGS_HEAPTYPE)) continue;
        PyObject* const module = PyType_GetModule(base);
        if (!module) PyErr_Clear();
        else if (PyModule_GetDef(module) == &definition) return module;
    }
    return PyErr_Format(PyExc_TypeError, "%.200s is not derived from a type of ocior", type->tp_name), nullptr;
#endif
}

}  // namespace ocior::module

PyMODINIT_FUNC OCIOR_JOIN(PyInit__core_, OCIOR_LEVEL_NAME)(void) { return PyModuleDef_Init(&ocior::module::definition); }
