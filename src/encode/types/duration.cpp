// Durations as ISO 8601 has them: datetime's timedelta, pandas' Timedelta.
#include "num/duration.h"
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "py/attribute.h"

#pragma GCC diagnostic ignored "-Wunused-variable"  // of a pointer in it
#include <datetime.h>  // which needs Python.h before it

namespace ocior::encode {
namespace {

std::uint8_t* put(std::uint8_t* to, char character) noexcept {
    *to = static_cast<std::uint8_t>(character);
    return to + 1;
}

// So many seconds, and nanoseconds that are added to them.
std::uint8_t* put_duration(const Call& call, int128 seconds, std::uint32_t nanoseconds, std::uint8_t* to) noexcept {
    const bool is_negative = seconds < 0;
    if (is_negative) {
        seconds = -seconds - (nanoseconds > 0);
        if (nanoseconds > 0) nanoseconds = 1000000000 - nanoseconds;
    }
    return write_duration(call, is_negative, static_cast<uint128>(seconds), nanoseconds, to);
}

std::uint8_t* put_timedelta_of(const Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const auto* const delta = reinterpret_cast<PyDateTime_Delta*>(value);
    const auto nanoseconds = 1000 * static_cast<std::uint32_t>(delta->microseconds);
    return put_duration(call, delta->days * 86400ll + delta->seconds, nanoseconds, to);
}
std::uint8_t* write_timedelta(Call& call, PyObject* value, std::uint8_t* to) noexcept { return put_timedelta_of(call, value, to); }
std::uint8_t* write_timedelta_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    return put(put_timedelta_of(call, value, put(to, '"')), '"');
}

// An attribute that is an int of 64 bits. Where `most` is not 0, it is from 0 to `most`. False with an error set.
bool read_part(PyObject* value, const char* name, long long most, long long& part) noexcept {
    const Owned found = get_attribute(value, name);
    part = found ? PyLong_AsLongLong(found.get()) : -1;
    if (PyErr_Occurred()) return false;
    if (most == 0 || (part >= 0 && part <= most)) return true;
    return PyErr_Format(PyExc_ValueError, "%s must be from 0 to %lld", name, most), false;
}

// pandas' Timedelta, by its attributes: what is derived from `timedelta` in it has no nanoseconds, and is 0 where there are too many days.
std::uint8_t* write_fine_timedelta(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    long long days, seconds, microseconds, nanoseconds;
    if (!read_part(value, "days", 0, days) || !read_part(value, "seconds", 86399, seconds) ||
        !read_part(value, "microseconds", 999999, microseconds) || !read_part(value, "nanoseconds", 999, nanoseconds))
        return nullptr;
    return put_duration(call, static_cast<int128>(days) * 86400 + seconds, static_cast<std::uint32_t>(1000 * microseconds + nanoseconds),
                        to);
}

}  // namespace

std::uint8_t* write_duration(const Call& call, bool is_negative, uint128 seconds, std::uint32_t nanoseconds, std::uint8_t* to) noexcept {
    return num::write_duration(to, is_negative, seconds, (call.rich & kNoMicroseconds) ? 0 : nanoseconds);
}

const Plan kTimedelta = kTextPlan<write_timedelta, write_timedelta_at_once>,
           kFineTimedelta{.role = Role::kText, .write = write_fine_timedelta};

}  // namespace ocior::encode
