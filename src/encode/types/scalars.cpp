// UUIDs.
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "py/number.h"
#include "simd/hex.h"

namespace ocior::encode {
namespace {

// The canonical form of RFC 9562: 8-4-4-4-12 digits. Null where the number is no int of 128 bits.
OCIOR_INLINE std::uint8_t* put_uuid(std::uint8_t* to, PyObject* number) noexcept {
    std::uint64_t high, low;
    if (OCIOR_UNLIKELY(!PyLong_Check(number) || !uint128_value(number, high, low))) return nullptr;
    simd::store_uuid(to, high, low);
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

// Writes a UUID by its attribute `int`, which is a slot of the class.
std::uint8_t* write_uuid_at_once(const Call& call, const Plan& plan, PyObject* value, std::uint8_t* to) noexcept {
    const auto put = [to](PyObject* number)
                         OCIOR_INLINE_LAMBDA { return OCIOR_LIKELY(number != nullptr) ? put_uuid(to + 1, number) : nullptr; };
    // (Without a GIL the lock of an instance that others may find takes a seventh of the time.)
    const bool is_hidden = !layout::kHasGil && call.hides_items() && has_one_reference(value);
    std::uint8_t* const end = is_hidden ? put(plan.fields->first_value(value)) : plan.fields->with_first_value(value, put);
    if (OCIOR_UNLIKELY(!end)) return nullptr;
    *to = *end = '"';
    return end + 1;
}

}  // namespace

const Plan kUuid = kTextPlan<write_uuid, write_uuid_at_once>;

}  // namespace ocior::encode
