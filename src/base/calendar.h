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

}  // namespace ocior
