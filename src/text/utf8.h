// Validate UTF-8 and transcode it into an exactly-sized string.
#pragma once

#include "text/scalar.h"

namespace ocior::text {

// [first, last) is a piece of decoding text (kReadSlack readable bytes behind last); what stands at last does not matter. dst has
// room for as many units as there are code points, and not a byte more is written, also when the text is invalid: then at most as
// many units as bytes that are no continuation bytes. Python's surrogatepass rule: three bytes that encode a surrogate are a
// lone surrogate; overlong forms, values above 0x10FFFF, truncated sequences and stray continuation bytes are invalid. A code point that
// does not fit Dst is invalid too. Returns the end of the output, nullptr when invalid.
template <CodeUnit Dst>
Dst* utf8_to(Dst* dst, const std::uint8_t* first, const std::uint8_t* last) noexcept;

extern template std::uint8_t* utf8_to(std::uint8_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
extern template std::uint16_t* utf8_to(std::uint16_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
extern template std::uint32_t* utf8_to(std::uint32_t*, const std::uint8_t*, const std::uint8_t*) noexcept;

}  // namespace ocior::text
