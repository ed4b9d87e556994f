// What a call writes beyond json's own types, and in which of several forms: one bit each.
#pragma once

#include "base/bits.h"
#include "text/extra_escapes.h"

namespace ocior::encode {

// What is written, and how. Calls with the same flags have the same plans.
enum RichFlags : std::uint32_t {
    kPlain = 0,         // json's own types alone, and ready JSON
    kRich = 1 << 0,     // dates, times, UUIDs, enums, dataclasses and their like
    kCommon = 1 << 1,   // also decimals, sets, paths, mappings, and what knows itself how it is written
    kArrays = 1 << 2,   // also numpy's scalars and arrays, and other arrays of numbers
    kNaiveUtc = 1 << 3,  // a datetime without a time zone is one of UTC
    kUtcZ = 1 << 4,      // UTC is "Z", else "+00:00"
    kNoMicroseconds = 1 << 5,
    kEnumNames = 1 << 6,      // an enum is written by its name, else by its value
    kDecimalText = 1 << 7,    // a decimal is a string, else a number
    kBase64 = 1 << 8,         // bytes are written so, else refused
    kRichKeys = 1 << 9,       // what is written as one string, number or word may be a key
    kNoPrivateFields = 1 << 11,  // fields whose name begins with an underscore are left out
    kNamedTuples = 1 << 12,   // a named tuple is an object, else a list
    kIterables = 1 << 13,     // whatever can be iterated over is a list
    kExceptions = 1 << 14,    // an exception is an object of its type and message
    kStored = 1 << 15,        // subclasses of list, dict and int are read as they are stored; those of float and tuple are unknown
    kPassSubclasses = 1 << 16,  // the default hook gets subclasses of str, int, list and dict,
    kPassDataclasses = 1 << 17,  // dataclasses,
    kPassDatetimes = 1 << 18,    // dates and times
    kNormalizedZones = 1 << 19,  // pytz's zones are asked for the offset that is right at the time, and times may have none
    kByDialect = 1 << 20,     // values and keys as the functions of the dialect take them. No two dialects have the same flags with it
    kBytesAsText = 1 << 21,   // and bytes are strings
    kPlainArrays = 1 << 27,  // of all that is not json's own: numpy's scalars, and its arrays in C order
    kExactKeys = 1 << 26,    // of all that is a str, only what is of exactly that type may be a key
    // Characters are escaped that JSON lets stand, as text::ExtraEscapes has them.
    kEscapedSlashes = 1 << 22,
    kEscapedMarkup = 1 << 23,
    kEscapedLineEnds = 1 << 24,
    kPlainDelete = 1 << 25,  // U+007F stands as it is where all other characters are escaped that are not ASCII
    kExtraEscapes = kEscapedSlashes | kEscapedMarkup | kEscapedLineEnds | kPlainDelete,
};

// Flags, and above them the number of the PlansObject that goes with them, which no other has; 0 where there is none.
using PlanKey = std::uint64_t;
inline constexpr unsigned kPlansShift = 32;
inline constexpr PlanKey kPlansMask = ~PlanKey{0} << kPlansShift;

// The flags of an ocior.Default without keywords.
inline constexpr std::uint32_t kUsualDefault = kRich | kCommon | kArrays;

// The escapes that these flags ask for, as text::ExtraEscapes has them.
constexpr unsigned extra_escapes_of(PlanKey key) noexcept { return static_cast<unsigned>((key & kExtraEscapes) / kEscapedSlashes); }
static_assert(extra_escapes_of(kExtraEscapes) == (text::kSlashes | text::kMarkup | text::kLineEnds | text::kPlainDelete));
static_assert(extra_escapes_of(kEscapedMarkup) == text::kMarkup);

}  // namespace ocior::encode
