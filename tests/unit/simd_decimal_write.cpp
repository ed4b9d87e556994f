// put_with_point against printf: every number of digits, every place of the point, zeros and nines and random digits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "simd/decimal_write.h"
#include "text_samples.h"

using namespace ocior;

TEST_CASE("digits with a point among them") {
    samples::Random r(7);
    std::uint64_t power = 1;
    for (std::size_t digit_count = 1; digit_count <= 15; ++digit_count) {
        const std::uint64_t least = power;
        power *= 10;
        for (int i = 0; i < 200; ++i) {
            const std::uint64_t number = i == 0 ? 0 : i == 1 ? least : i == 2 ? power - 1 : r.next() % power;
            for (std::size_t places = 1; places <= 15; ++places) {
                const std::size_t count = std::max(digit_count, places);
                char padded[32], expected[16];
                std::snprintf(padded, sizeof padded, "%0*llu", static_cast<int>(count), static_cast<unsigned long long>(number));
                std::memcpy(expected, padded, count - places);
                expected[count - places] = '.';
                std::memcpy(expected + count - places + 1, padded + count - places, places);
                std::uint8_t text[18];
                std::memset(text, '#', sizeof text);
                simd::put_with_point(text + 1, number, count, places);
                CHECK(std::memcmp(text + 1, expected, count + 1) == 0);
                CHECK(text[0] == '#');
                CHECK(text[17] == '#');
            }
        }
    }
}
