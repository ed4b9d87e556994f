// Values that nobody wants: they are skipped without an event, checked as any others, and count for the depth.
#include "grammar/skipper.h"

#include <doctest/doctest.h>

#include "grammar_picker.h"

using namespace picker;

namespace {

const char* const kValues[] = {
    "0",
    "-1",
    "12345678901234567890123",
    "1.5e-300",
    "true",
    "false",
    "null",
    "NaN",
    "Infinity",
    "-Infinity",
    "\"\"",
    "\"text\"",
    "\"~\"",
    "\"a \\u00e9 \\n \\\" \\\\ \\ud83d\\ude00 ~\"",
    "\"a string that is longer than a vector of sixty-four bytes, with one escape far behind: \\\" and a ~ behind that\"",
    "[]",
    "{}",
    "[[[[]]]]",
    "[1,2, 3 ,\n 4]",
    "{\"a\":{\"b\":[{},{\"c\":null}]},\"_\":{\"_\":[true,\"_\"]}}",
    "{\"a long key that is longer than a vector of sixty-four bytes, of which there are few in most documents\":1,\"\\u0061\":2}",
};

const char* const kBadValues[] = {
    "",           "x",
    "01",         "-",
    "1.",         "tru",
    "nul",        "falsy",
    "+1",         "\"",
    "\"\t\"",     "\"\\x",
    "\"\\u12",    "\"\\u12g4\"",
    "[",          "[1",
    "[1,",        "[1,]",
    "[1 2]",      "[,]",
    "]",          "{",
    "{1:2}",      "{\"a\"",
    "{\"a\":",    "{\"a\":1,",
    "{\"a\":1,}", "{\"a\" 1}",
    "{\"a\":}",   "{\"a\":1 \"b\":2}",
    "[}",         "{\"\x01\":1}",
    "[[[\"~]]]",
};

}  // namespace

TEST_CASE("no event tells of a value that is not wanted") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        for (const std::string value : kValues) {
            for (const std::string gap : {"", " ", "\n\t  "}) {
                CAPTURE(value);
                const auto check = [&](const std::string& text, const std::string& events, std::size_t values) {
                    const Padded<Source> document(text);
                    Picker<Source> builder(document.text, workspace);
                    const auto parsed = grammar::Parser<Source, Picker<Source>>::run(builder, document.text.first);
                    CHECK(parsed.value);
                    CHECK(builder.error == Error::kNone);
                    CHECK(builder.events == events);
                    CHECK(builder.values == values);
                    CHECK(parsed.next == document.text.last);
                };
                const std::string member = "\"_\"" + gap + ":" + gap + value + gap;
                check("{" + gap + member + "}", "{}", 1);
                check("{\"a\":1," + gap + member + ",\"b\":[2]}", "{a1b[2]}", 4);
                check("{" + member + "," + gap + member + ",\"b\":true}", "{bt}", 2);
                check("[{\"a\":{" + member + "}}," + gap + "{" + member + "},0]", "[{a{}}{}0]", 5);
            }
        }
    });
}

TEST_CASE("mistakes in what is not wanted are found where they are found in what is wanted") {
    grammar::Workspace workspace;
    const auto agree = [&](auto source, const std::string& before, const std::string& value, const std::string& behind) {
        using Source = decltype(source);
        const Padded<Source> wanted(before + "\"w\":" + value + behind), unwanted(before + "\"_\":" + value + behind);
        const Outcome one = pick<Source>(workspace, wanted.text), other = pick<Source>(workspace, unwanted.text);
        CAPTURE(before + value + behind);
        CHECK(one.error == other.error);
        CHECK(one.offset == other.offset);
        CHECK((one.error == Error::kNone) == (other.events.back() != '!'));
        return other.error;
    };
    for_each_source([&](auto source) {
        for (const std::string before : {"{", "[{\"a\":[1],"}) {
            for (const std::string value : kBadValues) CHECK(agree(source, before, value, "") != Error::kNone);
            for (const std::string value : kBadValues) agree(source, before, value, "}]");
            for (const std::string value : kValues)
                for (std::size_t n = 0; n <= value.size(); ++n) agree(source, before, value.substr(0, n), "");
        }
    });
    // All texts of up to five of these.
    const std::string alphabet = "[]{}\":,1 t\\";
    for (unsigned length = 1; length <= 5; ++length) {
        std::string value(length, alphabet[0]);
        for (std::vector<std::size_t> digits(length, 0);;) {
            agree(grammar::Utf8Source{}, "{", value, "}");
            std::size_t i = 0;
            for (; i < length && ++digits[i] == alphabet.size(); ++i) value[i] = alphabet[digits[i] = 0];
            if (i == length) break;
            value[i] = alphabet[digits[i]];
        }
    }
}

TEST_CASE("bytes that are no UTF-8 are found in what is not wanted") {
    grammar::Workspace workspace;
    for (const std::string bytes : {"\x80", "\xC3", "\xC0\x80", "\xE4\xB8", "\xF4\x90\x80\x80", "\xFF"}) {
        const Padded<grammar::Utf8Source> document("{\"_\":[\"" + bytes + "\"]}");
        CHECK(pick<grammar::Utf8Source>(workspace, document.text).error == Error::kInvalidUtf8);
    }
}

TEST_CASE("what is not wanted counts for the depth") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        for (std::size_t outer = 1; outer <= 5; ++outer) {
            for (std::size_t inner = 0; inner <= 5; ++inner) {
                for (const std::string open : {"[", "{\"a\":"}) {
                    std::string before, value = "1";
                    for (std::size_t i = 1; i < outer; ++i) before += "[";
                    for (std::size_t i = 0; i < inner; ++i) value = open + value + (open == "[" ? "]" : "}");
                    const std::string start = before + "{\"_\":";
                    std::string behind = "}";
                    for (std::size_t i = 1; i < outer; ++i) behind += "]";
                    const Padded<Source> document(start + value + behind);
                    for (std::size_t most = outer; most <= 11; ++most) {
                        const Outcome outcome = pick<Source>(workspace, document.text, most);
                        if (outer + inner <= most) {
                            CHECK(outcome.error == Error::kNone);
                            CHECK(outcome.offset == static_cast<std::size_t>(document.text.last - document.text.first));
                        } else {
                            CHECK(outcome.error == (open == "[" ? Error::kTooDeepArray : Error::kTooDeepObject));
                            CHECK(outcome.offset == start.size() + (most - outer) * open.size());
                        }
                    }
                }
            }
        }
    });
}

TEST_CASE("a run inside another one has what is left of the depth") {
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        const Padded<Source> document("[{\"a\":[ ]},[[]]]");
        for (std::size_t depth = 0; depth <= 8; ++depth) {
            for (std::size_t most = depth; most <= 12; ++most) {
                const Outcome picked = pick<Source>(workspace, document.text, most, depth);
                CHECK((picked.error == Error::kNone) == (depth + 3 <= most));
                if (picked.error == Error::kNone) CHECK(picked.events == "[{a[]}[[]]]");
                grammar::Call<Source> call{document.text, true, workspace, Error::kNone, most};
                const auto* const next = grammar::skip_value(call, document.text.first, depth);
                CHECK(call.error == picked.error);
                CHECK(static_cast<std::size_t>(next - document.text.first) == picked.offset);
            }
        }
    });
}

TEST_CASE("what was skipped before does not matter, nor that its memory was given back") {
    grammar::Workspace workspace;
    std::string deep;
    for (int i = 0; i < 40000; ++i) deep += "[";
    for_each_source([&](auto source) {
        using Source = decltype(source);
        for (const std::string& text :
             {deep + deep, std::string("{\"ab\":1,\"cd\":[2],\"ef\":{}}"), deep, std::string("{\"abc\":1,\"d\":[2]}")}) {
            const Padded<Source> document(text);
            for (int turn = 0; turn < 3; ++turn) {
                grammar::Call<Source> call{document.text, true, workspace};
                const auto* const next = grammar::skip_value(call, document.text.first, 0);
                if (text[0] == '{') CHECK(next == document.text.last);
                else CHECK(call.error == (text == deep ? Error::kExpectingValue : Error::kTooDeepArray));
                workspace.trim(static_cast<std::size_t>(turn) << 20);
            }
        }
    });
}

TEST_CASE("words that are no JSON, and surrogates without a pair, are mistakes where a call checks what is skipped") {
    struct Row {
        const char* value;
        Error error;
        std::size_t offset;  // of the unit to blame, within the value
    };
    constexpr Row kRows[] = {
        {"NaN", Error::kExpectingValue, 0},
        {"Infinity", Error::kExpectingValue, 0},
        {"-Infinity", Error::kExpectingValue, 0},
        {"\"\\ud800\"", Error::kLoneSurrogate, 1},
        {"\"a\\udc00b\"", Error::kLoneSurrogate, 2},
        {"\"\\ud83d\\ude00\\ud83d\"", Error::kLoneSurrogate, 13},
        {"\"\\ud83d\\ud83d\\ude00\"", Error::kLoneSurrogate, 1},
        {"\"\\ud83d\\ude00\"", Error::kNone, 14},
        {"\"\\\\ud800\"", Error::kNone, 9},
        {"\"\\ue000\"", Error::kNone, 8},
        {"-1e999", Error::kNone, 6},
    };
    grammar::Workspace workspace;
    for_each_source([&](auto source) {
        using Source = decltype(source);
        for (const Row& row : kRows) {
            for (const std::string before : {"", "[", "{\"a\":", "[[1,"}) {
                for (const bool checks : {false, true}) {
                    CAPTURE(before + row.value);
                    const std::string behind = before.empty() ? "" : before == "[[1," ? "]]" : before == "[" ? "]" : "}";
                    const Padded<Source> document(before + row.value + behind);
                    grammar::Call<Source> call{document.text, true, workspace};
                    call.checks_skipped = checks;
                    const auto* const next = grammar::skip_value(call, document.text.first, 0);
                    const auto offset = static_cast<std::size_t>(next - document.text.first);
                    CHECK(call.error == (checks ? row.error : Error::kNone));
                    if (call.error == Error::kNone) CHECK(next == document.text.last);
                    else CHECK(offset == before.size() + row.offset);
                }
            }
        }
        // Keys, too.
        const Padded<Source> document("{\"\\ud800\":1}");
        grammar::Call<Source> call{document.text, true, workspace};
        call.checks_skipped = true;
        (void)grammar::skip_value(call, document.text.first, 0);
        CHECK(call.error == Error::kLoneSurrogate);
    });
}
