// Durations as ISO 8601 has them.
#pragma once

#include "num/write.h"

namespace ocior::num {

// So many seconds and nanoseconds, "P1DT2H3M4.5S": the parts that are not zero; "PT0S". Up to 24 bytes and the digits of the days.
inline std::uint8_t* write_duration(std::uint8_t* to, bool is_negative, uint128 seconds, std::uint32_t nanoseconds) noexcept {
    const auto put = [&to](char character) { *to++ = static_cast<std::uint8_t>(character); };
    const auto put_part = [&](auto number, char unit) {
        to = write_u64(to, std::uint64_t{number});
        put(unit);
    };
    const auto [days, second_of_day] = divide(seconds, 86400);
    const unsigned hours = second_of_day / 3600, minutes = second_of_day / 60 % 60, rest = second_of_day % 60;
    if (is_negative && (seconds || nanoseconds)) put('-');
    put('P');
    if (days) {
        to = write_u128(to, days);
        put('D');
    }
    if (days && !second_of_day && !nanoseconds) return to;
    put('T');
    if (hours) put_part(hours, 'H');
    if (minutes) put_part(minutes, 'M');
    if (rest || nanoseconds || (!days && !second_of_day)) {
        to = write_u64(to, std::uint64_t{rest});
        if (nanoseconds) {
            put('.');
            to = detail::put_9(to, nanoseconds);
            while (to[-1] == '0') --to;
        }
        put('S');
    }
    return to;
}

}  // namespace ocior::num
