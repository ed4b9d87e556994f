// Entry to the decoder: a Python object that holds a document -> the value it describes.
#pragma once

#include "base/pool.h"
#include "decode/context.h"
#include "decode/options.h"
#include "py/constants.h"

namespace ocior::decode {

// What the decoder keeps between calls, in the module's state.
struct State {
    Pool<Context> contexts;
    PyObject* decode_error = nullptr;  // json.JSONDecodeError, owned
};

// The value of the document in `input`: str, bytes, or any contiguous buffer. Null with an exception set: JSONDecodeError,
// UnicodeDecodeError, TypeError, RecursionError, MemoryError, or what a hook raised.
PyObject* loads(State& state, const Constants& constants, const Options& options, PyObject* input) noexcept;

// The str that json would parse for these bytes: encoding detected, byte order mark dropped. Null with an exception set.
PyObject* decode_bytes(const void* data, std::size_t byte_len) noexcept;

}  // namespace ocior::decode
