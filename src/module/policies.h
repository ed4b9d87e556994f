// The keywords that choose where JSON leaves open what a document means, and json leaves no choice: keys that come twice, numbers beyond
// what other programs hold, surrogates without a pair, depth. json's own names mean what they mean in json.
#pragma once

#include "decode/options.h"

namespace ocior::module {

struct State;

// These read what a keyword of loads, or of Default, says. Each is false with ValueError set for a value that is not allowed.

// Sets `place` to the place of the word among `words`, of which there are up to four, with null behind the last.
[[nodiscard]] bool read_word(PyObject* given, const char* name, const char* const (&words)[4], unsigned& place) noexcept;
// Reads an int, but no bool, from 0 to `most`. Where `may_be_none`, None is allowed, too, and leaves `number` as it is.
[[nodiscard]] bool read_number(PyObject* given, const char* name, std::size_t most, bool may_be_none, std::size_t& number) noexcept;
// Reads 53 or 64.
[[nodiscard]] bool read_integer_bits(PyObject* given, bool& are_53) noexcept;

// These stand in the order of the names that loads and decoders know.
enum Policy : std::size_t { kDuplicateKeys, kNonFinite, kBigIntegers, kIntegerBits, kSurrogates, kMaxDepth, kPolicyCount };

// Sets those of the kPolicyCount policies that are given; null stands for one that is not. False with ValueError set for a value that is
// not allowed.
[[nodiscard]] bool read_given_policies(PyObject* const* given, decode::Options& options) noexcept;
[[nodiscard]] OCIOR_INLINE bool read_policies(PyObject* const* given, decode::Options& options) noexcept {
    bool is_any_given = false;
    for (std::size_t i = 0; i < kPolicyCount; ++i) is_any_given |= given[i] != nullptr;
    return OCIOR_LIKELY(!is_any_given) || read_given_policies(given, options);
}

// Sets the policies that `context`, a decoder as a rule, keeps in its attribute decode_policies: a dict by name, or None. The attribute may
// be missing. False with an error set.
[[nodiscard]] bool read_policies_of(const State& state, PyObject* context, decode::Options& options) noexcept;

enum class Known : std::uint8_t { kYes, kNo, kFailed };

// Whether a decoder keeps any policies. kFailed with an error set.
Known has_policies(const State& state, PyObject* decoder) noexcept;

}  // namespace ocior::module
