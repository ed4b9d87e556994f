// What the decoder keeps between calls, in the module's state.
#pragma once

#include "decode/context.h"
#include "decode/errors/error_maker.h"
#include "py/constants.h"
#include "py/decimal.h"

namespace ocior::decode {

struct State {
    const Constants& constants;
    Contexts contexts{};
    Decimals decimals{};
    PyObject* decode_error = nullptr;     // json.JSONDecodeError, owned
    ErrorMaker error_maker{};             // of such errors
    PyObject* json_scanstring = nullptr;  // json's own, owned: asked where its patch releases differ
};

}  // namespace ocior::decode
