// What a value may begin with, by its first unit.
#pragma once

#include "base/config.h"
#include "base/words.h"

namespace ocior::grammar {

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

enum Word : unsigned { kFalse, kNull, kTrue };

// Which word begins with this letter: 'f' is 0x66, 'n' is 0x6e, 't' is 0x74.
template <CodeUnit Unit>
OCIOR_INLINE unsigned word_led_by(Unit letter) noexcept {
    return static_cast<unsigned>(letter) >> 3 & 3;
}

// The words by word_led_by(). Other letters lead to any of the four entries; the last one equals no text.
inline constexpr std::uint64_t kWordTexts[4] = {kFalseText, kNullText, kTrueText, 0};
inline constexpr std::uint64_t kWordMasks[4] = {0xffffffffff, 0xffffffff, 0xffffffff, 0xffffffff};

OCIOR_INLINE constexpr unsigned word_length(unsigned word) noexcept { return 4 + (word == kFalse); }

// The texts and masks of the words with a comma behind each.
struct ListedWords {
    std::uint64_t texts[4] = {}, masks[4] = {};
};
inline constexpr ListedWords kListedWords = [] {
    ListedWords listed;
    for (unsigned word = 0; word < 4; ++word) {
        const unsigned bits = 8 * word_length(word);
        listed.texts[word] = kWordTexts[word] | static_cast<std::uint64_t>(',') << bits;
        listed.masks[word] = kWordMasks[word] | 0xffull << bits;
    }
    return listed;
}();

}  // namespace ocior::grammar
