// The encodings that a document may come in, as json tells them.
#pragma once

#include "py/ref.h"

namespace ocior::decode {

// The name of the encoding that json detects.
const char* encoding_of(const std::uint8_t* p, std::size_t n) noexcept;

// Whether that is UTF-8 without a byte order mark.
OCIOR_INLINE bool is_plain_utf8(const std::uint8_t* p, std::size_t n) noexcept {
    return n < 2 || (p[0] != 0 && p[1] != 0 && p[0] < 0xEF) || std::strcmp(encoding_of(p, n), "utf-8") == 0;
}

// The str that json would parse for these bytes: encoding detected, byte order mark dropped; or where nothing but
// UTF-8 is taken, their str if they are that, to the letter. Null with an exception set, which json's ways describe (place.h).
PyObject* decode_bytes(const void* data, std::size_t byte_len, bool takes_utf8_only = false) noexcept;

}  // namespace ocior::decode
