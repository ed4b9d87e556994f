// Output of variable length for ports without a compress instruction: for 8 or 16 bytes at a time a shuffle from a table, by the mask of
// their lanes. What the primitives do is said in pack_avx512.h; here they are written over the port's Bytes16.
#pragma once

// The port's header has been included: Vec, Mask, Bytes16, part(v, i).
#include "simd/shuffle_tables.h"

namespace ocior::simd {

namespace detail {

inline constexpr std::size_t kParts = kVecBytes / 16;

OCIOR_INLINE Bytes16 shuffle(const Shuffle& s) noexcept { return load16(s.from); }

}  // namespace detail

template <CodeUnit U>
OCIOR_INLINE Vec<U> short_forms(Vec<U> v) noexcept {
    const Mask<U> controls = lt<U>(v, 0x20);
    return select(controls, short_letters(v), v);
}

// What is stored at a time are 16 bytes of units and prefixes, or more where Dst is wider.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_prefixed(Dst* out, Vec<Src> unit, Vec<Src> prefix, std::uint64_t prefixed, std::size_t n) noexcept {
    if constexpr (sizeof(Dst) < sizeof(Src)) {
        static_assert(sizeof(Src) == 2);
        for (std::size_t i = 0; i < detail::kParts; ++i) {
            const auto m = static_cast<std::uint8_t>(prefixed >> 8 * i);
            const Bytes16 both = pack_words(part(unit, i), part(prefix, i));
            store16(out, lookup16(both, detail::shuffle(detail::kExpand<1>.at[m])));
            out += 8 + count_bits(m);
            if (n <= 8 * (i + 1)) return out - (8 * (i + 1) - n);
        }
        return out;
    } else {
        constexpr unsigned kGroup = 8 / sizeof(Src);
        for (std::size_t i = 0; i < 2 * detail::kParts; ++i) {
            const auto m = static_cast<unsigned>(prefixed >> kGroup * i) & ((1u << kGroup) - 1);
            const Bytes16 u = part(unit, i / 2), p = part(prefix, i / 2);
            const Bytes16 both = i % 2 == 0 ? low_halves(u, p) : high_halves(u, p);
            store_widened<Src, Dst>(out, lookup16(both, detail::shuffle(detail::kExpand<sizeof(Src)>.at[m])));
            out += kGroup + count_bits(m);
            if (n <= kGroup * (i + 1)) return out - (kGroup * (i + 1) - n);
        }
        return out;
    }
}

// Each lane becomes its four bytes, the lead byte lowest, the unused ones before it; then the used ones move together.
//   c       000aaabb bbbbcccc ccdddddd
//   fields  00dddddd 00cccccc 00bbbbbb 00000aaa
template <bool kMarks>
OCIOR_INLINE std::uint8_t* store_utf8(std::uint8_t* out, Vec<std::uint32_t> c, Vec<std::uint32_t> one, Mask<std::uint32_t> marks,
                                      std::size_t n) noexcept {
    using V = Vec<std::uint32_t>;
    auto two = ge<std::uint32_t>(c, 0x80);
    const auto three = ge<std::uint32_t>(c, 0x800), four = ge<std::uint32_t>(c, 0x10000);
    const V fields = shift_right<18>(c) | (shift_right<4>(c) & V::splat(0x3F00)) | (shift_left<10>(c) & V::splat(0x3F0000)) |
                     (shift_left<24>(c) & V::splat(0x3F000000));
    const V marker = select(four, V::splat(0x808080F0), select(three, V::splat(0x8080E000), V::splat(0x80C00000)));
    V single = shift_left<24>(one);
    if constexpr (kMarks) single = single | select(marks, V::splat('\\' << 16), V::splat(0));
    const V bytes = select(two, fields | marker, single);
    if constexpr (kMarks) two = two | marks;

    const auto& table = detail::kUsedBytes;
    const std::uint64_t valid = low_bits(static_cast<unsigned>(n));  // lanes past n count one byte each
    const std::uint64_t m2 = two.lane_bits() & valid, m3 = three.lane_bits() & valid, m4 = four.lane_bits() & valid;
    for (std::size_t i = 0; i < detail::kParts; ++i) {
        const unsigned index = table.spread[m2 >> 4 * i & 15] + table.spread[m3 >> 4 * i & 15] + table.spread[m4 >> 4 * i & 15];
        store16(out, lookup16(part(bytes, i), detail::shuffle(table.at[index])));
        out += table.count[index];
        if (n <= 4 * (i + 1)) return out - (4 * (i + 1) - n);
    }
    return out;
}

OCIOR_INLINE std::uint8_t* store_utf8_run(std::uint8_t* out, Vec<std::uint16_t> v, std::size_t n) noexcept {
    if (n == Vec<std::uint16_t>::kLanes) store_utf8_units(out, v.raw);
    else
        for (std::size_t i = 0; i < detail::kParts && n > 8 * i; ++i) store_utf8_units(out + 24 * i, part(v, i));
    return out + 3 * n;
}

OCIOR_INLINE std::uint8_t* store_hex_run(std::uint8_t* out, Vec<std::uint16_t> v, std::size_t n) noexcept {
    for (std::size_t i = 0; i < detail::kParts && n > 8 * i; ++i) store_hex_run8(out + 48 * i, part(v, i));
    return out + 6 * n;
}

// Two units for each shuffle.
OCIOR_INLINE std::uint8_t* store_ascii_mix(std::uint8_t* out, Vec<std::uint16_t> v, std::uint64_t prefixed, std::uint64_t hexed,
                                           std::size_t n) noexcept {
    const auto& table = detail::kAsciiMix;
    alignas(16) static constexpr std::uint8_t kPrefixes[16] = {'\\', 'u', 0, 0, 0, 0, 0, 0, '\\', 'u'};
    const Bytes16 prefixes = load16(kPrefixes);
    const Vec<std::uint16_t> hex_lanes = filled_lanes(hexed);
    const auto pairs_apart = [](unsigned m) {  // 76543210 -> ..76..54..32..10
        m = (m | m << 4) & 0x0F0F;
        return (m | m << 2) & 0x3333;
    };
    for (std::size_t i = 0; i < detail::kParts; ++i) {
        Bytes16 four[2];
        digits_or_units8(part(v, i), part(hex_lanes, i), four[0], four[1]);
        const unsigned index = pairs_apart(prefixed >> 8 * i & 0xFF) | pairs_apart(hexed >> 8 * i & 0xFF) << 2;
        const auto put = [&](Bytes16 two, unsigned entry) {
            store16(out, lookup16(two, detail::shuffle(table.at[entry])));
            out += table.count[entry];
        };
        put(low_halves(four[0], prefixes), index & 15);
        put(high_halves(four[0], prefixes), index >> 4 & 15);
        if (n > 8 * i + 4) {
            put(low_halves(four[1], prefixes), index >> 8 & 15);
            put(high_halves(four[1], prefixes), index >> 12);
            if (n <= 8 * (i + 1)) return out - (8 * (i + 1) - n);
        } else {
            return out - (8 * i + 4 - n);
        }
    }
    return out;
}

template <typename Write>
OCIOR_INLINE void each_utf16(Vec<std::uint32_t> a, Vec<std::uint32_t> b, std::size_t n, Write write) noexcept {
    constexpr std::size_t kLanes = Vec<std::uint32_t>::kLanes;
    const std::uint64_t pairs = (ge<std::uint32_t>(a, 0x10000).lane_bits() | ge<std::uint32_t>(b, 0x10000).lane_bits() << kLanes) &
                                low_bits(static_cast<unsigned>(n));
    std::uint16_t units[4 * kLanes + 3 * Vec<std::uint16_t>::kLanes];  // room for whole stores and loads
    std::size_t count = 0;
    for (std::size_t i = 0; i < 2 * detail::kParts; ++i) {
        const auto m = static_cast<unsigned>(pairs >> 4 * i) & 15;
        const Bytes16 code_points = i < detail::kParts ? part(a, i) : part(b, i - detail::kParts);
        store16(units + count, lookup16(utf16_lanes(code_points), detail::shuffle(detail::kUtf16.at[m])));
        count += 4 + count_bits(m);
        if (n <= 4 * (i + 1)) {
            count -= 4 * (i + 1) - n;
            break;
        }
    }
    constexpr std::size_t kStep = Vec<std::uint16_t>::kLanes;
    for (std::size_t i = 0; i < count; i += kStep) write(Vec<std::uint16_t>::load(units + i), count - i < kStep ? count - i : kStep);
}

// store_kept and store_first write whole groups of lanes, so the end of an output of exact size needs care.
inline constexpr bool kExactStores = false;

template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_first(Dst* out, Vec<Src> v, std::size_t n) noexcept {
    store_as<Src, Dst>(out, v, n);
    return out + n;
}

// 8 bytes of lanes are a group, or 16 where the units have more than one byte.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_kept(Dst* out, Vec<Src> v, std::uint64_t kept) noexcept {
    if constexpr (sizeof(Src) == 1) {
        for (std::size_t i = 0; i < 2 * detail::kParts; ++i) {
            const auto m = static_cast<std::uint8_t>(kept >> 8 * i);
            const Bytes16 bytes = part(v, i / 2);
            const Bytes16 group = i % 2 == 0 ? bytes : high_halves(bytes, bytes);
            static_assert(sizeof(Dst) == 1);
            store8(out, lookup16(group, load8(detail::kKeepBytes.at[m])));
            out += detail::kKeepBytes.count[m];
        }
    } else {
        constexpr unsigned kGroup = 16 / sizeof(Src);
        for (std::size_t i = 0; i < detail::kParts; ++i) {
            const auto m = static_cast<unsigned>(kept >> kGroup * i) & ((1u << kGroup) - 1);
            store_widened<Src, Dst>(out, lookup16(part(v, i), detail::shuffle(detail::kKeep<sizeof(Src)>.at[m])));
            out += detail::kKeepBytes.count[m];
        }
    }
    return out;
}

template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_kept_loosely(Dst* out, Vec<Src> v, std::uint64_t kept) noexcept {
    return store_kept<Src, Dst>(out, v, kept);
}

template <CodeUnit U>
Vec<U> kept_lanes(Vec<U> v, std::uint64_t kept) noexcept;  // defined in pack_avx512.h alone

// Stores the four characters of four bytes each at p. False, and nothing stored, where one is anything else.
OCIOR_INLINE bool load_utf8_quads_to(std::uint32_t* out, const std::uint8_t* p) noexcept {
    Bytes16 code_points;
    if (!load_utf8_quads(p, code_points)) return false;
    store16(out, code_points);
    return true;
}

inline constexpr bool kGathersCharacters = false;
bool store_characters(std::uint32_t*& out, Vec<std::uint8_t> v, std::uint64_t begins) noexcept;  // defined in pack_avx512.h alone

}  // namespace ocior::simd
