// int and float objects: reading their value without a call, and building them from their layout.
#pragma once

#include <cstdlib>

#include "py/layout.h"
#include "py/str.h"

namespace ocior {

// An int whose magnitude fits 64 bits.
struct SmallInt {
    std::uint64_t magnitude;
    std::uint64_t is_negative;  // 0 or 1
};

inline std::size_t digit_count(PyObject* integer) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
    return reinterpret_cast<PyLongObject*>(integer)->long_value.lv_tag >> 3;
#else
    return static_cast<std::size_t>(std::abs(Py_SIZE(integer)));
#endif
}

// Reads an int (or a subclass instance) of at most two 30-bit digits. False for any other.
OCIOR_INLINE bool read_small_int(PyObject* integer, SmallInt& value) noexcept {
    if constexpr (!layout::kThirtyBitDigits) return false;
    auto* object = reinterpret_cast<PyLongObject*>(integer);
#if PY_VERSION_HEX >= 0x030C0000
    const std::uintptr_t tag = object->long_value.lv_tag;  // the count of 30-bit digits is above the three lowest bits; 2 in them: negative
    const digit* d = object->long_value.ob_digit;
    value.is_negative = (tag >> 1) & 1;
    if (OCIOR_LIKELY(tag < 2 << 3)) {
        value.magnitude = d[0];  // zero has a 30-bit digit in memory, too
        return true;
    }
    if (OCIOR_UNLIKELY(tag >= 3 << 3)) return false;
#else
    const Py_ssize_t size = Py_SIZE(integer);
    const digit* d = object->ob_digit;
    value.is_negative = size < 0;
    if (OCIOR_LIKELY(static_cast<std::size_t>(size + 1) <= 2)) {
        value.magnitude = size ? d[0] : 0;
        return true;
    }
    if (OCIOR_UNLIKELY(size != 2 && size != -2)) return false;
#endif
    value.magnitude = d[0] | static_cast<std::uint64_t>(d[1]) << 30;
    return true;
}

// Reads an int (or a subclass instance) of three 30-bit digits whose magnitude fits 64 bits. False for any other, when `value` may have
// changed.
inline bool read_three_digits(PyObject* integer, SmallInt& value) noexcept {
    if (!layout::kThirtyBitDigits || digit_count(integer) != 3) return false;
#if PY_VERSION_HEX >= 0x030C0000
    value.is_negative = (reinterpret_cast<PyLongObject*>(integer)->long_value.lv_tag >> 1) & 1;
    const digit* const d = reinterpret_cast<PyLongObject*>(integer)->long_value.ob_digit;
#else
    value.is_negative = Py_SIZE(integer) < 0;
    const digit* const d = reinterpret_cast<PyLongObject*>(integer)->ob_digit;
#endif
    value.magnitude = d[0] | static_cast<std::uint64_t>(d[1]) << 30 | static_cast<std::uint64_t>(d[2]) << 60;
    return d[2] >> 4 == 0;
}

// Reads an int (or a subclass instance) that fits 64 bits with a sign. False, without an error, for any other.
OCIOR_INLINE bool int64_value(PyObject* integer, std::int64_t& value) noexcept {
    SmallInt small;
    if (OCIOR_LIKELY(read_small_int(integer, small)) || read_three_digits(integer, small)) {
        value = static_cast<std::int64_t>(small.is_negative ? -small.magnitude : small.magnitude);
        return small.is_negative ? small.magnitude <= std::uint64_t{1} << 63 : value >= 0;
    }
    if constexpr (layout::kThirtyBitDigits) return false;
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    return overflow == 0;
}

// Reads an int that fits 128 bits without a sign. False, without an error, for any other.
inline bool uint128_value(PyObject* integer, std::uint64_t& high, std::uint64_t& low) noexcept {
    if constexpr (!layout::kThirtyBitDigits) return false;
    const std::size_t count = digit_count(integer);
#if PY_VERSION_HEX >= 0x030C0000
    const bool is_negative = reinterpret_cast<PyLongObject*>(integer)->long_value.lv_tag & 2;
    const digit* const d = reinterpret_cast<PyLongObject*>(integer)->long_value.ob_digit;
#else
    const bool is_negative = Py_SIZE(integer) < 0;
    const digit* const d = reinterpret_cast<PyLongObject*>(integer)->ob_digit;
#endif
    if (is_negative || count > 5 || (count == 5 && d[4] >> 8)) return false;
    if (OCIOR_LIKELY(count == 5)) {  // as nearly all UUIDs have
        low = d[0] | static_cast<std::uint64_t>(d[1]) << 30 | static_cast<std::uint64_t>(d[2]) << 60;
        high = d[2] >> 4 | static_cast<std::uint64_t>(d[3]) << 26 | static_cast<std::uint64_t>(d[4]) << 56;
        return true;
    }
    unsigned __int128 value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 30 | d[i];
    high = static_cast<std::uint64_t>(value >> 64);
    low = static_cast<std::uint64_t>(value);
    return true;
}

// Makes an int, but none of those that CPython keeps (layout::kFirstSmallInt to kLastSmallInt). Needs Tricks::direct_scalars. Null when out
// of memory (no error set).
OCIOR_INLINE PyObject* new_int_direct(ObjectAllocator& allocator, std::uint64_t magnitude, bool negative) noexcept {
    constexpr std::uint64_t kOneDigit = 0x3fffffff, kThirdDigit = 1ull << 60;
#if PY_VERSION_HEX >= 0x030C0000
    constexpr std::size_t header = offsetof(PyLongObject, long_value.ob_digit);
#else
    constexpr std::size_t header = offsetof(PyLongObject, ob_digit);
#endif
    // One 30-bit digit gets the room of two, which is in the same size class.
    const bool has_third = magnitude >= kThirdDigit;
    const std::uintptr_t digits = 1u + (magnitude > kOneDigit) + has_third;
    auto* object = static_cast<PyLongObject*>(OCIOR_LIKELY(!has_third) ? allocator.allocate(header + 8) : allocator.allocate(header + 12));
    if (OCIOR_UNLIKELY(!object)) return nullptr;
    layout::init_header(reinterpret_cast<PyObject*>(object), &PyLong_Type);
#if PY_VERSION_HEX >= 0x030C0000
    object->long_value.lv_tag = digits << 3 | static_cast<std::uintptr_t>(negative) << 1;
    digit* d = object->long_value.ob_digit;
#else
    Py_SET_SIZE(object, negative ? -static_cast<Py_ssize_t>(digits) : static_cast<Py_ssize_t>(digits));
    digit* d = object->ob_digit;
#endif
    store(d, (magnitude & 0x3fffffff) | (magnitude << 2 & 0x3fffffff00000000));
    if (OCIOR_UNLIKELY(has_third)) d[2] = static_cast<digit>(magnitude >> 60);
    return reinterpret_cast<PyObject*>(object);
}

// Needs Tricks::direct_scalars. Null when out of memory (no error set).
OCIOR_INLINE PyObject* new_float_direct(ObjectAllocator& allocator, double value) noexcept {
    auto* object = static_cast<PyFloatObject*>(allocator.allocate(sizeof(PyFloatObject)));
    if (OCIOR_UNLIKELY(!object)) return nullptr;
    layout::init_header(reinterpret_cast<PyObject*>(object), &PyFloat_Type);
    object->ob_fval = value;
    return reinterpret_cast<PyObject*>(object);
}

}  // namespace ocior
