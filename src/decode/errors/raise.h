// From an error code and an offset to the exception that json raises for the same document.
#pragma once

#include "decode/dialect.h"
#include "decode/state.h"

namespace ocior::decode {

// All of these functions but text_around() set an exception and return null.

// Raises `error` for a str. `offset` counts code points of `document`, of which reading began at `start`.
PyObject* raise(State& state, const Dialect& dialect, Error error, PyObject* document, std::size_t start, Py_ssize_t offset) noexcept;

// Raises `error` for bytes. `offset` counts bytes. Data that is not UTF-8 throughout raises UnicodeDecodeError, as in json.
PyObject* raise_for_bytes(State& state, const Dialect& dialect, Error error, const std::uint8_t* data, std::size_t byte_len,
                          std::size_t offset) noexcept;

// Raises the error of that message and place, without the way to it.
PyObject* raise_without_path(State& state, const char* message, PyObject* document, Py_ssize_t offset) noexcept;

// Raises the error of that message and place, with the way to it.
PyObject* raise_at(State& state, const char* message, PyObject* document, Py_ssize_t offset) noexcept;

// Raises the error at the byte `offset` of what is UTF-8 and nothing else, whatever its first bytes look like.
PyObject* raise_for_utf8(State& state, const Dialect& dialect, Error error, const std::uint8_t* data, std::size_t byte_len,
                         std::size_t offset) noexcept;

// Turns the exception that is set, a hook's or a conversion's, into what json makes of it. json takes StopIteration for its scanner's "no
// value at index". Where the document is bytes (`document` is null, `byte_len` of them lie at `data`) that cannot be decoded, the error of
// decoding is raised instead.
PyObject* reraise_as_json(State& state, PyObject* document, const void* data, std::size_t byte_len) noexcept;

// Turns the exception that is set into what json makes of it, for a str of which reading began at `start`.
PyObject* reraise_as_json(State& state, PyObject* document, std::size_t start) noexcept;

// Raises the error that the class makes of that message and the beginning of the document, without a place.
PyObject* raise_at_start(State& state, const char* message, PyObject* document) noexcept;

// The text of bytes. Makes `offset`, which counts bytes, count code points. Empty with UnicodeDecodeError set, or MemoryError.
Owned text_around(const std::uint8_t* data, std::size_t byte_len, bool takes_utf8_only, std::size_t& offset) noexcept;

// Raises the error for a str that starts with U+FEFF.
PyObject* raise_byte_order_mark(State& state, PyObject* document) noexcept;

}  // namespace ocior::decode
