// What is accepted beyond the grammar, and how mistakes in a document are told: what json's versions do differently, as one value. Another
// library's name brings another. What each call may choose is in options.h.
#pragma once

#include "decode/messages.h"

namespace ocior::decode {

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
    // Gives the messages of another library; null where they are json's.
    MessageOf* message_of = nullptr;
    // The error is made of one str, which ends with the place; else of message, document and place, as json's.
    bool tells_place_in_message = false;
    // Places in bytes are counted in bytes; else in code points.
    bool counts_bytes = false;
    // Bytes are decoded first: where the end of a long document is no UTF-8, that is said before anything is read. What a hook raises is
    // told as json tells it, after the document has been decoded: a StopIteration says that there is no value. Else it passes as it is.
    bool decodes_first = true;
    // A document that is refused is read again by ujson's reader, which takes more, or says in ujson's words why not.
    bool is_lenient = false;

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

// orjson reads what RFC 8259 has and no more. (A str that holds a surrogate is refused before it is read.)
inline constexpr Dialect kOrjson = {.names_trailing_commas = false,
                                    .names_byte_order_mark = false,
                                    .asks_json_of_escape_at_end = false,
                                    .keeps_surrogates_of_str = true,
                                    .takes_utf8_only = true,
                                    .message_of = orjson_message_of};

// ssrjson reads NaN and infinities, too.
inline constexpr Dialect kSsrjson = {.names_trailing_commas = true,
                                     .names_byte_order_mark = false,
                                     .asks_json_of_escape_at_end = false,
                                     .keeps_surrogates_of_str = true,
                                     .takes_words_in_any_case = true,
                                     .takes_utf8_only = true,
                                     .message_of = ssrjson_message_of,
                                     .tells_place_in_message = true,
                                     .counts_bytes = true,
                                     .decodes_first = false};

// ujson reads more than json does, and that is left to a reader of its own (lenient.h).
inline constexpr Dialect kUjson = {.names_trailing_commas = false,
                                   .names_byte_order_mark = false,
                                   .asks_json_of_escape_at_end = false,
                                   .takes_utf8_only = true,
                                   .decodes_first = false,
                                   .is_lenient = true};

}  // namespace ocior::decode
