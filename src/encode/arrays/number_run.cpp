#include "encode/arrays/number_run.h"

#include <cstring>
#include <type_traits>

#include "encode/line.h"
#include "num/float_batch.h"
#include "num/write.h"
#include "py/fetch.h"
#include "py/number.h"

namespace ocior::encode {

namespace {

constexpr int kBatch = num::FloatBatch::kSize, kLanes = num::FloatBatch::kLanes, kWorthABatch = 3;

// How many numbers may go into a batch, whose text is written without a look at the room left.
template <bool kHasLines>
OCIOR_INLINE int most_in_batch(const std::uint8_t* at, const std::uint8_t* limit) noexcept {
    // What a number takes that is a list by itself: two brackets, three lines, the separator behind the list.
    constexpr std::ptrdiff_t kEach = kHasLines ? 128 : 64;
    static_assert(2 + (kHasLines ? 3 * (1 + kShortLine) : 0) + num::kMaxFloat64Len + 2 <= kEach);
    const std::ptrdiff_t most = (limit - at) / kEach;
    return most < kBatch ? static_cast<int>(most) : kBatch;
}

// The end of a float's text that begins at `at`, null where there is none.
OCIOR_INLINE std::uint8_t* finish_float(std::uint8_t* at, std::uint8_t* behind, Exponents exponents) noexcept {
    return OCIOR_UNLIKELY(exponents != Exponents::kPadded) && behind ? style_exponent(exponents, at, behind) : behind;
}

// Null if the float is refused.
OCIOR_INLINE std::uint8_t* put_irregular(std::uint8_t* at, PyObject* value, NonFiniteNumbers non_finite) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    if (OCIOR_LIKELY(__builtin_isfinite(number))) return num::write_f64(at, number);
    const char* const text = non_finite_text(non_finite, number);
    if (!text) return nullptr;
    const std::size_t n = std::strlen(text);
    std::memcpy(at, text, n);
    return at + n;
}
OCIOR_INLINE std::uint8_t* put_float(std::uint8_t* at, PyObject* value, const Between& between) noexcept {
    std::uint8_t* const behind = num::write_regular_f64(at, PyFloat_AS_DOUBLE(value));
    return finish_float(at, OCIOR_LIKELY(behind != nullptr) ? behind : put_irregular(at, value, between.non_finite), between.exponents);
}
// Writes an int of at most two 30-bit digits. Null for any other item.
OCIOR_INLINE std::uint8_t* put_small_int(std::uint8_t* at, PyObject* item) noexcept {
    SmallInt value;
    if (OCIOR_UNLIKELY(!PyLong_CheckExact(item) || !read_small_int(item, value))) return nullptr;
    *at = '-';
    return num::write_u64(at + value.is_negative, value.magnitude);
}
OCIOR_INLINE bool is_point(PyObject* value) noexcept {
    if (!is_short_list(value)) return false;
    PyObject* const* const items = items_of(value);
    for (Py_ssize_t i = 0; i < Py_SIZE(value); ++i)
        if (!is_number(items[i])) return false;
    return true;
}
// The number `i` of a batch, which is that of `value`.
OCIOR_INLINE std::uint8_t* put_of(const num::FloatBatch& batch, int i, std::uint8_t* at, PyObject* value, const Between& between) noexcept {
    std::uint8_t* const behind = batch.put(at, i);
    return finish_float(at, OCIOR_LIKELY(behind != nullptr) ? behind : put_irregular(at, value, between.non_finite), between.exponents);
}

}  // namespace

bool may_be_points_by_ends(PyObject* first, PyObject* second) noexcept { return may_be_point(first) && may_be_point(second); }

template <bool kHasLines>
NumberRun write_floats(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept {
    const auto fill = simd::Vec<std::uint8_t>::splat(between.fill);
    std::uint8_t* start = at;  // of the number
    const auto put_separator = [&](std::uint8_t* behind) OCIOR_INLINE_LAMBDA {
        store(behind, between.separator);
        at = behind + between.separator_length;
        ++next;
    };
    const auto put_line = [&]() OCIOR_INLINE_LAMBDA { start = kHasLines ? put_short_line(at, fill, between.fill_count) : at; };
    [[maybe_unused]] num::FloatBatch batch;
    for (;;) {
        int count = 0;  // of floats in the batch
        if constexpr (simd::kHasU64x8) {
            int most = most_in_batch<kHasLines>(at, limit);
            if (most > end - next) most = static_cast<int>(end - next);
            for (; count < most && PyFloat_CheckExact(next[count]); ++count) {
                // Loads from far memory stall every conversion: ask early.
                if (end - next > count + 16) __builtin_prefetch(next[count + 16]);
            }
        }
        if (count >= kWorthABatch) {
            PyObject* padded[kBatch];
            PyObject* const* items = next;
            if (count % kLanes != 0) {
                for (int i = 0; i < count; ++i) padded[i] = next[i];
                for (int i = count; i % kLanes != 0; ++i) padded[i] = next[0];
                items = padded;
            }
            batch.format(count, [&](int i) OCIOR_INLINE_LAMBDA { return PyFloat_AS_DOUBLE(items[i]); });
            for (int i = 0;;) {
                std::uint8_t* const behind = put_of(batch, i, start, *next, between);
                if (OCIOR_UNLIKELY(!behind)) return {at, next};
                put_separator(behind);
                if (++i == count) break;
                put_line();
            }
        } else {
            if (end - next > 8) __builtin_prefetch(next[8]);
            std::uint8_t* const behind = finish_float(start, num::write_regular_f64(start, PyFloat_AS_DOUBLE(*next)), between.exponents);
            if (OCIOR_UNLIKELY(!behind)) return {at, next};
            put_separator(behind);
        }
        if (next == end || at > limit || !PyFloat_CheckExact(*next)) return {at, next};
        put_line();
    }
}

template <bool kHasLines>
NumberRun write_points(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept {
    if (!is_point(next[0]) || !is_point(next[1])) return {at, next};
    const auto fill = simd::Vec<std::uint8_t>::splat(between.fill);
    const auto line = [&](std::uint8_t* to, std::size_t count)
                          OCIOR_INLINE_LAMBDA { return kHasLines ? put_short_line(to, fill, count) : to; };
    std::uint8_t* start = at;
    // Writes the points up to `last` with what put_number(to, item) writes of each number, null if it cannot.
    const auto put_points = [&](PyObject* const* last, auto put_number) OCIOR_INLINE_LAMBDA {
        for (;;) {
            PyObject* const* const items = items_of(*next);
            const Py_ssize_t n = Py_SIZE(*next);
            *start = '[';
            std::uint8_t* to = start + 1;
            for (Py_ssize_t i = 0; i < n; ++i) {
                to = put_number(line(to, between.fill_count + between.fill_step), items[i]);
                if (OCIOR_UNLIKELY(!to)) return false;
                store(to, between.separator);
                to += between.separator_length;
            }
            to = line(to - between.separator_length, between.fill_count);
            *to = ']';
            store(to + 1, between.separator);
            at = to + 1 + between.separator_length;
            if (++next == last) return true;
            start = line(at, between.fill_count);
        }
    };
    [[maybe_unused]] num::FloatBatch batch;
    [[maybe_unused]] PyObject* number[kBatch + kMaxPoint];
    bool has_ints = false;
    for (;;) {
        PyObject* const* last = next + 1;  // behind the points of this round
        int count = 0;                     // of their floats that are in the batch
        if constexpr (simd::kHasU64x8) {
            const int most = most_in_batch<kHasLines>(at, limit);
            const auto collect = [&](auto may_have_ints) OCIOR_INLINE_LAMBDA {
                int total = count = 0;
                for (last = next; last != end && is_short_list(*last); ++last) {
                    prefetch_containers(last, end);
                    PyObject* const* const items = items_of(*last);
                    const auto n = static_cast<int>(Py_SIZE(*last));
                    bool is_all = total + n <= most || (last == next && n <= kSmallPoint);
                    int floats = 0;
                    for (int i = 0; i < n; ++i) {
                        const bool is_float = PyFloat_CheckExact(items[i]);
                        is_all &= may_have_ints ? is_float | PyLong_CheckExact(items[i]) : is_float;
                        number[count + floats] = items[i];
                        floats += may_have_ints ? is_float : 1;
                    }
                    if (!is_all) break;
                    total += n;
                    count += floats;
                }
            };
            if (!has_ints) collect(std::false_type{});
            has_ints |= count < kWorthABatch;
            if (has_ints) collect(std::true_type{});
            if (last == next) return {at, next};
        } else {
            prefetch_containers(next, end);
        }
        bool written;
        if (count >= kWorthABatch) {
            for (int i = count; i % kLanes != 0; ++i) number[i] = number[0];
            batch.format(count, [&](int i) OCIOR_INLINE_LAMBDA { return PyFloat_AS_DOUBLE(number[i]); });
            int i = 0;
            const auto put_next = [&](std::uint8_t* to, PyObject* item)
                                      OCIOR_INLINE_LAMBDA { return put_of(batch, i++, to, item, between); };
            written = OCIOR_LIKELY(!has_ints) ? put_points(last, put_next)
                                              : put_points(last, [&](std::uint8_t* to, PyObject* item) OCIOR_INLINE_LAMBDA {
                                                    return PyFloat_CheckExact(item) ? put_next(to, item) : put_small_int(to, item);
                                                });
        } else {
            written = put_points(last, [&](std::uint8_t* to, PyObject* item) OCIOR_INLINE_LAMBDA {
                return OCIOR_LIKELY(PyFloat_CheckExact(item)) ? put_float(to, item, between) : put_small_int(to, item);
            });
        }
        if (OCIOR_UNLIKELY(!written) || next == end || at > limit || !is_short_list(*next)) return {at, next};
        start = line(at, between.fill_count);
    }
}

template NumberRun write_floats<false>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template NumberRun write_floats<true>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template NumberRun write_points<false>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;
template NumberRun write_points<true>(std::uint8_t*, const std::uint8_t*, PyObject* const*, PyObject* const*, Between) noexcept;

}  // namespace ocior::encode
