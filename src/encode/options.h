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

    // Whether json would use its encoder written in Python here, some of whose messages are worded differently.
    bool json_uses_python() const noexcept { return in_pieces || (pretty && PY_VERSION_HEX < 0x030D0000); }

    // Whether the walk must look at more than the two words above.
    bool is_plain() const noexcept { return !pretty && !item.data && !key.data; }

    // The widest unit that the text between values needs.
    unsigned width() const noexcept {
        unsigned widest = item.width > key.width ? item.width : key.width;
        return pretty && indent.text.width > widest ? indent.text.width : widest;
    }
};

}  // namespace ocior::encode
