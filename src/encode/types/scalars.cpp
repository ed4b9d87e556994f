// UUIDs.
#include "encode/types/rich.h"
#include "encode/walk.h"
#include "py/number.h"

#include <structmember.h>

namespace ocior::encode {
namespace {

// The eight digits of 32 bits, by arithmetic in 64: half a byte to each byte, then ten and more are lifted from '9' to 'a'.
std::uint64_t hex_digits(std::uint32_t bits) noexcept {
    std::uint64_t spread = __builtin_bswap32(bits);
    spread = (spread << 16 | spread) & 0x0000ffff0000ffff;
    spread = (spread << 8 | spread) & 0x00ff00ff00ff00ff;
    spread = (spread & 0x00f000f000f000f0) >> 4 | (spread & 0x000f000f000f000f) << 8;
    const std::uint64_t is_letter = (spread + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return spread + 0x3030303030303030 + is_letter * ('a' - '0' - 10);
}

// The attribute `int`, which is a slot of the class.
Owned int_of(Call& call, PyObject* value) noexcept {
    PyObject* const slot = layout::kHasGil ? _PyType_Lookup(Py_TYPE(value), call.own.int_name) : nullptr;
    if (OCIOR_LIKELY(slot && Py_IS_TYPE(slot, &PyMemberDescr_Type))) {
        const PyMemberDef* const member = reinterpret_cast<PyMemberDescrObject*>(slot)->d_member;
        PyObject* const found = *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(value) + member->offset);
        if (OCIOR_LIKELY(member->type == T_OBJECT_EX && found)) return Owned::borrow(found);
    }
    return Owned::steal(PyObject_GetAttr(value, call.own.int_name));
}

// The canonical form of RFC 9562: 8-4-4-4-12 digits.
std::uint8_t* write_uuid(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    const Owned number = int_of(call, value);
    std::uint64_t high, low;
    if (!number) return call.pin(), nullptr;
    if (!PyLong_Check(number.get()) || !uint128_value(number.get(), high, low)) {
        call.pin();
        return PyErr_SetString(PyExc_TypeError, "the int of a UUID is not one of 128 bits"), nullptr;
    }
    const std::uint64_t first = hex_digits(static_cast<std::uint32_t>(high >> 32)), second = hex_digits(static_cast<std::uint32_t>(high)),
                        third = hex_digits(static_cast<std::uint32_t>(low >> 32)), last = hex_digits(static_cast<std::uint32_t>(low));
    store(to, first);
    to[8] = '-';
    store(to + 9, static_cast<std::uint32_t>(second));
    to[13] = '-';
    store(to + 14, static_cast<std::uint32_t>(second >> 32));
    to[18] = '-';
    store(to + 19, static_cast<std::uint32_t>(third));
    to[23] = '-';
    store(to + 24, static_cast<std::uint32_t>(third >> 32));
    store(to + 28, last);
    return to + 36;
}

}  // namespace

const Handler kUuid{Handler::Role::kText, write_uuid};

}  // namespace ocior::encode
