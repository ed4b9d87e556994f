// How far a value can reach, and how wide a character is shown: rows, at every unit width.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "decode/columns.h"
#include "decode/extent.h"

using namespace ocior;

namespace {

// The extent of the value at the start of `text`, in units; the copy ends exactly where the text does.
template <CodeUnit U>
std::size_t extent(const std::string& text) {
    const std::vector<U> units(text.begin(), text.end());
    return static_cast<std::size_t>(decode::value_extent(units.data(), units.data() + units.size()) - units.data());
}

struct Row {
    const char* value;  // as far as the parser may have to look
    const char* rest;   // not to be reached
};

constexpr Row kRows[] = {
    {"", ""},
    {"[]", "x"},
    {"{}", "{}"},
    {"[1, [2, {\"a\": []}]]", ", 3]"},
    {"\"\"", "\""},
    {"\"a\\\"b\"", "\"c\""},
    {"\"\\\\\"", "\""},
    {"[\"]\", \"\\\"]\"]", "]"},
    {"{\"}\": \"{\"}", "}"},
    {"[}", "]"},        // kinds that do not match: the parser stops inside
    {"[{]}", "]"},
    {"\"no end", ""},
    {"\"no end\\", ""},
    {"\"no end\\\"", ""},
    {"[[1, 2]", ""},
    {"[\"no end]", ""},
    {"-Infinity", "5"},
    {"123456789", ",1"},
    {"-12345678901234567890.5e+10", "e1"},
    {"0.1234567890", ".5"},
    {"1e1234567890", "-"},
};

template <CodeUnit U>
void check_rows() {
    for (const Row& row : kRows) {
        const std::string value = row.value;
        CAPTURE(value);
        CHECK(extent<U>(value + row.rest) == value.size());
        CHECK(extent<U>(value) == value.size());
    }
    // Words and short numbers: nine units, or what there is.
    CHECK(extent<U>("nullnullnullnull") == 9);
    CHECK(extent<U>("1") == 1);
    CHECK(extent<U>("1, 2, 3, 4, 5") == 9);
    // A zero is a number of its own: no run of them may be walked again and again.
    CHECK(extent<U>(std::string(1000, '0')) == 9);
    CHECK(extent<U>("-" + std::string(1000, '0')) == 9);
}

}  // namespace

TEST_CASE_TEMPLATE("value_extent", U, std::uint8_t, std::uint16_t, std::uint32_t) { check_rows<U>(); }

TEST_CASE("columns_of") {
    for (const std::uint32_t narrow : {0x20u, 0x7eu, 0xe9u, 0x10ffu, 0x20a9u, 0xff61u, 0x1f6ffu, 0x40000u})
        CHECK(decode::columns_of(narrow) == 1);
    for (const std::uint32_t wide : {0x1100u, 0x3000u, 0x4e2du, 0xac00u, 0xff01u, 0x1f600u, 0x20000u, 0x3fffdu})
        CHECK(decode::columns_of(wide) == 2);
    for (const std::uint32_t mark : {0x300u, 0x36fu, 0xfe0fu}) CHECK(decode::columns_of(mark) == 0);
    for (std::size_t i = 1; i < std::size(decode::kWideRanges); ++i) CHECK(decode::kWideRanges[i - 1].last < decode::kWideRanges[i].first);
}
