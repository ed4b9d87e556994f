// The parts of scan.h that go past the first vector.
#include "text/scan.h"

namespace ocior::text::detail {

namespace {

// The stop bits of a vector at p, with one set at `last` when it lies inside (lax scans).
template <bool kStrict, CodeUnit U>
OCIOR_INLINE auto stop_bits(simd::Vec<U> v, [[maybe_unused]] const U* p, [[maybe_unused]] const U* last) noexcept {
    using Bits = typename simd::Mask<U>::Bits;
    Bits stop = string_ends<U, kStrict>(v).bits();
    if constexpr (!kStrict) {
        const auto left = static_cast<std::size_t>(last - p);
        if (left < simd::Vec<U>::kLanes) stop = static_cast<Bits>(stop | static_cast<Bits>(1) << left * simd::Mask<U>::kBitsPerLane);
    }
    return stop;
}

template <CodeUnit U>
OCIOR_INLINE unsigned lane_of(typename simd::Mask<U>::Bits stop) noexcept {
    return trailing_zeros(stop) / simd::Mask<U>::kBitsPerLane;
}

template <bool kStrict, CodeUnit U>
OCIOR_INLINE Scan<U> scan_units(const U* p, const U* last, std::uint32_t bits) noexcept {
    using V = simd::Vec<U>;
    for (;; p += V::kLanes) {
        const V v = V::load(p);
        const auto stop = stop_bits<kStrict, U>(v, p, last);
        bits |= width_before<U>(v, stop);
        if (stop != 0) return {p + lane_of<U>(stop), bits};
    }
}

template <bool kStrict>
OCIOR_INLINE Utf8Scan scan_bytes(const std::uint8_t* p, const std::uint8_t* last, std::size_t code_points) noexcept {
    using V = simd::Vec<std::uint8_t>;
    using M = simd::Mask<std::uint8_t>;
    const std::uint8_t* start = p;
    std::size_t continuations = 0;
    M::Bits high = 0, above_latin1 = 0, above_bmp = 0;
    for (;; p += V::kLanes) {
        const V v = V::load(p);
        const auto stop = stop_bits<kStrict, std::uint8_t>(v, p, last);
        const auto before = lanes_before(stop);
        const auto wide = static_cast<M::Bits>(simd::ge<std::uint8_t>(v, 0x80).bits() & before);
        if (wide != 0) {
            high |= wide;
            above_latin1 |= static_cast<M::Bits>(simd::ge<std::uint8_t>(v, 0xC4).bits() & before);
            above_bmp |= static_cast<M::Bits>(simd::ge<std::uint8_t>(v, 0xF0).bits() & before);
            continuations += static_cast<std::size_t>(__builtin_popcountll(wide & ~simd::ge<std::uint8_t>(v, 0xC0).bits())) / M::kBitsPerLane;
        }
        if (stop != 0) {
            p += lane_of<std::uint8_t>(stop);
            const std::uint8_t max_byte = above_bmp != 0 ? 0xFF : above_latin1 != 0 ? 0xEF : high != 0 ? 0xC3 : 0x7F;
            return {p, code_points + static_cast<std::size_t>(p - start) - continuations, max_byte};
        }
    }
}

}  // namespace

template <CodeUnit U>
Scan<U> scan_string_on(const U* p, std::uint32_t bits) noexcept {
    return scan_units<true, U>(p, nullptr, bits);
}

template <CodeUnit U>
Scan<U> scan_string_lax_on(const U* p, const U* last) noexcept {
    return scan_units<false, U>(p, last, 0);
}

Utf8Scan scan_string_utf8_on(const std::uint8_t* p, std::size_t code_points) noexcept { return scan_bytes<true>(p, nullptr, code_points); }

Utf8Scan scan_string_utf8_lax_on(const std::uint8_t* p, const std::uint8_t* last) noexcept { return scan_bytes<false>(p, last, 0); }

template <CodeUnit U>
const U* skip_whitespace_on(const U* p) noexcept {
    for (;; p += simd::Vec<U>::kLanes) {
        const auto other = non_space_bits(simd::Vec<U>::load(p));
        if (other != 0) return p + lane_of<U>(other);
    }
}

template Scan<std::uint8_t> scan_string_on(const std::uint8_t*, std::uint32_t) noexcept;
template Scan<std::uint16_t> scan_string_on(const std::uint16_t*, std::uint32_t) noexcept;
template Scan<std::uint32_t> scan_string_on(const std::uint32_t*, std::uint32_t) noexcept;
template Scan<std::uint8_t> scan_string_lax_on(const std::uint8_t*, const std::uint8_t*) noexcept;
template Scan<std::uint16_t> scan_string_lax_on(const std::uint16_t*, const std::uint16_t*) noexcept;
template Scan<std::uint32_t> scan_string_lax_on(const std::uint32_t*, const std::uint32_t*) noexcept;
template const std::uint8_t* skip_whitespace_on(const std::uint8_t*) noexcept;
template const std::uint16_t* skip_whitespace_on(const std::uint16_t*) noexcept;
template const std::uint32_t* skip_whitespace_on(const std::uint32_t*) noexcept;

}  // namespace ocior::text::detail
