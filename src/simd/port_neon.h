// NEON (aarch64): 16-byte vectors, masks as vectors; a mask becomes 4 bits per byte by one narrowing shift.
#pragma once

#include <arm_neon.h>

#include "base/bits.h"
#include "base/config.h"
#include "simd/overread.h"

namespace ocior::simd {

inline constexpr std::size_t kVecBytes = 16;

template <CodeUnit U>
struct Mask {
    uint8x16_t raw;
    using Bits = std::uint64_t;
    static constexpr unsigned kBitsPerLane = 4 * sizeof(U);
    static constexpr Bits kAll = ~0ull;
    // The narrowing shift keeps the middle nibbles of each 16-bit pair of bytes
    // (idea: D. Kutenin, "Porting x86 vector bitmask optimizations to Arm NEON").
    OCIOR_INLINE Bits bits() const noexcept { return vget_lane_u64(vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(raw), 4)), 0); }
    OCIOR_INLINE bool any() const noexcept { return bits() != 0; }
    OCIOR_INLINE bool none() const noexcept { return bits() == 0; }
    OCIOR_INLINE unsigned first() const noexcept { return trailing_zeros(bits()) / (4 * sizeof(U)); }
    OCIOR_INLINE std::uint64_t lane_bits() const noexcept {
        if constexpr (sizeof(U) == 1) {
            const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
            const uint8x16_t bits = vandq_u8(raw, weights);
            return vaddv_u8(vget_low_u8(bits)) | static_cast<std::uint64_t>(vaddv_u8(vget_high_u8(bits))) << 8;
        } else if constexpr (sizeof(U) == 2) {
            const uint16x8_t weights = {1, 2, 4, 8, 16, 32, 64, 128};
            return vaddvq_u16(vandq_u16(vreinterpretq_u16_u8(raw), weights));
        } else {
            const uint32x4_t weights = {1, 2, 4, 8};
            return vaddvq_u32(vandq_u32(vreinterpretq_u32_u8(raw), weights));
        }
    }
    friend OCIOR_INLINE Mask operator|(Mask a, Mask b) noexcept { return {vorrq_u8(a.raw, b.raw)}; }
    friend OCIOR_INLINE Mask operator&(Mask a, Mask b) noexcept { return {vandq_u8(a.raw, b.raw)}; }
};

OCIOR_OVERREAD uint8x16_t load_beyond(const void* p) noexcept { return vld1q_u8(static_cast<const std::uint8_t*>(p)); }

// Loads the byte_len bytes at a page's end, behind which nothing may be readable, by way of a buffer: rare.
OCIOR_NOINLINE inline uint8x16_t load_at_page_end(const void* p, std::size_t byte_len) noexcept {
    alignas(16) std::uint8_t copy[16] = {};
    std::memcpy(copy, p, byte_len);
    return vld1q_u8(copy);
}

template <CodeUnit U>
struct Vec {
    static constexpr std::size_t kLanes = kVecBytes / sizeof(U);
    uint8x16_t raw;

    static OCIOR_INLINE Vec load(const void* p) noexcept { return {vld1q_u8(static_cast<const std::uint8_t*>(p))}; }
    static OCIOR_INLINE Vec load_upto(const U* p, std::size_t n) noexcept {
        if (OCIOR_LIKELY(within_page(p, kVecBytes))) return {load_beyond(p)};
        return {load_at_page_end(p, n * sizeof(U))};
    }
    static OCIOR_INLINE Vec splat(U u) noexcept {
        if constexpr (sizeof(U) == 1) return {vdupq_n_u8(u)};
        else if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vdupq_n_u16(u))};
        else return {vreinterpretq_u8_u32(vdupq_n_u32(u))};
    }
    OCIOR_INLINE void store(void* p) const noexcept { vst1q_u8(static_cast<std::uint8_t*>(p), raw); }
    OCIOR_INLINE uint16x8_t words() const noexcept { return vreinterpretq_u16_u8(raw); }
    OCIOR_INLINE uint32x4_t dwords() const noexcept { return vreinterpretq_u32_u8(raw); }
    // The first n lanes; the others become zero.
    OCIOR_INLINE Vec keep_first(std::size_t n) const noexcept {
        const uint8x16_t place = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        return {vandq_u8(raw, vcltq_u8(place, vdupq_n_u8(static_cast<std::uint8_t>(n * sizeof(U)))))};
    }
    friend OCIOR_INLINE Vec operator|(Vec a, Vec b) noexcept { return {vorrq_u8(a.raw, b.raw)}; }
    friend OCIOR_INLINE Vec operator&(Vec a, Vec b) noexcept { return {vandq_u8(a.raw, b.raw)}; }
    friend OCIOR_INLINE Vec operator^(Vec a, Vec b) noexcept { return {veorq_u8(a.raw, b.raw)}; }
};

template <int kBits, CodeUnit U>
    requires(sizeof(U) > 1)
OCIOR_INLINE Vec<U> shift_left(Vec<U> v) noexcept {
    if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vshlq_n_u16(v.words(), kBits))};
    else return {vreinterpretq_u8_u32(vshlq_n_u32(v.dwords(), kBits))};
}
template <int kBits, CodeUnit U>
    requires(sizeof(U) > 1)
OCIOR_INLINE Vec<U> shift_right(Vec<U> v) noexcept {
    if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vshrq_n_u16(v.words(), kBits))};
    else return {vreinterpretq_u8_u32(vshrq_n_u32(v.dwords(), kBits))};
}
template <CodeUnit U>
OCIOR_INLINE Vec<U> select(Mask<U> m, Vec<U> yes, Vec<U> no) noexcept {
    return {vbslq_u8(m.raw, yes.raw, no.raw)};
}

template <CodeUnit U>
OCIOR_INLINE Vec<U> min(Vec<U> a, Vec<U> b) noexcept {
    if constexpr (sizeof(U) == 1) return {vminq_u8(a.raw, b.raw)};
    else if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vminq_u16(a.words(), b.words()))};
    else return {vreinterpretq_u8_u32(vminq_u32(a.dwords(), b.dwords()))};
}
OCIOR_INLINE Vec<std::uint8_t> subtract_saturated(Vec<std::uint8_t> a, Vec<std::uint8_t> b) noexcept { return {vqsubq_u8(a.raw, b.raw)}; }
OCIOR_INLINE Vec<std::uint32_t> add(Vec<std::uint32_t> a, Vec<std::uint32_t> b) noexcept {
    return {vreinterpretq_u8_u32(vaddq_u32(a.dwords(), b.dwords()))};
}

template <CodeUnit U>
OCIOR_INLINE Mask<U> eq(Vec<U> v, U u) noexcept {
    if constexpr (sizeof(U) == 1) return {vceqq_u8(v.raw, vdupq_n_u8(u))};
    else if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vceqq_u16(v.words(), vdupq_n_u16(u)))};
    else return {vreinterpretq_u8_u32(vceqq_u32(v.dwords(), vdupq_n_u32(u)))};
}
template <CodeUnit U>
OCIOR_INLINE Mask<U> lt(Vec<U> v, U u) noexcept {
    if constexpr (sizeof(U) == 1) return {vcltq_u8(v.raw, vdupq_n_u8(u))};
    else if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vcltq_u16(v.words(), vdupq_n_u16(u)))};
    else return {vreinterpretq_u8_u32(vcltq_u32(v.dwords(), vdupq_n_u32(u)))};
}
template <CodeUnit U>
OCIOR_INLINE Mask<U> ge(Vec<U> v, U u) noexcept {
    if constexpr (sizeof(U) == 1) return {vcgeq_u8(v.raw, vdupq_n_u8(u))};
    else if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vcgeq_u16(v.words(), vdupq_n_u16(u)))};
    else return {vreinterpretq_u8_u32(vcgeq_u32(v.dwords(), vdupq_n_u32(u)))};
}
OCIOR_INLINE Mask<std::uint8_t> lt_signed(Vec<std::uint8_t> v, std::int8_t i) noexcept {
    return {vcltq_s8(vreinterpretq_s8_u8(v.raw), vdupq_n_s8(i))};
}

// A vector of kLanes units, read from narrower ones.
template <CodeUnit U, CodeUnit Src>
OCIOR_INLINE Vec<U> load_widened(const Src* p) noexcept {
    if constexpr (sizeof(U) == sizeof(Src)) return Vec<U>::load(p);
    else if constexpr (sizeof(U) == 2) return {vreinterpretq_u8_u16(vmovl_u8(vld1_u8(p)))};
    else if constexpr (sizeof(Src) == 1) {
        const uint8x8_t bytes = vreinterpret_u8_u32(vdup_n_u32(load<std::uint32_t>(p)));
        return {vreinterpretq_u8_u32(vmovl_u16(vget_low_u16(vmovl_u8(bytes))))};
    } else return {vreinterpretq_u8_u32(vmovl_u16(vld1_u16(p)))};
}

// The low half (i = 0) or the high half (i = 1) of the lanes, twice as wide.
OCIOR_INLINE Vec<std::uint16_t> widen_half(Vec<std::uint8_t> v, int i) noexcept {
    return {vreinterpretq_u8_u16(i == 0 ? vmovl_u8(vget_low_u8(v.raw)) : vmovl_high_u8(v.raw))};
}
OCIOR_INLINE Vec<std::uint32_t> widen_half(Vec<std::uint16_t> v, int i) noexcept {
    return {vreinterpretq_u8_u32(i == 0 ? vmovl_u16(vget_low_u16(v.words())) : vmovl_high_u16(v.words()))};
}

// Stores lanes as units of out: whole vectors, until the first n lanes are out.
template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void store_as(Dst* out, Vec<Src> v, std::size_t n = Vec<Src>::kLanes) noexcept {
    if constexpr (sizeof(Src) == sizeof(Dst)) {
        v.store(out);
    } else if constexpr (sizeof(Src) == 1) {
        const uint16x8_t low = vmovl_u8(vget_low_u8(v.raw));
        const uint16x8_t high = vmovl_high_u8(v.raw);
        if constexpr (sizeof(Dst) == 2) {
            vst1q_u16(out, low);
            if (n > 8) vst1q_u16(out + 8, high);
        } else {
            vst1q_u32(out, vmovl_u16(vget_low_u16(low)));
            if (n > 4) vst1q_u32(out + 4, vmovl_high_u16(low));
            if (n > 8) vst1q_u32(out + 8, vmovl_u16(vget_low_u16(high)));
            if (n > 12) vst1q_u32(out + 12, vmovl_high_u16(high));
        }
    } else if constexpr (sizeof(Src) == 2 && sizeof(Dst) == 4) {
        vst1q_u32(out, vmovl_u16(vget_low_u16(v.words())));
        if (n > 4) vst1q_u32(out + 4, vmovl_high_u16(v.words()));
    } else if constexpr (sizeof(Src) == 2) {
        vst1_u8(out, vqmovn_u16(v.words()));
    } else {
        const uint16x4_t words = vqmovn_u32(v.dwords());
        if constexpr (sizeof(Dst) == 2) vst1_u16(out, words);
        else store(out, vget_lane_u32(vreinterpret_u32_u8(vqmovn_u16(vcombine_u16(words, words))), 0));
    }
}

using Bytes16 = uint8x16_t;

template <CodeUnit U>
OCIOR_INLINE Bytes16 part(Vec<U> v, std::size_t) noexcept {
    return v.raw;
}
OCIOR_INLINE Bytes16 load16(const void* p) noexcept { return vld1q_u8(static_cast<const std::uint8_t*>(p)); }
OCIOR_INLINE Bytes16 load8(const void* p) noexcept { return vcombine_u8(vld1_u8(static_cast<const std::uint8_t*>(p)), vdup_n_u8(0)); }
OCIOR_INLINE void store16(void* p, Bytes16 x) noexcept { vst1q_u8(static_cast<std::uint8_t*>(p), x); }
OCIOR_INLINE void store8(void* p, Bytes16 x) noexcept { vst1_u8(static_cast<std::uint8_t*>(p), vget_low_u8(x)); }
OCIOR_INLINE Bytes16 lookup16(Bytes16 table, Bytes16 index) noexcept { return vqtbl1q_u8(table, index); }
// The low 8 bytes of a and of b; the high 8 bytes of a and of b.
OCIOR_INLINE Bytes16 low_halves(Bytes16 a, Bytes16 b) noexcept {
    return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}
OCIOR_INLINE Bytes16 high_halves(Bytes16 a, Bytes16 b) noexcept {
    return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}
// The 16-bit lanes of a and of b, all below 0x100, as bytes.
OCIOR_INLINE Bytes16 pack_words(Bytes16 a, Bytes16 b) noexcept { return vuzp1q_u8(a, b); }
// The bits that are set in one byte: aarch64 has no population count of general registers.
OCIOR_INLINE unsigned count_bits(std::uint64_t byte) noexcept {
    byte -= byte >> 1 & 0x55;
    byte = (byte & 0x33) + (byte >> 2 & 0x33);
    return static_cast<unsigned>((byte + (byte >> 4)) & 15);
}

template <CodeUnit Src, CodeUnit Dst>
OCIOR_INLINE void store_widened(Dst* out, Bytes16 x) noexcept {
    store_as<Src, Dst>(out, Vec<Src>{x});
}

// The letter of a short escape for each byte that is a control character with one, 0 for all other bytes.
template <CodeUnit U>
OCIOR_INLINE Vec<U> short_letters(Vec<U> v) noexcept {
    const uint8x16_t letters = {0, 0, 0, 0, 0, 0, 0, 0, 'b', 't', 'n', 0, 'f', 'r', 0, 0};
    return {vqtbl1q_u8(letters, v.raw)};
}

// 16-bit lanes, all bits of which are set where the lane's bit in `bits` is, else none.
OCIOR_INLINE Vec<std::uint16_t> filled_lanes(std::uint64_t bits) noexcept {
    const uint16x8_t weights = {1, 2, 4, 8, 16, 32, 64, 128};
    return {vreinterpretq_u8_u16(vtstq_u16(vdupq_n_u16(static_cast<std::uint16_t>(bits)), weights))};
}

// The mask of the bytes whose bit in `bits` is set.
OCIOR_INLINE Mask<std::uint8_t> byte_lanes_of(std::uint64_t bits) noexcept {
    const uint8x16_t weights = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t spread = vcombine_u8(vdup_n_u8(static_cast<std::uint8_t>(bits)), vdup_n_u8(static_cast<std::uint8_t>(bits >> 8)));
    return {vtstq_u8(spread, weights)};
}

// The entry of the table that the lower four bits of a lane number; 0 where the lane's uppermost bit is set.
OCIOR_INLINE Vec<std::uint8_t> look_up(const std::uint8_t (&table)[16], Vec<std::uint8_t> v) noexcept {
    return {vqtbl1q_u8(vld1q_u8(table), vandq_u8(v.raw, vdupq_n_u8(0x8F)))};
}
// The mean of two lanes, rounded up.
OCIOR_INLINE Vec<std::uint8_t> average(Vec<std::uint8_t> a, Vec<std::uint8_t> b) noexcept { return {vrhaddq_u8(a.raw, b.raw)}; }

// The values of hexadecimal digits, in the lanes of `digits`. The other lanes hold 15 at most.
OCIOR_INLINE Vec<std::uint8_t> hex_values(Vec<std::uint8_t> v, Mask<std::uint8_t>& digits) noexcept {
    const uint8x16_t decimal = vsubq_u8(v.raw, vdupq_n_u8('0'));
    const uint8x16_t letter = vsubq_u8(vandq_u8(v.raw, vdupq_n_u8(0xDF)), vdupq_n_u8('A'));
    const uint8x16_t is_letter = vcltq_u8(letter, vdupq_n_u8(6));
    digits.raw = vorrq_u8(is_letter, vcltq_u8(decimal, vdupq_n_u8(10)));
    return {vandq_u8(vbslq_u8(is_letter, vaddq_u8(letter, vdupq_n_u8(10)), decimal), vdupq_n_u8(15))};
}

// Lane i takes lane i + k; the last k lanes become zero.
template <int k>
OCIOR_INLINE Vec<std::uint8_t> lanes_after(Vec<std::uint8_t> v) noexcept {
    return {vextq_u8(v.raw, vdupq_n_u8(0), k)};
}

// Units as bytes in the low lanes, 0xFF in the place of those that are larger; the other lanes are zero.
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint8_t> v) noexcept { return v; }
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint16_t> v) noexcept {
    return {vcombine_u8(vqmovn_u16(v.words()), vdup_n_u8(0))};
}
OCIOR_INLINE Vec<std::uint8_t> narrow_saturated(Vec<std::uint32_t> v) noexcept {
    return narrow_saturated(Vec<std::uint16_t>{vreinterpretq_u8_u16(vcombine_u16(vqmovn_u32(v.dwords()), vdup_n_u16(0)))});
}

// 8 units that take three bytes each in UTF-8: 24 bytes.
OCIOR_INLINE void store_utf8_units(std::uint8_t* out, Bytes16 units) noexcept {
    const uint16x8_t u = vreinterpretq_u16_u8(units);
    const uint8x8_t tail = vdup_n_u8(0x3F), mark = vdup_n_u8(0x80);
    uint8x8x3_t bytes;
    bytes.val[0] = vorr_u8(vmovn_u16(vshrq_n_u16(u, 12)), vdup_n_u8(0xE0));
    bytes.val[1] = vorr_u8(vand_u8(vshrn_n_u16(u, 6), tail), mark);
    bytes.val[2] = vorr_u8(vand_u8(vmovn_u16(u), tail), mark);
    vst3_u8(out, bytes);
}

// The four hexadecimal digits of each of 8 units, in reading order: those of units 0-3 in `low`, those of 4-7 in `high`.
OCIOR_INLINE void hex_digits8(Bytes16 units, Bytes16& low, Bytes16& high) noexcept {
    const uint8x16_t digits = {'0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'};
    const uint8x16_t swapped = vrev16q_u8(units);
    const uint8x16_t first = vqtbl1q_u8(digits, vshrq_n_u8(swapped, 4));
    const uint8x16_t second = vqtbl1q_u8(digits, vandq_u8(swapped, vdupq_n_u8(15)));
    low = vzip1q_u8(first, second);
    high = vzip2q_u8(first, second);
}

// 8 units as \uxxxx: 48 bytes. Three vectors of pairs of bytes are interleaved: "\u", the first two digits, the last two.
OCIOR_INLINE void store_hex_run8(std::uint8_t* out, Bytes16 units) noexcept {
    Bytes16 low, high;
    hex_digits8(units, low, high);
    uint16x8x3_t bytes;
    bytes.val[0] = vdupq_n_u16('\\' | 'u' << 8);
    bytes.val[1] = vuzp1q_u16(vreinterpretq_u16_u8(low), vreinterpretq_u16_u8(high));
    bytes.val[2] = vuzp2q_u16(vreinterpretq_u16_u8(low), vreinterpretq_u16_u8(high));
    vst3q_u16(reinterpret_cast<std::uint16_t*>(out), bytes);
}

// Makes a 32-bit lane of each of 8 units: its four digits where the unit's lane of `hexed` has all bits set, else the unit itself. Units
// 0-3 go into `low`, units 4-7 into `high`.
OCIOR_INLINE void digits_or_units8(Bytes16 units, Bytes16 hexed, Bytes16& low, Bytes16& high) noexcept {
    hex_digits8(units, low, high);
    const uint16x8_t u = vreinterpretq_u16_u8(units), h = vreinterpretq_u16_u8(hexed);
    low = vbslq_u8(vreinterpretq_u8_u16(vzip1q_u16(h, h)), low, vreinterpretq_u8_u32(vmovl_u16(vget_low_u16(u))));
    high = vbslq_u8(vreinterpretq_u8_u16(vzip2q_u16(h, h)), high, vreinterpretq_u8_u32(vmovl_high_u16(u)));
}

// Four code points as UTF-16, each in its 32-bit lane: a unit, or a pair with the lead surrogate in the lower half.
OCIOR_INLINE Bytes16 utf16_lanes(Bytes16 code_points) noexcept {
    const uint32x4_t c = vreinterpretq_u32_u8(code_points);
    const uint32x4_t astral = vsubq_u32(c, vdupq_n_u32(0x10000));
    const uint32x4_t pair =
        vorrq_u32(vorrq_u32(vshrq_n_u32(astral, 10), vdupq_n_u32(0xDC00D800)), vshlq_n_u32(vandq_u32(astral, vdupq_n_u32(0x3FF)), 16));
    return vreinterpretq_u8_u32(vbslq_u32(vcgtq_u32(c, vdupq_n_u32(0xFFFF)), pair, c));
}

inline constexpr std::size_t kUtf8RunChars = 8;
// Loads characters of three bytes each into the low lanes: returns how many of the first `wanted` (at most kUtf8RunChars) at p are such,
// up to the first that is not. Reads 24 bytes.
OCIOR_INLINE std::size_t load_utf8_run(const std::uint8_t* p, std::size_t wanted, Vec<std::uint16_t>& units) noexcept {
    const uint8x8x3_t bytes = vld3_u8(p);
    const uint8x8_t lead_fault = veor_u8(vand_u8(bytes.val[0], vdup_n_u8(0xF0)), vdup_n_u8(0xE0));
    const uint8x8_t tail_fault =
        vand_u8(vorr_u8(veor_u8(bytes.val[1], vdup_n_u8(0x80)), veor_u8(bytes.val[2], vdup_n_u8(0x80))), vdup_n_u8(0xC0));
    const uint16x8_t lead = vshll_n_u8(vshl_n_u8(bytes.val[0], 4), 8);
    const uint16x8_t middle = vshll_n_u8(vand_u8(bytes.val[1], vdup_n_u8(0x3F)), 6);
    const uint16x8_t u = vorrq_u16(vorrq_u16(lead, middle), vmovl_u8(vand_u8(bytes.val[2], vdup_n_u8(0x3F))));
    const uint8x8_t overlong = vmovn_u16(vcltq_u16(u, vdupq_n_u16(0x800)));
    units.raw = vreinterpretq_u8_u16(u);
    const std::uint64_t faults = vget_lane_u64(vreinterpret_u64_u8(vorr_u8(vorr_u8(lead_fault, tail_fault), overlong)), 0);
    const std::size_t whole = faults == 0 ? 8 : trailing_zeros(faults) / 8;
    return whole < wanted ? whole : wanted;
}

// Four characters of four bytes each from the 16 bytes at p, as 32-bit lanes; false when one is anything else.
OCIOR_INLINE bool load_utf8_quads(const std::uint8_t* p, Bytes16& code_points) noexcept {
    const uint32x4_t x = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(p)));
    const uint32x4_t whole = vceqq_u32(vandq_u32(x, vdupq_n_u32(0xF8C0C0C0)), vdupq_n_u32(0xF0808080));
    const uint32x4_t upper =
        vorrq_u32(vandq_u32(vshrq_n_u32(x, 6), vdupq_n_u32(0x1C0000)), vandq_u32(vshrq_n_u32(x, 4), vdupq_n_u32(0x3F000)));
    const uint32x4_t lower = vorrq_u32(vandq_u32(vshrq_n_u32(x, 2), vdupq_n_u32(0xFC0)), vandq_u32(x, vdupq_n_u32(0x3F)));
    const uint32x4_t c = vorrq_u32(upper, lower);
    const uint32x4_t in_range = vcltq_u32(vsubq_u32(c, vdupq_n_u32(0x10000)), vdupq_n_u32(0x100000));
    code_points = vreinterpretq_u8_u32(c);
    return vminvq_u32(vandq_u32(whole, in_range)) != 0;
}

// Space, tab, newline, carriage return: each byte is looked up by its low nibble and must be what stands there.
OCIOR_INLINE Mask<std::uint8_t> space_lanes(Vec<std::uint8_t> v) noexcept {
    const uint8x16_t spaces = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};  // NUL is looked up in the first entry
    return {vceqq_u8(vqtbl1q_u8(spaces, vandq_u8(v.raw, vdupq_n_u8(15))), v.raw)};
}

// Two vectors of units, all below 0x10000, as one.
OCIOR_INLINE Vec<std::uint16_t> narrow(Vec<std::uint32_t> a, Vec<std::uint32_t> b) noexcept {
    return {vreinterpretq_u8_u16(vuzp1q_u16(a.words(), b.words()))};
}

using StringHead = Vec<std::uint8_t>;

OCIOR_INLINE bool equal_upto(const std::uint8_t* p, const std::uint8_t* q, std::size_t n) noexcept {
    const uint8x16_t same = vceqq_u8(vld1q_u8(p), vld1q_u8(q));
    const std::uint64_t differ = ~Mask<std::uint8_t>{same}.bits();
    return (differ & low_bits(static_cast<unsigned>(4 * n))) == 0;
}

}  // namespace ocior::simd
