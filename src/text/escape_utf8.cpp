// copy_escaped_utf8: strings into UTF-8. There is code of its own for blocks of ASCII, of at most two bytes a unit, of three bytes each,
// and for mixed ones.
#include "text/escape.h"
#include "text/escape_lanes.h"

namespace ocior::text {

namespace {

using detail::lanes_below;
using detail::marked_lanes;
using detail::write_prefixed;
using V8 = simd::Vec<std::uint8_t>;
using V16 = simd::Vec<std::uint16_t>;
using V32 = simd::Vec<std::uint32_t>;

// Each write_block() writes the first n lanes up to a hard one, and returns the index of that, or n.

// Latin-1: two bytes at most, and the lead byte C2 or C3 is a prefix as the backslash is.
OCIOR_INLINE std::size_t write_block(std::uint8_t*& dst, V8 v, std::size_t n) noexcept {
    const auto two = simd::ge<std::uint8_t>(v, 0x80);
    const auto marks = marked_lanes(v);
    const std::uint64_t prefixed = (two | marks).lane_bits() & lanes_below(n);
    if (OCIOR_LIKELY(prefixed == 0)) {
        v.store(dst);
        dst += n;
        return n;
    }
    const V8 lead = simd::select(simd::ge<std::uint8_t>(v, 0xC0), V8::splat(0xC3), V8::splat(0xC2));
    const V8 prefix = simd::select(two, lead, V8::splat('\\'));
    const V8 unit = simd::select(two, v & V8::splat(0xBF), simd::short_forms(v));
    return write_prefixed<std::uint8_t, std::uint8_t>(dst, unit, prefix, prefixed, n);
}

// Writes any code points, of which none is hard. kMarks says whether some may want a backslash.
template <bool kMarks>
OCIOR_INLINE std::uint8_t* write_mix(std::uint8_t* dst, V32 c, std::size_t n) noexcept {
    return simd::store_utf8<kMarks>(dst, c, kMarks ? simd::short_forms(c) : c, marked_lanes(c), n);
}

template <bool kMarks>
OCIOR_INLINE std::uint8_t* write_mix(std::uint8_t* dst, V32 a, V32 b, std::size_t n) noexcept {
    if (n <= V32::kLanes) return write_mix<kMarks>(dst, a, n);
    return write_mix<kMarks>(write_mix<kMarks>(dst, a, V32::kLanes), b, n - V32::kLanes);
}

// Characters of one byte or two, of which none wants an escape.
OCIOR_INLINE std::uint8_t* store_two_bytes(std::uint8_t* dst, V16 v, simd::Mask<std::uint16_t> wide, std::size_t n) noexcept {
    const V16 prefix = simd::shift_right<6>(v) | V16::splat(0xC0);
    const V16 unit = simd::select(wide, (v & V16::splat(0x3F)) | V16::splat(0x80), v);
    return simd::store_prefixed<std::uint16_t, std::uint8_t>(dst, unit, prefix, wide.lane_bits() & lanes_below(n), n);
}

// UCS-2.
OCIOR_INLINE std::size_t write_block(std::uint8_t*& dst, V16 v, std::size_t n) noexcept {
    const std::uint64_t valid = lanes_below(n);
    const auto wide = simd::ge<std::uint16_t>(v, 0x80);
    const auto marks = marked_lanes(v);
    if ((wide | marks).none() || ((wide | marks).lane_bits() & valid) == 0) {
        simd::store_as<std::uint16_t, std::uint8_t>(dst, v, n);
        dst += n;
        return n;
    }
    const auto long_lanes = simd::ge<std::uint16_t>(v, 0x800);
    if ((long_lanes | marks).none()) {
        dst = store_two_bytes(dst, v, wide, n);
        return n;
    }
    const std::uint64_t three = long_lanes.lane_bits() & valid;
    if (three == 0) {
        const V16 prefix = simd::select(wide, simd::shift_right<6>(v) | V16::splat(0xC0), V16::splat('\\'));
        const V16 unit = simd::select(wide, (v & V16::splat(0x3F)) | V16::splat(0x80), simd::short_forms(v));
        return write_prefixed<std::uint16_t, std::uint8_t>(dst, unit, prefix, (wide | marks).lane_bits() & valid, n);
    }
    const std::uint64_t surrogates = simd::eq<std::uint16_t>(v & V16::splat(0xF800), 0xD800).lane_bits() & valid;
    if (three == valid && surrogates == 0) {
        dst = simd::store_utf8_run(dst, v, n);
        return n;
    }
    const std::uint64_t marked = marks.lane_bits() & valid;
    if (OCIOR_LIKELY((marked | surrogates) == 0)) {
        dst = write_mix<false>(dst, simd::widen_half(v, 0), simd::widen_half(v, 1), n);
        return n;
    }
    const std::uint64_t hard = surrogates | (simd::eq<std::uint16_t>(simd::short_forms(v), 0).lane_bits() & valid);
    if (hard != 0) n = trailing_zeros(hard);
    if (n > 0) dst = write_mix<true>(dst, simd::widen_half(v, 0), simd::widen_half(v, 1), n);
    return n;
}

// UCS-4: the first n lanes of two vectors.
OCIOR_INLINE std::size_t write_block(std::uint8_t*& dst, V32 a, V32 b, std::size_t n) noexcept {
    if (OCIOR_LIKELY(simd::ge<std::uint32_t>(a | b, 0x10000).none())) return write_block(dst, simd::narrow(a, b), n);
    constexpr std::size_t kLanes = V32::kLanes;
    const auto surrogates = [](V32 v) { return simd::eq<std::uint32_t>(v & V32::splat(0xFFFFF800), 0xD800); };
    const auto hard_a = surrogates(a), hard_b = surrogates(b);
    if (OCIOR_LIKELY((hard_a | hard_b | marked_lanes(a) | marked_lanes(b)).none())) {
        dst = write_mix<false>(dst, a, b, n);
        return n;
    }
    const auto hard_lanes = [](V32 v, simd::Mask<std::uint32_t> hard) {
        return (hard | simd::eq<std::uint32_t>(simd::short_forms(v), 0)).lane_bits();
    };
    const std::uint64_t hard = (hard_lanes(a, hard_a) | hard_lanes(b, hard_b) << kLanes) & lanes_below(n);
    if (hard != 0) n = trailing_zeros(hard);
    if (n > 0) dst = write_mix<true>(dst, a, b, n);
    return n;
}

// Writes the vectors that come next as long as all their characters take three bytes: long CJK text has little else. Returns how many units
// that was.
OCIOR_INLINE std::size_t write_three_byte_run(std::uint8_t*& dst, const std::uint16_t* src, std::size_t n) noexcept {
    std::size_t done = 0;
    for (; n - done >= V16::kLanes; done += V16::kLanes) {
        const V16 v = V16::load(src + done);
        const V16 top = v & V16::splat(0xF800);
        if (OCIOR_UNLIKELY((simd::eq<std::uint16_t>(top, 0) | simd::eq<std::uint16_t>(top, 0xD800)).any())) break;
        dst = simd::store_utf8_run(dst, v, V16::kLanes);
    }
    return done;
}

}  // namespace

template <CodeUnit Src>
Utf8Copy<Src> copy_escaped_utf8(std::uint8_t* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    constexpr std::size_t kBlock = sizeof(Src) == 4 ? 2 * V::kLanes : V::kLanes;
    while (n > 0) {
        const std::size_t block = n < kBlock ? n : kBlock;
        std::size_t done;
        [[maybe_unused]] const std::uint8_t* const start = dst;
        if constexpr (sizeof(Src) == 4) {
            if (block == kBlock) done = write_block(dst, V::load(src), V::load(src + V::kLanes), kBlock);
            else if (block <= V::kLanes) done = write_block(dst, V::load_upto(src, block), V::splat(0), block);
            else done = write_block(dst, V::load(src), V::load_upto(src + V::kLanes, block - V::kLanes), block);
        } else {
            if (block == kBlock) done = write_block(dst, V::load(src), kBlock);
            else done = write_block(dst, V::load_upto(src, block), block);
        }
        if constexpr (sizeof(Src) == 2)
            if (done == kBlock && dst - start == 3 * kBlock) done += write_three_byte_run(dst, src + kBlock, n - kBlock);
        src += done;
        n -= done;
        if (OCIOR_UNLIKELY(done < block)) {
            if (is_surrogate(*src)) break;
            dst = scalar::write_u_escape(dst, *src++);
            --n;
        }
    }
    return {dst, src};
}

template Utf8Copy<std::uint8_t> copy_escaped_utf8(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template Utf8Copy<std::uint16_t> copy_escaped_utf8(std::uint8_t*, const std::uint16_t*, std::size_t) noexcept;
template Utf8Copy<std::uint32_t> copy_escaped_utf8(std::uint8_t*, const std::uint32_t*, std::size_t) noexcept;

}  // namespace ocior::text
