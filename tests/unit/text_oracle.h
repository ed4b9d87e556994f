// The scalar twin of each text kernel, by which that is tested. One unit at a time, and nothing is read or written outside of the exact
// ranges.
#pragma once

#include "text/scalar.h"

namespace ocior::text::scalar {

template <CodeUnit U>
const U* skip_whitespace(const U* p) noexcept {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') ++p;
    return p;
}

// The width class of a unit, as Scan::bits has it: 0x80, 0x100 and 0x10000 are set where the unit is that large.
constexpr std::uint32_t width_class(std::uint32_t c) noexcept {
    return (c >= 0x80 ? 0x80u : 0u) | (c >= 0x100 ? 0x100u : 0u) | (c >= 0x10000 ? 0x10000u : 0u);
}

template <CodeUnit U>
Scan<U> scan_string(const U* p) noexcept {
    std::uint32_t bits = 0;
    for (; !ends_string(*p); ++p) bits |= width_class(*p);
    return {p, bits};
}

// The class of a byte, as Utf8Scan::max_byte has it: 0x7F ASCII, 0xC3 Latin-1, 0xEF UCS-2, 0xFF UCS-4.
constexpr std::uint8_t byte_class(std::uint8_t b) noexcept { return b < 0x80 ? 0x7F : b < 0xC4 ? 0xC3 : b < 0xF0 ? 0xEF : 0xFF; }

inline Utf8Scan scan_string_utf8(const std::uint8_t* p) noexcept {
    Utf8Scan scan{p, 0, 0x7F};
    for (; !ends_string(*p); ++p) {
        if ((*p & 0xC0) != 0x80) ++scan.code_points;
        if (byte_class(*p) > scan.max_byte) scan.max_byte = byte_class(*p);
    }
    scan.stop = p;
    return scan;
}

// Null where the text is invalid, or a code point does not fit Dst.
template <CodeUnit Dst>
Dst* utf8_to(Dst* dst, const std::uint8_t* first, const std::uint8_t* last) noexcept {
    while (first < last) {
        std::uint32_t code_point;
        const unsigned length = decode_one(first, last, code_point);
        if (length == 0 || code_point > static_cast<Dst>(~Dst{0})) return nullptr;
        *dst++ = static_cast<Dst>(code_point);
        first += length;
    }
    return dst;
}

template <CodeUnit U>
std::uint32_t or_of(const U* p, std::size_t n) noexcept {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < n; ++i) bits |= p[i];
    return bits;
}

template <CodeUnit Src, CodeUnit Dst>
Dst* copy_escaped(Dst* dst, const Src* src, std::size_t n) noexcept {
    for (const Src* last = src + n; src < last; ++src) {
        if (ends_string(*src)) dst = write_escape(dst, *src);
        else *dst++ = static_cast<Dst>(*src);
    }
    return dst;
}

template <CodeUnit Src>
std::uint8_t* copy_escaped_ascii(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    for (const Src* last = src + n; src < last; ++src) {
        const std::uint32_t c = *src;
        if (c >= 0x10000) {
            dst = write_u_escape(dst, 0xD800 + ((c - 0x10000) >> 10));
            dst = write_u_escape(dst, 0xDC00 + (c & 0x3FF));
        } else if (c >= 0x7F) {
            dst = write_u_escape(dst, c);
        } else if (ends_string(c)) {
            dst = write_escape(dst, c);
        } else {
            *dst++ = static_cast<std::uint8_t>(c);
        }
    }
    return dst;
}

template <CodeUnit Src>
Utf8Copy<Src> copy_escaped_utf8(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    const Src* last = src + n;
    for (; src < last; ++src) {
        if (ends_string(*src)) dst = write_escape(dst, *src);
        else if (is_surrogate(*src)) break;
        else dst = write_utf8(dst, *src);
    }
    return {dst, src};
}

// The whole pass, from one place to another.
template <bool kUtf8, CodeUnit Unit>
Unit* copy_with_extra_escapes(Unit* dst, const Unit* src, std::size_t n, bool slashes, bool markup, bool line_ends) noexcept {
    for (const Unit* last = src + n; src < last;) {
        const std::uint32_t c = *src;
        const bool ends_line = kUtf8 ? line_end_at(src, last) : sizeof(Unit) > 1 && (c | 1) == 0x2029;
        const bool is_marked = (slashes && c == '/') || (markup && (c == '<' || c == '>' || c == '&')) || (line_ends && ends_line);
        if (is_marked) src += write_extra_escape<kUtf8>(dst, src, last);
        else *dst++ = *src++;
    }
    return dst;
}

}  // namespace ocior::text::scalar
