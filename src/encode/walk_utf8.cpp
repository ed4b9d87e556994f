#include "encode/walk_impl.h"

namespace ocior::encode {
template Step walk<Mode::kUtf8, std::uint8_t, true>(Call&) noexcept;
template Step walk<Mode::kUtf8, std::uint8_t, false>(Call&) noexcept;
}  // namespace ocior::encode
