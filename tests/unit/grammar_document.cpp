// One document, any builder, any index: what is read of text that is padded where it lies, in whole, or in part, is what is read of the
// rest of the text alone.
#include "grammar/document.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "grammar/skipper.h"
#include "grammar_picker.h"
#include "text_samples.h"

using namespace picker;

namespace {

const samples::Guarded& memory() {
    static const samples::Guarded pages(64);
    return pages;
}

// The units with a NUL behind them, behind which memory ends.
template <typename Source>
const typename Source::Unit* at_the_end(const std::vector<typename Source::Unit>& units) {
    auto* const p = memory().room<typename Source::Unit>(units.size() + 1);
    if (!units.empty()) std::memcpy(p, units.data(), units.size() * sizeof *p);
    p[units.size()] = 0;
    return p;
}

std::string long_text() {
    std::string text = "[\"~ \\u00e9\", ";
    for (int i = 0; i < 90; ++i) text += "{\"number\": -1.5e3, \"_\": [1,\t2, []], \"text ~\": \"0123456789\\n\"},\n ";
    text += "\"";
    for (int i = 0; i < 300; ++i) text += "a long string~";
    return text + "\", true, 17]  {} ";
}

const std::string kTexts[] = {
    "",
    "1",
    "-",
    "null",
    "\"",
    "[",
    "{}",
    "\"text\"",
    "[1, \"two\", {\"three\": [4.5]}] [null]",
    "{\"a\": {\"_\": [\"~\"]}, \"b\": tru",
    "[[[\"\\u12",
    long_text(),
};

// Every index of a short text, some of a long one.
std::size_t step_of(std::size_t length) { return length < 200 ? 1 : 23; }

}  // namespace

TEST_CASE("the value at an index is that of the rest of the text") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        for (const std::string& text : kTexts) {
            const auto units = units_of<Source>(text);
            const auto* const first = at_the_end<Source>(units);
            grammar::Document<Source> whole(first, units.size());
            CHECK(!whole.is_padded_already());
            REQUIRE(whole.pad());
            for (std::size_t i = 0; i <= units.size(); i += step_of(units.size())) {
                CAPTURE(text);
                CAPTURE(i);
                const Padded<Source> rest(std::vector<typename Source::Unit>(units.begin() + static_cast<std::ptrdiff_t>(i), units.end()));
                const Outcome expected = pick<Source>(workspace, rest.text);

                Picker<Source> builder(whole.text(), workspace);
                const auto found = whole.read(builder, i);
                CHECK(found.value == (expected.error == Error::kNone));
                CHECK(found.error == expected.error);
                CHECK(found.next == i + expected.offset);
                CHECK(builder.events == expected.events);

                grammar::Skipper<Source> skipper(whole.text(), true, workspace);
                const auto skipped = whole.read(skipper, i);
                CHECK(skipped.error == expected.error);
                CHECK(skipped.next == i + expected.offset);

                grammar::Document<Source> part(first, units.size());
                REQUIRE(part.pad_value(i, true, workspace));
                Picker<Source> of_part(part.text(), workspace);
                const auto value = part.read(of_part, i);
                CHECK(value.error == expected.error);
                CHECK(value.next == i + expected.offset);
                CHECK(of_part.events == expected.events);
            }
        }
    });
}

TEST_CASE("the string at an index") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        for (const std::string& text : kTexts) {
            const auto units = units_of<Source>(text);
            const auto* const first = at_the_end<Source>(units);
            grammar::Document<Source> whole(first, units.size());
            REQUIRE(whole.pad());
            for (std::size_t i = 0; i <= units.size(); i += step_of(units.size())) {
                grammar::Document<Source> part(first, units.size());
                REQUIRE(part.pad_string(i, true, workspace));
                const auto read = [&](const grammar::Document<Source>& document) {
                    grammar::Call<Source> call{document.text(), true, workspace};
                    const auto* p = document.at(i);
                    const bool is_valid = skip_string(call, p, p);
                    return std::pair(is_valid ? Error::kNone : call.error, document.index_of(p) + 1);
                };
                CAPTURE(text);
                CAPTURE(i);
                CHECK(read(part) == read(whole));
            }
        }
    });
}

TEST_CASE("only what a value takes is copied") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        const auto units = units_of<Source>(long_text());
        grammar::Document<Source> part(at_the_end<Source>(units), units.size());
        REQUIRE(part.pad_value(0, true, workspace));
        CHECK(part.text().last - part.text().first == static_cast<std::ptrdiff_t>(units.size()));
        const std::size_t brace = static_cast<std::size_t>(std::find(units.begin(), units.end(), '{') - units.begin());
        grammar::Document<Source> little(at_the_end<Source>(units), units.size());
        REQUIRE(little.pad_value(brace, true, workspace));
        CHECK(little.text().last - little.text().first == 256);
        CHECK(little.skip_whitespace(brace) == brace);
    });
}

TEST_CASE("a text with readable memory behind it stays where it is") {
    for_each_source([&](auto source) {
        using Source = decltype(source);
        auto* const units = reinterpret_cast<typename Source::Unit*>(memory().first());
        std::memset(units, 0, 4096);
        units[0] = '1';
        grammar::Document<Source> document(units, 1);
        CHECK(document.is_padded_already() == grammar::kMayReadInPlace);
        REQUIRE(document.pad());
        CHECK((document.text().first == units) == grammar::kMayReadInPlace);
    });
}

TEST_CASE("values inside others have what is left of the depth") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        const Padded<Source> padded("[[[1]]]");
        grammar::Document<Source> document(padded.text.first, 7);
        REQUIRE(document.pad());
        for (std::size_t most = 0; most < 6; ++most) {
            for (std::size_t i = 0; i < 4 && i <= most; ++i) {
                Picker<Source> builder(document.text(), workspace, most);
                const auto found = document.read(builder, i, i);
                CHECK((found.error == Error::kNone) == (most >= 3 || i == 3));
                if (found.error != Error::kNone) CHECK(found.next == most);
            }
        }
    });
}
