// store_uuid against printf, for every half byte in every place and for random numbers.
#include <doctest/doctest.h>

#include <cstdio>
#include <cstring>

#include "simd/hex.h"
#include "text_samples.h"

using namespace ocior;

namespace {

void check_uuid(std::uint64_t high, std::uint64_t low) {
    char expected[37];
    std::snprintf(expected, sizeof expected, "%08x-%04x-%04x-%04x-%012llx", static_cast<unsigned>(high >> 32),
                  static_cast<unsigned>(high >> 16 & 0xffff), static_cast<unsigned>(high & 0xffff), static_cast<unsigned>(low >> 48),
                  static_cast<unsigned long long>(low & 0xffffffffffff));
    std::uint8_t text[38];
    std::memset(text, '#', sizeof text);
    simd::store_uuid(text + 1, high, low);
    CHECK(std::memcmp(text + 1, expected, 36) == 0);
    CHECK(text[0] == '#');
    CHECK(text[37] == '#');
}

}  // namespace

TEST_CASE("hexadecimal digits in the groups of a UUID") {
    for (std::uint64_t half = 0; half < 16; ++half)
        for (unsigned shift = 0; shift < 64; shift += 4) {
            check_uuid(half << shift, ~(half << shift));
            check_uuid(~(half << shift), half << shift);
        }
    samples::Random r(7);
    for (int i = 0; i < 10000; ++i) {
        const std::uint64_t high = r.next();
        check_uuid(high, r.next());
    }
}
