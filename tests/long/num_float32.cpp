// Every float32 bit pattern through write_f32: the text must be repr's notation of the shortest digits (std::to_chars, an
// independent implementation) and read back as the same bits (strtof; not by way of a double, which rounds 7.038531e-26 twice).
//
//   g++ -std=c++20 -O3 -fno-rtti -Isrc -Itests/unit -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2
//       tests/long/num_float32.cpp src/num/*.cpp -o num_float32
//   ./num_float32 [first part] [last part]      256 parts (one per 2^24 patterns); all: about 10 minutes on one core
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "num_support.h"

namespace {

// Digits are compared without building strings: the oracle's text is brought into repr's notation in place.
bool same(float v, const std::uint8_t* text, std::size_t length) {
    char digits[64];
    const char* const end = std::to_chars(digits, digits + sizeof digits, v, std::chars_format::scientific).ptr;
    // Fast agreement test: strip sign, point, zeros and exponent from both and compare what is left.
    char ours[64], theirs[64];
    const auto significant = [](const char* p, const char* last, char* out) {
        std::size_t n = 0;
        bool leading = true;
        for (; p != last && *p != 'e'; ++p) {
            if (*p < '0' || (leading && *p == '0')) continue;
            leading = false;
            out[n++] = *p;
        }
        while (n && out[n - 1] == '0') --n;
        return n;
    };
    const char* const first = reinterpret_cast<const char*>(text);
    const std::size_t n = significant(first, first + length, ours), m = significant(digits, end, theirs);
    return n == m && std::memcmp(ours, theirs, n) == 0;
}

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t first = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
    const std::uint64_t last = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 255;
    std::uint64_t wrong = 0, tried = 0;
    for (std::uint64_t bits = first << 24; bits < (last + 1) << 24; ++bits) {
        const float v = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (!std::isfinite(v)) continue;
        ++tried;
        std::uint8_t text[64] = {};
        const std::size_t length = static_cast<std::size_t>(ocior::num::write_f32(text, v) - text);
        text[length] = 0;
        const float back = std::strtof(reinterpret_cast<const char*>(text), nullptr);
        bool ok = std::bit_cast<std::uint32_t>(back) == bits && same(v, text, length);
        if (ok && bits % 64 == 0) ok = num_test::repr(v) == std::string(text, text + length);  // the notation, too
        if (!ok && wrong++ < 20) {
            std::printf("wrong: %08x %s\n", static_cast<unsigned>(bits), reinterpret_cast<char*>(text));
        }
    }
    using ull = unsigned long long;
    std::printf("parts %llu to %llu: %llu float32 tried, %llu wrong\n", ull{first}, ull{last}, ull{tried}, ull{wrong});
    return wrong != 0;
}
