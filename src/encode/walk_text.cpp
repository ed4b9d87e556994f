#include "encode/walk_impl.h"

namespace ocior::encode {
template Step walk<Mode::kText, std::uint8_t, true>(Call&) noexcept;
template Step walk<Mode::kText, std::uint16_t, true>(Call&) noexcept;
template Step walk<Mode::kText, std::uint32_t, true>(Call&) noexcept;
template Step walk<Mode::kText, std::uint8_t, false>(Call&) noexcept;
template Step walk<Mode::kText, std::uint16_t, false>(Call&) noexcept;
template Step walk<Mode::kText, std::uint32_t, false>(Call&) noexcept;
}  // namespace ocior::encode
