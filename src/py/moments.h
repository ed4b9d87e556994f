// Dates, times and durations of the module datetime, made through its own interface for C.
#pragma once

#include "py/ref.h"

namespace ocior {

// A point in time, or a part of one, by its fields.
struct Moment {
    int year = 1, month = 1, day = 1;
    int hour = 0, minute = 0, second = 0, microsecond = 0;
    bool has_offset = false;
    int offset_seconds = 0;
    bool is_nearer_to_next = false;  // the microsecond is cut, and the next one is nearer
};

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
