// The words of other libraries for a mistake in a document.
#pragma once

#include "grammar/error.h"
#include "py/ref.h"

namespace ocior::compat {

using grammar::Error;

// What is said of `error`, seen at `offset` of the document in code points, which may be its end. Sets `offset` to where that library
// sees the mistake.
const char* orjson_message_of(Error error, PyObject* document, Py_ssize_t& offset) noexcept;
const char* ssrjson_message_of(Error error, PyObject* document, Py_ssize_t& offset) noexcept;

// Where a message tells no place.
inline constexpr Py_ssize_t kNoPlace = -1;

}  // namespace ocior::compat
