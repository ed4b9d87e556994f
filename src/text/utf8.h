// Validates UTF-8, and transcodes it into a string of exactly the right size.
#pragma once

#include "text/scalar.h"

namespace ocior::text {

// kReadSlack bytes behind last are readable; what the byte at last is does not matter. dst has room for as many units as [first, last) has
// bytes that are no continuation bytes, and not a byte more is written, also where the text is invalid. As with Python's surrogatepass,
// three bytes that encode a surrogate are that surrogate; overlong forms, values above 0x10FFFF, truncated sequences and stray continuation
// bytes are invalid, and so are code points that do not fit Dst. Returns the end of the output, null where the text is invalid.
template <CodeUnit Dst>
Dst* utf8_to(Dst* dst, const std::uint8_t* first, const std::uint8_t* last) noexcept;

extern template std::uint8_t* utf8_to(std::uint8_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
extern template std::uint16_t* utf8_to(std::uint16_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
extern template std::uint32_t* utf8_to(std::uint32_t*, const std::uint8_t*, const std::uint8_t*) noexcept;

// Whether utf8_to, to units of four bytes, finds [first, last) valid.
bool is_utf8(const std::uint8_t* first, const std::uint8_t* last) noexcept;

}  // namespace ocior::text
