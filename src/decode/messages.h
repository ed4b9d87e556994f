// The words of other libraries for a mistake in a document.
#pragma once

#include <cstddef>

#include "grammar/error.h"

struct _object;  // PyObject: what reads documents knows nothing of Python

namespace ocior::decode {

using namespace grammar;

// What is said of `error`, seen at `offset` of the document in code points, which may be its end. Sets `offset` to where that library
// sees the mistake.
using MessageOf = const char*(Error error, _object* document, std::ptrdiff_t& offset) noexcept;

MessageOf orjson_message_of, ssrjson_message_of;

// Where a message tells no place.
inline constexpr std::ptrdiff_t kNoPlace = -1;

}  // namespace ocior::decode
