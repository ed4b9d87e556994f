// Exact comparison by big integers on the stack: bounded by 800 digits, whatever the length of the input.
#include "num/exact.h"

namespace ocior::num {
namespace {

// No middle between two doubles has more than 768 significant digits (it is an odd multiple of 2^-1075 with at most 54
// bits), so what comes behind 800 digits only matters by being zero or not.
constexpr int kMaxDigits = 800;

// Both sides of the comparison stay below 2^2800: 801 digits have 2661 bits; half way times 5^n has 54 bits more than
// 5^1143 (2654 bits), the smallest decimal that gets here being 801 digits long and above 10^-343.
constexpr int kLimbs = 48;

class Natural {
public:
    explicit Natural(std::uint64_t value) noexcept : size_(value != 0) { limb_[0] = value; }

    void multiply_add(std::uint64_t factor, std::uint64_t addend) noexcept {
        std::uint64_t carry = addend;
        for (int i = 0; i < size_; ++i) {
            const uint128 t = static_cast<uint128>(limb_[i]) * factor + carry;
            limb_[i] = static_cast<std::uint64_t>(t);
            carry = static_cast<std::uint64_t>(t >> 64);
        }
        if (carry) limb_[size_++] = carry;
    }

    void multiply_pow5(std::int64_t n) noexcept {
        constexpr std::uint64_t k5Pow27 = 7450580596923828125;
        static_assert(k5Pow27 % 5 == 0 && k5Pow27 >> 62 == 1);
        for (; n >= 27; n -= 27) multiply_add(k5Pow27, 0);
        std::uint64_t rest = 1;
        for (; n > 0; --n) rest *= 5;
        multiply_add(rest, 0);
    }

    void shift_left(std::int64_t bits) noexcept {
        const int limbs = static_cast<int>(bits / 64), rest = static_cast<int>(bits % 64);
        if (rest) multiply_add(1ull << rest, 0);
        if (limbs == 0 || size_ == 0) return;
        for (int i = size_; i-- > 0;) limb_[i + limbs] = limb_[i];
        for (int i = 0; i < limbs; ++i) limb_[i] = 0;
        size_ += limbs;
    }

    // Negative, zero or positive, as from memcmp.
    int compare(const Natural& other) const noexcept {
        if (size_ != other.size_) return size_ - other.size_;
        for (int i = size_; i-- > 0;) {
            if (limb_[i] != other.limb_[i]) return limb_[i] < other.limb_[i] ? -1 : 1;
        }
        return 0;
    }

private:
    int size_;
    std::uint64_t limb_[kLimbs];
};

// Takes at most kMaxDigits of the digits. If the rest is not zero, one more digit 1 stands for it. Returns the exponent of the last digit.
template <CodeUnit Unit>
std::int64_t take_digits(const Unit* first, const Unit* last, std::int64_t exponent, Natural& digits) noexcept {
    std::uint64_t chunk = 0, weight = 1;
    int taken = 0;
    std::int64_t left_out = 0;
    bool rest = false;
    for (const Unit* p = first; p != last; ++p) {
        if (*p == '.') continue;
        const auto digit = static_cast<std::uint64_t>(*p - '0');
        if (taken == kMaxDigits) {
            ++left_out;
            rest |= digit != 0;
            continue;
        }
        ++taken;
        chunk = chunk * 10 + digit;
        weight *= 10;
        if (taken % 19 == 0) {
            digits.multiply_add(weight, chunk);
            chunk = 0;
            weight = 1;
        }
    }
    digits.multiply_add(weight, chunk);
    exponent += left_out;
    if (rest) {
        digits.multiply_add(10, 1);
        --exponent;
    }
    return exponent;
}

}  // namespace

template <CodeUnit Unit>
OCIOR_COLD double nearer(const Unit* first, const Unit* last, std::int64_t exponent, double below) noexcept {
    const auto bits = std::bit_cast<std::uint64_t>(below);
    const auto biased = static_cast<int>(bits >> 52);
    const std::uint64_t significand = (bits & low_bits(52)) | (biased ? 1ull << 52 : 0);
    // The middle is (2 * significand + 1) * 2^middle_exponent.
    const std::int64_t middle_exponent = (biased ? biased - 1075 : -1074) - 1;
    Natural digits(0), middle(2 * significand + 1);
    exponent = take_digits(first, last, exponent, digits);
    // digits * 10^exponent against middle * 2^middle_exponent: powers of five to where they are positive, then of two.
    if (exponent >= 0) {
        digits.multiply_pow5(exponent);
    } else {
        middle.multiply_pow5(-exponent);
    }
    const std::int64_t twos = exponent - middle_exponent;
    if (twos >= 0) {
        digits.shift_left(twos);
    } else {
        middle.shift_left(-twos);
    }
    const int order = digits.compare(middle);
    const bool up = order > 0 || (order == 0 && (significand & 1));
    return std::bit_cast<double>(bits + up);
}

template double nearer(const std::uint8_t*, const std::uint8_t*, std::int64_t, double) noexcept;
template double nearer(const std::uint16_t*, const std::uint16_t*, std::int64_t, double) noexcept;
template double nearer(const std::uint32_t*, const std::uint32_t*, std::int64_t, double) noexcept;

}  // namespace ocior::num
