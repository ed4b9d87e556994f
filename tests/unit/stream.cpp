// Where the values of a stream end, without Python: every cut of texts by hand and by chance, against a twin that looks at one byte after
// the other; and the block that keeps what is unread.
#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "stream/block.h"
#include "stream/value_end.h"

using namespace ocior;
using stream::Block;
using stream::ValueEnd;

namespace {

constexpr std::size_t kNone = ~std::size_t{0};

bool ends_scalar(char c) { return std::string(" \t\n\r\x1E\"[]{},:").find(c) != std::string::npos; }

// The scalar twin of ValueEnd.
std::size_t end_of(const std::string& text, bool has_separators) {
    if (text.empty()) return kNone;
    if (text[0] != '[' && text[0] != '{' && text[0] != '"') {
        if (ends_scalar(text[0])) return 1;
        for (std::size_t i = 0; i < text.size(); ++i)
            if (ends_scalar(text[i])) return i;
        return kNone;
    }
    const bool is_string = text[0] == '"';
    bool in_string = is_string, is_escaped = false;
    std::size_t depth = is_string ? 0 : 1;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const char c = text[i];
        if (has_separators && c == '\x1E') return i;
        if (is_escaped) {
            is_escaped = false;
            if (c == '"' || c == '\\') continue;
        } else if (c == '\\') {
            is_escaped = true;
            continue;
        }
        if (c == '"') {
            in_string = !in_string;
            if (is_string) return i + 1;
        } else if (!in_string && !is_string && (c == '[' || c == '{')) {
            ++depth;
        } else if (!in_string && !is_string && (c == ']' || c == '}')) {
            if (--depth == 0) return i + 1;
        }
    }
    return kNone;
}

// Feeds the text in steps, and returns where the end is found.
std::size_t end_by_steps(const std::string& text, bool has_separators, const std::vector<std::size_t>& steps) {
    ValueEnd end;
    std::size_t come = 0;
    for (const std::size_t step : steps) {
        come = std::min(text.size(), come + step);
        std::vector<std::uint8_t> bytes(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(come));
        bytes.resize(come + 1 + kReadSlack, 'x');  // what lies behind must not count
        const std::uint8_t* const found = end.find(bytes.data(), bytes.data() + come, has_separators);
        if (found) return static_cast<std::size_t>(found - bytes.data());
        CHECK(end.looked_at() == come);
    }
    return kNone;
}

// As above, but what has been looked at is given up each time.
std::size_t end_by_drops(const std::string& text, bool has_separators, std::size_t step) {
    ValueEnd end;
    for (std::size_t begin = 0; begin < text.size(); begin += step) {
        const std::size_t n = std::min(step, text.size() - begin);
        std::vector<std::uint8_t> bytes(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                        text.begin() + static_cast<std::ptrdiff_t>(begin + n));
        bytes.resize(n + 1 + kReadSlack, '"');
        const std::uint8_t* const found = end.find(bytes.data(), bytes.data() + n, has_separators);
        if (found) return begin + static_cast<std::size_t>(found - bytes.data());
        end.drop();
    }
    return kNone;
}

void check_everywhere(const std::string& text) {
    for (const bool has_separators : {false, true}) {
        const std::size_t expected = end_of(text, has_separators);
        INFO("text: ", text);
        CHECK(end_by_steps(text, has_separators, {text.size()}) == expected);
        CHECK(end_by_steps(text, has_separators, std::vector<std::size_t>(text.size(), 1)) == expected);
        for (std::size_t cut = 0; cut <= text.size(); ++cut) CHECK(end_by_steps(text, has_separators, {cut, text.size()}) == expected);
        for (const std::size_t step : {1, 2, 3, 63, 64, 65}) CHECK(end_by_drops(text, has_separators, step) == expected);
    }
}

}  // namespace

TEST_CASE("a value ends at its last bracket, its quote, or before what cannot be part of it, wherever it is cut") {
    for (const char* const text : {"",
                                   "1",
                                   "12 ",
                                   "12,",
                                   "true]",
                                   "nul\x1E",
                                   "-1.5e+3\n",
                                   "x",
                                   ",",
                                   "]",
                                   ":",
                                   "}",
                                   "\x1E",
                                   " ",
                                   "1\"",
                                   "1[",
                                   "\"\"",
                                   "\"a\" ",
                                   "\"a",
                                   "\"\\\"\" ",
                                   "\"\\\\\" ",
                                   "\"\\",
                                   "\"\\\\",
                                   "\"[\" ",
                                   "\"a\x1E\" ",
                                   "[]",
                                   "{}",
                                   "[1,2] ",
                                   "[[]] ",
                                   "[[]",
                                   "{\"]\":[\"}\"]} ",
                                   "[\"\\\"]\"]",
                                   "[\"\\\\\"]]",
                                   "[}",
                                   "{]x",
                                   "[\x1E]",
                                   "[\"\x1E\"]",
                                   "[1\x1E",
                                   "[\\\"]",
                                   "[\\\\\"]\"]"})
        check_everywhere(text);
    for (const std::size_t n : {1u, 30u, 31u, 32u, 61u, 62u, 63u, 64u, 65u, 127u, 128u, 129u}) {
        const std::string pad(n, 'a'), slashes(n, '\\'), brackets(n, '[');
        for (const std::string& text :
             {"\"" + pad + "\" ", "[\"" + pad + "]\"] ", "\"" + slashes + "\" \"", "[\"" + slashes + "\",\"]\"]\"]",
              brackets + std::string(n, ']') + "]", brackets + std::string(n - 1, '}'), pad + " ", pad, "\"" + pad + "\x1E\"",
              "[" + pad + "\x1E]", "\"" + pad + "\\"})
            check_everywhere(text);
    }
}

TEST_CASE("a value's end is where a twin finds it that looks at one byte after the other") {
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        static constexpr char kBytes[] = "\"\"\\\\[]{}[[,a: \x1E";
        const std::size_t kinds = i % 3 ? sizeof kBytes - 1 : 9;
        std::string text(1, "\"[{a"[random() % 4]);
        const std::size_t length = random() % 200;
        while (text.size() < length) text += random() % 4 ? 'b' : kBytes[random() % kinds];
        for (const bool has_separators : {false, true}) {
            const std::size_t expected = end_of(text, has_separators);
            INFO("text: ", text);
            CHECK(end_by_steps(text, has_separators, {text.size()}) == expected);
            std::vector<std::size_t> steps;
            for (std::size_t come = 0; come < text.size(); come += steps.back()) steps.push_back(random() % 70);
            CHECK(end_by_steps(text, has_separators, steps) == expected);
            CHECK(end_by_drops(text, has_separators, 1 + random() % 70) == expected);
        }
    }
}

TEST_CASE("newlines are counted up to the last byte and no further") {
    std::mt19937 random(2);
    for (std::size_t n = 0; n < 300; ++n) {
        std::vector<std::uint8_t> bytes(n + kReadSlack, '\n');
        std::uint64_t expected = 0;
        for (std::size_t i = 0; i < n; ++i) expected += (bytes[i] = random() % 3 ? 'a' : '\n') == '\n';
        CHECK(stream::count_newlines(bytes.data(), bytes.data() + n) == expected);
    }
}

TEST_CASE("a block keeps what is unread, and knows its place") {
    std::mt19937 random(3);
    for (int round = 0; round < 20; ++round) {
        Block block;
        std::string all;
        std::size_t read = 0;
        block.begin_at(1000);
        for (int i = 0; i < 300; ++i) {
            std::string chunk(random() % (round % 2 ? 20 : 20000), 'a');
            for (char& c : chunk) c = random() % 5 ? static_cast<char>('a' + random() % 20) : '\n';
            REQUIRE(block.append(chunk.data(), chunk.size()));
            all += chunk;
            REQUIRE(block.byte_len() == all.size() - read);
            if (block.byte_len()) {
                CHECK(std::memcmp(block.first(), all.data() + read, block.byte_len()) == 0);
                for (std::size_t k = 0; k <= kReadSlack; ++k) CHECK(block.last()[k] == 0);
            }
            const std::size_t n = block.byte_len() ? random() % (block.byte_len() + 1) : 0;
            block.advance(block.first() + n);
            read += n;
            CHECK(block.offset_of(block.first()) == 1000 + read);
            if (random() % 2) {
                std::uint64_t lines = 0;
                for (std::size_t k = 0; k < read; ++k) lines += all[k] == '\n';
                CHECK(block.lines_before(block.first()) == lines);
            }
        }
    }
}

TEST_CASE("an empty block takes nothing") {
    Block block;
    CHECK(block.append("", 0));
    CHECK(block.byte_len() == 0);
    CHECK(block.lines_before(block.first()) == 0);
    CHECK(block.append("1", 1));
    CHECK(block.byte_len() == 1);
}
