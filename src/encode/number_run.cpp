#include "encode/number_run.h"

#include "encode/line.h"
#include "num/float_text.h"
#include "num/write.h"
#include "py/fetch.h"
#include "py/number.h"

namespace ocior::encode {

template <bool kHasLines>
NumberRun write_floats(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept {
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

template <bool kHasLines>
NumberRun write_points(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept {
    const auto fill = simd::Vec<std::uint8_t>::splat(between.fill);
    const auto line = [&](std::uint8_t* to, std::size_t count) OCIOR_INLINE_LAMBDA { return kHasLines ? put_short_line(to, fill, count) : to; };
    std::uint8_t* start = at;
    for (;;) {
        prefetch_lists(next, end);
        PyObject* const list = *next;
        PyObject* const* const items = items_of(list);
        const Py_ssize_t n = PyList_GET_SIZE(list);
        *start = '[';
        std::uint8_t* to = start + 1;
        for (Py_ssize_t i = 0; i < n; ++i) {
            to = line(to, between.fill_count + between.fill_step);
            if (PyFloat_CheckExact(items[i])) {
                const double number = PyFloat_AS_DOUBLE(items[i]);
                if (std::uint8_t* const behind = num::write_regular_f64(to, number); OCIOR_LIKELY(behind != nullptr)) to = behind;
                else if (__builtin_isfinite(number)) to = num::write_f64(to, number);
                else return {at, next};
            } else {
                SmallInt number;
                if (OCIOR_UNLIKELY(!read_small_int(items[i], number))) return {at, next};
                *to = '-';
                to = num::write_u64(to + number.is_negative, number.magnitude);
            }
            store(to, between.separator);
            to += between.separator_length;
        }
        to = line(to - between.separator_length, between.fill_count);
        *to = ']';
        store(to + 1, between.separator);
        at = to + 1 + between.separator_length;
        ++next;
        if (next == end || at > limit || !is_point(*next)) return {at, next};
        start = line(at, between.fill_count);
    }
}

template NumberRun write_floats<false>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template NumberRun write_floats<true>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template NumberRun write_points<false>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template NumberRun write_points<true>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;

}  // namespace ocior::encode
