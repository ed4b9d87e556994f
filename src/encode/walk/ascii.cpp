#include "encode/walk/loops.h"

namespace ocior::encode {
template Stop walk<Mode::kAscii, std::uint8_t, Spacing::kCompact>(Call&) noexcept;
template Stop walk<Mode::kAscii, std::uint8_t, Spacing::kJson>(Call&) noexcept;
template Stop walk<Mode::kAscii, std::uint8_t, Spacing::kLines>(Call&) noexcept;
template Stop walk<Mode::kAscii, std::uint8_t, Spacing::kAny>(Call&) noexcept;
template Stop walk<Mode::kAscii, std::uint32_t, Spacing::kAny>(Call&) noexcept;  // separators that are not ASCII
}  // namespace ocior::encode
