// The types that json itself writes, and classes derived from them.
#pragma once

#include "encode/types.h"

namespace ocior::encode {

// What json_plan_of() gives, kOther for any type that is none of json's own.
extern const Plan kOther, kSequence, kMapping, kString;
// Classes derived from list and tuple that are iterated over as these are.
extern const Plan kDerivedSequence;
// What instances of `type` are written by, for which `plan` has been found: classes derived from list, tuple and dict that are iterated
// over as these are have plans of their own.
const Plan& stored_plan_of(Call& call, PyTypeObject* type, const Plan& plan) noexcept;

// What Plan::write writes, as a key: ints may have a range of their own there.
std::uint8_t* write_as_key(Call& call, const Plan& plan, PyObject* key, std::uint8_t* to) noexcept;

// Opens a frame over the items that lie in a list or tuple, or in an object of a class derived from either. Where json takes all items at
// once, what is done to a list meanwhile is not seen.
Opened open_stored_sequence(Call& call, PyObject* sequence, std::size_t offset) noexcept;
// Hands the value to the default hook, or refuses it.
Opened open_default(Call& call, PyObject* value, std::size_t offset) noexcept;

}  // namespace ocior::encode
