// The keywords of loads, compiled: a null hook means json's own behaviour, and so does the first value of each policy.
#pragma once

#include "base/policies.h"
#include "decode/dialect.h"
#include "grammar/call.h"
#include "py/decimal.h"

namespace ocior::decode {

using namespace grammar;

inline constexpr Dialect kJson = json_dialect(PY_VERSION_HEX);

// Which value counts where an object has a key more than once.
enum class DuplicateKeys : std::uint8_t { kLast, kFirst, kError };

// Whether a reading looks at the hooks and checks among its options. There is a parser of its own for readings that do not, so that
// documents for which nothing is asked pay nothing.
enum class Asked : std::uint8_t { kNothing, kAnything };

struct Context;
struct Scanned;

// Who reads values in the place of PyBuilder: `document`, a Document of the source of this index, from the unit `index` on.
using ReadValueOf = Scanned (*)(void* reading, Context& context, void* document, std::size_t index) noexcept;
struct OtherReader {
    void* reading;
    const ReadValueOf* of_source;
};

struct Options {
    PyObject* object_hook = nullptr;  // borrowed, all of them
    PyObject* object_pairs_hook = nullptr;
    PyObject* array_hook = nullptr;
    PyObject* parse_float = nullptr;
    PyObject* parse_int = nullptr;
    PyObject* parse_constant = nullptr;
    bool strict = true;
    // Whether something other than hooks is asked for that is looked at as these are. settle() finds out.
    bool has_checks = false;
    DuplicateKeys duplicate_keys = DuplicateKeys::kLast;
    NonFiniteNumbers non_finite = NonFiniteNumbers::kConstant;
    BigIntegers big_integers = BigIntegers::kExact;
    Surrogates surrogates = Surrogates::kKeep;
    const Dialect* dialect = &kJson;
    std::size_t max_depth = kMaxDepth;
    // The least magnitude of a big integer. Where it is none of 64 bits, big are integers that 64 bits don't hold, with a sign or without.
    static constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};
    std::uint64_t first_big_integer = kNoLimit;

    // Numbers with a fraction or an exponent are made by these, in the place of the hook parse_float.
    const Decimals* decimals = nullptr;

    const OtherReader* other_reader = nullptr;  // which has_checks goes with

    // Whether Python code is called.
    bool has_hooks() const noexcept { return object_hook || object_pairs_hook || array_hook || parse_float || parse_int || parse_constant; }

    // What is left calls no Python code.
    void drop_hooks() noexcept { object_hook = object_pairs_hook = array_hook = parse_float = parse_int = parse_constant = nullptr; }

    // To be called when hooks and policies are set. What needs no call is no hook any more.
    void settle(const Tricks& tricks, Decimals& known_decimals) noexcept {
        if (parse_float && known_decimals.knows(tricks, parse_float)) {
            decimals = &known_decimals;
            parse_float = nullptr;
        }
        if (parse_int == reinterpret_cast<PyObject*>(&PyFloat_Type)) {
            parse_int = nullptr;
            big_integers = BigIntegers::kFloat;
            first_big_integer = 0;
        }
        if (big_integers == BigIntegers::kExact) first_big_integer = kNoLimit;
        has_checks = duplicate_keys != DuplicateKeys::kLast || surrogates != Surrogates::kKeep || first_big_integer != kNoLimit ||
                     decimals != nullptr;
    }
};

}  // namespace ocior::decode
