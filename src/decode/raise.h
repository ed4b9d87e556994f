// From an error code and an offset to the exception that json raises for the same document.
#pragma once

#include "decode/dialect.h"
#include "decode/state.h"

namespace ocior::decode {

// All of them set an exception and return null.

// `offset` in code points of `document`, of which reading began at `start`.
PyObject* raise(State& state, const Dialect& dialect, Error error, PyObject* document, std::size_t start, Py_ssize_t offset) noexcept;

// `offset` in bytes of UTF-8. Bytes that are not UTF-8 anywhere raise UnicodeDecodeError, as in json.
PyObject* raise_for_bytes(State& state, const Dialect& dialect, Error error, const std::uint8_t* data, std::size_t byte_len,
                          std::size_t offset) noexcept;

// A Python exception is set, a hook's or a conversion's: what json makes of it. Bytes (`document` null, `byte_len` of them at
// `data`) that are no text win over it; StopIteration is what json takes for its scanner's "no value at index".
PyObject* reraise_as_json(State& state, PyObject* document, const void* data, std::size_t byte_len) noexcept;

// The same for a str of which reading began at `start`.
PyObject* reraise_as_json(State& state, PyObject* document, std::size_t start) noexcept;

// An error without a place, as the class makes it, of that message and the beginning of a document.
PyObject* raise_at_start(State& state, const char* message, PyObject* document) noexcept;

// A str that starts with U+FEFF.
PyObject* raise_byte_order_mark(State& state, PyObject* document) noexcept;

}  // namespace ocior::decode
