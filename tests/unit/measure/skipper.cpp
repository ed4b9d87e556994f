// How fast a document of UTF-8 is checked when nothing is made of it: Skipper, for the files that are named.
//   cmake --build build/unit-plain --target measure_v4 && build/unit-plain/tests/unit/measure_v4 FILE...
#include "grammar/skipper.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

#include "grammar/parser.h"

using namespace ocior;

namespace {

constexpr int kRounds = 400;

// Of kRounds readings, in seconds. Empty where the document is refused.
std::vector<double> times_of(const std::vector<std::uint8_t>& bytes, std::size_t length) {
    using Builder = grammar::Skipper<grammar::Utf8Source>;
    const grammar::Text<grammar::Utf8Source> text{bytes.data(), bytes.data() + length};
    grammar::Workspace workspace;
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        const auto start = std::chrono::steady_clock::now();
        Builder builder(text, true, workspace);
        const auto parsed = grammar::Parser<grammar::Utf8Source, Builder>::run(builder, text::skip_whitespace(text.first));
        times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        if (!parsed.value) return {};
    }
    std::sort(times.begin(), times.end());
    return times;
}

}  // namespace

int main(int count, char** paths) {
    for (int i = 1; i < count; ++i) {
        std::ifstream file(paths[i], std::ios::binary);
        std::vector<std::uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
        const std::size_t length = bytes.size();
        bytes.resize(length + 1 + kReadSlack);
        const auto times = times_of(bytes, length);
        if (times.empty()) return std::fprintf(stderr, "%s: no JSON document\n", paths[i]), 1;
        std::printf("%s: %zu bytes, best %.1f us (%.2f GB/s), quartile %.1f us\n", paths[i], length, times[0] * 1e6,
                    static_cast<double>(length) / times[0] / 1e9, times[kRounds / 4] * 1e6);
    }
}
