#include "encode/policies.h"

namespace ocior::encode {

bool Policies::apply(Options& options) const noexcept {
    options.has_policies = true;
    if (non_finite != NonFinite::kNamed) options.non_finite = non_finite;
    if (big_integers != BigIntegers::kExact) {
        options.big_integers = big_integers;
        options.integers = integers;
    }
    if (surrogates != Surrogates::kKept) options.surrogates = surrogates;
    options.max_depth = max_depth;
    if (max_depth < kSuspiciousDepth) options.first_check = 0;
    options.settle();
    return true;
}

}  // namespace ocior::encode
