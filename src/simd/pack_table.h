// Variable-length output for ports without a compress instruction: per 8 or 16 bytes one shuffle from a table, indexed by the lanes' mask.
// The same primitives as pack_avx512.h, written over the port's Bytes16.
#pragma once

#include "simd/pack_tables.h"

// The port's header has been included: Vec, Mask, Bytes16, part(v, i), from_parts<U>(...).

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

// The first n lanes (1 <= n), those in `prefixed` (no bit at or above n) behind the unit that `prefix` holds for them. 16 bytes of
// source units, converted, are stored at a time.
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

// The used bytes of the first n lanes: the last ones of each lane; the three masks say which lanes use at least two, three and four.
OCIOR_INLINE std::uint8_t* store_used_bytes(std::uint8_t* out, Vec<std::uint32_t> v, Mask<std::uint32_t> two, Mask<std::uint32_t> three,
                                            Mask<std::uint32_t> four, std::size_t n) noexcept {
    const auto& table = detail::kUsedBytes;
    std::uint64_t m2 = two.lane_bits(), m3 = three.lane_bits(), m4 = four.lane_bits();
    const std::uint64_t valid = low_bits(static_cast<unsigned>(n));
    m2 &= valid, m3 &= valid, m4 &= valid;  // lanes past n then count one byte each
    for (std::size_t i = 0; i < detail::kParts; ++i) {
        const unsigned index = table.spread[m2 >> 4 * i & 15] + table.spread[m3 >> 4 * i & 15] + table.spread[m4 >> 4 * i & 15];
        store16(out, lookup16(part(v, i), detail::shuffle(table.at[index])));
        out += table.count[index];
        if (n <= 4 * (i + 1)) return out - (4 * (i + 1) - n);
    }
    return out;
}

// The first n lanes, each of three bytes in UTF-8.
OCIOR_INLINE std::uint8_t* store_utf8_run(std::uint8_t* out, Vec<std::uint16_t> v, std::size_t n) noexcept {
    for (std::size_t i = 0; i < detail::kParts && n > 8 * i; ++i) store_utf8_run8(out + 24 * i, part(v, i));
    return out + 3 * n;
}

// The first n lanes as \uxxxx.
OCIOR_INLINE std::uint8_t* store_hex_run(std::uint8_t* out, Vec<std::uint16_t> v, std::size_t n) noexcept {
    for (std::size_t i = 0; i < detail::kParts && n > 8 * i; ++i) store_hex_run8(out + 48 * i, part(v, i));
    return out + 6 * n;
}

// The first n lanes: those in `hexed` as \uxxxx, those in `prefixed` behind a backslash, the others as they are. Two units per shuffle.
OCIOR_INLINE std::uint8_t* store_ascii_mix(std::uint8_t* out, Vec<std::uint16_t> v, std::uint64_t prefixed, std::uint64_t hexed, std::size_t n) noexcept {
    const auto& table = detail::kAsciiMix;
    alignas(16) static constexpr std::uint8_t kMarks[16] = {'\\', 'u', 0, 0, 0, 0, 0, 0, '\\', 'u'};
    const Bytes16 marks = load16(kMarks);
    const Vec<std::uint16_t> hex_lanes = lanes_of(hexed);
    for (std::size_t i = 0; i < detail::kParts; ++i) {
        Bytes16 four[2];
        digits_or_units8(part(v, i), part(hex_lanes, i), four[0], four[1]);
        for (std::size_t j = 0; j < 4; ++j) {
            const Bytes16 two = j % 2 == 0 ? low_halves(four[j / 2], marks) : high_halves(four[j / 2], marks);
            const std::size_t lane = 8 * i + 2 * j;
            const unsigned index = (prefixed >> lane & 3) | (hexed >> lane & 3) << 2;
            store16(out, lookup16(two, detail::shuffle(table.at[index])));
            out += table.count[index];
            if (n <= lane + 2) return out - (lane + 2 - n);
        }
    }
    return out;
}

// UTF-16 of the first n lanes. Writes whole vectors.
OCIOR_INLINE std::uint16_t* store_utf16(std::uint16_t* out, Vec<std::uint32_t> v, std::size_t n) noexcept {
    const std::uint64_t pairs = ge<std::uint32_t>(v, 0x10000).lane_bits() & low_bits(static_cast<unsigned>(n));
    for (std::size_t i = 0; i < detail::kParts; ++i) {
        const auto m = static_cast<unsigned>(pairs >> 4 * i) & 15;
        store16(out, lookup16(utf16_lanes(part(v, i)), detail::shuffle(detail::kUtf16.at[m])));
        out += 4 + count_bits(m);
        if (n <= 4 * (i + 1)) return out - (4 * (i + 1) - n);
    }
    return out;
}

// store_kept and store_first write whole groups: the end of an output of exact size needs care.
inline constexpr bool kExactStores = false;

template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_first(Dst* out, Vec<Src> v, std::size_t n) noexcept {
    store_as<Src, Dst>(out, v, n);
    return out + n;
}

// A short copy without a call: 16 bytes at a time, the last ones overlapping.
OCIOR_INLINE void copy_exact(void* dst, const void* src, std::size_t byte_len) noexcept {
    auto* to = static_cast<std::uint8_t*>(dst);
    const auto* from = static_cast<const std::uint8_t*>(src);
    if (byte_len >= 16) {
        for (std::size_t i = 0; i < byte_len - 16; i += 16) store16(to + i, load16(from + i));
        store16(to + byte_len - 16, load16(from + byte_len - 16));
    } else if (byte_len >= 8) {
        const auto head = load<std::uint64_t>(from), tail = load<std::uint64_t>(from + byte_len - 8);
        store(to, head);
        store(to + byte_len - 8, tail);
    } else if (byte_len >= 4) {
        const auto head = load<std::uint32_t>(from), tail = load<std::uint32_t>(from + byte_len - 4);
        store(to, head);
        store(to + byte_len - 4, tail);
    } else if (byte_len > 0) {
        const std::uint8_t first = from[0], middle = from[byte_len / 2], end = from[byte_len - 1];
        to[0] = first;
        to[byte_len / 2] = middle;
        to[byte_len - 1] = end;
    }
}

// The lanes in `kept`, converted to Dst; whole groups are written.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE Dst* store_kept(Dst* out, Vec<Src> v, std::uint64_t kept) noexcept {
    if constexpr (sizeof(Src) == 1) {
        for (std::size_t i = 0; i < 2 * detail::kParts; ++i) {
            const auto m = static_cast<std::uint8_t>(kept >> 8 * i);
            const Bytes16 bytes = part(v, i / 2);
            const Bytes16 group = i % 2 == 0 ? bytes : high_halves(bytes, bytes);
            store_widened<Src, Dst>(out, lookup16(group, load8(detail::kKeepBytes.at[m])));
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

}  // namespace ocior::simd
