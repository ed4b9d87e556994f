#include "decode/decode.h"

#include "decode/extent.h"
#include "decode/padded.h"
#include "decode/parser.h"
#include "decode/raise.h"
#include "py/attribute.h"
#include "py/memory/pages.h"

namespace ocior::decode {
namespace {

// json.detect_encoding, for what is not plainly UTF-8.
const char* detect_encoding(const std::uint8_t* p, std::size_t n) noexcept {
    const auto starts = [&](const char* mark, std::size_t len) { return n >= len && std::memcmp(p, mark, len) == 0; };
    if (starts("\0\0\xFE\xFF", 4) || starts("\xFF\xFE\0\0", 4)) return "utf-32";
    if (starts("\xFE\xFF", 2) || starts("\xFF\xFE", 2)) return "utf-16";
    if (starts("\xEF\xBB\xBF", 3)) return "utf-8-sig";
    if (n >= 4) {
        if (!p[0]) return p[1] ? "utf-16-be" : "utf-32-be";
        if (!p[1]) return p[2] || p[3] ? "utf-16-le" : "utf-32-le";
    } else if (n == 2) {
        if (!p[0]) return "utf-16-be";
        if (!p[1]) return "utf-16-le";
    }
    return "utf-8";
}

bool is_plain_utf8(const std::uint8_t* p, std::size_t n) noexcept {
    return n < 2 || (p[0] != 0 && p[1] != 0 && p[0] < 0xEF) || std::strcmp(detect_encoding(p, n), "utf-8") == 0;
}

template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_value(Call<Source>& call, const typename Source::Unit* p) noexcept {
    return call.options.has_hooks() ? Parser<Source, PyBuilder<Source, true>>::run(call, p)
                                    : Parser<Source, PyBuilder<Source, false>>::run(call, p);
}

// `document` is what errors quote: the str given, or null for bytes, decoded only then.
template <typename Source>
PyObject* parse(State& state, Context& context, const Constants& constants, const Options& options, const void* data, std::size_t length,
                PyObject* document) noexcept {
    Text<Source> text;
    Padded<Source> padded;
    if (!padded.prepare(data, length, text)) return nullptr;
    context.allocator.refresh(constants.tricks, options.has_hooks());
    Call<Source> call{text, options, constants, context};
    auto read = [&] {
        context.progress = {text.first, text.first, text.last, sizeof(typename Source::Unit), 0};
        const DocumentMemory memory(constants.tricks, length, &context.progress);
        return read_value(call, text::skip_whitespace(text.first));
    }();
    if (OCIOR_LIKELY(read.object != nullptr) && OCIOR_UNLIKELY(read.next != text.last)) {
        const auto* const behind = text::skip_whitespace(read.next);
        if (behind != text.last) {
            Py_DECREF(read.object);
            read = call.fail(Error::kExtraData, behind);
        }
    }
    if (OCIOR_LIKELY(read.object != nullptr)) return read.object;
    if (call.error == Error::kPython) {
        return raise_as_json(state, document, text.first, length);
    }
    const auto offset = read.next - text.first;
    if (document) return raise(state, call.error, document, 0, offset);
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(text.first);
    return raise_for_bytes(state, call.error, bytes, length, static_cast<std::size_t>(offset));
}

// Calls act(Source{}) for the source that the str's units are.
template <typename Act>
OCIOR_INLINE auto with_source_of(const StrView& view, Act&& act) noexcept {
    if (view.is_ascii) return act(Utf8Source{});
    if (view.width == 1) return act(Latin1Source{});
    if (view.width == 2) return act(Ucs2Source{});
    return act(Ucs4Source{});
}

// Whether a parser stops for good inside the units [first, last), a part of a document, so that what follows cannot matter. Hooks do not
// run. Sets no error.
template <typename Source, typename Reader>
bool stops_inside(Context& context, const Constants& constants, bool strict, const typename Source::Unit* first,
                  const typename Source::Unit* last, Reader&& read) noexcept {
    constexpr std::ptrdiff_t kLongestToken = 16;  // a word, or an escape: cut short it looks wrong
    Text<Source> text;
    Padded<Source> padded;
    if (!padded.copy(first, static_cast<std::size_t>(last - first), text)) return PyErr_Clear(), false;
    const Options options{.strict = strict, .grammar_only = true};
    context.allocator.refresh(constants.tricks, false);
    Call<Source> call{text, options, constants, context};
    const auto found = read(call, text.first);
    Py_XDECREF(found.object);
    if (call.error == Error::kPython) return PyErr_Clear(), false;
    const bool may_be_cut = call.error == Error::kUnterminatedString || call.error == Error::kEscapeAtEnd;
    return !may_be_cut && text.last - found.next > kLongestToken;
}

// The part of the document from `first` on that decides what a parser finds: to the value's end, or to a mistake in it. In time
// proportional to that part.
template <typename Source, typename Reader, typename Extent>
const typename Source::Unit* decisive_end(Context& context, const Constants& constants, bool strict, const typename Source::Unit* first,
                                          const typename Source::Unit* last, Reader&& read, Extent&& extent) noexcept {
    for (std::ptrdiff_t n = 4096; n < last - first; n *= 8) {
        const auto* const limit = first + n;
        const auto* const end = extent(first, limit);
        if (end != limit) return end;
        if (stops_inside<Source>(context, constants, strict, first, limit, read)) return limit;
    }
    return extent(first, last);
}

// Reads, by `read(call, p)`, what starts at unit `index`. Where the document's end lies too near to its page's, a copy of the part
// that `extent(p, last)` reaches takes the document's place.
template <typename Source, typename Reader, typename Extent>
Scanned scan_part(State& state, const Constants& constants, const Options& options, const StrView& view, std::size_t index, Reader&& read,
                  Extent&& extent) noexcept {
    const Lease context(state.contexts);
    if (!context) return PyErr_NoMemory(), Scanned{nullptr, 0, Error::kPython};
    using Unit = typename Source::Unit;
    const auto* const units = static_cast<const Unit*>(view.data);
    const Unit* const start = units + index;
    Text<Source> text{start, units + view.length};
    Padded<Source> padded;
    if (!may_read_in_place(text.last)) {
        const Unit* const end = decisive_end<Source>(*context, constants, options.strict, start, text.last, read, extent);
        if (!padded.copy(start, static_cast<std::size_t>(end - start), text)) return {nullptr, 0, Error::kPython};
    }
    context->allocator.refresh(constants.tricks, options.has_hooks());
    Call<Source> call{text, options, constants, *context};
    const Read<Unit> found = read(call, text.first);
    return {found.object, static_cast<Py_ssize_t>(index) + (found.next - text.first), call.error};
}

// A str given as such may not start with a byte order mark; one that was bytes may, as in json.
PyObject* loads_str(State& state, Context& context, const Constants& constants, const Options& options, PyObject* str,
                    bool was_bytes = false) noexcept {
    StrView view;
    if (!view_of(str, view)) return nullptr;
    if (view.width > 1 && !was_bytes) {
        const std::uint32_t unit = view.width == 2 ? load<std::uint16_t>(view.data) : load<std::uint32_t>(view.data);
        if (unit == 0xFEFF) return raise_byte_order_mark(state, str);
    }
    return with_source_of(
        view, [&](auto source) { return parse<decltype(source)>(state, context, constants, options, view.data, view.length, str); });
}

PyObject* loads_bytes(State& state, Context& context, const Constants& constants, const Options& options, const void* data,
                      std::size_t byte_len) noexcept {
    if (OCIOR_LIKELY(is_plain_utf8(static_cast<const std::uint8_t*>(data), byte_len)))
        return parse<Utf8Source>(state, context, constants, options, data, byte_len, nullptr);
    Owned text = Owned::steal(decode_bytes(data, byte_len));
    return text ? loads_str(state, context, constants, options, text.get(), true) : nullptr;
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
    const char* data() const noexcept { return PyBytes_AS_STRING(bytes_.get()); }
    std::size_t byte_len() const noexcept { return static_cast<std::size_t>(PyBytes_GET_SIZE(bytes_.get())); }

private:
    Owned bytes_;
    Py_buffer buffer_;
};

}  // namespace

PyObject* loads_text(State& state, const Constants& constants, const Options& options, PyObject* str) noexcept {
    const Lease context(state.contexts);
    return context ? loads_str(state, *context, constants, options, str, true) : PyErr_NoMemory();
}

Scanned scan_value(State& state, const Constants& constants, const Options& options, PyObject* str, std::size_t index) noexcept {
    StrView view;
    if (!view_of(str, view)) return {nullptr, 0, Error::kPython};
    if (index >= view.length) return {nullptr, static_cast<Py_ssize_t>(index), Error::kExpectingValue};
    return with_source_of(view, [&](auto source) {
        using Source = decltype(source);
        using Unit = typename Source::Unit;
        const DocumentMemory memory(constants.tricks, view.length - index, nullptr);  // the value may be all of it
        return scan_part<Source>(
            state, constants, options, view, index, [](Call<Source>& call, const Unit* p) noexcept { return read_value(call, p); },
            [](const Unit* p, const Unit* last) noexcept { return value_extent(p, last); });
    });
}

Scanned scan_string(State& state, const Constants& constants, PyObject* str, std::size_t index, bool strict) noexcept {
    StrView view;
    if (!view_of(str, view)) return {nullptr, 0, Error::kPython};
    const Options options{.strict = strict};
    return with_source_of(view, [&](auto source) {
        using Source = decltype(source);
        using Unit = typename Source::Unit;
        return scan_part<Source>(
            state, constants, options, view, index, [](Call<Source>& call, const Unit* p) noexcept { return read_any_string(call, p); },
            [](const Unit* p, const Unit* last) noexcept { return string_extent(p, last); });
    });
}

PyObject* decode_bytes(const void* data, std::size_t byte_len) noexcept {
    const char* encoding = detect_encoding(static_cast<const std::uint8_t*>(data), byte_len);
    return PyUnicode_Decode(static_cast<const char*>(data), static_cast<Py_ssize_t>(byte_len), encoding, "surrogatepass");
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

PyObject* loads(State& state, const Constants& constants, const Options& options, PyObject* input) noexcept {
    const Lease context(state.contexts);
    if (!context) return PyErr_NoMemory();
    // A caller may lend us an argument (functools.partial does) that Python code takes away: a hook, a signal's handler, or since 3.12 what
    // converts a long integer.
    if (PyUnicode_Check(input)) {
        const Owned hold = Owned::borrow(input);
        return loads_str(state, *context, constants, options, input);
    }
    const Bytes bytes(input);
    return bytes ? loads_bytes(state, *context, constants, options, bytes.data(), bytes.byte_len()) : nullptr;
}

}  // namespace ocior::decode
