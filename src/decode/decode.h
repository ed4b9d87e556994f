// Entry to the decoder: a Python object that holds a document -> the value it describes.
#pragma once

#include "decode/options.h"
#include "decode/state.h"
#include "grammar/error.h"

namespace ocior::decode {

using namespace grammar;

// The value of the document in `input`: str, bytes, or any contiguous buffer. Null with an exception set: JSONDecodeError,
// UnicodeDecodeError, TypeError, RecursionError, MemoryError, or what a hook raised.
PyObject* loads(State& state, const Options& options, PyObject* input) noexcept;

// Reads a document as loads() does, by options that have neither hooks nor checks. Short documents take less time this way.
PyObject* loads_without_hooks(State& state, const Options& options, PyObject* input) noexcept;

// The value of the document in a str that may start with a byte order mark's character, where json's decoder finds no value.
PyObject* loads_text(State& state, const Options& options, PyObject* str) noexcept;

// One value or string out of a str: owned, and the unit behind it; or null, why, and the unit to blame. With Error::kPython an
// exception is set, else none is: what to raise depends on who asked.
struct Scanned {
    PyObject* value;
    Py_ssize_t position;
    Error error;
};

// The value that starts at unit `index`, exactly there, whatever follows it, in a str or in what unchanging_text_of() has given. Takes time
// in proportion to the value, not to the document.
Scanned scan_value(State& state, const Options& options, PyObject* text, std::size_t index) noexcept;

// The string whose text starts at unit `index`, behind its opening quote; index <= the str's length. No quote need be there.
Scanned scan_string(State& state, PyObject* str, std::size_t index, bool strict) noexcept;

// The str that json hands to a decoder for this input: itself, or bytes decoded. Empty with an exception set, as for loads.
Owned text_of(State& state, PyObject* input) noexcept;

// The document in `input` as nobody can change it: a str, or bytes of UTF-8 as they are. Empty with an error set, as for loads.
Owned unchanging_text_of(State& state, PyObject* input) noexcept;
// The units of that; bytes count as those of an ASCII str, as with_source_of() takes them. False with an error set.
[[nodiscard]] bool view_of_text(PyObject* text, StrView& view) noexcept;

}  // namespace ocior::decode
