// ujson's reading of a document that json's grammar does not take: numbers such as 01, 1. and -, control characters in strings, and words
// of its own about everything else. It is met only where the parser has refused a document, and simple rather than fast.
#pragma once

#include "py/ref.h"

namespace ocior::compat {

// The value of the document: `document`, a str, or the bytes [data, data + byte_len), which a NUL follows. Null with an exception set:
// `decode_error`, a ValueError for an integer of too many digits, MemoryError.
PyObject* read_leniently(PyObject* decode_error, PyObject* document, const void* data, std::size_t byte_len) noexcept;

}  // namespace ocior::compat
