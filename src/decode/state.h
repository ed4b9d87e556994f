// What the decoder keeps between calls, in the module's state.
#pragma once

#include "decode/context.h"
#include "decode/errors/error_maker.h"
#include "py/constants.h"
#include "py/decimal.h"
#include "py/idle_contexts.h"

namespace ocior::decode {

struct State {
    const Constants& constants;
    Contexts contexts{};
    Decimals decimals{};
    PyObject* decode_error = nullptr;     // json.JSONDecodeError, owned
    ErrorMaker error_maker{};             // of such errors
    PyObject* json_scanstring = nullptr;  // json's own, owned: asked where its patch releases differ

    int visit(PyObject* module, visitproc visit, void* arg) const noexcept {
        Py_VISIT(decode_error);
        Py_VISIT(json_scanstring);
        return visit_idle(contexts, module, visit, arg);
    }
    // Clears what may be part of a cycle.
    void clear_cycles() noexcept {
        contexts.close();
        Py_CLEAR(decode_error);
        Py_CLEAR(json_scanstring);
    }
    // Clears all else.
    void clear() noexcept {
        decimals.clear();
        error_maker.clear();
    }
};

}  // namespace ocior::decode
