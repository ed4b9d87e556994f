// Numbers to text: integers inline by size class, doubles and float32 as Python's repr writes them.
#pragma once

#include "base/bits.h"

namespace ocior::num {

inline constexpr std::size_t kMaxIntLen = 20;      // -9223372036854775808, 18446744073709551615
inline constexpr std::size_t kMaxFloat64Len = 24;  // -2.2250738585072014e-308
inline constexpr std::size_t kFormatRoom = 40;     // a writer may store up to this many bytes from `out` on

// Shortest text that reads back as the same double, in exactly the notation of Python's repr(float): "1.0", "1e+16",
// "1e-05", "5e-324", "-0.0". `v` is finite. Returns the end of the text.
std::uint8_t* write_f64(std::uint8_t* out, double v) noexcept;

// The same for float32: shortest among the float32 values, positional for 1e-4 <= |v| < 1e16. `v` is finite.
std::uint8_t* write_f32(std::uint8_t* out, float v) noexcept;

namespace detail {

struct DigitPairs {
    std::uint8_t text[200];
};
constexpr DigitPairs make_digit_pairs() {
    DigitPairs pairs{};
    for (int i = 0; i < 100; ++i) {
        pairs.text[2 * i] = static_cast<std::uint8_t>('0' + i / 10);
        pairs.text[2 * i + 1] = static_cast<std::uint8_t>('0' + i % 10);
    }
    return pairs;
}
alignas(8) inline constexpr DigitPairs kDigitPairs = make_digit_pairs();

OCIOR_INLINE void put_pair(std::uint8_t* out, std::uint32_t below_100) noexcept {
    store(out, load<std::uint16_t>(kDigitPairs.text + 2 * below_100));
}

// One or two digits: stores a pair that starts one digit late when the leading digit is zero.
// Returns where the digits end; the byte behind a single digit is rubbish.
OCIOR_INLINE std::uint8_t* put_leading_pair(std::uint8_t* out, std::uint32_t below_100) noexcept {
    const unsigned one_digit = below_100 < 10;
    // For a single digit the pair's second byte and the next pair's first byte are stored. 9's neighbour is "10".
    store(out, load<std::uint16_t>(kDigitPairs.text + 2 * below_100 + one_digit));
    return out + 2 - one_digit;
}

// x / 100 for x < 10000: 5243 / 2^19 = 0.0100002..., off by less than 1/100 up to 43698.
OCIOR_INLINE std::uint32_t div100(std::uint32_t below_10000) noexcept { return (below_10000 * 5243) >> 19; }
// x / 10000 for x < 10^8: 109951163 / 2^40, off by 3.2e-10 relative, i.e. less than 1/10000 up to 10^8.
OCIOR_INLINE std::uint32_t div10000(std::uint32_t below_1e8) noexcept {
    return static_cast<std::uint32_t>((below_1e8 * 109951163ull) >> 40);
}
// Rounding up is harmless while x * excess < 2^shift, excess = factor * divisor - 2^shift.
static_assert(9999 * (5243ull * 100 - (1ull << 19)) < (1ull << 19));
static_assert(99999999 * (109951163ull * 10000 - (1ull << 40)) < (1ull << 40));

OCIOR_INLINE void put_4(std::uint8_t* out, std::uint32_t below_10000) noexcept {
    const std::uint32_t high = div100(below_10000);
    put_pair(out, high);
    put_pair(out + 2, below_10000 - 100 * high);
}

OCIOR_INLINE void put_8(std::uint8_t* out, std::uint32_t below_1e8) noexcept {
    const std::uint32_t high = div10000(below_1e8);
    put_4(out, high);
    put_4(out + 4, below_1e8 - 10000 * high);
}

// 1 to 8 digits. Branches by size: real integers come in few sizes, and predicted branches beat the long
// dependency chain of a branch-free writer.
OCIOR_INLINE std::uint8_t* put_up_to_8(std::uint8_t* out, std::uint32_t v) noexcept {
    if (v < 100) return put_leading_pair(out, v);
    if (v < 10000) {
        const std::uint32_t high = div100(v);
        out = put_leading_pair(out, high);
        put_pair(out, v - 100 * high);
        return out + 2;
    }
    const std::uint32_t high = div10000(v), low = v - 10000 * high;
    if (high < 100) {
        out = put_leading_pair(out, high);
        put_4(out, low);
        return out + 4;
    }
    const std::uint32_t top = div100(high);
    out = put_leading_pair(out, top);
    put_pair(out, high - 100 * top);
    put_4(out + 2, low);
    return out + 6;
}

}  // namespace detail

OCIOR_INLINE std::uint8_t* write_u64(std::uint8_t* out, std::uint64_t v) noexcept {
    constexpr std::uint64_t k1e8 = 100000000;
    if (v < k1e8) return detail::put_up_to_8(out, static_cast<std::uint32_t>(v));
    std::uint64_t high = v / k1e8;
    const auto low = static_cast<std::uint32_t>(v - high * k1e8);
    if (high >= k1e8) {  // 17 to 20 digits
        const std::uint64_t top = high / k1e8;
        const auto middle = static_cast<std::uint32_t>(high - top * k1e8);
        out = detail::put_up_to_8(out, static_cast<std::uint32_t>(top));
        detail::put_8(out, middle);
        detail::put_8(out + 8, low);
        return out + 16;
    }
    out = detail::put_up_to_8(out, static_cast<std::uint32_t>(high));
    detail::put_8(out, low);
    return out + 8;
}

OCIOR_INLINE std::uint8_t* write_i64(std::uint8_t* out, std::int64_t v) noexcept {
    *out = '-';
    const bool negative = v < 0;
    const auto magnitude = static_cast<std::uint64_t>(v);
    return write_u64(out + negative, negative ? 0 - magnitude : magnitude);
}

}  // namespace ocior::num
