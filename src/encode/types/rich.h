// Types beyond json's own, which the default hook ocior.Default stands for: the core knows it, and calls no Python code for it.
#pragma once

#include "encode/policies.h"
#include "encode/types/table.h"
#include "text/extra_escapes.h"

namespace ocior {
class Decimals;
class NumpyArrays;
}  // namespace ocior

namespace ocior::encode {

// What is written, and how. Calls with the same flags have the same handlers.
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
    kByDialect = 1 << 20,     // values and keys as the functions of the dialect take them; goes with kStored. Only one dialect has any
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

// The flags of an ocior.Default without keywords.
inline constexpr std::uint32_t kUsualDefault = kRich | kCommon | kArrays;

// The escapes that these flags ask for, as text::ExtraEscapes has them.
constexpr unsigned extra_escapes_of(std::uint32_t flags) noexcept { return (flags & kExtraEscapes) / kEscapedSlashes; }
static_assert(extra_escapes_of(kExtraEscapes) == (text::kSlashes | text::kMarkup | text::kLineEnds | text::kPlainDelete));
static_assert(extra_escapes_of(kEscapedMarkup) == text::kMarkup);

// An ocior.Default.
struct DefaultObject {
    PyObject_HEAD std::uint32_t flags;
    bool has_policies;  // other ones than those of no Default at all
    Policies policies;
    vectorcallfunc call;
    PyObject* fallback;  // owned: a hook for all other types, or null
    PyObject* module;    // owned
};

// Ready JSON: an ocior.Raw.
struct RawObject {
    PyObject_HEAD PyObject* text;  // owned: exactly a str, or exactly bytes
};

// What the module owns for all this.
struct OwnTypes {
    Decimals* decimals = nullptr;  // the module's
    NumpyArrays* numpy_arrays = nullptr;
    // What a str or bytes of JSON stands for; null with an error set. `unique_keys`: two equal keys of one object are an error.
    PyObject* (*read_json)(void* module_state, PyObject* text, bool unique_keys) noexcept = nullptr;
    void* module_state = nullptr;
    PyTypeObject* default_type = nullptr;  // of these two structs
    PyTypeObject* raw_type = nullptr;
    PyTypeObject* fragment_type = nullptr;  // of RawObject, too: another library's name for it
    PyObject* array_view_type = nullptr;
    // These names are interned.
    PyObject *int_name = nullptr, *value_name = nullptr, *stored_value_name = nullptr, *stored_name_name = nullptr,
             *utcoffset_name = nullptr, *array_struct_name = nullptr, *to_dict_name = nullptr, *json_method_name = nullptr,
             *items_name = nullptr, *getattribute_name = nullptr, *serializer_name = nullptr, *to_json_name = nullptr,
             *fallback_name = nullptr, *by_alias_name = nullptr, *dtype_name = nullptr, *itemsize_name = nullptr, *shape_name = nullptr,
             *strides_name = nullptr;

    // The names stay: at shutdown a finalizer may still encode.
    void clear() noexcept {
        Py_CLEAR(default_type);
        Py_CLEAR(raw_type);
        Py_CLEAR(fragment_type);
        Py_CLEAR(array_view_type);
    }
};

// The handler of any type, and how the fields of its instances are read.
const Handler& rich_handler_of(Call& call, PyTypeObject* type, FieldsPlan& plan) noexcept;

// Opens what a handler of role kReplaced gives.
Opened open_replaced(Call& call, const Handler& handler, PyObject* value, std::size_t offset) noexcept;

// The attribute `name` of the module `module` if that has been imported; else empty. An error is forgotten, or left where it is serious.
Owned loaded(const char* module, const char* name) noexcept;
Owned loaded_or_error(const char* module, const char* name) noexcept;

// So many seconds and nanoseconds as a duration of ISO 8601, "P1DT2H3M4.5S": the parts that are not zero; "PT0S". Up to 24 bytes and the
// digits of the days.
std::uint8_t* write_duration(const Call& call, bool is_negative, uint128 seconds, std::uint32_t nanoseconds, std::uint8_t* to) noexcept;

// The class of that name of the datetime module that is written in C, whose objects have the layout that is read here: whatever a program,
// or a test, has put into its place in the module. Empty where there is none, or only that in Python.
Owned stored_time_type(const char* name) noexcept;

// Clears the error, if one is set. In a look at a type, a serious error is set aside: one that tells of more than that something is not
// there, such as a MemoryError or a KeyboardInterrupt. Looks may be nested: begin_look() gives what was set aside before, restore_error()
// puts that back and sets what has been set aside since; false where that is an error.
void forget_error() noexcept;
// Whether a serious error is set, for use where no look at a type has begun. Any other error is cleared.
[[nodiscard]] bool has_serious_error() noexcept;
PyObject* begin_look() noexcept;
[[nodiscard]] bool restore_error(PyObject* outer) noexcept;

// Whether the class is derived from `base`, which may be empty or no class.
bool is_derived(PyTypeObject* type, const Owned& base) noexcept;
// Whether its instances have an attribute of their class by that name.
bool has_attribute(PyTypeObject* type, const char* name) noexcept;
// Whether it has, by that name, what `base`, from which it is derived, has.
bool shares_attribute(PyTypeObject* type, const Owned& base, const char* name) noexcept;

// True, false, null, or of exactly the type str, int or float.
inline bool is_plain_scalar(PyObject* value) noexcept {
    return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) || value == Py_None || PyBool_Check(value);
}

// The handler of a class derived from numpy.generic.
const Handler& numpy_scalar_handler_of(PyTypeObject* type) noexcept;
// The handler of numpy.datetime64 or timedelta64, whose `usual` handler asks numpy for each value.
const Handler& numpy_ticks_handler_of(PyTypeObject* type, const Handler& usual) noexcept;

// Whether a field of this name, a str, is left out for the underscore that it begins with.
inline bool is_left_out_as_private(PyObject* name, std::uint32_t flags) noexcept {
    return (flags & kNoPrivateFields) && PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) == '_';
}

// Whether instances of a class derived from msgspec.Struct are written by kStruct, and not as objects of their fields. An error is cleared.
bool is_special_struct(PyTypeObject* type) noexcept;

// The handler of a class of pydantic that says by a serializer how it becomes JSON; null for any other class.
const Handler* find_model(PyTypeObject* type) noexcept;

// The handler of what is left to the default hook.
extern const Handler kDefaultHook;

// The families of rich types, a file each.
extern const Handler kDatetime, kDate, kTime, kTimedelta, kFineTimedelta, kIsoformat, kUuid, kArray, kNumpyArray, kPlainArray, kNumpyScalar,
    kNumpyDatetime, kNumpyTimedelta, kFields, kNamedTuple, kStruct;

}  // namespace ocior::encode
