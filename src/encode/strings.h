// Strings into the output: one road per mode. Short ones inline where one load, one store and one test suffice.
#pragma once

#include "py/str.h"
#include "simd/short_text.h"
#include "text/convert.h"
#include "text/escape.h"

namespace ocior::encode {

enum class Mode {
    kText,   // str output: characters stay as they are
    kAscii,  // ensure_ascii, str or bytes
    kUtf8,   // bytes output
};

// Most units (bytes) that one code unit of a string becomes.
constexpr std::size_t expansion(Mode mode, unsigned width) noexcept { return mode == Mode::kAscii && width == 4 ? 12 : 6; }

// The text [units, units + n) of an ASCII string, if it is short and nothing in it wants an escape; else null. Stores up to 32 units.
template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* copy_short(Unit* out, const std::uint8_t* units, std::size_t n) noexcept {
    if (OCIOR_UNLIKELY(n > simd::ShortText::kLanes)) return nullptr;
    const auto text = simd::ShortText::load(units, n);
    text.store(out);
    return OCIOR_LIKELY(!text.template wants_escape<mode == Mode::kAscii>()) ? out + n : nullptr;
}

// Copies kLanes to 2 * kLanes units as copy_short() does fewer. Both vectors lie in the text, where they may overlap. Stores n units.
template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* copy_two_short(Unit* out, const std::uint8_t* units, std::size_t n) noexcept {
    const std::size_t second = n - simd::ShortText::kLanes;
    constexpr bool kAscii = mode == Mode::kAscii;
    const auto head = simd::ShortText::load_whole(units);
    head.store(out);
    if (OCIOR_UNLIKELY(head.template wants_escape<kAscii>())) return nullptr;
    const auto tail = simd::ShortText::load_whole(units + second);
    tail.store(out + second);
    return OCIOR_LIKELY(!tail.template wants_escape<kAscii>()) ? out + n : nullptr;
}

}  // namespace ocior::encode
