// find_extra_escapes and put_extra_escapes against their scalar twin, in memory that ends at a guard page.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "text/extra_escapes.h"
#include "text_oracle.h"
#include "text_samples.h"

using namespace ocior;
using samples::Guarded;

namespace {

constexpr std::size_t kMaxUnits = 300;
constexpr unsigned kChoices[] = {text::kSlashes, text::kMarkup, text::kSlashes | text::kMarkup, text::kMarkup | text::kLineEnds,
                                 text::kSlashes | text::kMarkup | text::kLineEnds};

// A text in which every `rarity`th unit or so is marked, or nearly: lead bytes without what belongs to them, neighbours of what is marked.
template <CodeUnit Unit, bool kUtf8>
std::vector<Unit> text_of(std::size_t n, std::uint32_t rarity, samples::Random& r) {
    static constexpr std::uint32_t kMarked[] = {'/', '<', '>', '&', 0x2028, 0x2029};
    static constexpr std::uint32_t kNear[] = {'.', '0',  '=',  ';',  '?',  '%',    '\'',   ',',     '-',
                                              '"', 0xE2, 0x80, 0xA8, 0xA9, 0x2027, 0x202A, 0x1003C, 0x12028};
    std::vector<Unit> units;
    while (units.size() < n) {
        const std::uint32_t c = r.below(rarity) ? (r.below(8) ? 'a' + r.below(26) : kNear[r.below(18)]) : kMarked[r.below(6)];
        if (kUtf8 && c >= 0x2028 && c <= 0x2029 && r.below(8)) {
            for (const std::uint32_t byte : {0xE2u, 0x80u, 0x80u | (c & 0x3F)}) units.push_back(static_cast<Unit>(byte));
        } else {
            units.push_back(static_cast<Unit>(c));
        }
    }
    units.resize(n);
    return units;
}

template <CodeUnit Unit, bool kUtf8>
std::size_t differences() {
    static const Guarded output(8);
    const auto bytes = kUtf8 ? text::ByteText::kUtf8 : text::ByteText::kLatin1;
    samples::Random r(sizeof(Unit) + kUtf8);
    std::vector<Unit> expected(6 * kMaxUnits);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= kMaxUnits; ++n) {
        for (const unsigned which : kChoices) {
            for (const std::uint32_t rarity : {1, 3, 12, 80, 1000000}) {
                const auto units = text_of<Unit, kUtf8>(n, rarity, r);
                Unit* const end = text::scalar::copy_with_extra_escapes<kUtf8>(expected.data(), units.data(), n, which & text::kSlashes,
                                                                               which & text::kMarkup, which & text::kLineEnds);
                const auto length = static_cast<std::size_t>(end - expected.data());
                for (const std::size_t alignment : samples::alignments(n)) {
                    // Exactly the room that is asked for.
                    const std::size_t room = length + text::kExtraEscapesGap<Unit> + kWriteSlack / sizeof(Unit);
                    Unit* const text = output.room<Unit>(room, alignment);
                    if (n > 0) std::memcpy(text, units.data(), n * sizeof(Unit));
                    text[-1] = 0xA5;
                    const auto found = text::find_extra_escapes(text, n, which, bytes);
                    const bool is_found = found.growth == length - n && found.first <= n && (found.growth != 0 || found.first == n);
                    if (found.growth != 0 && is_found) text::put_extra_escapes(text, n, which, bytes, found);
                    if (!is_found || std::memcmp(text, expected.data(), length * sizeof(Unit)) != 0 || text[-1] != 0xA5) {
                        if (wrong++ == 0) MESSAGE("n=" << n << " which=" << which << " rarity=" << rarity << " alignment=" << alignment);
                    }
                }
            }
        }
    }
    return wrong;
}

}  // namespace

namespace {

template <CodeUnit Unit>
std::size_t delete_differences() {
    static const Guarded output(8);
    samples::Random r(sizeof(Unit));
    static constexpr std::string_view kPieces[] = {"\\u007f", "\\\\u007f", "\\\\",    "\\u4e7f", "\\u107f", "\\u007e",
                                                   "\\n",     "u007f",     "\\u007F", "\\\"",    "a",       "\x7f"};
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= kMaxUnits; ++n) {
        for (const std::uint32_t rarity : {1, 4, 60, 1000000}) {
            std::string text, expected;
            while (text.size() < n) {
                std::string_view piece = r.below(rarity) ? kPieces[11 - r.below(2)] : kPieces[r.below(12)];
                const bool is_cut = text.size() + piece.size() > n;
                piece = piece.substr(0, n - text.size());
                text += piece;
                expected += !is_cut && piece == kPieces[0] ? "\x7f" : piece;
            }
            for (const std::size_t alignment : samples::alignments(n)) {
                Unit* const units = output.room<Unit>(n + kWriteSlack / sizeof(Unit), alignment);
                std::copy(text.begin(), text.end(), units);
                const std::size_t left = text::restore_deletes(units, n);
                if (left != expected.size() || !std::equal(units, units + left, expected.begin())) {
                    if (wrong++ == 0) MESSAGE("n=" << n << " rarity=" << rarity << " alignment=" << alignment << " " << text);
                }
            }
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("escapes of U+007F are taken back") {
    CHECK(delete_differences<std::uint8_t>() == 0);
    CHECK(delete_differences<std::uint16_t>() == 0);
    CHECK(delete_differences<std::uint32_t>() == 0);
}

TEST_CASE("extra escapes: every length, alignment and choice of characters") {
    CHECK(differences<std::uint8_t, false>() == 0);
    CHECK(differences<std::uint8_t, true>() == 0);
    CHECK(differences<std::uint16_t, false>() == 0);
    CHECK(differences<std::uint32_t, false>() == 0);
}

TEST_CASE("extra escapes: what they are") {
    const auto escaped = [](std::u16string text) {
        text.resize(text.size() + 200);
        const std::size_t n = text.size() - 200;
        auto* const units = reinterpret_cast<std::uint16_t*>(text.data());
        const unsigned which = text::kSlashes | text::kMarkup | text::kLineEnds;
        const auto found = text::find_extra_escapes(units, n, which, text::ByteText::kLatin1);
        text::put_extra_escapes(units, n, which, text::ByteText::kLatin1, found);
        text.resize(n + found.growth);
        return text;
    };
    CHECK(escaped(u"a/<b>&\u2028\u2029\u202a") == u"a\\/\\u003cb\\u003e\\u0026\\u2028\\u2029\u202a");
}
