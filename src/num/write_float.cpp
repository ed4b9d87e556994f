// Doubles and float32 to the text of Python's repr: shortest digits first, then one of three notations.
#include "num/shortest.h"
#include "num/write.h"
#include "simd/decimal.h"

namespace ocior::num {
namespace {

constexpr std::uint64_t k1e15 = 1000000000000000, k1e16 = 10 * k1e15;

// Digits of a decimal float ready to be laid out: sixteen in `head` (the first is not 0), a seventeenth in `tail`.
struct Layout {
    std::uint64_t head;
    unsigned tail;
    int exponent;  // of the first digit: d.ddd * 10^exponent
};

OCIOR_COLD std::uint8_t* put_scientific(std::uint8_t* out, const simd::Digits16& digits, unsigned tail,
                                        unsigned digit_count, int exponent) noexcept {
    digits.put_with_point(out, 1, tail);
    out += digit_count == 1 ? 1 : digit_count + 1;
    out[0] = 'e';
    out[1] = exponent < 0 ? '-' : '+';
    const auto magnitude = static_cast<std::uint32_t>(exponent < 0 ? -exponent : exponent);
    const std::uint32_t hundreds = detail::div100(magnitude);
    out[2] = static_cast<std::uint8_t>('0' + hundreds);
    out += 2 + (hundreds != 0);
    detail::put_pair(out, magnitude - 100 * hundreds);
    return out + 2;
}

// repr's choice of notation: positional for 10^-4 <= |v| < 10^16.
OCIOR_INLINE std::uint8_t* put_layout(std::uint8_t* out, const Layout& number) noexcept {
    const simd::Digits16 digits(number.head);
    const auto digit_count =
        static_cast<unsigned>(select_less(0, number.tail, 17, 16 - digits.trailing_zeros()));
    if (OCIOR_LIKELY(static_cast<unsigned>(number.exponent) < 16)) {
        const auto point = static_cast<unsigned>(number.exponent) + 1;
        digits.put_with_point(out, point, number.tail);
        // At least one digit stays behind the point; the digits beyond digit_count are zeros.
        return out + (digit_count > point ? digit_count : point + 1) + 1;
    }
    if (number.exponent < 0 && number.exponent >= -4) {
        store(out, load<std::uint64_t>("0.000000"));
        out += 1 - number.exponent;
        digits.put(out);
        out[16] = static_cast<std::uint8_t>('0' + number.tail);
        return out + digit_count;
    }
    return put_scientific(out, digits, number.tail, digit_count, number.exponent);
}

// Fewer digits than a normal number has: only subnormals, and float32.
OCIOR_INLINE Layout left_align(const Decimal& d) noexcept {
    std::uint64_t head = d.head * 10 + d.tail;
    int exponent = d.exponent + 15;
    while (head < k1e15) {
        head *= 10;
        --exponent;
    }
    return {head, 0, exponent};
}

OCIOR_COLD Layout subnormal(std::uint64_t c) noexcept {
    const Decimal d = shortest_regular(c, -1074);
    if (d.head >= k1e15) return {d.head, d.tail, d.exponent + 16};
    return left_align(d);
}

}  // namespace

std::uint8_t* write_f64(std::uint8_t* out, double v) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(v);
    const auto biased = static_cast<int>((bits >> 52) & 0x7ff);
    const std::uint64_t fraction = bits & low_bits(52);
    *out = '-';
    out += bits >> 63;
    if (OCIOR_UNLIKELY(biased == 0)) {
        if (fraction == 0) {
            store(out, load<std::uint32_t>("0.0"));
            return out + 3;
        }
        return put_layout(out, subnormal(fraction));
    }
    const std::uint64_t c = fraction | 1ull << 52;
    // The smallest normal double has a neighbour below at the same distance: it is regular.
    const Decimal d = OCIOR_LIKELY(fraction != 0 || biased == 1) ? shortest_regular(c, biased - 1075)
                                                                  : shortest_power_of_two(c, biased - 1075);
    // 16 or 17 digits: the head has at least 15, since 2^52 * 0.1 > 10^14.
    const auto head = select_less(d.head, k1e15, d.head * 10 + d.tail, d.head);
    const auto tail = static_cast<unsigned>(select_less(d.head, k1e15, 0, d.tail));
    return put_layout(out, {head, tail, d.exponent + 15 + (d.head >= k1e15)});
}

std::uint8_t* write_f32(std::uint8_t* out, float v) noexcept {
    const auto bits = std::bit_cast<std::uint32_t>(v);
    const auto biased = static_cast<int>((bits >> 23) & 0xff);
    const std::uint32_t fraction = bits & 0x7fffff;
    *out = '-';
    out += bits >> 31;
    if (OCIOR_UNLIKELY((bits << 1) == 0)) {
        store(out, load<std::uint32_t>("0.0"));
        return out + 3;
    }
    const std::uint64_t c = biased ? fraction | 1u << 23 : fraction;
    const int q = biased ? biased - 150 : -149;
    const Decimal d =
        OCIOR_LIKELY(fraction != 0 || biased == 1) ? shortest_regular(c, q) : shortest_power_of_two(c, q);
    return put_layout(out, left_align(d));
}

}  // namespace ocior::num
