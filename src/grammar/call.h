// What the grammar knows of one reading: text, strictness, working memory, and where it went wrong. Builders derive from it.
#pragma once

#include "base/policies.h"
#include "grammar/error.h"
#include "grammar/source.h"
#include "grammar/stack.h"

namespace ocior::grammar {

// What stands between two values as a document writes it, and will most likely write it again: a comma and white space.
struct Gap {
    static constexpr std::size_t kMaxBytes = 2 * kReadSlack;
    alignas(64) std::uint8_t bytes[kMaxBytes + kReadSlack];
    std::uint32_t byte_len;
};

// What the grammar keeps from one reading to the next.
struct Workspace {
    static constexpr std::size_t kGapDepths = 16;
    using Gaps = Gap[kGapDepths];

    Stack<std::uint8_t> scratch;
    Gaps gaps[kSourceCount] = {};  // per source: one text must not be taken for another of wider units
};

template <typename SourceType>
struct Call {
    using Source = SourceType;
    using Unit = typename Source::Unit;

    Text<Source> text;
    bool strict;
    Workspace& workspace;
    Error error = Error::kNone;
    std::size_t max_depth = kMaxDepth;

    // `at`, the unit to blame for the error.
    OCIOR_COLD const Unit* fail(Error code, const Unit* at) noexcept {
        error = code;
        return at;
    }
};

}  // namespace ocior::grammar
