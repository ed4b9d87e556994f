#include "decode/place.h"

#include "decode/extent.h"
#include "decode/line.h"

namespace ocior::decode {
namespace {

constexpr std::size_t kEndsShown = 12;  // of a long path: so many steps of its beginning, and of its end
constexpr std::size_t kKeyShown = 40;   // code points of a long key

// A container that is open at the place.
struct Level {
    std::size_t index;       // array: commas so far
    std::size_t key, key_end;  // object: the text of the latest key, in units of the document
    bool is_object;
    bool has_key;            // since the latest comma
};

// What is open at `last`, outermost first, for text that obeys the grammar up to there. False when out of memory.
template <typename Unit>
bool find_open(const Unit* units, const Unit* p, const Unit* last, Stack<Level>& levels, std::size_t& depth) noexcept {
    depth = 0;
    while (p != last) {
        Level* const level = depth ? levels.data() + depth - 1 : nullptr;
        switch (*p++) {
            case '"': {
                const Unit* const end = string_end(p, last);
                if (!end) return true;
                if (level && level->is_object && !level->has_key) {
                    level->key = static_cast<std::size_t>(p - units);
                    level->key_end = static_cast<std::size_t>(end - 1 - units);
                    level->has_key = true;
                }
                p = end;
                break;
            }
            case '[':
            case '{':
                if (!levels.reserve(depth + 1)) return false;
                levels.data()[depth++] = {0, 0, 0, p[-1] == '{', false};
                break;
            case ']':
            case '}':
                if (depth) --depth;
                break;
            case ',':
                if (level) ++level->index, level->has_key = false;
                break;
            default: break;
        }
    }
    return true;
}

// The code point written at `p` of a key without mistakes, moving on.
template <typename Unit>
std::uint32_t next_of_key(const Unit*& p, const Unit* last) noexcept {
    const auto hex4 = [last](const Unit* digits) -> std::int32_t {
        std::int32_t value = 0;
        if (last - digits < 4) return -1;
        for (int i = 0; i < 4; ++i) value = value << 4 | ((digits[i] & 15) + (digits[i] > '9' ? 9 : 0));
        return value;
    };
    const std::uint32_t unit = *p++;
    if (unit != '\\' || p == last) return unit;
    switch (const std::uint32_t letter = *p++) {
        case 'b': return '\b';
        case 'f': return '\f';
        case 'n': return '\n';
        case 'r': return '\r';
        case 't': return '\t';
        case 'u': {
            const std::int32_t high = hex4(p);
            if (high < 0) return p = last, 0xFFFD;
            p += 4;
            if ((high & 0xFC00) == 0xD800 && last - p >= 6 && p[0] == '\\' && p[1] == 'u') {
                const std::int32_t low = hex4(p + 2);
                if ((low & 0xFC00) == 0xDC00) {
                    p += 6;
                    return 0x10000 + ((static_cast<std::uint32_t>(high) - 0xD800) << 10) + (static_cast<std::uint32_t>(low) - 0xDC00);
                }
            }
            return static_cast<std::uint32_t>(high);
        }
        default: return letter;
    }
}

void add_escaped(Line& line, std::uint32_t code_point) noexcept {
    const auto add_unit = [&line](std::uint32_t unit) {
        char text[8];
        std::snprintf(text, sizeof text, "\\u%04x", unit & 0xffff);
        line.add(text);
    };
    if (code_point == '"' || code_point == '\\') {
        line.add('\\');
        line.add(code_point);
    } else if (Py_UNICODE_ISPRINTABLE(code_point)) {
        line.add(code_point);
    } else if (code_point >= 0x10000) {
        add_unit(0xD800 + ((code_point - 0x10000) >> 10));
        add_unit(0xDC00 + ((code_point - 0x10000) & 0x3FF));
    } else {
        add_unit(code_point);
    }
}

// .name, or ["any other key"], cut if it is long.
template <typename Unit>
void add_key(Line& line, const Unit* p, const Unit* last) noexcept {
    std::uint32_t key[kKeyShown];
    std::size_t length = 0;
    while (p != last && length < kKeyShown) key[length++] = next_of_key(p, last);
    if (p == last) {
        Owned name = Owned::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, key, static_cast<Py_ssize_t>(length)));
        if (name && PyUnicode_IsIdentifier(name.get()) == 1) {
            line.add('.');
            for (std::size_t i = 0; i < length; ++i) line.add(key[i]);
            return;
        }
        PyErr_Clear();
    }
    line.add("[\"");
    for (std::size_t i = 0; i < length; ++i) add_escaped(line, key[i]);
    line.add(p == last ? "\"]" : "...\"]");
}

template <typename Unit>
void add_steps(Line& line, const Unit* units, const Level* first, const Level* last) noexcept {
    for (const Level* level = first; level != last; ++level) {
        if (!level->is_object) {
            line.add('[');
            line.add_number(level->index);
            line.add(']');
        } else if (level->has_key) {
            add_key(line, units + level->key, units + level->key_end);
        }
    }
}

template <typename Unit>
Owned path_in(const Unit* units, std::size_t start, std::size_t offset) noexcept {
    Line line;
    Stack<Level> levels;
    std::size_t depth;
    line.add('$');
    if (!find_open(units, units + start, units + offset, levels, depth)) return {};
    const Level* const first = levels.data();
    if (depth <= 2 * kEndsShown) {
        add_steps(line, units, first, first + depth);
    } else {
        add_steps(line, units, first, first + kEndsShown);
        line.add("...");
        add_steps(line, units, first + depth - kEndsShown, first + depth);
    }
    return line.finish();
}

}  // namespace

Owned path_of(const StrView& document, std::size_t start, std::size_t offset) noexcept {
    if (start >= offset) return Owned::steal(PyUnicode_FromString("$"));
    if (document.width == 1) return path_in(static_cast<const std::uint8_t*>(document.data), start, offset);
    if (document.width == 2) return path_in(static_cast<const std::uint16_t*>(document.data), start, offset);
    return path_in(static_cast<const std::uint32_t*>(document.data), start, offset);
}

}  // namespace ocior::decode
