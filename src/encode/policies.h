// What an ocior.Default asks for beyond types: which numbers, strings and keys are written as what, how deep containers may be nested, how
// the text is laid out. It goes on top of what the called function and its keywords say.
#pragma once

#include "encode/options.h"

namespace ocior::encode {

// What becomes of two keys of a dict that have the same text.
enum class DuplicateKeys : std::uint8_t { kKeep, kError };

// Each has a value that leaves the matter to the function and its keywords; it comes first.
struct Policies {
    NonFiniteNumbers non_finite = NonFiniteNumbers::kConstant;
    BigIntegers big_integers = BigIntegers::kExact;
    IntegerRange integers = IntegerRange::k64Bits;  // beyond which an integer is a big one
    Surrogates surrogates = Surrogates::kKeep;
    DuplicateKeys duplicate_keys = DuplicateKeys::kKeep;
    std::uint32_t max_depth = kMaxDepth;
    bool canonical = false;  // the text of RFC 8785, which leaves little to choose
    std::uint32_t short_arrays = 0;  // where values have lines of their own: arrays of so many units stand on one line

    bool operator==(const Policies&) const noexcept = default;

    // Puts them into the options of a call. False with ValueError set where these exclude one another.
    [[nodiscard]] bool apply(Options& options) const noexcept;

private:
    [[nodiscard]] bool make_canonical(Options& options) const noexcept;
};

}  // namespace ocior::encode
