// The keywords of loads that say how text becomes values, as other functions that read documents take them, too.
#pragma once

#include "decode/options.h"
#include "module/policies.h"

namespace ocior::module {

struct State;

// The slots of these keywords, in the order of their names.
enum LoadsOption : std::size_t {
    kObjectHook,
    kParseFloat,
    kParseInt,
    kParseConstant,
    kObjectPairsHook,
    kArrayHook,
    kStrict,
    kPolicies,  // the first of them
    kLoadsOptionCount = kPolicies + kPolicyCount
};

inline PyObject* not_none(PyObject* given) noexcept { return given == Py_None ? nullptr : given; }

// Whether these slots allow that there is a type, beside which no hook can be given. False with TypeError set.
[[nodiscard]] bool may_have_type(PyObject* const* slots) noexcept;

// Sets and settles `options`, which borrow the hooks, by the kLoadsOptionCount slots; null stands for a keyword that is not given. False
// with an error set.
[[nodiscard]] bool read_loads_options(State& state, PyObject* const* slots, decode::Options& options) noexcept;

}  // namespace ocior::module
