// Numbers to text: integers inline by size class, doubles as Python's repr writes them.
#pragma once

#include "simd/short_text.h"

namespace ocior::num {

inline constexpr std::size_t kMaxFloat64Len = 24;  // -2.2250738585072014e-308
inline constexpr std::size_t kFormatRoom = 40;     // a writer may store up to this many bytes from `out` on

// Shortest text that reads back as the same double, in exactly the notation of Python's repr(float): "1.0", "1e+16",
// "1e-05", "5e-324", "-0.0". `v` is finite. Returns the end of the text.
std::uint8_t* write_f64(std::uint8_t* out, double v) noexcept;

// Write the shortest text that reads back as the same float of 32 bits, or of 16 bits, which `bits` holds. The notation is that of
// write_f64().
std::uint8_t* write_f32(std::uint8_t* out, float v) noexcept;
std::uint8_t* write_f16(std::uint8_t* out, std::uint16_t bits) noexcept;

// The value of a float of 16 bits. (Compilers convert _Float16 by a function of their newest libraries.)
inline float float_of_f16(std::uint16_t bits) noexcept {
    const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000) << 16, biased = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    if (biased == 0x1f) return std::bit_cast<float>(sign | 0x7f800000 | fraction << 13);
    if (biased != 0) return std::bit_cast<float>(sign | (biased + 112) << 23 | fraction << 13);
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
}

namespace detail {

// The digits of 0 to 999, in the order of the text, and how many they are.
struct Triples {
    std::uint32_t lead[1000];    // without leading zeros, the count in the highest byte
    std::uint32_t padded[1000];  // all three
};
constexpr Triples make_triples() {
    Triples triples{};
    for (std::uint32_t i = 0; i < 1000; ++i) {
        const std::uint32_t padded = ('0' + i / 100) | ('0' + i / 10 % 10) << 8 | ('0' + i % 10) << 16;
        const std::uint32_t count = i < 10 ? 1 : i < 100 ? 2 : 3;
        triples.padded[i] = padded;
        triples.lead[i] = padded >> (8 * (3 - count)) | count << 24;
    }
    return triples;
}
alignas(64) inline constexpr Triples kTriples = make_triples();

// The last two digits of any byte.
struct Pairs {
    std::uint16_t text[256];
};
constexpr Pairs make_pairs() {
    Pairs pairs{};
    for (int i = 0; i < 256; ++i) pairs.text[i] = static_cast<std::uint16_t>(('0' + i / 10 % 10) | ('0' + i % 10) << 8);
    return pairs;
}
alignas(64) inline constexpr Pairs kPairs = make_pairs();

OCIOR_INLINE std::uint8_t* put_2(std::uint8_t* out, unsigned below_100) noexcept {
    store(out, kPairs.text[below_100 & 0xff]);
    return out + 2;
}

// Stores four units of one byte, or eight wider ones. What lies behind the digits is rubbish.
template <CodeUnit Unit>
OCIOR_INLINE void put_triple(Unit* out, std::uint32_t word) noexcept {
    if constexpr (sizeof(Unit) == 1) store(out, word);
    else simd::widen_8(out, word);
}
template <CodeUnit Unit>
OCIOR_INLINE Unit* put_lead(Unit* out, std::uint32_t below_1000) noexcept {
    const std::uint32_t word = kTriples.lead[below_1000];
    put_triple(out, word);
    return out + (word >> 24);
}
template <CodeUnit Unit>
OCIOR_INLINE Unit* put_3(Unit* out, std::uint32_t below_1000) noexcept {
    put_triple(out, kTriples.padded[below_1000]);
    return out + 3;
}

// x / 1000 for 32 bits: rounding the factor up is harmless while x * excess < 2^shift, excess = factor * divisor - 2^shift.
OCIOR_INLINE std::uint32_t div1000(std::uint32_t x) noexcept { return static_cast<std::uint32_t>((x * 274877907ull) >> 38); }
static_assert(0xffffffffull * (274877907ull * 1000 - (1ull << 38)) < (1ull << 38));

template <CodeUnit Unit>
OCIOR_INLINE Unit* put_6(Unit* out, std::uint32_t below_1e6) noexcept {
    const std::uint32_t high = div1000(below_1e6);
    return put_3(put_3(out, high), below_1e6 - 1000 * high);
}

template <CodeUnit Unit>
OCIOR_INLINE Unit* put_9(Unit* out, std::uint32_t below_1e9) noexcept {
    const std::uint32_t high = div1000(below_1e9);
    return put_3(put_6(out, high), below_1e9 - 1000 * high);
}

// 1 to 9 digits. Branches by size: real integers come in few sizes, and predicted branches beat the long
// dependency chain of a branch-free writer.
template <CodeUnit Unit>
OCIOR_INLINE Unit* put_up_to_9(Unit* out, std::uint32_t v) noexcept {
    if (v < 1000) return put_lead(out, v);
    const std::uint32_t high = div1000(v);
    if (v < 1000000) {
        out = put_lead(out, high);
    } else {
        const std::uint32_t top = div1000(high);
        out = put_3(put_lead(out, top), high - 1000 * top);
    }
    return put_3(out, v - 1000 * high);
}

}  // namespace detail

// The digits go straight from registers into units of any width.
template <CodeUnit Unit>
OCIOR_INLINE Unit* write_u64(Unit* out, std::uint64_t v) noexcept {
    constexpr std::uint64_t k1e9 = 1000000000;
    if (v < 1000) return detail::put_lead(out, static_cast<std::uint32_t>(v));
    if (v < k1e9) return detail::put_up_to_9(out, static_cast<std::uint32_t>(v));
    std::uint64_t high = v / k1e9;
    const auto low = static_cast<std::uint32_t>(v - high * k1e9);
    if (high >= k1e9) {  // 19 or 20 digits
        const std::uint64_t top = high / k1e9;
        out = detail::put_lead(out, static_cast<std::uint32_t>(top));
        out = detail::put_9(out, static_cast<std::uint32_t>(high - top * k1e9));
    } else {
        out = detail::put_up_to_9(out, static_cast<std::uint32_t>(high));
    }
    return detail::put_9(out, low);
}

template <CodeUnit Unit>
OCIOR_INLINE Unit* write_i64(Unit* out, std::int64_t v) noexcept {
    *out = '-';
    return write_u64(out + (v < 0), magnitude(v));
}

inline std::uint8_t* write_u128(std::uint8_t* out, uint128 v) noexcept {
    if (v >> 64 == 0) return write_u64(out, static_cast<std::uint64_t>(v));
    const auto [high, low] = divide(v, 1000000000);
    return detail::put_9(write_u128(out, high), low);
}

}  // namespace ocior::num
