#include "encode/walk_impl.h"

namespace ocior::encode {
template Step walk<Mode::kAscii, std::uint8_t, true>(Call&) noexcept;
template Step walk<Mode::kAscii, std::uint8_t, false>(Call&) noexcept;
template Step walk<Mode::kAscii, std::uint32_t, false>(Call&) noexcept;  // separators that are not ASCII
}  // namespace ocior::encode
