// store_date_time against printf: every number below 100 in every place, and random ones.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>

#include "simd/date_time.h"
#include "text_samples.h"

using namespace ocior;

namespace {

void check_date_time(const std::uint8_t (&parts)[8]) {
    char expected[32];  // of bytes that may have three digits
    std::snprintf(expected, sizeof expected, "%02d%02d-%02d-%02dT%02d:%02d:%02d.", parts[0], parts[1], parts[2], parts[3], parts[4],
                  parts[5], parts[6]);
    std::uint8_t text[22];
    std::memset(text, '#', sizeof text);
    simd::store_date_time(text + 1, load<std::uint64_t>(parts));
    CHECK(std::memcmp(text + 1, expected, 20) == 0);
    CHECK(text[0] == '#');
    CHECK(text[21] == '#');
}

}  // namespace

TEST_CASE("the digits of dates and times") {
    for (std::uint8_t number = 0; number < 100; ++number)
        for (unsigned place = 0; place < 7; ++place) {
            std::uint8_t parts[8] = {19, 70, 1, 1, 0, 0, 0, 255};
            parts[place] = number;
            check_date_time(parts);
        }
    samples::Random r(7);
    for (int i = 0; i < 10000; ++i) {
        std::uint8_t parts[8];
        for (std::uint8_t& part : parts) part = static_cast<std::uint8_t>(r.next() % 100);
        check_date_time(parts);
    }
}
