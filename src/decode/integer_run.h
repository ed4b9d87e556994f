// Short integers in a row, as arrays of indices, counts and flags hold them. Read one by one, each waits until the length of the one before it is
// known; here one look at a vector of text finds all their ends.
#pragma once

#include "decode/builder.h"
#include "simd/lanes.h"

namespace ocior::decode {

inline constexpr std::ptrdiff_t kMostRunDigits = 8;  // a longer integer ends a run
inline constexpr std::size_t kWorthALook = 4;  // items that an array has before it is looked whether more are a run

// `last` is the item that was read last, not yet on the stack, and p the comma behind it. Null if out of memory: then all are on the stack.
template <typename Unit>
struct IntegerRun {
    const Unit* p;
    PyObject** top;
    PyObject* last;
};

// Reads on while integers without a sign and of up to kMostRunDigits digits follow, each behind a comma with a space or without, each with a comma
// behind it, as long as there is room before `limit`.
template <typename Builder, typename Source>
OCIOR_NOINLINE IntegerRun<typename Source::Unit> read_integer_run(Call<Source>& call, IntegerRun<typename Source::Unit> run, PyObject** limit) noexcept {
    using Unit = typename Source::Unit;
    using V = simd::Vec<Unit>;
    constexpr auto kLanes = static_cast<unsigned>(V::kLanes);
    unsigned read;  // units
    do {
        if (OCIOR_UNLIKELY(limit - run.top <= static_cast<std::ptrdiff_t>(kLanes))) break;
        const V text = V::load(run.p);
        const std::uint64_t commas = simd::eq<Unit>(text, ',').lane_bits(), spaces = simd::eq<Unit>(text, ' ').lane_bits();
        const std::uint64_t beyond_digits = simd::ge<Unit>(text, '9' + 1).lane_bits();
        const std::uint64_t digits = simd::ge<Unit>(text, '0').lane_bits() & ~beyond_digits, zeros = simd::eq<Unit>(text, '0').lane_bits();
        // Up to the first unit that is none of the three, a space where none is taken, or a zero that leads.
        const std::uint64_t behind_commas = commas << 1, starts = (behind_commas & ~spaces) | (behind_commas & spaces) << 1;
        const std::uint64_t stops = ~(commas | spaces | digits) | (spaces & ~behind_commas) | (zeros & starts & digits >> 1);
        std::uint64_t ends = commas & (stops - 1) & ~stops & low_bits(kLanes) & ~1ull;
        read = 0;
        for (; ends != 0; ends &= ends - 1) {
            const unsigned end = trailing_zeros(ends), start = read + 1 + (spaces >> (read + 1) & 1), length = end - start;
            if (OCIOR_UNLIKELY(length - 1 >= static_cast<unsigned>(kMostRunDigits))) break;
            const Unit* const first = run.p + start;
            const std::uint64_t block = (simd::load_narrow8(first) ^ num::detail::kZeros) << (64 - 8 * length);
            PyObject* const object = Builder::integer(call, simd::value8(block), false, first, run.p + end);
            *run.top++ = std::exchange(run.last, object);
            if (OCIOR_UNLIKELY(!object)) return run;
            read = end;
        }
        run.p += read;
    } while (read > kLanes / 2);
    return run;
}

}  // namespace ocior::decode
