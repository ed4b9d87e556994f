// Why a document was refused: a code, and the unit where it happened. Line and column are worked out only when raising.
#pragma once

#include "base/config.h"

namespace ocior::grammar {

enum class Error : std::uint8_t {
    kNone,
    kPython,  // a Python exception is already set: a hook's, say
    kNoMemory,
    kExpectingValue,
    kExpectingPropertyName,
    kExpectingColon,
    kExpectingComma,
    kTrailingCommaInObject,  // position: the bracket behind it
    kTrailingCommaInArray,
    kUnterminatedString,  // position: the opening quote
    kControlCharacter,
    kInvalidEscape,         // position: the backslash
    kInvalidUnicodeEscape,  // position: the u
    kLoneSurrogate,         // position: of an escape, the backslash
    kEscapeAtEnd,           // the document ends with the four digits; position: the opening quote
    kNumberOutOfRange,  // of a double
    kIntegerOutOfRange,
    kDuplicateKey,  // position: the opening quote of the second one
    kExtraData,
    kInvalidUtf8,
    kTooDeepObject,
    kTooDeepArray,
};

}  // namespace ocior::grammar
