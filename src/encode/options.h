// The keywords of dumps and dumps_to_bytes, compiled: switches, and the text between values.
#pragma once

#include "py/str.h"

namespace ocior::encode {

// Text that stands between values. Short ASCII, which is what everybody uses, is one word: stored whole, advanced by length.
struct Separator {
    std::uint64_t word = 0;
    std::size_t length = 0;     // units
    const void* data = nullptr; // set instead of `word` when the text is longer than 8 units or not ASCII
    unsigned width = 1;

    // Borrows the text of `str`, which the caller keeps alive.
    void assign(const StrView& view) noexcept {
        length = view.length;
        width = view.width;
        data = nullptr;
        word = 0;
        if (view.is_ascii && view.length <= sizeof word) std::memcpy(&word, view.data, view.length);
        else data = view.data;
    }
};

// What a line of pretty output starts with, once per open container: one ASCII unit `count` times, or any text.
struct Indent {
    std::uint8_t fill = ' ';
    std::size_t count = 0;
    Separator text;  // instead of the above, where text.data is set
};

// The text between values, for what the walk is compiled for.
enum class Spacing : std::uint8_t {
    kCompact,  // "," and ":"
    kJson,     // ", " and ": "
    kLines,    // a line per value, indented by one ASCII unit over and over; "," and ": "
    kAny,      // whatever the options say
};

struct Options {
    bool ensure_ascii = true;
    bool skipkeys = false;
    bool check_circular = true;
    bool allow_nan = true;
    bool sort_keys = false;
    bool to_bytes = false;
    bool write_cache = false;           // dumps_to_bytes: leave the UTF-8 copy in the user's strings
    bool in_pieces = false;             // the text is handed over in pieces while it is made
    PyObject* default_hook = nullptr;   // borrowed
    Separator item{.word = 0x202c, .length = 2};  // ", "
    Separator key{.word = 0x203a, .length = 2};   // ": "
    bool pretty = false;                // a line per value; `indent` once per level
    Indent indent{};
    Spacing spacing = Spacing::kJson;

    // Whether json would use its encoder written in Python here, some of whose messages are worded differently.
    bool json_uses_python() const noexcept { return in_pieces || (pretty && PY_VERSION_HEX < 0x030D0000); }

    // To be called when the text between values is as it shall be.
    void find_spacing() noexcept {
        const auto is = [](const Separator& separator, std::uint64_t word, std::size_t length) {
            return !separator.data && separator.word == word && separator.length == length;
        };
        const bool is_comma = is(item, ',', 1), is_colon_space = is(key, 0x203a, 2);
        spacing = Spacing::kAny;
        if (pretty && is_comma && is_colon_space && !indent.text.data && indent.count < 1 << 16) spacing = Spacing::kLines;
        if (!pretty && is_comma && is(key, ':', 1)) spacing = Spacing::kCompact;
        if (!pretty && is_colon_space && is(item, 0x202c, 2)) spacing = Spacing::kJson;
    }

    // The widest unit that the text between values needs.
    unsigned width() const noexcept {
        unsigned widest = item.width > key.width ? item.width : key.width;
        return pretty && indent.text.width > widest ? indent.text.width : widest;
    }
};

}  // namespace ocior::encode
