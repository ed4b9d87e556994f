// What every part of one loads call shares: document, options, working memory, and where it went wrong.
#pragma once

#include "decode/context.h"
#include "decode/error.h"
#include "decode/options.h"
#include "decode/source.h"
#include "py/constants.h"

namespace ocior::decode {

// An object read, owned, and the unit behind it; or null and the unit to blame, with Call::error set.
template <typename Unit>
struct Read {
    PyObject* object;
    const Unit* next;
};

template <typename Source>
struct Call {
    using Unit = typename Source::Unit;

    Text<Source> text;
    const Options& options;
    const Constants& constants;
    Context& context;
    Error error = Error::kNone;

    OCIOR_COLD Read<Unit> fail(Error code, const Unit* at) noexcept {
        error = code;
        return {nullptr, at};
    }
    // A Python exception is set, MemoryError where an allocation without one failed.
    OCIOR_COLD Read<Unit> fail_python(const Unit* at) noexcept {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        return fail(Error::kPython, at);
    }
};

}  // namespace ocior::decode
