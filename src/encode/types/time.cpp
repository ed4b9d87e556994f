// Dates and times as RFC 3339 has them, durations as ISO 8601 has them.
#include "encode/types/rich.h"
#include "encode/walk.h"
#include "num/write.h"

#include <algorithm>
#include <string_view>
#include <utility>

#pragma GCC diagnostic ignored "-Wunused-variable"  // of a pointer in it
#include <datetime.h>  // which needs Python.h before it

namespace ocior::encode {
namespace {

// Two digits, the last two of three.
OCIOR_INLINE std::uint8_t* put_2(std::uint8_t* to, int number) noexcept {
    store(to, static_cast<std::uint16_t>(num::detail::kTriples.padded[number] >> 8));
    return to + 2;
}

std::uint8_t* put(std::uint8_t* to, char character) noexcept {
    *to = static_cast<std::uint8_t>(character);
    return to + 1;
}

std::uint8_t* put_date(std::uint8_t* to, int year, int month, int day) noexcept {
    to = put_2(put_2(to, year / 100), year % 100);
    return put_2(put(put_2(put(to, '-'), month), '-'), day);
}

std::uint8_t* put_time(std::uint8_t* to, int hour, int minute, int second, int microsecond) noexcept {
    to = put_2(put(put_2(put(put_2(to, hour), ':'), minute), ':'), second);
    if (microsecond == 0) return to;
    return num::detail::put_6(put(to, '.'), static_cast<std::uint32_t>(microsecond));
}

// The distance from UTC, in seconds; RFC 3339 has whole minutes, the nearest.
std::uint8_t* put_offset(const Call& call, std::uint8_t* to, int seconds) noexcept {
    const int minutes = std::min(((seconds < 0 ? -seconds : seconds) + 30) / 60, 24 * 60 - 1);
    if (minutes == 0 && (call.rich & kUtcZ)) return put(to, 'Z');
    to = put(to, seconds < 0 && minutes > 0 ? '-' : '+');
    return put_2(put(put_2(to, minutes / 60), ':'), minutes % 60);
}

enum class Zone : std::uint8_t { kFailed, kNone, kKnown };

// Whether the zones of a class have the method that pytz's have. The last class asked is remembered.
bool has_normalize(Call& call, PyObject* zone) noexcept {
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(zone));
    if (call.last_zone_type.get() != type) {
        call.last_zone_type = Owned::borrow(type);
        call.last_zone_has_normalize = PyObject_HasAttrString(type, "normalize");
    }
    return call.last_zone_has_normalize;
}

// What `zone`, a tzinfo, says of the offset of `value`: a datetime, or None. It may be any class.
Zone ask_offset(Call& call, PyObject* zone, PyObject* value, int& seconds) noexcept {
    const Owned hold = Owned::borrow(value), hold_zone = Owned::borrow(zone);
    call.pin();
    Owned offset;
    if ((call.rich & kNormalizedZones) && value != Py_None && has_normalize(call, zone)) {
        // pytz has one offset for each object, and knows which object is right.
        const Owned at = call_method(zone, "normalize", value);
        if (at) offset = Owned::steal(PyObject_CallMethodNoArgs(at.get(), call.own.utcoffset_name));
    } else {
        offset = Owned::steal(PyObject_CallMethodOneArg(zone, call.own.utcoffset_name, value));
    }
    if (!offset) return Zone::kFailed;
    if (offset.get() == Py_None) return Zone::kNone;
    if (OCIOR_UNLIKELY(!call.timedelta)) call.timedelta = stored_time_type("timedelta");
    if (!call.timedelta || !PyObject_TypeCheck(offset.get(), reinterpret_cast<PyTypeObject*>(call.timedelta.get()))) {
        PyErr_Format(PyExc_TypeError, "tzinfo.utcoffset() must return None or a timedelta, not '%.100s'", Py_TYPE(offset.get())->tp_name);
        return Zone::kFailed;
    }
    const auto* const delta = reinterpret_cast<PyDateTime_Delta*>(offset.get());
    const long long total = delta->days * 86400ll + delta->seconds;
    if (total <= -86400 || total >= 86400) {
        PyErr_SetString(PyExc_ValueError, "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).");
        return Zone::kFailed;
    }
    seconds = static_cast<int>(total);
    return Zone::kKnown;
}

// UTC of the datetime module is what most programs use.
bool is_utc(Call& call, PyObject* zone) noexcept {
    if (OCIOR_UNLIKELY(!call.utc)) {
        const Owned type = loaded("datetime", "timezone");
        if (type) call.utc = get_attribute(type.get(), "utc");
        if (!call.utc) PyErr_Clear(), call.utc = Owned::borrow(Py_None);
    }
    return zone == call.utc.get();
}

// False with an error set.
bool put_zone(Call& call, std::uint8_t*& to, PyObject* zone, PyObject* value) noexcept {
    int seconds = 0;
    if (zone != Py_None && !is_utc(call, zone)) {
        const Zone known = ask_offset(call, zone, value, seconds);
        if (known == Zone::kFailed) return false;
        if (known == Zone::kNone) zone = Py_None;
    }
    if (zone != Py_None || ((call.rich & kNaiveUtc) && value != Py_None)) to = put_offset(call, to, seconds);
    return true;
}

std::uint8_t* write_datetime(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    to = put_date(to, PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value), PyDateTime_GET_DAY(value));
    to = put_time(put(to, 'T'), PyDateTime_DATE_GET_HOUR(value), PyDateTime_DATE_GET_MINUTE(value), PyDateTime_DATE_GET_SECOND(value),
                  (call.rich & kNoMicroseconds) ? 0 : PyDateTime_DATE_GET_MICROSECOND(value));
    auto* const datetime = reinterpret_cast<PyDateTime_DateTime*>(value);
    return put_zone(call, to, datetime->hastzinfo ? datetime->tzinfo : Py_None, value) ? to : nullptr;
}

std::uint8_t* write_date(Call&, PyObject* value, std::uint8_t* to) noexcept {
    return put_date(to, PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value), PyDateTime_GET_DAY(value));
}

std::uint8_t* write_time(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    auto* const time = reinterpret_cast<PyDateTime_Time*>(value);
    if (time->hastzinfo && (call.rich & kNormalizedZones)) {
        call.pin();
        return PyErr_SetString(PyExc_TypeError, "datetime.time must not have tzinfo set"), nullptr;
    }
    to = put_time(to, PyDateTime_TIME_GET_HOUR(value), PyDateTime_TIME_GET_MINUTE(value), PyDateTime_TIME_GET_SECOND(value),
                  (call.rich & kNoMicroseconds) ? 0 : PyDateTime_TIME_GET_MICROSECOND(value));
    return put_zone(call, to, time->hastzinfo ? time->tzinfo : Py_None, Py_None) ? to : nullptr;
}

// "P1DT2H3M4.5S", the parts that are not zero; "PT0S".
std::uint8_t* write_timedelta(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const auto* const delta = reinterpret_cast<PyDateTime_Delta*>(value);
    long long total = delta->days * 86400ll + delta->seconds;  // the sign is that of the days, the rest is added
    int microseconds = delta->microseconds;
    if (total < 0) {
        to = put(to, '-');
        total = -total - (microseconds > 0);
        if (microseconds > 0) microseconds = 1000000 - microseconds;
    }
    if (call.rich & kNoMicroseconds) microseconds = 0;
    const auto part = [&](long long unit) {
        const long long count = total / unit;
        total -= count * unit;
        return static_cast<std::uint64_t>(count);
    };
    to = put(to, 'P');
    const std::uint64_t days = part(86400), hours = part(3600), minutes = part(60), seconds = part(1);
    if (days) to = put(num::write_u64(to, days), 'D');
    if (days && !hours && !minutes && !seconds && !microseconds) return to;
    to = put(to, 'T');
    if (hours) to = put(num::write_u64(to, hours), 'H');
    if (minutes) to = put(num::write_u64(to, minutes), 'M');
    if (seconds || microseconds || (!days && !hours && !minutes)) {
        to = num::write_u64(to, seconds);
        if (microseconds) {
            to = num::detail::put_6(put(to, '.'), static_cast<std::uint32_t>(microseconds));
            while (to[-1] == '0') --to;
        }
        to = put(to, 'S');
    }
    return to;
}

}  // namespace

Owned stored_time_type(const char* name) noexcept {
    const Owned capsule = loaded("datetime", "datetime_CAPI");
    if (!capsule || !PyCapsule_IsValid(capsule.get(), PyDateTime_CAPSULE_NAME)) return {};
    const auto* const api = static_cast<PyDateTime_CAPI*>(PyCapsule_GetPointer(capsule.get(), PyDateTime_CAPSULE_NAME));
    const std::pair<std::string_view, PyTypeObject*> types[] = {
        {"datetime", api->DateTimeType}, {"date", api->DateType}, {"time", api->TimeType}, {"timedelta", api->DeltaType}};
    for (const auto& [known, type] : types)
        if (known == name) return Owned::borrow(reinterpret_cast<PyObject*>(type));
    return {};
}

const Handler kDatetime{Handler::Role::kText, write_datetime}, kDate{Handler::Role::kText, write_date},
    kTime{Handler::Role::kText, write_time}, kTimedelta{Handler::Role::kText, write_timedelta};

}  // namespace ocior::encode
