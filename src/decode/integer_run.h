// Short integers in a row, as arrays of indices, counts and flags hold them. Read one by one, each waits until the length of the one before
// it is known; here one look at a vector of text finds all their ends.
#pragma once

#include "decode/builder.h"
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

// What was read: all but the last item are on the stack up to `top`, and p is the comma behind that one. No item if there is none; no p if
// out of memory.
template <typename Unit>
struct IntegerRun {
    const Unit* p;
    PyObject** top;
    PyObject* last;
};

// Reads the items of an array, from its first at p on, while they are integers without a sign and of up to kMostRunDigits digits, each with
// a comma behind it, and maybe a space, as long as there is room before `limit`.
template <typename Builder, typename Source>
OCIOR_NOINLINE IntegerRun<typename Source::Unit> read_integer_run(Call<Source>& call, const typename Source::Unit* p, PyObject** top,
                                                                  PyObject** limit) noexcept {
    using Unit = typename Source::Unit;
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
            PyObject* const object = Builder::integer(call, simd::value8(values), false, first, p + end);
            if (last) *top++ = last;
            last = object;
            if (OCIOR_UNLIKELY(!object)) return {nullptr, top, nullptr};
            read = end;
        }
        p += read;
    } while (read > kLanes / 2);
    return {p, top, last};
}

}  // namespace ocior::decode
