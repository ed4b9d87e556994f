// What msgspec.json writes, for encode::Dialect: see there.
#pragma once

#include "encode/types.h"

namespace ocior::compat {

const encode::Plan& msgspec_plan_of(encode::Call& call, PyTypeObject* type, encode::Fields& fields) noexcept;
encode::KeyText read_msgspec_key(encode::Call& call, PyObject* key, std::uint8_t* to) noexcept;

// What a dict holds under a key. Empty, maybe with an error set, where that is nothing.
inline Owned value_of_key(PyObject* dict, PyObject* key) noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* found = nullptr;
    (void)PyDict_GetItemRef(dict, key, &found);
    return Owned::steal(found);
#else
    return Owned::borrow(PyDict_GetItemWithError(dict, key));
#endif
}

}  // namespace ocior::compat
