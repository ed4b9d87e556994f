// The parts of scan.h that go past the first vector.
#include "text/scan.h"

namespace ocior::text::detail {

namespace {

template <CodeUnit U>
OCIOR_INLINE unsigned lane_of(typename simd::Mask<U>::Bits stop) noexcept {
    return trailing_zeros(stop) / simd::Mask<U>::kBitsPerLane;
}

}  // namespace

template <CodeUnit U>
Scan<U> scan_string_on(const U* p, std::uint32_t bits) noexcept {
    using V = simd::Vec<U>;
    constexpr std::uint32_t kWidest = sizeof(U) == 1 ? 0x80 : sizeof(U) == 2 ? 0x100 : 0x10000;
    for (; (bits & kWidest) == 0; p += V::kLanes) {
        const V v = V::load(p);
        const auto stop = simd::marked_lanes<U>(v).bits();
        bits |= width_before<U>(v, stop);
        if (stop != 0) return {p + lane_of<U>(stop), bits};
    }
    // From here on the width class is at its maximum, so only the end of the run is looked for.
    for (;; p += V::kLanes) {
        const auto ends = simd::marked_lanes<U>(V::load(p));
        if (ends.any()) return {p + ends.first(), bits};
    }
}

// Scans from p on, up to the lane of the first bit that stop_of(vector, its start) has set. `code_points` are those before p.
template <typename StopOf>
OCIOR_INLINE Utf8Scan scan_utf8(const std::uint8_t* p, std::size_t code_points, StopOf stop_of) noexcept {
    using V = simd::Vec<std::uint8_t>;
    using M = simd::Mask<std::uint8_t>;
    const std::uint8_t* start = p;
    std::size_t continuations = 0;
    M::Bits high = 0, above_latin1 = 0, above_bmp = 0;
    for (;; p += V::kLanes) {
        const V v = V::load(p);
        const M::Bits stop = stop_of(v, p);
        const auto before = lanes_before(stop);
        const auto wide = static_cast<M::Bits>(simd::ge<std::uint8_t>(v, 0x80).bits() & before);
        if (wide != 0) {
            high |= wide;
            above_latin1 |= static_cast<M::Bits>(simd::ge<std::uint8_t>(v, 0xC4).bits() & before);
            above_bmp |= static_cast<M::Bits>(simd::ge<std::uint8_t>(v, 0xF0).bits() & before);
            continuations +=
                static_cast<std::size_t>(__builtin_popcountll(wide & ~simd::ge<std::uint8_t>(v, 0xC0).bits())) / M::kBitsPerLane;
        }
        if (stop != 0) {
            p += lane_of<std::uint8_t>(stop);
            const std::uint8_t max_byte = above_bmp != 0 ? 0xFF : above_latin1 != 0 ? 0xEF : high != 0 ? 0xC3 : 0x7F;
            return {p, code_points + static_cast<std::size_t>(p - start) - continuations, max_byte};
        }
    }
}

Utf8Scan scan_string_utf8_on(const std::uint8_t* p, std::size_t code_points) noexcept {
    return scan_utf8(p, code_points,
                     [](simd::Vec<std::uint8_t> v, const std::uint8_t*) { return simd::marked_lanes<std::uint8_t>(v).bits(); });
}

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
template const std::uint8_t* skip_whitespace_on(const std::uint8_t*) noexcept;
template const std::uint16_t* skip_whitespace_on(const std::uint16_t*) noexcept;
template const std::uint32_t* skip_whitespace_on(const std::uint32_t*) noexcept;

}  // namespace ocior::text::detail

namespace ocior::text {

Utf8Scan measure_utf8(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    using M = simd::Mask<std::uint8_t>;
    return detail::scan_utf8(first, 0, [last](simd::Vec<std::uint8_t>, const std::uint8_t* p) {
        const auto left = static_cast<std::size_t>(last - p);
        return left < simd::kVecBytes ? static_cast<M::Bits>(M::Bits{1} << left * M::kBitsPerLane) : M::Bits{0};
    });
}

}  // namespace ocior::text
