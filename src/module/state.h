// Everything a module instance owns; one per interpreter.
#pragma once

#include "decode/decode.h"
#include "encode/encode.h"
#include "py/constants.h"

namespace ocior::module {

struct State {
    Constants constants;
    decode::State decoder;
    encode::State encoder;
    bool write_cache = false;  // default of dumps_to_bytes' is_write_cache

    [[nodiscard]] bool create() noexcept;
    void clear() noexcept;
};

OCIOR_INLINE State& state_of(PyObject* module) noexcept { return *static_cast<State*>(PyModule_GetState(module)); }

}  // namespace ocior::module
