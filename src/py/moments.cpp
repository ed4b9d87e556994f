#include "py/moments.h"

#include <datetime.h>  // which needs Python.h before it

namespace ocior {
namespace {

const PyDateTime_CAPI& api_of(const void* api) noexcept { return *static_cast<const PyDateTime_CAPI*>(api); }

}  // namespace

bool Moments::open() noexcept {
    (void)PyDateTimeAPI;  // of the header's own, which is one for all interpreters
    api_ = PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0);
    return api_ != nullptr;
}

Owned Moments::zone(const Moment& moment) noexcept {
    const PyDateTime_CAPI& api = api_of(api_);
    if (!moment.has_offset) return Owned::borrow(Py_None);
    if (moment.offset_seconds == 0) return Owned::borrow(api.TimeZone_UTC);
    const Owned delta = Owned::steal(api.Delta_FromDelta(0, moment.offset_seconds, 0, 1, api.DeltaType));
    return delta ? Owned::steal(api.TimeZone_FromTimeZone(delta.get(), nullptr)) : Owned();
}

PyObject* Moments::new_datetime(const Moment& m) noexcept {
    const PyDateTime_CAPI& api = api_of(api_);
    const Owned tz = zone(m);
    if (!tz) return nullptr;
    return api.DateTime_FromDateAndTime(m.year, m.month, m.day, m.hour, m.minute, m.second, m.microsecond, tz.get(), api.DateTimeType);
}

PyObject* Moments::new_date(const Moment& m) noexcept {
    const PyDateTime_CAPI& api = api_of(api_);
    return api.Date_FromDate(m.year, m.month, m.day, api.DateType);
}

PyObject* Moments::new_time(const Moment& m) noexcept {
    const PyDateTime_CAPI& api = api_of(api_);
    const Owned tz = zone(m);
    return tz ? api.Time_FromTime(m.hour, m.minute, m.second, m.microsecond, tz.get(), api.TimeType) : nullptr;
}

PyObject* Moments::new_timedelta(int days, int seconds, int microseconds) noexcept {
    const PyDateTime_CAPI& api = api_of(api_);
    return api.Delta_FromDelta(days, seconds, microseconds, 1, api.DeltaType);
}

}  // namespace ocior
