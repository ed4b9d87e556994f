// copy_escaped where its inline part ends: short escapes by expansion of a vector, blocks with other control characters (hard lanes) escape
// by escape.
#include "text/escape.h"

#include "text/escape_lanes.h"

namespace ocior::text::detail {

namespace {

// What each unit that wants an escape becomes: two units or, of a hard lane, six.
template <CodeUnit Dst>
struct Escapes {
    Dst text['\\' + 1][8] = {};
    constexpr Escapes() {
        for (unsigned unit = 0; unit <= '\\'; ++unit)
            if (ends_string(unit)) scalar::write_escape(text[unit], unit);
    }
};
template <CodeUnit Dst>
constexpr Escapes<Dst> kEscapes;

// Turns the units in `marks`, at least one, into escapes. They are among n units, no more than a vector, which have been stored as they
// are. The text behind each is loaded again, so that it begins at the first lane, and stored as a whole vector, over which the next escape
// and its text go. `dst` moves on by what escapes are longer than a unit, which `hard` tells without waiting for a unit.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* write_marked(Dst* dst, const Src* src, std::size_t n, std::uint64_t marks, std::uint64_t hard) noexcept {
    do {
        const std::size_t mark = trailing_zeros(marks);
        std::memcpy(dst + mark, kEscapes<Dst>.text[src[mark]], 8 * sizeof(Dst));
        dst += 1 + 4 * (hard >> mark & 1);
        const std::size_t behind = mark + 1;
        if (behind == n) break;
        simd::store_as<Src, Dst>(dst + behind, simd::Vec<Src>::load_upto(src + behind, n - behind), n - behind);
        marks &= marks - 1;
    } while (marks != 0);
    return dst + n;
}

// Writes n units, which are no more than a vector.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* write_block(Dst* dst, const Src* src, simd::Vec<Src> v, std::size_t n) noexcept {
    const std::uint64_t marks = marked_lanes(v).lane_bits() & lanes_below(n);
    if (__builtin_expect_with_probability(marks == 0, 1, 0.5)) {
        simd::store_as<Src, Dst>(dst, v, n);
        return dst + n;
    }
    const auto unit = simd::short_forms(v);
    if (const std::uint64_t hard = hard_lanes(unit, n); hard != 0) {
        simd::store_as<Src, Dst>(dst, v, n);
        return write_marked(dst, src, n, marks, hard);
    }
    return simd::store_prefixed<Src, Dst>(dst, unit, simd::Vec<Src>::splat('\\'), marks, n);
}

}  // namespace

template <bool kAscii, CodeUnit Src, CodeUnit Dst>
std::size_t copy_plain_run_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    const auto escaped_lanes = [](V v) OCIOR_INLINE_LAMBDA {
        if constexpr (kAscii) return marked_lanes(v) | simd::ge<Src>(v, 0x7F);
        else return marked_lanes(v);
    };
    std::size_t done = 0;
    // In a long text, the vectors after the first are stored at aligned addresses: stores that cross cache lines take twice as long.
    if (sizeof(Src) == sizeof(Dst) && n >= 4 * V::kLanes) {
        const V v = V::load(src);
        v.store(dst);
        if (OCIOR_UNLIKELY(!escaped_lanes(v).none())) return 0;
        done = V::kLanes - reinterpret_cast<std::uintptr_t>(dst) % simd::kVecBytes / sizeof(Dst);
    }
    // A test is half of the work: several vectors share one.
    constexpr bool kAreLong = simd::kVecBytes >= 64;
    constexpr std::size_t kGroup = (sizeof(Src) == sizeof(Dst) ? (kAreLong ? 4 : 8) : (kAreLong ? 1 : 4)) * V::kLanes;
    if (kGroup > V::kLanes && n >= kGroup) {
        const auto copy_group = [=](std::size_t at) OCIOR_INLINE_LAMBDA {
            const auto copy_vector = [=](std::size_t i) OCIOR_INLINE_LAMBDA {
                const V v = V::load(src + i);
                simd::store_as<Src, Dst>(dst + i, v);
                return v;
            };
            simd::AnyMarked<Src, kAscii> marked(copy_vector(at));
            for (std::size_t i = V::kLanes; i < kGroup; i += V::kLanes) marked.look_at(copy_vector(at + i));
            return OCIOR_LIKELY(marked.none());
        };
        for (;; done += kGroup) {
            // The last group overlaps the one before it.
            const bool is_last = n - done <= kGroup;
            if (!copy_group(is_last ? n - kGroup : done)) break;
            if (is_last) return n;
        }
    }
    for (; n - done >= V::kLanes; done += V::kLanes) {
        const V v = V::load(src + done);
        simd::store_as<Src, Dst>(dst + done, v);
        if (OCIOR_UNLIKELY(!escaped_lanes(v).none())) break;
    }
    return done;
}

template <CodeUnit Src, CodeUnit Dst>
OCIOR_NOINLINE Dst* copy_marked_on(Dst* dst, const Src* src, std::size_t n, std::uint64_t marks, std::uint64_t hard) noexcept {
    simd::store_as<Src, Dst>(dst, simd::Vec<Src>::load_upto(src, n), n);
    return write_marked(dst, src, n, marks, hard);
}

template <CodeUnit Src, CodeUnit Dst>
OCIOR_NOINLINE Dst* copy_with_escapes_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    for (; n >= V::kLanes; n -= V::kLanes, src += V::kLanes) dst = write_block(dst, src, V::load(src), V::kLanes);
    return n > 0 ? write_block(dst, src, V::load_upto(src, n), n) : dst;
}

template <CodeUnit Src, CodeUnit Dst>
Dst* copy_escaped_on(Dst* dst, const Src* src, std::size_t n) noexcept {
    using V = simd::Vec<Src>;
    if (n >= 4 * V::kLanes) {
        const std::size_t done = copy_plain_run_on<false>(dst, src, n);
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
            if (OCIOR_UNLIKELY(hard_lanes(unit, V::kLanes) != 0)) return copy_with_escapes_on(dst, src, n);
            dst = simd::store_prefixed<Src, Dst>(dst, unit, V::splat('\\'), marks.lane_bits(), V::kLanes);
        }
    }
    return n > 0 ? copy_few_escaped(dst, src, n) : dst;
}

template std::size_t copy_plain_run_on<true>(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on<false>(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on<false>(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on<false>(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on<false>(std::uint16_t*, const std::uint16_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on<false>(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template std::size_t copy_plain_run_on<false>(std::uint32_t*, const std::uint32_t*, std::size_t) noexcept;

template std::uint8_t* copy_escaped_on(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint16_t* copy_escaped_on(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint32_t* copy_escaped_on(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint16_t* copy_escaped_on(std::uint16_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t* copy_escaped_on(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t* copy_escaped_on(std::uint32_t*, const std::uint32_t*, std::size_t) noexcept;

template std::uint8_t* copy_with_escapes_on(std::uint8_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint16_t* copy_with_escapes_on(std::uint16_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint32_t* copy_with_escapes_on(std::uint32_t*, const std::uint8_t*, std::size_t) noexcept;
template std::uint16_t* copy_with_escapes_on(std::uint16_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t* copy_with_escapes_on(std::uint32_t*, const std::uint16_t*, std::size_t) noexcept;
template std::uint32_t* copy_with_escapes_on(std::uint32_t*, const std::uint32_t*, std::size_t) noexcept;

template std::uint8_t* copy_marked_on(std::uint8_t*, const std::uint8_t*, std::size_t, std::uint64_t, std::uint64_t) noexcept;
template std::uint16_t* copy_marked_on(std::uint16_t*, const std::uint8_t*, std::size_t, std::uint64_t, std::uint64_t) noexcept;
template std::uint32_t* copy_marked_on(std::uint32_t*, const std::uint8_t*, std::size_t, std::uint64_t, std::uint64_t) noexcept;
template std::uint16_t* copy_marked_on(std::uint16_t*, const std::uint16_t*, std::size_t, std::uint64_t, std::uint64_t) noexcept;
template std::uint32_t* copy_marked_on(std::uint32_t*, const std::uint16_t*, std::size_t, std::uint64_t, std::uint64_t) noexcept;
template std::uint32_t* copy_marked_on(std::uint32_t*, const std::uint32_t*, std::size_t, std::uint64_t, std::uint64_t) noexcept;

}  // namespace ocior::text::detail
