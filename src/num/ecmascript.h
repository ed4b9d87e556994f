// Floats in the notation of ECMAScript's Number::toString, which RFC 8785 asks for: made from the text that write_f64() and the writers of
// narrower formats have written.
#pragma once

#include <algorithm>
#include <cstring>

#include "num/write.h"

namespace ocior::num {

// So long is the longest such text: -0.0000012345678901234567, where 1e-6 is the least power that is written without an exponent.
inline constexpr std::size_t kMaxEcmaScriptLen = 1 + 2 + 5 + 17;
static_assert(kMaxEcmaScriptLen <= kFormatRoom);

// Rewrites the text in place, where there is room for kMaxEcmaScriptLen. Both notations have the same digits. Python writes an exponent
// of two digits at least, below 1e-4 and from 1e16 on, and ".0" where there is no fraction; ECMAScript writes the exponent as short as it
// is, below 1e-6 and from 1e21 on, no ".0", and no sign of zero.
inline std::uint8_t* to_ecmascript(std::uint8_t* text, std::uint8_t* end) noexcept {
    constexpr int kLeastPlain = -6, kFirstExponent = 21;
    std::uint8_t* const first = text + (*text == '-');
    std::uint8_t* const mark = std::find(first, end, 'e');
    if (mark == end) {
        if (end - first < 3 || end[-1] != '0' || end[-2] != '.') return end;
        end -= 2;
        if (end - first > 1 || *first != '0') return end;
        *text = '0';
        return text + 1;
    }
    int exponent = 0;
    for (const std::uint8_t* at = mark + 2; at != end; ++at) exponent = 10 * exponent + (*at - '0');
    const bool is_small = mark[1] == '-';
    if (is_small ? -exponent < kLeastPlain : exponent >= kFirstExponent) {
        if (mark[2] != '0') return end;
        mark[2] = mark[3];
        return mark + 3;
    }
    std::uint8_t digits[20];
    const std::size_t behind_point = mark - first > 2 ? static_cast<std::size_t>(mark - first) - 2 : 0, count = behind_point + 1;
    digits[0] = *first;
    std::memcpy(digits + 1, first + 2, behind_point);
    std::uint8_t* to = first;
    const auto put_zeros = [&](std::size_t n) { to = std::fill_n(to, n, std::uint8_t{'0'}); };
    if (is_small) {
        put_zeros(1);
        *to++ = '.';
        put_zeros(static_cast<std::size_t>(exponent) - 1);
    }
    to = std::copy_n(digits, count, to);
    if (!is_small) put_zeros(static_cast<std::size_t>(exponent) - behind_point);
    return to;
}

// Rewrites 12300000.0, if it has so many digits before the point at least, as 1.23e+07.
inline std::uint8_t* to_exponent(std::uint8_t* text, std::uint8_t* end, std::ptrdiff_t least_digits) noexcept {
    std::uint8_t* const first = text + (*text == '-');
    std::uint8_t* const point = end - 2;
    const auto exponent = static_cast<unsigned>(point - first) - 1;
    if (point - first < least_digits || std::find(first, point, '.') != point) return end;
    std::uint8_t* last = point;
    while (last[-1] == '0') --last;
    if (last > first + 1) {
        std::memmove(first + 2, first + 1, static_cast<std::size_t>(last - first) - 1);
        first[1] = '.';
        ++last;
    }
    *last++ = 'e', *last++ = '+';
    *last++ = static_cast<std::uint8_t>('0' + exponent / 10), *last++ = static_cast<std::uint8_t>('0' + exponent % 10);
    return last;
}

}  // namespace ocior::num
