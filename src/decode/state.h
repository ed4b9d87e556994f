// What the decoder keeps between calls, in the module's state.
#pragma once

#include "decode/context.h"
#include "py/constants.h"

namespace ocior::decode {

struct State {
    const Constants& constants;
    Contexts contexts{};
    PyObject* decode_error = nullptr;     // json.JSONDecodeError, owned
    PyObject* json_scanstring = nullptr;  // json's own, owned: asked where its patch releases differ
};

}  // namespace ocior::decode
