// What is accepted beyond the grammar, and how mistakes in a document are told: what json's versions do differently, as one value. Another
// library's name brings another. What each call may choose is in options.h.
#pragma once

#include "grammar/error.h"
#include "py/ref.h"

namespace ocior::decode {

using namespace grammar;

struct Context;
struct Options;
struct State;

// A document that has been refused.
struct Refused {
    State& state;
    Context& context;
    const Options& options;
    Error error;  // kPython: an exception is set, which may have nothing to do with the document
    std::size_t offset;  // the unit to blame
    const void* data;  // the document's units, those of `document` if it is a str
    std::size_t length;
    PyObject* document;  // null where it is bytes
    // Reads it again, by other options.
    PyObject* (*read_again)(const Refused& refused, const Options& options) noexcept;
};

struct Dialect {
    // Whether the error for a trailing comma names it, and stands at the comma; else the error says what is missing, at the bracket behind
    // it.
    bool names_trailing_commas;
    // Whether the error for a byte order mark at the beginning of a str names it; else the error says that there is no value.
    bool names_byte_order_mark;
    // Whether a text that ends with the digits of \uXXXX is told as the running json tells it, whose patch releases differ: as an invalid
    // escape, or as a string without an end. Else it is always the latter.
    bool asks_json_of_escape_at_end;
    // Surrogates that a str holds itself are kept, whatever becomes of others without a pair.
    bool keeps_surrogates_of_str = false;
    // NaN and Infinity may be written in letters of any case, and NaN may have a sign.
    bool takes_words_in_any_case = false;
    // Bytes are UTF-8 without a mark before it; UTF-16 and UTF-32 are not looked for.
    bool takes_utf8_only = false;
    // Bytes are decoded first: where the end of a long document is no UTF-8, that is said before anything is read.
    bool decodes_first = true;
    // Gives what becomes of a document that is refused, for any other reason than a lack of memory: a value all the same, or null with an
    // exception set. Null where json's exceptions are raised.
    PyObject* (*refuse)(const Refused& refused) noexcept = nullptr;

    Error told(Error error) const noexcept {
        if (names_trailing_commas) return error;
        if (error == Error::kTrailingCommaInArray) return Error::kExpectingValue;
        return error == Error::kTrailingCommaInObject ? Error::kExpectingPropertyName : error;
    }
};

// `python_version`: as PY_VERSION_HEX.
constexpr Dialect json_dialect(unsigned python_version) noexcept {
    return {.names_trailing_commas = python_version >= 0x030D0000, .names_byte_order_mark = true, .asks_json_of_escape_at_end = true};
}

}  // namespace ocior::decode
