// A value inside a document that another builder reads, as loads() reads it.
#pragma once

#include "decode/context.h"
#include "decode/options.h"
#include "grammar/source.h"
#include "py/constants.h"

namespace ocior::decode {

// A new reference and the unit behind the value; or null, why, and the unit to blame.
template <typename Unit>
struct ReadInside {
    PyObject* value;
    const Unit* next;
    Error error;
};

// The value at `p` in `text`, around which `depth` containers are open. The context, whose allocator has been refreshed, is nobody else's.
template <typename Source>
ReadInside<typename Source::Unit> read_inside(const Constants& constants, Context& context, const Options& options,
                                              const Text<Source>& text, const typename Source::Unit* p, std::size_t depth) noexcept;

}  // namespace ocior::decode
