// How wide a character is shown.
#include <doctest/doctest.h>

#include <initializer_list>
#include <iterator>

#include "decode/errors/columns.h"

using namespace ocior;

TEST_CASE("columns_of") {
    for (const std::uint32_t narrow : {0x20u, 0x7eu, 0xe9u, 0x10ffu, 0x20a9u, 0xff61u, 0x1f6ffu, 0x40000u})
        CHECK(decode::columns_of(narrow) == 1);
    for (const std::uint32_t wide : {0x1100u, 0x3000u, 0x4e2du, 0xac00u, 0xff01u, 0x1f600u, 0x20000u, 0x3fffdu})
        CHECK(decode::columns_of(wide) == 2);
    for (const std::uint32_t mark : {0x300u, 0x36fu, 0xfe0fu}) CHECK(decode::columns_of(mark) == 0);
    for (std::size_t i = 1; i < std::size(decode::kWideRanges); ++i) CHECK(decode::kWideRanges[i - 1].last < decode::kWideRanges[i].first);
}
