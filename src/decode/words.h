// What a value may begin with, by its first unit.
#pragma once

#include "py/constants.h"
#include "simd/decimal_read.h"

namespace ocior::decode {

enum class Start : std::uint8_t { kNone, kString, kNumber, kWord, kArray, kObject, kNaN, kInfinity };

struct Starts {
    Start of[256] = {};
};
alignas(64) inline constexpr Starts kStarts = [] {
    Starts starts;
    for (int digit = '0'; digit <= '9'; ++digit) starts.of[digit] = Start::kNumber;
    starts.of['t'] = starts.of['f'] = starts.of['n'] = Start::kWord;
    starts.of['"'] = Start::kString, starts.of['-'] = Start::kNumber, starts.of['['] = Start::kArray, starts.of['{'] = Start::kObject;
    starts.of['N'] = Start::kNaN, starts.of['I'] = Start::kInfinity;
    return starts;
}();

template <CodeUnit Unit>
OCIOR_INLINE Start start_of(Unit unit) noexcept {
    if constexpr (sizeof(Unit) > 1)
        if (OCIOR_UNLIKELY(unit > 0xff)) return Start::kNone;
    return kStarts.of[unit];
}

// Which word begins with this letter: 'f' is 0x66, 'n' is 0x6e, 't' is 0x74.
enum : unsigned { kFalse, kNull, kTrue };
template <CodeUnit Unit>
OCIOR_INLINE unsigned word_led_by(Unit letter) noexcept {
    return static_cast<unsigned>(letter) >> 3 & 3;
}

// Of what begins with another letter the first is taken or the last, which no text equals.
inline constexpr std::uint64_t kWordTexts[4] = {kFalseText, kNullText, kTrueText, 0};
inline constexpr std::uint64_t kWordMasks[3] = {0xffffffffff, 0xffffffff, 0xffffffff};

// The true and null that follow one, `last`, in an array, behind a comma with a space or without. Each but the last is pushed at `top`, as
// long as there is room before `limit`; where it ends is returned.
template <CodeUnit Unit>
OCIOR_INLINE const Unit* read_short_words(const Unit* p, PyObject* const (&words)[4], PyObject*& last, PyObject**& top,
                                          PyObject** limit) noexcept {
    while (OCIOR_LIKELY(top + 1 < limit)) {
        const std::uint64_t text = simd::load_narrow8(p);
        const unsigned gap = static_cast<std::uint16_t>(text) == (',' | ' ' << 8) ? 2 : 1;
        if (OCIOR_UNLIKELY(gap == 1 && static_cast<std::uint8_t>(text) != ',')) break;
        const auto letters = static_cast<std::uint32_t>(text >> (8 * gap));
        const unsigned word = word_led_by(static_cast<std::uint8_t>(letters));
        if (OCIOR_UNLIKELY(letters != kWordTexts[word])) break;
        *top++ = std::exchange(last, new_constant(words[word]));
        p += gap + 4;
    }
    return p;
}

}  // namespace ocior::decode
