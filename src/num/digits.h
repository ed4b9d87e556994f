// All digits of a number with a fraction or an exponent, in words of nineteen, and the power of ten that they count: nothing is rounded.
#pragma once

#include "base/bits.h"
#include "simd/decimal_read.h"

namespace ocior::num {

// The sum of words[i] * 10^(19 i), times 10^exponent.
struct Digits {
    static constexpr unsigned kWordDigits = 19, kMostWords = 4;

    std::uint64_t words[kMostWords];
    unsigned word_count;   // at least one
    unsigned digit_count;  // without zeros before the first other digit; of zero itself, one
    std::int64_t exponent;
    bool negative;
};

namespace detail {

inline constexpr auto kPowersOf10 = [] {
    struct Table {
        std::uint64_t of[Digits::kWordDigits + 1];
    } table{};
    std::uint64_t power = 1;
    for (std::uint64_t& entry : table.of) entry = power, power *= 10;  // the last one is 10^19, which 64 bits hold
    return table;
}();

// How many digits a number below 10^19 has; zero has one.
OCIOR_INLINE unsigned digit_count_of(std::uint64_t w) noexcept {
    const unsigned bits = 64 - static_cast<unsigned>(__builtin_clzll(w | 1));
    const unsigned least = bits * 1233 >> 12;  // log10(2), so that it is the number or one too few
    return least + (least == 0 || w >= kPowersOf10.of[least]);
}

}  // namespace detail

// Reads any number whose text is [first, last). Returns false where the number has more digits than the words hold, or an exponent of more
// than six.
template <CodeUnit Unit>
bool read_any_digits(const Unit* first, const Unit* last, Digits& digits) noexcept;

// Reads any number as read_any_digits() does, and those of few digits with a point and no exponent inline. 64 bytes behind the text must be
// readable.
template <CodeUnit Unit>
OCIOR_INLINE bool read_digits(const Unit* first, const Unit* last, Digits& digits) noexcept {
    const auto length = static_cast<std::size_t>(last - first);
    const bool negative = *first == '-';
    if (OCIOR_UNLIKELY(length - negative > Digits::kWordDigits + 1)) return read_any_digits(first, last, digits);
    const auto block = simd::NumberBlock::load(first);
    const auto others = block.non_digits() & static_cast<std::uint32_t>(low_bits(static_cast<unsigned>(length))) & ~std::uint32_t{negative};
    if (OCIOR_UNLIKELY(others == 0 || (others & (others - 1)) != 0)) return read_any_digits(first, last, digits);
    const std::size_t point = trailing_zeros(others), fraction = length - 1 - point;
    if (OCIOR_UNLIKELY(first[point] != '.')) return read_any_digits(first, last, digits);
    const std::uint64_t w = block.value(length, fraction);
    digits.words[0] = w;
    digits.word_count = 1;
    digits.digit_count = detail::digit_count_of(w);
    digits.exponent = -static_cast<std::int64_t>(fraction);
    digits.negative = negative;
    return true;
}

}  // namespace ocior::num
