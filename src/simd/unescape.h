// Escapes of one letter, resolved a vector at a time: what decode/ makes of text between quotes.
#pragma once

#include "simd/lanes.h"

namespace ocior::simd {

// What a one-letter escape stands for; 0 for u and for anything invalid.
struct alignas(64) EscapeMeanings {
    std::uint8_t of[128] = {};
};
inline constexpr EscapeMeanings kMeanings = [] {
    EscapeMeanings table;
    table.of['"'] = '"', table.of['\\'] = '\\', table.of['/'] = '/', table.of['b'] = '\b', table.of['f'] = '\f';
    table.of['n'] = '\n', table.of['r'] = '\r', table.of['t'] = '\t';
    return table;
}();

struct Unescaped {
    std::size_t taken;    // units of the source that are done with
    std::size_t written;
    bool stopped;         // by what is neither ASCII text nor such an escape: it comes next
};

// Resolves escapes in the kVecBytes units at `p`, which begin outside of one. Stores a whole vector and maybe a unit at `out`.
#if defined(__AVX512VBMI2__)
OCIOR_INLINE Unescaped unescape_block(std::uint8_t* out, const std::uint8_t* p) noexcept {
    const __m512i raw = _mm512_loadu_si512(p);
    const auto is = [raw](char unit) { return static_cast<std::uint64_t>(_mm512_cmpeq_epi8_mask(raw, _mm512_set1_epi8(unit))); };
    // Of a run of backslashes every other one begins an escape. The addition carries through each run (simdjson, Langdale and Lemire 2019).
    constexpr std::uint64_t kEven = 0x5555555555555555;
    const std::uint64_t backslashes = is('\\');
    const std::uint64_t followers = backslashes << 1;
    const std::uint64_t odd_starts = backslashes & ~kEven & ~followers;
    const std::uint64_t escaped = (kEven ^ (odd_starts + backslashes) << 1) & followers;
    const std::uint64_t starts = backslashes & ~escaped;

    const __m512i meant = _mm512_permutex2var_epi8(_mm512_load_si512(kMeanings.of), raw, _mm512_load_si512(kMeanings.of + 64));
    const std::uint64_t high = _mm512_movepi8_mask(raw);  // the look-up has ignored these bits
    const std::uint64_t unknown = escaped & (high | _mm512_testn_epi8_mask(meant, meant));
    const std::uint64_t low = _mm512_cmplt_epu8_mask(raw, _mm512_set1_epi8(0x20));
    const std::uint64_t stops = (is('"') & ~escaped) | low | high | unknown >> 1;

    // An escape that the vector's end cuts is left to the next one.
    const std::uint64_t ends = stops | (starts & std::uint64_t{1} << 63);
    const std::size_t n = ends ? static_cast<std::size_t>(trailing_zeros(ends)) : 64;
    const std::uint64_t kept = ~starts & low_bits(static_cast<unsigned>(n));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, _mm512_mask_mov_epi8(raw, escaped, meant)));
    return {n, static_cast<std::size_t>(__builtin_popcountll(kept)), stops != 0};
}
#else
OCIOR_INLINE Unescaped unescape_block(std::uint8_t* out, const std::uint8_t* p) noexcept {
    using Units = Vec<std::uint8_t>;
    const auto block = Units::load(p);
    block.store(out);
    const auto stops = marked_or_wide_lanes(block);
    if (!stops.any()) return {kVecBytes, kVecBytes, false};
    const std::size_t n = stops.first();
    const std::uint8_t letter = p[n] == '\\' ? p[n + 1] : 0;
    const std::uint8_t meant = letter < 0x80 ? kMeanings.of[letter] : 0;
    if (!meant) return {n, n, true};
    out[n] = meant;
    return {n + 2, n + 1, false};
}
#endif

}  // namespace ocior::simd
