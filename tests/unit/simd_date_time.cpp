// store_date_time and DateTimes against printf: every number that a place may have, and random ones.
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

// What CPython stores of a date and time, in 16 bytes.
struct Stored {
    std::uint8_t bytes[16];
    Stored(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute, unsigned second, unsigned microsecond)
        : bytes{0xFF,
                static_cast<std::uint8_t>(year >> 8),
                static_cast<std::uint8_t>(year),
                static_cast<std::uint8_t>(month),
                static_cast<std::uint8_t>(day),
                static_cast<std::uint8_t>(hour),
                static_cast<std::uint8_t>(minute),
                static_cast<std::uint8_t>(second),
                static_cast<std::uint8_t>(microsecond >> 16),
                static_cast<std::uint8_t>(microsecond >> 8),
                static_cast<std::uint8_t>(microsecond),
                0xFF,
                0xFF,
                0xFF,
                0xFF,
                0xFF} {
        std::snprintf(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%06u", year, month, day, hour, minute, second, microsecond);
    }
    char text[80];
};

// As many as there are in a vector: `one` in each place among others.
void check_several(const Stored& one) {
    static const Stored other(2024, 2, 29, 23, 59, 58, 987654);
    for (std::size_t place = 0; place < simd::DateTimes::kCount; ++place) {
        const void* stored[simd::DateTimes::kCount];
        for (std::size_t i = 0; i < simd::DateTimes::kCount; ++i) stored[i] = i == place ? one.bytes : other.bytes;
        const simd::DateTimes texts(stored);
        CHECK(texts.are_usual());
        for (std::size_t i = 0; i < simd::DateTimes::kCount; ++i) {
            std::uint8_t text[34];
            std::memset(text, '#', sizeof text);
            texts.put(i, text + 1);
            CHECK(std::memcmp(text + 1, (i == place ? one : other).text, 26) == 0);
            CHECK(text[0] == '#');
            CHECK(text[33] == '#');
        }
    }
}
bool are_usual(const Stored& one) {
    static const Stored other(1, 1, 1, 0, 0, 0, 0);
    bool usual[simd::DateTimes::kCount];
    for (std::size_t place = 0; place < simd::DateTimes::kCount; ++place) {
        const void* stored[simd::DateTimes::kCount];
        for (std::size_t i = 0; i < simd::DateTimes::kCount; ++i) stored[i] = i == place ? one.bytes : other.bytes;
        usual[place] = simd::DateTimes(stored).are_usual();
        CHECK(usual[place] == usual[0]);
    }
    return usual[0];
}

}  // namespace

TEST_CASE("several dates and times at once") {
    for (unsigned year = 0; year < 10000; ++year) check_several({year, 1, 1, 0, 0, 0, year});
    for (unsigned microsecond = 0; microsecond < 1000000; microsecond += 7) check_several({1999, 12, 31, 12, 30, 5, microsecond});
    for (unsigned thousand = 1; thousand <= 1000; ++thousand) check_several({1999, 12, 31, 12, 30, 5, 1000 * thousand - 1});
    for (unsigned number = 0; number < 100; ++number) {
        check_several({1970, number, 1, 2, 3, 4, 5});
        check_several({1970, 1, number, 2, 3, 4, 5});
        check_several({1970, 1, 2, number, 3, 4, 5});
        check_several({1970, 1, 2, 3, number, 4, 5});
        check_several({1970, 1, 2, 3, 4, number, 5});
    }
    samples::Random r(8);
    for (int i = 0; i < 10000; ++i) {
        const auto below = [&](unsigned most) { return static_cast<unsigned>(r.next() % most); };
        check_several({below(10000), below(100), below(100), below(100), below(100), below(100), below(1000000)});
    }
    for (unsigned year = 10000; year < 65536; ++year) CHECK(!are_usual({year, 1, 1, 0, 0, 0, 0}));
    for (unsigned number = 100; number < 256; ++number) {
        CHECK(!are_usual({1970, number, 1, 2, 3, 4, 5}));
        CHECK(!are_usual({1970, 1, number, 2, 3, 4, 5}));
        CHECK(!are_usual({1970, 1, 2, number, 3, 4, 5}));
        CHECK(!are_usual({1970, 1, 2, 3, number, 4, 5}));
        CHECK(!are_usual({1970, 1, 2, 3, 4, number, 5}));
    }
    for (unsigned microsecond = 1000000; microsecond < 1 << 24; microsecond += 13) CHECK(!are_usual({1970, 1, 2, 3, 4, 5, microsecond}));
    CHECK(are_usual({9999, 12, 31, 23, 59, 59, 999999}));
}

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
