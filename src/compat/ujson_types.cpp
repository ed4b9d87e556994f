// Values and keys as ujson takes them: subclasses as they are stored, decimals as floats, toDict() and __json__() before the default hook,
// and any object as a key.
#include "compat/ujson_types.h"

#include "encode/walk/call.h"
#include "num/write.h"
#include "py/attribute.h"
#include "py/number.h"
#include "simd/short_text.h"

namespace ocior::compat {

using namespace encode;

namespace {

// ---- bytes ----

// What ujson says of bytes whose UTF-8 it does not get through; null where it does. It takes bytes that begin no character for one.
const char* complaint_about(const std::uint8_t* at, const std::uint8_t* end) noexcept {
    const auto is_rest = [&](int i) { return (at[i] & 0xC0) == 0x80; };
    while (at != end) {
        const std::uint8_t lead = *at;
        if (lead < 0xC0 || lead >= 0xFE) {
            ++at;
            continue;
        }
        if (lead >= 0xF8) return "Unsupported UTF-8 sequence length when encoding string";
        const int n = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        if (end - at < n) return "Unterminated UTF-8 sequence when encoding string";
        if (n == 2) {
            if (!is_rest(1)) return "Invalid continuation byte in 2-byte UTF-8 sequence detected when encoding string";
            if (lead < 0xC2) return "Overlong 2-byte UTF-8 sequence detected when encoding string";
        } else if (n == 3) {
            if (!is_rest(1) || !is_rest(2)) return "Invalid continuation byte in 3-byte UTF-8 sequence detected when encoding string";
            if (lead == 0xE0 && at[1] < 0xA0) return "Overlong 3-byte UTF-8 sequence detected when encoding string";
        } else {
            if (!is_rest(1) || !is_rest(2) || !is_rest(3))
                return "Invalid continuation byte in 4-byte UTF-8 sequence detected when encoding string";
            if (lead > 0xF4 || (lead == 0xF4 && at[1] >= 0x90)) return ">U+10FFFF in 4-byte UTF-8 sequence detected when encoding string";
            if (lead == 0xF0 && at[1] < 0x90) return "Overlong 4-byte UTF-8 sequence detected when encoding string";
        }
        at += n;
    }
    return nullptr;
}

Owned text_of_bytes(Call& call, PyObject* bytes) noexcept {
    const char* const data = PyBytes_AS_STRING(bytes);
    const Py_ssize_t size = PyBytes_GET_SIZE(bytes);
    Owned text = Owned::steal(PyUnicode_DecodeUTF8(data, size, "surrogatepass"));
    if (text || !PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return text;
    PyErr_Clear();
    const auto* const first = reinterpret_cast<const std::uint8_t*>(data);
    if (const char* const complaint = call.options.ensure_ascii ? complaint_about(first, first + size) : nullptr) {
        PyErr_SetString(PyExc_OverflowError, complaint);
        return {};
    }
    // ujson decodes its whole text in the end; the positions in the error count from the quote.
    const Owned quoted = Owned::steal(PyBytes_FromFormat("\""));
    PyObject* all = quoted ? PySequence_Concat(quoted.get(), bytes) : nullptr;
    const Owned hold = Owned::steal(all);
    if (all) (void)Owned::steal(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(all), PyBytes_GET_SIZE(all), "surrogatepass"));
    return {};
}

// Short ones that are plain are written as they are; others become a str.
std::uint8_t* write_bytes(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const auto n = static_cast<std::size_t>(PyBytes_GET_SIZE(value));
    const bool escapes_strings = call.options.spacing == Spacing::kAny && (call.rich & kExtraEscapes) != 0;
    if (OCIOR_LIKELY(n <= simd::ShortText::kLanes && !escapes_strings)) {
        const auto text = simd::ShortText::load(reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(value)), n);
        text.store(to);
        if (OCIOR_LIKELY(!text.wants_escape<true>())) return to + n;
    }
    const Owned hold = Owned::borrow(value);
    call.pin();  // an exception may start a garbage collection
    call.extras().replacement = text_of_bytes(call, value);
    return nullptr;
}
static_assert(simd::ShortText::kLanes <= kShortScalar);

// ---- all other types ----

constexpr std::size_t kMaxReplacements = 3;  // by the default hook, of what it has returned itself

// The method, empty where the object has none. An error is set where looking for it has raised one that is no Exception.
Owned find_method(PyObject* value, PyObject* name) noexcept {
    Owned method = find_attribute(value, name);
    if (!method && OCIOR_UNLIKELY(PyErr_Occurred() != nullptr) && PyErr_ExceptionMatches(PyExc_Exception)) PyErr_Clear();
    return method;
}

PyObject* call_to_dict(PyObject* method) noexcept {
    Owned dict = Owned::steal(PyObject_CallNoArgs(method));
    if (!dict || PyDict_Check(dict.get())) return dict.release();
    return PyErr_Format(PyExc_TypeError, "toDict() should return a dict, got %s", Py_TYPE(dict.get())->tp_name);
}

// JSON that is ready, of the type that orjson's name has for it.
PyObject* call_json(Call& call, PyObject* method) noexcept {
    Owned text = Owned::steal(PyObject_CallNoArgs(method));
    if (!text) return nullptr;
    if (!PyUnicode_Check(text.get()) && !PyBytes_Check(text.get()))
        return PyErr_Format(PyExc_TypeError, "__json__() should return str or bytes, got %s", Py_TYPE(text.get())->tp_name);
    // What is stored in an object of a derived class.
    if (PyUnicode_Check(text.get())) text = Owned::steal(PyUnicode_FromObject(text.get()));
    else if (!PyBytes_CheckExact(text.get()))
        text = Owned::steal(PyBytes_FromStringAndSize(PyBytes_AS_STRING(text.get()), PyBytes_GET_SIZE(text.get())));
    if (!text) return nullptr;
    PyTypeObject* const type = call.own.fragment_type;
    if (!type) return PyErr_SetString(PyExc_RuntimeError, "the interpreter is shutting down"), nullptr;
    PyObject* const made = type->tp_alloc(type, 0);
    if (made) reinterpret_cast<RawObject*>(made)->text = new_ref(text.get());
    return made;
}

PyObject* refuse_unknown(PyObject* value) noexcept {
    const Owned shown = Owned::steal(PyObject_Repr(value)), utf8 = shown ? Owned::steal(PyUnicode_AsUTF8String(shown.get())) : Owned();
    if (utf8) PyErr_Format(PyExc_TypeError, "%s is not JSON serializable", PyBytes_AS_STRING(utf8.get()));
    return nullptr;
}

Opened open_unknown(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    // The default hook's own results lie one over the other; the root is at the bottom.
    std::size_t replacements = 0;
    for (const Frame* frame = call.behind_top; --frame != call.context.frames && frame->kind == FrameKind::kSingle;) ++replacements;
    const bool opened = call.open_made(value, FrameKind::kSingle, offset, [&]() -> PyObject* {
        if (const Owned method = find_method(value, call.own.to_dict_name)) return call_to_dict(method.get());
        if (PyErr_Occurred()) return nullptr;
        if (const Owned method = find_method(value, call.own.json_method_name)) return call_json(call, method.get());
        if (PyErr_Occurred()) return nullptr;
        if (!call.default_hook) return refuse_unknown(value);
        if (replacements < kMaxReplacements) return PyObject_CallOneArg(call.default_hook, value);
        return PyErr_SetString(PyExc_TypeError, "maximum recursion depth exceeded"), nullptr;
    });
    return opened ? Opened::kInPlace : Opened::kFailed;
}

Owned float_of_decimal(Call&, PyObject* value) noexcept { return Owned::steal(PyNumber_Float(value)); }

constexpr Plan kStoredSequence{.role = Role::kContainer, .open = open_stored_sequence},
    kUnknown{.role = Role::kContainer, .open = open_unknown}, kBytesText{Role::kText, write_bytes},
    kFloat{.role = Role::kReplaced, .replace = float_of_decimal};

}  // namespace

const Plan& ujson_plan_of(Call& call, PyTypeObject* type, Fields&) noexcept {
    if (PyType_FastSubclass(type, Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS)) return kStoredSequence;
    if (PyType_FastSubclass(type, Py_TPFLAGS_BYTES_SUBCLASS) && (call.rich & kBytesAsText)) return kBytesText;
    const Plan& of_json = json_plan_of(type);
    if (&of_json != &kOther) return of_json;
    const Owned decimal = loaded("decimal", "Decimal");
    const bool is_decimal =
        decimal && PyType_Check(decimal.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(decimal.get()));
    return is_decimal ? kFloat : kUnknown;
}

KeyText read_ujson_key(Call& call, PyObject* key, std::uint8_t* to) noexcept {
    using Kind = KeyText::Kind;
    std::int64_t number;
    if (PyLong_CheckExact(key) && int64_value(key, number)) return {Kind::kWritten, num::write_i64(to, number)};
    if (key == Py_None || PyBool_Check(key)) {
        const ConstantText constant = constant_text(key);
        store(to, constant.text);
        return {Kind::kWritten, to + constant.length};
    }
    Owned text = PyBytes_Check(key) ? text_of_bytes(call, key) : Owned::steal(PyObject_Str(key));
    if (!text) return {Kind::kFailed};
    call.extras().replacement = std::move(text);
    return {Kind::kString};
}

}  // namespace ocior::compat
