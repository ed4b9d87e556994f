// The attributes of an object, a dataclass's say, as the entries of a JSON object.
#pragma once

#include "encode/types.h"

namespace ocior::encode {

// Whether instances of the class are written by their fields: those of a dataclass, an attrs class, a msgspec.Struct. These are in `fields`
// then, if there was memory for them. Within a look at the type.
bool find_fields(Call& call, PyTypeObject* type, Fields& fields) noexcept;

Opened open_fields(Call& call, PyObject* value, std::size_t offset) noexcept;
// As open_fields(), but by `otherwise` where the fields are not found in memory.
Opened open_fields_or(Call& call, PyObject* value, std::size_t offset, decltype(open_fields)* otherwise) noexcept;

// The names and values of a named tuple.
Opened open_named_tuple(Call& call, PyObject* value, std::size_t offset) noexcept;

}  // namespace ocior::encode
