#include "num/fixed_point.h"

#include "base/bits.h"

namespace ocior::num {
namespace {

// A natural number below 10^76, which 253 bits hold.
struct Natural {
    FixedPoint value;
    unsigned used = 1;  // limbs

    void multiply_and_add(std::uint64_t factor, std::uint64_t term) noexcept {
        for (unsigned i = 0; i < used; ++i) {
            const uint128 product = static_cast<uint128>(value.limbs[i]) * factor + term;
            value.limbs[i] = static_cast<std::uint64_t>(product);
            term = static_cast<std::uint64_t>(product >> 64);
        }
        if (term) value.limbs[used++] = term;
    }
};

}  // namespace

bool read_fixed_point(const std::uint8_t* first, const std::uint8_t* last, std::int32_t most_digits, std::int32_t scale,
                      FixedPoint& value) noexcept {
    const bool is_negative = *first == '-';
    const std::uint8_t* p = first + is_negative;
    if (*p < '0' || *p > '9') return false;
    // The digits from the first to the last that is not zero, and how many zeros and fraction digits there are behind it.
    Natural digits;
    std::int64_t digit_count = 0, zero_count = 0, fraction_count = 0, exponent = 0;
    bool is_fraction = false;
    for (; p != last && (*p | 0x20) != 'e'; ++p) {
        if (*p == '.') {
            is_fraction = true;
            continue;
        }
        fraction_count += is_fraction;
        if (*p == '0') {
            zero_count += digit_count > 0;
            continue;
        }
        digit_count += zero_count + 1;
        if (digit_count > most_digits) return false;
        for (; zero_count > 0; --zero_count) digits.multiply_and_add(10, 0);
        digits.multiply_and_add(10, *p - std::uint64_t{'0'});
    }
    value = {};
    if (digit_count == 0) return true;
    if (p != last) {
        const bool is_down = *++p == '-';
        p += is_down || *p == '+';
        constexpr std::int64_t kFar = 1'000'000'000'000;  // more than a text has digits
        for (; p != last && exponent < kFar; ++p) exponent = 10 * exponent + (*p - '0');
        if (is_down) exponent = -exponent;
    }
    std::int64_t shift = zero_count - fraction_count + exponent + scale;
    if (shift < 0 || digit_count + shift > most_digits) return false;
    for (; shift > 0; --shift) digits.multiply_and_add(10, 0);
    value = digits.value;
    std::uint64_t carry = is_negative;
    for (std::uint64_t& limb : value.limbs)
        if (is_negative) limb = ~limb + carry, carry &= limb == 0;
    return true;
}

}  // namespace ocior::num
