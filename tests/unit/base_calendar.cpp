// Every day of the years 1 to 9999, counted one by one, and days far from these.
#include <doctest/doctest.h>

#include "base/calendar.h"

using namespace ocior;

TEST_CASE("date_of_day: every day that a datetime may have") {
    std::int64_t day = -719162;  // of the year 1
    for (std::uint32_t year = 1; year <= 9999; ++year) {
        const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        const std::uint32_t lengths[] = {31, is_leap ? 29u : 28u, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
        for (std::uint32_t month = 1; month <= 12; ++month) {
            for (std::uint32_t date = 1; date <= lengths[month - 1]; ++date, ++day) {
                const Date found = date_of_day(day);
                const bool is_good = found.year == year && found.month == month && found.day == date;
                if (!is_good) CHECK(is_good);
                if (day_of_date(found) != day) CHECK(day_of_date(found) == day);
            }
        }
    }
    CHECK(day == 2932897);
    CHECK(date_of_day(-719163).year == 0);
    CHECK(date_of_day(2932897).year == 10000);
}

TEST_CASE("floor_divide, floor_modulo: towards less than zero") {
    for (std::int64_t a = -20; a <= 20; ++a) {
        CHECK(floor_divide(a, 7) * 7 + floor_modulo(a, 7) == a);
        CHECK(floor_modulo(a, 7) >= 0);
        CHECK(floor_modulo(a, 7) < 7);
    }
}
