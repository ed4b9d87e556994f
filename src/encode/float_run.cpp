#include "encode/float_run.h"

#include "encode/line.h"
#include "num/float_text.h"

namespace ocior::encode {

template <bool kHasLines>
FloatRun write_floats(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept {
    const auto fill = simd::Vec<std::uint8_t>::splat(between.fill);
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
        start = kHasLines ? put_short_line(at, fill, between.fill_count) : at;
    }
}

template FloatRun write_floats<false>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template FloatRun write_floats<true>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;

}  // namespace ocior::encode
