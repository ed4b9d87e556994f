// Strings of up to 32 bytes (16 where vectors have 16): one load, one store, one test. Most keys and many values of real documents
// are that short. With AVX-512 half a vector is faster for them than a whole one, because fewer stores cross cache lines.
#pragma once

#include "simd/lanes.h"

namespace ocior::simd {

#if defined(__x86_64__)
// Constants in memory, where an instruction takes them as operands. The compiler must not see them: it would build each by two or three
// instructions anew for every string.
struct alignas(32) ShortTextConstants {
    std::uint8_t space[32];
    // For AVX-512. These are indexed by the low four bits of a character. An entry is the one character with these bits that wants a
    // backslash (in ascii_twin also DEL), or else a character with other low bits.
    std::uint8_t twin[32], ascii_twin[32];
    // For processors without AVX-512.
    std::uint8_t backslash[32], two[32], del[32];
};
extern const ShortTextConstants kShortTextConstants;
#endif

// The first n <= kLanes units of an ASCII or Latin-1 string of exactly n units.
struct ShortText {
#if defined(__AVX512VL__)
    static constexpr std::size_t kLanes = 32;
    __m256i raw;
    __mmask32 lanes;

    static OCIOR_INLINE ShortText load(const std::uint8_t* p, std::size_t n) noexcept {
        const auto lanes = static_cast<__mmask32>(_bzhi_u32(~0u, static_cast<unsigned>(n)));
        return {_mm256_maskz_loadu_epi8(lanes, p), lanes};
    }
    // kLanes units.
    static OCIOR_INLINE ShortText load_whole(const std::uint8_t* p) noexcept {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)), ~__mmask32{0}};
    }

    // Whether a unit is a quote, a backslash or a control character; or, if kAscii, above '~'.
    template <bool kAscii>
    OCIOR_INLINE bool wants_escape() const noexcept {
        const auto operand = [](const std::uint8_t* bytes) { return _mm256_load_si256(reinterpret_cast<const __m256i*>(bytes)); };
        constexpr auto& constants = kShortTextConstants;
        const __m256i twin = _mm256_shuffle_epi8(operand(kAscii ? constants.ascii_twin : constants.twin), raw);
        // As signed bytes, those above 0x7f are below 0x20 as well. The zeros behind the text are not looked at.
        const __mmask32 low = kAscii ? _mm256_mask_cmplt_epi8_mask(lanes, raw, operand(constants.space))
                                     : _mm256_mask_cmplt_epu8_mask(lanes, raw, operand(constants.space));
        return !_kortestz_mask32_u8(_mm256_cmpeq_epi8_mask(raw, twin), low);
    }
#else
    static constexpr std::size_t kLanes = kVecBytes;
    Vec<std::uint8_t> raw;
    std::size_t length;

    static OCIOR_INLINE ShortText load(const std::uint8_t* p, std::size_t n) noexcept { return {Vec<std::uint8_t>::load_upto(p, n), n}; }
    static OCIOR_INLINE ShortText load_whole(const std::uint8_t* p) noexcept { return {Vec<std::uint8_t>::load(p), kLanes}; }

    template <bool kAscii>
    OCIOR_INLINE bool wants_escape() const noexcept {
#if defined(__x86_64__)
        using V = Vec<std::uint8_t>;
        constexpr auto& constants = kShortTextConstants;
        const auto marks = eq<std::uint8_t>(zero_where_marked<kAscii>(raw, V::load(constants.backslash), V::load(constants.two),
                                                                      V::load(constants.space), V::load(constants.del)),
                                            0);
#else
        auto marks = marked_lanes(raw);
        if constexpr (kAscii) marks = marks | ge<std::uint8_t>(raw, 0x7f);
#endif
        return (marks.bits() & low_bits(static_cast<unsigned>(length * Mask<std::uint8_t>::kBitsPerLane))) != 0;
    }
#endif

    // Stores the units as units of `out`; over what is behind them, up to kLanes units, anything may be stored.
    template <CodeUnit Dst>
    OCIOR_INLINE void store(Dst* out) const noexcept {
#if defined(__AVX512VL__)
        if constexpr (sizeof(Dst) == 1) {
            _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), raw);
        } else if constexpr (sizeof(Dst) == 2) {
            _mm512_storeu_si512(out, _mm512_cvtepu8_epi16(raw));
        } else {
            _mm512_storeu_si512(out, _mm512_cvtepu8_epi32(_mm256_castsi256_si128(raw)));
            // Most texts have no unit here. (A branch would be mispredicted: texts of random lengths take 1.4 times as long.)
            _mm512_mask_storeu_epi32(out + 16, static_cast<__mmask16>(lanes >> 16), _mm512_cvtepu8_epi32(_mm256_extracti128_si256(raw, 1)));
        }
#else
        store_as(out, raw);
#endif
    }
};

// Stores the 8 bytes of `word`, lowest first, as units of out.
template <CodeUnit Dst>
OCIOR_INLINE void widen_8(Dst* out, std::uint64_t word) noexcept {
    // In the compiler's own vectors: GCC makes vector code of two steps that double the width, but not of one that makes it fourfold.
    using Bytes = std::uint8_t __attribute__((vector_size(8)));
    using Words = std::uint16_t __attribute__((vector_size(16)));
    const Words words = __builtin_convertvector(std::bit_cast<Bytes>(word), Words);
    if constexpr (sizeof(Dst) == 2) {
        std::memcpy(out, &words, sizeof words);
    } else {
        using Doubles = std::uint32_t __attribute__((vector_size(32)));
        const Doubles doubles = __builtin_convertvector(words, Doubles);
        std::memcpy(out, &doubles, sizeof doubles);
    }
}

// Stores the 32 bytes at p as units of out: the text of a number on its way into wider text.
template <CodeUnit Dst>
OCIOR_INLINE void widen_32(Dst* out, const std::uint8_t* p) noexcept {
    for (std::size_t i = 0; i < 32; i += ShortText::kLanes) ShortText::load_whole(p + i).store(out + i);
}

}  // namespace ocior::simd
