#include "encode/float_run.h"

#include "num/float_text.h"
#include "simd/lanes.h"

namespace ocior::encode {

template <bool kHasLines>
FloatRun write_floats(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept {
    using V = simd::Vec<std::uint8_t>;
    const auto fill = V::splat(between.fill);
    constexpr std::size_t kStep = V::kLanes < kMaxFill ? V::kLanes : kMaxFill;
    std::uint8_t* start = at;  // of the number
    for (;;) {
        // Loads from far memory stall every conversion: ask early.
        if (end - next > 8) __builtin_prefetch(next[8]);
        std::uint8_t* const behind = num::write_regular_f64(start, PyFloat_AS_DOUBLE(*next));
        if (OCIOR_UNLIKELY(!behind)) return {at, next};
        store(behind, between.separator);
        at = behind + between.separator_length;
        ++next;
        if (next == end || at > limit || !PyFloat_CheckExact(*next)) return {at, next};
        start = at;
        if constexpr (kHasLines) {
            *start++ = '\n';
            for (std::size_t i = 0; i < kMaxFill; i += kStep) fill.store(start + i);
            start += between.fill_count;
        }
    }
}

template FloatRun write_floats<false>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template FloatRun write_floats<true>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;

}  // namespace ocior::encode
