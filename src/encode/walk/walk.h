// The walk over a Python value: loops over lists and dicts, and an explicit stack of frames. Instantiated per mode, output unit and
// layout; what does not depend on them is in the other files here, and in types/ for values of other types than JSON's own.
#pragma once

#include "encode/walk/call.h"

namespace ocior::encode {

// Resumable after kWiden and kFlush.
template <Mode mode, CodeUnit Unit, Spacing spacing>
Stop walk(Call& call) noexcept;

}  // namespace ocior::encode
