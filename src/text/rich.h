// Values that documents have as strings, such as dates and bytes: from ASCII text to numbers. Each function takes all of
// [text, text + length) or returns false.
#pragma once

#include "base/bits.h"
#include "base/calendar.h"

namespace ocior::text {

// RFC 3339: "2024-02-29T23:59:59.5+01:00"; also `t`, a space, `z`, "+0100", and no offset at all. Digits of a second beyond nine are cut.
bool read_datetime(const std::uint8_t* text, std::size_t length, Moment& moment) noexcept;
bool read_date(const std::uint8_t* text, std::size_t length, Moment& moment) noexcept;
bool read_time(const std::uint8_t* text, std::size_t length, Moment& moment) noexcept;

// Moves a moment to the next microsecond. False where that is in the year 10000; what follows the last one of a time alone is midnight.
bool round_up(Moment& moment, bool has_date) noexcept;

// ISO 8601: "P1DT2H3M4.5S", "-PT90M", "P2W". The last part may have a fraction.
struct Period {
    bool is_negative = false;
    uint128 billionths = 0;  // of a second
    bool is_exact = true;    // nothing but zeros was cut below them
    bool is_short = true;    // no fraction has more than nine digits
    bool has_weeks = false;
};
bool read_period(const std::uint8_t* text, std::size_t length, Period& period) noexcept;

// What timedelta() is made of.
struct Duration {
    std::int64_t days, seconds, microseconds;  // 0 <= seconds < 86400, 0 <= microseconds < 1000000
    bool is_exact = true;   // nothing was cut, and no digit of a fraction was beyond the ninth
    bool has_weeks = false;
};
// Of a period, of which microseconds are kept. False also for one that timedelta cannot hold.
bool read_duration(const std::uint8_t* text, std::size_t length, Duration& duration) noexcept;
// Of microseconds. False for one that timedelta cannot hold.
bool split_duration(std::int64_t microseconds, Duration& duration) noexcept;

// Seconds since 1970, as UTC. False outside the years 1 to 9999.
bool datetime_of_seconds(double seconds, Moment& moment) noexcept;
bool duration_of_seconds(double seconds, Duration& duration) noexcept;

// 8-4-4-4-12 or 32 hexadecimal digits of either case, as 16 bytes, the first one first.
bool read_uuid(const std::uint8_t* text, std::size_t length, std::uint8_t (&bytes)[16]) noexcept;

// How many bytes base64 of that text stands for, which has its padding and nothing but the alphabet of RFC 4648, section 4; -1: it is none.
std::ptrdiff_t base64_length(const std::uint8_t* text, std::size_t length) noexcept;
// Writes them. False where the text is none.
bool read_base64(const std::uint8_t* text, std::size_t length, std::uint8_t* bytes) noexcept;

// Whether the text is this lower-case word, in letters of any case.
bool is_word(const std::uint8_t* text, std::size_t length, const char* word) noexcept;

// Whether the text is an integer, or any number, of JSON.
bool is_integer(const std::uint8_t* text, std::size_t length) noexcept;
bool is_number(const std::uint8_t* text, std::size_t length) noexcept;

}  // namespace ocior::text
