// copy_escaped, copy_escaped_ascii and copy_escaped_utf8 against their scalar twins: source and output both end at a guard page.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "text/escape.h"
#include "text_oracle.h"
#include "text_samples.h"

using namespace ocior;
using samples::Guarded;

namespace {

constexpr std::size_t kMaxUnits = 300;

// Runs `kernel` and `twin` (out, src, n) -> (end of out) over all lengths, alignments and kinds of text; counts differences.
template <CodeUnit Src, CodeUnit Dst, std::size_t kExpansion, typename Kernel, typename Twin>
std::size_t differences(Kernel kernel, Twin twin, bool surrogates = false) {
    static const Guarded source(2), output(8);
    std::vector<Dst> expected(kMaxUnits * kExpansion + 64);
    std::size_t wrong = 0;
    samples::Random r(sizeof(Src) * 16 + sizeof(Dst));
    for (std::size_t n = 0; n <= kMaxUnits; ++n) {
        for (int kind = 0; kind < samples::kTextKinds; ++kind) {
            auto units = samples::text<Src>(kind, n, r);
            if (surrogates && sizeof(Src) > 1 && n > 0 && r.below(2)) units[r.below(n)] = static_cast<Src>(0xD800 + r.below(0x800));
            const auto want = twin(expected.data(), units.data(), n);
            for (std::size_t alignment : samples::alignments(n)) {
                Src* src = source.room<Src>(n, alignment);
                if (n > 0) std::memcpy(src, units.data(), n * sizeof(Src));
                const std::size_t room = n * kExpansion + kWriteSlack / sizeof(Dst);
                Dst* dst = output.room<Dst>(room);
                dst[-1] = 0xA5;
                const auto got = kernel(dst, src, n);
                const std::size_t length = static_cast<std::size_t>(want.first - expected.data());
                if (got.first - dst != want.first - expected.data() || got.second - src != want.second - units.data() ||
                    std::memcmp(dst, expected.data(), length * sizeof(Dst)) != 0 || dst[-1] != 0xA5) {
                    if (wrong++ == 0) MESSAGE("n=" << n << " kind=" << kind << " alignment=" << alignment);
                }
            }
        }
    }
    return wrong;
}

template <typename End, typename Stop>
struct Ends {
    End first;
    Stop second;
};
template <typename End, typename Stop>
Ends(End, Stop) -> Ends<End, Stop>;

template <CodeUnit Src, CodeUnit Dst>
std::size_t escaped_differences() {
    return differences<Src, Dst, 6>([](Dst* d, const Src* s, std::size_t n) { return Ends{text::copy_escaped<Src, Dst>(d, s, n), s}; },
                                    [](Dst* d, const Src* s, std::size_t n) { return Ends{text::scalar::copy_escaped(d, s, n), s}; }, true);
}
template <CodeUnit Src, CodeUnit Dst>
std::size_t few_escaped_differences() {
    const auto twin = [](Dst* d, const Src* s, std::size_t n) { return Ends{text::scalar::copy_escaped(d, s, n), s}; };
    return differences<Src, Dst, 6>(
        [&](Dst* d, const Src* s, std::size_t n) {
            if (n == 0) return twin(d, s, n);
            const bool ends_plain = (n - 1) / simd::Vec<Src>::kLanes % 2 == 0;  // both answers, whether they are right or not
            return Ends{text::copy_few_escaped(d, s, n, ends_plain), s};
        },
        twin, true);
}
// What copy_escaped makes of a text, or copy_escaped_ascii, by their twins.
template <bool kAscii, CodeUnit Src, CodeUnit Dst>
Dst* escaped_by_twin(Dst* d, const Src* s, std::size_t n) {
    if constexpr (kAscii) return text::scalar::copy_escaped_ascii(d, s, n);
    else return text::scalar::copy_escaped(d, s, n);
}
template <bool kAscii>
std::size_t some_plain_differences() {
    const auto twin = [](std::uint8_t* d, const std::uint8_t* s, std::size_t n) { return Ends{escaped_by_twin<kAscii>(d, s, n), s}; };
    return differences<std::uint8_t, std::uint8_t, 6>(
        [&](std::uint8_t* d, const std::uint8_t* s, std::size_t n) {
            if (n <= text::kPlainHead || n > text::kMostPlain) return twin(d, s, n);
            const std::size_t plain = text::copy_some_plain<kAscii>(d, s, n);
            return Ends{plain == n ? d + n : escaped_by_twin<kAscii>(d + plain, s + plain, n - plain), s};
        },
        twin);
}

std::size_t shortly_escaped_differences() {
    const auto twin = [](std::uint8_t* d, const std::uint8_t* s, std::size_t n) { return Ends{text::scalar::copy_escaped(d, s, n), s}; };
    return differences<std::uint8_t, std::uint8_t, 6>(
        [&](std::uint8_t* d, const std::uint8_t* s, std::size_t n) {
            if (n == 0 || n > simd::kVecBytes) return twin(d, s, n);
            text::Marks marks;
            std::uint8_t* const end = text::copy_shortly_escaped(d, s, n, marks);
            return Ends{end ? end : text::copy_marked(d, s, n, marks), s};
        },
        twin);
}
// With no more room than the run needs; the rest is the twin's. A run that ends early has a reason: an escape in the next vector of units.
template <CodeUnit Src, CodeUnit Dst, bool kAscii = false>
std::size_t plain_run_differences() {
    constexpr std::size_t kLanes = simd::Vec<Src>::kLanes;
    const auto twin = [](Dst* d, const Src* s, std::size_t n) { return Ends{escaped_by_twin<kAscii>(d, s, n), s}; };
    return differences<Src, Dst, 6>(
        [&](Dst* d, const Src* s, std::size_t n) {
            Dst* const tight = d + 5 * n;
            const std::size_t run = text::copy_plain_run<kAscii>(tight, s, n);
            Dst escaped[6 * kLanes];
            const bool has_reason = run <= n && (n - run < kLanes || escaped_by_twin<kAscii>(escaped, s + run, kLanes) != escaped + kLanes);
            if (!has_reason) return Ends{static_cast<Dst*>(nullptr), s};
            std::memmove(d, tight, run * sizeof(Dst));
            return Ends{escaped_by_twin<kAscii>(d + run, s + run, n - run), s};
        },
        twin, true);
}
template <CodeUnit Src>
std::size_t ascii_differences() {
    return differences<Src, std::uint8_t, sizeof(Src) == 4 ? 12 : 6>(
        [](std::uint8_t* d, const Src* s, std::size_t n) { return Ends{text::copy_escaped_ascii(d, s, n), s}; },
        [](std::uint8_t* d, const Src* s, std::size_t n) { return Ends{text::scalar::copy_escaped_ascii(d, s, n), s}; }, true);
}
template <CodeUnit Src>
auto utf8_twin(std::uint8_t* d, const Src* s, std::size_t n) {
    const auto copy = text::scalar::copy_escaped_utf8(d, s, n);
    return Ends{copy.end, copy.stop};
}
template <CodeUnit Src>
std::size_t utf8_differences(bool surrogates) {
    return differences<Src, std::uint8_t, 6>(
        [](std::uint8_t* d, const Src* s, std::size_t n) {
            const auto copy = text::copy_escaped_utf8(d, s, n);
            return Ends{copy.end, copy.stop};
        },
        utf8_twin<Src>, surrogates);
}

// The kernels for at most a vector of units: what they take they write as the twin does; what they decline, and only that, has an
// escape in it, or a character that does not take three bytes.
template <CodeUnit Src, CodeUnit Dst>
std::size_t plain_differences() {
    const auto twin = [](Dst* d, const Src* s, std::size_t n) { return Ends{text::scalar::copy_escaped(d, s, n), s}; };
    return differences<Src, Dst, 6>(
        [&](Dst* d, const Src* s, std::size_t n) {
            if (n == 0 || n > simd::Vec<Src>::kLanes) return twin(d, s, n);
            std::vector<Dst> escaped(6 * n);
            const bool has_marks = text::scalar::copy_escaped(escaped.data(), s, n) != escaped.data() + n;
            if (text::copy_plain_units(d, s, n) == has_marks) return Ends{static_cast<Dst*>(nullptr), s};
            return has_marks ? twin(d, s, n) : Ends{d + n, s};
        },
        twin, true);
}
template <CodeUnit Src, CodeUnit Dst>
std::size_t short_escaped_differences() {
    const auto twin = [](Dst* d, const Src* s, std::size_t n) { return Ends{text::scalar::copy_escaped(d, s, n), s}; };
    return differences<Src, Dst, 6>(
        [&](Dst* d, const Src* s, std::size_t n) {
            if (n == 0 || n > simd::Vec<Src>::kLanes) return twin(d, s, n);
            return Ends{text::copy_short_escaped(d, s, n), s};
        },
        twin, true);
}
template <CodeUnit Src>
std::size_t short_utf8_differences(bool surrogates) {
    const auto twin = utf8_twin<Src>;
    return differences<Src, std::uint8_t, 6>(
        [&](std::uint8_t* d, const Src* s, std::size_t n) {
            if (n == 0 || n > text::kShortUtf8) return twin(d, s, n);
            const bool fits = std::none_of(s, s + n, [](Src c) { return c < 0x20 || c == '"' || c == '\\' || text::is_surrogate(c); });
            std::uint8_t* const end = text::copy_short_utf8(d, s, n);
            if ((end != nullptr) != fits) return Ends{static_cast<std::uint8_t*>(nullptr), s};
            return fits ? Ends{end, s + n} : twin(d, s, n);
        },
        twin, surrogates);
}
std::size_t even_utf8_differences(bool surrogates) {
    const auto twin = utf8_twin<std::uint16_t>;
    return differences<std::uint16_t, std::uint8_t, 6>(
        [&](std::uint8_t* d, const std::uint16_t* s, std::size_t n) {
            if (n == 0 || n > simd::Vec<std::uint16_t>::kLanes) return twin(d, s, n);
            const bool fits = std::all_of(s, s + n, [](std::uint16_t c) { return c >= 0x800 && (c < 0xD800 || c > 0xDFFF); }) ||
                              std::all_of(s, s + n, [](std::uint16_t c) { return c >= 0x80 && c < 0x800; });
            std::uint8_t* const end = text::copy_even_utf8(d, s, n);
            if ((end != nullptr) != fits) return Ends{static_cast<std::uint8_t*>(nullptr), s};
            return fits ? Ends{end, s + n} : twin(d, s, n);
        },
        twin, surrogates);
}

// Every code point (surrogates among them), packed in blocks, so that each meets each lane of a vector.
template <CodeUnit Src>
std::size_t all_code_points(std::uint32_t limit) {
    std::vector<Src> units;
    std::size_t wrong = 0;
    constexpr std::size_t kBlock = 997;
    std::vector<std::uint8_t> got(kBlock * 12 + kWriteSlack), want(kBlock * 12 + kWriteSlack);
    std::vector<Src> got_units(kBlock * 6 + kWriteSlack), want_units(kBlock * 6 + kWriteSlack);
    for (std::uint32_t c = 0; c <= limit; ++c) {
        units.push_back(static_cast<Src>(c));
        if (units.size() < kBlock && c != limit) continue;
        const auto end = text::copy_escaped_ascii(got.data(), units.data(), units.size());
        const auto end_twin = text::scalar::copy_escaped_ascii(want.data(), units.data(), units.size());
        wrong += end - got.data() != end_twin - want.data() ||
                 std::memcmp(got.data(), want.data(), static_cast<std::size_t>(end_twin - want.data())) != 0;
        const auto unit_end = text::copy_escaped<Src, Src>(got_units.data(), units.data(), units.size());
        const auto unit_end_twin = text::scalar::copy_escaped(want_units.data(), units.data(), units.size());
        wrong += unit_end - got_units.data() != unit_end_twin - want_units.data() ||
                 std::memcmp(got_units.data(), want_units.data(),
                             static_cast<std::size_t>(unit_end_twin - want_units.data()) * sizeof(Src)) != 0;
        for (const Src *s = units.data(), *last = s + units.size(); s < last;) {
            const auto copy = text::copy_escaped_utf8(got.data(), s, static_cast<std::size_t>(last - s));
            const auto twin = text::scalar::copy_escaped_utf8(want.data(), s, static_cast<std::size_t>(last - s));
            wrong += copy.stop != twin.stop || copy.end - got.data() != twin.end - want.data() ||
                     std::memcmp(got.data(), want.data(), static_cast<std::size_t>(twin.end - want.data())) != 0;
            s = twin.stop + 1;
        }
        units.clear();
    }
    return wrong;
}

}  // namespace

TEST_CASE("copy_escaped equals its twin") {
    CHECK(escaped_differences<std::uint8_t, std::uint8_t>() == 0);
    CHECK(escaped_differences<std::uint8_t, std::uint16_t>() == 0);
    CHECK(escaped_differences<std::uint8_t, std::uint32_t>() == 0);
    CHECK(escaped_differences<std::uint16_t, std::uint16_t>() == 0);
    CHECK(escaped_differences<std::uint16_t, std::uint32_t>() == 0);
    CHECK(escaped_differences<std::uint32_t, std::uint32_t>() == 0);
}

TEST_CASE("copy_few_escaped equals its twin") {
    CHECK(few_escaped_differences<std::uint8_t, std::uint8_t>() == 0);
    CHECK(few_escaped_differences<std::uint8_t, std::uint16_t>() == 0);
    CHECK(few_escaped_differences<std::uint8_t, std::uint32_t>() == 0);
    CHECK(few_escaped_differences<std::uint16_t, std::uint16_t>() == 0);
    CHECK(few_escaped_differences<std::uint16_t, std::uint32_t>() == 0);
    CHECK(few_escaped_differences<std::uint32_t, std::uint32_t>() == 0);
}

TEST_CASE("copy_some_plain takes what needs no escape") {
    CHECK(some_plain_differences<false>() == 0);
    CHECK(some_plain_differences<true>() == 0);
}

TEST_CASE("copy_shortly_escaped and copy_marked equal their twin") { CHECK(shortly_escaped_differences() == 0); }

TEST_CASE("copy_plain_run takes what needs no escape") {
    CHECK(plain_run_differences<std::uint8_t, std::uint8_t>() == 0);
    CHECK(plain_run_differences<std::uint8_t, std::uint8_t, true>() == 0);
    CHECK(plain_run_differences<std::uint8_t, std::uint16_t>() == 0);
    CHECK(plain_run_differences<std::uint8_t, std::uint32_t>() == 0);
    CHECK(plain_run_differences<std::uint16_t, std::uint16_t>() == 0);
    CHECK(plain_run_differences<std::uint16_t, std::uint32_t>() == 0);
    CHECK(plain_run_differences<std::uint32_t, std::uint32_t>() == 0);
}

TEST_CASE("copy_escaped_ascii equals its twin") {
    CHECK(ascii_differences<std::uint8_t>() == 0);
    CHECK(ascii_differences<std::uint16_t>() == 0);
    CHECK(ascii_differences<std::uint32_t>() == 0);
}

TEST_CASE("copy_escaped_utf8 equals its twin") {
    for (bool surrogates : {false, true}) {
        CHECK(utf8_differences<std::uint8_t>(surrogates) == 0);
        CHECK(utf8_differences<std::uint16_t>(surrogates) == 0);
        CHECK(utf8_differences<std::uint32_t>(surrogates) == 0);
    }
}

TEST_CASE("short strings in one vector") {
    CHECK((plain_differences<std::uint16_t, std::uint16_t>() == 0));
    CHECK((plain_differences<std::uint32_t, std::uint32_t>() == 0));
    CHECK((plain_differences<std::uint16_t, std::uint32_t>() == 0));
    CHECK((short_escaped_differences<std::uint8_t, std::uint8_t>() == 0));
    CHECK((short_escaped_differences<std::uint8_t, std::uint16_t>() == 0));
    CHECK((short_escaped_differences<std::uint8_t, std::uint32_t>() == 0));
    CHECK((short_escaped_differences<std::uint16_t, std::uint16_t>() == 0));
    CHECK((short_escaped_differences<std::uint32_t, std::uint32_t>() == 0));
    CHECK(even_utf8_differences(false) == 0);
    CHECK(even_utf8_differences(true) == 0);
    for (const bool surrogates : {false, true}) {
        CHECK(short_utf8_differences<std::uint8_t>(surrogates) == 0);
        CHECK(short_utf8_differences<std::uint16_t>(surrogates) == 0);
        CHECK(short_utf8_differences<std::uint32_t>(surrogates) == 0);
    }
}

TEST_CASE("every code point through every escaping kernel") {
    CHECK(all_code_points<std::uint8_t>(0xFF) == 0);
    CHECK(all_code_points<std::uint16_t>(0xFFFF) == 0);
    CHECK(all_code_points<std::uint32_t>(0x10FFFF) == 0);
}

TEST_CASE("sources and outputs on the heap, exact in size") {
    // For AddressSanitizer, which does not watch mapped pages.
    samples::Random r(23);
    std::size_t wrong = 0;
    for (std::size_t n = 1; n <= 140; ++n) {
        for (int kind = 0; kind < samples::kTextKinds; ++kind) {
            const auto wide = samples::text<std::uint16_t>(kind, n, r);
            const std::vector<std::uint16_t> source16(wide.begin(), wide.end());
            const std::vector<std::uint8_t> source8(wide.begin(), wide.end());
            const std::vector<std::uint32_t> source32(wide.begin(), wide.end());
            std::vector<std::uint8_t> out(12 * n + kWriteSlack), want(12 * n);
            const auto check = [&](const auto& source) {
                auto length = [&](const std::uint8_t* end, const std::vector<std::uint8_t>& v) {
                    return static_cast<std::size_t>(end - v.data());
                };
                std::size_t a = length(text::copy_escaped_ascii(out.data(), source.data(), n), out);
                std::size_t b = length(text::scalar::copy_escaped_ascii(want.data(), source.data(), n), want);
                wrong += a != b || std::memcmp(out.data(), want.data(), a) != 0;
                a = length(text::copy_escaped_utf8(out.data(), source.data(), n).end, out);
                b = length(text::scalar::copy_escaped_utf8(want.data(), source.data(), n).end, want);
                wrong += a != b || std::memcmp(out.data(), want.data(), a) != 0;
            };
            check(source8);
            check(source16);
            check(source32);
            std::vector<std::uint32_t> out32(6 * n + kWriteSlack / 4), want32(6 * n);
            const auto end = text::copy_escaped(out32.data(), source8.data(), n);
            const auto end_twin = text::scalar::copy_escaped(want32.data(), source8.data(), n);
            wrong += end - out32.data() != end_twin - want32.data() ||
                     std::memcmp(out32.data(), want32.data(), static_cast<std::size_t>(end_twin - want32.data()) * 4) != 0;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("the scalar twin writes what json writes") {
    const auto escaped = [](const std::vector<std::uint32_t>& units) {
        std::vector<std::uint8_t> out(units.size() * 12);
        const auto end = text::scalar::copy_escaped_ascii(out.data(), units.data(), units.size());
        return std::string(out.begin(), out.begin() + (end - out.data()));
    };
    CHECK(escaped({'a', '"', '\\', '/', '\b', '\f', '\n', '\r', '\t'}) == R"(a\"\\/\b\f\n\r\t)");
    CHECK(escaped({0, 0x0B, 0x1F, 0x7E, 0x7F, 0xE9, 0x20AC}) == R"(\u0000\u000b\u001f~\u007f\u00e9\u20ac)");
    CHECK(escaped({0x1F600, 0xD800, 0x10FFFF}) == R"(\ud83d\ude00\ud800\udbff\udfff)");
}
