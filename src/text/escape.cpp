// copy_escaped where its inline part ends: short escapes by expansion of a vector, blocks with other control characters (hard lanes) piece
// by piece.
#include "text/escape.h"

#include "text/escape_lanes.h"

namespace ocior::text::detail {

namespace {

template <CodeUnit Src, CodeUnit Dst>
OCIOR_NOINLINE Dst* copy_one_by_one(Dst* dst, const Src* src, std::size_t n) noexcept {
    return scalar::copy_escaped(dst, src, n);
}

// What each unit that wants an escape becomes: two or six units. The last of the eight is their number.
template <CodeUnit Dst>
struct Escapes {
    Dst text['\\' + 1][8] = {};
    constexpr Escapes() {
        for (unsigned unit = 0; unit <= '\\'; ++unit)
            if (ends_string(unit)) text[unit][7] = static_cast<Dst>(scalar::write_escape(text[unit], unit) - text[unit]);
    }
};
template <CodeUnit Dst>
constexpr Escapes<Dst> kEscapes;

// copy_marked_on, inline. The text between two marks is loaded again, so that it begins at the first lane, and stored as a whole vector,
// over whose rest the next piece goes. (Where a quarter of the units and more are marked, one at a time is faster.)
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* copy_marked(Dst* dst, const Src* src, std::size_t n, std::uint64_t marks) noexcept {
    using V = simd::Vec<Src>;
    if (OCIOR_UNLIKELY(4 * static_cast<std::size_t>(std::popcount(marks)) > n)) return copy_one_by_one(dst, src, n);
    std::size_t done = 0;
    const auto copy_up_to = [&](std::size_t stop) OCIOR_INLINE_LAMBDA {
        simd::store_as<Src, Dst>(dst, V::load_upto(src + done, n - done), stop - done);
        dst += stop - done;
    };
    do {
        const std::size_t stop = trailing_zeros(marks);
        copy_up_to(stop);
        const Dst* const escape = kEscapes<Dst>.text[src[stop]];
        std::memcpy(dst, escape, 8 * sizeof(Dst));
        dst += escape[7];
        done = stop + 1;
        marks &= marks - 1;
    } while (marks != 0);
    if (done < n) copy_up_to(n);
    return dst;
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
OCIOR_NOINLINE Dst* copy_marked_on(Dst* dst, const Src* src, std::size_t n, std::uint64_t marks) noexcept {
    return copy_marked(dst, src, n, marks);
}

// A string that has one such block is likely to have more: copy_marked() is inline here, which copy_escaped_on would pay for.
template <CodeUnit Src, CodeUnit Dst>
Dst* copy_hard_on(Dst* dst, const Src* src, std::size_t n, std::uint64_t marks) noexcept {
    using V = simd::Vec<Src>;
    for (bool is_hard = true; n > 0; is_hard = false) {
        const std::size_t block = n < V::kLanes ? n : V::kLanes;
        if (!is_hard) {
            const V v = n < V::kLanes ? V::load_upto(src, n) : V::load(src);
            const V unit = simd::short_forms(v);
            marks = marked_lanes(v).lane_bits() & lanes_below(block);
            is_hard = hard_lanes(unit, block) != 0;
            if (marks == 0) {
                simd::store_as<Src, Dst>(dst, v, block);
                dst += block;
            } else if (!is_hard) {
                dst = simd::store_prefixed<Src, Dst>(dst, unit, V::splat('\\'), marks, block);
            }
        }
        if (is_hard) dst = copy_marked(dst, src, block, marks);
        src += block;
        n -= block;
    }
    return dst;
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
    for (; n >= V::kLanes; src += V::kLanes, n -= V::kLanes) {
        const V v = V::load(src);
        const auto marks = marked_lanes(v);
        if (OCIOR_LIKELY(marks.none())) {
            simd::store_as<Src, Dst>(dst, v);
            dst += V::kLanes;
        } else {
            const V unit = simd::short_forms(v);
            if (OCIOR_UNLIKELY(hard_lanes(unit, V::kLanes) != 0)) return copy_hard_on(dst, src, n, marks.lane_bits());
            dst = simd::store_prefixed<Src, Dst>(dst, unit, V::splat('\\'), marks.lane_bits(), V::kLanes);
        }
    }
    return n > 0 ? copy_few_escaped(dst, src, n) : dst;
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

template std::uint8_t* copy_hard_on(std::uint8_t*, const std::uint8_t*, std::size_t, std::uint64_t) noexcept;
template std::uint16_t* copy_hard_on(std::uint16_t*, const std::uint8_t*, std::size_t, std::uint64_t) noexcept;
template std::uint32_t* copy_hard_on(std::uint32_t*, const std::uint8_t*, std::size_t, std::uint64_t) noexcept;
template std::uint16_t* copy_hard_on(std::uint16_t*, const std::uint16_t*, std::size_t, std::uint64_t) noexcept;
template std::uint32_t* copy_hard_on(std::uint32_t*, const std::uint16_t*, std::size_t, std::uint64_t) noexcept;
template std::uint32_t* copy_hard_on(std::uint32_t*, const std::uint32_t*, std::size_t, std::uint64_t) noexcept;

template std::uint8_t* copy_marked_on(std::uint8_t*, const std::uint8_t*, std::size_t, std::uint64_t) noexcept;
template std::uint16_t* copy_marked_on(std::uint16_t*, const std::uint8_t*, std::size_t, std::uint64_t) noexcept;
template std::uint32_t* copy_marked_on(std::uint32_t*, const std::uint8_t*, std::size_t, std::uint64_t) noexcept;
template std::uint16_t* copy_marked_on(std::uint16_t*, const std::uint16_t*, std::size_t, std::uint64_t) noexcept;
template std::uint32_t* copy_marked_on(std::uint32_t*, const std::uint16_t*, std::size_t, std::uint64_t) noexcept;
template std::uint32_t* copy_marked_on(std::uint32_t*, const std::uint32_t*, std::size_t, std::uint64_t) noexcept;

}  // namespace ocior::text::detail
