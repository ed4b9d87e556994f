// Width conversion and or_of, instantiated.
#include "text/convert.h"

namespace ocior::text {

namespace detail {
template <CodeUnit Src, CodeUnit Dst>
void convert_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    scalar::convert(dst, src, n);
}
template void convert_on(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template void convert_on(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template void convert_on(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template void convert_on(std::uint8_t*, const std::uint16_t*, std::size_t) noexcept;
template void convert_on(std::uint8_t*, const std::uint32_t*, std::size_t) noexcept;
template void convert_on(std::uint16_t*, const std::uint32_t*, std::size_t) noexcept;
}  // namespace detail

template <CodeUnit U>
std::uint32_t or_of(const U* p, std::size_t n) noexcept {
    return scalar::or_of(p, n);
}
template std::uint32_t or_of(const std::uint8_t*, std::size_t) noexcept;
template std::uint32_t or_of(const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t or_of(const std::uint32_t*, std::size_t) noexcept;

}  // namespace ocior::text
