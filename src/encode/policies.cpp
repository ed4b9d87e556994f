#include "encode/policies.h"

namespace ocior::encode {

// JSON Canonicalization Scheme. What has no canonical form is refused, unless another policy says what is written in its place.
bool Policies::make_canonical(Options& options) const noexcept {
    if (options.pretty) return PyErr_SetString(PyExc_ValueError, "canonical text has no indent"), false;
    options.is_canonical = options.sort_keys = options.unique_keys = true;
    options.ensure_ascii = false;
    options.item = kComma;
    options.key = kColon;
    options.integers = IntegerRange::k53Bits;
    if (big_integers == BigIntegers::kExact) options.big_integers = BigIntegers::kError;
    if (non_finite != NonFiniteNumbers::kNull) options.non_finite = NonFiniteNumbers::kError;
    if (surrogates == Surrogates::kKeep) options.surrogates = Surrogates::kError;
    return true;
}

bool Policies::apply(Options& options) const noexcept {
    options.has_policies = true;
    if (non_finite != NonFiniteNumbers::kConstant) options.non_finite = non_finite;
    if (big_integers != BigIntegers::kExact) {
        options.big_integers = big_integers;
        options.integers = integers;
    }
    if (surrogates != Surrogates::kKeep) options.surrogates = surrogates;
    options.max_depth = max_depth;
    options.short_arrays = options.pretty ? short_arrays : 0;
    if (max_depth < kSuspiciousDepth) options.first_check = 0;
    if (duplicate_keys == DuplicateKeys::kError) options.unique_keys = true;
    if (canonical && !make_canonical(options)) return false;
    options.settle();
    return true;
}

}  // namespace ocior::encode
