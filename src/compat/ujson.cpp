#include "compat/parts.h"
#include "compat/state.h"

#include <cstring>

#include "compat/facade.h"
#include "compat/lenient.h"
#include "compat/ujson_types.h"
#include "module/functions.h"
#include "py/attribute.h"

namespace ocior::compat {

using namespace module;

namespace {

PyObject* refuse(const char* message) noexcept { return PyErr_SetString(PyExc_TypeError, message), nullptr; }

// The arguments as a tuple and a dict, for PyArg_ParseTupleAndKeywords, which has the words for wrong ones in each version of Python.
struct Packed {
    Owned positional, keywords;

    explicit Packed(const Arguments& arguments) noexcept
        : positional(Owned::steal(PyTuple_New(arguments.positional))), keywords(keywords_of(arguments)) {
        for (Py_ssize_t i = 0; positional && i < arguments.positional; ++i)
            PyTuple_SET_ITEM(positional.get(), i, new_ref(arguments.values[i]));
    }
    explicit operator bool() const noexcept { return positional && keywords; }
};

// ---- dumps ----

enum : std::size_t { kUjsonIndent = 5, kUjsonDefault = 8, kUjsonSeparators = 9 };  // places among kUjsonNames

constexpr encode::Dialect kWriting = [] {
    encode::Dialect dialect = encode::kJsonInPython;
    dialect.reading = encode::Reading::kAtOnce;
    dialect.notes = encode::NoteStyle::kNone;
    dialect.max_depth = 1024;
    dialect.too_deep = dialect.circular = dialect.too_deep_hook = {encode::ErrorClass::kOverflow, "Maximum recursion level reached"};
    dialect.non_finite = {encode::ErrorClass::kOverflow, "Invalid value when encoding double"};
    dialect.asks_encoder_class = false;
    dialect.plan_of = ujson_plan_of;
    dialect.read_key = read_ujson_key;
    return dialect;
}();

// What a call is told, as PyArg_ParseTupleAndKeywords reads it.
struct Given {
    PyObject* value = nullptr;
    int ensure_ascii = 1, encode_html_chars = 0, escape_forward_slashes = 1, sort_keys = 0, indent = 0, allow_nan = 1, reject_bytes = 1;
    PyObject *hook = nullptr, *separators = nullptr;

    [[nodiscard]] bool parse(const Arguments& arguments) noexcept {
        static const char* names[] = {"obj",
                                      "ensure_ascii",
                                      "encode_html_chars",
                                      "escape_forward_slashes",
                                      "sort_keys",
                                      "indent",
                                      "allow_nan",
                                      "reject_bytes",
                                      "default",
                                      "separators",
                                      nullptr};
        const Packed packed(arguments);
        return packed &&
               PyArg_ParseTupleAndKeywords(packed.positional.get(), packed.keywords.get(), "O|ppppippOO", const_cast<char**>(names), &value,
                                           &ensure_ascii, &encode_html_chars, &escape_forward_slashes, &sort_keys, &indent, &allow_nan,
                                           &reject_bytes, &hook, &separators);
    }

    // Reads the usual arguments: the value by position, and keywords with flags that are true or false. False, without an error, for other
    // arguments.
    [[nodiscard]] bool read_usual(const Arguments& arguments, const Names<std::size(kUjsonNames)>& names) noexcept {
        // In the order of the names; what is no flag is null.
        int* const flags[std::size(kUjsonNames)] = {nullptr,    &ensure_ascii, &encode_html_chars, &escape_forward_slashes,
                                                    &sort_keys, nullptr,       &allow_nan,         &reject_bytes};
        if (arguments.positional != 1) return false;
        value = arguments.values[0];
        for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
            PyObject* const given = arguments.values[1 + k];
            const std::size_t i = names.find(PyTuple_GET_ITEM(arguments.kwnames, k));
            if (i == kUjsonDefault) hook = given;
            else if (i == kUjsonSeparators) separators = given;
            else if (i == kUjsonIndent && PyLong_CheckExact(given)) {
                int overflow;
                const long count = PyLong_AsLongAndOverflow(given, &overflow);
                if (overflow || count < -1 || count > 1000) return false;
                indent = static_cast<int>(count);
            } else if (i < std::size(flags) && flags[i] && PyBool_Check(given)) *flags[i] = given == Py_True;
            else return false;
        }
        return true;
    }

    // False with an error set.
    [[nodiscard]] bool compile(encode::Options& options) const noexcept {
        using namespace encode;
        constexpr int kMostIndent = 1000;
        if (indent > kMostIndent) return PyErr_SetString(PyExc_ValueError, "Maximum allowed indentation is 1000"), false;
        const auto flag = [](bool is_on, std::uint32_t flags) { return is_on ? flags : 0u; };
        options = {
            .dialect = &kWriting,
            .ensure_ascii = ensure_ascii != 0,
            .check_circular = false,
            .non_finite = allow_nan ? NonFiniteNumbers::kConstant : NonFiniteNumbers::kError,
            .exponents = encode::Exponents::kUnpadded,
            .sort_keys = sort_keys != 0,
            .rich = kByDialect | kStored | flag(!reject_bytes, kBytesAsText) | flag(escape_forward_slashes, kEscapedSlashes) |
                    flag(encode_html_chars, kEscapedMarkup) | flag(ensure_ascii, kPlainDelete),
            .pretty = indent > 0,
            .default_hook = hook == Py_None ? nullptr : hook,
            .item = kComma,
            .key = indent ? kColonSpace : kColon,
        };
        options.indent.count = indent > 0 ? static_cast<std::size_t>(indent) : 0;
        if (separators && separators != Py_None && !read_separators(options)) return false;
        options.settle();
        return true;
    }

private:
    [[nodiscard]] bool read_separators(encode::Options& options) const noexcept {
        if (!PyTuple_Check(separators)) return refuse("expected tuple or None as separator"), false;
        if (PyTuple_GET_SIZE(separators) != 2) return PyErr_SetString(PyExc_ValueError, "expected tuple of size 2 as separator"), false;
        PyObject *const item = PyTuple_GET_ITEM(separators, 0), *const key = PyTuple_GET_ITEM(separators, 1);
        if (!PyUnicode_Check(item)) return refuse("expected str as item separator"), false;
        if (!PyUnicode_Check(key)) return refuse("expected str as key separator"), false;
        StrView item_view, key_view;
        if (!view_of(item, item_view) || !view_of(key, key_view)) return false;
        options.item.assign(item_view);
        options.key.assign(key_view);
        return true;
    }
};

const encode::Options kDefaultOptions = [] {
    encode::Options options;
    (void)Given{}.compile(options);
    return options;
}();

OCIOR_NOINLINE PyObject* dumps_by_arguments(State& state, PyObject* module, const Arguments& lent) noexcept {
    const HeldArguments arguments(module, lent);
    if (!arguments) return nullptr;
    Given given;
    encode::Options options;
    if (!given.read_usual(arguments, state.ujson.names)) {
        given = {};
        if (!given.parse(arguments)) return nullptr;
    }
    return given.compile(options) ? encode::dumps(state.encoder, state.constants, options, given.value) : nullptr;
}

PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_UNLIKELY(positional != 1 || kwnames)) return dumps_by_arguments(state, module, {values, positional, kwnames});
    return encode::dumps(state.encoder, state.constants, kDefaultOptions, values[0]);
}

// The method of a file. Empty with TypeError set where it has none.
Owned method_of_file(PyObject* file, const char* name) noexcept {
    Owned method = get_attribute(file, name);
    if (!method && !PyErr_ExceptionMatches(PyExc_Exception)) return {};
    if (!method || !PyCallable_Check(method.get())) return PyErr_Clear(), refuse("expected file"), Owned();
    return method;
}

// The arguments of dump and load as those of dumps and loads: `first` in the place of all that are given by position. False with an error
// set.
constexpr std::size_t kMostKeywords = 16;
bool place_behind(PyObject* first, const Arguments& arguments, PyObject* (&all)[1 + kMostKeywords]) noexcept {
    const auto count = static_cast<std::size_t>(arguments.keyword_count());
    if (count > kMostKeywords) return refuse("too many keyword arguments"), false;
    all[0] = first;
    for (std::size_t i = 0; i < count; ++i) all[1 + i] = arguments.values[static_cast<std::size_t>(arguments.positional) + i];
    return true;
}

PyObject* dump(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional != 2) return PyErr_Format(PyExc_TypeError, "function takes exactly 2 arguments (%zd given)", positional);
    const Owned write = method_of_file(arguments.values[1], "write");
    if (!write) return nullptr;
    PyObject* all[1 + kMostKeywords];
    if (!place_behind(arguments.values[0], arguments, all)) return nullptr;
    const Owned text = Owned::steal(dumps(module, all, 1, arguments.kwnames));
    if (!text || !Owned::steal(PyObject_CallOneArg(write.get(), text.get()))) return nullptr;
    Py_RETURN_NONE;
}

// ---- loads ----

// What json's grammar does not take is read by ujson's, which takes more, or says in ujson's words why not.
PyObject* refuse_document(const decode::Refused& refused) noexcept {
    // A NUL ends a string in ujson; all other control characters may stand in one.
    const auto has_nul = [&] {
        if (!refused.document) return std::memchr(refused.data, 0, refused.length) != nullptr;
        return PyUnicode_FindChar(refused.document, 0, 0, PyUnicode_GET_LENGTH(refused.document), 1) >= 0;
    };
    if (refused.error == decode::Error::kControlCharacter && refused.options.strict && !has_nul()) {
        decode::Options relaxed = refused.options;
        relaxed.strict = false;
        return refused.read_again(refused, relaxed);
    }
    // Bytes that are no UTF-8, or a number of too many digits: it may be a float of that grammar.
    if (refused.error == decode::Error::kPython && !PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
    return read_leniently(refused.state.decode_error, refused.document, refused.data, refused.length);
}

constexpr decode::Dialect kReading = {.names_trailing_commas = false,
                                      .names_byte_order_mark = false,
                                      .asks_json_of_escape_at_end = false,
                                      .takes_utf8_only = true,
                                      .decodes_first = false,
                                      .refuse = refuse_document};

PyObject* loads_value(State& state, PyObject* input) noexcept {
    if (OCIOR_UNLIKELY(!PyUnicode_Check(input) && !PyBytes_Check(input) && !PyByteArray_Check(input))) {
        Py_buffer buffer;
        if (PyObject_GetBuffer(input, &buffer, PyBUF_C_CONTIGUOUS) != 0)
            return PyErr_Clear(), refuse("Expected string, bytes, or bytearray");
        PyBuffer_Release(&buffer);
        return refuse("Arbitrary bytes-like objects are no longer supported. Use either string, bytes, or bytearray.");
    }
    static constexpr decode::Options kOptions{.dialect = &kReading, .max_depth = 1024};
    return decode::loads_without_hooks(state.ujson.decoder, kOptions, input);
}

PyObject* loads(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return loads_value(state, values[0]);
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    static const char* names[] = {"obj", nullptr};
    PyObject* input;
    const Packed packed(arguments);
    if (!packed || !PyArg_ParseTupleAndKeywords(packed.positional.get(), packed.keywords.get(), "O", const_cast<char**>(names), &input))
        return nullptr;
    return loads_value(state, input);
}

// Keywords are refused in the words of loads, once the file has been read.
PyObject* load(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    const HeldArguments arguments(module, {values, positional, kwnames});
    if (!arguments) return nullptr;
    if (positional != 1) return PyErr_Format(PyExc_TypeError, "function takes exactly 1 argument (%zd given)", positional);
    const Owned read = method_of_file(arguments.values[0], "read");
    const Owned text = read ? Owned::steal(PyObject_CallNoArgs(read.get())) : Owned();
    if (!text) return nullptr;
    PyObject* all[1 + kMostKeywords];
    return place_behind(text.get(), arguments, all) ? loads(module, all, 1, arguments.kwnames) : nullptr;
}

constexpr const char kDumpsDoc[] =
    "dumps(obj, ensure_ascii=True, encode_html_chars=False, escape_forward_slashes=True, sort_keys=False, indent=0, allow_nan=True, "
    "reject_bytes=True, default=None, separators=None)\n--\n\nThe JSON text of obj, a str.";
constexpr const char kLoadsDoc[] = "loads(obj)\n--\n\nThe value of the JSON document in obj, a str, bytes or bytearray.";

PyMethodDef functions[] = {
    {"dumps", as_method(dumps), METH_FASTCALL | METH_KEYWORDS, kDumpsDoc},
    {"encode", as_method(dumps), METH_FASTCALL | METH_KEYWORDS, kDumpsDoc},
    {"loads", as_method(loads), METH_FASTCALL | METH_KEYWORDS, kLoadsDoc},
    {"decode", as_method(loads), METH_FASTCALL | METH_KEYWORDS, kLoadsDoc},
    {"dump", as_method(dump), METH_FASTCALL | METH_KEYWORDS,
     "Writes the JSON text of a value to a file: dump(obj, fp, **keywords of dumps)."},
    {"load", as_method(load), METH_FASTCALL | METH_KEYWORDS, "The value of the JSON document that fp.read() gives: load(fp)."},
};

bool add(PyObject* module, module::State& of_module) noexcept {
    Ujson& ujson = state_of(of_module).ujson;
    ujson.decoder.contexts.open(module);
    Facade facade("ujson");
    ujson.decoder.decode_error = PyErr_NewException("ocior.compat.ujson.JSONDecodeError", PyExc_ValueError, nullptr);
    return ujson.names.create(kUjsonNames) && ujson.decoder.decode_error && facade.add(module, functions) &&
           facade.add("JSONDecodeError", new_ref(ujson.decoder.decode_error)) && facade.finish(module);
}

int visit(module::State& state, PyObject* module, visitproc visit, void* arg) noexcept {
    return state_of(state).ujson.decoder.visit(module, visit, arg);
}

void clear_cycles(module::State& state) noexcept { state_of(state).ujson.decoder.clear_cycles(); }

void clear(module::State& state) noexcept {
    Ujson& ujson = state_of(state).ujson;
    ujson.decoder.clear();
    ujson.names.clear();
}

}  // namespace

const Part kUjsonPart{add, visit, clear_cycles, clear};

}  // namespace ocior::compat
