// The keywords of loads, compiled: a null hook means json's own behaviour.
#pragma once

#include "decode/dialect.h"
#include "py/ref.h"

namespace ocior::decode {

inline constexpr Dialect kJson = json_dialect(PY_VERSION_HEX);

struct Options {
    PyObject* object_hook = nullptr;  // borrowed, all of them
    PyObject* object_pairs_hook = nullptr;
    PyObject* array_hook = nullptr;
    PyObject* parse_float = nullptr;
    PyObject* parse_int = nullptr;
    PyObject* parse_constant = nullptr;
    bool strict = true;
    const Dialect* dialect = &kJson;

    bool has_hooks() const noexcept { return object_hook || object_pairs_hook || array_hook || parse_float || parse_int || parse_constant; }
};

}  // namespace ocior::decode
