// dumps and dumps_to_bytes: keywords to encode::Options.
#include "module/functions.h"

#include "module/arguments.h"
#include "module/state.h"

namespace ocior::module {
namespace {

enum : std::size_t { kObject, kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan, kCls, kIndent, kSeparators, kDefault, kSortKeys, kWriteCache, kCount };
static_assert(std::size(kDumpsNames) == kCount);

constexpr encode::Separator kComma{.word = 0x2c, .length = 1};   // ","
constexpr encode::Separator kColon{.word = 0x3a, .length = 1};   // ":"

// What a call compiles to, and the objects whose text the options borrow.
struct Compiled {
    encode::Options options;
    Owned item_text, key_text, indent_text;
};

// All of these return false, with no error set, for what is better left to json itself: it refuses it in its own words, or
// finds that this object never needs it.

// The text between values as units of the output, held by `owner`: a hook may change the list it comes from. For bytes, anything not
// ASCII becomes UTF-8 first.
bool read_separator(PyObject* str, bool to_bytes, Owned& owner, encode::Separator& separator) noexcept {
    StrView view;
    if (!PyUnicode_CheckExact(str) || !view_of(str, view)) return PyErr_Clear(), false;
    if (to_bytes && !view.is_ascii) {
        owner = Owned::steal(PyUnicode_AsUTF8String(str));
        if (!owner) return PyErr_Clear(), false;
        view = {PyBytes_AS_STRING(owner.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(owner.get())), 1, false};
    } else {
        owner = Owned::borrow(str);
    }
    separator.assign(view);
    return true;
}

bool read_separators(PyObject* given, bool to_bytes, Compiled& compiled) noexcept {
    // Another thread may be editing a list.
    const Owned pair = PyList_CheckExact(given) ? Owned::steal(PyList_AsTuple(given)) : Owned::borrow(given);
    if (!pair) return PyErr_Clear(), false;
    return PyTuple_CheckExact(pair.get()) && PyTuple_GET_SIZE(pair.get()) == 2 &&
           read_separator(PyTuple_GET_ITEM(pair.get(), 0), to_bytes, compiled.item_text, compiled.options.item) &&
           read_separator(PyTuple_GET_ITEM(pair.get(), 1), to_bytes, compiled.key_text, compiled.options.key);
}

// True when the text is one ASCII unit over and over.
bool is_fill(const StrView& view) noexcept {
    const auto* units = static_cast<const std::uint8_t*>(view.data);
    if (!view.is_ascii) return false;
    for (std::size_t i = 1; i < view.length; ++i)
        if (units[i] != units[0]) return false;
    return true;
}

bool read_indent(PyObject* given, bool to_bytes, Compiled& compiled) noexcept {
    encode::Indent& indent = compiled.options.indent;
    if (PyLong_Check(given)) {
        const Py_ssize_t count = PyNumber_AsSsize_t(given, PyExc_OverflowError);
        if (count == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
        indent.count = count > 0 ? static_cast<std::size_t>(count) : 0;
        return true;
    }
    StrView view;
    if (!PyUnicode_CheckExact(given) || !view_of(given, view)) return PyErr_Clear(), false;
    if (is_fill(view)) {
        indent.count = view.length;
        if (view.length) indent.fill = *static_cast<const std::uint8_t*>(view.data);
        return true;
    }
    if (!read_separator(given, to_bytes, compiled.indent_text, indent.text)) return false;
    if (!indent.text.data) indent.text.data = view.data;  // always by its text
    return true;
}

bool compile(PyObject* const* slots, bool to_bytes, Compiled& compiled) noexcept {
    encode::Options& options = compiled.options;
    options.to_bytes = to_bytes;
    if (slots[kCls] && slots[kCls] != Py_None) return false;
    if (!read_flag(slots[kSkipkeys], false, options.skipkeys) || !read_flag(slots[kEnsureAscii], !to_bytes, options.ensure_ascii) ||
        !read_flag(slots[kCheckCircular], true, options.check_circular) || !read_flag(slots[kAllowNan], true, options.allow_nan) ||
        !read_flag(slots[kSortKeys], false, options.sort_keys))
        return PyErr_Clear(), false;
    if (slots[kDefault] && slots[kDefault] != Py_None) options.default_hook = slots[kDefault];
    options.pretty = slots[kIndent] && slots[kIndent] != Py_None;
    if (options.pretty || to_bytes) options.item = kComma;
    if (to_bytes && !options.pretty) options.key = kColon;
    if (slots[kSeparators] && slots[kSeparators] != Py_None && !read_separators(slots[kSeparators], to_bytes, compiled)) return false;
    return !options.pretty || read_indent(slots[kIndent], to_bytes, compiled);
}

// What dumps_to_bytes does by way of json.dumps: its own defaults, then the UTF-8 of the text. For a user's encoder class, and
// for arguments that json refuses in its own words.
PyObject* bytes_by_json(const Arguments& arguments) noexcept {
    Owned keywords = keywords_of(arguments);
    if (!keywords) return nullptr;
    PyObject* dict = keywords.get();
    const auto is_given = [dict](const char* name) {
        PyObject* value = PyDict_GetItemString(dict, name);
        return value && value != Py_None;
    };
    if (PyDict_GetItemString(dict, "is_write_cache") && PyDict_DelItemString(dict, "is_write_cache") < 0) return nullptr;
    if (!PyDict_GetItemString(dict, "ensure_ascii") && PyDict_SetItemString(dict, "ensure_ascii", Py_False) < 0) return nullptr;
    if (!is_given("indent") && !is_given("separators")) {
        Owned compact = Owned::steal(Py_BuildValue("(ss)", ",", ":"));
        if (!compact || PyDict_SetItemString(dict, "separators", compact.get()) < 0) return nullptr;
    }
    Owned text = Owned::steal(call_json("dumps", arguments, dict));
    if (!text || PyBytes_Check(text.get())) return text.release();
    return PyUnicode_AsUTF8String(text.get());
}

}  // namespace

PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return encode::dumps(state.encoder, state.constants, encode::Options{}, values[0]);
    const Arguments arguments{values, positional, kwnames};
    PyObject* slots[kCount] = {};
    Compiled compiled;
    if (sort_arguments(arguments, state.dumps_names, slots) != Sorting::kGood || slots[kWriteCache] || !compile(slots, false, compiled))
        return call_json("dumps", arguments);
    return encode::dumps(state.encoder, state.constants, compiled.options, slots[kObject]);
}

PyObject* dumps_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) {
        encode::Options options{.ensure_ascii = false, .to_bytes = true, .write_cache = state.write_cache, .item = kComma, .key = kColon};
        return encode::dumps(state.encoder, state.constants, options, values[0]);
    }
    const Arguments arguments{values, positional, kwnames};
    PyObject* slots[kCount] = {};
    Compiled compiled;
    switch (sort_arguments(arguments, state.dumps_names, slots)) {
        case Sorting::kGood: break;
        case Sorting::kUnknownName: return bytes_by_json(arguments);
        case Sorting::kRefused: return refuse_arguments("dumps_to_bytes", arguments, kDumpsNames[kObject]);
    }
    if (!compile(slots, true, compiled)) return bytes_by_json(arguments);
    if (!read_flag(slots[kWriteCache], state.write_cache, compiled.options.write_cache)) return nullptr;
    return encode::dumps(state.encoder, state.constants, compiled.options, slots[kObject]);
}

}  // namespace ocior::module
