#include "num/digits.h"

namespace ocior::num {
namespace {

// The exponent at `p`, behind its e, which ends at `last`. False where it has more than six digits.
template <CodeUnit Unit>
bool read_exponent(const Unit* p, const Unit* last, std::int64_t& exponent) noexcept {
    constexpr std::ptrdiff_t kMostDigits = 6;
    const bool negative = *p == '-';
    p += negative || *p == '+';
    while (p != last && *p == '0') ++p;
    if (last - p > kMostDigits) return false;
    exponent = 0;
    for (; p != last; ++p) exponent = exponent * 10 + (*p - '0');
    if (negative) exponent = -exponent;
    return true;
}

}  // namespace

template <CodeUnit Unit>
bool read_any_digits(const Unit* first, const Unit* last, Digits& digits) noexcept {
    constexpr unsigned kMost = Digits::kMostWords * Digits::kWordDigits;
    std::uint8_t found[kMost];
    unsigned count = 0;
    std::int64_t fraction = 0, exponent = 0;
    bool is_fraction = false;
    digits.negative = *first == '-';
    for (const Unit* p = first + digits.negative; p != last; ++p) {
        if (*p == '.') {
            is_fraction = true;
        } else if ((*p | 0x20) == 'e') {
            if (!read_exponent(p + 1, last, exponent)) return false;
            break;
        } else {
            fraction += is_fraction;
            if (count == 0 && *p == '0') continue;
            if (count == kMost) return false;
            found[count++] = static_cast<std::uint8_t>(*p - '0');
        }
    }
    digits.exponent = exponent - fraction;
    digits.digit_count = count ? count : 1;
    digits.word_count = (digits.digit_count + Digits::kWordDigits - 1) / Digits::kWordDigits;
    digits.words[0] = 0;
    // The highest word has the digits that the others leave.
    const std::uint8_t* digit = found;
    for (unsigned i = digits.word_count; i-- > 0;) {
        std::uint64_t word = 0;
        for (const std::uint8_t* const end = found + (count - i * Digits::kWordDigits); count && digit != end; ++digit)
            word = word * 10 + *digit;
        digits.words[i] = word;
    }
    return true;
}

template bool read_any_digits(const std::uint8_t*, const std::uint8_t*, Digits&) noexcept;
template bool read_any_digits(const std::uint16_t*, const std::uint16_t*, Digits&) noexcept;
template bool read_any_digits(const std::uint32_t*, const std::uint32_t*, Digits&) noexcept;

}  // namespace ocior::num
