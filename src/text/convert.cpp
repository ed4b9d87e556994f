// What convert.h declares, and the widths that it is instantiated for.
#include "text/convert.h"

namespace ocior::text {

namespace detail {

namespace {

// Converts n units, kUnits <= n <= 2 * kUnits, in two steps that may overlap.
template <std::size_t kUnits, CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void convert_two(Dst* dst, const Src* src, std::size_t n) noexcept {
    Dst head[kUnits], tail[kUnits];
    for (std::size_t i = 0; i < kUnits; ++i) head[i] = static_cast<Dst>(src[i]);
    for (std::size_t i = 0; i < kUnits; ++i) tail[i] = static_cast<Dst>(src[n - kUnits + i]);
    std::memcpy(dst, head, sizeof head);
    std::memcpy(dst + n - kUnits, tail, sizeof tail);
}

}  // namespace

template <CodeUnit Src, CodeUnit Dst>
void convert_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    constexpr std::size_t kLanes = V::kLanes;
    if (n < kLanes) {
        if constexpr (simd::kExactStores) {
            if (n > 0) simd::store_first<Src, Dst>(dst, V::load_upto(src, n), n);
        } else if (sizeof(Dst) > sizeof(Src) && n >= simd::Vec<Dst>::kLanes) {
            if constexpr (sizeof(Dst) > sizeof(Src)) {
                constexpr std::size_t kStep = simd::Vec<Dst>::kLanes;
                for (std::size_t i = 0; i < n - kStep; i += kStep) simd::load_widened<Dst>(src + i).store(dst + i);
                simd::load_widened<Dst>(src + n - kStep).store(dst + n - kStep);
            }
        } else if (n >= 16) {
            convert_two<16>(dst, src, n);
        } else if (n >= 8) {
            convert_two<8>(dst, src, n);
        } else if (n >= 4) {
            convert_two<4>(dst, src, n);
        } else {
            for (std::size_t i = 0; i < n; ++i) dst[i] = static_cast<Dst>(src[i]);
        }
        return;
    }
    // The last vector overlaps the one before it.
    for (std::size_t i = 0; i < n - kLanes; i += kLanes) simd::store_as<Src, Dst>(dst + i, V::load(src + i));
    simd::store_as<Src, Dst>(dst + n - kLanes, V::load(src + n - kLanes));
}

template void convert_on(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template void convert_on(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template void convert_on(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template void convert_on(std::uint8_t*, const std::uint16_t*, std::size_t) noexcept;
template void convert_on(std::uint8_t*, const std::uint32_t*, std::size_t) noexcept;
template void convert_on(std::uint16_t*, const std::uint32_t*, std::size_t) noexcept;

}  // namespace detail

template <CodeUnit Src, CodeUnit Dst>
void widen_within(Dst* dst, const Src* src, std::size_t n) noexcept {
    static_assert(sizeof(Dst) > sizeof(Src));
    using V = simd::Vec<Src>;
    constexpr std::size_t kLanes = V::kLanes;
    if (n < kLanes) {
        Src units[kLanes];
        std::memcpy(units, src, n * sizeof(Src));
        return convert(dst, units, n);
    }
    // From the end to the start, where the last vector overlaps the one before it.
    const V head = V::load(src);
    for (; n > kLanes; n -= kLanes) simd::store_as<Src, Dst>(dst + n - kLanes, V::load(src + n - kLanes));
    simd::store_as<Src, Dst>(dst, head);
}
template void widen_within(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template void widen_within(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template void widen_within(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;

template <CodeUnit U>
std::uint32_t or_of(const U* p, std::size_t n) noexcept {
    using V = simd::Vec<U>;
    constexpr std::size_t kLanes = V::kLanes;
    if (n == 0) return 0;
    V all = V::splat(0);
    if (n < kLanes) {
        all = V::load_upto(p, n).keep_first(n);
    } else {
        for (std::size_t i = 0; i < n - kLanes; i += kLanes) all = all | V::load(p + i);
        all = all | V::load(p + n - kLanes);
    }
    std::uint64_t words[simd::kVecBytes / 8];
    all.store(words);
    std::uint64_t bits = 0;
    for (std::uint64_t word : words) bits |= word;
    for (unsigned width = 32; width >= 8 * sizeof(U); width /= 2) bits |= bits >> width;
    return static_cast<U>(bits);
}
template std::uint32_t or_of(const std::uint8_t*, std::size_t) noexcept;
template std::uint32_t or_of(const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t or_of(const std::uint32_t*, std::size_t) noexcept;

}  // namespace ocior::text
