#include "decode/decode.h"

#include "decode/encoding.h"
#include "decode/errors/raise.h"
#include "decode/inside.h"
#include "decode/reader.h"
#include "decode/source_of.h"
#include "py/attribute.h"
#include "py/memory/pages.h"

namespace ocior::decode {
namespace {

template <typename Source>
PyObject* parse(State& state, Context& context, const Options& options, const void* data, std::size_t length, PyObject* document) noexcept;

template <typename Source>
PyObject* read_again(const Refused& refused, const Options& options) noexcept {
    return parse<Source>(refused.state, refused.context, options, refused.data, refused.length, refused.document);
}

// What becomes of a document in which `found` is no value, or has something else behind it: an exception, or a value all the same where the
// dialect has one for it.
template <typename Source>
OCIOR_NOINLINE PyObject* refuse(State& state, Context& context, const Options& options, const Scanned& found, const void* data,
                                std::size_t length, PyObject* document) noexcept {
    const auto offset = static_cast<std::size_t>(found.position);
    if (options.dialect->refuse && found.error != Error::kNoMemory)
        return options.dialect->refuse({state, context, options, found.error, offset, data, length, document, read_again<Source>});
    if (found.error == Error::kPython) return reraise_as_json(state, document, data, length);
    if (document) return raise(state, *options.dialect, found.error, document, 0, found.position);
    return raise_for_bytes(state, *options.dialect, found.error, static_cast<const std::uint8_t*>(data), length, offset);
}

// The whole document. `document` is what errors quote: the str given, or null for bytes, decoded only then.
template <typename Source>
PyObject* parse(State& state, Context& context, const Options& options, const void* data, std::size_t length, PyObject* document) noexcept {
    Reader<Source> reader(state.constants, context, options, data, length);
    if (!reader.pad()) return PyErr_NoMemory();
    if constexpr (Source::kUtf8)
        if (!document && options.dialect->decodes_first && OCIOR_UNLIKELY(!reader.ends_in_utf8()))
            if (!Owned::steal(decode_bytes(data, length, options.dialect->takes_utf8_only))) return nullptr;
    auto found = [&] {
        const DocumentMemory memory(state.constants.tricks, length, reader.follow());
        return reader.value(reader.skip_whitespace(0));
    }();
    if (OCIOR_LIKELY(found.value != nullptr)) {
        if (OCIOR_LIKELY(static_cast<std::size_t>(found.position) == length)) return found.value;
        const std::size_t behind = reader.skip_whitespace(static_cast<std::size_t>(found.position));
        if (behind == length) return found.value;
        Py_DECREF(found.value);
        found = {nullptr, static_cast<Py_ssize_t>(behind), Error::kExtraData};
    }
    return refuse<Source>(state, context, options, found, data, length, document);
}

// Reads a whole document that is so short that most of the time would go into what parse() does before and after it reads: prepares no
// memory, and copies none. Null without an error set means that parse() has to read the document, and to find what is wrong with it. (A
// byte order mark or UTF-16 is no value here, so parse() gets such documents, too: control characters are refused.)
template <typename Source>
OCIOR_INLINE PyObject* parse_short(State& state, const Options& options, const void* data, std::size_t length,
                                   PyObject* document) noexcept {
    Document<Source> text(data, length);
    if (OCIOR_UNLIKELY(!text.is_padded_already())) return nullptr;
    const Lease context(state.contexts);
    if (!context) return nullptr;
    context->allocator.refresh(state.constants.tricks, false);
    PyBuilder<Source, Asked::kNothing> builder(text.text(), options, state.constants, *context);
    const auto found = text.read(builder, text.skip_whitespace(0));
    if (OCIOR_LIKELY(found.value != nullptr)) {
        if (OCIOR_LIKELY(found.next == length) || text.skip_whitespace(found.next) == length) return found.value;
        Py_DECREF(found.value);
        return nullptr;
    }
    if (found.error != Error::kPython) return nullptr;
    return refuse<Source>(state, *context, options, {nullptr, 0, Error::kPython}, data, length, document);
}

// Calls act(reader) for the units of a str, with the context that it reads with held.
template <typename Act>
Scanned scan(State& state, const Options& options, const StrView& view, Act&& act) noexcept {
    const Lease context(state.contexts);
    if (!context) return {nullptr, 0, Error::kNoMemory};
    return with_source_of(view, [&](auto source) {
        Reader<decltype(source)> reader(state.constants, *context, options, view.data, view.length);
        return act(reader);
    });
}

// A str given as such may not start with a byte order mark; one that was bytes may, as in json.
OCIOR_INLINE PyObject* loads_str(State& state, Context& context, const Options& options, PyObject* str, bool was_bytes = false) noexcept {
    StrView view;
    if (!view_of(str, view)) return nullptr;
    if (view.width > 1 && !was_bytes && options.dialect->names_byte_order_mark) {
        const std::uint32_t unit = view.width == 2 ? load<std::uint16_t>(view.data) : load<std::uint32_t>(view.data);
        if (unit == 0xFEFF) return raise_byte_order_mark(state, str);
    }
    return with_source_of(view, [&](auto source) { return parse<decltype(source)>(state, context, options, view.data, view.length, str); });
}

OCIOR_INLINE PyObject* loads_bytes(State& state, Context& context, const Options& options, const void* data,
                                   std::size_t byte_len) noexcept {
    if (options.dialect->takes_utf8_only || OCIOR_LIKELY(is_plain_utf8(static_cast<const std::uint8_t*>(data), byte_len)))
        return parse<Utf8Source>(state, context, options, data, byte_len, nullptr);
    Owned text = Owned::steal(decode_bytes(data, byte_len));
    return text ? loads_str(state, context, options, text.get(), true) : nullptr;
}

// The bytes of any other input.
[[nodiscard]] bool get_buffer(PyObject* input, Py_buffer& buffer) noexcept {
    if (PyObject_CheckBuffer(input)) {
        if (PyObject_GetBuffer(input, &buffer, PyBUF_SIMPLE) == 0) return true;
        if (!PyErr_ExceptionMatches(PyExc_BufferError)) return false;  // of a memoryview that was released, say
        PyErr_Clear();  // its bytes are not contiguous
    }
    const Owned name = class_name(input);
    if (name) PyErr_Format(PyExc_TypeError, "the JSON object must be str, bytes or bytearray, not %S", name.get());
    return false;
}

// An input that is no str, as bytes: itself, or a copy of the memory that it exports, which anybody may write into meanwhile. The export is
// held all the same.
class Bytes {
public:
    explicit Bytes(PyObject* input) noexcept {
        buffer_.obj = nullptr;
        Owned hold = Owned::borrow(input);
        if (PyBytes_Check(input)) bytes_ = std::move(hold);
        else if (get_buffer(input, buffer_)) bytes_ = Owned::steal(PyBytes_FromStringAndSize(static_cast<char*>(buffer_.buf), buffer_.len));
    }
    ~Bytes() {
        if (buffer_.obj) PyBuffer_Release(&buffer_);
    }
    Bytes(const Bytes&) = delete;
    Bytes& operator=(const Bytes&) = delete;

    // False: an exception is set.
    explicit operator bool() const noexcept { return static_cast<bool>(bytes_); }
    PyObject* object() const noexcept { return bytes_.get(); }
    const char* data() const noexcept { return PyBytes_AS_STRING(bytes_.get()); }
    std::size_t byte_len() const noexcept { return static_cast<std::size_t>(PyBytes_GET_SIZE(bytes_.get())); }

private:
    Owned bytes_;
    Py_buffer buffer_;
};

}  // namespace

template <typename Source>
ReadInside<typename Source::Unit> read_inside(const Constants& constants, Context& context, const Options& options,
                                              const Text<Source>& text, const typename Source::Unit* p, std::size_t depth) noexcept {
    const auto read = [&]<typename Builder>(Builder&& builder) -> ReadInside<typename Source::Unit> {
        const auto parsed = Parser<Source, std::remove_reference_t<Builder>>::run(builder, p, depth);
        return {parsed.value, parsed.next, parsed.value ? Error::kNone : builder.error};
    };
    if (options.has_checks) return read(PyBuilder<Source, Asked::kAnything>(text, options, constants, context));
    return read(PyBuilder<Source, Asked::kNothing>(text, options, constants, context));
}

#define OCIOR_INSTANTIATE(Source)                                                                                          \
    template ReadInside<Source::Unit> read_inside<Source>(const Constants&, Context&, const Options&, const Text<Source>&, \
                                                          const Source::Unit*, std::size_t) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

PyObject* loads_text(State& state, const Options& options, PyObject* str) noexcept {
    const Lease context(state.contexts);
    return context ? loads_str(state, *context, options, str, true) : PyErr_NoMemory();
}

bool view_of_text(PyObject* text, StrView& view) noexcept {
    if (!PyBytes_Check(text)) return view_of(text, view);
    view = {PyBytes_AS_STRING(text), static_cast<std::size_t>(PyBytes_GET_SIZE(text)), 1, true};
    return true;
}

Scanned scan_value(State& state, const Options& options, PyObject* text, std::size_t index) noexcept {
    StrView view;
    if (!view_of_text(text, view)) return {nullptr, 0, Error::kPython};
    if (index >= view.length) return {nullptr, static_cast<Py_ssize_t>(index), Error::kExpectingValue};
    const DocumentMemory memory(state.constants.tricks, view.length - index, nullptr);  // the value may be all of it
    Scanned found = scan(state, options, view, [index](auto& reader) {
        return reader.pad_value(index) ? reader.value(index) : Scanned{nullptr, 0, Error::kNoMemory};
    });
    found.error = options.dialect->told(found.error);
    return found;
}

Scanned scan_string(State& state, PyObject* str, std::size_t index, bool strict) noexcept {
    StrView view;
    if (!view_of(str, view)) return {nullptr, 0, Error::kPython};
    const Options options{.strict = strict};
    return scan(state, options, view,
                [index](auto& reader) { return reader.pad_string(index) ? reader.string(index) : Scanned{nullptr, 0, Error::kNoMemory}; });
}

// Longer documents, in units, gain nothing from parse_short(). (Nor do a decoder's decode() and calls with keywords: what these find out
// beforehand takes longer.)
inline constexpr std::size_t kShortDocument = 1024;

// What a document of a few bytes is whose value takes no reading, of which programs get many: [], {}, "", a word, a digit. Null for all
// others, and when out of memory (which is then met again). They take half the time of a call that leases a context.
OCIOR_INLINE PyObject* value_at_a_glance(const Constants& constants, const void* text, std::size_t length) noexcept {
    const auto* const p = static_cast<const char*>(text);
    const auto is = [p](std::uint64_t word, std::size_t n) { return std::memcmp(p, &word, n) == 0; };
    constexpr std::uint64_t kEmptyList = '[' | ']' << 8, kEmptyDict = '{' | '}' << 8, kEmptyString = '"' | '"' << 8;
    PyObject* value = nullptr;
    switch (length) {
        case 1: return '0' <= *p && *p <= '9' ? new_constant(constants.ints[*p - '0' - layout::kFirstSmallInt]) : nullptr;
        case 2:
            if (is(kEmptyString, 2)) return new_ref(constants.empty_str);
            if (is(kEmptyList, 2)) value = PyList_New(0);
            else if (is(kEmptyDict, 2)) value = PyDict_New();
            else return nullptr;
            if (OCIOR_UNLIKELY(!value)) PyErr_Clear();
            return value;
        case 4: return is(kNullText, 4) ? new_constant(Py_None) : is(kTrueText, 4) ? new_constant(Py_True) : nullptr;
        case 5: return is(kFalseText, 5) ? new_constant(Py_False) : nullptr;
        default: return nullptr;
    }
}

Owned text_of(State& state, PyObject* input) noexcept {
    if (PyUnicode_Check(input)) {
        StrView view;
        if (!view_of(input, view)) return {};
        if (view.length && PyUnicode_READ_CHAR(input, 0) == 0xFEFF) return raise_byte_order_mark(state, input), Owned();
        return Owned::borrow(input);
    }
    const Bytes bytes(input);
    return bytes ? Owned::steal(decode_bytes(bytes.data(), bytes.byte_len())) : Owned();
}

Owned unchanging_text_of(State& state, PyObject* input) noexcept {
    if (PyUnicode_Check(input)) return text_of(state, input);
    const Bytes bytes(input);
    if (!bytes) return {};
    if (is_plain_utf8(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.byte_len())) return Owned::borrow(bytes.object());
    return Owned::steal(decode_bytes(bytes.data(), bytes.byte_len()));
}

namespace {

// loads() of one that is short: `text` is the ASCII of a str or the contents of bytes; null of anything else, also of a str in wider units.
OCIOR_NOINLINE PyObject* loads_short(State& state, const Options& options, PyObject* input, const void* text, std::size_t length) noexcept {
    {
        const Owned hold = Owned::borrow(input);  // as in loads()
        const bool is_str = PyUnicode_CheckExact(input);
        PyObject* value = nullptr;
        StrView view;
        if (OCIOR_LIKELY(text != nullptr)) {
            value = parse_short<Utf8Source>(state, options, text, length, is_str ? input : nullptr);
        } else if (is_str && view_of(input, view) && view.length <= kShortDocument) {
            value = with_source_of(
                view, [&](auto source) { return parse_short<decltype(source)>(state, options, view.data, view.length, input); });
        }
        if (OCIOR_LIKELY(value != nullptr) || PyErr_Occurred()) return value;
    }
    return loads(state, options, input);
}

}  // namespace

PyObject* loads_without_hooks(State& state, const Options& options, PyObject* input) noexcept {
    const void* text = nullptr;
    std::size_t length = 0;
    if (PyBytes_CheckExact(input)) {
        text = PyBytes_AS_STRING(input), length = static_cast<std::size_t>(PyBytes_GET_SIZE(input));
    } else if (PyUnicode_CheckExact(input) && is_compact_ascii(input)) {
        text = ascii_data(input), length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(input));
    }
    if (PyObject* const value = value_at_a_glance(state.constants, text, length)) return value;
    return OCIOR_LIKELY(length <= kShortDocument) ? loads_short(state, options, input, text, length) : loads(state, options, input);
}

PyObject* loads(State& state, const Options& options, PyObject* input) noexcept {
    const Lease context(state.contexts);
    if (!context) return PyErr_NoMemory();
    // A caller may lend us an argument (functools.partial does) that Python code takes away: a hook, a signal's handler, or since 3.12 what
    // converts a long integer.
    if (PyUnicode_Check(input)) {
        const Owned hold = Owned::borrow(input);
        return loads_str(state, *context, options, input);
    }
    const Bytes bytes(input);
    return bytes ? loads_bytes(state, *context, options, bytes.data(), bytes.byte_len()) : nullptr;
}

}  // namespace ocior::decode
