// dumps and dumps_to_bytes: keywords to encode::Options.
#include "module/functions.h"

#include "module/arguments.h"
#include "module/state.h"

namespace ocior::module {
namespace {

enum : std::size_t {
    kObject, kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan, kCls, kIndent, kSeparators, kDefault, kSortKeys, kCount,
    kWriteCache = kCount, kBytesCount
};
constexpr const char* kNames[kCount] = {"obj", "skipkeys", "ensure_ascii", "check_circular", "allow_nan",
                                        "cls", "indent", "separators", "default", "sort_keys"};
constexpr const char* kBytesNames[kBytesCount] = {"obj", "skipkeys", "ensure_ascii", "check_circular", "allow_nan", "cls",
                                                  "indent", "separators", "default", "sort_keys", "is_write_cache"};

constexpr encode::Separator kComma{.word = 0x2c, .length = 1};   // ","
constexpr encode::Separator kColon{.word = 0x3a, .length = 1};   // ":"

// What a call compiles to, and the objects whose text the options borrow.
struct Compiled {
    encode::Options options;
    Owned item_text, key_text, indent_text;  // UTF-8 forms for bytes output
};

enum class Reading : std::uint8_t { kGood, kOdd, kFailed };  // kOdd: json itself shall say what is wrong

// The text between values as units of the output: for bytes, anything not ASCII becomes UTF-8 first.
Reading read_separator(PyObject* str, bool to_bytes, Owned& utf8, encode::Separator& separator) noexcept {
    if (!PyUnicode_Check(str)) return Reading::kOdd;
    StrView view;
    if (!view_of(str, view)) return Reading::kFailed;
    if (to_bytes && !view.is_ascii) {
        utf8 = Owned::steal(PyUnicode_AsUTF8String(str));
        if (!utf8) return Reading::kFailed;
        view = {PyBytes_AS_STRING(utf8.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(utf8.get())), 1, false};
    }
    separator.assign(view);
    return Reading::kGood;
}

Reading read_separators(PyObject* pair, bool to_bytes, Compiled& compiled) noexcept {
    if ((!PyTuple_CheckExact(pair) && !PyList_CheckExact(pair)) || PySequence_Fast_GET_SIZE(pair) != 2) return Reading::kOdd;
    const Reading item = read_separator(PySequence_Fast_GET_ITEM(pair, 0), to_bytes, compiled.item_text, compiled.options.item);
    if (item != Reading::kGood) return item;
    return read_separator(PySequence_Fast_GET_ITEM(pair, 1), to_bytes, compiled.key_text, compiled.options.key);
}

// True when the text is one ASCII unit over and over.
bool is_fill(const StrView& view) noexcept {
    const auto* units = static_cast<const std::uint8_t*>(view.data);
    if (!view.is_ascii) return false;
    for (std::size_t i = 1; i < view.length; ++i)
        if (units[i] != units[0]) return false;
    return true;
}

Reading read_indent(PyObject* given, bool to_bytes, Compiled& compiled) noexcept {
    encode::Indent& indent = compiled.options.indent;
    if (PyLong_Check(given)) {
        const Py_ssize_t count = PyNumber_AsSsize_t(given, PyExc_OverflowError);
        if (count == -1 && PyErr_Occurred()) return PyErr_Clear(), Reading::kOdd;
        indent.count = count > 0 ? static_cast<std::size_t>(count) : 0;
        return Reading::kGood;
    }
    if (!PyUnicode_Check(given)) return Reading::kOdd;
    StrView view;
    if (!view_of(given, view)) return Reading::kFailed;
    if (is_fill(view)) {
        indent.count = view.length;
        if (view.length) indent.fill = *static_cast<const std::uint8_t*>(view.data);
        return Reading::kGood;
    }
    const Reading text = read_separator(given, to_bytes, compiled.indent_text, indent.text);
    if (!indent.text.data && text == Reading::kGood) indent.text.data = view.data;  // always by its text
    return text;
}

Reading compile(PyObject* const* slots, bool to_bytes, Compiled& compiled) noexcept {
    encode::Options& options = compiled.options;
    options.to_bytes = to_bytes;
    if (!read_flag(slots[kSkipkeys], false, options.skipkeys) || !read_flag(slots[kEnsureAscii], !to_bytes, options.ensure_ascii) ||
        !read_flag(slots[kCheckCircular], true, options.check_circular) || !read_flag(slots[kAllowNan], true, options.allow_nan) ||
        !read_flag(slots[kSortKeys], false, options.sort_keys))
        return Reading::kFailed;
    if (slots[kDefault] && slots[kDefault] != Py_None) options.default_hook = slots[kDefault];
    options.pretty = slots[kIndent] && slots[kIndent] != Py_None;
    if (options.pretty || to_bytes) options.item = kComma;
    if (to_bytes && !options.pretty) options.key = kColon;
    if (slots[kSeparators] && slots[kSeparators] != Py_None) {
        const Reading separators = read_separators(slots[kSeparators], to_bytes, compiled);
        if (separators != Reading::kGood) return separators;
    }
    return options.pretty ? read_indent(slots[kIndent], to_bytes, compiled) : Reading::kGood;
}

// json.dumps with these arguments, and for bytes the UTF-8 of what it returns: a user's encoder class, or arguments that json
// refuses in its own words.
PyObject* dumps_by_json(PyObject** slots, bool to_bytes) noexcept {
    if (!to_bytes) return call_json("dumps", kNames, slots, kCount);
    if (!slots[kEnsureAscii]) slots[kEnsureAscii] = Py_False;
    Owned compact;
    const bool pretty = slots[kIndent] && slots[kIndent] != Py_None;
    if (!pretty && (!slots[kSeparators] || slots[kSeparators] == Py_None)) {
        compact = Owned::steal(Py_BuildValue("(ss)", ",", ":"));
        if (!compact) return nullptr;
        slots[kSeparators] = compact.get();
    }
    Owned text = Owned::steal(call_json("dumps", kNames, slots, kCount));
    if (!text || PyBytes_Check(text.get())) return text.release();
    return PyUnicode_AsUTF8String(text.get());
}

PyObject* dumps_slots(State& state, PyObject** slots, bool to_bytes, bool write_cache) noexcept {
    if (slots[kCls] && slots[kCls] != Py_None) return dumps_by_json(slots, to_bytes);
    Compiled compiled;
    switch (compile(slots, to_bytes, compiled)) {
        case Reading::kGood: break;
        case Reading::kOdd: return dumps_by_json(slots, to_bytes);
        case Reading::kFailed: return nullptr;
    }
    compiled.options.write_cache = write_cache;
    return encode::dumps(state.encoder, state.constants, compiled.options, slots[kObject]);
}

}  // namespace

PyObject* dumps(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) return encode::dumps(state.encoder, state.constants, encode::Options{}, values[0]);
    const Arguments arguments{values, positional, kwnames};
    PyObject* slots[kCount] = {};
    if (!sort_arguments(arguments, kNames, slots)) return call_json("dumps", arguments);
    return dumps_slots(state, slots, false, false);
}

PyObject* dumps_to_bytes(PyObject* module, PyObject* const* values, Py_ssize_t positional, PyObject* kwnames) noexcept {
    State& state = state_of(module);
    if (OCIOR_LIKELY(positional == 1 && !kwnames)) {
        encode::Options options{.ensure_ascii = false, .to_bytes = true, .write_cache = state.write_cache, .item = kComma, .key = kColon};
        return encode::dumps(state.encoder, state.constants, options, values[0]);
    }
    const Arguments arguments{values, positional, kwnames};
    PyObject* slots[kBytesCount] = {};
    if (!sort_arguments(arguments, kBytesNames, slots)) return refuse_arguments("dumps_to_bytes", arguments, kBytesNames, kBytesCount);
    bool write_cache;
    if (!read_flag(slots[kWriteCache], state.write_cache, write_cache)) return nullptr;
    return dumps_slots(state, slots, true, write_cache);
}

}  // namespace ocior::module
