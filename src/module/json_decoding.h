// What the decoding side takes from the json package: its classes and functions, which do what is left to them. They are looked up once, at
// import, because a program may put ocior in json's place.
#pragma once

#include "module/arguments.h"
#include "module/policies.h"

namespace ocior::module {

inline constexpr bool kJsonHasArrayHook = PY_VERSION_HEX >= 0x030F0000;

// The attributes of a decoder, in the order in which json's __init__ sets them. Those before kDecoderParseObject are also its keywords.
enum DecoderName : std::size_t {
    kDecoderObjectHook,
    kDecoderParseFloat,
    kDecoderParseInt,
    kDecoderParseConstant,
    kDecoderStrict,
    kDecoderObjectPairsHook,
    kDecoderArrayHook,
    kDecoderPolicies,  // the first of them; they are not json's
    kDecoderParseObject = kDecoderPolicies + kPolicyCount,
    kDecoderParseArray,
    kDecoderParseString,
    kDecoderMemo,
    kDecoderPoliciesKept,
    kDecoderScanOnce,
    kDecoderDecode,
    kDecoderRawDecode,
    kDecoderRead,  // methods that are called by name
    kDecoderNameCount,
    kDecoderKeywordCount = kDecoderParseObject,
};
inline constexpr const char* kDecoderNames[] = {"object_hook",       "parse_float", "parse_int",       "parse_constant", "strict",
                                                "object_pairs_hook", "array_hook",  "duplicate_keys",  "non_finite",     "big_integers",
                                                "integer_bits",      "surrogates",  "max_depth",       "parse_object",   "parse_array",
                                                "parse_string",      "memo",        "decode_policies", "scan_once",      "decode",
                                                "raw_decode",        "read"};
static_assert(std::size(kDecoderNames) == kDecoderNameCount);

struct JsonDecoding {
    Names<kDecoderNameCount> names;
    PyObject* load = nullptr;  // json.load
    PyObject* loads = nullptr;  // json.loads
    PyObject* decoder_type = nullptr;  // json.JSONDecoder, and three functions of it
    PyObject* decoder_init = nullptr;
    PyObject* decode = nullptr;
    PyObject* raw_decode = nullptr;
    PyObject* parse_object = nullptr;  // json.decoder.JSONObject and JSONArray
    PyObject* parse_array = nullptr;
    PyObject* default_constant = nullptr;  // the parse_constant of a decoder that is given none
    PyObject* scanner_type = nullptr;  // _json.Scanner, or None
    // These are ours, not json's.
    PyTypeObject* own_scanner_type = nullptr;
    PyTypeObject* own_decoder_type = nullptr;
    PyObject* own_scanstring = nullptr;

    // `decoder_module` is json.decoder. False with an error set.
    [[nodiscard]] bool create(PyObject* decoder_module) noexcept;

    template <typename Act>
    int for_each(Act&& act) noexcept {
        for (PyObject** object : {&load, &loads, &decoder_type, &decoder_init, &decode, &raw_decode, &parse_object, &parse_array,
                                  &default_constant, &scanner_type, reinterpret_cast<PyObject**>(&own_scanner_type),
                                  reinterpret_cast<PyObject**>(&own_decoder_type), &own_scanstring})
            if (const int result = act(*object)) return result;
        return 0;
    }
    void clear() noexcept {
        for_each([](PyObject*& object) {
            Py_CLEAR(object);
            return 0;
        });
    }
};

}  // namespace ocior::module
