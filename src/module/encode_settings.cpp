#include "module/encode_settings.h"

#include "module/functions.h"
#include "module/suggestion.h"

namespace ocior::module {
namespace {

// Whether the text is one ASCII unit, repeated.
bool is_fill(const StrView& view) noexcept {
    const auto* units = static_cast<const std::uint8_t*>(view.data);
    if (!view.is_ascii) return false;
    for (std::size_t i = 1; i < view.length; ++i)
        if (units[i] != units[0]) return false;
    return true;
}

bool is_given(PyObject* value) noexcept { return value && value != Py_None; }

// Whether the object's attribute `name` is the method that json's class has, or that of our class.
bool is_not_overridden(const EncoderAttributes& attributes, PyObject* name, PyObject* of_json, PyCFunction of_ours) noexcept {
    PyObject* const object = attributes.encoder;
    const Owned method = attributes.get(name);
    if (!method) return leave_to_json();
    if (PyMethod_Check(method.get())) return PyMethod_GET_FUNCTION(method.get()) == of_json && PyMethod_GET_SELF(method.get()) == object;
    return PyCFunction_Check(method.get()) && PyCFunction_GET_FUNCTION(method.get()) == of_ours &&
           PyCFunction_GET_SELF(method.get()) == object;
}

}  // namespace

bool leave_to_json() noexcept {
    if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_Exception) && !PyErr_ExceptionMatches(PyExc_MemoryError)) PyErr_Clear();
    return false;
}

EncodeSettings EncodeSettings::copy(PyObject* default_hook) const noexcept {
    EncodeSettings settings{options,
                            Owned::borrow(item_text.get()),
                            Owned::borrow(key_text.get()),
                            Owned::borrow(indent_text.get()),
                            Owned::borrow(default_hook),
                            Owned::borrow(plans.get())};
    settings.options.default_hook = default_hook;
    return settings;
}

// Reads a text that stands between values, as units of the output: for bytes, a text that is not ASCII becomes UTF-8 first. `owner` keeps
// it alive, because a hook may change the list that it comes from.
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
    // Another thread may edit a list meanwhile.
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
    if (!indent.text.data) indent.text.data = view.data;  // Separator keeps short ASCII elsewhere, where put_line() does not look
    return true;
}

// Reads the flags by `read_flag(slot, flag)`, in the order in which json does. False where one of them fails.
template <typename ReadFlag>
bool EncodeSettings::read_flags(ReadFlag read_flag) noexcept {
    bool allow_nan = true;
    if (!read_flag(kSkipkeys, options.skipkeys) || !read_flag(kEnsureAscii, options.ensure_ascii) ||
        !read_flag(kCheckCircular, options.check_circular) || !read_flag(kAllowNan, allow_nan) || !read_flag(kSortKeys, options.sort_keys))
        return false;
    options.non_finite = allow_nan ? NonFiniteNumbers::kConstant : NonFiniteNumbers::kError;
    return true;
}

// The last step, when the separators are known.
OCIOR_INLINE bool EncodeSettings::finish(PyObject* indent) noexcept {
    if (options.pretty && !read_indent(indent)) return false;
    options.settle();
    return true;
}

bool EncodeSettings::compile(PyObject* const* slots) noexcept {
    if (!read_flags([slots](EncodeSlot slot, bool& flag) { return read_flag(slots[slot], flag, flag); })) return PyErr_Clear(), false;
    if (is_given(slots[kDefault])) options.default_hook = slots[kDefault];
    options.pretty = is_given(slots[kIndent]);
    if (options.pretty) {
        options.item = encode::kComma;
        options.key = encode::kColonSpace;
    }
    return (!is_given(slots[kSeparators]) || read_separators(slots[kSeparators])) && finish(slots[kIndent]);
}

bool EncodeSettings::compile(const JsonEncoding& json, const EncoderAttributes& attributes, MayOverride may_override) noexcept {
    if (may_override < MayOverride::kIterencodeToo &&
        !is_not_overridden(attributes, json.iterencode_name, json.iterencode, as_method(encoder_iterencode)))
        return false;
    if (may_override < MayOverride::kEncode && !is_not_overridden(attributes, json.encode_name, json.encode, as_method(encoder_encode)))
        return false;
    const auto attribute_of = [&](EncodeSlot slot) { return attributes.get(json.names.interned[slot]); };
    const auto read_attribute = [&](EncodeSlot slot, bool& flag) {
        const Owned value = attribute_of(slot);
        return value && read_flag(value.get(), false, flag);
    };
    Owned indent, item, key, method;
    if (!read_flags(read_attribute) || !(indent = attribute_of(kIndent)) || !(item = attributes.get(json.item_separator_name)) ||
        !(key = attributes.get(json.key_separator_name)) || !(method = attribute_of(kDefault)))
        return leave_to_json();
    if (!PyMethod_Check(method.get()) || PyMethod_GET_FUNCTION(method.get()) != json.unpatched_default) {
        options.default_hook = method.get();
        hook = std::move(method);
    }
    options.pretty = indent.get() != Py_None;
    return read_separator(item.get(), item_text, options.item) && read_separator(key.get(), key_text, options.key) && finish(indent.get());
}

namespace {

// json.dumps asks first whether everything has its default value, up to the first keyword that has not. That takes the truth of flags,
// which may raise. False with an error set.
bool ask_for_defaults(PyObject* keywords, PyObject* cls, PyObject* const* names) noexcept {
    const auto value_of = [&](EncodeSlot slot) { return PyDict_GetItem(keywords, names[slot]); };
    for (const EncodeSlot slot : {kSkipkeys, kEnsureAscii, kCheckCircular, kAllowNan}) {
        bool truth;
        if (!read_flag(value_of(slot), false, truth)) return false;
        if (truth == (slot == kSkipkeys)) return true;
    }
    if (cls != Py_None || is_given(value_of(kIndent)) || is_given(value_of(kSeparators)) || is_given(value_of(kDefault))) return true;
    bool truth;
    return read_flag(value_of(kSortKeys), false, truth);
}

}  // namespace

Owned make_encoder(const JsonEncoding& json, const Arguments& arguments, const EncodeFunction& function) noexcept {
    // All keywords that json.dumps has, given or not, then those that it does not know.
    Owned keywords = Owned::steal(PyDict_New());
    if (!keywords) return {};
    PyObject* const dict = keywords.get();
    PyObject *cls = Py_None, *unknown = nullptr;
    const auto set = [dict](PyObject* name, PyObject* value) { return PyDict_SetItem(dict, name, value) == 0; };
    PyObject* const* names = json.names.interned;
    for (const EncodeSlot slot : kEncoderSlots)
        if (!set(names[slot], function.default_of(slot))) return {};
    for (Py_ssize_t k = 0; k < arguments.keyword_count(); ++k) {
        PyObject* const name = PyTuple_GET_ITEM(arguments.kwnames, k);
        PyObject* const value = arguments.values[arguments.positional + k];
        const std::size_t slot = json.names.find(name);
        if (slot == kEncodeSlots && !unknown) unknown = name;
        if (slot == kCls) cls = value;
        else if (slot != kObject && slot != function.extra && !set(name, value)) return {};
    }
    const bool is_compact = function.defaults.spacing == encode::Spacing::kCompact;
    if (is_compact && PyDict_GetItem(dict, names[kIndent]) == Py_None && PyDict_GetItem(dict, names[kSeparators]) == Py_None) {
        const Owned separators = compact_separators();
        if (!separators || !set(names[kSeparators], separators.get())) return {};
    }
    if (!ask_for_defaults(dict, cls, names)) return {};
    Owned encoder = Owned::steal(PyObject_VectorcallDict(cls == Py_None ? json.encoder_type : cls, nullptr, 0, dict));
    // Of the names, the first two are given by position, and the last one is that of a keyword of one function alone.
    const std::size_t count = function.extra == kWriteCache ? kEncodeSlots : kWriteCache;
    if (!encoder && cls == Py_None) suggest_keyword(unknown, KeywordNames(kEncodeNames).first(count).subspan(kFile + 1));
    return encoder;
}

}  // namespace ocior::module
