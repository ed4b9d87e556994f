#include "decode/encoding.h"

#include "decode/errors/place.h"

namespace ocior::decode {

// json.detect_encoding.
const char* encoding_of(const std::uint8_t* p, std::size_t n) noexcept {
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

PyObject* decode_bytes(const void* data, std::size_t byte_len, bool takes_utf8_only) noexcept {
    const auto* const bytes = static_cast<const char*>(data);
    const auto length = static_cast<Py_ssize_t>(byte_len);
    if (takes_utf8_only) return PyUnicode_DecodeUTF8(bytes, length, nullptr);
    const bool is_utf8 = is_plain_utf8(static_cast<const std::uint8_t*>(data), byte_len);
    const char* const encoding = is_utf8 ? nullptr : encoding_of(static_cast<const std::uint8_t*>(data), byte_len);
    PyObject* const text =
        is_utf8 ? PyUnicode_DecodeUTF8(bytes, length, "surrogatepass") : PyUnicode_Decode(bytes, length, encoding, "surrogatepass");
    if (!text) describe_place_of_bytes();
    return text;
}

}  // namespace ocior::decode
