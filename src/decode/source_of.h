// The source that the units of a str are.
#pragma once

#include "grammar/source.h"
#include "py/str.h"

namespace ocior::decode {

using namespace grammar;

// Calls act(Source{}).
template <typename Act>
OCIOR_INLINE auto with_source_of(const StrView& view, Act&& act) noexcept {
    if (view.is_ascii) return act(Utf8Source{});
    if (view.width == 1) return act(Latin1Source{});
    if (view.width == 2) return act(Ucs2Source{});
    return act(Ucs4Source{});
}

}  // namespace ocior::decode
