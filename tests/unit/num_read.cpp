// Reading numbers: longest match and value of rows, halfway cases, long digits, texts that end where memory ends.
#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "guarded_pages.h"
#include "num/read.h"
#include "num_support.h"

using ocior::CodeUnit;
using ocior::num::Number;
using ocior::num::NumberKind;

namespace {

// As the parser reads a number: by the short road for the kind that it expects, and what that leaves by the long one.
template <CodeUnit Unit>
const Unit* read_expecting(const Unit* p, Number& out, NumberKind expected = NumberKind::kInt64) {
    if (expected == NumberKind::kFloat64) {
        if (const auto real = ocior::num::read_real(p); real.end) {
            out.kind = NumberKind::kFloat64;
            out.d = real.value;
            return real.end;
        }
    } else if (const auto integer = ocior::num::read_integer(p); integer.end) {
        out.kind = NumberKind::kInt64;
        out.i = static_cast<std::int64_t>(integer.negative ? 0 - integer.magnitude : integer.magnitude);
        return integer.end;
    }
    return ocior::num::read_number(p, out);
}

std::uint64_t bits_of(double v) { return std::bit_cast<std::uint64_t>(v); }

// The longest match of json's grammar, straightforwardly.
std::size_t match(std::string_view s, bool& is_float) {
    const auto digit = [s](std::size_t i) { return i < s.size() && s[i] >= '0' && s[i] <= '9'; };
    std::size_t i = 0;
    is_float = false;
    if (!s.empty() && s[0] == '-') ++i;
    if (!digit(i)) return 0;
    if (s[i] == '0') ++i;
    else
        while (digit(i)) ++i;
    if (i < s.size() && s[i] == '.' && digit(i + 1)) {
        is_float = true;
        do ++i;
        while (digit(i));
    }
    if (i < s.size() && (s[i] | 0x20) == 'e') {
        std::size_t j = i + 1;
        if (j < s.size() && (s[j] == '+' || s[j] == '-')) ++j;
        if (digit(j)) {
            is_float = true;
            while (digit(j)) ++j;
            i = j;
        }
    }
    return i;
}

// What json would make of the longest match: strtod rounds correctly, strtoll tells what fits.
bool right(std::string_view text, std::size_t got_length, const Number& got) {
    bool is_float;
    const std::size_t length = match(text, is_float);
    if (got_length != length) return false;
    if (length == 0) return got.kind == NumberKind::kNone;
    const std::string number(text.substr(0, length));
    const double value = std::strtod(number.c_str(), nullptr);
    if (is_float) return got.kind == NumberKind::kFloat64 && bits_of(got.d) == bits_of(value);
    errno = 0;
    const long long integer = std::strtoll(number.c_str(), nullptr, 10);
    return errno ? got.kind == NumberKind::kBigInt : got.kind == NumberKind::kInt64 && got.i == integer;
}

// Every unit and both roads; behind the sentinel stand digits, which must not be read as such.
template <CodeUnit Unit>
void check_as(std::string_view text) {
    std::vector<Unit> units(text.begin(), text.end());
    units.push_back(0);
    units.resize(units.size() + ocior::kReadSlack / sizeof(Unit), '7');
    for (const NumberKind expected : {NumberKind::kInt64, NumberKind::kFloat64}) {
        Number got;
        const auto length = static_cast<std::size_t>(read_expecting(units.data(), got, expected) - units.data());
        if (!right(text, length, got)) {
            INFO("text ", std::string(text.substr(0, 100)), " units of ", sizeof(Unit), " matched ", length);
            CHECK(false);
        }
    }
}
void check(std::string_view text) {
    check_as<std::uint8_t>(text);
    check_as<std::uint16_t>(text);
    check_as<std::uint32_t>(text);
}

[[maybe_unused]] std::string exact_text(long double v, bool scientific) {  // all digits of a 64-bit significand
    std::string text(12000, 0);
    text.resize(static_cast<std::size_t>(std::snprintf(text.data(), text.size(), scientific ? "%.800Le" : "%.1100Lf", v)));
    return text;
}

}  // namespace

TEST_CASE("read_number: longest match") {
    const char* const rows[] = {
        "0",
        "-0",
        "1",
        "-1",
        "7,",
        "12]",
        "123}",
        "1234 ",
        "12345\n",
        "123456,",
        "1234567,",
        "12345678,",
        "123456789,",
        "-1234567,",
        "-12345678,",
        "-123456789",
        "1234567890",
        "12345678901234567",
        "123456789012345678",
        "1234567890123456789",
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "9999999999999999999",
        "10000000000000000000",
        "18446744073709551616",
        "123456789012345678901234567890",
        "1234567890123456789012345678901",
        "12345678901234567890123456789012",
        "-12345678901234567890123456789012345",
        "00",
        "01",
        "-01",
        "-00",
        "007.5",
        "0123456789",
        "00000000001",
        "-",
        "--1",
        "-x",
        "-.5",
        "-e5",
        "-,",
        "- 1",
        "1.",
        "1.,",
        "1.e5",
        "1.x",
        "0.",
        "-0.",
        "12345678.",
        "123456789.",
        "1e",
        "1e+",
        "1e-",
        "1E",
        "1E+x",
        "1.5e",
        "1.5e+",
        "1.5e-x",
        "12345678e",
        "1.2.3",
        "1..2",
        "1/2",
        "1.5/2",
        "12/",
        "0/",
        "1.2/3.4",
        "1-2",
        "1+2",
        "1.5-2",
        "1e5.5",
        "1e5e5",
        "0.0",
        "-0.0",
        "0.5",
        "-0.5",
        "00.5",
        "1.0",
        "1.5,",
        "1e5",
        "1E5",
        "1e+5",
        "1e-5",
        "-1e5",
        "0e0",
        "0e5",
        "0e-5",
        "0.0e5",
        "1.5e5",
        "1.5E+05",
        "1.5e-05",
        "1.5e005",
        "1.5e0005",
        "1.5e-0005",
        "1.5e300",
        "1.5e308",
        "1.8e308",
        "1e308",
        "1e309",
        "1e400",
        "-1e400",
        "1e-400",
        "-1e-400",
        "1e-323",
        "5e-324",
        "2e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "0e99999999999999999999",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "-65.613616999999977",
        "43.420273000000009",
        "0.30000000000000004",
        "9007199254740993.0",
        "9007199254740993",
        "9007199254740993e0",
        "90071992547409930e-1",
        "123456789.123456789",
        "1234567890.123456789",
        "12345678901.123456789",
        "0.00000000000000000001",
        "0.000000000000000000012345",
        "0.00000000000000000000000000000000000000000000001",
        "100000000000000000000.5",
        "1000000000000000000000000000000000000000.5e-10",
        "0.1e1",
        "0.10",
        "0.100000000000000000000000000000000",
        "1e23",
        "8.5e22",
        "4503599627370497.5",
        "4503599627370496.5",
        "9007199254740992.5e1",
        "1.00000000000000011102230246",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126",
        "5708990770823839207320493820740630171355185152e0",
        "5708990770823839524233143877797980545530986496.0",
        "0.000000000000000000000000000000000000000000000000000000e9",
        "1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070963302864166928879109465555478"
        "5194040263065748867150582068190890200070838367627385484581771153176447573027006985557136695962284291481986083493647529271907416844"
        "4365510704342711559699508093042880.0",
    };
    for (const char* const row : rows) check(row);
}

TEST_CASE("read_number: wide units that look like digits in their low byte are not digits") {
    for (const std::uint32_t high : {0x100u, 0xff00u, 0x8000u, 0x10000u, 0x100000u}) {
        for (std::size_t at = 1; at < 20; ++at) {
            std::vector<std::uint32_t> wide(40, '5');
            wide[at] = '5' + high;
            wide[30] = 0;
            Number got;
            CHECK(read_expecting(wide.data(), got) - wide.data() == static_cast<long>(at));
            if (high > 0xffff) continue;
            std::vector<std::uint16_t> ucs2(wide.begin(), wide.end());
            CHECK(read_expecting(ucs2.data(), got) - ucs2.data() == static_cast<long>(at));
        }
    }
}

TEST_CASE("read_number: random texts of number characters") {
    constexpr char kAlphabet[] = "0123456789012345678901234567890123456789..eE+-, ]/:";
    std::mt19937_64 random(4);
    for (int i = 0; i < 60000; ++i) {
        std::string text = random() % 2 ? "-" : "";
        text += static_cast<char>('0' + random() % 10);
        for (auto n = random() % 40; n > 0; --n) text += kAlphabet[random() % (sizeof kAlphabet - 1)];
        check(text);
    }
}

TEST_CASE("read_number: random digits, points and exponents") {
    std::mt19937_64 random(5);
    for (int i = 0; i < 60000; ++i) {
        std::string text = random() % 2 ? "-" : "";
        text += static_cast<char>('1' + random() % 9);
        for (auto n = random() % 25; n > 0; --n) text += static_cast<char>('0' + random() % 10);
        if (random() % 2) {
            text += '.';
            for (auto n = random() % 25 + 1; n > 0; --n) text += static_cast<char>('0' + (random() % 3 ? random() % 10 : 0));
        }
        if (random() % 3 == 0) text.append("e").append(std::to_string(static_cast<int>(random() % 700) - 350));
        check(text + (random() % 2 ? "," : ""));
    }
}

TEST_CASE("read_number: doubles printed with 1 to 40 digits, every exponent") {
    std::mt19937_64 random(6);
    char text[64];
    for (int i = 0; i < 60000; ++i) {
        const double v = std::bit_cast<double>(random());
        if (!std::isfinite(v)) continue;
        check({text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.*e", static_cast<int>(random() % 40), v))});
        check(num_test::written(v));
    }
}

#if __LDBL_MANT_DIG__ == 64  // the middle between two doubles is exact in an 80-bit long double
TEST_CASE("read_number: exactly half way, a trifle above and a trifle below, hundreds of digits") {
    std::mt19937_64 random(7);
    for (int i = 0; i < 1500; ++i) {
        std::uint64_t bits = random() >> 1;
        if (i % 3 == 0) bits >>= random() % 63;         // subnormals
        if (i % 3 == 1) bits = (bits & ~0ull >> 12) | (0x3ffull + random() % 60) << 52;
        const double below = std::bit_cast<double>(bits), above = std::bit_cast<double>(bits + 1);
        if (!std::isfinite(above)) continue;
        const long double middle = (static_cast<long double>(below) + static_cast<long double>(above)) / 2;
        const std::string text = exact_text(middle, true);
        check(text);
        const std::size_t e = text.find('e');
        const std::string digits = text.substr(0, e), exponent = text.substr(e);
        const std::size_t last = digits.find_last_not_of('0');
        check(digits + "0000000000001" + exponent);
        check(digits.substr(0, last + 1) + std::string(random() % 900, '0') + "1" + exponent);
        if (digits[last] != '.') {
            std::string less = digits;
            --less[last];
            less.back() = '9';
            check(less + exponent);
            check(less + std::string(random() % 500, '9') + exponent);
        }
        if (std::fabs(below) < 1e10) check(exact_text(middle, false));
    }
}
#endif

TEST_CASE("read_number: any length, in linear time") {
    for (const std::size_t n : {33u, 100u, 767u, 768u, 799u, 800u, 801u, 2000u, 1000000u}) {
        const std::string zeros(n, '0'), nines(n, '9'), ones(n, '1');
        check("1" + zeros);
        check("0." + zeros + "1");
        check("0." + zeros + "1e" + std::to_string(n));
        check("1" + zeros + "e-" + std::to_string(n));
        check("1" + zeros + ".5e-" + std::to_string(n));
        check(nines + "e-" + std::to_string(n));
        check("0." + nines);
        check("9007199254740992." + nines);
        check("9007199254740993." + zeros);
        check("9007199254740993." + zeros + "1");
        check("9007199254740992." + nines + "e-300");
        check("1e" + ones);
        check("1e-" + ones);
        check("0e" + ones);
        check("1e" + zeros + "5");
        check("0." + zeros + "e" + ones);
    }
}

namespace {

template <CodeUnit Unit>
void at_the_edge(const samples::Guarded& page, std::string_view text) {
    // The sentinel has kReadSlack readable bytes from its own start on, and not one more.
    Unit* const last = reinterpret_cast<Unit*>(page.last() - ocior::kReadSlack);
    std::fill(last, reinterpret_cast<Unit*>(page.last()), Unit{'3'});
    *last = 0;
    Unit* const first = last - text.size();
    std::copy(text.begin(), text.end(), first);
    Number got;
    const auto length = static_cast<std::size_t>(read_expecting(first, got) - first);
    if (!right(text, length, got)) CHECK_MESSAGE(false, std::string(text));
    read_expecting(first, got, NumberKind::kFloat64);
}

}  // namespace

TEST_CASE("read_number: nothing is read beyond the contract") {
    const samples::Guarded page(1);
    for (std::size_t n = 1; n < 150; ++n) {
        const auto around = [n](const char* prefix, char digit, const char* suffix) {
            std::string text(prefix);
            text.append(n, digit).append(suffix);
            return text;
        };
        const std::string texts[] = {
            around("", '1', ""),   around("-", '2', ""),    around("1.", '3', ""),      around("", '4', ".5"),
            around("", '6', "."),  around("", '7', "e"),    around("", '8', "e-"),      around("", '9', "e-1"),
            around("0.", '0', ""), around("-1.", '5', "E"), around("-1.", '5', "E+17"), std::string("-"),
        };
        for (const std::string& text : texts) {
            at_the_edge<std::uint8_t>(page, text);
            at_the_edge<std::uint16_t>(page, text);
            at_the_edge<std::uint32_t>(page, text);
        }
    }
}
