#include "compat/lenient.h"

#include <cstring>

#include "text/scalar.h"

namespace ocior::compat {
namespace {

constexpr int kMostContainers = 1024;  // open at a time; each takes some 100 bytes of the C stack

// A reader of UTF-8, surrogates included, with a NUL behind it: the functions read what their names say, from at_ on. An empty reference
// means that an error is set, or that complaint_ says what is wrong.
class LenientReader {
public:
    LenientReader(const char* first, const char* end) noexcept : at_(first), end_(end) {}

    PyObject* read_document(PyObject* decode_error) noexcept {
        Owned found = read_value();
        if (!complaint_) skip_whitespace();
        if (found && at_ != end_) found = complain("Trailing data");
        if (PyErr_Occurred()) return nullptr;
        if (has_bad_key_) complaint_ = "Invalid JSON: object keys must be strings";
        if (!complaint_) return found.release();
        PyErr_SetString(decode_error ? decode_error : PyExc_ValueError, complaint_);
        return nullptr;
    }

private:
    Owned complain(const char* complaint) noexcept {
        complaint_ = complaint;
        return {};
    }
    void skip_whitespace() noexcept {
        while (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n') ++at_;
    }

    Owned read_value() noexcept {
        skip_whitespace();
        switch (*at_) {
            case '"': return read_string();
            case '[': return enter([this] { return read_array(); });
            case '{': return enter([this] { return read_object(); });
            case 't': return read_word("true", Py_True, "Unexpected character found when decoding 'true'");
            case 'f': return read_word("false", Py_False, "Unexpected character found when decoding 'false'");
            case 'n': return read_word("null", Py_None, "Unexpected character found when decoding 'null'");
            case 'N': return read_constant("NaN", __builtin_nan(""), "Unexpected character found when decoding 'NaN'");
            case 'I': return read_constant("Infinity", __builtin_inf(), "Unexpected character found when decoding 'Infinity'");
            default: break;
        }
        if (at_[0] == '-' && at_[1] == 'I')
            return read_constant("-Infinity", -__builtin_inf(), "Unexpected character found when decoding '-Infinity'");
        if (*at_ == '-' || is_digit(*at_)) return read_number();
        return complain("Expected object or value");
    }

    // ---- words and numbers ----

    static bool is_digit(char unit) noexcept { return unit >= '0' && unit <= '9'; }
    bool skip_word(const char* word) noexcept {
        was_string_ = false;
        const std::size_t n = std::strlen(word);
        if (std::strncmp(at_, word, n) != 0) return false;
        at_ += n;
        return true;
    }
    Owned read_word(const char* word, PyObject* value, const char* complaint) noexcept {
        return skip_word(word) ? Owned::borrow(value) : complain(complaint);
    }
    Owned read_constant(const char* word, double value, const char* complaint) noexcept {
        return skip_word(word) ? Owned::steal(PyFloat_FromDouble(value)) : complain(complaint);
    }

    static const char* behind_digits(const char* p) noexcept {
        while (is_digit(*p)) ++p;
        return p;
    }

    // A minus sign alone is 0. A float needs a digit on one side of its point: else it is 0.0, and nothing of it has been read.
    Owned read_number() noexcept {
        was_string_ = false;
        const char* const first = at_;
        const char* const digits = first + (*first == '-');
        const char* end = behind_digits(digits);
        const bool has_whole = end != digits;
        if (*end != '.' && *end != 'e' && *end != 'E') {
            at_ = end;
            const char* lead = digits;
            while (lead + 1 < end && *lead == '0') ++lead;
            if (end - lead < 19) {
                long long value = 0;
                for (; lead < end; ++lead) value = 10 * value + (*lead - '0');
                return Owned::steal(PyLong_FromLongLong(*first == '-' ? -value : value));
            }
            return with_copy(first, lead, end, [](const char* text) { return PyLong_FromString(text, nullptr, 10); });
        }
        bool has_fraction = false;
        if (*end == '.') {
            const char* const behind = behind_digits(end + 1);
            has_fraction = behind != end + 1;
            end = behind;
        }
        if (!has_whole && !has_fraction) return Owned::steal(PyFloat_FromDouble(0.0));
        if (*end == 'e' || *end == 'E') {
            const char* const exponent = end + 1 + (end[1] == '+' || end[1] == '-');
            if (is_digit(*exponent)) end = behind_digits(exponent);
        }
        at_ = end;
        return with_copy(first, digits, end, [](const char* text) -> PyObject* {
            const double value = PyOS_string_to_double(text, nullptr, nullptr);
            return value == -1.0 && PyErr_Occurred() ? nullptr : PyFloat_FromDouble(value);
        });
    }
    // convert(text) of the sign at `first`, if one is there, and the text [rest, end).
    template <typename Convert>
    static Owned with_copy(const char* first, const char* rest, const char* end, Convert convert) noexcept {
        const Owned copy = Owned::steal(PyBytes_FromStringAndSize(nullptr, end - rest + 1));
        if (!copy) return {};
        char* const text = PyBytes_AS_STRING(copy.get());
        text[0] = '-';
        std::memcpy(text + 1, rest, static_cast<std::size_t>(end - rest));
        return Owned::steal(convert(*first == '-' ? text : text + 1));
    }

    // ---- strings ----

    // Where the string whose text begins at `p` ends; null with a complaint.
    const char* end_of_string(const char* p) noexcept {
        for (;;) {
            const auto unit = static_cast<std::uint8_t>(*p);
            if (unit == '"') return p;
            if (unit == 0) return complain("Unmatched '\"' when decoding 'string'"), nullptr;
            if (unit == '\\') p = behind_escape(p + 1);
            else if (unit < 0x80) ++p;
            else p = behind_character(p);
            if (!p) return nullptr;
        }
    }
    const char* behind_escape(const char* p) noexcept {
        if (*p == 0) return complain("Unterminated escape sequence when decoding 'string'"), nullptr;
        if (*p != 'u') {
            if (std::strchr("\\\"/bfnrt", *p)) return p + 1;
            return complain("Unrecognized escape sequence when decoding 'string'"), nullptr;
        }
        for (int i = 1; i <= 4; ++i) {
            if (p[i] == 0) return complain("Unterminated unicode escape sequence when decoding 'string'"), nullptr;
            if (hex_value(p[i]) < 0) return complain("Unexpected character in unicode escape sequence when decoding 'string'"), nullptr;
        }
        return p + 5;
    }
    // The first byte behind the character of UTF-8 at `p`, which is not ASCII; null with a complaint.
    const char* behind_character(const char* p) noexcept {
        const auto at = [p](int i) { return static_cast<std::uint8_t>(p[i]); };
        const std::uint8_t lead = at(0);
        if (lead < 0xC0) return complain("Found UTF-8 continuation byte without corresponding start byte when decoding 'string'"), nullptr;
        if (lead >= 0xF8) return complain("Invalid UTF-8 sequence length when decoding 'string'"), nullptr;
        if (lead >= 0xF5) return complain("Code point > U+10FFFF encountered whilst decoding 'string'"), nullptr;
        const int n = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        for (int i = 1; i < n; ++i)
            if ((at(i) & 0xC0) != 0x80) return complain("Invalid UTF-8 continuation byte when decoding 'string'"), nullptr;
        if (lead < 0xC2) return complain("Overlong 2-byte UTF-8 sequence detected when decoding 'string'"), nullptr;
        if (lead == 0xE0 && at(1) < 0xA0) return complain("Overlong 3-byte UTF-8 sequence detected when encoding string"), nullptr;
        if (lead == 0xF0 && at(1) < 0x90) return complain("Overlong 4-byte UTF-8 sequence detected when decoding 'string'"), nullptr;
        if (lead == 0xF4 && at(1) >= 0x90) return complain("Code point > U+10FFFF encountered whilst decoding 'string'"), nullptr;
        return p + n;
    }
    static int hex_value(char unit) noexcept {
        if (is_digit(unit)) return unit - '0';
        const char letter = static_cast<char>(unit | 0x20);
        return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
    }
    static Py_UCS4 escaped_letter(char letter) noexcept {
        switch (letter) {
            case 'b': return '\b';
            case 'f': return '\f';
            case 'n': return '\n';
            case 'r': return '\r';
            case 't': return '\t';
            default: return static_cast<Py_UCS4>(letter);
        }
    }
    static std::uint32_t escaped_unit(const char* digits) noexcept {
        std::uint32_t unit = 0;
        for (int i = 0; i < 4; ++i) unit = unit << 4 | static_cast<std::uint32_t>(hex_value(digits[i]));
        return unit;
    }

    Owned read_string() noexcept {
        const char* const first = at_ + 1;
        const char* const end = end_of_string(first);
        was_string_ = end != nullptr;
        if (!end) return {};
        at_ = end + 1;
        if (!std::memchr(first, '\\', static_cast<std::size_t>(end - first)))
            return Owned::steal(PyUnicode_DecodeUTF8(first, end - first, "surrogatepass"));
        // Every code point takes at least one byte.
        auto* const text = static_cast<Py_UCS4*>(PyMem_Malloc(static_cast<std::size_t>(end - first) * sizeof(Py_UCS4)));
        if (!text) return PyErr_NoMemory(), Owned();
        Py_UCS4* to = text;
        const char* behind_high = nullptr;  // behind the escape of the first half of a surrogate pair
        for (const char* p = first; p != end;) {
            if (*p != '\\') {
                p += text::scalar::decode_one(reinterpret_cast<const std::uint8_t*>(p), reinterpret_cast<const std::uint8_t*>(end), *to++);
            } else if (p[1] != 'u') {
                *to++ = escaped_letter(p[1]);
                p += 2;
            } else {
                const std::uint32_t unit = escaped_unit(p + 2);
                const bool ends_pair = behind_high == p && (unit & 0xFC00) == 0xDC00;
                if (ends_pair) to[-1] = 0x10000 + ((to[-1] - 0xD800) << 10 | (unit - 0xDC00));
                else *to++ = unit;
                p += 6;
                behind_high = (unit & 0xFC00) == 0xD800 ? p : nullptr;
            }
        }
        Owned string = Owned::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text, to - text));
        PyMem_Free(text);
        return string;
    }

    // ---- containers ----

    template <typename Read>
    Owned enter(Read read) noexcept {
        if (++depth_ > kMostContainers) return complain("Reached object decoding depth limit");
        ++at_;
        Owned value = read();
        --depth_;
        return value;
    }

    Owned read_array() noexcept {
        was_string_ = false;
        Owned list = Owned::steal(PyList_New(0));
        for (bool is_first = true; list; is_first = false) {
            skip_whitespace();
            if (*at_ == ']') {
                if (!is_first) return complain("Unexpected character found when decoding array value (1)");
                return ++at_, std::move(list);
            }
            const Owned item = read_value();
            if (!item || PyList_Append(list.get(), item.get()) < 0) return {};
            skip_whitespace();
            const char unit = *at_;
            if (unit != ']' && unit != ',') return complain("Unexpected character found when decoding array value (2)");
            ++at_;
            if (unit == ']') return list;
        }
        return {};
    }

    Owned read_object() noexcept {
        Owned dict = Owned::steal(PyDict_New());
        for (bool is_first = true; dict; is_first = false) {
            skip_whitespace();
            if (*at_ == '}') {
                if (!is_first) return complain("Unexpected character in found when decoding object value");
                return ++at_, std::move(dict);
            }
            was_string_ = false;
            const Owned key = read_value();
            if (!key) return {};
            if (!was_string_) return complain("Key name of object must be 'string' when decoding 'object'");
            skip_whitespace();
            if (*at_ != ':') return complain("No ':' found when decoding object value");
            ++at_;
            const Owned value = read_value();
            if (!value) return {};
            // What ends with a string passes as a key up to here, whatever it is.
            if (!PyUnicode_Check(key.get())) has_bad_key_ = true;
            else if (PyDict_SetItem(dict.get(), key.get(), value.get()) < 0) return {};
            skip_whitespace();
            const char unit = *at_;
            if (unit != '}' && unit != ',') return complain("Unexpected character in found when decoding object value");
            ++at_;
            if (unit == '}') return dict;
        }
        return {};
    }

    const char* at_;
    const char* const end_;
    const char* complaint_ = nullptr;
    int depth_ = 0;
    bool was_string_ = false;  // the last scalar that was read, unless an array has begun since, or the key of an object
    bool has_bad_key_ = false;
};

}  // namespace

PyObject* read_leniently(PyObject* decode_error, PyObject* document, const void* data, std::size_t byte_len) noexcept {
    PyErr_Clear();
    const char* first = static_cast<const char*>(data);
    const Owned utf8 = document ? Owned::steal(PyUnicode_AsEncodedString(document, "utf-8", "surrogatepass")) : Owned();
    if (document) {
        if (!utf8) return nullptr;
        first = PyBytes_AS_STRING(utf8.get());
        byte_len = static_cast<std::size_t>(PyBytes_GET_SIZE(utf8.get()));
    }
    return LenientReader(first, first + byte_len).read_document(decode_error);
}

}  // namespace ocior::compat
