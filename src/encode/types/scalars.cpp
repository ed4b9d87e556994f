// UUIDs.
#include "encode/types/rich.h"
#include "encode/walk.h"
#include "py/number.h"

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

// The canonical form of RFC 9562: 8-4-4-4-12 digits. Null where the number is no int of 128 bits.
OCIOR_INLINE std::uint8_t* put_uuid(std::uint8_t* to, PyObject* number) noexcept {
    std::uint64_t high, low;
    if (OCIOR_UNLIKELY(!PyLong_Check(number) || !uint128_value(number, high, low))) return nullptr;
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

std::uint8_t* write_uuid(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    const Owned number = Owned::steal(PyObject_GetAttr(value, call.own.int_name));
    if (!number) return nullptr;
    std::uint8_t* const end = put_uuid(to, number.get());
    if (!end) PyErr_SetString(PyExc_TypeError, "the int of a UUID is not one of 128 bits");
    return end;
}

// By its attribute `int`, which is a slot of the class.
std::uint8_t* write_uuid_at_once(const Call&, const FieldsPlan& plan, PyObject* value, std::uint8_t* to) noexcept {
    std::uint8_t* const end = plan.with_first_value(
        value, [to](PyObject* number) OCIOR_INLINE_LAMBDA { return OCIOR_LIKELY(number != nullptr) ? put_uuid(to + 1, number) : nullptr; });
    if (OCIOR_UNLIKELY(!end)) return nullptr;
    *to = *end = '"';
    return end + 1;
}

}  // namespace

const Handler kUuid{.role = Handler::Role::kText, .write = write_uuid, .write_at_once = write_uuid_at_once};

}  // namespace ocior::encode
