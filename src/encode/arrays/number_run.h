// Runs of floats in a list, and of points, short lists of numbers: in batches where there are vectors for them, else by loops whose
// constants stay in registers.
#pragma once

#include "encode/float_style.h"
#include "encode/line.h"
#include "num/write.h"
#include "py/fetch.h"
#include "simd/u64x8.h"

namespace ocior::encode {

// What stands between two items of a list.
struct Between {
    std::uint64_t separator;  // ASCII, behind each item
    std::size_t separator_length;
    std::uint8_t fill;        // if each item has a line of its own: what it is indented with
    std::size_t fill_count;   // at most kShortLine
    std::size_t fill_step;    // what a list among the items adds to that; at most kShortLine together
    NonFiniteNumbers non_finite;
    Exponents exponents;
};

struct NumberRun {
    std::uint8_t* at;
    PyObject* const* next;  // the first item that was not written
};

inline constexpr std::ptrdiff_t kWorthARun = simd::kHasU64x8 ? 6 : 8;  // fewer floats are written faster one by one
// Whether it is worth it to write floats from here on as a run: zeros, and floats between others, are slower that way, too.
OCIOR_INLINE bool may_begin_run(PyObject* const* first, PyObject* const* end) noexcept {
    const auto is_worth = [](PyObject* item) { return PyFloat_CheckExact(item) && PyFloat_AS_DOUBLE(item) != 0; };
    return OCIOR_UNLIKELY(end - first >= kWorthARun) && is_worth(first[0]) && is_worth(first[1]);
}

// Writes the items [next, end), each with a separator, as long as they are floats of exactly that type, none of them refused, and
// start at `limit` or before it. Of a line before each item, the first one's is there already. Needs the GIL.
template <bool kHasLines>
NumberRun write_floats(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept;

// A list or tuple of exactly that type, of one to kMaxPoint floats and ints of exactly those types: coordinates, a box, a time and a value,
// a row of a small table. Without a GIL, a list that no other thread can find.
inline constexpr Py_ssize_t kSmallPoint = 4, kMaxPoint = simd::kHasU64x8 ? 16 : kSmallPoint;
template <Py_ssize_t kMost = kMaxPoint>
OCIOR_INLINE bool is_short_list(PyObject* value) noexcept {
    return ((PyList_CheckExact(value) && has_one_reference(value)) || PyTuple_CheckExact(value)) &&
           static_cast<std::size_t>(Py_SIZE(value) - 1) < kMost;
}
OCIOR_INLINE bool is_number(PyObject* item) noexcept { return PyFloat_CheckExact(item) || PyLong_CheckExact(item); }
// Whether a value may be a point, from the first look.
OCIOR_INLINE bool may_be_point(PyObject* value) noexcept {
    if (!is_short_list(value)) return false;
    PyObject* const* const items = items_of(value);
    const Py_ssize_t n = Py_SIZE(value);
    if (!is_number(items[0]) || !is_number(items[n - 1])) return false;
    // Ints alone are written faster as rows are.
    return PyFloat_CheckExact(items[n / 2]) || (n <= kSmallPoint && (PyFloat_CheckExact(items[0]) || PyFloat_CheckExact(items[n - 1])));
}
// Whether two values may be points, from the first look. (Lists of short lists of other things ask this of each: what they are is told
// without a call.)
bool may_be_points_by_ends(PyObject* first, PyObject* second) noexcept;
OCIOR_INLINE bool may_be_points(PyObject* first, PyObject* second) noexcept {
    return is_short_list(first) && is_number(items_of(first)[0]) && may_be_points_by_ends(first, second);
}

// Writes the items [next, end) as write_floats() does, as long as they are points, none of their floats is refused, and their ints have at
// most two 30-bit digits. (The conversion of larger ints may look for signals, whose handlers are Python code.) It writes only if the
// first two are points and there is room for the first before `limit`, behind which kPointRoom is needed.
template <bool kHasLines>
NumberRun write_points(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept;

// What a small point takes: its line, a bracket, the numbers with theirs, the last line, a bracket, what is stored of a separator.
inline constexpr std::size_t kPointRoom =
    (1 + kShortLine) + 1 + kSmallPoint * (1 + kShortLine + num::kMaxFloat64Len + 2) + (1 + kShortLine) + 1 + 8;

}  // namespace ocior::encode
