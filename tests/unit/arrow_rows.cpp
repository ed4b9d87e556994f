// Rows of arrays whose buffers end at a guard page: nothing behind them is read. The text is compared with what a simple loop writes.
#include <doctest/doctest.h>

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "arrow/rows.h"
#include "num/write.h"
#include "text_samples.h"

using namespace ocior;
using arrow::RowWriter;
using samples::Guarded;

namespace {

// An array of one column, each of whose buffers ends at a page of its own.
struct OneColumn {
    std::deque<Guarded> pages;
    std::vector<const void*> buffers;
    ArrowSchema schema{};
    ArrowArray array{};

    OneColumn(const char* format, std::int64_t length) {
        schema.format = format;
        schema.release = [](ArrowSchema*) {};
        array.length = length;
        array.release = [](ArrowArray*) {};
        buffers.push_back(nullptr);
    }
    template <typename T>
    void add(const std::vector<T>& values) {
        const std::size_t n = values.size() * sizeof(T);
        pages.emplace_back(n / 4096 + 1);
        std::uint8_t* const at = pages.back().last() - n;
        if (n) std::memcpy(at, values.data(), n);
        buffers.push_back(at);
    }
    std::string rows(const arrow::RowOptions& options = {}) {
        array.buffers = buffers.data();
        array.n_buffers = static_cast<std::int64_t>(buffers.size());
        RowWriter writer;
        arrow::RowText text;
        std::int64_t row = 0;
        if (!writer.open(schema, options) || !writer.bind(array)) return writer.message();
        if (!writer.write(row, array.length, SIZE_MAX, text)) return writer.message();
        return {reinterpret_cast<const char*>(text.data()), text.used};
    }
};

std::string quoted(const std::string& text) {
    std::string written = "\"";
    for (const char c : text) {
        char escape[8];
        if (c == '"' || c == '\\') written += {'\\', c};
        else if (c == '\n') written += "\\n";
        else if (static_cast<unsigned char>(c) < ' ') std::snprintf(escape, sizeof escape, "\\u%04x", c), written += escape;
        else written += c;
    }
    return written + "\"\n";
}

// Strings of all lengths up to some vectors, with something to escape, or beyond ASCII, here and there.
std::vector<std::string> strings(std::size_t most, unsigned kind) {
    std::vector<std::string> all;
    for (std::size_t n = 0; n <= most; ++n) {
        std::string text(n, 'x');
        if (kind == 1 && n > 0) text[n * 7 % n] = '\n', text[n - 1] = '"', text[n / 2] = '\x01';
        if (kind == 2 && n > 1) text[n - 2] = '\xC3', text[n - 1] = '\xA9';
        all.push_back(text);
    }
    return all;
}

template <typename Offset>
void check_strings(const char* format, unsigned kind) {
    for (const std::size_t most : {0, 1, 5, 70, 300}) {
        const auto texts = strings(most, kind);
        std::vector<Offset> offsets = {0};
        std::vector<char> data;
        std::string expected;
        for (const std::string& text : texts) {
            data.insert(data.end(), text.begin(), text.end());
            offsets.push_back(static_cast<Offset>(data.size()));
            expected += quoted(text);
        }
        OneColumn column(format, static_cast<std::int64_t>(texts.size()));
        column.add(offsets);
        column.add(data);
        CHECK(column.rows() == expected);
    }
}

template <typename Float, typename Write>
void check_floats(const char* format, Write write) {
    for (std::size_t n = 0; n < 150; ++n) {
        std::vector<Float> values;
        std::string expected;
        for (std::size_t i = 0; i < n; ++i) {
            values.push_back(static_cast<Float>(i % 7 == 3 ? 0 : (static_cast<double>(i) - 40) / 3));
            char text[num::kFormatRoom];
            auto* const first = reinterpret_cast<std::uint8_t*>(text);
            expected.append(text, static_cast<std::size_t>(write(first, values.back()) - first));
            expected += '\n';
        }
        OneColumn column(format, static_cast<std::int64_t>(n));
        column.add(values);
        CHECK(column.rows() == expected);
    }
}

}  // namespace

TEST_CASE("rows: strings whose bytes end at a page") {
    for (const unsigned kind : {0, 1, 2}) {
        check_strings<std::int32_t>("u", kind);
        check_strings<std::int64_t>("U", kind);
    }
}

TEST_CASE("rows: views") {
    for (const unsigned kind : {0, 1, 2}) {
        const auto texts = strings(100, kind);
        std::vector<std::uint32_t> views;
        std::vector<char> data;
        std::string expected;
        for (const std::string& text : texts) {
            std::uint32_t view[4] = {static_cast<std::uint32_t>(text.size())};
            if (text.size() <= 12) {
                std::memcpy(view + 1, text.data(), text.size());
            } else {
                std::memcpy(view + 1, text.data(), 4);
                view[3] = static_cast<std::uint32_t>(data.size());
                data.insert(data.end(), text.begin(), text.end());
            }
            views.insert(views.end(), view, view + 4);
            expected += quoted(text);
        }
        OneColumn column("vu", static_cast<std::int64_t>(texts.size()));
        column.add(views);
        column.add(data);
        column.add(std::vector<std::int64_t>{static_cast<std::int64_t>(data.size())});
        CHECK(column.rows() == expected);
    }
}

TEST_CASE("rows: numbers whose last one ends at a page") {
    check_floats<double>("g", num::write_f64);
    check_floats<float>("f", num::write_f32);
    OneColumn integers("l", 3);
    integers.add(std::vector<std::int64_t>{0, INT64_MIN, INT64_MAX});
    CHECK(integers.rows() == "0\n-9223372036854775808\n9223372036854775807\n");
    OneColumn truths("b", 10);
    truths.add(std::vector<std::uint8_t>{0x81, 0x02});
    CHECK(truths.rows() == "true\nfalse\nfalse\nfalse\nfalse\nfalse\nfalse\ntrue\nfalse\ntrue\n");
}

TEST_CASE("rows: strings that are no UTF-8") {
    for (const std::string& bad : {std::string("\x80"), std::string("\xC3"), std::string("\xED\xA0\x80"), std::string(200, 'a') + '\xFF'}) {
        OneColumn column("u", 1);
        column.add(std::vector<std::int32_t>{0, static_cast<std::int32_t>(bad.size())});
        column.add(std::vector<char>(bad.begin(), bad.end()));
        CHECK(column.rows() == "column '', value 0: a string that is not UTF-8");
    }
}

TEST_CASE("rows: JSON that is ready") {
    static const char kMetadata[] = "\1\0\0\0\24\0\0\0ARROW:extension:name\12\0\0\0arrow.json";
    for (const auto& [text, expected] : {std::pair<std::string, std::string>{" {\"a\":\n1} ", "{\"a\": 1}\n"},
                                         {"1", "1\n"},
                                         {"\"\xC3\xA9\"", "\"\\u00e9\"\n"},
                                         {"[", "column '', value 0: a text that is not JSON"}}) {
        OneColumn column("u", 1);
        column.schema.metadata = kMetadata;
        column.add(std::vector<std::int32_t>{0, static_cast<std::int32_t>(text.size())});
        column.add(std::vector<char>(text.begin(), text.end()));
        CHECK(column.rows({.ensure_ascii = true}) == expected);
    }
}
