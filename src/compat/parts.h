// The parts of the module that stand in for other libraries.
#pragma once

#include "module/part.h"

namespace ocior::compat {

extern const module::Part kOrjsonPart, kSsrjsonPart, kUjsonPart;

inline constexpr const module::Part* kParts[] = {&kOrjsonPart, &kSsrjsonPart, &kUjsonPart};

}  // namespace ocior::compat
