// int and float objects: reading their value without a call, and building them from their layout.
#pragma once

#include "py/layout.h"
#include "py/str.h"

namespace ocior {

// True, and the value, when an int (or a subclass instance) fits 64 bits with sign; false without an error otherwise.
OCIOR_INLINE bool small_int_value(PyObject* integer, std::int64_t& value) noexcept {
    if constexpr (layout::kThirtyBitDigits) {
        auto* object = reinterpret_cast<PyLongObject*>(integer);
#if PY_VERSION_HEX >= 0x030C0000
        const std::uintptr_t tag = object->long_value.lv_tag;
        const std::size_t digits = tag >> 3;
        const std::int64_t sign = 1 - static_cast<std::int64_t>(tag & 3);
        const digit* d = object->long_value.ob_digit;
        if (OCIOR_LIKELY(digits <= 1)) {
            value = sign * static_cast<std::int64_t>(d[0]);  // zero has sign 0 and digit 0
            return true;
        }
#else
        const Py_ssize_t size = Py_SIZE(integer);
        const std::size_t digits = static_cast<std::size_t>(size < 0 ? -size : size);
        const std::int64_t sign = size < 0 ? -1 : 1;
        const digit* d = object->ob_digit;
        if (OCIOR_LIKELY(digits <= 1)) {
            value = digits ? sign * static_cast<std::int64_t>(d[0]) : 0;
            return true;
        }
#endif
        if (OCIOR_LIKELY(digits == 2)) {
            value = sign * static_cast<std::int64_t>(d[0] | static_cast<std::uint64_t>(d[1]) << 30);
            return true;
        }
    }
    int overflow = 0;
    value = PyLong_AsLongLongAndOverflow(integer, &overflow);
    return overflow == 0;
}

// Interned small ints are CPython's business: only values outside [-5, 1024] may be built directly (3.15 caches up to 1024).
inline constexpr std::int64_t kFirstDirectInt = 1025;

// Needs Tricks::direct_scalars. Null when out of memory (no error set).
OCIOR_INLINE PyObject* new_int_direct(const ObjectAllocator& allocator, std::int64_t value) noexcept {
    const std::uint64_t magnitude = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    const unsigned digits = 1 + (magnitude >> 30 != 0) + (magnitude >> 60 != 0);
#if PY_VERSION_HEX >= 0x030C0000
    constexpr std::size_t header = offsetof(PyLongObject, long_value.ob_digit);
#else
    constexpr std::size_t header = offsetof(PyLongObject, ob_digit);
#endif
    // Two digits fit the size class of one.
    auto* object = static_cast<PyLongObject*>(allocator.allocate(header + (digits <= 2 ? 8 : 12)));
    if (OCIOR_UNLIKELY(!object)) return nullptr;
    init_header(reinterpret_cast<PyObject*>(object), &PyLong_Type);
#if PY_VERSION_HEX >= 0x030C0000
    object->long_value.lv_tag = static_cast<std::uintptr_t>(digits) << 3 | (value < 0 ? 2 : 0);
    digit* d = object->long_value.ob_digit;
#else
    Py_SET_SIZE(object, value < 0 ? -static_cast<Py_ssize_t>(digits) : static_cast<Py_ssize_t>(digits));
    digit* d = object->ob_digit;
#endif
    constexpr std::uint64_t mask = (1ull << 30) - 1;
    d[0] = static_cast<digit>(magnitude & mask);
    d[1] = static_cast<digit>(magnitude >> 30 & mask);
    if (digits == 3) d[2] = static_cast<digit>(magnitude >> 60);
    return reinterpret_cast<PyObject*>(object);
}

// Needs Tricks::direct_scalars. Null when out of memory (no error set).
OCIOR_INLINE PyObject* new_float_direct(const ObjectAllocator& allocator, double value) noexcept {
    auto* object = static_cast<PyFloatObject*>(allocator.allocate(sizeof(PyFloatObject)));
    if (OCIOR_UNLIKELY(!object)) return nullptr;
    init_header(reinterpret_cast<PyObject*>(object), &PyFloat_Type);
    object->ob_fval = value;
    return reinterpret_cast<PyObject*>(object);
}

}  // namespace ocior
