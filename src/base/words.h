// The three words of JSON, as the bytes of an integer: their first letter lowest.
#pragma once

#include <cstdint>

namespace ocior {

inline constexpr std::uint64_t kNullText = 0x6c6c756e, kTrueText = 0x65757274, kFalseText = 0x65736c6166;

}  // namespace ocior
