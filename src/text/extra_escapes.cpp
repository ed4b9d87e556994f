#include "text/extra_escapes.h"

#include <algorithm>

#include "text/scalar.h"

namespace ocior::text {
namespace {

using scalar::line_end_at;

OCIOR_INLINE std::uint64_t lanes_below(std::size_t n) noexcept { return low_bits(static_cast<unsigned>(n)); }

// The kernel for one choice of characters.
template <CodeUnit Unit, unsigned which, ByteText bytes>
struct Pass {
    using V = simd::Vec<Unit>;
    static constexpr bool kIsUtf8 = sizeof(Unit) == 1 && bytes == ByteText::kUtf8;
    static constexpr bool kHasLineEnds = (which & kLineEnds) != 0 && (sizeof(Unit) > 1 || kIsUtf8);

    // The lanes that may want an escape: of UTF-8 also those of lead bytes that U+2028 shares with others.
    static OCIOR_INLINE auto marked(V v) noexcept {
        auto marks = simd::eq<Unit>(v, (which & kSlashes) != 0 ? '/' : '&');
        if constexpr ((which & kMarkup) != 0)
            marks = marks | simd::eq<Unit>(v | V::splat(2), '>') | simd::eq<Unit>(v, '&');  // '<' | 2 is '>'
        if constexpr (kHasLineEnds && kIsUtf8) marks = marks | simd::eq<Unit>(v, 0xE2);
        else if constexpr (kHasLineEnds) marks = marks | simd::eq<Unit>(v | V::splat(1), 0x2029);
        return marks;
    }

    static ExtraEscapesFound find(const Unit* units, std::size_t n) noexcept {
        ExtraEscapesFound found{n, 0};
        for (std::size_t i = 0; i < n; i += V::kLanes) {
            const V v = V::load(units + i);
            const auto marks = marked(v);
            if (OCIOR_LIKELY(marks.none())) continue;
            const std::uint64_t lanes = marks.lane_bits() & lanes_below(n - i < V::kLanes ? n - i : V::kLanes);
            const std::size_t before = found.growth;
            if constexpr (which == kSlashes) {
                found.growth += static_cast<std::size_t>(std::popcount(lanes));
            } else {
                const std::uint64_t slashes = (which & kSlashes) != 0 ? simd::eq<Unit>(v, '/').lane_bits() & lanes : 0;
                std::uint64_t others = lanes & ~slashes;
                found.growth += static_cast<std::size_t>(std::popcount(slashes));
                if constexpr (kHasLineEnds && kIsUtf8) {
                    const std::uint64_t leads = simd::eq<Unit>(v, 0xE2).lane_bits() & lanes;
                    others &= ~leads;
                    for (std::uint64_t rest = leads; rest != 0; rest &= rest - 1)
                        found.growth += line_end_at(units + i + trailing_zeros(rest), units + n) ? 3 : 0;
                }
                found.growth += 5 * static_cast<std::size_t>(std::popcount(others));
            }
            if (found.first == n && found.growth != before) found.first = i;
        }
        return found;
    }

    // The text moves up by so much that no store, of whole vectors, gets to what has not been read.
    static void put(Unit* units, std::size_t n, ExtraEscapesFound found) noexcept {
        Unit* to = units + found.first;
        const Unit* from = to + found.growth + kExtraEscapesGap<Unit>;
        std::size_t left = n - found.first;
        std::memmove(const_cast<Unit*>(from), to, left * sizeof(Unit));
        const Unit* const end = from + left;
        for (; from < end; left = static_cast<std::size_t>(end - from)) {
            const std::size_t block = left < V::kLanes ? left : V::kLanes;
            const V v = V::load(from);
            std::uint64_t marks = marked(v).lane_bits() & lanes_below(block);
            if (OCIOR_LIKELY(marks == 0)) {
                v.store(to);
                to += block;
                from += block;
            } else if constexpr (which == kSlashes) {
                to = simd::store_prefixed<Unit, Unit>(to, v, V::splat('\\'), marks, block);
                from += block;
            } else {
                std::size_t done = 0;
                const auto copy_up_to = [&](std::size_t stop) OCIOR_INLINE_LAMBDA {
                    V::load(from + done).store(to);
                    to += stop - done;
                    done = stop;
                };
                for (; marks != 0; marks &= marks - 1) {
                    copy_up_to(trailing_zeros(marks));
                    done += scalar::write_extra_escape<kIsUtf8>(to, from + done, end);
                }
                if (done < block) copy_up_to(block);
                from += done;
            }
        }
    }
};

// Calls act(Pass{}) for what is wanted. There are no line ends in Latin-1, and none alone anywhere.
template <CodeUnit Unit, typename Act>
auto with_pass(unsigned which, ByteText bytes, Act&& act) noexcept {
    const auto with_bytes = [&]<ByteText kBytes>() {
        switch (which & (kSlashes | kMarkup | kLineEnds)) {
            case kSlashes: return act(Pass<Unit, kSlashes, kBytes>{});
            case kMarkup: return act(Pass<Unit, kMarkup, kBytes>{});
            case kSlashes | kMarkup: return act(Pass<Unit, kSlashes | kMarkup, kBytes>{});
            case kMarkup | kLineEnds: return act(Pass<Unit, kMarkup | kLineEnds, kBytes>{});
            default: return act(Pass<Unit, kSlashes | kMarkup | kLineEnds, kBytes>{});
        }
    };
    if constexpr (sizeof(Unit) == 1)
        if (bytes == ByteText::kUtf8 && (which & kLineEnds) != 0) return with_bytes.template operator()<ByteText::kUtf8>();
    return with_bytes.template operator()<ByteText::kLatin1>();
}

}  // namespace

template <CodeUnit Unit>
ExtraEscapesFound find_extra_escapes(const Unit* units, std::size_t n, unsigned which, ByteText bytes) noexcept {
    return with_pass<Unit>(which, bytes, [&](auto pass) { return pass.find(units, n); });
}

template <CodeUnit Unit>
void put_extra_escapes(Unit* units, std::size_t n, unsigned which, ByteText bytes, ExtraEscapesFound found) noexcept {
    with_pass<Unit>(which, bytes, [&](auto pass) { pass.put(units, n, found); });
}

template <CodeUnit Unit>
std::size_t drop_slash_escapes(Unit* units, std::size_t n) noexcept {
    const Unit *from = units, *const end = units + n;
    Unit* to = units;
    while (from < end) {
        const bool is_escape = *from == '\\' && end - from > 1;
        if (is_escape && from[1] != '/') *to++ = *from;
        from += is_escape;
        *to++ = *from++;
    }
    return static_cast<std::size_t>(to - units);
}

namespace {

constexpr std::size_t kDeleteLength = 6;

template <CodeUnit Unit>
OCIOR_INLINE bool is_delete_escape(const Unit* units) noexcept {
    constexpr char kText[] = "\\u007f";
    static_assert(sizeof kText == kDeleteLength + 1);
    return std::equal(units, units + kDeleteLength, kText, [](Unit unit, char wanted) { return unit == static_cast<Unit>(wanted); });
}

// Whether the units may hold one: whether any do is seldom worth a look at single units. (Four of its six tell it from escapes of other
// scripts.)
template <CodeUnit Unit>
bool may_have_deletes(const Unit* units, std::size_t n) noexcept {
    using V = simd::Vec<Unit>;
    for (std::size_t i = 0; i + kDeleteLength <= n; i += V::kLanes) {
        const auto has = [=](std::size_t at, char unit) OCIOR_INLINE_LAMBDA { return simd::eq<Unit>(V::load(units + i + at), unit); };
        if (OCIOR_UNLIKELY(!(has(0, '\\') & has(3, '0') & has(4, '7') & has(5, 'f')).none())) return true;
    }
    return false;
}

}  // namespace

template <CodeUnit Unit>
std::size_t restore_deletes(Unit* units, std::size_t n) noexcept {
    if (OCIOR_LIKELY(!may_have_deletes(units, n))) return n;
    const Unit *from = units, *const end = units + n;
    Unit* to = units;
    while (from < end) {
        const bool is_escape = *from == '\\' && end - from > 1;
        if (is_escape && end - from >= static_cast<std::ptrdiff_t>(kDeleteLength) && is_delete_escape(from)) {
            *to++ = 0x7F;
            from += kDeleteLength;
            continue;
        }
        if (is_escape) *to++ = *from++;
        *to++ = *from++;
    }
    return static_cast<std::size_t>(to - units);
}

template std::size_t restore_deletes(std::uint8_t*, std::size_t) noexcept;
template std::size_t restore_deletes(std::uint16_t*, std::size_t) noexcept;
template std::size_t restore_deletes(std::uint32_t*, std::size_t) noexcept;
template ExtraEscapesFound find_extra_escapes(const std::uint8_t*, std::size_t, unsigned, ByteText) noexcept;
template ExtraEscapesFound find_extra_escapes(const std::uint16_t*, std::size_t, unsigned, ByteText) noexcept;
template ExtraEscapesFound find_extra_escapes(const std::uint32_t*, std::size_t, unsigned, ByteText) noexcept;
template std::size_t drop_slash_escapes(std::uint8_t*, std::size_t) noexcept;
template std::size_t drop_slash_escapes(std::uint16_t*, std::size_t) noexcept;
template std::size_t drop_slash_escapes(std::uint32_t*, std::size_t) noexcept;
template void put_extra_escapes(std::uint8_t*, std::size_t, unsigned, ByteText, ExtraEscapesFound) noexcept;
template void put_extra_escapes(std::uint16_t*, std::size_t, unsigned, ByteText, ExtraEscapesFound) noexcept;
template void put_extra_escapes(std::uint32_t*, std::size_t, unsigned, ByteText, ExtraEscapesFound) noexcept;

}  // namespace ocior::text
