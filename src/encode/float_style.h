// The text of floats in other notations than that of repr(), which is written first.
#pragma once

#include "encode/options.h"
#include "num/ecmascript.h"

namespace ocior::encode {

// The end of a float's text with its exponent in another style, which begins at `text`. It has three characters at least, and a sign that
// near its end is that of an exponent.
OCIOR_INLINE std::uint8_t* style_exponent(Exponents style, std::uint8_t* text, std::uint8_t* end) noexcept {
    if (OCIOR_LIKELY(style == Exponents::kPadded)) return end;
    if (style == Exponents::kUnsignedLate) {
        const int digit_count = end[-3] == '+' ? 2 : end - text > 4 && end[-4] == '+' ? 3 : 0;
        if (digit_count != 0) return std::memmove(end - digit_count - 1, end - digit_count, static_cast<std::size_t>(digit_count)), end - 1;
    }
    if (end[-3] != '-' || end[-2] != '0') return end;
    if (style != Exponents::kUnpadded && end[-1] == '5') return num::to_ecmascript(text, end);
    end[-2] = end[-1];
    return end - 1;
}
// Does for the text of a float32 what style_exponent() does for that of a float.
OCIOR_INLINE std::uint8_t* style_exponent_f32(Exponents style, std::uint8_t* text, std::uint8_t* end) noexcept {
    if (OCIOR_LIKELY(style != Exponents::kUnpaddedLate)) return style_exponent(style, text, end);
    if (end[-3] == '-' && end[-2] == '0' && end[-1] == '6') return num::to_ecmascript(text, end);
    return end[-1] == '0' && end[-2] == '.' ? num::to_exponent(text, end, 14) : style_exponent(style, text, end);
}

// The end of a float's text in the notation that the options want.
OCIOR_INLINE std::uint8_t* style_float(const Options& options, std::uint8_t* text, std::uint8_t* end) noexcept {
    if (OCIOR_UNLIKELY(options.is_canonical)) return num::to_ecmascript(text, end);
    return style_exponent(options.exponents, text, end);
}
OCIOR_INLINE std::uint8_t* style_float32(const Options& options, std::uint8_t* text, std::uint8_t* end) noexcept {
    if (OCIOR_UNLIKELY(options.is_canonical)) return num::to_ecmascript(text, end);
    return style_exponent_f32(options.exponents, text, end);
}

}  // namespace ocior::encode
