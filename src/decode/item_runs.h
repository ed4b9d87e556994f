// Items of an array that come in runs: short integers, as indices and counts are, and words. Both are functions of their own, whose loops
// the compiler lays out the same whatever becomes of Parser::run around them: inlined, the loop of words took 1.4 times as long in one
// build as in another, of the same instructions.
#pragma once

#include "decode/numbers.h"
#include "simd/lanes.h"

namespace ocior::decode {

inline constexpr unsigned kMostRunDigits = 8;  // a longer integer ends a run

// Whether an array whose first item is at p may begin with a run that is worth a look: with an integer of one or two digits, and no bracket
// near. (Tried and lost: to look behind every short integer. Arrays of short and long ones take twice the time.)
template <typename Unit>
OCIOR_INLINE bool begins_integer_run(const Unit* p) noexcept {
    if (p[1] != ',' && p[2] != ',') return false;
    return (simd::load_narrow8(p) & 0x4040404040404040) == 0;
}

// What was read: all items but the last are on the value stack up to `top`, and `p` is behind the last one. `last` is null if there was no
// item, `p` is null if out of memory.
template <typename Unit>
struct ItemRun {
    const Unit* p;
    PyObject** top;
    PyObject* last;
};

// Reads the items of an array, from its first at `p` on, while they are integers without a sign and of up to kMostRunDigits digits, each
// with a comma behind it, and maybe a space, as long as there is room before `limit`. Read one by one, each waits until the length of the
// one before it is known; here one look at a vector of text finds all their ends.
template <Asked kAsked, typename Source, typename Unit = typename Source::Unit>
OCIOR_NOINLINE ItemRun<Unit> read_integer_run(PyCall<Source>& call, const Unit* p, PyObject** top, PyObject** limit) noexcept {
    using V = simd::Vec<Unit>;
    constexpr auto kLanes = static_cast<unsigned>(V::kLanes);
    PyObject* last = nullptr;
    --p;  // taken for a comma
    std::uint64_t known_comma = 1;
    unsigned read;  // units
    do {
        if (OCIOR_UNLIKELY(limit - top <= static_cast<std::ptrdiff_t>(kLanes))) break;
        const V text = V::load(p);
        const std::uint64_t commas = simd::eq<Unit>(text, ',').lane_bits() | known_comma;
        const std::uint64_t spaces = simd::eq<Unit>(text, ' ').lane_bits() & ~known_comma;
        const std::uint64_t digits = simd::ge<Unit>(text, '0').lane_bits() & ~simd::ge<Unit>(text, '9' + 1).lane_bits();
        const std::uint64_t zeros = simd::eq<Unit>(text, '0').lane_bits();
        // Up to the first unit that is none of the three, a space where none is taken, or a zero that leads.
        const std::uint64_t behind_commas = commas << 1, starts = (behind_commas & ~spaces) | (behind_commas & spaces) << 1;
        const std::uint64_t stops = ~(commas | spaces | digits) | (spaces & ~behind_commas) | (zeros & starts & digits >> 1);
        std::uint64_t ends = commas & (stops - 1) & ~stops & low_bits(kLanes) & ~1ull;
        known_comma = 0;
        read = 0;
        for (; ends != 0; ends &= ends - 1) {
            const unsigned end = trailing_zeros(ends), start = read + 1 + (spaces >> (read + 1) & 1), length = end - start;
            if (OCIOR_UNLIKELY(length - 1 >= kMostRunDigits)) break;
            const Unit* const first = p + start;
            const std::uint64_t values = (simd::load_narrow8(first) ^ 0x3030303030303030) << (64 - 8 * length);
            PyObject* const object = new_integer<kAsked>(call, simd::value8(values), false, first, p + end);
            if (last) *top++ = last;
            last = object;
            if (OCIOR_UNLIKELY(!object)) return {nullptr, top, nullptr};
            read = end;
        }
        p += read;
    } while (read > kLanes / 2);
    return {p, top, last};
}

// Reads the words that follow the word `last` in an array, each behind a comma with a space or without, as long as there is room before
// `limit`. They are read one by one while they have four letters. From `false` on, one look at the commas in a vector of text finds as many
// words as it holds at least, because a wrong guess where a word ends costs more. (Tried and lost: such looks from the start. Lists of true
// and null in turn take 1.6 times as long. As many words as the vector happens to hold: 1.1 times as long, for their number is one more
// guess. Vectors that hold two: 1.1 times as long as one by one.)
template <typename Unit>
OCIOR_NOINLINE ItemRun<Unit> read_word_run(const Constants& constants, const Unit* p, PyObject** top, PyObject** limit,
                                           PyObject* last) noexcept {
    using V = simd::Vec<Unit>;
    constexpr auto kLanes = static_cast<unsigned>(V::kLanes), kWords = kLanes / 8;
    const auto gap_at = [](const Unit* comma) OCIOR_INLINE_LAMBDA { return 1 + (comma[1] == ' '); };
    const auto push = [&](unsigned word) OCIOR_INLINE_LAMBDA { *top++ = std::exchange(last, new_constant(constants.words[word])); };
    while (OCIOR_LIKELY(top < limit - 1)) {
        const std::uint64_t text = simd::load_narrow8(p);
        const unsigned gap = static_cast<std::uint16_t>(text) == (',' | ' ' << 8) ? 2 : 1;
        if (OCIOR_UNLIKELY(gap == 1 && static_cast<std::uint8_t>(text) != ',')) return {p, top, last};
        const auto letters = static_cast<std::uint32_t>(text >> (8 * gap));
        const unsigned next = word_led_by(static_cast<std::uint8_t>(letters));
        if (OCIOR_UNLIKELY(letters != kWordTexts[next])) break;
        push(next);
        p += gap + 4;
    }
    const Unit* first = p + gap_at(p);
    while (kWords >= 4 && OCIOR_LIKELY(limit - top > static_cast<std::ptrdiff_t>(kWords))) {
        const V text = V::load(first);
        const std::uint64_t behind_commas = simd::eq<Unit>(text, ',').lane_bits() << 1, spaces = simd::eq<Unit>(text, ' ').lane_bits();
        // The last lane counts as one more start, where no word can begin and end.
        std::uint64_t starts = 1 | (behind_commas & ~spaces) | (behind_commas & spaces) << 1 | 1ull << (kLanes - 1);
        unsigned i = 0;
#pragma GCC unroll 8
        for (; i < kWords; ++i, starts &= starts - 1) {
            const Unit* const start = first + trailing_zeros(starts);
            const std::uint64_t letters = simd::load_narrow8(start);
            const unsigned word = word_led_by(static_cast<std::uint8_t>(letters));
            if (OCIOR_UNLIKELY(((letters ^ kListedWords.texts[word]) & kListedWords.masks[word]) != 0)) break;
            push(word);
            p = start + word_length(word);
        }
        if (OCIOR_UNLIKELY(i < kWords)) break;
        first += trailing_zeros(starts);
    }
    while (OCIOR_LIKELY(top < limit - 1 && *p == ',')) {
        const unsigned gap = gap_at(p);
        const std::uint64_t letters = simd::load_narrow8(p + gap);
        const unsigned word = word_led_by(static_cast<std::uint8_t>(letters));
        if (OCIOR_UNLIKELY((letters & kWordMasks[word]) != kWordTexts[word])) break;
        push(word);
        p += gap + word_length(word);
    }
    return {p, top, last};
}

}  // namespace ocior::decode
