// Where in the value encoding failed, as notes on the exception: what json adds since 3.14, on every version that has notes. Where an
// ocior.Default would help, one more note says so.
#pragma once

#include "encode/walk/call.h"

namespace ocior::encode {

inline constexpr bool kAddsNotes = PY_VERSION_HEX >= 0x030B0000;

// An exception is set and the frames still stand: one note per open container, innermost first. Where json's
// encoder is the one in Python, a StopIteration becomes the RuntimeError that its generators make of it.
void finish_error(Call& call) noexcept;

}  // namespace ocior::encode
