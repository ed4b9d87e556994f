// How far one value can reach: the least that has to be copied when a value is read out of a document that must not be read in
// place. In time proportional to that value, whatever follows it, so that reading many values one by one stays linear.
#pragma once

#include "base/config.h"

namespace ocior::decode {

// Behind the closing quote of the string whose text starts at `p`; null when there is none before `last`.
template <typename Unit>
const Unit* string_end(const Unit* p, const Unit* last) noexcept {
    while (p != last) {
        const Unit unit = *p++;
        if (unit == '"') return p;
        if (unit == '\\' && p != last) ++p;
    }
    return nullptr;
}

template <typename Unit>
const Unit* string_extent(const Unit* p, const Unit* last) noexcept {
    const Unit* const end = string_end(p, last);
    return end ? end : last;
}

// Behind the bracket that closes the one at `p`, or `last`. Brackets are counted without regard to their kind: where the kinds
// do not match, the parser stops inside the extent anyway.
template <typename Unit>
const Unit* container_extent(const Unit* p, const Unit* last) noexcept {
    std::size_t depth = 0;
    while (p != last) {
        const Unit unit = *p++;
        if (unit == '"') {
            p = string_extent(p, last);
        } else if (unit == '[' || unit == '{') {
            ++depth;
        } else if (unit == ']' || unit == '}') {
            if (--depth == 0) return p;
        }
    }
    return last;
}

template <typename Unit>
const Unit* number_extent(const Unit* p, const Unit* last) noexcept {
    const auto skip_digits = [&] {
        while (p != last && *p >= '0' && *p <= '9') ++p;
    };
    if (p != last && *p == '-') ++p;
    if (p != last && *p == '0') ++p;  // nothing but a zero
    else skip_digits();
    if (p != last && *p == '.') ++p, skip_digits();
    if (p != last && (*p == 'e' || *p == 'E')) {
        ++p;
        if (p != last && (*p == '+' || *p == '-')) ++p;
        skip_digits();
    }
    return p;
}

// An end such that the parser, given [p, end) in place of [p, last), finds the same value or the same error.
template <typename Unit>
const Unit* value_extent(const Unit* p, const Unit* last) noexcept {
    constexpr std::ptrdiff_t kLongestWord = sizeof "-Infinity" - 1;
    if (p == last) return last;
    if (*p == '"') return string_extent(p + 1, last);
    if (*p == '[' || *p == '{') return container_extent(p, last);
    const Unit* const number_end = number_extent(p, last);
    const Unit* const word_end = last - p < kLongestWord ? last : p + kLongestWord;
    return number_end > word_end ? number_end : word_end;
}

}  // namespace ocior::decode
