#include "py/moments.h"

#include <datetime.h>  // which needs Python.h before it

namespace ocior {
namespace {

const PyDateTime_CAPI& api_of(const void* api) noexcept { return *static_cast<const PyDateTime_CAPI*>(api); }

}  // namespace

bool Moments::open() noexcept {
    (void)PyDateTimeAPI;  // of the header's own, which is one for all interpreters
    api_ = PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0);
    if (api_ || PyErr_ExceptionMatches(PyExc_MemoryError)) return api_ != nullptr;
    PyErr_Clear();
    module = PyImport_ImportModule("datetime");
    return module != nullptr;
}

Owned Moments::zone(const Moment& moment) noexcept {
    if (!moment.has_offset) return Owned::borrow(Py_None);
    if (!api_) {
        const Owned delta = Owned::steal(new_timedelta(0, moment.offset_seconds, 0));
        const Owned type = delta ? Owned::steal(PyObject_GetAttrString(module, "timezone")) : Owned();
        if (!type) return {};
        return Owned::steal(moment.offset_seconds == 0 ? PyObject_GetAttrString(type.get(), "utc")
                                                       : PyObject_CallOneArg(type.get(), delta.get()));
    }
    const PyDateTime_CAPI& api = api_of(api_);
    if (moment.offset_seconds == 0) return Owned::borrow(api.TimeZone_UTC);
    const Owned delta = Owned::steal(api.Delta_FromDelta(0, moment.offset_seconds, 0, 1, api.DeltaType));
    return delta ? Owned::steal(api.TimeZone_FromTimeZone(delta.get(), nullptr)) : Owned();
}

PyObject* Moments::new_datetime(const Moment& m) noexcept {
    const Owned tz = zone(m);
    if (!tz) return nullptr;
    if (!api_)
        return PyObject_CallMethod(module, "datetime", "iiiiiiiO", m.year, m.month, m.day, m.hour, m.minute, m.second, m.microsecond,
                                   tz.get());
    const PyDateTime_CAPI& api = api_of(api_);
    return api.DateTime_FromDateAndTime(m.year, m.month, m.day, m.hour, m.minute, m.second, m.microsecond, tz.get(), api.DateTimeType);
}

PyObject* Moments::new_date(const Moment& m) noexcept {
    if (!api_) return PyObject_CallMethod(module, "date", "iii", m.year, m.month, m.day);
    const PyDateTime_CAPI& api = api_of(api_);
    return api.Date_FromDate(m.year, m.month, m.day, api.DateType);
}

PyObject* Moments::new_time(const Moment& m) noexcept {
    const Owned tz = zone(m);
    if (!tz) return nullptr;
    if (!api_) return PyObject_CallMethod(module, "time", "iiiiO", m.hour, m.minute, m.second, m.microsecond, tz.get());
    const PyDateTime_CAPI& api = api_of(api_);
    return api.Time_FromTime(m.hour, m.minute, m.second, m.microsecond, tz.get(), api.TimeType);
}

PyObject* Moments::new_timedelta(int days, int seconds, int microseconds) noexcept {
    if (!api_) return PyObject_CallMethod(module, "timedelta", "iii", days, seconds, microseconds);
    const PyDateTime_CAPI& api = api_of(api_);
    return api.Delta_FromDelta(days, seconds, microseconds, 1, api.DeltaType);
}

}  // namespace ocior
