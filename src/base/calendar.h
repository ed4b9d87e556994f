// The proleptic Gregorian calendar: from dates to numbers and back, by Howard Hinnant's arithmetic ("chrono-Compatible Low-Level Date
// Algorithms", 2013), in which March begins the year and 400 years are a cycle. No number is looked up by, so none needs to be in its
// range.
#pragma once

#include <cstdint>

#include "base/config.h"

namespace ocior {

inline constexpr std::int64_t kDaysBefore1970 = 719468;  // since the first of March of the year 0
inline constexpr std::int64_t kDaysOfCycle = 146097, kSecondsOfDay = 86400;

constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) noexcept { return a / b - (a % b < 0); }
constexpr std::int64_t floor_modulo(std::int64_t a, std::int64_t b) noexcept { return a % b + (a % b < 0 ? b : 0); }

struct Date {
    std::int64_t year;
    unsigned month, day;
};
// The date of a day, counted from 1970-01-01.
constexpr Date date_of_day(std::int64_t day) noexcept {
    day += kDaysBefore1970;
    const std::int64_t cycle = floor_divide(day, kDaysOfCycle);
    const auto day_of_cycle = static_cast<unsigned>(day - cycle * kDaysOfCycle);
    const unsigned year_of_cycle = (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 - day_of_cycle / 146096) / 365;
    const unsigned day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    const unsigned months = (5 * day_of_year + 2) / 153, month = months < 10 ? months + 3 : months - 9;
    return {static_cast<std::int64_t>(year_of_cycle) + cycle * 400 + (month <= 2), month, day_of_year - (153 * months + 2) / 5 + 1};
}

// And back.
constexpr std::int64_t day_of_date(const Date& date) noexcept {
    const std::int64_t year = date.year - (date.month <= 2), cycle = floor_divide(year, 400);
    const auto year_of_cycle = static_cast<unsigned>(year - cycle * 400);
    const unsigned day_of_year = (153 * (date.month > 2 ? date.month - 3 : date.month + 9) + 2) / 5 + date.day - 1;
    return cycle * kDaysOfCycle + 365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year - kDaysBefore1970;
}

// A point in time, or a part of one, by its fields.
struct Moment {
    int year = 1, month = 1, day = 1;
    int hour = 0, minute = 0, second = 0, microsecond = 0;
    bool has_offset = false;
    int offset_seconds = 0;
    bool is_nearer_to_next = false;  // the microsecond is cut, and the next one is nearer
    int nanosecond = 0;    // below the microsecond
    bool is_exact = true;  // nothing but zeros was cut below the nanosecond
};

}  // namespace ocior
