// copy_escaped_ascii: strings into ASCII. What is not ASCII is brought to vectors of UTF-16 units, and written as runs of \uxxxx.
#include "text/escape.h"
#include "text/escape_lanes.h"

namespace ocior::text {

namespace {

using detail::lanes_below;
using detail::marked_lanes;
using V8 = simd::Vec<std::uint8_t>;
using V16 = simd::Vec<std::uint16_t>;
using V32 = simd::Vec<std::uint32_t>;

// Writes the first n lanes (1 <= n): UTF-16.
OCIOR_INLINE std::uint8_t* write_units(std::uint8_t* dst, V16 v, std::size_t n) noexcept {
    const std::uint64_t valid = lanes_below(n);
    const std::uint64_t wide = simd::ge<std::uint16_t>(v, 0x7F).lane_bits() & valid;
    if (wide == valid) return simd::store_hex_run(dst, v, n);
    const std::uint64_t marks = marked_lanes(v).lane_bits() & valid;
    if ((wide | marks) == 0) {
        simd::store_as<std::uint16_t, std::uint8_t>(dst, v, n);
        return dst + n;
    }
    const V16 unit = simd::short_forms(v);
    const auto no_letter = simd::eq<std::uint16_t>(unit, 0);
    const std::uint64_t hexed = wide | (no_letter.lane_bits() & valid);
    if (hexed == 0) return simd::store_prefixed<std::uint16_t, std::uint8_t>(dst, unit, V16::splat('\\'), marks, n);
    return simd::store_ascii_mix(dst, simd::select(no_letter, v, unit), marks & ~hexed, hexed, n);
}

// Writes the first n lanes: Latin-1.
OCIOR_INLINE std::uint8_t* write_block(std::uint8_t* dst, V8 v, std::size_t n) noexcept {
    const std::uint64_t valid = lanes_below(n);
    const std::uint64_t wide = simd::ge<std::uint8_t>(v, 0x7F).lane_bits() & valid;
    const std::uint64_t marks = marked_lanes(v).lane_bits() & valid;
    if (OCIOR_LIKELY((wide | marks) == 0)) {
        v.store(dst);
        return dst + n;
    }
    const V8 unit = simd::short_forms(v);
    const std::uint64_t hexed = wide | (simd::eq<std::uint8_t>(unit, 0).lane_bits() & valid);
    if (hexed == 0) return simd::store_prefixed<std::uint8_t, std::uint8_t>(dst, unit, V8::splat('\\'), marks, n);
    dst = write_units(dst, simd::widen_half(v, 0), n < V16::kLanes ? n : V16::kLanes);
    return n <= V16::kLanes ? dst : write_units(dst, simd::widen_half(v, 1), n - V16::kLanes);
}

// Writes the first n lanes of two vectors: code points.
OCIOR_INLINE std::uint8_t* write_block(std::uint8_t* dst, V32 a, V32 b, std::size_t n) noexcept {
    if (OCIOR_LIKELY(simd::ge<std::uint32_t>(a | b, 0x10000).none())) return write_units(dst, simd::narrow(a, b), n);
    // What lies in the other lanes was never written. It is dropped here, before memcheck takes what is made of it for a part of the text.
    simd::each_utf16(a, b, n, [&dst](V16 units, std::size_t count) { dst = write_units(dst, units.keep_first(count), count); });
    return dst;
}

}  // namespace

namespace detail {

template <CodeUnit Src>
std::uint8_t* copy_escaped_ascii_on(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    if constexpr (sizeof(Src) == 4) {
        for (; n >= 2 * V::kLanes; src += 2 * V::kLanes, n -= 2 * V::kLanes)
            dst = write_block(dst, V::load(src), V::load(src + V::kLanes), 2 * V::kLanes);
        if (n == 0) return dst;
        if (n <= V::kLanes) return write_block(dst, V::load_upto(src, n), V::splat(0), n);
        return write_block(dst, V::load(src), V::load_upto(src + V::kLanes, n - V::kLanes), n);
    } else {
        const auto write = [](std::uint8_t* out, V v, std::size_t count) {
            if constexpr (sizeof(Src) == 1) return write_block(out, v, count);
            else return write_units(out, v, count);
        };
        if constexpr (sizeof(Src) == 1) {
            const std::size_t done = n >= 4 * V::kLanes ? copy_plain_run<true>(dst, src, n) : 0;
            src += done;
            dst += done;
            n -= done;
        }
        for (; n >= V::kLanes; src += V::kLanes, n -= V::kLanes) dst = write(dst, V::load(src), V::kLanes);
        return n == 0 ? dst : write(dst, V::load_upto(src, n), n);
    }
}

template std::uint8_t* copy_escaped_ascii_on(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint8_t* copy_escaped_ascii_on(std::uint8_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint8_t* copy_escaped_ascii_on(std::uint8_t*, const std::uint32_t*, std::size_t) noexcept;

}  // namespace detail
}  // namespace ocior::text
