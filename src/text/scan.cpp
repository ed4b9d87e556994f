// The parts of scan.h that go past the first vector.
#include "text/scan.h"

namespace ocior::text::detail {

template <CodeUnit U>
Scan<U> scan_string_on(const U* p, std::uint32_t bits) noexcept {
    using V = simd::Vec<U>;
    for (;; p += V::kLanes) {
        const V v = V::load(p);
        const auto ends = string_ends<U, true>(v);
        const auto stop = ends.bits();
        bits |= width_before<U>(v, stop);
        if (stop != 0) return {p + ends.first(), bits};
    }
}

template <CodeUnit U>
Scan<U> scan_string_lax_on(const U* p, const U* last, std::uint32_t bits) noexcept {
    const Scan<U> scan = scalar::scan_string_lax(p, last);
    return {scan.stop, bits | scan.bits};
}

Utf8Scan scan_string_utf8_on(const std::uint8_t* p, std::size_t code_points, std::uint8_t max_byte) noexcept {
    Utf8Scan scan = scalar::scan_string_utf8(p);
    scan.code_points += code_points;
    if (max_byte > scan.max_byte) scan.max_byte = max_byte;
    return scan;
}

Utf8Scan scan_string_utf8_lax_on(const std::uint8_t* p, const std::uint8_t* last) noexcept {
    return scalar::scan_string_utf8_lax(p, last);
}

template <CodeUnit U>
const U* skip_whitespace_on(const U* p) noexcept {
    return scalar::skip_whitespace(p);
}

template Scan<std::uint8_t> scan_string_on(const std::uint8_t*, std::uint32_t) noexcept;
template Scan<std::uint16_t> scan_string_on(const std::uint16_t*, std::uint32_t) noexcept;
template Scan<std::uint32_t> scan_string_on(const std::uint32_t*, std::uint32_t) noexcept;
template Scan<std::uint8_t> scan_string_lax_on(const std::uint8_t*, const std::uint8_t*, std::uint32_t) noexcept;
template Scan<std::uint16_t> scan_string_lax_on(const std::uint16_t*, const std::uint16_t*, std::uint32_t) noexcept;
template Scan<std::uint32_t> scan_string_lax_on(const std::uint32_t*, const std::uint32_t*, std::uint32_t) noexcept;
template const std::uint8_t* skip_whitespace_on(const std::uint8_t*) noexcept;
template const std::uint16_t* skip_whitespace_on(const std::uint16_t*) noexcept;
template const std::uint32_t* skip_whitespace_on(const std::uint32_t*) noexcept;

}  // namespace ocior::text::detail
