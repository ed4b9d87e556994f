// Random doubles through write_f64 and back through read_number: the text against std::to_chars or against CPython's own
// repr, the value against the original bits, and reading of other digits against strtod. Batches of doubles against std::to_chars.
//
//   g++ -std=c++20 -O3 -fno-rtti -Isrc -Itests/unit -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2 -mavx512ifma
//       tests/long/num_float64.cpp src/num/*.cpp src/simd/*.cpp -o num_float64
//   ./num_float64 SEED COUNT            about 2 million a second
//
// With CPython as the oracle of both directions (PyOS_double_to_string and PyOS_string_to_double), about 1 million a
// second; add -DWITH_CPYTHON $(python3-config --includes) $(python3-config --ldflags --embed), or link any libpython.
#ifdef WITH_CPYTHON
#include <Python.h>
#endif

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "num/read.h"
#include "num_support.h"

namespace {

double draw(std::mt19937_64& random, unsigned kind) {
    static const double kPow10[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11};
    const std::uint64_t r = random();
    switch (kind % 8) {
        case 0:
        case 1: return std::bit_cast<double>(r);                                    // any bits
        case 2: return static_cast<double>(r >> 11) * 0x1p-53;                              // uniform in [0, 1)
        case 3: return static_cast<double>(r % 10000000) / 100;                             // prices
        case 4: return static_cast<double>((r >> 8) % 1000000000000) / kPow10[r % 12];      // short decimals
        case 5: return static_cast<double>(static_cast<std::int64_t>(r)) * 0x1p-63 * 180;   // coordinates
        case 6: return static_cast<double>(r >> r % 64);                                    // integers
        default: return std::bit_cast<double>(r & ~0ull << r % 53);                         // short significands
    }
}

// Writes the expected text, returns its length.
std::size_t expected(double v, char* out) {
#ifdef WITH_CPYTHON
    char* const text = PyOS_double_to_string(v, 'r', 0, Py_DTSF_ADD_DOT_0, nullptr);
    const std::size_t length = std::strlen(text);
    std::memcpy(out, text, length);
    PyMem_Free(text);
    return length;
#else
    const std::string text = num_test::repr(v);
    std::memcpy(out, text.data(), text.size());
    return text.size();
#endif
}

double parsed(const char* text) {
#ifdef WITH_CPYTHON
    return PyOS_string_to_double(text, nullptr, nullptr);
#else
    return std::strtod(text, nullptr);
#endif
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
#ifdef WITH_CPYTHON
    Py_InitializeEx(0);
#endif
    const auto seed = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
    std::mt19937_64 random(seed);
    unsigned long long wrong = 0;
    num_test::BatchCheck batch;
    for (unsigned long long i = 0; i < count; ++i) {
        const double v = draw(random, static_cast<unsigned>(i));
        batch.add(v);
        if (!std::isfinite(v)) continue;
        std::uint8_t text[64 + 64] = {};
        char want[64];
        const auto length = static_cast<std::size_t>(ocior::num::write_f64(text, v) - text);
        text[length] = 0;
        bool ok = expected(v, want) == length && std::memcmp(text, want, length) == 0;

        ocior::num::Number number;
        ok = ok && ocior::num::read_number(static_cast<const std::uint8_t*>(text), number) == text + length &&
             number.kind == ocior::num::NumberKind::kFloat64 && std::bit_cast<std::uint64_t>(number.d) == std::bit_cast<std::uint64_t>(v);
        if (!ok && wrong++ < 20) std::printf("wrong: %a written %s\n", v, reinterpret_cast<char*>(text));

        if (i % 4 == 0) {  // other digits than the shortest: 1 to 19 of them, and any exponent now and then
            std::uint8_t digits[128] = {};
            const std::uint64_t r = random();
            const int n = 1 + static_cast<int>(r % 19);
            const auto w = random() % static_cast<std::uint64_t>(std::pow(10.0, n));
            const bool moderate = r >> 32 & 1;
            const int exponent = static_cast<int>((r >> 33) % (moderate ? 40 : 680)) - (moderate ? 20 : 350);
            auto* const chars = reinterpret_cast<char*>(digits);
            std::snprintf(chars, 64, "%llu.%llue%d", static_cast<unsigned long long>(w / 1000), static_cast<unsigned long long>(w % 1000),
                          exponent);
            const double value = parsed(chars);
            ocior::num::read_number(static_cast<const std::uint8_t*>(digits), number);
            if (std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(number.d) && wrong++ < 20) {
                std::printf("wrong: %s read as %a, not %a\n", chars, number.d, value);
            }
        }
    }
    batch.check();
    if (batch.wrong()) std::printf("wrong in a batch: %a and %llu others\n", batch.last_wrong(), batch.wrong() - 1);
    wrong += batch.wrong();
    std::printf("seed %llu: %llu doubles, %llu wrong\n", seed, count, wrong);
    return wrong != 0;
}
