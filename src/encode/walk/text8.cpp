#include "encode/walk/loops.h"

namespace ocior::encode {
template Stop walk<Mode::kText, std::uint8_t, Spacing::kCompact>(Call&) noexcept;
template Stop walk<Mode::kText, std::uint8_t, Spacing::kJson>(Call&) noexcept;
template Stop walk<Mode::kText, std::uint8_t, Spacing::kLines>(Call&) noexcept;
template Stop walk<Mode::kText, std::uint8_t, Spacing::kAny>(Call&) noexcept;
}  // namespace ocior::encode
