// All digits of numbers: rows of text -> words, count, exponent, in every code unit, and random ones against a decimal of strings.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/config.h"
#include "num/digits.h"

using ocior::CodeUnit;
using ocior::num::Digits;

namespace {

// What was read, as text: sign, digits, and the exponent behind an e; "-" where it was not.
std::string told(bool is_read, const Digits& digits) {
    if (!is_read) return "-";
    std::string text;
    for (unsigned i = 0; i < digits.word_count; ++i) {
        const std::string word = std::to_string(digits.words[i]);
        const bool is_highest = i + 1 == digits.word_count;
        text = std::string(is_highest ? 0 : Digits::kWordDigits - word.size(), '0') + word + text;
    }
    CHECK(text.size() == digits.digit_count);
    return std::string(digits.negative ? "-" : "") + text + "e" + std::to_string(digits.exponent);
}

template <CodeUnit Unit>
std::string read_as(const std::string& row) {
    std::vector<Unit> units(row.begin(), row.end());
    units.resize(units.size() + 64, static_cast<Unit>('7'));
    Digits digits;
    const Unit* const first = units.data();
    return told(ocior::num::read_digits(first, first + row.size(), digits), digits);
}

std::string read(const std::string& row) {
    const std::string text = read_as<std::uint8_t>(row);
    CHECK(read_as<std::uint16_t>(row) == text);
    CHECK(read_as<std::uint32_t>(row) == text);
    return text;
}

struct Row {
    std::string text, digits;
};

TEST_CASE("digits of numbers") {
    const std::string zeros(70, '0'), nines(76, '9');
    const Row rows[] = {
        {"0.0", "0e-1"},
        {"-0.00", "-0e-2"},
        {"0e5", "0e5"},
        {"1.5", "15e-1"},
        {"-1.50", "-150e-2"},
        {"100.0", "1000e-1"},
        {"0.001", "1e-3"},
        {"1e5", "1e5"},
        {"1E+05", "1e5"},
        {"12.5e-3", "125e-4"},
        {"0.9999999999999999999", "9999999999999999999e-19"},
        {"-0.9999999999999999999", "-9999999999999999999e-19"},
        {"1.0000000000000000000", "10000000000000000000e-19"},
        {"12345678901234567.89", "1234567890123456789e-2"},
        {"12345678901234567890.5", "123456789012345678905e-1"},
        {"0." + zeros + "12", "12e-72"},
        {nines + "e-3", nines + "e-3"},
        {nines.substr(1) + ".9", nines + "e-1"},
        {nines + ".0", "-"},
        {"0." + zeros + nines, nines + "e-146"},
        {"1e999999", "1e999999"},
        {"1e-0000999999", "1e-999999"},
        {"1e1000000", "-"},
        {"1e-99999999999999999999", "-"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.text);
        CHECK(read(row.text) == row.digits);
    }
}

TEST_CASE("digits of random numbers") {
    std::mt19937_64 random(5);
    const auto some = [&random](std::size_t most) {
        std::string digits(random() % (most + 1), '0');
        for (char& digit : digits) digit = static_cast<char>('0' + random() % 10);
        return digits;
    };
    for (int i = 0; i < 20000; ++i) {
        std::string whole = some(i % 40), fraction = some(i % 33) + "5";
        whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
        const bool negative = random() % 2;
        std::string digits = whole + fraction;
        digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
        const std::string sign = negative ? "-" : "", text = sign + (whole.empty() ? "0" : whole) + "." + fraction;
        CAPTURE(text);
        CHECK(read(text) == sign + digits + "e-" + std::to_string(fraction.size()));
    }
}

TEST_CASE("how many digits a word has") {
    std::uint64_t power = 1;
    for (unsigned digits = 1; digits <= Digits::kWordDigits; ++digits, power *= 10) {
        CHECK(ocior::num::detail::digit_count_of(power) == digits);
        CHECK(ocior::num::detail::digit_count_of(power * 10 - 1) == digits);
    }
    CHECK(ocior::num::detail::digit_count_of(0) == 1);
}

}  // namespace
