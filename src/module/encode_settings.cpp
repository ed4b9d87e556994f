#include "module/encode_settings.h"

#include "module/functions.h"

namespace ocior::module {
namespace {

constexpr encode::Separator kComma{.word = 0x2c, .length = 1};  // ","
constexpr encode::Separator kColon{.word = 0x3a, .length = 1};  // ":"

// True when the text is one ASCII unit over and over.
bool is_fill(const StrView& view) noexcept {
    const auto* units = static_cast<const std::uint8_t*>(view.data);
    if (!view.is_ascii) return false;
    for (std::size_t i = 1; i < view.length; ++i)
        if (units[i] != units[0]) return false;
    return true;
}

// An ordinary exception comes again where json does the same; others are kept. False.
bool leave_to_json() noexcept {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception) && !PyErr_ExceptionMatches(PyExc_MemoryError)) PyErr_Clear();
    return false;
}

bool is_given(PyObject* value) noexcept { return value && value != Py_None; }

// Whether `name` of the object is the method that json's class has, or the one of ours that stands for it.
bool has_own_method(const EncoderAttributes& attributes, PyObject* name, PyObject* of_json, PyCFunction of_ours) noexcept {
    PyObject* const object = attributes.encoder;
    const Owned method = attributes.get(name);
    if (!method) return leave_to_json();
    if (PyMethod_Check(method.get())) return PyMethod_GET_FUNCTION(method.get()) == of_json && PyMethod_GET_SELF(method.get()) == object;
    return PyCFunction_Check(method.get()) && PyCFunction_GET_FUNCTION(method.get()) == of_ours &&
           PyCFunction_GET_SELF(method.get()) == object;
}

}  // namespace

encode::Options EncodeSettings::compact_utf8(bool write_cache) noexcept {
    return {.ensure_ascii = false,
            .to_bytes = true,
            .write_cache = write_cache,
            .item = kComma,
            .key = kColon,
            .spacing = encode::Spacing::kCompact};
}

EncodeSettings EncodeSettings::copy() const noexcept {
    return {options, Owned::borrow(item_text.get()), Owned::borrow(key_text.get()), Owned::borrow(indent_text.get()),
            Owned::borrow(hook.get())};
}

// The text between values as units of the output, held by `owner`: a hook may change the list it comes from. For bytes, anything not
// ASCII becomes UTF-8 first.
bool EncodeSettings::read_separator(PyObject* str, Owned& owner, encode::Separator& separator) noexcept {
    StrView view;
    if (!PyUnicode_CheckExact(str) || !view_of(str, view)) return PyErr_Clear(), false;
    if (options.to_bytes && !view.is_ascii) {
        owner = Owned::steal(PyUnicode_AsUTF8String(str));
        if (!owner) return PyErr_Clear(), false;
        view = {PyBytes_AS_STRING(owner.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(owner.get())), 1, false};
    } else {
        owner = Owned::borrow(str);
    }
    separator.assign(view);
    return true;
}

bool EncodeSettings::read_separators(PyObject* given) noexcept {
    // Another thread may be editing a list.
    const Owned pair = PyList_CheckExact(given) ? Owned::steal(PyList_AsTuple(given)) : Owned::borrow(given);
    if (!pair) return PyErr_Clear(), false;
    return PyTuple_CheckExact(pair.get()) && PyTuple_GET_SIZE(pair.get()) == 2 &&
           read_separator(PyTuple_GET_ITEM(pair.get(), 0), item_text, options.item) &&
           read_separator(PyTuple_GET_ITEM(pair.get(), 1), key_text, options.key);
}

bool EncodeSettings::read_indent(PyObject* given) noexcept {
    encode::Indent& indent = options.indent;
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
    if (!read_separator(given, indent_text, indent.text)) return false;
    if (!indent.text.data) indent.text.data = view.data;  // always by its text
    return true;
}

bool EncodeSettings::compile(PyObject* const* slots, Layout layout, bool to_bytes) noexcept {
    const bool compact = layout == Layout::kCompact;
    options.to_bytes = to_bytes;
    if (!read_flag(slots[kSkipkeys], false, options.skipkeys) || !read_flag(slots[kEnsureAscii], !compact, options.ensure_ascii) ||
        !read_flag(slots[kCheckCircular], true, options.check_circular) || !read_flag(slots[kAllowNan], true, options.allow_nan) ||
        !read_flag(slots[kSortKeys], false, options.sort_keys))
        return PyErr_Clear(), false;
    if (is_given(slots[kDefault])) options.default_hook = slots[kDefault];
    options.pretty = is_given(slots[kIndent]);
    if (options.pretty || compact) options.item = kComma;
    if (compact && !options.pretty) options.key = kColon;
    if (is_given(slots[kSeparators]) && !read_separators(slots[kSeparators])) return false;
    if (options.pretty && !read_indent(slots[kIndent])) return false;
    options.find_spacing();
    return true;
}

bool EncodeSettings::compile(const JsonEncoding& json, const EncoderAttributes& attributes, bool to_bytes, bool encode_matters) noexcept {
    if (!has_own_method(attributes, json.iterencode_name, json.iterencode, as_method(encoder_iterencode)) ||
        (encode_matters && !has_own_method(attributes, json.encode_name, json.encode, as_method(encoder_encode))))
        return false;
    options.to_bytes = to_bytes;
    const auto read_attribute_flag = [&](DumpsSlot slot, bool& flag) {
        const Owned value = attributes.get(json.attribute_names.interned[slot]);
        return value && read_flag(value.get(), false, flag);
    };
    Owned indent, item, key, method;
    if (!read_attribute_flag(kSkipkeys, options.skipkeys) || !read_attribute_flag(kEnsureAscii, options.ensure_ascii) ||
        !read_attribute_flag(kCheckCircular, options.check_circular) || !read_attribute_flag(kAllowNan, options.allow_nan) ||
        !read_attribute_flag(kSortKeys, options.sort_keys) || !(indent = attributes.get(json.attribute_names.interned[kIndent])) ||
        !(item = attributes.get(json.item_separator_name)) || !(key = attributes.get(json.key_separator_name)) ||
        !(method = attributes.get(json.attribute_names.interned[kDefault])))
        return leave_to_json();
    if (!PyMethod_Check(method.get()) || PyMethod_GET_FUNCTION(method.get()) != json.unpatched_default) {
        options.default_hook = method.get();
        hook = std::move(method);
    }
    options.pretty = indent.get() != Py_None;
    if (!read_separator(item.get(), item_text, options.item) || !read_separator(key.get(), key_text, options.key)) return false;
    if (options.pretty && !read_indent(indent.get())) return false;
    options.find_spacing();
    return true;
}

namespace {

// json asks first whether everything is as usual: so far the truth of switches is looked at, and may raise. False with an error set.
bool ask_for_the_usual(PyObject* keywords, PyObject* cls, PyObject* const* names) noexcept {
    const auto value_of = [&](DumpsSlot slot) { return PyDict_GetItem(keywords, names[slot]); };
    for (const DumpsSlot slot : {kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan}) {
        bool truth;
        if (!read_flag(value_of(slot), false, truth)) return false;
        if (truth == (slot == kSkipkeys)) return true;
    }
    if (cls != Py_None || is_given(value_of(kIndent)) || is_given(value_of(kSeparators)) || is_given(value_of(kDefault))) return true;
    bool truth;
    return read_flag(value_of(kSortKeys), false, truth);
}

}  // namespace

Owned make_encoder(const JsonEncoding& json, const Arguments& arguments, Layout layout, bool is_dump) noexcept {
    const bool compact = layout == Layout::kCompact;
    // Every keyword that json.dumps has, given or not, then those it does not know.
    Owned keywords = Owned::steal(PyDict_New());
    if (!keywords) return {};
    PyObject* const dict = keywords.get();
    PyObject* cls = Py_None;
    const auto set = [dict](PyObject* name, PyObject* value) { return PyDict_SetItem(dict, name, value) == 0; };
    PyObject* const* names = json.attribute_names.interned;
    for (const DumpsSlot slot : {kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan, kIndent, kSeparators, kDefault, kSortKeys}) {
        const bool flag = slot == kCheckCircular || slot == kAllowNan || (slot == kEnsureAscii && !compact);
        const bool is_flag = flag || slot == kSkipkeys || slot == kEnsureAscii || slot == kSortKeys;
        if (!set(names[slot], is_flag ? (flag ? Py_True : Py_False) : Py_None)) return {};
    }
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* name = PyTuple_GET_ITEM(arguments.kwnames, k);
        PyObject* value = arguments.values[arguments.positional + k];
        const auto is = [name](PyObject* other) { return name == other || PyUnicode_Compare(name, other) == 0; };
        if (is(names[kCls])) cls = value;
        else if (!is(names[kObject]) && !(is_dump && is(json.dump_names.interned[1])) && !(compact && is(names[kWriteCache])) &&
                 !set(name, value))
            return {};
    }
    if (compact && PyDict_GetItem(dict, names[kIndent]) == Py_None && PyDict_GetItem(dict, names[kSeparators]) == Py_None) {
        Owned separators = Owned::steal(Py_BuildValue("(ss)", ",", ":"));
        if (!separators || !set(names[kSeparators], separators.get())) return {};
    }
    if (!ask_for_the_usual(dict, cls, names)) return {};
    return Owned::steal(PyObject_VectorcallDict(cls == Py_None ? json.encoder_type : cls, nullptr, 0, dict));
}

}  // namespace ocior::module
