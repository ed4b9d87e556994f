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

// What a value lies in.
enum class Inside : std::uint8_t { kNothing, kArray, kObject };

// What values that are skipped leave for the next one (skipper.h).
struct SkipperMemory {
    struct Frame {
        Inside inside;
    };
    static constexpr std::size_t kPlaces = 1024;

    Stack<Frame> frames;
    std::uint8_t key_lengths[kPlaces] = {};  // guesses, which do no harm where they come from another text
};

// What the grammar keeps from one reading to the next.
struct Workspace {
    static constexpr std::size_t kGapDepths = 16;
    using Gaps = Gap[kGapDepths];

    Stack<std::uint8_t> scratch;
    Gaps gaps[kSourceCount] = {};  // per source: one text must not be taken for another of wider units
    SkipperMemory skipper;

    // Gives back what one large document has blown up.
    void trim(std::size_t kept_bytes) noexcept {
        scratch.trim(kept_bytes);
        skipper.frames.trim(kept_bytes);
    }
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
    bool checks_skipped = false;  // NaN, infinities and surrogates without a pair are mistakes in what is skipped, too

    // `at`, the unit to blame for the error.
    OCIOR_COLD const Unit* fail(Error code, const Unit* at) noexcept {
        error = code;
        return at;
    }
};

}  // namespace ocior::grammar
