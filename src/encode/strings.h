// Strings into the output: one road per mode. Short ones inline where one load, one store and one test suffice.
#pragma once

#include "py/str.h"
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

// copy_escaped_ascii with the short case inline.
OCIOR_INLINE std::uint8_t* copy_ascii(std::uint8_t* out, const std::uint8_t* units, std::size_t n) noexcept {
    using V = simd::Vec<std::uint8_t>;
    if (OCIOR_LIKELY(n - 1 < V::kLanes)) {
        const V v = V::load_upto(units, n);
        v.store(out);
        const auto marks = (simd::eq<std::uint8_t>(v, '"') | simd::eq<std::uint8_t>(v, '\\') | simd::lt<std::uint8_t>(v, 0x20) |
                            simd::ge<std::uint8_t>(v, 0x7f)).bits();
        constexpr unsigned kBits = simd::Mask<std::uint8_t>::kBitsPerLane;
        if (OCIOR_LIKELY((marks & low_bits(static_cast<unsigned>(n * kBits))) == 0)) return out + n;
    }
    return text::copy_escaped_ascii(out, units, n);
}

}  // namespace ocior::encode
