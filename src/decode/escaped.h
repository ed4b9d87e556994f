// Strings with escapes.
#pragma once

#include "decode/run.h"

namespace ocior::decode {

// A string with escapes, or with control characters where they are allowed. `opening` is behind the opening quote; the units up to `p` are
// a run with these `bits`.
template <typename Source>
Read<typename Source::Unit> read_escaped(Call<Source>& call, const typename Source::Unit* opening, const typename Source::Unit* p,
                                         std::uint32_t bits) noexcept;

}  // namespace ocior::decode
