// Escapes, resolved a vector at a time: what decode/ makes of text between quotes.
#pragma once

#include "simd/lanes.h"

namespace ocior::simd {

// What a one-letter escape stands for; 0 for u and for anything invalid.
struct alignas(64) EscapeMeanings {
    std::uint8_t of[128] = {};
};
inline constexpr EscapeMeanings kMeanings = [] {
    EscapeMeanings table;
    table.of['"'] = '"', table.of['\\'] = '\\', table.of['/'] = '/', table.of['b'] = '\b', table.of['f'] = '\f';
    table.of['n'] = '\n', table.of['r'] = '\r', table.of['t'] = '\t';
    return table;
}();

// Whether text that comes from single bytes is UTF-16 while its units have two bytes: escaped surrogates are units like others then, and
// are joined all at once in the end. That, and reading several escapes at once, is a gain only with a compress instruction.
#if defined(__AVX512VBMI2__)
inline constexpr bool kUtf16Escapes = true;
#else
inline constexpr bool kUtf16Escapes = false;
#endif

// What kind of text escapes are resolved in, and to what kind.
enum class Unescape {
    kUtf8,   // UTF-8 to UTF-8: of \u escapes those below 0x80
    kUnits,  // code units to code units: \u escapes that fit, surrogates from bytes to UTF-16 alone; to four-byte units no \u at all
    kAscii,  // as kUnits, but bytes above 0x7f stop it
};

struct Unescaped {
    std::size_t taken;    // units of the source that are done with
    std::size_t written;
    bool stopped;         // what comes next is neither text nor an escape of that kind
    bool marked;          // something taken is above 0x7f (kUtf8), or is an escaped surrogate (bytes to UTF-16)
};

namespace detail {

// The lanes, in a general register: GCC would use them as the mask of another comparison, which then had to wait for them.
OCIOR_INLINE std::uint64_t in_register(std::uint64_t lanes) noexcept {
    asm("" : "+r"(lanes));
    return lanes;
}

// The units behind a backslash that begins an escape: of a run of backslashes every other one does. The addition carries through each run
// (simdjson, Langdale and Lemire 2019).
OCIOR_INLINE std::uint64_t escaped_units(std::uint64_t backslashes) noexcept {
    constexpr std::uint64_t kEven = 0x5555555555555555;
    const std::uint64_t followers = backslashes << 1;
    const std::uint64_t odd_starts = backslashes & ~kEven & ~followers;
    return (kEven ^ (odd_starts + backslashes) << 1) & followers;
}

// What the letter in each lane stands for, behind a backslash. `known` are the lanes that have such a letter; the others hold anything.
#if defined(__AVX512VBMI2__)
OCIOR_INLINE Vec<std::uint8_t> meanings(Vec<std::uint8_t> letters, Mask<std::uint8_t>& known) noexcept {
    const __m512i meant = _mm512_permutex2var_epi8(_mm512_load_si512(kMeanings.of), letters.raw, _mm512_load_si512(kMeanings.of + 64));
    known.k = _mm512_test_epi8_mask(meant, meant) & ~_mm512_movepi8_mask(letters.raw);  // the look-up ignores the uppermost bits
    return {meant};
}
#else
// Indexed by the lower four bits of half a letter's value, rounded up: what the letter stands for, and the letter itself. Only b and the
// quote share an index, so the quote is tested for apart. (0xFF keeps NUL from being a letter.)
inline constexpr std::uint8_t kMeantAt[16] = {0, '\b', 0, '\f', 0, 0, 0, '\n', '/', '\r', '\t', 0, 0, 0, '\\', 0};
inline constexpr std::uint8_t kLetterAt[16] = {0xFF, 'b', 0, 'f', 0, 0, 0, 'n', '/', 'r', 't', 0, 0, 0, '\\', 0};

OCIOR_INLINE Vec<std::uint8_t> meanings(Vec<std::uint8_t> letters, Mask<std::uint8_t>& known) noexcept {
    const auto half = average(letters, Vec<std::uint8_t>::splat(0));
    const auto quotes = eq<std::uint8_t>(letters, '"');
    known = eq<std::uint8_t>(look_up(kLetterAt, half) ^ letters, 0) | quotes;
    return select(quotes, letters, look_up(kMeantAt, half));
}
#endif

template <CodeUnit U>
OCIOR_INLINE Vec<U> widen_low_lanes(Vec<std::uint8_t> v) noexcept {
    if constexpr (sizeof(U) == 2) return widen_half(v, 0);
    else return widen_half(widen_half(v, 0), 0);
}

}  // namespace detail

// A vector of units, which begin outside of an escape, with their escapes resolved.
template <CodeUnit Unit>
struct Resolved {
    Vec<Unit> units;
    Vec<std::uint8_t> lower, upper;  // the bytes of each resolved unit; a unit above 0xff that was no escape is in `units` alone
    std::uint64_t escaped;           // lanes that hold what an escape stands for
    std::uint64_t kept;              // lanes that are units of the text
    std::uint64_t stops;             // lanes of what is neither text nor an escape of that kind
    std::uint64_t marks;             // lanes above 0x7f (kUtf8), or of escaped surrogates
    std::size_t taken;               // units up to the first stop, or to an escape that the end of the vector cuts
    bool has_digits;                 // there are escapes of four digits, so `upper` may have lanes that are not zero

    // For text of bytes: the low (0) or the high (1) half of the lanes as two-byte units, and which lanes of that half are kept.
    OCIOR_INLINE Vec<std::uint16_t> words(int half) const noexcept {
        const Vec<std::uint16_t> low = widen_half(lower, half);
        return has_digits ? low | shift_left<8>(widen_half(upper, half)) : low;
    }
    OCIOR_INLINE std::uint64_t kept_of(int half) const noexcept { return kept >> kVecBytes / 2 * half & low_bits(kVecBytes / 2); }
    // For text of wider units: all lanes.
    OCIOR_INLINE Vec<Unit> wide() const noexcept {
        using Bytes = Vec<std::uint8_t>;
        const auto resolved = detail::widen_low_lanes<Unit>(lower) | shift_left<8>(detail::widen_low_lanes<Unit>(upper));
        const auto escapes = detail::widen_low_lanes<Unit>(select(byte_lanes_of(escaped), Bytes::splat(1), Bytes::splat(0)));
        return select(eq<Unit>(escapes, 1), resolved, units);
    }
};

// `special` are the lanes of bytes that may be no text, `high` those above 0x7f.
template <Unescape kHow, CodeUnit Dst, CodeUnit Unit>
OCIOR_INLINE Resolved<Unit> resolve(Vec<Unit> units, Vec<std::uint8_t> bytes, std::uint64_t special, std::uint64_t high) noexcept {
    using Bytes = Vec<std::uint8_t>;
    constexpr unsigned kLanes = Vec<Unit>::kLanes;
    constexpr std::uint64_t kAll = low_bits(kLanes);
    special = detail::in_register(special);
    const std::uint64_t backslashes = detail::in_register(eq<std::uint8_t>(bytes, '\\').lane_bits());
    const std::uint64_t escaped = detail::escaped_units(backslashes) & kAll;
    const std::uint64_t starts = backslashes & ~escaped;
    Mask<std::uint8_t> known;
    Bytes meant = detail::meanings(bytes, known);
    std::uint64_t wrong = escaped & detail::in_register(~known.lane_bits());
    std::uint64_t dropped = starts, surrogates = 0;
    std::uint64_t cut = starts & std::uint64_t{1} << (kLanes - 1);
    // An escape of four digits is kept in the lane of its u.
    Bytes upper = Bytes::splat(0);
    const std::uint64_t us = sizeof(Dst) < 4 ? escaped & detail::in_register(eq<std::uint8_t>(bytes, 'u').lane_bits()) : 0;
    if (us != 0) {
        Mask<std::uint8_t> digits;
        const Bytes nibbles = hex_values(bytes, digits);
        const Bytes pairs = Bytes{shift_left<4>(Vec<std::uint16_t>{nibbles.raw}).raw} | lanes_after<1>(nibbles);
        const Bytes value = lanes_after<3>(pairs);
        const auto at_us = byte_lanes_of(us);
        upper = select(at_us, lanes_after<1>(pairs), upper);
        meant = select(at_us, value, meant);
        const std::uint64_t others = detail::in_register(~digits.lane_bits());
        std::uint64_t unfit = others >> 1 | others >> 2 | others >> 3 | others >> 4;
        if constexpr (sizeof(Dst) > 1) surrogates = eq<std::uint8_t>(upper & Bytes::splat(0xF8), 0xD8).lane_bits();
        else unfit |= ~eq<std::uint8_t>(upper, 0).lane_bits();
        if constexpr (sizeof(Unit) > 1 || !kUtf16Escapes) unfit |= surrogates;
        if constexpr (kHow == Unescape::kUtf8) unfit |= ge<std::uint8_t>(value, 0x80).lane_bits();
        const std::uint64_t whole = kAll >> 4;
        wrong = (wrong & ~us) | (us & whole & unfit);
        cut |= (us & ~whole) >> 1;
        dropped |= us << 1 | us << 2 | us << 3 | us << 4;
    }
    const std::uint64_t stops = (special & ~backslashes & ~escaped) | wrong >> 1;
    // How many units are taken is a branch and no computation: the load of the next vector need not wait for it where it is foretold.
    std::size_t n = kLanes;
    if (us != 0) {
        if (cut != 0) n = static_cast<std::size_t>(trailing_zeros(cut));
        if (OCIOR_UNLIKELY(stops != 0)) n = static_cast<std::size_t>(trailing_zeros(stops | cut));
    } else if (OCIOR_UNLIKELY((stops | cut) != 0)) {
        n = static_cast<std::size_t>(trailing_zeros(stops | cut));
    }
    const std::uint64_t taken = low_bits(static_cast<unsigned>(n));
    return {units, select(byte_lanes_of(escaped), meant, bytes),          upper, escaped, ~dropped & taken,
            stops, (kHow == Unescape::kUtf8 ? high : surrogates) & taken, n,     us != 0};
}

// Resolves escapes in the vector of units at `p`, which begin outside of an escape. Stores one or two whole vectors at `out`.
template <Unescape kHow, CodeUnit Dst, CodeUnit Unit>
OCIOR_INLINE Unescaped unescape_block(Dst* out, const Unit* p) noexcept {
    static_assert(sizeof(Dst) >= sizeof(Unit) && (sizeof(Unit) == 1 || kHow == Unescape::kUnits) &&
                  (sizeof(Dst) == 1 || kHow != Unescape::kUtf8));
    constexpr unsigned kLanes = Vec<Unit>::kLanes;
    const auto units = Vec<Unit>::load(p);
    const auto bytes = narrow_saturated(units);
    std::uint64_t special = marked_lanes(bytes).lane_bits() & low_bits(kLanes), high = 0;
    if constexpr (kHow != Unescape::kUnits) high = ge<std::uint8_t>(bytes, 0x80).lane_bits();
    if constexpr (kHow == Unescape::kAscii) special |= high;
    if (special == 0) return store_as<Unit, Dst>(out, units), Unescaped{kLanes, kLanes, false, high != 0};
    const Resolved<Unit> r = resolve<kHow, Dst>(units, bytes, special, high);

    Dst* end = out;
    if constexpr (sizeof(Unit) == 1 && sizeof(Dst) == 1) {
        end = store_kept_loosely<std::uint8_t, std::uint8_t>(out, r.lower, r.kept);
    } else if constexpr (sizeof(Unit) == 1) {
        end = store_kept_loosely<std::uint16_t, Dst>(out, r.words(0), r.kept_of(0));
        if (r.taken > kLanes / 2) end = store_kept_loosely<std::uint16_t, Dst>(end, r.words(1), r.kept_of(1));
    } else {
        end = store_kept_loosely<Unit, Dst>(out, r.wide(), r.kept);
    }
    return {r.taken, static_cast<std::size_t>(end - out), r.stops != 0, r.marks != 0};
}

// Ten escapes of four digits that follow one another: all of the 60 bytes at p. Stores 32 units, the first ten of which count. False where
// anything else is among them. `surrogates`: whether one of the ten is a surrogate.
inline constexpr std::size_t kHexRunChars = 10;
#if defined(__AVX512VBMI2__)
OCIOR_INLINE bool unescape_hex_run(std::uint16_t* out, const std::uint8_t* p, bool& surrogates) noexcept {
    static constexpr auto kTake = [] {
        detail::ByteTable<128> t;  // the lower digit of each byte of a unit; then the upper digits
        for (unsigned i = 0; i < 20; ++i) {
            t.at[i] = static_cast<std::uint8_t>(i / 2 * 6 + (i % 2 == 0 ? 5 : 3));
            t.at[64 + i] = static_cast<std::uint8_t>(t.at[i] - 1);
        }
        return t;
    }();
    static constexpr auto kPrefixes = [] {
        detail::ByteTable<64> t;
        for (unsigned i = 0; i < 60; ++i) t.at[i] = i % 6 == 0 ? '\\' : 'u';
        return t;
    }();
    constexpr std::uint64_t kAll = low_bits(60), kPrefixed = 0xC30C30C30C30C3;
    const Vec<std::uint8_t> bytes = Vec<std::uint8_t>::load(p);
    Mask<std::uint8_t> digits;
    const __m512i nibbles = hex_values(bytes, digits).raw;
    const __m512i low = _mm512_maskz_permutexvar_epi8(low_bits(20), detail::table(kTake), nibbles);
    const __m512i high = _mm512_maskz_permutexvar_epi8(low_bits(20), detail::table(kTake, 64), nibbles);
    const __m512i units = _mm512_or_si512(low, _mm512_slli_epi16(high, 4));
    _mm512_storeu_si512(out, units);
    const std::uint64_t prefixes = _mm512_cmpeq_epi8_mask(bytes.raw, detail::table(kPrefixes));
    surrogates = _mm512_cmpeq_epi16_mask(_mm512_and_si512(units, _mm512_set1_epi16(static_cast<short>(0xF800))),
                                         _mm512_set1_epi16(static_cast<short>(0xD800))) != 0;
    return ((prefixes & kPrefixed) | (digits.k & ~kPrefixed & kAll)) == kAll;
}
#else
bool unescape_hex_run(std::uint16_t* out, const std::uint8_t* p, bool& surrogates) noexcept;
#endif

// Stores the n units at p as code points, in whole vectors: surrogates that make a pair are joined, lone ones stay. The unit behind the n
// is no low surrogate, and two vectors behind it are readable.
OCIOR_INLINE std::uint32_t* join_surrogates(std::uint32_t* out, const std::uint16_t* p, std::size_t n) noexcept {
    using V = Vec<std::uint32_t>;
    constexpr std::size_t kLanes = V::kLanes;
    std::uint64_t joined = 0;  // the first unit is the second half of a pair
    for (std::size_t i = 0; i < n; i += kLanes) {
        const V first = load_widened<std::uint32_t>(p + i), second = load_widened<std::uint32_t>(p + i + 1);
        const auto pairs = eq<std::uint32_t>(first & V::splat(0xFC00), 0xD800) & eq<std::uint32_t>(second & V::splat(0xFC00), 0xDC00);
        const V both = shift_left<10>(first & V::splat(0x3FF)) | (second & V::splat(0x3FF));
        const std::uint64_t followers = pairs.lane_bits() << 1 | joined;
        joined = followers >> kLanes;
        const std::size_t left = n - i;
        out = store_kept_loosely<std::uint32_t, std::uint32_t>(out, select(pairs, add(both, V::splat(0x10000)), first),
                                                               ~followers & low_bits(static_cast<unsigned>(left < kLanes ? left : kLanes)));
    }
    return out;
}

}  // namespace ocior::simd
