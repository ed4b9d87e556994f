// How mistakes in a document are told: what json's versions do differently, as one value. Another library's name would bring another.
#pragma once

#include "decode/error.h"

namespace ocior::decode {

struct Dialect {
    // A trailing comma by that name, at the comma; else what is missing, at the bracket behind it.
    bool names_trailing_commas;
    // A byte order mark that a str begins with by that name; else there is no value.
    bool names_byte_order_mark;
    // A text that ends with the digits of \uXXXX: an invalid escape, or a string without an end, as the running json has it, whose patch
    // releases differ; else always the latter.
    bool asks_json_of_escape_at_end;

    Error told(Error error) const noexcept {
        if (names_trailing_commas) return error;
        if (error == Error::kTrailingCommaInArray) return Error::kExpectingValue;
        return error == Error::kTrailingCommaInObject ? Error::kExpectingPropertyName : error;
    }
};

// `python_version`: as PY_VERSION_HEX.
constexpr Dialect json_dialect(unsigned python_version) noexcept { return {python_version >= 0x030D0000, true, true}; }

}  // namespace ocior::decode
