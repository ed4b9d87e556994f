// Seventeen digits in vector registers, laid out as text with a point among them.
#pragma once

#include "base/bits.h"

#if defined(__SSE4_1__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace ocior::simd {

// Digits17 holds the sixteen digits of `head` and one more, `tail`. The first digit of head may be 0 (`lead` is then 1): it
// is not part of the text. Moving past it is done while laying out, because the arithmetic before takes longest.
//   count()          digits of the text without trailing zeros
//   put(out, point)  all digits at `out`, a point behind the first `point` of them (1 to 16), or none for kPointless;
//                    may store 32 bytes
inline constexpr unsigned kPointless = 17;

// Digits out of an integer, by division and remainder at once (Xiang JunBo's form): x + (2^s - d) * (x / d) puts
// x / d above bit s and x % d below it. The quotients are multiply-and-shift.
//   abcdefgh -> abcd : efgh -> ab : cd : ef : gh -> a : b : ... : h, most significant field highest
inline constexpr std::uint64_t kDiv10000 = (1ull << 40) / 10000 + 1, kMod10000 = (1ull << 32) - 10000;
inline constexpr std::uint64_t kDiv100 = (1ull << 19) / 100 + 1, kMod100 = (1ull << 16) - 100;
inline constexpr std::uint64_t kDiv10 = (1ull << 16) / 10 + 1, kMod10 = (1ull << 8) - 10;
// Rounding the factor up is harmless while x * (factor * d - 2^s) < 2^s.
static_assert(99999999 * (kDiv10000 * 10000 - (1ull << 40)) < (1ull << 40));
static_assert(9999 * (kDiv100 * 100 - (1ull << 19)) < (1ull << 19));
static_assert(99 * (kDiv10 * 10 - (1ull << 16)) < (1ull << 16));

#if defined(__SSE4_1__)

class Digits17 {
public:
    // head < 10^16 and head > 0, tail < 10, lead = head < 10^15.
    OCIOR_INLINE Digits17(std::uint64_t head, unsigned tail, unsigned lead) noexcept : tail_(tail), lead_(lead) {
        const std::uint64_t high = head / 100000000, low = head - high * 100000000;
        const Constants* c = &kConstants;
        asm("" : "+r"(c));  // or GCC makes every constant anew from a general register
        const auto splat = [c](int i) { return _mm_load_si128(reinterpret_cast<const __m128i*>(c->splat[i])); };
        __m128i x = _mm_insert_epi64(_mm_cvtsi64_si128(static_cast<long long>(low)), static_cast<long long>(high), 1);
        x = _mm_add_epi64(x, _mm_mul_epu32(_mm_srli_epi64(_mm_mul_epu32(x, splat(0)), 40), splat(1)));
        // Only the even 16-bit lanes are not 0. Quotients move to the odd lanes, remainders stay.
        const __m128i hundreds = _mm_srli_epi16(_mm_mulhi_epu16(x, splat(2)), 3);
        x = _mm_or_si128(_mm_add_epi16(x, _mm_mullo_epi16(hundreds, splat(3))), _mm_slli_epi32(hundreds, 16));
        reversed_ = _mm_add_epi16(x, _mm_mullo_epi16(_mm_mulhi_epu16(x, splat(4)), splat(5)));
    }

    OCIOR_INLINE unsigned count() const noexcept {
        const auto non_zero = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpgt_epi8(reversed_, _mm_setzero_si128())));
        return 17 - lead_ - static_cast<unsigned>(__builtin_ctz(2 * non_zero + (tail_ != 0)));
    }

#if defined(__AVX512VBMI__) && defined(__AVX512VL__)
    OCIOR_INLINE void put(std::uint8_t* out, unsigned point) const noexcept {
        // The point rides along as a digit of value '.' - '0'.
        const auto beside = static_cast<int>(tail_ | (('.' - '0') & 0xff) << 8);
        const __m256i all = _mm256_inserti128_si256(_mm256_castsi128_si256(reversed_), _mm_cvtsi32_si128(beside), 1);
        const __m256i take = _mm256_load_si256(reinterpret_cast<const __m256i*>(kLayout.take[lead_][point]));
        const __m256i text = _mm256_add_epi8(_mm256_permutexvar_epi8(take, all), _mm256_set1_epi8('0'));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), text);
    }
#else
    OCIOR_INLINE void put(std::uint8_t* out, unsigned point) const noexcept {
        const Row& row = kLayout.row[lead_][point];
        const __m128i digits = _mm_shuffle_epi8(reversed_, _mm_load_si128(reinterpret_cast<const __m128i*>(row.take)));
        const __m128i text = _mm_or_si128(digits, _mm_load_si128(reinterpret_cast<const __m128i*>(row.text)));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out), text);
        const unsigned last = static_cast<unsigned>(_mm_cvtsi128_si32(reversed_)) & 0xff;
        put_behind(out, point, last);
    }
#endif

private:
    struct Constants {
        alignas(16) std::uint64_t splat[6][2];
    };
    static constexpr Constants make_constants() noexcept {
        constexpr std::uint64_t k16 = 0x0001000100010001;
        const std::uint64_t value[6] = {kDiv10000, kMod10000, kDiv100 * k16, kMod100 * k16, kDiv10 * k16, kMod10 * k16};
        Constants constants{};
        for (int i = 0; i < 6; ++i) constants.splat[i][0] = constants.splat[i][1] = value[i];
        return constants;
    }
    static const Constants kConstants;
