// Blocks of escapes against one unit at a time: any mix of backslashes, letters, digits, stops and vectors' ends.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "simd/unescape.h"
#include "text_samples.h"

using namespace ocior;
using simd::Unescape;

namespace {

template <typename Dst>
struct Result {
    std::vector<Dst> text;
    std::size_t taken = 0;
    bool marked = false;

    bool operator==(const Result&) const = default;
};

template <typename Unit>
int hex_digit(Unit unit) {
    if (unit >= '0' && unit <= '9') return static_cast<int>(unit - '0');
    if (unit >= 'a' && unit <= 'f') return static_cast<int>(unit - 'a' + 10);
    return unit >= 'A' && unit <= 'F' ? static_cast<int>(unit - 'A' + 10) : -1;
}

// The value of four digits at `p`; negative when one is none.
template <typename Unit>
int hex4(const Unit* p) {
    int value = 0;
    for (int i = 0; i < 4; ++i) {
        const int digit = hex_digit(p[i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

// Up to the first unit that a block stops at.
template <Unescape kHow, typename Dst, typename Unit>
Result<Dst> one_by_one(const Unit* p) {
    Result<Dst> result;
    for (;;) {
        const Unit* const at = p + result.taken;
        if (*at == '"' || *at < 0x20 || (kHow == Unescape::kAscii && *at >= 0x80)) return result;
        if (*at != '\\') {
            result.text.push_back(static_cast<Dst>(*at));
            result.marked |= kHow == Unescape::kUtf8 && *at >= 0x80;
            ++result.taken;
        } else if (at[1] == 'u' && sizeof(Dst) < 4) {
            const int value = hex4(at + 2);
            const bool is_surrogate = (value & 0xF800) == 0xD800;
            if (value < 0 || (sizeof(Dst) == 1 && value > (kHow == Unescape::kUtf8 ? 0x7f : 0xff))) return result;
            if (is_surrogate && (sizeof(Unit) > 1 || !simd::kUtf16Escapes)) return result;
            result.text.push_back(static_cast<Dst>(value));
            result.marked |= is_surrogate;
            result.taken += 6;
        } else {
            const char* const known =
                at[1] < 0x80 && at[1] >= 0x20 ? std::strchr("\"\"\\\\//b\bf\fn\nr\rt\t", static_cast<int>(at[1])) : nullptr;
            if (!known) return result;
            result.text.push_back(static_cast<Dst>(known[1]));
            result.taken += 2;
        }
    }
}

template <Unescape kHow, typename Dst, typename Unit>
Result<Dst> by_blocks(const Unit* p) {
    Result<Dst> result;
    Dst out[2 * simd::kVecBytes];
    for (;;) {
        const simd::Unescaped step = simd::unescape_block<kHow>(out, p + result.taken);
        result.text.insert(result.text.end(), out, out + step.written);
        result.taken += step.taken;
        result.marked |= step.marked;
        if (step.stopped) return result;
    }
}

// Texts put together from `pieces`, up to a quote at 300 units at the latest.
template <typename Unit>
class Texts {
public:
    explicit Texts(std::vector<std::string> pieces) : pieces_(std::move(pieces)), text_(400 + 2 * simd::kVecBytes) {}

    const Unit* next() {
        const std::size_t length = r_.below(300);
        fill(0, length);
        text_[length] = '"';
        fill(length + 1, text_.size());
        text_[length + 100] = 0;  // where an escaped quote lets it run on
        return text_.data();
    }

private:
    void fill(std::size_t from, std::size_t to) {
        while (from < to) {
            const std::string& piece = pieces_[r_.below(static_cast<std::uint32_t>(pieces_.size()))];
            // In wider units a byte above 0x7f stands for a unit that ends in a special character.
            for (std::size_t i = 0; i < piece.size() && from < to; ++i, ++from) {
                const auto byte = static_cast<std::uint8_t>(piece[i]);
                const std::uint32_t wide = std::uint32_t{byte} << 8 | static_cast<std::uint8_t>("\"\\unA\x01"[r_.below(6)]);
                text_[from] = byte < 0x80 || sizeof(Unit) == 1 ? byte : static_cast<Unit>(wide);
            }
        }
    }

    samples::Random r_{17};
    std::vector<std::string> pieces_;
    std::vector<Unit> text_;
};

const std::vector<std::vector<std::string>> kMixtures = {
    {"a", "\\"},
    {"\\"},
    {"\\", "\\", "\\", "n", "\"", "/", "b", "f", "r", "t", "a", "b"},
    {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\\n", "words "},
    {"abc", "\\\\", "nt", "u", "\"", "\xe9", "\x01", "\x1f", "\x7f"},
    {"\\\\\\\\\\\\\\\\", "\xa2", "\xe9", "u", "\x02"},  // 0xa2 is a quote with its high bit set
    {"\\u00e9", "\\u0041", "abc ", "\\n", "\\u001f"},
    {"\\u4e2d", "\\u00e9", "a", "\\\"", "\\u2019s "},
    {"\\u4e2d", "\\ud83d\\ude00", "a", "\\udc00", "\\u0000", "\\uFFFF", "\\uaBcD"},
    {"\\u4e2d", "\\u12", "\\", "u", "0", "\\u00g0", "\\uD83", "9", "abcdef"},
    {"caf\xc3\xa9", "\\u0041", "\\n", "\xe4\xb8\xad", "plain text of some length ", "\\u00"},
};

template <Unescape kHow, typename Dst, typename Unit>
std::size_t faults() {
    std::size_t wrong = 0;
    for (std::size_t mixture = 0; mixture < kMixtures.size(); ++mixture) {
        Texts<Unit> texts(kMixtures[mixture]);
        for (int round = 0; round < 4000; ++round) {
            const Unit* const text = texts.next();
            if (!(by_blocks<kHow, Dst>(text) == one_by_one<kHow, Dst>(text)) && wrong++ == 0) MESSAGE("mixture " << mixture);
        }
    }
    return wrong;
}

template <Unescape kHow, typename Dst>
std::size_t placed_faults() {
    std::vector<std::uint8_t> text(4 * simd::kVecBytes + 8);
    std::size_t wrong = 0;
    const auto differ = [&] { return !(by_blocks<kHow, Dst>(text.data()) == one_by_one<kHow, Dst>(text.data())); };
    for (unsigned unit = 0; unit < 256; ++unit) {
        for (std::size_t place = 0; place < 2 * simd::kVecBytes; ++place) {
            std::fill(text.begin(), text.end(), std::uint8_t{'x'});
            text[place] = '\\';
            text[place + 1] = static_cast<std::uint8_t>(unit);
            text[place + 7] = '"';
            wrong += differ();
            // And as each of the digits.
            for (std::size_t digit = 0; digit < 4; ++digit) {
                std::memcpy(&text[place + 1], "u0041", 5);
                text[place + 2 + digit] = static_cast<std::uint8_t>(unit);
                wrong += differ();
            }
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("blocks of escapes from bytes") {
    CHECK(faults<Unescape::kUtf8, std::uint8_t, std::uint8_t>() == 0);
    CHECK(faults<Unescape::kAscii, std::uint8_t, std::uint8_t>() == 0);
    CHECK(faults<Unescape::kAscii, std::uint16_t, std::uint8_t>() == 0);
    CHECK(faults<Unescape::kAscii, std::uint32_t, std::uint8_t>() == 0);
    CHECK(faults<Unescape::kUnits, std::uint8_t, std::uint8_t>() == 0);
    CHECK(faults<Unescape::kUnits, std::uint16_t, std::uint8_t>() == 0);
    CHECK(faults<Unescape::kUnits, std::uint32_t, std::uint8_t>() == 0);
}

TEST_CASE("blocks of escapes from wider units") {
    CHECK(faults<Unescape::kUnits, std::uint16_t, std::uint16_t>() == 0);
    CHECK(faults<Unescape::kUnits, std::uint32_t, std::uint16_t>() == 0);
    CHECK(faults<Unescape::kUnits, std::uint32_t, std::uint32_t>() == 0);
}

TEST_CASE("every unit behind a backslash and among the digits, at every place of a vector") {
    CHECK(placed_faults<Unescape::kUtf8, std::uint8_t>() == 0);
    CHECK(placed_faults<Unescape::kAscii, std::uint8_t>() == 0);
    CHECK(placed_faults<Unescape::kUnits, std::uint16_t>() == 0);
}

#if defined(__AVX512VBMI2__)
TEST_CASE("runs of escapes of four digits") {
    samples::Random r(19);
    std::uint8_t text[64];
    std::uint16_t out[32];
    std::size_t wrong = 0;
    for (int round = 0; round < 60 * 256; ++round) {
        bool any_surrogate = false, valid = true;
        std::uint16_t expected[simd::kHexRunChars];
        for (std::size_t i = 0; i < simd::kHexRunChars; ++i) {
            std::uint8_t* const at = text + 6 * i;
            at[0] = '\\', at[1] = 'u';
            for (int k = 2; k < 6; ++k) at[k] = static_cast<std::uint8_t>("0123456789abcdefABCDEFdD"[r.below(24)]);
        }
        if (r.below(4) != 0) text[round % 60] = static_cast<std::uint8_t>(round / 60);
        for (std::size_t i = 0; i < simd::kHexRunChars; ++i) {
            const int value = hex4(text + 6 * i + 2);
            valid = valid && value >= 0 && text[6 * i] == '\\' && text[6 * i + 1] == 'u';
            expected[i] = static_cast<std::uint16_t>(value);
            any_surrogate |= (value & 0xF800) == 0xD800;
        }
        bool surrogates = false;
        const bool read = simd::unescape_hex_run(out, text, surrogates);
        wrong += read != valid || (read && (surrogates != any_surrogate || std::memcmp(out, expected, sizeof expected) != 0));
    }
    CHECK(wrong == 0);
}
#endif

TEST_CASE("surrogates are joined in pairs") {
    samples::Random r(23);
    std::uint16_t units[200 + simd::kVecBytes];
    std::uint32_t out[200 + simd::kVecBytes];
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= 150; ++n) {
        for (int round = 0; round < 60; ++round) {
            for (std::size_t i = 0; i < n + simd::kVecBytes; ++i) {
                const std::uint32_t kinds[] = {'a', 0x4E2D, 0xD7FF, 0xE000, 0xD800 + r.below(0x400), 0xDC00 + r.below(0x400)};
                units[i] = static_cast<std::uint16_t>(i == n ? 0 : kinds[round % 2 != 0 ? r.below(6) : 4 + r.below(2)]);
            }
            std::vector<std::uint32_t> expected;
            for (std::size_t i = 0; i < n; ++i) {
                if ((units[i] & 0xFC00) == 0xD800 && i + 1 < n && (units[i + 1] & 0xFC00) == 0xDC00) {
                    expected.push_back(0x10000 + ((units[i] - 0xD800u) << 10) + (units[i + 1] - 0xDC00u));
                    ++i;
                } else {
                    expected.push_back(units[i]);
                }
            }
            const auto* const end = simd::join_surrogates(out, units, n);
            wrong += std::vector<std::uint32_t>(out, const_cast<std::uint32_t*>(end)) != expected;
        }
    }
    CHECK(wrong == 0);
}
