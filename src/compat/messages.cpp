#include "compat/messages.h"

#include <bitset>
#include <cstring>
#include <iterator>

#include "grammar/call.h"
#include "py/str.h"
#include "simd/lanes.h"
#include "text/scan.h"

namespace ocior::compat {
namespace {

constexpr char kEnd[] = "unexpected end of data";

// A document that is right up to some offset; what lies behind its end are units of 0.
struct Document {
    PyObject* text;
    Py_ssize_t length = PyUnicode_GET_LENGTH(text);

    Py_UCS4 operator[](Py_ssize_t at) const noexcept { return at >= 0 && at < length ? PyUnicode_READ_CHAR(text, at) : 0; }
    // Calls act(units) for the units as they lie in the str.
    template <typename Act>
    auto with_units(Act&& act) const noexcept {
        const void* const units = PyUnicode_DATA(text);
        if (unit_width(text) == 1) return act(static_cast<const std::uint8_t*>(units));
        if (unit_width(text) == 2) return act(static_cast<const std::uint16_t*>(units));
        return act(static_cast<const std::uint32_t*>(units));
    }
    // The first unit, from `at` on, that may end or interrupt a string, or the end.
    Py_ssize_t end_of_plain_text(Py_ssize_t at) const noexcept {
        return with_units([&](const auto* units) { return end_of_plain_text(units, at, length); });
    }
    template <typename Unit>
    static Py_ssize_t end_of_plain_text(const Unit* units, Py_ssize_t at, Py_ssize_t last) noexcept {
        using Block = simd::Vec<Unit>;
        constexpr auto kLanes = static_cast<Py_ssize_t>(Block::kLanes);
        for (; last - at >= kLanes; at += kLanes)
            if (const auto marked = simd::marked_lanes(Block::load(units + at)); marked.any()) return at + marked.first();
        while (at < last && !ocior::text::ends_string(units[at])) ++at;
        return at;
    }
    bool has_digit(Py_ssize_t at) const noexcept { return (*this)[at] - '0' < 10; }
    bool has_space(Py_ssize_t at) const noexcept {
        const Py_UCS4 unit = (*this)[at];
        return unit == ' ' || unit == '\t' || unit == '\n' || unit == '\r';
    }
    // The number that four hexadecimal digits make; -1 where they are none, -2 where the document ends among them.
    int hex(Py_ssize_t at) const noexcept {
        int number = 0;
        for (const Py_ssize_t last = at + 4; at < last; ++at) {
            if (at >= length) return -2;
            const Py_UCS4 unit = (*this)[at], letter = unit | 0x20;
            if (has_digit(at)) {
                number = number * 16 + static_cast<int>(unit - '0');
            } else if (letter >= 'a' && letter <= 'f') {
                number = number * 16 + static_cast<int>(letter - 'a' + 10);
            } else {
                return -1;
            }
        }
        return number;
    }
    bool has_escape(Py_ssize_t at) const noexcept { return (*this)[at] == '\\' && (*this)[at + 1] == 'u'; }
    // Whether the document ends, after the escape of a surrogate at `at`, with what may become that of a low surrogate.
    bool has_cut_pair(Py_ssize_t at) const noexcept {
        constexpr const char* kLow[] = {"\\", "u", "dD", "cdefCDEF", "0123456789abcdefABCDEF"};
        const Py_ssize_t low = at + 6, count = length - low;
        if (count > static_cast<Py_ssize_t>(std::size(kLow))) return false;
        for (Py_ssize_t i = 0; i < count; ++i) {
            const Py_UCS4 unit = (*this)[low + i];
            if (unit == 0 || unit > 0x7F || !std::strchr(kLow[i], static_cast<int>(unit))) return false;
        }
        return true;
    }
};

// What stands open before an offset.
struct Open {
    std::size_t depth = 0;
    bool is_object = false;
    Py_ssize_t string = -1;  // where the string that the offset is inside of, or at the end of, begins
};

Open open_before(const Document& document, Py_ssize_t offset) noexcept {
    std::bitset<kMaxDepth + 1> objects;
    Open open;
    std::size_t& depth = open.depth;
    document.with_units([&](const auto* units) {
        for (Py_ssize_t at = 0; at < offset; ++at) {
            const std::uint32_t unit = units[at];
            if (open.string >= 0) {
                at = Document::end_of_plain_text(units, at, offset);
                if (at == offset) break;
                if (units[at] == '\\') {
                    ++at;
                } else if (units[at] == '"') {
                    open.string = -1;
                }
            } else if (unit == '"') {
                open.string = at;
            } else if (unit == '{' || unit == '[') {
                if (depth < kMaxDepth) objects[++depth] = unit == '{';
            } else if (unit == '}' || unit == ']') {
                if (depth > 0) --depth;
            }
        }
    });
    open.is_object = objects[depth];
    return open;
}

// The first mistake in the string that begins at `at`, which gets the place of it.
const char* orjson_message_of_string(const Document& document, Py_ssize_t& at) noexcept {
    for (++at; (at = document.end_of_plain_text(at)) < document.length; ++at) {
        const Py_UCS4 unit = document[at];
        if (unit < ' ') return "unexpected control character in string";
        if (unit == '"') break;
        const Py_UCS4 letter = document[at + 1];
        const Py_ssize_t digits = at + 2;
        if (at + 1 >= document.length) break;
        if (letter == 'u') {
            const int high = document.hex(digits);
            if (high == -2) break;
            if (high < 0) return "invalid escaped sequence in string";
            const bool is_surrogate = high >= 0xD800 && high < 0xE000;
            if (digits + 4 >= document.length || (is_surrogate && document.has_cut_pair(at))) break;
            if (is_surrogate && high >= 0xDC00) return "invalid high surrogate in string";
            at += 5;
            if (!is_surrogate) continue;
            const Py_ssize_t next = at + 1, first = at - 5;
            if (!document.has_escape(next)) return at = first, "no low surrogate in string";
            const int low = document.hex(next + 2);
            if (low < 0) return at = first, "invalid escape in string";
            if (low < 0xDC00 || low >= 0xE000) return at = first, "invalid low surrogate in string";
            at += 6;
        } else if (letter == '"' || letter == '\\' || letter == '/' || letter == 'b' || letter == 'f' || letter == 'n' || letter == 'r' ||
                   letter == 't') {
            ++at;
        } else {
            return "invalid escaped sequence in string";
        }
    }
    at = document.length;
    return kEnd;
}

// Where the units from `at` on, which are bytes, stop being UTF-8.
Py_ssize_t end_of_utf8(const Document& document, Py_ssize_t at) noexcept {
    for (;;) {
        at = document.with_units([&](const auto* units) {
            Py_ssize_t end = at;
            while (end < document.length && units[end] < 0x80) ++end;
            return end;
        });
        if (at == document.length) return at;
        const Py_UCS4 first = document[at];
        const int more = first < 0x80 ? 0 : first < 0xC2 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : first < 0xF5 ? 3 : -1;
        if (more < 0) return at;
        for (int i = 1; i <= more; ++i) {
            const Py_UCS4 next = document[at + i];
            const bool is_low = i == 1 && ((first == 0xE0 && next < 0xA0) || (first == 0xF0 && next < 0x90));
            const bool is_high = i == 1 && ((first == 0xED && next >= 0xA0) || (first == 0xF4 && next >= 0x90));
            if (next >> 6 != 2 || is_low || is_high) return at;
        }
        at += 1 + more;
    }
}

// Where the comma before the bracket at `offset` is; -1 where there is none.
Py_ssize_t comma_before(const Document& document, Py_ssize_t offset) noexcept {
    do --offset;
    while (document.has_space(offset));
    return document[offset] == ',' ? offset : -1;
}

// The mistake in the number that has been read up to `at`; null where it has none.
const char* orjson_message_of_number(const Document& document, Py_ssize_t& at) noexcept {
    if (!document.has_digit(at - 1)) return nullptr;
    const auto needs_digit = [&](Py_ssize_t place, const char* message) {
        if (document.has_digit(place)) return static_cast<const char*>(nullptr);
        at = place;
        return place < document.length ? message : kEnd;
    };
    Py_ssize_t first = at;
    while (document.has_digit(first - 1)) --first;
    const Py_UCS4 before = document[first - 1], sign = before == '+' || before == '-' ? document[first - 2] : before;
    const bool is_exponent = (sign | 0x20) == 'e', is_fraction = before == '.';
    if (document[at] == '.' && !is_exponent && !is_fraction) return needs_digit(at + 1, "no digit after decimal point");
    if ((document[at] | 0x20) == 'e' && !is_exponent)
        return needs_digit(at + 1 + (document[at + 1] == '+' || document[at + 1] == '-'), "no digit after exponent sign");
    if (!document.has_digit(at) || is_exponent || is_fraction || document[first] != '0') return nullptr;
    at = first;
    return "number with leading zero is not allowed";
}

// A word that begins as null, true or false do and is none of them; null for any other unit.
const char* orjson_message_of_word(const Document& document, Py_ssize_t& at) noexcept {
    const Py_UCS4 unit = document[at];
    if (unit != 'n' && unit != 't' && unit != 'f') return nullptr;
    const char* const word = unit == 'n' ? "null" : unit == 't' ? "true" : "false";
    const char* letter = word;
    Py_ssize_t end = at;
    while (*letter && document[end] == static_cast<Py_UCS4>(*letter)) ++end, ++letter;
    if (end >= document.length) return at = end, kEnd;
    if (unit == 'n') return "invalid literal, expected 'null'";
    return unit == 't' ? "invalid literal, expected 'true'" : "invalid literal, expected 'false'";
}

}  // namespace

const char* orjson_message_of(Error error, PyObject* text, Py_ssize_t& offset) noexcept {
    const Document document{text};
    switch (error) {
        case Error::kTooDeepObject:
        case Error::kTooDeepArray: return "Recursion limit reached";
        case Error::kUnterminatedString:
        case Error::kEscapeAtEnd:
            if (document[offset] == '"') return orjson_message_of_string(document, offset);
            break;
        case Error::kControlCharacter:
        case Error::kInvalidEscape:
        case Error::kInvalidUnicodeEscape:
        case Error::kLoneSurrogate: {
            const Py_ssize_t string = open_before(document, offset).string;
            if (string < 0) break;
            offset = string;
            return orjson_message_of_string(document, offset);
        }
        default: break;
    }
    if (error == Error::kExpectingComma || error == Error::kExtraData)
        if (const char* const message = orjson_message_of_number(document, offset)) return message;
    if (offset >= document.length) {
        Py_ssize_t space = 0;
        while (document.has_space(space)) ++space;
        return space < document.length ? kEnd : (offset = 0, "input data is empty");
    }
    switch (error) {
        case Error::kExpectingPropertyName:
        case Error::kTrailingCommaInObject:
            if (document[offset] != '}') return "unexpected character, expected a string key";
            offset = comma_before(document, offset);
            return "trailing comma is not allowed";
        case Error::kTrailingCommaInArray: offset = comma_before(document, offset); return "trailing comma is not allowed";
        case Error::kExpectingColon: return "unexpected character, expected ':' after key";
        case Error::kExtraData: return "unexpected content after document";
        case Error::kExpectingComma:
            return open_before(document, offset).is_object ? "unexpected character, expected ',' or '}'"
                                                           : "unexpected character, expected ',' or ']'";
        case Error::kNumberOutOfRange: return "number is infinity when parsed as double";
        case Error::kExpectingValue: {
            if (document[offset] == 0xFEFF && offset == 0) return "UTF-8 byte order mark (BOM) is not supported";
            const bool has_minus = document[offset] == '-';
            if (has_minus || document[offset] == '.' || document[offset] == '+') {
                offset += has_minus;
                return offset < document.length ? "no digit after sign" : kEnd;
            }
            if (const char* const message = orjson_message_of_word(document, offset)) return message;
            const Py_ssize_t comma = document[offset] == ']' ? comma_before(document, offset) : -1;
            if (comma < 0) return "unexpected character, expected a JSON value";
            offset = comma;
            return "trailing comma is not allowed";
        }
        default: return "unexpected character";
    }
}

const char* ssrjson_message_of(Error error, PyObject* text, Py_ssize_t& offset) noexcept {
    const Document document{text};
    Py_ssize_t space = 0;  // that the document begins with; it is not counted
    while (document.has_space(space)) ++space;
    const auto at = [&](Py_ssize_t place, const char* message) {
        offset = place - space;
        return message;
    };
    const auto at_start_of_number = [&](Py_ssize_t place) {
        const auto is_part = [&](Py_UCS4 unit) { return unit == '.' || unit == '+' || unit == '-' || (unit | 0x20) == 'e'; };
        while (document.has_digit(place - 1) || is_part(document[place - 1])) --place;
        return at(place, "invalid number");
    };
    Py_ssize_t found = offset;
    switch (error) {
        case Error::kTooDeepObject:
        case Error::kTooDeepArray: return at(offset + 1, "max recursion exceeded");
        case Error::kUnterminatedString:
        case Error::kEscapeAtEnd:
            if (document[found] == '"') orjson_message_of_string(document, found);
            return at(found, "invalid string");
        case Error::kControlCharacter:
        case Error::kInvalidEscape:
        case Error::kInvalidUnicodeEscape:
        case Error::kLoneSurrogate:
        case Error::kInvalidUtf8:
            if (const Py_ssize_t string = open_before(document, offset).string; string >= 0) {
                const bool is_cut = orjson_message_of_string(document, found = string) == kEnd;
                if (error == Error::kInvalidUtf8 || is_cut) found = end_of_utf8(document, string);
            }
            return at(found, "invalid string");
        case Error::kExpectingPropertyName: return at(offset, "unexpected character, expected a string for object key");
        case Error::kTrailingCommaInObject: return at(offset + 1, "trailing comma is not allowed");
        case Error::kTrailingCommaInArray: return at(comma_before(document, offset), "trailing comma is not allowed");
        case Error::kExpectingColon: return at(offset, "unexpected character, expected a colon after object key");
        case Error::kExtraData:
            if (orjson_message_of_number(document, found)) return at_start_of_number(offset);
            return at(offset, "unexpected content after document");
        case Error::kExpectingComma:
            if (orjson_message_of_number(document, found)) return at_start_of_number(offset);
            return at(offset, open_before(document, offset).is_object ? "unexpected character, expected a comma or a closing brace"
                                                                      : "unexpected character, expected a comma or a closing bracket");
        default: break;
    }
    switch (document[offset]) {
        case '-': return at(offset, "invalid number");
        case 'n': return at(offset, "invalid literal, expected a valid literal such as 'null'");
        case 't': return at(offset, "invalid literal, expected a valid literal such as 'true'");
        case 'f': return at(offset, "invalid literal, expected a valid literal such as 'false'");
        case ']':
            if (const Py_ssize_t comma = comma_before(document, offset); comma >= 0) return at(comma, "trailing comma is not allowed");
            break;
        default: break;
    }
    if (space == document.length) return offset = kNoPlace, "input data is empty";
    return at(offset, open_before(document, offset).depth == 0 ? "unexpected character, expected a valid root value"
                                                               : "unexpected character, expected a valid JSON value");
}

}  // namespace ocior::compat
