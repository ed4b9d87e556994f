// The keywords of loads, compiled: a null hook means json's own behaviour.
#pragma once

#include "py/ref.h"

namespace ocior::decode {

struct Options {
    PyObject* object_hook = nullptr;  // borrowed, all of them
    PyObject* object_pairs_hook = nullptr;
    PyObject* array_hook = nullptr;
    PyObject* parse_float = nullptr;
    PyObject* parse_int = nullptr;
    PyObject* parse_constant = nullptr;
    bool strict = true;
    bool grammar_only = false;  // large integers are not made: that takes long, and Python code

    bool has_hooks() const noexcept { return object_hook || object_pairs_hook || array_hook || parse_float || parse_int || parse_constant; }
};

}  // namespace ocior::decode
