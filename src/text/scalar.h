// Text a unit at a time, for rare cases: what kernels leave to it, and what they have in common. Nothing is read or written outside of the
// exact ranges. (The twins of whole kernels, by which these are tested, are in tests/unit/text_oracle.h.)
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/config.h"

namespace ocior::text {

// Result of a string scan over fixed-width units (see scan.h).
template <CodeUnit U>
struct Scan {
    const U* stop;
    std::uint32_t bits;
};

struct Utf8Scan {
    const std::uint8_t* stop;
    std::size_t code_points;
    std::uint8_t max_byte;
};

// Result of an encoding to UTF-8 (see escape.h).
template <CodeUnit Src>
struct Utf8Copy {
    std::uint8_t* end;
    const Src* stop;
};

// The letter of the short escape of a unit, 0 where it has none.
inline constexpr struct ShortEscapes {
    std::uint8_t letter[128] = {};
    constexpr ShortEscapes() {
        letter['"'] = '"';
        letter['\\'] = '\\';
        letter['\b'] = 'b';
        letter['\f'] = 'f';
        letter['\n'] = 'n';
        letter['\r'] = 'r';
        letter['\t'] = 't';
    }
} kShortEscapes;

inline constexpr char kHexDigits[] = "0123456789abcdef";

constexpr bool is_surrogate(std::uint32_t c) noexcept { return (c & 0xFFFFF800u) == 0xD800u; }
constexpr bool ends_string(std::uint32_t c) noexcept { return c == '"' || c == '\\' || c < 0x20; }

namespace scalar {

// One code point of UTF-8 under the surrogatepass rule. Returns its length, 0 when invalid or truncated.
inline unsigned decode_one(const std::uint8_t* p, const std::uint8_t* last, std::uint32_t& code_point) noexcept {
    const std::uint32_t b0 = p[0];
    if (b0 < 0x80) return code_point = b0, 1;
    const auto follows = [&](std::size_t i) { return static_cast<std::size_t>(last - p) > i && (p[i] & 0xC0) == 0x80; };
    if (b0 < 0xE0) {
        if (b0 < 0xC2 || !follows(1)) return 0;
        return code_point = (b0 & 0x1F) << 6 | (p[1] & 0x3Fu), 2;
    }
    if (b0 < 0xF0) {
        if (!follows(1) || !follows(2)) return 0;
        code_point = (b0 & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
        return code_point >= 0x800 ? 3 : 0;
    }
    if (b0 > 0xF4 || !follows(1) || !follows(2) || !follows(3)) return 0;
    code_point = (b0 & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu);
    return code_point >= 0x10000 && code_point <= 0x10FFFF ? 4 : 0;
}

// \uXXXX for one UTF-16 unit.
template <CodeUnit Dst>
constexpr Dst* write_u_escape(Dst* dst, std::uint32_t unit) noexcept {
    *dst++ = '\\';
    *dst++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4) *dst++ = static_cast<Dst>(kHexDigits[unit >> shift & 15]);
    return dst;
}

// A unit below 0x20, a quote or a backslash.
template <CodeUnit Dst>
constexpr Dst* write_escape(Dst* dst, std::uint32_t unit) noexcept {
    if (unit < 0x80 && kShortEscapes.letter[unit] != 0) {
        *dst++ = '\\';
        *dst++ = kShortEscapes.letter[unit];
        return dst;
    }
    return write_u_escape(dst, unit);
}

inline std::uint8_t* write_utf8(std::uint8_t* dst, std::uint32_t c) noexcept {
    if (c < 0x80) {
        *dst++ = static_cast<std::uint8_t>(c);
    } else if (c < 0x800) {
        *dst++ = static_cast<std::uint8_t>(0xC0 | c >> 6);
        *dst++ = static_cast<std::uint8_t>(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
        *dst++ = static_cast<std::uint8_t>(0xE0 | c >> 12);
        *dst++ = static_cast<std::uint8_t>(0x80 | (c >> 6 & 0x3F));
        *dst++ = static_cast<std::uint8_t>(0x80 | (c & 0x3F));
    } else {
        *dst++ = static_cast<std::uint8_t>(0xF0 | c >> 18);
        *dst++ = static_cast<std::uint8_t>(0x80 | (c >> 12 & 0x3F));
        *dst++ = static_cast<std::uint8_t>(0x80 | (c >> 6 & 0x3F));
        *dst++ = static_cast<std::uint8_t>(0x80 | (c & 0x3F));
    }
    return dst;
}

// Whether U+2028 or U+2029 stands at `src` in UTF-8.
template <CodeUnit Unit>
constexpr bool line_end_at(const Unit* src, const Unit* last) noexcept {
    return last - src >= 3 && src[0] == 0xE2 && src[1] == 0x80 && (src[2] | 1) == 0xA9;
}

// What the second pass (extra_escapes.h) makes of the character at `src`, which it has marked. Returns how many units that was.
template <bool kUtf8, CodeUnit Unit>
constexpr std::size_t write_extra_escape(Unit*& dst, const Unit* src, const Unit* last) noexcept {
    const bool is_lead = kUtf8 && *src == 0xE2;
    if (is_lead && line_end_at(src, last)) return dst = write_u_escape(dst, 0x2000u | (src[2] & 0x3F) | 0x28), 3;
    if (*src != '/' && !is_lead) return dst = write_u_escape(dst, *src), 1;
    if (*src == '/') *dst++ = '\\';
    *dst++ = *src;
    return 1;
}

}  // namespace scalar
}  // namespace ocior::text
