// What a call of the encoder is told: by its function's dialect, and by keywords, compiled to switches and the text between values.
#pragma once

#include "encode/dialect.h"
#include "encode/rich_flags.h"
#include "py/str.h"

namespace ocior::encode {

struct PlansObject;

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

// Whether the last of its units, if any, is a space.
inline bool ends_with_space(const Separator& separator) noexcept {
    if (separator.length == 0) return false;
    const std::size_t last = separator.length - 1;
    if (!separator.data) return (separator.word >> (8 * last) & 0xff) == ' ';
    if (separator.width == 1) return static_cast<const std::uint8_t*>(separator.data)[last] == ' ';
    if (separator.width == 2) return static_cast<const std::uint16_t*>(separator.data)[last] == ' ';
    return static_cast<const std::uint32_t*>(separator.data)[last] == ' ';
}

inline constexpr Separator kComma{.word = 0x2c, .length = 1}, kCommaSpace{.word = 0x202c, .length = 2}, kColon{.word = 0x3a, .length = 1},
    kColonSpace{.word = 0x203a, .length = 2};

// Whether a call may want this ASCII character escaped that JSON lets stand. Between values it never is: where it can occur there, strings
// are escaped one by one (Writer::put_any_string), and else the whole text (escape_rest).
constexpr bool has_extra_escape(std::uint8_t unit) noexcept { return unit == '/' || unit == '<' || unit == '>' || unit == '&'; }

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

// Cycles are looked for where they can do harm: deep down, or after much output. A cycle never ends, so it gets there.
inline constexpr std::size_t kSuspiciousDepth = 32;  // below the frame stack's first capacity
inline constexpr std::size_t kSuspiciousOutput = 64 * 1024;

// How floats are written that are small or large.
enum class Exponents : std::uint8_t {
    kPadded,        // as repr() does: 1e-05, 1e-07
    kUnpadded,      // 1e-5, 1e-7
    kUnpaddedLate,  // 0.00001, 1e-7; float32 from 1e13 on with an exponent
    kUnsignedLate,  // 0.00001, 1e-7, and 1e16 in the place of 1e+16; of float64 alone
};

struct Options {
    const Dialect* dialect = &kJsonInC;
    bool ensure_ascii = true;
    bool skipkeys = false;
    bool check_circular = true;
    NonFiniteNumbers non_finite = NonFiniteNumbers::kConstant;
    IntegerRange integers = IntegerRange::kAny;
    BigIntegers big_integers = BigIntegers::kExact;  // those beyond `integers`
    Surrogates surrogates = Surrogates::kKeep;
    std::uint32_t max_depth = kMaxDepth;  // of containers alone; the dialect has another limit
    std::size_t first_check = kSuspiciousOutput;  // how far the output gets before open() asks whether a container may be opened
    Exponents exponents = Exponents::kPadded;
    bool is_canonical = false;          // RFC 8785: floats as ECMAScript has them, keys in the order of their UTF-16 code units
    bool sort_keys = false;
    bool unique_keys = false;           // two keys of a dict with the same text are an error
    bool reads_keys_first = false;      // for settle(): a dict is not written while its keys are met
    bool ends_with_newline = false;     // of bytes
    bool to_bytes = false;
    bool write_cache = false;           // of bytes: the UTF-8 copy is left in the user's strings
    PlanKey rich = 0;  // flags of the function, which those of an ocior.Default as default hook replace, and the number of
    const PlansObject* plans = nullptr;  // these, which the caller keeps alive; null where no class says how it is written
    bool has_policies = false;  // those of an ocior.Default are in these options, or shall not be: then only its types count
    bool in_pieces = false;  // the text is handed over in pieces while it is made
    bool pretty = false;  // a line per value; `indent` once per level
    std::uint32_t short_arrays = 0;  // with that: arrays without containers whose text has at most so many units are on one line
    Spacing spacing = Spacing::kJson;
    PyObject* default_hook = nullptr;  // borrowed
    Separator item = kCommaSpace, key = kColonSpace;  // behind an item, and behind a key
    Indent indent{};

    // To be called when all else is as it shall be: finds the spacing and the dialect.
    void settle() noexcept {
        if (const Dialect* other = in_pieces ? dialect->in_pieces : pretty ? dialect->in_lines : nullptr) dialect = other;
        const auto is = [](const Separator& separator, const Separator& other) {
            return !separator.data && separator.word == other.word && separator.length == other.length;
        };
        const bool is_comma = is(item, kComma), is_colon_space = is(key, kColonSpace);
        reads_keys_first = sort_keys || unique_keys;
        spacing = Spacing::kAny;
        if (asks_about_values()) return;
        const bool has_plain_indent = !indent.text.data && indent.count < 1 << 16 && !has_extra_escape(indent.fill);
        if (pretty && is_comma && is_colon_space && has_plain_indent) spacing = Spacing::kLines;
        if (!pretty && is_comma && is(key, kColon)) spacing = Spacing::kCompact;
        if (!pretty && is_colon_space && is(item, kCommaSpace)) spacing = Spacing::kJson;
    }

    // Whether the walk has to ask about each short integer, string or empty container. It does so where the text between values is not
    // known at compile time, and only there, so that no other call pays for it.
    bool asks_about_values() const noexcept {
        return is_canonical || integers == IntegerRange::k53Bits || surrogates != Surrogates::kKeep || max_depth < kMaxDepth ||
               short_arrays != 0;
    }

    // The widest unit that the text between values needs.
    unsigned width() const noexcept {
        unsigned widest = item.width > key.width ? item.width : key.width;
        return pretty && indent.text.width > widest ? indent.text.width : widest;
    }
};

}  // namespace ocior::encode
