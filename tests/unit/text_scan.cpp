// String-end scans and the white-space skip against their scalar twins: text, sentinel and slack end at a guard page.
#include <doctest/doctest.h>

#include "text/scan.h"
#include "text_oracle.h"
#include "text_samples.h"

using namespace ocior;
using samples::Guarded;

namespace {

constexpr std::size_t kMaxUnits = 300;

// Places `units` plus the sentinel so that kReadSlack bytes lie between `last` and a fault.
template <CodeUnit U>
U* place(const Guarded& memory, const std::vector<U>& units, std::size_t units_before_guard) {
    U* p = memory.room<U>(units.size(), units_before_guard + kReadSlack / sizeof(U));
    if (!units.empty()) std::memcpy(p, units.data(), units.size() * sizeof(U));
    std::memset(p + units.size(), 0, (units_before_guard + kReadSlack / sizeof(U)) * sizeof(U));
    return p;
}

template <CodeUnit U>
std::vector<U> without_marks(int kind, std::size_t n, samples::Random& r, bool controls) {
    auto units = samples::text<U>(kind, n, r);
    for (U& u : units) {
        if (u == '"' || u == '\\') u = 'x';
        if (u < 0x20 && !controls) u = 'y';
    }
    return units;
}

template <CodeUnit U>
std::size_t scan_differences() {
    const Guarded memory(2);
    samples::Random r(sizeof(U));
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= kMaxUnits; ++n) {
        for (int kind = 0; kind < samples::kTextKinds; ++kind) {
            auto units = without_marks<U>(kind, n, r, r.below(2) != 0);
            if (n > 0 && r.below(2)) units[r.below(static_cast<std::uint32_t>(n))] = r.below(2) ? '"' : '\\';
            for (std::size_t alignment : samples::alignments(n)) {
                const U* p = place(memory, units, alignment);
                const auto scan = text::scan_string(p), twin = text::scalar::scan_string(p);
                bool same = scan.stop == twin.stop && scan.bits == twin.bits;
                if constexpr (sizeof(U) == 1) {
                    const auto a = text::scan_string_utf8(p), a_twin = text::scalar::scan_string_utf8(p);
                    same = same && a.stop == a_twin.stop && a.code_points == a_twin.code_points && a.max_byte == a_twin.max_byte;
                    const auto b = text::measure_utf8(p, a.stop);
                    same = same && b.stop == a_twin.stop && b.code_points == a_twin.code_points && b.max_byte == a_twin.max_byte;
                }
                if (!same && wrong++ == 0) MESSAGE("n=" << n << " kind=" << kind << " alignment=" << alignment);
            }
        }
    }
    return wrong;
}

template <CodeUnit U>
std::size_t whitespace_differences() {
    const Guarded memory(2);
    samples::Random r(7);
    std::size_t wrong = 0;
    // Every other byte, and wider units that end in a space's.
    std::vector<std::uint32_t> others = {0x2020, 0x2009, 0x0D0D, 0x10020};
    for (std::uint32_t unit = 0; unit < 0x100; ++unit)
        if (unit != ' ' && unit != '\t' && unit != '\n' && unit != '\r') others.push_back(unit);
    for (std::size_t n = 0; n <= kMaxUnits; ++n) {
        for (const std::uint32_t other : others) {
            std::vector<U> units(n);
            const int mode = static_cast<int>(r.below(3));
            for (U& u : units) u = static_cast<U>(mode == 0 ? ' ' : " \t\n\r"[r.below(4)]);
            if (n > 1 && r.below(2)) units[r.below(static_cast<std::uint32_t>(n))] = static_cast<U>(others[4 + r.below(252)]);
            units.push_back(static_cast<U>(other));
            const U* p = place(memory, units, r.below(64));
            wrong += text::skip_whitespace(p) != text::scalar::skip_whitespace(p);
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("string scans equal their twins") {
    CHECK(scan_differences<std::uint8_t>() == 0);
    CHECK(scan_differences<std::uint16_t>() == 0);
    CHECK(scan_differences<std::uint32_t>() == 0);
}

TEST_CASE("long strings are scanned to their end") {
    std::vector<std::uint8_t> text(100000 + 1 + kReadSlack, 'a');
    text[100000] = '"';
    for (std::size_t start = 0; start < 600; ++start) {
        text[50000 + start] = 0xE4;
        const auto scan = text::scan_string(text.data() + start);
        const auto utf8 = text::scan_string_utf8(text.data() + start);
        REQUIRE(scan.stop == text.data() + 100000);
        REQUIRE(scan.bits == 0x80);
        REQUIRE(utf8.stop == text.data() + 100000);
        REQUIRE(utf8.max_byte == 0xEF);
        REQUIRE(utf8.code_points == 100000 - start);
        text[50000 + start] = 'a';
    }
}

TEST_CASE("white space is skipped as by the twin") {
    CHECK(whitespace_differences<std::uint8_t>() == 0);
    CHECK(whitespace_differences<std::uint16_t>() == 0);
    CHECK(whitespace_differences<std::uint32_t>() == 0);
}
