#include "decode/errors/place.h"

#include <algorithm>

#include "grammar/padded.h"
#include "grammar/text.h"

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

// The unit behind the closing quote of the string whose text starts at `p`; null when there is no such quote before `last`.
template <typename Unit>
const Unit* string_end(const Unit* p, const Unit* last) noexcept {
    while (p != last) {
        const Unit unit = *p++;
        if (unit == '"') return p;
        if (unit == '\\' && p != last) ++p;
    }
    return nullptr;
}

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

// Whether that is an identifier of ASCII.
template <typename Unit>
bool is_ascii_name(const Unit* key, std::size_t length) noexcept {
    const auto is_letter = [](std::uint32_t unit) { return (unit | 0x20) - 'a' < 26 || unit == '_'; };
    return length > 0 && is_letter(key[0]) &&
           std::all_of(key, key + length, [&](std::uint32_t unit) { return is_letter(unit) || unit - '0' < 10; });
}

// .name, or ["any other key"], cut if it is long. `key`: code points.
template <typename Unit>
void add_key(Line& line, const Unit* key, std::size_t length) noexcept {
    const std::size_t n = length < kKeyShown ? length : kKeyShown;
    const bool is_whole = n == length;
    if (is_whole && is_ascii_name(key, n)) {
        line.add('.');
        line.add_ascii(key, n);
        return;
    }
    if (is_whole) {
        const Owned name = Owned::steal(PyUnicode_FromKindAndData(sizeof(Unit), key, static_cast<Py_ssize_t>(n)));
        if (name && PyUnicode_IsIdentifier(name.get()) == 1) {
            line.add('.');
            line.add(key, n);
            return;
        }
        PyErr_Clear();
    }
    line.add("[\"");
    for (std::size_t i = 0; i < n; ++i) add_escaped(line, key[i]);
    line.add(is_whole ? "\"]" : "...\"]");
}

// The key whose text is [first, last), with its closing quote behind.
template <typename Source>
void add_key_of(Line& line, const typename Source::Unit* first, const typename Source::Unit* last) noexcept {
    if (std::find(first, last, typename Source::Unit{'\\'}) == last) return add_key(line, first, static_cast<std::size_t>(last - first));
    Text<Source> text{first, last + 1};
    PaddedCopy<Source> copy;
    Workspace workspace;
    if (!copy.take(text)) return line.lose();
    Call<Source> call{text, false, workspace};
    const auto key = read_text(call, text.first);
    if (!key.units) return line.lose();
    if (key.width == 4) add_key(line, static_cast<const std::uint32_t*>(key.units), key.length);
    else if (key.width == 2) add_key(line, static_cast<const std::uint16_t*>(key.units), key.length);
    else add_key(line, static_cast<const std::uint8_t*>(key.units), key.length);
}

template <typename Source>
void add_steps(Line& line, const typename Source::Unit* units, const Level* first, const Level* last) noexcept {
    for (const Level* level = first; level != last; ++level) {
        if (!level->is_object) {
            line.add('[');
            line.add_number(level->index);
            line.add(']');
        } else if (level->has_key) {
            add_key_of<Source>(line, units + level->key, units + level->key_end);
        }
    }
}

template <typename Source>
void add_path_in(Line& line, const void* data, std::size_t start, std::size_t offset) noexcept {
    const auto* const units = static_cast<const typename Source::Unit*>(data);
    Stack<Level> levels;
    std::size_t depth;
    if (!find_open(units, units + start, units + offset, levels, depth)) return line.lose();
    const Level* const first = levels.data();
    if (depth <= 2 * kEndsShown) {
        add_steps<Source>(line, units, first, first + depth);
    } else {
        add_steps<Source>(line, units, first, first + kEndsShown);
        line.add("...");
        add_steps<Source>(line, units, first + depth - kEndsShown, first + depth);
    }
}

}  // namespace

void add_path(Line& line, const StrView& document, std::size_t start, std::size_t offset) noexcept {
    line.add('$');
    if (start >= offset) return;
    if (document.width == 1) add_path_in<Latin1Source>(line, document.data, start, offset);
    else if (document.width == 2) add_path_in<Ucs2Source>(line, document.data, start, offset);
    else add_path_in<Ucs4Source>(line, document.data, start, offset);
}

}  // namespace ocior::decode
