// Values of declared types: what fits them, what they are, and how Arrow has them.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "columns/declared.h"

using namespace ocior;
using namespace ocior::columns;
using What = Scalar::What;

namespace {

std::string text_of(void (*put)(Text&, const Column&) noexcept, const Column& column) {
    Buffer block;
    Text text(block);
    put(text, column);
    return {reinterpret_cast<const char*>(text.data()), text.byte_len()};
}

// A number or, in quotes, a string as JSON has it, with room behind it that may be read.
struct Value {
    std::string text;
    Scalar scalar{};

    explicit Value(std::string_view json) : text(json) {
        const std::size_t length = text.size();
        text.append(64, ',');
        const auto* const first = reinterpret_cast<const std::uint8_t*>(text.data());
        const bool is_string = json[0] == '"', is_negative = json[0] == '-';
        scalar = {.what = What::kText, .is_negative = is_negative, .first = first + is_string, .last = first + length - is_string};
        if (is_string) return;
        if (json == "true") {
            scalar.what = What::kBool;
            return;
        }
        const bool is_integer = json.find_first_of(".eENI") == std::string_view::npos;
        scalar.what = is_integer ? What::kInteger : What::kReal;
        scalar.real = std::strtod(text.c_str(), nullptr);  // which knows the words, too
        if (!is_integer) return;
        unsigned __int128 magnitude = 0;
        for (const char c : json.substr(is_negative))
            if (!(magnitude >> 100)) magnitude = 10 * magnitude + static_cast<unsigned>(c - '0');
        if (magnitude >> 64 || (is_negative && magnitude > static_cast<unsigned __int128>(1) << 63)) scalar.what = What::kBigInteger;
        else scalar.magnitude = static_cast<std::uint64_t>(magnitude);
    }
};

Put put_into(Column& column, std::string_view json) {
    const Value value(json);
    if (!column.begin_value(column.length)) return Put::kNoMemory;
    return put_declared(column, value.scalar);
}

constexpr const char* kRefused = "refused";

// What the column of that format has for the value, as an integer or the hexadecimal bytes of one that is wider, the highest first.
std::string stored(const char* format, std::string_view json) {
    Column column;
    if (read_format(column, format) != Put::kDone) return "no format";
    const Put put = put_into(column, json);
    if (put != Put::kDone) return column.length == 0 ? kRefused : "refused, and yet there";
    if (column.declared->is_bytes()) return {reinterpret_cast<const char*>(column.data.data()), static_cast<std::size_t>(column.data_len)};
    const std::size_t byte_len = column.declared->value_bytes();
    if (byte_len > 8) {
        std::string hex;
        for (std::size_t i = byte_len; i-- > 0;) {
            static const char kDigits[] = "0123456789abcdef";
            hex += kDigits[column.values.data()[i] >> 4];
            hex += kDigits[column.values.data()[i] & 15];
        }
        const std::size_t first = hex.find_first_not_of('0');
        return first == std::string::npos ? "0" : hex.substr(first);
    }
    std::uint64_t bits = 0;
    std::memcpy(&bits, column.values.data(), byte_len);
    const bool has_sign = column.declared->code < Code::kUInt8 || column.declared->code > Code::kFloat32;
    if (!has_sign) return std::to_string(bits);
    const unsigned shift = 64 - 8 * static_cast<unsigned>(byte_len);
    return std::to_string(static_cast<std::int64_t>(bits << shift) >> shift);
}

}  // namespace

TEST_CASE("read_format, put_format, put_type_name") {
    const struct {
        const char* format;
        const char* name;
    } kRows[] = {
        {"n", "null"},
        {"b", "bool"},
        {"c", "int8"},
        {"C", "uint8"},
        {"s", "int16"},
        {"S", "uint16"},
        {"i", "int32"},
        {"I", "uint32"},
        {"l", "int64"},
        {"L", "uint64"},
        {"e", "float16"},
        {"f", "float32"},
        {"g", "float64"},
        {"d:9,2,32", "decimal32(9, 2)"},
        {"d:18,-2,64", "decimal64(18, -2)"},
        {"d:10,2", "decimal128(10, 2)"},
        {"d:76,0,256", "decimal256(76, 0)"},
        {"tdD", "date32"},
        {"tdm", "date64"},
        {"tts", "time32[s]"},
        {"ttm", "time32[ms]"},
        {"ttu", "time64[us]"},
        {"ttn", "time64[ns]"},
        {"tss:", "timestamp[s]"},
        {"tsm:UTC", "timestamp[ms, tz=UTC]"},
        {"tsu:Europe/Paris", "timestamp[us, tz=Europe/Paris]"},
        {"tsn:+02:00", "timestamp[ns, tz=+02:00]"},
        {"tDs", "duration[s]"},
        {"tDm", "duration[ms]"},
        {"tDu", "duration[us]"},
        {"tDn", "duration[ns]"},
        {"z", "binary"},
        {"Z", "large_binary"},
        {"vz", "binary_view"},
        {"w:3", "fixed_size_binary[3]"},
        {"u", "string"},
        {"U", "large_string"},
        {"vu", "string_view"},
        {"json", "json"},
        {"dictionary:c", "dictionary<int8, string>"},
        {"dictionary:L", "dictionary<uint64, string>"},
        {"+l", "list"},
        {"+L", "large_list"},
        {"+w:3", "fixed_size_list[3]"},
        {"+m", "map"},
        {"+s", "struct"},
    };
    for (const auto& row : kRows) {
        CAPTURE(std::string(row.format));
        Column column;
        CHECK(read_format(column, row.format) == Put::kDone);
        CHECK(text_of(put_format, column) == row.format);
        CHECK(text_of(put_type_name, column) == row.name);
    }
    for (const char* const format : {"",
                                     "x",
                                     "ll",
                                     "d:",
                                     "d:10",
                                     "d:0,0",
                                     "d:39,2",
                                     "d:10,2,128x",
                                     "d:10,2,16",
                                     "d:10,2,512",
                                     "d:10,2,",
                                     "w:",
                                     "w:-1",
                                     "w:3,",
                                     "+w:x",
                                     "+vl",
                                     "+vL",
                                     "+r",
                                     "+us:0,1",
                                     "+ud:0",
                                     "tiM",
                                     "tiD",
                                     "tin",
                                     "dictionary:g",
                                     "dictionary:b",
                                     "dictionary:",
                                     "tsu",
                                     "tdd",
                                     "tss:a zone that is far longer than the sixty-three bytes that there are for one"}) {
        CAPTURE(std::string(format));
        Column column;
        CHECK(read_format(column, format) == Put::kRefused);
    }
}

TEST_CASE("put_declared: numbers") {
    const struct {
        const char* format;
        const char* json;
        const char* stored;
    } kRows[] = {
        {"c", "127", "127"},
        {"c", "-128", "-128"},
        {"c", "128", kRefused},
        {"c", "-129", kRefused},
        {"c", "-0", "0"},
        {"C", "255", "255"},
        {"C", "256", kRefused},
        {"C", "-1", kRefused},
        {"C", "-0", "0"},
        {"s", "32767", "32767"},
        {"s", "-32768", "-32768"},
        {"s", "32768", kRefused},
        {"s", "-32769", kRefused},
        {"S", "65535", "65535"},
        {"S", "65536", kRefused},
        {"S", "-1", kRefused},
        {"i", "2147483647", "2147483647"},
        {"i", "-2147483648", "-2147483648"},
        {"i", "2147483648", kRefused},
        {"i", "-2147483649", kRefused},
        {"I", "4294967295", "4294967295"},
        {"I", "4294967296", kRefused},
        {"I", "18446744073709551615", kRefused},
        {"i", "18446744073709551616", kRefused},
        {"i", "1.0", kRefused},
        {"i", "1e3", kRefused},
        {"i", "\"1\"", kRefused},
        {"i", "true", kRefused},
        // Halves: the largest one, what is rounded to it, ties to even, the least ones.
        {"e", "1", "15360"},
        {"e", "-0.0", "32768"},
        {"e", "-2", "49152"},
        {"e", "65504", "31743"},
        {"e", "65519.99", "31743"},
        {"e", "65520", kRefused},
        {"e", "-1e300", kRefused},
        {"e", "2049", "26624"},
        {"e", "2051", "26626"},
        {"e", "6.103515625e-05", "1024"},
        {"e", "6.1e-05", "1023"},
        {"e", "5.960464477539063e-08", "1"},
        {"e", "2.9802322387695312e-08", "0"},
        {"e", "2.98023223876953125001e-08", "0"},
        {"e", "3e-08", "1"},
        {"e", "NaN", "32256"},
        {"e", "Infinity", "31744"},
        {"e", "-Infinity", "64512"},
        {"e", "18446744073709551616", kRefused},
        {"e", "0.1", "11878"},
        {"e", "1023.75", "25600"},
        {"e", "\"1\"", kRefused},
        {"e", "true", kRefused},
        {"f", "1", "1065353216"},
        {"f", "0.1", "1036831949"},
        {"f", "3.4028235677973362e+38", "2139095039"},
        {"f", "3.4028235677973366e+38", kRefused},
        {"f", "1e300", kRefused},
        {"f", "Infinity", "2139095040"},
        {"f", "NaN", "2143289344"},
        {"f", "-5", "3231711232"},
        {"f", "-0", "0"},
        {"f", "9007199791611905", "1509949441"},
        {"f", "-18446744073709551616", "3749707776"},
        {"f", "340282346638528859811704183484516925440", "2139095039"},
        {"f", "3402823466385288598117041834845169254400", kRefused},
        {"f", "100000000000000000000000000000000000000000000", kRefused},
        {"f", "\"1.5\"", kRefused},
        {"f", "true", kRefused},
    };
    for (const auto& row : kRows) {
        CAPTURE(std::string(row.format));
        CAPTURE(std::string(row.json));
        CHECK(stored(row.format, row.json) == std::string(row.stored));
    }
}

TEST_CASE("put_declared: decimals") {
    const struct {
        const char* format;
        const char* json;
        const char* stored;
    } kRows[] = {
        {"d:4,2,64", "12.34", "1234"},
        {"d:4,2,64", "-12.34", "-1234"},
        {"d:4,2,64", "12", "1200"},
        {"d:4,2,64", "99.99", "9999"},
        {"d:4,2,64", "100", kRefused},
        {"d:4,2,64", "99.995", kRefused},
        {"d:4,2,64", "1.2300000000000000000000000", "123"},
        {"d:4,2,64", "1.230000000000000000000000001", kRefused},
        {"d:4,2,64", "1e1", "1000"},
        {"d:4,2,64", "1E+1", "1000"},
        {"d:4,2,64", "1e2", kRefused},
        {"d:4,2,64", "1234e-2", "1234"},
        {"d:4,2,64", "123400000e-7", "1234"},
        {"d:4,2,64", "12345e-3", kRefused},
        {"d:4,2,64", "0.00000000000000000001e20", "100"},
        {"d:4,2,64", "0", "0"},
        {"d:4,2,64", "-0.0", "0"},
        {"d:4,2,64", "0e999999999999999999999", "0"},
        {"d:4,2,64", "0.000e-99999", "0"},
        {"d:4,2,64", "1e999999999999999999999999", kRefused},
        {"d:4,2,64", "1e-999999999999999999999999", kRefused},
        {"d:4,2,64", "0.01", "1"},
        {"d:4,2,64", "0.001", kRefused},
        {"d:4,2,64", "\"1.23\"", kRefused},
        {"d:4,2,64", "true", kRefused},
        {"d:4,2,64", "NaN", kRefused},
        {"d:4,2,64", "-Infinity", kRefused},
        {"d:4,-2,64", "1200", "12"},
        {"d:4,-2,64", "1201", kRefused},
        {"d:4,-2,64", "1e5", "1000"},
        {"d:4,-2,64", "1e6", kRefused},
        {"d:2,4,64", "0.0099", "99"},
        {"d:2,4,64", "0.01", kRefused},
        {"d:9,0,32", "999999999", "999999999"},
        {"d:9,0,32", "-999999999", "-999999999"},
        {"d:9,0,32", "1000000000", kRefused},
        {"d:18,0,64", "-999999999999999999", "-999999999999999999"},
        {"d:38,0", "99999999999999999999999999999999999999", "4b3b4ca85a86c47a098a223fffffffff"},
        {"d:38,0", "-99999999999999999999999999999999999999", "b4c4b357a5793b85f675ddc000000001"},
        {"d:38,0", "100000000000000000000000000000000000000", kRefused},
        {"d:38,38", "0.1", "785ee10d5da46d900f436a000000000"},
        {"d:38,10", "18446744073709551616", "2540be4000000000000000000"},
        {"d:76,0,256", "1e75", "235fadd81c2822bb3f07877973d50f28bf22a31be8ee8000000000000000000"},
        {"d:76,0,256", "9999999999999999999999999999999999999999999999999999999999999999999999999999",
         "161bcca7119915b50764b4abe86529797775a5f171950fffffffffffffffffff"},
        {"d:76,0,256", "-1", "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"},
    };
    for (const auto& row : kRows) {
        CAPTURE(std::string(row.format));
        CAPTURE(std::string(row.json));
        CHECK(stored(row.format, row.json) == std::string(row.stored));
    }
}

TEST_CASE("put_declared: dates, times and durations") {
    const struct {
        const char* format;
        const char* json;
        const char* stored;
    } kRows[] = {
        {"tdD", "\"1970-01-01\"", "0"},
        {"tdD", "\"2024-02-29\"", "19782"},
        {"tdD", "\"0001-01-01\"", "-719162"},
        {"tdD", "\"9999-12-31\"", "2932896"},
        {"tdD", "\"2023-02-29\"", kRefused},
        {"tdD", "\"1900-02-29\"", kRefused},
        {"tdD", "\"0000-01-01\"", kRefused},
        {"tdD", "\"2024-13-01\"", kRefused},
        {"tdD", "\"2024-1-1\"", kRefused},
        {"tdD", "\"20240101\"", kRefused},
        {"tdD", "\"2024-01-01T00:00:00\"", kRefused},
        {"tdD", "0", kRefused},
        {"tdD", "\"\"", kRefused},
        {"tdD", "\"+2024-01-01\"", kRefused},
        {"tdD", "true", kRefused},
        {"tdm", "\"1970-01-02\"", "86400000"},
        {"tdm", "\"1969-12-31\"", "-86400000"},
        {"tts", "\"23:59:59\"", "86399"},
        {"tts", "\"23:59:59.000\"", "86399"},
        {"tts", "\"23:59:59.001\"", kRefused},
        {"tts", "\"24:00:00\"", kRefused},
        {"tts", "\"23:59:60\"", kRefused},
        {"tts", "\"12:00:00Z\"", kRefused},
        {"tts", "\"12:00\"", kRefused},
        {"tts", "12", kRefused},
        {"ttm", "\"00:00:00.5\"", "500"},
        {"ttm", "\"00:00:00.0005\"", kRefused},
        {"ttu", "\"00:00:00.000001\"", "1"},
        {"ttn", "\"23:59:59.999999999\"", "86399999999999"},
        {"ttn", "\"00:00:00.0000000001\"", kRefused},
        {"ttn", "\"00:00:00.0000000010000\"", "1"},
        {"tss:", "\"1970-01-01T00:00:01\"", "1"},
        {"tss:", "\"1969-12-31t23:59:59\"", "-1"},
        {"tss:", "\"1970-01-01 00:00:01\"", "1"},
        {"tss:", "\"1970-01-01T00:00:01Z\"", kRefused},
        {"tss:", "\"1970-01-01T00:00:01+00:00\"", kRefused},
        {"tss:", "\"1970-01-01\"", kRefused},
        {"tss:", "\"1970-01-01T24:00:00\"", kRefused},
        {"tss:", "\"2016-12-31T23:59:60\"", kRefused},
        {"tss:", "1", kRefused},
        {"tss:", "1.5", kRefused},
        {"tss:UTC", "\"1970-01-01T00:00:01Z\"", "1"},
        {"tss:UTC", "\"1970-01-01T00:00:01z\"", "1"},
        {"tss:UTC", "\"1970-01-01T00:00:01\"", kRefused},
        {"tss:Europe/Paris", "\"1970-01-01T02:00:00+02:00\"", "0"},
        {"tss:UTC", "\"1970-01-01T02:00:00+0200\"", "0"},
        {"tss:UTC", "\"1969-12-31T12:30:00-11:30\"", "0"},
        {"tss:UTC", "\"1970-01-01T00:00:00+24:00\"", kRefused},
        {"tss:UTC", "\"1970-01-01T00:00:00+02\"", kRefused},
        {"tss:UTC", "\"0001-01-01T00:00:00+00:01\"", "-62135596860"},
        {"tsm:", "\"1970-01-01T00:00:00.123\"", "123"},
        {"tsm:", "\"1970-01-01T00:00:00.1234\"", kRefused},
        {"tsm:", "\"1970-01-01T00:00:00.123000\"", "123"},
        {"tsu:", "\"1969-12-31T23:59:59.999999\"", "-1"},
        {"tsu:", "\"9999-12-31T23:59:59.999999\"", "253402300799999999"},
        {"tsu:", "\"0001-01-01T00:00:00\"", "-62135596800000000"},
        {"tsu:", "\"1970-01-01T00:00:00.\"", kRefused},
        {"tsn:", "\"2262-04-11T23:47:16.854775807\"", "9223372036854775807"},
        {"tsn:", "\"2262-04-11T23:47:16.854775808\"", kRefused},
        {"tsn:", "\"1677-09-21T00:12:43.145224192\"", "-9223372036854775808"},
        {"tsn:", "\"1677-09-21T00:12:43.145224191\"", kRefused},
        {"tDs", "\"P1DT2H3M4S\"", "93784"},
        {"tDs", "\"-P1D\"", "-86400"},
        {"tDs", "\"+P2W\"", "1209600"},
        {"tDs", "\"PT0.5S\"", kRefused},
        {"tDs", "\"PT0.5M\"", "30"},
        {"tDs", "\"PT1.0S\"", "1"},
        {"tDs", "\"PT9223372036854775807S\"", "9223372036854775807"},
        {"tDs", "\"PT9223372036854775808S\"", kRefused},
        {"tDs", "\"-PT9223372036854775808S\"", "-9223372036854775808"},
        {"tDs", "\"-PT9223372036854775809S\"", kRefused},
        {"tDs", "\"PT99999999999999999999999999999999999999999999S\"", kRefused},
        {"tDs", "\"P9999999999999999999W\"", kRefused},
        {"tDs", "\"P\"", kRefused},
        {"tDs", "\"PT\"", kRefused},
        {"tDs", "\"P1Y\"", kRefused},
        {"tDs", "1", kRefused},
        {"tDs", "\"1\"", kRefused},
        {"tDm", "\"PT0.001S\"", "1"},
        {"tDu", "\"-PT0.000001S\"", "-1"},
        {"tDu", "\"PT0.0000001S\"", kRefused},
        {"tDn", "\"PT0.000000001S\"", "1"},
        {"tDn", "\"PT0.0000000001S\"", kRefused},
        {"tDn", "\"PT0.00000000100S\"", "1"},
        {"tDn", "\"PT9223372036.854775807S\"", "9223372036854775807"},
        {"tDn", "\"PT9223372036.854775808S\"", kRefused},
        {"tDn", "\"-PT9223372036.854775808S\"", "-9223372036854775808"},
    };
    for (const auto& row : kRows) {
        CAPTURE(std::string(row.format));
        CAPTURE(std::string(row.json));
        CHECK(stored(row.format, row.json) == std::string(row.stored));
    }
}

TEST_CASE("put_declared: bytes") {
    const struct {
        const char* format;
        const char* json;
        const char* stored;
    } kRows[] = {
        {"z", "\"\"", ""},
        {"z", "\"YQ==\"", "a"},
        {"z", "\"YWI=\"", "ab"},
        {"z", "\"YWJj\"", "abc"},
        {"z", "\"YWJjZA==\"", "abcd"},
        {"Z", "\"YWJj\"", "abc"},
        {"vz", "\"YWJj\"", "abc"},
        {"z", "\"/+/+\"", "\xff\xef\xfe"},
        {"z", "\"_-_-\"", kRefused},
        {"z", "\"YQ\"", kRefused},
        {"z", "\"YQ=\"", kRefused},
        {"z", "\"YQ===\"", kRefused},
        {"z", "\"====\"", kRefused},
        {"z", "\"Y===\"", kRefused},
        {"z", "\"=YQ=\"", kRefused},
        {"z", "\"YQ==YQ==\"", kRefused},
        {"z", "\"YW Jj\"", kRefused},
        {"z", "\"YWJj\n\"", kRefused},
        {"z", "\"YW\xc3\xa9\"", kRefused},
        {"z", "1", kRefused},
        {"z", "true", kRefused},
        {"w:3", "\"YWJj\"", "abc"},
        {"w:3", "\"YWI=\"", kRefused},
        {"w:3", "\"YWJjZA==\"", kRefused},
        {"w:3", "\"\"", kRefused},
        {"w:0", "\"\"", ""},
        {"w:1", "\"YQ==\"", "a"},
    };
    for (const auto& row : kRows) {
        CAPTURE(std::string(row.format));
        CAPTURE(std::string(row.json));
        CHECK(stored(row.format, row.json) == std::string(row.stored));
    }
}

namespace {

using Texts = std::vector<const char*>;  // null: a null

void fill(Column& column, const char* format, const Texts& texts) {
    if (column.kind == Kind::kNull) REQUIRE(read_format(column, format) == Put::kDone);
    for (const char* const text : texts) {
        if (!text) {
            REQUIRE(column.fill_nulls(column.length + 1));
        } else if (column.kind == Kind::kDeclared) {
            REQUIRE(put_into(column, text) == Put::kDone);
        } else {
            REQUIRE(column.begin_value(column.length));
            REQUIRE(column.append_text(reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)));
        }
    }
}

template <typename T>
std::vector<T> values_of(const Column& column, std::int64_t count) {
    const T* const first = column.values.as<T>();
    return std::vector<T>(first, first + count);
}

}  // namespace

TEST_CASE("lay_out: offsets, views and bytes") {
    Column wide;
    fill(wide, "U", {"", "ab", nullptr, "c"});
    CHECK(lay_out(wide) == Put::kDone);
    CHECK(values_of<std::int64_t>(wide, 5) == std::vector<std::int64_t>{0, 0, 2, 2, 3});

    Column views;
    fill(views, "vu", {"twelve bytes", nullptr, "thirteen byte", ""});
    CHECK(lay_out(views) == Put::kDone);
    CHECK(std::memcmp(views.values.data(), "\x0c\0\0\0twelve bytes", 16) == 0);
    CHECK(std::memcmp(views.values.data() + 16, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0);
    CHECK(std::memcmp(views.values.data() + 32, "\x0d\0\0\0thir\0\0\0\0\x0c\0\0\0", 16) == 0);
    CHECK(std::memcmp(views.values.data() + 48, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16) == 0);

    Column fixed;
    fill(fixed, "w:3", {"\"YWJj\"", nullptr, "\"ZGVm\""});
    CHECK(lay_out(fixed) == Put::kDone);
    CHECK(std::memcmp(fixed.values.data(), "abc\0\0\0def", 9) == 0);
}

TEST_CASE("lay_out: dictionaries") {
    Column column;
    fill(column, "dictionary:c", {"b", nullptr, "", "a", "b", ""});
    CHECK(lay_out(column) == Put::kDone);
    CHECK(values_of<std::int8_t>(column, 6) == std::vector<std::int8_t>{0, 0, 1, 2, 0, 1});
    const Column& texts = *column.children[0];
    CHECK(texts.length == 3);
    CHECK(values_of<std::int32_t>(texts, 4) == std::vector<std::int32_t>{0, 1, 1, 2});
    CHECK(std::memcmp(texts.data.data(), "ba", 2) == 0);

    // As many as the index holds, and one more.
    for (const auto& [format, most] : {std::pair{"dictionary:c", 128}, std::pair{"dictionary:C", 256}, std::pair{"dictionary:s", 32768}}) {
        for (int more = 0; more < 2; ++more) {
            Column many;
            for (int round = 0; round < 2; ++round)
                for (int i = 0; i < most + more; ++i) fill(many, format, {std::to_string(i * 7919).c_str()});
            CHECK(lay_out(many) == (more ? Put::kRefused : Put::kDone));
            if (!more) CHECK(many.children[0]->length == most);
        }
    }
}

TEST_CASE("lay_out: lists of fixed size have items for nulls") {
    // [null, [{"a": "x", "b": [1]}, null], null, [{"b": []}, {"a": "", "b": null}]]
    Column list;
    REQUIRE(read_format(list, "+w:2") == Put::kDone);
    Column& items = *list.add_child("item", 4);
    REQUIRE(read_format(items, "+s") == Put::kDone);
    REQUIRE(items.make_fields());
    Column& a = *items.add_child("a", 1);
    Column& b = *items.add_child("b", 1);
    REQUIRE(read_format(b, "+l") == Put::kDone);
    Column& numbers = *b.add_child("item", 4);
    REQUIRE(list.fill_nulls(1));
    for (std::int64_t i = 0; i < 4; ++i) {
        if (i == 1) {
            REQUIRE(items.fill_nulls(2));
        } else {
            REQUIRE(items.begin_value(i));
            items.end_value();
        }
    }
    fill(a, "u", {"x", nullptr, nullptr, ""});
    fill(numbers, "i", {"1"});
    REQUIRE(b.begin_value(0));
    b.values.as<std::int32_t>()[1] = 1;
    b.end_value();
    REQUIRE(b.begin_value(2));
    b.values.as<std::int32_t>()[3] = 1;
    b.end_value();
    for (const std::int64_t i : {1, 3}) {
        REQUIRE(list.begin_value(i));
        list.values.as<std::int32_t>()[i + 1] = static_cast<std::int32_t>(i + 1);
        list.end_value();
    }
    REQUIRE(list.complete(4));
    CHECK(lay_out(list) == Put::kDone);
    const Column& filled = *list.items();
    CHECK(std::string(filled.name, filled.name_len) == "item");
    CHECK(filled.length == 8);
    CHECK(filled.null_count == 5);
    for (const std::int64_t valid : {2, 6, 7}) CHECK(filled.is_valid(valid));
    CHECK(filled.children[0]->length == 8);
    CHECK(filled.children[0]->null_count == 6);
    CHECK(values_of<std::int32_t>(*filled.children[0], 9) == std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 1, 1, 1});
    CHECK(filled.children[1]->length == 8);
    CHECK(filled.children[1]->null_count == 6);
    CHECK(values_of<std::int32_t>(*filled.children[1], 9) == std::vector<std::int32_t>{0, 0, 0, 1, 1, 1, 1, 1, 1});
    CHECK(values_of<std::int32_t>(*filled.children[1]->items(), 1) == std::vector<std::int32_t>{1});

    Column nothing;  // nulls alone, without blocks
    REQUIRE(read_format(nothing, "+w:3") == Put::kDone);
    REQUIRE(read_format(*nothing.add_child("item", 4), "i") == Put::kDone);
    nothing.make_null(5);
    CHECK(lay_out(nothing) == Put::kDone);
    CHECK(nothing.items()->length == 15);
    CHECK(nothing.items()->null_count == 15);
}

TEST_CASE("drop_equal_keys: the last one counts") {
    for (const std::size_t count : {2u, 16u, 17u, 1000u}) {
        CAPTURE(count);
        Column pairs;
        REQUIRE(read_format(pairs, "+s") == Put::kDone);
        Column& keys = *pairs.add_child("key", 3);
        Column& values = *pairs.add_child("value", 5);
        const std::string long_key(40, 'k');
        fill(keys, "u", {"k0", "k0"});  // of another map
        fill(values, "i", {"7", "8"});
        for (std::size_t i = 0; i < count; ++i) {
            // Every key comes twice, in the second half without a value where it is odd.
            const std::size_t key = i % (count / 2);
            fill(keys, "u", {(key % 3 ? "k" + std::to_string(key) : long_key + std::to_string(key)).c_str()});
            if (i < count / 2 || key % 2 == 0) fill(values, "i", {std::to_string(i).c_str()});
            else fill(values, "i", {nullptr});
        }
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(count) + 2; ++i) {
            REQUIRE(pairs.begin_value(i));
            pairs.end_value();
        }
        REQUIRE(drop_equal_keys(pairs, 2));
        const bool is_odd = count % 2;
        const auto half = static_cast<std::int64_t>(count / 2);
        CHECK(pairs.length == 2 + half);
        CHECK(keys.length == 2 + half);
        REQUIRE(pairs.complete(pairs.length));
        CHECK(values.values.as<std::int32_t>()[0] == 7);
        CHECK(values.values.as<std::int32_t>()[1] == 8);
        // Of 17 the key 0 comes a third time, as the last one.
        for (std::int64_t i = 0; i < half; ++i) {
            const std::int64_t key = is_odd ? (i + 1) % half : i;
            CHECK(values.is_valid(2 + i) == (key % 2 == 0));
            if (key % 2 == 0) CHECK(values.values.as<std::int32_t>()[2 + i] == (is_odd && key == 0 ? 16 : half + key));
        }
    }
    Column different;
    REQUIRE(read_format(different, "+s") == Put::kDone);
    fill(*different.add_child("key", 3), "u", {"a", "", "b"});
    fill(*different.add_child("value", 5), "i", {"1", "2", "3"});
    for (std::int64_t i = 0; i < 3; ++i) {
        REQUIRE(different.begin_value(i));
        different.end_value();
    }
    REQUIRE(drop_equal_keys(different, 0));
    CHECK(different.length == 3);
}
