// The keywords that choose where JSON leaves open what a document means, and json leaves no choice: keys that come twice, numbers beyond
// what other programs hold, surrogates without a pair, depth. json's own names mean what they mean in json.
#pragma once

#include "decode/options.h"

namespace ocior::module {

struct State;

// What a keyword of loads, or of Default, says. Each is false with ValueError set for a value that is none.

// One of `words`, up to four, null behind the last: the place of that one.
[[nodiscard]] bool read_word(PyObject* given, const char* name, const char* const (&words)[4], unsigned& place) noexcept;
// An int from 0 to `most`, and no bool; where `may_be_none` None, too, which leaves `number` as it is.
[[nodiscard]] bool read_number(PyObject* given, const char* name, std::size_t most, bool may_be_none, std::size_t& number) noexcept;
// 53 or 64.
[[nodiscard]] bool read_integer_bits(PyObject* given, bool& are_53) noexcept;

// In the order of the names that loads and decoders know.
enum Policy : std::size_t { kDuplicateKeys, kNonFinite, kBigIntegers, kIntegerBits, kSurrogates, kMaxDepth, kPolicyCount };

// Sets those of the kPolicyCount policies that are given; null: it is not. False with ValueError set for a value that is none.
[[nodiscard]] bool read_given_policies(PyObject* const* given, decode::Options& options) noexcept;
[[nodiscard]] OCIOR_INLINE bool read_policies(PyObject* const* given, decode::Options& options) noexcept {
    bool is_any_given = false;
    for (std::size_t i = 0; i < kPolicyCount; ++i) is_any_given |= given[i] != nullptr;
    return OCIOR_LIKELY(!is_any_given) || read_given_policies(given, options);
}

// The same of those that `context`, a decoder as a rule, keeps as its attribute decode_policies: a dict by name, or None. It need not have
// one. False with an error set.
[[nodiscard]] bool read_policies_of(const State& state, PyObject* context, decode::Options& options) noexcept;

enum class Known : std::uint8_t { kYes, kNo, kFailed };

// Whether a decoder keeps any. kFailed with an error set.
Known has_policies(const State& state, PyObject* decoder) noexcept;

}  // namespace ocior::module
