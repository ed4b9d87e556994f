// The parts of the module that stand in for other libraries.
#pragma once

#include "module/part.h"

namespace ocior::compat {

extern const module::Part kMsgspecPart, kOrjsonPart, kSsrjsonPart, kUjsonPart;

inline constexpr const module::Part* kParts[] = {&kMsgspecPart, &kOrjsonPart, &kSsrjsonPart, &kUjsonPart};

}  // namespace ocior::compat
