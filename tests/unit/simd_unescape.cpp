// Blocks of escapes against one unit at a time: any mix of backslashes, letters, stops and vectors' ends.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "simd/unescape.h"
#include "text_samples.h"

using namespace ocior;

namespace {

struct Result {
    std::vector<std::uint8_t> text;
    std::size_t taken;
};

// Up to the first quote, control character, unit above 0x7f or escape of more than a letter.
Result one_by_one(const std::uint8_t* p) {
    Result result{{}, 0};
    for (;;) {
        const std::uint8_t unit = p[result.taken];
        if (unit == '"' || unit < 0x20 || unit >= 0x80) return result;
        if (unit != '\\') {
            result.text.push_back(unit);
            ++result.taken;
            continue;
        }
        const std::uint8_t letter = p[result.taken + 1];
        const char* const known = letter < 0x80 && letter != 0 ? std::strchr("\"\"\\\\//b\bf\fn\nr\rt\t", letter) : nullptr;
        if (!known || letter < 0x20) return result;
        result.text.push_back(static_cast<std::uint8_t>(known[1]));
        result.taken += 2;
    }
}

Result by_blocks(const std::uint8_t* p) {
    Result result{{}, 0};
    std::uint8_t out[2 * simd::kVecBytes];
    for (;;) {
        const simd::Unescaped step = simd::unescape_block(out, p + result.taken);
        result.text.insert(result.text.end(), out, out + step.written);
        result.taken += step.taken;
        if (step.stopped) return result;
    }
}

std::size_t faults(const char* alphabet, std::size_t letters, unsigned rounds) {
    samples::Random r(17);
    std::size_t wrong = 0;
    std::vector<std::uint8_t> text(400 + 2 * simd::kVecBytes);
    for (unsigned round = 0; round < rounds; ++round) {
        const std::size_t length = static_cast<std::size_t>(r.below(300));
        for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<std::uint8_t>(alphabet[r.below(letters)]);
        text[length] = '"';
        for (std::size_t i = length + 1; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(alphabet[r.below(letters)]);
        text[length + 100] = 0;  // where an escaped quote lets it run on
        const Result expected = one_by_one(text.data()), got = by_blocks(text.data());
        wrong += got.taken != expected.taken || got.text != expected.text;
    }
    return wrong;
}

}  // namespace

TEST_CASE("blocks of escapes") {
    CHECK(faults("a\\", 2, 20000) == 0);
    CHECK(faults("\\", 1, 600) == 0);
    CHECK(faults("\\\\\\n\"/bfrtab", 12, 20000) == 0);
    CHECK(faults("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\\n", 46, 20000) == 0);
    CHECK(faults("abc\\\\ntu\"\xe9\x01\x1f\x7f", 14, 20000) == 0);
    CHECK(faults("\\\\\\\\\\\\\\\\\xa2\xe9u\x02", 12, 20000) == 0);  // 0xa2 is a quote with its high bit set
}

TEST_CASE("every unit behind a backslash, at every place of a vector") {
    std::vector<std::uint8_t> text(4 * simd::kVecBytes + 8);
    std::size_t wrong = 0;
    for (unsigned unit = 0; unit < 256; ++unit) {
        for (std::size_t place = 0; place < 2 * simd::kVecBytes; ++place) {
            std::fill(text.begin(), text.end(), std::uint8_t{'x'});
            text[place] = '\\';
            text[place + 1] = static_cast<std::uint8_t>(unit);
            text[place + 5] = '"';
            const Result expected = one_by_one(text.data()), got = by_blocks(text.data());
            wrong += got.taken != expected.taken || got.text != expected.text;
        }
    }
    CHECK(wrong == 0);
}
