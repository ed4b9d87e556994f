// UTF-8 to Latin-1, UCS-2 and UCS-4.
#include "text/utf8.h"

namespace ocior::text {

template <CodeUnit Dst>
Dst* utf8_to(Dst* dst, const std::uint8_t* first, const std::uint8_t* last) noexcept {
    return scalar::utf8_to(dst, first, last);
}

template std::uint8_t* utf8_to(std::uint8_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
template std::uint16_t* utf8_to(std::uint16_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
template std::uint32_t* utf8_to(std::uint32_t*, const std::uint8_t*, const std::uint8_t*) noexcept;

}  // namespace ocior::text
