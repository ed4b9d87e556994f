// A second pass over JSON text: characters that JSON lets stand in strings, and some readers do not, become escapes where they are. Who
// calls it knows that they stand in strings alone.
#pragma once

#include "simd/lanes.h"

namespace ocior::text {

// Which characters, one bit for each kind.
enum ExtraEscapes : unsigned {
    kSlashes = 1,   // "/" becomes "\/"
    kMarkup = 2,    // "<", ">" and "&" become "\u003c" and the like
    kLineEnds = 4,  // U+2028 and U+2029 become "\u2028" and "\u2029"
    kPlainDelete = 8,  // and "\u007f" becomes U+007F again: restore_deletes() does that
};

// A text of bytes is ASCII or Latin-1, or else UTF-8, where U+2028 and U+2029 take three units.
enum class ByteText : bool { kLatin1, kUtf8 };

// Where the first vector with such a character begins, n where there is none; and how many units the text grows by.
struct ExtraEscapesFound {
    std::size_t first;
    std::size_t growth;
};

// Behind the n units kWriteSlack bytes are readable.
template <CodeUnit Unit>
ExtraEscapesFound find_extra_escapes(const Unit* units, std::size_t n, unsigned which, ByteText bytes) noexcept;

// How many units of room the text needs beyond its growth while it is rewritten.
template <CodeUnit Unit>
inline constexpr std::size_t kExtraEscapesGap = kWriteSlack / sizeof(Unit);

// Takes the backslash from before each "/" of JSON text that has one there: "\/" and "/" are the same. Returns how many units are left.
template <CodeUnit Unit>
std::size_t drop_slash_escapes(Unit* units, std::size_t n) noexcept;

// Puts U+007F in the place of each "\u007f" that is an escape. Returns how many units are left. Behind the n units kWriteSlack bytes are
// readable.
template <CodeUnit Unit>
std::size_t restore_deletes(Unit* units, std::size_t n) noexcept;

// Rewrites the text, of which `found` tells. There is room for n + growth + kExtraEscapesGap units, and kWriteSlack bytes.
template <CodeUnit Unit>
void put_extra_escapes(Unit* units, std::size_t n, unsigned which, ByteText bytes, ExtraEscapesFound found) noexcept;

}  // namespace ocior::text
