// The attributes of an object, a dataclass's say, as the entries of a JSON object.
#pragma once

#include "encode/types.h"

namespace ocior::encode {

// The names of the fields that the class is written by, as a tuple: of a dataclass, an attrs class, a msgspec.Struct. Empty, maybe with
// an error set, for any other class.
Owned field_names_of(PyTypeObject* type, std::uint32_t flags) noexcept;

// Whether instances of a dataclass are written by what their __dict__ holds, and not by their fields: with kStored
// those are that have one, unless the class itself names slots.
bool is_written_by_dict(PyTypeObject* type, std::uint32_t flags) noexcept;

Opened open_fields(Call& call, PyObject* value, std::size_t offset) noexcept;

// The names and values of a named tuple.
Opened open_named_tuple(Call& call, PyObject* value, std::size_t offset) noexcept;

}  // namespace ocior::encode
