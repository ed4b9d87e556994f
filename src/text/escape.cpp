// copy_escaped where its inline part ends: whole vectors, short escapes by expansion, other control characters one at a time.
#include "text/escape.h"

#include "text/escape_lanes.h"

namespace ocior::text::detail {

namespace {

// Writes the n units at src, which are the first lanes of v, or some of them; returns how many, at least one.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE std::size_t escape_block(Dst*& dst, const Src* src, simd::Vec<Src> v, std::uint64_t marks, std::size_t n) noexcept {
    const auto backslash = simd::Vec<Src>::splat('\\');
    const simd::Vec<Src> unit = simd::short_forms(v);
    const std::uint64_t hard = hard_lanes(unit, n);
    if (OCIOR_LIKELY(hard == 0)) {
        dst = simd::store_prefixed<Src, Dst>(dst, unit, backslash, marks, n);
        return n;
    }
    if ((hard & (hard - 1)) != 0) {
        dst = scalar::copy_escaped(dst, src, n);
        return n;
    }
    n = trailing_zeros(hard);
    if (n > 0) dst = simd::store_prefixed<Src, Dst>(dst, unit, backslash, marks & lanes_below(n), n);
    dst = scalar::write_u_escape(dst, src[n]);
    return n + 1;
}

}  // namespace

template <CodeUnit Src, CodeUnit Dst>
std::size_t copy_plain_run_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    std::size_t done = 0;
    // In a long text, the vectors after the first are stored at aligned addresses: stores that cross cache lines take twice as long.
    if (sizeof(Src) == sizeof(Dst) && n >= 4 * V::kLanes) {
        const V v = V::load(src);
        v.store(dst);
        if (OCIOR_UNLIKELY(!marked_lanes(v).none())) return 0;
        done = V::kLanes - reinterpret_cast<std::uintptr_t>(dst) % simd::kVecBytes / sizeof(Dst);
    }
    // A test is half of the work: several vectors share one.
    if constexpr (sizeof(Src) == 1 && sizeof(Dst) == 1) {
        for (; n - done >= 4 * V::kLanes; done += 4 * V::kLanes) {
            V joined = V::splat(0xff);
            for (std::size_t i = 0; i < 4 * V::kLanes; i += V::kLanes) {
                const V v = V::load(src + done + i);
                v.store(dst + done + i);
                joined = min(joined, simd::zero_where_marked(v));
            }
            if (OCIOR_UNLIKELY(!simd::eq<Src>(joined, 0).none())) break;
        }
    } else if constexpr (simd::kVecBytes < 64) {
        for (; n - done >= 2 * V::kLanes; done += 2 * V::kLanes) {
            const V v = V::load(src + done), w = V::load(src + done + V::kLanes);
            simd::store_as<Src, Dst>(dst + done, v);
            simd::store_as<Src, Dst>(dst + done + V::kLanes, w);
            if (OCIOR_UNLIKELY(!(marked_lanes(v) | marked_lanes(w)).none())) break;
        }
    }
    for (; n - done >= V::kLanes; done += V::kLanes) {
        const V v = V::load(src + done);
        simd::store_as<Src, Dst>(dst + done, v);
        if (OCIOR_UNLIKELY(!marked_lanes(v).none())) break;
    }
    return done;
}

template <CodeUnit Src, CodeUnit Dst>
Dst* copy_escaped_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    if (n >= 4 * V::kLanes) {
        const std::size_t done = copy_plain_run_on(dst, src, n);
        src += done;
        dst += done;
        n -= done;
    }
    while (n >= V::kLanes) {
        const V v = V::load(src);
        const auto marks = marked_lanes(v);
        std::size_t done = V::kLanes;
        if (OCIOR_LIKELY(marks.none())) {
            simd::store_as<Src, Dst>(dst, v);
            dst += V::kLanes;
        } else {
            done = escape_block<Src, Dst>(dst, src, v, marks.lane_bits(), V::kLanes);
        }
        src += done;
        n -= done;
    }
    while (n > 0) {
        const V v = V::load_upto(src, n);
        const std::uint64_t marks = marked_lanes(v).lane_bits() & lanes_below(n);
        if (OCIOR_LIKELY(marks == 0)) {
            simd::store_as<Src, Dst>(dst, v, n);
            return dst + n;
        }
        const std::size_t done = escape_block<Src, Dst>(dst, src, v, marks, n);
        src += done;
        n -= done;
    }
    return dst;
}

template std::size_t copy_plain_run_on(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on(std::uint16_t*, const std::uint16_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on(std::uint32_t*, const std::uint32_t*, std::size_t) noexcept;

template std::uint8_t* copy_escaped_on(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint16_t* copy_escaped_on(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint32_t* copy_escaped_on(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint16_t* copy_escaped_on(std::uint16_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t* copy_escaped_on(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t* copy_escaped_on(std::uint32_t*, const std::uint32_t*, std::size_t) noexcept;

}  // namespace ocior::text::detail
