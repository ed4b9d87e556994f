// Values and keys as ujson takes them, for the dialect of its encoder.
#pragma once

#include "encode/types/rich.h"

namespace ocior::compat {

// Gives the plan of any type.
const encode::Plan& ujson_plan_of(encode::Call& call, PyTypeObject* type, encode::Fields& fields) noexcept;
// Gives the text of a key.
encode::KeyText read_ujson_key(encode::Call& call, PyObject* key, std::uint8_t* to) noexcept;

}  // namespace ocior::compat
