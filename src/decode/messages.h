// The words of other libraries for a mistake in a document.
#pragma once

#include "decode/error.h"
#include "py/ref.h"

namespace ocior::decode {

// What is said of `error`, seen at `offset` of the document in code points, which may be its end. Sets `offset` to where that library
// sees the mistake.
using MessageOf = const char*(Error error, PyObject* document, Py_ssize_t& offset) noexcept;

MessageOf orjson_message_of, ssrjson_message_of;

// Where a message tells no place.
inline constexpr Py_ssize_t kNoPlace = -1;

}  // namespace ocior::decode
