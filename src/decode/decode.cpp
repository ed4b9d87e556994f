#include "decode/decode.h"

#include "decode/parser.h"
#include "decode/raise.h"

namespace ocior::decode {
namespace {

constexpr std::uintptr_t kPageBytes = 4096;
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kMayReadInPlace = false;
#else
constexpr bool kMayReadInPlace = true;
#endif

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

// A document's units with the sentinel and the readable slack that the parser relies on: in place where the page allows
// it, else a copy.
template <typename Source>
class Padded {
    using Unit = typename Source::Unit;

public:
    ~Padded() { std::free(copy_); }

    // `in_place`: the units are immutable for the whole call and a NUL unit follows them.
    [[nodiscard]] bool prepare(const void* data, std::size_t length, bool in_place, Text<Source>& text) noexcept {
        const auto* first = static_cast<const Unit*>(data);
        // A byte of ours, the sentinel, lies in the page: reading on to the page's end cannot fault.
        const auto sentinel = reinterpret_cast<std::uintptr_t>(first + length);
        // (AddressSanitizer knows no pages: under it everything is copied.)
        if (kMayReadInPlace && in_place && (sentinel & (kPageBytes - 1)) + sizeof(Unit) + kReadSlack <= kPageBytes) {
            text = {first, first + length};
            return true;
        }
        copy_ = std::malloc((length + 1) * sizeof(Unit) + kReadSlack);
        if (!copy_) return PyErr_NoMemory(), false;
        auto* units = static_cast<Unit*>(copy_);
        if (length) std::memcpy(units, data, length * sizeof(Unit));
        std::memset(units + length, 0, sizeof(Unit) + kReadSlack);
        text = {units, units + length};
        return true;
    }

private:
    void* copy_ = nullptr;
};

// `document` is what errors quote: the str given, or null for bytes, decoded only then.
template <typename Source>
PyObject* parse(State& state, const Constants& constants, const Options& options, const void* data, std::size_t length,
                bool in_place, PyObject* document) noexcept {
    Text<Source> text;
    Padded<Source> padded;
    if (!padded.prepare(data, length, in_place, text)) return nullptr;
    Context* context = state.contexts.take();
    if (!context) return PyErr_NoMemory();
    context->allocator.refresh(options.has_hooks());
    Call<Source> call{text, options, constants, *context};
    const auto read = options.has_hooks() ? Parser<Source, PyBuilder<Source, true>>(call).run()
                                          : Parser<Source, PyBuilder<Source, false>>(call).run();
    state.contexts.give_back(context);
    if (OCIOR_LIKELY(read.object != nullptr)) return read.object;
    if (call.error == Error::kPython) {
        return raise_as_json(state, document, text.first, length);
    }
    const auto offset = static_cast<std::size_t>(read.next - text.first);
    if (document) return raise(state, call.error, document, offset);
    return raise_for_bytes(state, call.error, reinterpret_cast<const std::uint8_t*>(text.first), length, offset);
}

// A str given as such may not start with a byte order mark; one that was bytes may, as in json.
PyObject* loads_str(State& state, const Constants& constants, const Options& options, PyObject* str, bool was_bytes = false) noexcept {
    StrView view;
    if (!view_of(str, view)) return nullptr;
    if (view.width == 1) {
        if (view.is_ascii) return parse<Utf8Source>(state, constants, options, view.data, view.length, true, str);
        return parse<Latin1Source>(state, constants, options, view.data, view.length, true, str);
    }
    if (view.width == 2) {
        if (!was_bytes && *static_cast<const std::uint16_t*>(view.data) == 0xFEFF) return raise_byte_order_mark(state, str);
        return parse<Ucs2Source>(state, constants, options, view.data, view.length, true, str);
    }
    if (!was_bytes && *static_cast<const std::uint32_t*>(view.data) == 0xFEFF) return raise_byte_order_mark(state, str);
    return parse<Ucs4Source>(state, constants, options, view.data, view.length, true, str);
}

PyObject* loads_bytes(State& state, const Constants& constants, const Options& options, const void* data, std::size_t byte_len,
                      bool in_place) noexcept {
    if (OCIOR_LIKELY(is_plain_utf8(static_cast<const std::uint8_t*>(data), byte_len)))
        return parse<Utf8Source>(state, constants, options, data, byte_len, in_place, nullptr);
    Owned text = Owned::steal(decode_bytes(data, byte_len));
    return text ? loads_str(state, constants, options, text.get(), true) : nullptr;
}

}  // namespace

PyObject* decode_bytes(const void* data, std::size_t byte_len) noexcept {
    const char* encoding = detect_encoding(static_cast<const std::uint8_t*>(data), byte_len);
    return PyUnicode_Decode(static_cast<const char*>(data), static_cast<Py_ssize_t>(byte_len), encoding, "surrogatepass");
}

PyObject* loads(State& state, const Constants& constants, const Options& options, PyObject* input) noexcept {
    if (PyUnicode_Check(input)) return loads_str(state, constants, options, input);
    if (PyBytes_Check(input))
        return loads_bytes(state, constants, options, PyBytes_AS_STRING(input), static_cast<std::size_t>(PyBytes_GET_SIZE(input)), true);
    if (!PyObject_CheckBuffer(input)) {
        PyErr_Format(PyExc_TypeError, "the JSON object must be str, bytes or bytearray, not %.200s", Py_TYPE(input)->tp_name);
        return nullptr;
    }
    // Anybody may write into such memory while a hook runs: the parser gets a copy, the export is held all the same.
    Py_buffer buffer;
    if (PyObject_GetBuffer(input, &buffer, PyBUF_SIMPLE) < 0) return nullptr;
    PyObject* value = loads_bytes(state, constants, options, buffer.buf, static_cast<std::size_t>(buffer.len), false);
    PyBuffer_Release(&buffer);
    return value;
}

}  // namespace ocior::decode
