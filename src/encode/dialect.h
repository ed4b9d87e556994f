// What a function that encodes does where JSON's grammar leaves it free and no keyword chooses: how containers are read, how deep they may
// be nested, what an error tells. It is one constant for all calls of the function; Options, which hold what keywords choose, point to it.
//
// Another dialect is another constant like those at the end. The defaults of an EncodeFunction (module/encode_settings.h) point to it.
// What users choose by an ocior.Default is Policies (policies.h), which go into the Options of one call. A new policy would go to one of
// these places:
//   a value written as another one       an enum beside NonFiniteNumbers (base/policies.h), a member of Options, and a look at it where
//                                        such values are written: write_int(), write_float() (types/json.cpp), Writer::put_item(),
//                                        Writer::put_any_string()
//   a look at each item or string        Options::asks_about_values(): such calls take the walk whose text between values is not known at
//                                        compile time, and all others stay as they are
//   other characters escaped             another bit of text::ExtraEscapes, which a second pass over the text puts
//   an exception class of our own        Refusal::error, which only refuse() looks at
#pragma once

#include <atomic>

#include "base/policies.h"
#include "py/ref.h"

namespace ocior::encode {

struct Call;
class Fields;
struct Plan;
struct KeyText;

// JavaScript's names of NaN and the infinities, or null of JSON. A null pointer where they are refused.
inline const char* non_finite_text(NonFiniteNumbers policy, double number) noexcept {
    if (policy == NonFiniteNumbers::kError) return nullptr;
    if (policy == NonFiniteNumbers::kNull) return "null";
    return number > 0 ? "Infinity" : number < 0 ? "-Infinity" : "NaN";
}

// How containers are read where that runs Python code.
enum class Reading : std::uint8_t {
    kAtOnce,    // An object of a class derived from list, tuple or dict is asked for all its items before the first is written.
    kOneByOne,  // It is asked for its truth, then for one item after the other. What a value claims to be by its __class__ is believed. A
                // dict whose size has changed between two of its items is an error.
};

// What the notes on an error, which tell where in the value it occurred, look like.
enum class NoteStyle : std::uint8_t {
    kInC,  // Since 3.13 a class is named with its module. A note is added by the method of BaseException.
    kNone,
    kInPython,  // A class is named without it. A key is shown as the text it becomes. A note is added by the exception's own method.
};

// The classes of errors that a dialect raises, by number: where the interpreter is another library, as on Windows, the address of a class
// is no constant.
enum class ErrorClass : std::uint8_t { kType, kValue, kOverflow, kRecursion };

// An error that the encoder raises.
struct Refusal {
    enum class Shown : std::uint8_t { kNothing, kRepr, kClassName, kTypeName };

    ErrorClass error;
    const char* text;  // for PyErr_Format
    Shown shown = Shown::kNothing;  // what the text contains of the refused value: %R, %S or %s
};

// Integers beyond these are BigIntegers, which JSON's readers elsewhere may not hold.
enum class IntegerRange : std::uint8_t {
    kAny,
    k64Bits,  // from -2^63 to 2^64 - 1
    k53Bits,  // what a double holds, from -2^53 + 1 to 2^53 - 1
};
constexpr bool is_within_53_bits(std::int64_t number) noexcept { return number > -(1ll << 53) && number < 1ll << 53; }
constexpr bool is_within_53_bits(std::uint64_t number) noexcept { return number < 1ull << 53; }

struct Dialect {
    Reading reading;  // for walk()
    NoteStyle notes;  // for finish_error()
    std::size_t max_depth;  // of containers and of what default hooks return, for Call::may_open()
    Refusal too_deep, circular;  // for Call::may_open()
    Refusal unknown_type;  // of a value without a default hook, for Call::open_default()
    Refusal unknown_key;  // for read_key()
    Refusal non_finite;  // for allowed_non_finite_text()
    Refusal wide_integer;  // for write_int()
    Refusal duplicate_key;  // where keys have to be unique
    Refusal low_integer = {};  // of those below zero, where that is told apart
    Refusal huge_integer = {};  // of those that 64 bits do not hold, where that is told apart
    Refusal wide_key = {};  // for write_int_key(), where keys have a range of their own, of 64 bits
    Refusal surrogate = {};  // for raise_surrogate(); without a text: UnicodeEncodeError
    Refusal too_deep_hook = {};  // of what a default hook returns, where that is told apart
    bool asks_encoder_class = true;  // where no default hook is given: its default(), which a program may have replaced
    bool chains_hook_errors = false;  // an error in a default hook is the cause of unknown_type
    bool rounds_offsets = true;  // an offset from UTC that is no whole minute is written as the nearest one, else refused
    // These give the plan of any type, and the text of a key, as rich_plan_of() and read_key() do. They are asked in their place where
    // RichFlags::kByDialect is set.
    const Plan& (*plan_of)(Call& call, PyTypeObject* type, Fields& fields) noexcept = nullptr;
    KeyText (*read_key)(Call& call, PyObject* key, std::uint8_t* to) noexcept = nullptr;
    const Dialect* in_lines = nullptr;  // the dialect to be used instead where each value has a line of its own, or null
    const Dialect* in_pieces = nullptr;  // where the text is handed over in pieces; both are for Options::settle()
};

// Sets the error. Python code may run: frames are pinned, and `value` is held.
void refuse(Call& call, const Refusal& refusal, PyObject* value) noexcept;

// non_finite_text() for `value`; null with an error set where it is refused.
const char* allowed_non_finite_text(Call& call, PyObject* value, double number) noexcept;

// The JSON text with all characters escaped that are not ASCII, which stand in strings only. Empty with an error set.
Owned escape_json(PyObject* text) noexcept;

// What json is like in this interpreter.
struct InstalledJson {
    bool lines_in_empty_dicts = false;  // whether it starts lines in a dict none of whose keys is written
    PyObject* unpatched_default = nullptr;  // JSONEncoder.default as it was at import, owned
    // An encoder of ours with default settings: a program may have replaced default() of its class. The module's state keeps it alive.
    std::atomic<PyObject*> default_encoder = nullptr;
};

// json's encoder that is written in Python.
inline constexpr Dialect kJsonInPython = {
    .reading = Reading::kOneByOne,
    .notes = NoteStyle::kInPython,
    .max_depth = kMaxDepth,
    .too_deep = {ErrorClass::kRecursion, "maximum recursion depth exceeded while encoding a JSON object"},
    .circular = {ErrorClass::kValue, "Circular reference detected"},
    .unknown_type = {ErrorClass::kType, "Object of type %S is not JSON serializable", Refusal::Shown::kClassName},
    .unknown_key = {ErrorClass::kType, "keys must be str, int, float, bool or None, not %S", Refusal::Shown::kClassName},
    .non_finite = {ErrorClass::kValue, "Out of range float values are not JSON compliant: %R", Refusal::Shown::kRepr},
    .wide_integer = {ErrorClass::kValue, "Out of range integer values are refused: %R", Refusal::Shown::kRepr},
    .duplicate_key = {ErrorClass::kValue, "Duplicate key: %R", Refusal::Shown::kRepr},
};

// json's encoder that is written in C. It makes a text as a whole only, and could not start lines before 3.13.
inline constexpr Dialect kJsonInC = [] {
    Dialect dialect = kJsonInPython;
    dialect.reading = Reading::kAtOnce;
    dialect.notes = NoteStyle::kInC;
    dialect.unknown_key = {ErrorClass::kType, "keys must be str, int, float, bool or None, not %.100s", Refusal::Shown::kTypeName};
    if (PY_VERSION_HEX < 0x030C0000) dialect.non_finite = {ErrorClass::kValue, "Out of range float values are not JSON compliant"};
    if (PY_VERSION_HEX < 0x030D0000) dialect.in_lines = &kJsonInPython;
    dialect.in_pieces = &kJsonInPython;
    return dialect;
}();

}  // namespace ocior::encode
