// Dates, times and durations of the module datetime, made through its own interface for C.
#pragma once

#include "base/calendar.h"
#include "py/ref.h"

namespace ocior {

class Moments {
public:
    // Imports datetime. False with an error set.
    [[nodiscard]] bool open() noexcept;

    // New objects; null with an error set.
    PyObject* new_datetime(const Moment& moment) noexcept;
    PyObject* new_date(const Moment& moment) noexcept;
    PyObject* new_time(const Moment& moment) noexcept;
    PyObject* new_timedelta(int days, int seconds, int microseconds) noexcept;

    // The module, where it is written in Python alone: in interpreters of 3.12 with a GIL of their own. Owned, to be visited and cleared by
    // whoever owns this.
    PyObject* module = nullptr;

private:
    // A time zone for the offset: timezone.utc for none. Empty with an error set.
    Owned zone(const Moment& moment) noexcept;

    void* api_ = nullptr;  // PyDateTime_CAPI of this interpreter
};

}  // namespace ocior
