// The text of values that are rare, or take a while: bytes, UUIDs, decimals, dates and times.
#pragma once

#include "base/bits.h"
#include "base/calendar.h"

namespace ocior::arrow {

// In base64: four characters for three bytes or what is left of them.
std::uint8_t* put_base64(std::uint8_t* to, const std::uint8_t* p, std::size_t n) noexcept;

// Sixteen bytes as 8-4-4-4-12 hexadecimal digits.
std::uint8_t* put_uuid(std::uint8_t* to, const std::uint8_t* p) noexcept;

// An integer of `width` bytes, 4 to 32, times 10^-scale, as Python's str(Decimal) has it: up to 100 bytes.
std::uint8_t* put_decimal(std::uint8_t* to, const std::uint8_t* p, std::int64_t width, std::int32_t scale) noexcept;

// A date of the years 0 to 9999.
std::uint8_t* put_date(std::uint8_t* to, const Date& date) noexcept;

// So many ticks of a day, of which a second has 1, 10^3, 10^6 or 10^9: "12:34:56", and with six or nine digits what is left of a second.
std::uint8_t* put_clock(std::uint8_t* to, std::uint32_t ticks, std::int64_t of_day, bool has_fraction) noexcept;

}  // namespace ocior::arrow
