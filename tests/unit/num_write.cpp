// Writing numbers: rows, all powers and their neighbours, random values against an independent oracle.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "guarded_pages.h"
#include "num/ecmascript.h"
#include "num/integer_batch.h"
#include "num_support.h"

using num_test::repr;
using num_test::written;
using ocior::low_bits;
using ocior::num::write_f64;
using ocior::num::write_i64;
using ocior::num::write_u64;

namespace {

// Compares without a doctest assertion per value, which would dominate the run. Doubles are written as batches, too.
num_test::BatchCheck batch;

void check_batch() {
    batch.check();
    CHECK_MESSAGE(batch.wrong() == 0, batch.last_wrong());
}

void same_as_repr(double v) {
    batch.add(v);
    if (!std::isfinite(v)) return;
    const std::string got = written(v), want = repr(v);
    if (got != want) CHECK_MESSAGE(got == want, want);
}

double from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

}  // namespace

TEST_CASE("write_f64: rows from Python's repr") {
    const struct {
        double v;
        const char* text;
    } rows[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-1.0, "-1.0"},
        {0.5, "0.5"},
        {2.0, "2.0"},
        {10.0, "10.0"},
        {100.0, "100.0"},
        {0.1, "0.1"},
        {0.3, "0.3"},
        {1.5, "1.5"},
        {12.34, "12.34"},
        {1e15, "1000000000000000.0"},
        {9999999999999998.0, "9999999999999998.0"},
        {1e16, "1e+16"},
        {1.5e16, "1.5e+16"},
        {1e17, "1e+17"},
        {123456789012345680.0, "1.2345678901234568e+17"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {1e100, "1e+100"},
        {1.5e300, "1.5e+300"},
        {1e-4, "0.0001"},
        {1.5e-4, "0.00015"},
        {9.999e-5, "9.999e-05"},
        {1e-5, "1e-05"},
        {1.5e-5, "1.5e-05"},
        {1e-10, "1e-10"},
        {1e-100, "1e-100"},
        {5e-324, "5e-324"},
        {1e-323, "1e-323"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {2.225073858507201e-308, "2.225073858507201e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {-1.7976931348623157e308, "-1.7976931348623157e+308"},
        {9007199254740991.0, "9007199254740991.0"},
        {9007199254740992.0, "9007199254740992.0"},
        {9007199254740993.0, "9007199254740992.0"},
        {1125899906842624.25, "1125899906842624.2"},
        {1125899906842624.75, "1125899906842624.8"},
        {2251799813685248.5, "2251799813685248.5"},
        {0.00012345678901234567, "0.00012345678901234567"},
        {-65.613616999999977, "-65.61361699999998"},
        {5.0507837461e-27, "5.0507837461e-27"},
        {9.5367431640625e-07, "9.5367431640625e-07"},
        {4.35, "4.35"},
        {0.1 + 0.2, "0.30000000000000004"},
        {2.9802322387695312e-08, "2.9802322387695312e-08"},
    };
    for (const auto& row : rows) CHECK(written(row.v) == row.text);
}

TEST_CASE("write_f64: powers of two and their neighbours") {
    for (std::uint64_t biased = 1; biased < 2047; ++biased) {
        for (int d = -4; d <= 4; ++d) same_as_repr(from_bits((biased << 52) + static_cast<std::uint64_t>(d)));
    }
    check_batch();
}

TEST_CASE("write_f64: subnormals") {
    for (std::uint64_t bits = 0; bits < 20000; ++bits) same_as_repr(from_bits(bits));
    for (unsigned i = 0; i < 52; ++i) {
        for (std::uint64_t d = 0; d < 8; ++d) {
            same_as_repr(from_bits((1ull << i) + d));
            same_as_repr(from_bits((1ull << i) - d));
        }
    }
    check_batch();
}

TEST_CASE("write_f64: decimals of few digits and their neighbours, all exponents") {
    for (int exponent = -330; exponent < 309; ++exponent) {
        for (int digits = 1; digits < 100; ++digits) {
            const std::string text = std::to_string(digits) + "e" + std::to_string(exponent);
            const auto bits = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
            for (std::uint64_t d = 0; d < 3; ++d) {
                same_as_repr(from_bits(bits + d));
                same_as_repr(from_bits(bits - d));
            }
        }
    }
    check_batch();
}

TEST_CASE("write_f64: random") {
    std::mt19937_64 random(1);
    for (int i = 0; i < 100000; ++i) {
        same_as_repr(from_bits(random()));
        same_as_repr(static_cast<double>(random() >> 11) * 0x1p-53);
        same_as_repr(static_cast<double>(random() % 100000000) / 100);
        same_as_repr(static_cast<double>(random() >> random() % 64) / std::pow(10.0, static_cast<double>(random() % 20)));
        same_as_repr(static_cast<double>(static_cast<std::int64_t>(random())) / static_cast<double>(1ull << random() % 63));
        same_as_repr(from_bits(random() & ~low_bits(static_cast<unsigned>(random() % 53))));  // short significands
        if (random() % 100 == 0) batch.check();  // of any number
    }
    check_batch();
}

TEST_CASE("to_ecmascript: the notation of RFC 8785, in the room that is asked for") {
    const struct {
        double number;
        const char* text;
    } rows[] = {
        {0.0, "0"},
        {-0.0, "0"},
        {10.0, "10"},
        {-1.0, "-1"},
        {0.5, "0.5"},
        {1e15, "1000000000000000"},
        {1e16, "10000000000000000"},
        {-1.2345678901234568e16, "-12345678901234568"},
        {1.5e20, "150000000000000000000"},
        {-123456789012345680000.0, "-123456789012345680000"},
        {1e21, "1e+21"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {0.0001, "0.0001"},
        {1e-5, "0.00001"},
        {1.5e-6, "0.0000015"},
        {-1.2345678901234567e-6, "-0.0000012345678901234567"},
        {1e-7, "1e-7"},
        {-1.5e-10, "-1.5e-10"},
        {5e-324, "5e-324"},
    };
    for (const auto& row : rows) {
        std::uint8_t text[ocior::num::kFormatRoom + 8];
        std::memset(text, '#', sizeof text);
        const std::uint8_t* const end = ocior::num::to_ecmascript(text, write_f64(text, row.number));
        CHECK(std::string(reinterpret_cast<const char*>(text), static_cast<std::size_t>(end - text)) == row.text);
        CHECK(static_cast<std::size_t>(end - text) <= ocior::num::kMaxEcmaScriptLen);
        CHECK(text[ocior::num::kFormatRoom] == '#');
    }
}

TEST_CASE("a batch of doubles: powers of ten, ties, and each of them in each lane") {
    for (int exponent = -6; exponent < 18; ++exponent) {
        const double power = std::pow(10.0, exponent);
        for (const double v : {power, 9.5 * power, 1.25 * power, std::nextafter(power, 0), -power, -7 * power, 1234567.25, 8388608.75, 0.0,
                               -0.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
            for (int lane = 0; lane < 8; ++lane) {
                for (int i = 0; i < lane; ++i) batch.add(1.5);
                batch.add(v);
                batch.check();
            }
        }
    }
    check_batch();
}

TEST_CASE("write_u64, write_i64") {
    const auto same_u64 = [](std::uint64_t v) {
        std::uint8_t out[ocior::num::kFormatRoom];
        const std::string got(out, write_u64(out, v));
        if (got != std::to_string(v)) CHECK(got == std::to_string(v));
    };
    const auto same_i64 = [](std::int64_t v) {
        std::uint8_t out[ocior::num::kFormatRoom];
        const std::string got(out, write_i64(out, v));
        if (got != std::to_string(v)) CHECK(got == std::to_string(v));
    };
    for (std::uint64_t v = 0; v <= 110000; ++v) same_u64(v), same_i64(-static_cast<std::int64_t>(v));
    std::uint64_t power = 1;
    for (int i = 0; i < 20; ++i, power *= 10) {
        for (std::uint64_t d = 0; d < 3; ++d) same_u64(power + d), same_u64(power - d), same_u64(power * 9 + d);
    }
    std::mt19937_64 random(2);
    for (int i = 0; i < 500000; ++i) {
        const std::uint64_t v = random() >> random() % 64;
        same_u64(v);
        same_i64(static_cast<std::int64_t>(v));
    }
    same_u64(~0ull);
    same_i64(std::numeric_limits<std::int64_t>::min());
    same_i64(std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("write_f32: the digits of another algorithm, all exponents, their ends and random values") {
    const auto check = [](std::uint32_t bits) {
        const auto v = std::bit_cast<float>(bits);
        if (!std::isfinite(v)) return;
        std::uint8_t text[ocior::num::kFormatRoom + ocior::simd::kVecBytes];
        const std::string got(text, ocior::num::write_f32(text, v)), want = repr(v);
        if (got != want) CHECK_MESSAGE(got == want, want);
    };
    for (std::uint32_t exponent = 0; exponent < 256; ++exponent)
        for (std::uint32_t d = 0; d < 1000; ++d) check(exponent << 23 | d), check((exponent << 23) - 1 - d);
    std::mt19937 random(4);
    for (int i = 0; i < 500000; ++i) check(static_cast<std::uint32_t>(random()));
}

TEST_CASE("write_f16: every value reads back, and no text of fewer digits does") {
    // The bits of the nearest float16, ties to even, of a positive value. Not every compiler has a type for them.
    const auto read = [](double v) {
        const int exponent = std::max(std::ilogb(v), -14);
        return static_cast<std::uint32_t>((exponent + 14) * 1024 + std::lrint(std::ldexp(v, 10 - exponent)));
    };
    for (std::uint32_t bits = 1; bits < 0x7c00; ++bits) {
        std::uint8_t text[ocior::num::kFormatRoom + ocior::simd::kVecBytes];
        std::uint8_t* const end = ocior::num::write_f16(text, static_cast<std::uint16_t>(bits));
        *end = 0;
        const double value = std::strtod(reinterpret_cast<char*>(text), nullptr);
        if (read(value) != bits) CHECK(read(value) == bits);
        const float narrow = ocior::num::float_of_f16(static_cast<std::uint16_t>(bits));
        if (read(narrow) != bits) CHECK(read(narrow) == bits);
        // The text in so many digits, with one less, and the neighbours of that.
        char digits[32];
        std::snprintf(digits, sizeof digits, "%.9e", value);
        int count = 10;
        for (const char* p = std::strchr(digits, 'e') - 1; *p == '0' && count > 1; --p) --count;
        if (count == 1) continue;
        const double unit = std::pow(10.0, std::floor(std::log10(value)) - (count - 2));
        for (int step = -1; step <= 2; ++step) {
            const double shorter = (std::floor(value / unit) + step) * unit;
            if (shorter > 0 && read(shorter) == bits) CHECK(read(shorter) != bits);
        }
    }
}

#if defined(__AVX512IFMA__) && defined(__AVX512VBMI__)

namespace {

// Whether a batch writes what `write` writes of each number of `bits`, or leaves it to that; how many it leaves.
template <ocior::num::FloatFormat format, typename Bits, typename Write>
int check_batch(const std::vector<Bits>& bits, Write write) {
    static ocior::num::FloatBatch batch;
    int left = 0;
    for (std::size_t first = 0; first < bits.size(); first += ocior::num::FloatBatch::kSize) {
        const int count = static_cast<int>(std::min<std::size_t>(bits.size() - first, ocior::num::FloatBatch::kSize));
        batch.format_bits<format>(count, [&](int i) { return bits[first + static_cast<std::size_t>(i < count ? i : 0)]; });
        for (int i = 0; i < count; ++i) {
            std::uint8_t text[64], scalar[64];
            const Bits one = bits[first + static_cast<std::size_t>(i)];
            const std::uint8_t* const end = batch.put(text, i);
            left += !end;
            if (end && std::string(text, const_cast<std::uint8_t*>(end)) != std::string(scalar, write(scalar, one)))
                CHECK_MESSAGE(false, one);
        }
    }
    return left;
}

}  // namespace

TEST_CASE("batches of narrow floats: what the scalar functions write") {
    using ocior::num::FloatFormat;
    std::vector<std::uint16_t> all;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) all.push_back(static_cast<std::uint16_t>(bits));
    // Subnormals, 9 powers of two, and what is not finite.
    CHECK(check_batch<FloatFormat::k16>(all, ocior::num::write_f16) == 2 * (1023 + 9 + 1024));
    std::vector<std::uint32_t> some;
    for (std::uint32_t exponent = 1; exponent < 255; ++exponent)
        for (std::uint32_t d = 0; d < 300; ++d) some.push_back(exponent << 23 | d), some.push_back((exponent << 23 | 0x7fffff) - d);
    std::mt19937 random(6);
    for (int i = 0; i < 500000; ++i) some.push_back(static_cast<std::uint32_t>(random()) & 0x7fffffff);
    const auto write = [](std::uint8_t* out, std::uint32_t bits) { return ocior::num::write_f32(out, std::bit_cast<float>(bits)); };
    CHECK(check_batch<FloatFormat::k32>(some, write) < 6000);  // of random numbers one in 128
    CHECK(check_batch<FloatFormat::k32>(std::vector<std::uint32_t>{0, 0x80000000, 0x3f800000, 0xbf800001, 0x41200000}, write) == 0);
}

TEST_CASE("batches of integers: what the scalar functions write, at every size and count") {
    static ocior::num::IntegerBatch batch;
    std::mt19937_64 random(7);
    int eights = 0;
    for (int round = 0; round < 20000; ++round) {
        const int count = 1 + static_cast<int>(random() % ocior::num::IntegerBatch::kSize);
        std::int64_t values[ocior::num::IntegerBatch::kSize];
        const unsigned least = static_cast<unsigned>(random() % 64);
        for (std::int64_t& value : values) value = static_cast<std::int64_t>(random()) >> (least + random() % (64 - least));
        const auto same = [&](auto integer, auto write) {
            batch.format(count, integer);
            for (int i = 0; i < count; ++i) {
                std::uint8_t text[64], scalar[64];
                const std::string got(text, batch.put(text, i)), want(scalar, write(scalar, integer(i)));
                if (got != want) CHECK(got == want);
            }
            for (int first = 0; first + 8 <= count && batch.are_short(); first += 1 + static_cast<int>(random() % 8)) {
                for (const std::string separator : {",", ", "}) {
                    std::uint8_t text[160 + 2], scalar[64];
                    text[160] = text[161] = 0x55;
                    std::string want;
                    for (int i = first; i < first + 8; ++i) want += std::string(scalar, write(scalar, integer(i))) + separator;
                    const auto length = static_cast<unsigned>(separator.size());
                    const auto word = static_cast<std::uint16_t>(separator[0] | (length == 2 ? separator[1] << 8 : 0));
                    const std::string got(text, batch.put_eight(text, first, word, length));
                    if (got != want) CHECK(got == want);
                    if (text[160] != 0x55 || text[161] != 0x55) CHECK(false);
                    ++eights;
                }
            }
        };
        same([&](int i) { return values[i]; }, [](std::uint8_t* out, std::int64_t v) { return write_i64(out, v); });
        same([&](int i) { return static_cast<std::uint64_t>(values[i]); },
             [](std::uint8_t* out, std::uint64_t v) { return write_u64(out, v); });
        same([&](int i) { return static_cast<std::int16_t>(values[i]); },
             [](std::uint8_t* out, std::int16_t v) { return write_i64(out, v); });
    }
    CHECK(eights > 10000);
}

#endif

TEST_CASE("writers store at most kFormatRoom bytes and nothing before the start") {
    const samples::Guarded page(1);
    std::uint8_t* const out = page.last() - ocior::num::kFormatRoom;
    std::mt19937_64 random(3);
    out[-1] = 0x55;
    for (int i = 0; i < 200000; ++i) {
        const double scale = std::pow(10.0, -static_cast<double>(random() % 25));
        const double v = i % 2 ? from_bits(random()) : static_cast<double>(random()) * scale;
        if (std::isfinite(v)) {
            const std::size_t length = static_cast<std::size_t>(write_f64(out, -v) - out);
            if (length > ocior::num::kMaxFloat64Len) CHECK(length <= ocior::num::kMaxFloat64Len);
        }
        const std::int64_t n = static_cast<std::int64_t>(random() >> random() % 64);
        if (write_i64(out, n) - out > static_cast<long>(20)) CHECK(false);
    }
    CHECK(out[-1] == 0x55);
}
