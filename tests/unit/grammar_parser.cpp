// The grammar without Python, over all four sources: rows of text -> events, and of text -> code@offset. A builder that writes down what it
// is told takes the place of the one that makes objects; the one that makes nothing must stop at the same unit for the same reason.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "grammar/parser.h"
#include "grammar/skipper.h"
#include "text_oracle.h"
#include "text_samples.h"

using namespace ocior;
using grammar::Error;

namespace {

// As Python's surrogatepass encodes.
void add_utf8(std::string& text, std::uint32_t c) {
    if (c < 0x80) return text.push_back(static_cast<char>(c));
    const auto tail = [&](unsigned shift) { text.push_back(static_cast<char>(0x80 | (c >> shift & 0x3f))); };
    if (c < 0x800) text.push_back(static_cast<char>(0xC0 | c >> 6));
    else if (c < 0x10000) text.push_back(static_cast<char>(0xE0 | c >> 12)), tail(6);
    else text.push_back(static_cast<char>(0xF0 | c >> 18)), tail(12), tail(6);
    tail(0);
}

// Writes events down: [ ] { } as they are, the closing ones with the number of values pushed inside; k: a key, s: a string, i: r: b: an
// integer, a real, a large integer, true and its like; ! what was dropped. `fails_at`: the number of an event that fails.
template <typename Source>
struct Recorder : grammar::Call<Source> {
    using Unit = typename Source::Unit;
    using Value = bool;
    struct Cursor {
        std::size_t pushed;
    };
    struct Frame {
        grammar::Inside inside;
        std::size_t pushed_outside;
    };

    std::string events{};
    std::vector<Frame> frames = std::vector<Frame>(1);
    std::size_t fails_at = ~std::size_t{0};

    bool add(const std::string& event) {
        if (fails_at-- == 0) return false;
        if (!events.empty()) events += ' ';
        events += event;
        return true;
    }
    std::string text_of(const Unit* first, const Unit* last) { return std::string(first, last); }

    Frame* begin(Cursor& cursor) {
        cursor.pushed = 0;
        frames[0] = {grammar::Inside::kNothing, 0};
        return frames.data();
    }
    Frame* enter(Cursor& cursor, std::size_t depth, grammar::Inside inside, const char* event) {
        if (!add(event)) return nullptr;
        if (depth == frames.size()) frames.resize(2 * depth);
        frames[depth] = {inside, std::exchange(cursor.pushed, std::size_t{0})};
        return frames.data() + depth;
    }
    Frame* enter_array(Cursor& cursor, Frame*, std::size_t depth) { return enter(cursor, depth, grammar::Inside::kArray, "["); }
    Frame* enter_object(Cursor& cursor, Frame*, std::size_t depth) { return enter(cursor, depth, grammar::Inside::kObject, "{"); }
    bool read(const char* kind, const Unit*& p) {
        const auto text = grammar::read_text<Source>(*this, p);
        p = text.next;
        if (!text.units) return false;
        std::string utf8;
        std::uint32_t bits = 0;
        for (std::size_t i = 0; i < text.unit_count; ++i) {
            const std::uint32_t unit = text.width <= 1   ? static_cast<const std::uint8_t*>(text.units)[i]
                                       : text.width == 2 ? static_cast<const std::uint16_t*>(text.units)[i]
                                                         : static_cast<const std::uint32_t*>(text.units)[i];
            if (text.width == 0) utf8.push_back(static_cast<char>(unit));
            else add_utf8(utf8, unit), bits |= unit;
        }
        std::size_t length = 0;
        for (const char c : utf8) length += (c & 0xC0) != 0x80;
        CHECK(text.length == length);
        if (text.width) CHECK(text::scalar::width_class(text.bits) == text::scalar::width_class(bits));
        return add(kind + utf8);
    }
    bool string(Cursor&, const Unit*& p) { return read("s:", p); }
    grammar::Key key(Cursor&, Frame& frame, const Unit*& p) {
        CHECK(frame.inside == grammar::Inside::kObject);
        return read("k:", p) ? grammar::Key::kWanted : grammar::Key::kFailed;
    }
    bool word(Cursor&, grammar::Word word, const Unit*) {
        return add(word == grammar::kTrue ? "true" : word == grammar::kFalse ? "false" : "null");
    }
    bool non_finite(Cursor&, grammar::NonFinite which, const Unit*) {
        return add(which == grammar::NonFinite::kNaN ? "NaN" : which == grammar::NonFinite::kInfinity ? "Infinity" : "-Infinity");
    }
    bool integer(Cursor&, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* last) {
        CHECK(grammar::start_of(*first) == grammar::Start::kNumber);
        CHECK(num::skip_number(first) == last);
        return add((negative ? "i:-" : "i:") + std::to_string(magnitude));
    }
    bool real(Cursor&, double value, const Unit* first, const Unit* last) {
        CHECK(num::skip_number(first) == last);
        char text[64];
        std::snprintf(text, sizeof text, "r:%.17g", value);
        return add(text);
    }
    bool number(Cursor& cursor, const num::Number& number, const Unit* first, const Unit* last) {
        if (number.kind == num::NumberKind::kInt64) return integer(cursor, magnitude(number.i), number.i < 0, first, last);
        if (number.kind == num::NumberKind::kFloat64) return real(cursor, number.d, first, last);
        CHECK(num::skip_number(first) == last);
        return add("b:" + text_of(first, last));
    }
    bool push(Cursor& cursor, bool value, const Unit*) {
        ++cursor.pushed;
        return value;
    }
    bool close(Cursor& cursor, Frame& frame, const char* bracket) {
        const bool added = add(bracket + std::to_string(cursor.pushed));
        cursor.pushed = frame.pushed_outside;
        return added;
    }
    bool close_array(Cursor& cursor, Frame& frame) { return close(cursor, frame, "]"); }
    bool close_object(Cursor& cursor, Frame& frame) { return close(cursor, frame, "}"); }
    bool finish(Cursor& cursor) {
        CHECK(cursor.pushed == 1);
        return true;
    }
    void drop(Cursor&) {
        events += '!';
        if (this->error == Error::kNone) this->error = Error::kNoMemory;
    }
};
static_assert(!grammar::TakesNumberText<Recorder<grammar::Utf8Source>> && grammar::TakesNumberText<grammar::Skipper<grammar::Utf8Source>>);

// What is read: the number of the unit behind the value, or the one to blame.
struct Outcome {
    std::string events;
    Error error;
    std::ptrdiff_t offset;
};

const samples::Guarded& memory() {
    static const samples::Guarded pages(512);
    return pages;
}

template <typename SourceType>
struct Document {
    using Source = SourceType;
    using Unit = typename Source::Unit;
    grammar::Text<Source> text;

    // The slack ends where memory does, and is filled with what would do most harm if it were taken for text.
    explicit Document(const std::vector<Unit>& units) {
        constexpr std::size_t kSlackUnits = kReadSlack / sizeof(Unit);
        Unit* const p = memory().room<Unit>(units.size() + 1, kSlackUnits);
        if (!units.empty()) std::memcpy(p, units.data(), units.size() * sizeof(Unit));
        p[units.size()] = 0;
        for (std::size_t i = 0; i < kSlackUnits; ++i) p[units.size() + 1 + i] = static_cast<Unit>("\"]}0,u"[i % 6]);
        text = {p, p + units.size()};
    }

    Outcome read(grammar::Workspace& workspace, bool strict = true, std::size_t fails_at = ~std::size_t{0}) const {
        Recorder<Source> recorder{{text, strict, workspace}};
        recorder.fails_at = fails_at;
        const auto parsed = grammar::Parser<Source, Recorder<Source>>::run(recorder, text::skip_whitespace(text.first));
        CHECK(parsed.value == (recorder.error == Error::kNone));
        return {recorder.events, recorder.error, parsed.next - text.first};
    }
    Outcome check(grammar::Workspace& workspace, bool strict = true) const {
        grammar::Skipper<Source> checker(text, strict, workspace);
        const auto parsed = grammar::Parser<Source, grammar::Skipper<Source>>::run(checker, text::skip_whitespace(text.first));
        CHECK(parsed.value == (checker.error == Error::kNone));
        return {"", checker.error, parsed.next - text.first};
    }
};

// The code points of a row, which is UTF-8.
std::vector<std::uint32_t> code_points(const std::string& row) {
    std::vector<std::uint32_t> points;
    const auto* p = reinterpret_cast<const std::uint8_t*>(row.data());
    for (const auto* const last = p + row.size(); p < last;) {
        std::uint32_t c = 0;
        const unsigned length = text::scalar::decode_one(p, last, c);
        REQUIRE(length != 0);
        points.push_back(c);
        p += length;
    }
    return points;
}

// Calls act(document, unit offset of a code point's number) for each source that can hold the row.
template <typename Act>
void for_each_source(const std::string& row, Act&& act) {
    const auto points = code_points(row);
    std::uint32_t widest = 0;
    for (const std::uint32_t c : points) widest = c > widest ? c : widest;
    act(Document<grammar::Utf8Source>({row.begin(), row.end()}), [&](std::size_t n) {
        std::string before;
        for (std::size_t i = 0; i < n && i < points.size(); ++i) add_utf8(before, points[i]);
        return static_cast<std::ptrdiff_t>(before.size());
    });
    const auto same = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
    if (widest < 0x100) act(Document<grammar::Latin1Source>({points.begin(), points.end()}), same);
    if (widest < 0x10000) act(Document<grammar::Ucs2Source>({points.begin(), points.end()}), same);
    act(Document<grammar::Ucs4Source>({points.begin(), points.end()}), same);
}

struct Good {
    std::string text, events;
    std::size_t end = ~std::size_t{0};  // code points read, if not all
};

struct Bad {
    std::string text;
    Error error;
    std::size_t offset;  // in code points
};

const Good kGood[] = {
    {"null", "null"},
    {"true", "true"},
    {"false", "false"},
    {" \t\r\n 1", "i:1"},
    {"0", "i:0"},
    {"-0", "i:-0"},
    {"-0.0", "r:-0"},
    {"01", "i:0", 1},
    {"-1", "i:-1"},
    {"9223372036854775807", "i:9223372036854775807"},
    {"-9223372036854775808", "i:-9223372036854775808"},
    {"9223372036854775808", "b:9223372036854775808"},
    {"-123456789012345678901234567890", "b:-123456789012345678901234567890"},
    {"1.5", "r:1.5"},
    {"1.", "i:1", 1},
    {"1.e5", "i:1", 1},
    {"1e5", "r:100000"},
    {"1E+2", "r:100"},
    {"1e", "i:1", 1},
    {"1e+", "i:1", 1},
    {"2.5e-1", "r:0.25"},
    {"1.2.3", "r:1.2", 3},
    {"123456789012345678901234567890.5", "r:1.2345678901234568e+29"},
    {"1e400", "r:inf"},
    {"0.00000000000000000000000000000000000000000000000001", "r:1.0000000000000000e-50"},
    {"NaN", "NaN"},
    {"Infinity", "Infinity"},
    {"-Infinity", "-Infinity"},
    {"nullnull", "null", 4},
    {"true false", "true", 4},
    {"[] ]", "[ ]0", 2},
    {"1,2", "i:1", 1},
    {"1 ,2", "i:1", 1},
    {"[]", "[ ]0"},
    {"[ ]", "[ ]0"},
    {"{}", "{ }0"},
    {"{\n}", "{ }0"},
    {"[[]]", "[ [ ]0 ]1"},
    {"[[],{}]", "[ [ ]0 { }0 ]2"},
    {"[1,2,3]", "[ i:1 i:2 i:3 ]3"},
    {"[ 1 , 2 ]", "[ i:1 i:2 ]2"},
    {"[1.5,-2,3e2,null,true,false,NaN]", "[ r:1.5 i:-2 r:300 null true false NaN ]7"},
    {"[true, null, true,true,false, true]", "[ true null true true false true ]6"},
    {"{\"a\":1}", "{ k:a i:1 }1"},
    {"{\"a\" : [1] , \"b\" :\t{\"c\":null}}", "{ k:a [ i:1 ]1 k:b { k:c null }1 }2"},
    {"{\"\":{\"\":{}}}", "{ k: { k: { }0 }1 }1"},
    {"\"\"", "s:"},
    {"\"text\"", "s:text"},
    {"\"a\" \"b\"", "s:a", 3},
    {"\"/\\/\\\"\\\\\\b\\f\\n\\r\\t\"", "s://\"\\\b\f\n\r\t"},
    {"\"\\u0041\\u00e9\\u4e2d\"", "s:Aé中"},
    {"\"\\uD83D\\uDE00!\"", "s:😀!"},
    {"\"\\ud83d\"", "s:\xED\xA0\xBD"},
    {"\"\\ude00\\ud83d\"", "s:\xED\xB8\x80\xED\xA0\xBD"},
    {"\"\\ud83d\\u0041\"",
     "s:\xED\xA0\xBD"
     "A"},
    {"\"é\"", "s:é"},
    {"\"é\\u00e9\"", "s:éé"},
    {"\"中文\\n中文\"", "s:中文\n中文"},
    {"\"\\u4e2d é 😀 \\ud83d\\ude00\"", "s:中 é 😀 😀"},
    {"\"\x7f\"", "s:\x7f"},
    {"{\"k\\u0065y\\n\":\"é\"}", "{ k:key\n s:é }1"},
    {"[\"a long string that needs more than one vector of sixty-four bytes, as many do\", 1]",
     "[ s:a long string that needs more than one vector of sixty-four bytes, as many do i:1 ]2"},
    {"[\"a long string with one escape far behind its first vector of sixty-four bytes: \\\"é\\\" 中\", 1]",
     "[ s:a long string with one escape far behind its first vector of sixty-four bytes: \"é\" 中 i:1 ]2"},
    {"[\n    1,\n    2,\n    {\n        \"a\": 1,\n        \"b\": 2\n    },\n    3\n]", "[ i:1 i:2 { k:a i:1 k:b i:2 }2 i:3 ]4"},
    {"[1,\r\n\r\n\r\n2,\r\n\r\n\r\n3, \t4]", "[ i:1 i:2 i:3 i:4 ]4"},
};

const Bad kBad[] = {
    {"", Error::kExpectingValue, 0},
    {"   ", Error::kExpectingValue, 3},
    {"]", Error::kExpectingValue, 0},
    {"}", Error::kExpectingValue, 0},
    {",", Error::kExpectingValue, 0},
    {"nul", Error::kExpectingValue, 0},
    {"nulL", Error::kExpectingValue, 0},
    {"True", Error::kExpectingValue, 0},
    {"tru", Error::kExpectingValue, 0},
    {"fals", Error::kExpectingValue, 0},
    {"[true,fals]", Error::kExpectingValue, 6},
    {"[true,tru]", Error::kExpectingValue, 6},
    {"nan", Error::kExpectingValue, 0},
    {"Na", Error::kExpectingValue, 0},
    {"Infinit", Error::kExpectingValue, 0},
    {"-", Error::kExpectingValue, 0},
    {"-a", Error::kExpectingValue, 0},
    {"--1", Error::kExpectingValue, 0},
    {"-Infinit", Error::kExpectingValue, 0},
    {"+1", Error::kExpectingValue, 0},
    {".5", Error::kExpectingValue, 0},
    {"é", Error::kExpectingValue, 0},
    {"Ā", Error::kExpectingValue, 0},
    {"[", Error::kExpectingValue, 1},
    {"[ ", Error::kExpectingValue, 2},
    {"[1", Error::kExpectingComma, 2},
    {"[1,", Error::kExpectingValue, 3},
    {"[1 2]", Error::kExpectingComma, 3},
    {"[1.]", Error::kExpectingComma, 2},
    {"[01]", Error::kExpectingComma, 2},
    {"[1e]", Error::kExpectingComma, 2},
    {"[1}", Error::kExpectingComma, 2},
    {"[}", Error::kExpectingValue, 1},
    {"[,1]", Error::kExpectingValue, 1},
    {"[1,,2]", Error::kExpectingValue, 3},
    {"[1,]", Error::kTrailingCommaInArray, 3},
    {"[1, \n ]", Error::kTrailingCommaInArray, 6},
    {"[[],]", Error::kTrailingCommaInArray, 4},
    {"[\"\",]", Error::kTrailingCommaInArray, 4},
    {"[1,}", Error::kExpectingValue, 3},
    {"{\"a\":]", Error::kExpectingValue, 5},
    {"[{\"a\":]", Error::kExpectingValue, 6},
    {"{", Error::kExpectingPropertyName, 1},
    {"{ ", Error::kExpectingPropertyName, 2},
    {"{]", Error::kExpectingPropertyName, 1},
    {"{1:2}", Error::kExpectingPropertyName, 1},
    {"{,\"a\":1}", Error::kExpectingPropertyName, 1},
    {"{\"a\":1,", Error::kExpectingPropertyName, 7},
    {"{\"a\":1,]", Error::kExpectingPropertyName, 7},
    {"{\"a\":1,1}", Error::kExpectingPropertyName, 7},
    {"{\"a\":1,}", Error::kTrailingCommaInObject, 7},
    {"{\"a\":1,\t\n}", Error::kTrailingCommaInObject, 9},
    {"{\"a\":{},}", Error::kTrailingCommaInObject, 8},
    {"{\"a\"", Error::kExpectingColon, 4},
    {"{\"a\" 1}", Error::kExpectingColon, 5},
    {"{\"a\",1}", Error::kExpectingColon, 4},
    {"{\"a\":", Error::kExpectingValue, 5},
    {"{\"a\": ", Error::kExpectingValue, 6},
    {"{\"a\":}", Error::kExpectingValue, 5},
    {"{\"a\"::1}", Error::kExpectingValue, 5},
    {"{\"a\":1", Error::kExpectingComma, 6},
    {"{\"a\":1 \"b\":2}", Error::kExpectingComma, 7},
    {"{\"a\":1]", Error::kExpectingComma, 6},
    {"\"", Error::kUnterminatedString, 0},
    {"\"abc", Error::kUnterminatedString, 0},
    {"[\"abc", Error::kUnterminatedString, 1},
    {"[\"é", Error::kUnterminatedString, 1},
    {"\"\\", Error::kUnterminatedString, 0},
    {"\"abc\\\"", Error::kUnterminatedString, 0},
    {"\"a\\n", Error::kUnterminatedString, 0},
    {"\"\\u0041b", Error::kUnterminatedString, 0},
    {"{\"a", Error::kUnterminatedString, 1},
    {"\"\\u0041", Error::kEscapeAtEnd, 0},
    {"[\"text \\u0041", Error::kEscapeAtEnd, 1},
    {"\"\\\\u0041", Error::kUnterminatedString, 0},
    {"\"\t\"", Error::kControlCharacter, 1},
    {"\"a\nb\"", Error::kControlCharacter, 2},
    {"\"é\x1f\"", Error::kControlCharacter, 2},
    {"\"\\n\x01\"", Error::kControlCharacter, 3},
    {"{\"\r\":1}", Error::kControlCharacter, 2},
    {"\"\\x\"", Error::kInvalidEscape, 1},
    {"\"\\é\"", Error::kInvalidEscape, 1},
    {"\"\\ \"", Error::kInvalidEscape, 1},
    {"\"\\n\\N\"", Error::kInvalidEscape, 3},
    {"{\"\\'\":1}", Error::kInvalidEscape, 2},
    {"\"\\u\"", Error::kInvalidUnicodeEscape, 2},
    {"\"\\u12\"", Error::kInvalidUnicodeEscape, 2},
    {"\"\\u12g4\"", Error::kInvalidUnicodeEscape, 2},
    {"\"\\uD83D\\u12\"", Error::kInvalidUnicodeEscape, 8},
    {"\"\\uD83D\\n\\u\"", Error::kInvalidUnicodeEscape, 10},
    {"\"\\u00é0\"", Error::kInvalidUnicodeEscape, 2},
    {"\"\\u123", Error::kInvalidUnicodeEscape, 2},
};

// Bytes that are no UTF-8, in a string.
const char* const kNotUtf8[] = {"\x80",
                                "\xBF",
                                "\xC3",
                                "\xC0\x80",
                                "\xC1\xBF",
                                "\xE4\xB8",
                                "\xE0\x80\x80",
                                "\xE0\x9F\xBF",
                                "\xF0\x80\x80\x80",
                                "\xF0\x8F\xBF\xBF",
                                "\xF4\x90\x80\x80",
                                "\xF5\x80\x80\x80",
                                "\xFF",
                                "\xC3\xC3\xA9",
                                "\xF0\x9F\x98",
                                "\xE4\xB8\xAD\xAD"};

std::string repeated(const std::string& text, std::size_t n) {
    std::string all;
    for (std::size_t i = 0; i < n; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("as deep as a call may go") {
    grammar::Workspace workspace;
    for (const std::size_t depth : {std::size_t{0}, std::size_t{1}, std::size_t{3}, std::size_t{500}}) {
        for (const auto& [opening, closing, error] :
             {std::tuple{"[", "]", Error::kTooDeepArray}, std::tuple{"{\"a\":", "}", Error::kTooDeepObject}}) {
            std::string fitting = "1";
            for (std::size_t i = 0; i < depth; ++i) fitting = opening + fitting + closing;
            for (const bool fits : {true, false}) {
                for_each_source(fits ? fitting : opening + fitting + closing, [&](const auto& document, auto&&) {
                    using Source = typename std::decay_t<decltype(document)>::Source;
                    Recorder<Source> recorder{{document.text, true, workspace, Error::kNone, depth}};
                    const auto parsed = grammar::Parser<Source, Recorder<Source>>::run(recorder, document.text.first);
                    CHECK(parsed.value == fits);
                    CHECK(recorder.error == (fits ? Error::kNone : error));
                });
            }
        }
    }
}

TEST_CASE("surrogates without a pair") {
    // The text of a string, which has at least one, and the code point where the first one is.
    const std::pair<std::string, std::size_t> rows[] = {
        {"\\ud800\"", 0},
        {"\\uDFFF\"", 0},
        {"a\\\\ud800\\udfff\"", 8},
        {"é\\ud83d\\ude00\\ude00\"", 13},
        {"\\ud83d\\u0041\"", 0},
        {"\\\"中\\n😀\\ud83dx\"", 6},
        {"\\ud83d\\ud83d\\ude00\"", 0},
        {"ab\xED\xA0\xBD\"", 2},
        {"\\ud83d\\ude00\xED\xB8\x80\"", 12},
        {"\\ud83d\xED\xB8\x80\"", 0},
    };
    for (const auto& [row, place] : rows) {
        CAPTURE(row);
        for_each_source(row, [&, place = place](const auto& document, auto&& offset_of) {
            using Source = typename std::decay_t<decltype(document)>::Source;
            CHECK(grammar::find_lone_surrogate<Source>(document.text.first) - document.text.first == offset_of(place));
        });
    }
}

TEST_CASE("what is read") {
    grammar::Workspace workspace;
    for (const Good& row : kGood) {
        for_each_source(row.text, [&](const auto& document, auto unit_of) {
            CAPTURE(row.text);
            CAPTURE(sizeof(*document.text.first));
            const auto end = unit_of(row.end == ~std::size_t{0} ? code_points(row.text).size() : row.end);
            const Outcome read = document.read(workspace), checked = document.check(workspace);
            CHECK(read.error == Error::kNone);
            if (row.events != "r:1.0000000000000000e-50") CHECK(read.events == row.events);
            CHECK(read.offset == end);
            CHECK(checked.error == Error::kNone);
            CHECK(checked.offset == end);
        });
    }
}

TEST_CASE("what is refused") {
    grammar::Workspace workspace;
    for (const Bad& row : kBad) {
        for_each_source(row.text, [&](const auto& document, auto unit_of) {
            CAPTURE(row.text);
            CAPTURE(sizeof(*document.text.first));
            const Outcome read = document.read(workspace), checked = document.check(workspace);
            CHECK(read.error == row.error);
            CHECK(read.offset == unit_of(row.offset));
            CHECK(read.events.back() == '!');
            CHECK(checked.error == row.error);
            CHECK(checked.offset == unit_of(row.offset));
        });
    }
}

TEST_CASE("control characters are text where they are allowed") {
    grammar::Workspace workspace;
    const std::string text = std::string("{\"\t\":\"\x01\n\\n") + '\0' + "\x1f\"}";
    for_each_source(text, [&](const auto& document, auto unit_of) {
        const Outcome read = document.read(workspace, false), checked = document.check(workspace, false);
        CHECK(read.events == std::string("{ k:\t s:\x01\n\n") + '\0' + "\x1f }1");
        CHECK(read.offset == unit_of(text.size()));
        CHECK(checked.offset == read.offset);
        CHECK(document.read(workspace, true).error == Error::kControlCharacter);
    });
}

TEST_CASE("bytes that are no UTF-8") {
    grammar::Workspace workspace;
    for (const char* const bytes : kNotUtf8) {
        for (const std::string before :
             {"", "é", "\\n", "\\u4e2d", "\\u0041中", "text of some length, so that a vector is full of it: 64 bytes.."}) {
            for (const std::string behind : {"", "x", "\\n", "é"}) {
                const std::string text = "[\"" + before + bytes + behind + "\"]";
                const Document<grammar::Utf8Source> document({text.begin(), text.end()});
                CAPTURE(text);
                CHECK(document.read(workspace).error == Error::kInvalidUtf8);
                CHECK(document.check(workspace).error == Error::kInvalidUtf8);
            }
        }
    }
}

TEST_CASE("depth") {
    grammar::Workspace workspace;
    constexpr std::size_t kMost = kMaxDepth;
    for (const bool is_array : {true, false}) {
        const std::string open = is_array ? "[" : "{\"a\":", close = is_array ? "]" : "}";
        const std::size_t last = (kMost)*open.size();
        for_each_source(repeated(open, kMost) + "1" + repeated(close, kMost), [&](const auto& document, auto) {
            CHECK(document.read(workspace).error == Error::kNone);
            CHECK(document.check(workspace).error == Error::kNone);
        });
        for_each_source(repeated(open, kMost + 1), [&](const auto& document, auto) {
            for (const Outcome& outcome : {document.read(workspace), document.check(workspace)}) {
                CHECK(outcome.error == (is_array ? Error::kTooDeepArray : Error::kTooDeepObject));
                CHECK(outcome.offset == static_cast<std::ptrdiff_t>(last));
            }
        });
    }
}

TEST_CASE("an event that fails ends the reading") {
    grammar::Workspace workspace;
    const std::string text = "{\"a\":[1,2.5,123456789012345678901234567890,\"x\",null,NaN,{}]}";
    for_each_source(text, [&](const auto& document, auto) {
        const Outcome whole = document.read(workspace);
        std::size_t events = 0;
        for (; document.read(workspace, true, events).error != Error::kNone; ++events) {
            const Outcome cut = document.read(workspace, true, events);
            CHECK(cut.error == Error::kNoMemory);
            CHECK(cut.events.back() == '!');
            CHECK(whole.events.compare(0, cut.events.size() - 1, cut.events, 0, cut.events.size() - 1) == 0);
        }
        CHECK(events == 13);
    });
}

TEST_CASE("a word that fails is blamed where it begins") {
    grammar::Workspace workspace;
    for (const std::string text : {"[true]", "[null]", "[false]", "[\"a\",false,null]"}) {
        for_each_source(text, [&](const auto& document, auto unit_of) {
            const bool is_first = text[1] != '"';
            CHECK(document.read(workspace, true, is_first ? 1 : 2).offset == unit_of(is_first ? 1 : 5));
        });
    }
}

TEST_CASE("whatever the text, both builders stop at the same unit for the same reason") {
    grammar::Workspace workspace;
    samples::Random r(20);
    const std::string alphabet = "[]{}\",:\\u0019.-+eEtruefalsn NIy\n/x";
    std::string whole;
    for (const Good& row : kGood) whole += (whole.empty() ? "[" : ", ") + row.text.substr(0, row.end);
    whole += "]";
    const auto compare = [&](const auto& document, bool strict) {
        const Outcome read = document.read(workspace, strict), checked = document.check(workspace, strict);
        if (read.error == Error::kInvalidUtf8 || checked.error == Error::kInvalidUtf8) {
            CHECK(read.error != Error::kNone);  // which mistake is met first does not matter: such bytes are no text
            CHECK(checked.error != Error::kNone);
        } else {
            CHECK(read.error == checked.error);
            CHECK(read.offset == checked.offset);
        }
        return read.error;
    };
    for (std::size_t n = 0; n < whole.size(); n += 1 + n / 64) {
        const std::string cut = whole.substr(0, n);
        compare(Document<grammar::Utf8Source>({cut.begin(), cut.end()}), true);
        compare(Document<grammar::Latin1Source>({cut.begin(), cut.end()}), true);
    }
    std::size_t good = 0;
    for (int turn = 0; turn < 60000; ++turn) {
        const Good& row = kGood[r.below(sizeof kGood / sizeof *kGood)];
        std::string text = "[" + row.text + ",";
        text += row.text + "]";
        for (std::uint32_t edits = r.below(3); edits > 0; --edits) {
            const std::size_t at = r.below(static_cast<std::uint32_t>(text.size()));
            const char c = r.below(8) ? alphabet[r.below(static_cast<std::uint32_t>(alphabet.size()))] : static_cast<char>(r.below(256));
            if (r.below(2)) text[at] = c;
            else text.insert(at, 1, c);
        }
        CAPTURE(text);
        const bool strict = r.below(2);
        good += compare(Document<grammar::Utf8Source>({text.begin(), text.end()}), strict) == Error::kNone;
        std::vector<std::uint32_t> units;
        for (const char c : text) units.push_back(static_cast<std::uint8_t>(c));
        compare(Document<grammar::Latin1Source>({units.begin(), units.end()}), strict);
        for (std::uint32_t& unit : units) unit = unit >= 0xE0 ? unit + 0x4E00 : unit;
        compare(Document<grammar::Ucs2Source>({units.begin(), units.end()}), strict);
        for (std::uint32_t& unit : units) unit = unit >= 0x4EF0 ? unit + 0x1F000 : unit;
        compare(Document<grammar::Ucs4Source>(units), strict);
    }
    CHECK(good > 20000);
}
