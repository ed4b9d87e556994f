#include "encode/types/rich.h"

#include <algorithm>

#include "encode/walk/walk.h"
#include "num/digits.h"
#include "num/write.h"
#include "py/decimal.h"
#include "py/numpy_array.h"
#include "py/taken_error.h"
#include "simd/decimal_write.h"

namespace ocior::encode {

bool is_derived(PyTypeObject* type, const Owned& base) noexcept {
    return base && PyType_Check(base.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(base.get()));
}

bool has_attribute(PyTypeObject* type, const char* name) noexcept {
    const Owned found = find_in_class(type, name);
    forget_error();
    return static_cast<bool>(found);
}

bool shares_attribute(PyTypeObject* type, const Owned& base, const char* name) noexcept {
    const Owned of_base = find_in_class(reinterpret_cast<PyTypeObject*>(base.get()), name);
    const bool is_same = of_base && find_in_class(type, name).get() == of_base.get();
    forget_error();
    return is_same;
}

namespace {

using Role = Handler::Role;

// The first error of a look at a type that is more than that something is not there. Owned.
thread_local PyObject* set_aside = nullptr;
thread_local int looks = 0;  // that have begun

// ---- values that are written as another value ----

// The text of str(value).
Owned replace_by_str(Call&, PyObject* value) noexcept { return Owned::steal(PyObject_Str(value)); }

Owned replace_by_null(Call&, PyObject*) noexcept { return Owned::borrow(Py_None); }

// (The items of a set come in an order that is another one in the next process: in canonical text they are for the default hook to order.)
Owned replace_by_list(Call& call, PyObject* value) noexcept {
    if (OCIOR_LIKELY(!call.options.is_canonical || !PyAnySet_Check(value))) return Owned::steal(PySequence_List(value));
    if (call.default_hook) return Owned::steal(PyObject_CallOneArg(call.default_hook, value));
    return refuse(call, call.options.dialect->unknown_type, value), Owned();
}

template <const char* const& method>
Owned replace_by_call(Call&, PyObject* value) noexcept {
    return call_method_of_class(value, method);
}
constexpr const char *kJsonMethod = "__json__", *kToListMethod = "tolist", *kPolarsListMethod = "to_list", *kPolarsDictsMethod = "to_dicts",
                     *kArrowListMethod = "to_pylist", *kArrowScalarMethod = "as_py";

Owned replace_by_records(Call&, PyObject* value) noexcept { return Owned::steal(PyObject_CallMethod(value, "to_dict", "s", "records")); }

Owned replace_mapping(Call&, PyObject* value) noexcept {
    Owned dict = Owned::steal(PyDict_New());
    if (!dict || PyDict_Update(dict.get(), value) < 0) return {};
    return dict;
}

// By the value that the class keeps for itself; a class that has another `value` says by that what is written.
Owned replace_enum(Call& call, PyObject* value) noexcept {
    if (call.rich & kEnumNames) return Owned::steal(PyObject_GetAttr(value, call.own.stored_name_name));
    return Owned::steal(PyObject_GetAttr(value, call.own.stored_value_name));
}
Owned replace_enum_by_property(Call& call, PyObject* value) noexcept { return Owned::steal(PyObject_GetAttr(value, call.own.value_name)); }

Owned replace_path(Call&, PyObject* value) noexcept {
    Owned path = Owned::steal(PyOS_FSPath(value));
    if (!path || PyUnicode_Check(path.get())) return path;
    return Owned::steal(PyUnicode_DecodeFSDefaultAndSize(PyBytes_AS_STRING(path.get()), PyBytes_GET_SIZE(path.get())));
}

Owned replace_pattern(Call&, PyObject* value) noexcept { return get_attribute(value, "pattern"); }

Owned replace_bytes(Call&, PyObject* value) noexcept {
    const Owned module = Owned::steal(PyImport_ImportModule("binascii"));
    const Owned encode = module ? get_attribute(module.get(), "b2a_base64") : Owned();
    const Owned keywords = encode ? Owned::steal(Py_BuildValue("{sO}", "newline", Py_False)) : Owned();
    if (!keywords) return {};
    // The bytes of a memoryview need not lie one behind the other.
    const bool has_gaps = PyMemoryView_Check(value) && !PyBuffer_IsContiguous(PyMemoryView_GET_BUFFER(value), 'C');
    const Owned bytes = has_gaps ? Owned::steal(PyBytes_FromObject(value)) : Owned::borrow(value);
    if (!bytes) return {};
    PyObject* const argument = bytes.get();
    const Owned encoded = Owned::steal(PyObject_VectorcallDict(encode.get(), &argument, 1, keywords.get()));
    if (!encoded) return {};
    if (!PyBytes_Check(encoded.get())) return PyErr_SetString(PyExc_TypeError, "b2a_base64() must return bytes"), Owned();
    return Owned::steal(PyUnicode_DecodeASCII(PyBytes_AS_STRING(encoded.get()), PyBytes_GET_SIZE(encoded.get()), nullptr));
}

Owned replace_exception(Call&, PyObject* value) noexcept {
    const Owned message = Owned::steal(PyObject_Str(value));
    const Owned type = get_attribute(reinterpret_cast<PyObject*>(Py_TYPE(value)), "__qualname__");
    return message && type ? Owned::steal(Py_BuildValue("{sOsO}", "type", type.get(), "message", message.get())) : Owned();
}

// ---- decimals ----

// Whether the text of a str is a number of JSON.
bool is_json_number(PyObject* str) noexcept {
    if (!PyUnicode_IS_ASCII(str)) return false;
    const auto *at = PyUnicode_1BYTE_DATA(str), *const end = at + PyUnicode_GET_LENGTH(str);
    const auto digits = [&] {
        const auto* const first = at;
        while (at != end && *at >= '0' && *at <= '9') ++at;
        return at != first;
    };
    if (at != end && *at == '-') ++at;
    if (at != end && *at == '0') ++at;
    else if (!digits()) return false;
    if (at != end && *at == '.' && (++at, !digits())) return false;
    if (at != end && (*at | 0x20) == 'e') {
        if (++at != end && (*at == '+' || *at == '-')) ++at;
        if (!digits()) return false;
    }
    return at == end;
}

// A decimal in canonical text, where all numbers are doubles: one whose value is the same, or an error. (It is pinned and held.)
std::uint8_t* write_canonical_decimal(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned number = Owned::steal(PyNumber_Float(value));
    if (!number) return nullptr;
    std::uint8_t* const end = json_handler_of(&PyFloat_Type).write(call, number.get(), to);
    if (!end) return nullptr;
    int is_same = 0;
    if (__builtin_isfinite(PyFloat_AS_DOUBLE(number.get()))) {
        const Owned text = Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<const char*>(to), end - to));
        const Owned decimal = loaded_or_error("decimal", "Decimal");
        const Owned twin = text && decimal ? Owned::steal(PyObject_CallOneArg(decimal.get(), text.get())) : Owned();
        is_same = twin ? PyObject_RichCompareBool(twin.get(), value, Py_EQ) : -1;
    }
    if (is_same == 0) PyErr_Format(PyExc_ValueError, "Decimal values that are no double are not canonical: %R", value);
    return is_same > 0 ? end : nullptr;
}

constexpr std::size_t kMostPointed = 15;  // digits, of put_with_point()

// The text of str() where more digits than one word holds are written, or more than kMostPointed behind the point. Null where it is too
// long.
OCIOR_NOINLINE std::uint8_t* put_long_decimal(std::uint8_t* to, const Decimals::Number& number) noexcept {
    constexpr std::uint64_t k1e9 = 1000000000;
    constexpr std::int64_t kMostRubbish = 1, kMostBeside = 4 + kMostRubbish;  // of both quotes, sign and point
    const std::int64_t places = -number.exponent, whole = number.digit_count - places;
    if (std::max(number.digit_count, places + 1) + kMostBeside > static_cast<std::int64_t>(kShortScalar)) return nullptr;
    *to = '-';
    to += number.is_negative;
    std::uint8_t* digits = to;
    if (whole <= 0) {
        std::memcpy(to, "0.000000", 8);
        digits += 2 - whole;
    } else if (places > 0) {
        ++digits;  // and those before the point go back
    }
    std::uint8_t* end = num::write_u64(digits, number.words[number.word_count - 1]);
    for (std::int64_t i = number.word_count - 1; i-- > 0;) {
        const std::uint64_t high = number.words[i] / k1e9, first = high / k1e9;
        *end = static_cast<std::uint8_t>('0' + first);
        end = num::detail::put_9(end + 1, static_cast<std::uint32_t>(high - first * k1e9));
        end = num::detail::put_9(end, static_cast<std::uint32_t>(number.words[i] - high * k1e9));
    }
    if (whole > 0 && places > 0) {
        std::memmove(to, digits, static_cast<std::size_t>(whole));
        to[whole] = '.';
    }
    return end;
}

// The text of str() where one word holds all digits, which are more than kMostPointed, and at most kMostPointed of them are behind the
// point. Others are left to put_long_decimal().
OCIOR_NOINLINE std::uint8_t* put_word_decimal(std::uint8_t* to, const Decimals::Number& number) noexcept {
    const auto places = static_cast<std::size_t>(-number.exponent);
    if (OCIOR_UNLIKELY(number.word_count != 1 || places > kMostPointed)) return put_long_decimal(to, number);
    const std::uint64_t digits = number.words[0], unit = num::detail::kPowersOf10.of[places], whole = digits / unit;
    *to = '-';
    to = num::write_u64(to + number.is_negative, whole);
    simd::put_with_point(to, digits - whole * unit, places, places);
    return to + 1 + places;
}

// The text of str(). Null where that has an exponent, or is too long.
std::uint8_t* put_decimal(std::uint8_t* to, const Decimals::Number& number) noexcept {
    constexpr std::int64_t kMostZeros = 5;  // behind the point; of more str() makes an exponent
    if (number.exponent > 0 || number.exponent + number.digit_count <= -1 - kMostZeros) return nullptr;
    const std::uint64_t digits = number.words[0];
    if (number.word_count == 1 && number.exponent == 0) {
        *to = '-';
        return num::write_u64(to + number.is_negative, digits);
    }
    const auto places = static_cast<std::size_t>(-number.exponent),
               count = std::max(static_cast<std::size_t>(number.digit_count), places + 1);
    if (OCIOR_UNLIKELY(count > kMostPointed)) return put_word_decimal(to, number);
    *to = '-';
    to += number.is_negative;
    simd::put_with_point(to, digits, count, places);
    return to + count + 1;
}

// The text of a decimal as decimal.Decimal shows it: a class derived from that may show itself in another way. Empty with an error set:
// a program may have put a class of its own in the place of decimal.Decimal, whose __str__ returns anything.
Owned text_of_decimal(PyObject* value) noexcept {
    const Owned base = loaded("decimal", "Decimal");
    if (!is_derived(Py_TYPE(value), base)) return Owned::steal(PyObject_Str(value));
    Owned text = Owned::steal(reinterpret_cast<PyTypeObject*>(base.get())->tp_str(value));
    if (!text || PyUnicode_Check(text.get())) return text;
    PyErr_Format(PyExc_TypeError, "__str__ returned non-string (type %.200s)", Py_TYPE(text.get())->tp_name);
    return {};
}

std::uint8_t* write_decimal(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    Owned text = text_of_decimal(value);
    if (!text) return nullptr;
    if (is_json_number(text.get())) {
        if (call.options.is_canonical) return write_canonical_decimal(call, value, to);
        call.extras().long_scalar = std::move(text);
        return nullptr;
    }
    // NaN, sNaN123, -Infinity: what a float of that value would be.
    const Owned number = Owned::steal(PyObject_CallMethod(value, "is_infinite", nullptr));
    const Owned is_negative = number ? Owned::steal(PyObject_CallMethod(value, "is_signed", nullptr)) : Owned();
    if (!is_negative) return nullptr;
    const double twin = number.get() != Py_True ? __builtin_nan("") : is_negative.get() == Py_True ? -__builtin_inf() : __builtin_inf();
    const char* const word = allowed_non_finite_text(call, value, twin);
    return word ? static_cast<std::uint8_t*>(std::memcpy(to, word, std::strlen(word))) + std::strlen(word) : nullptr;
}

// These two write a decimal by the digits that it is stored as. Null where the text has an exponent, whose letter the context of decimals
// chooses.
std::uint8_t* write_decimal_at_once(const Call& call, const FieldsPlan&, PyObject* value, std::uint8_t* to) noexcept {
    Decimals::Number number;
    if (OCIOR_UNLIKELY(call.options.is_canonical) || !call.own.decimals->read(value, number)) return nullptr;
    return put_decimal(to, number);
}
std::uint8_t* write_decimal_str_at_once(const Call& call, const FieldsPlan&, PyObject* value, std::uint8_t* to) noexcept {
    Decimals::Number number;
    std::uint8_t* const end = call.own.decimals->read(value, number) ? put_decimal(to + 1, number) : nullptr;
    if (OCIOR_UNLIKELY(!end)) return nullptr;
    *to = *end = '"';
    return end + 1;
}

// ---- ready JSON ----

// (A Fragment says only now that it cannot be written.)
Owned text_of_raw(Call& call, PyObject* value) noexcept {
    PyObject* const text = reinterpret_cast<RawObject*>(value)->text;
    const bool is_canonical = call.options.is_canonical;
    if (OCIOR_LIKELY(!is_canonical && text && (PyBytes_CheckExact(text) || PyUnicode_CheckExact(text)))) {
        if (PyUnicode_Check(text) && call.options.surrogates != Surrogates::kKept) return call.checked_text(text);
        const bool is_refused = PyUnicode_Check(text) && call.options.dialect->surrogate.text && has_surrogate(text);
        return is_refused ? (refuse(call, call.options.dialect->surrogate, text), Owned()) : Owned::borrow(text);
    }
    call.pin();  // a new exception may start a garbage collection
    if (is_canonical) PyErr_SetString(PyExc_ValueError, "ready JSON cannot be made canonical");
    else PyErr_Format(PyExc_TypeError, "%s's content is not of type bytes or str", Py_TYPE(value)->tp_name);
    return {};
}

// Mocks answer to every name, so that they would pass for many types, and are written as none.
Opened open_mock(Call& call, PyObject* value, std::size_t offset) noexcept {
    if (call.default_hook) return open_default(call, value, offset);
    const Owned hold = Owned::borrow(value);
    call.pin();
    PyErr_Format(PyExc_TypeError, "a mock has no form in JSON: write a value in the place of %R", value);
    return Opened::kFailed;
}

constexpr Handler kReadyJson{.role = Role::kJson, .replace = text_of_raw},
    kDecimal{.role = Role::kScalar,
             .write = write_decimal,
             .write_at_once = write_decimal_at_once,
             .write_run = write_run_of<write_decimal_at_once, 2 * kCacheLine>},
    kDecimalStr{.role = Role::kReplaced,
                .write_at_once = write_decimal_str_at_once,
                .write_run = write_run_of<write_decimal_str_at_once, 2 * kCacheLine>,
                .replace = replace_by_str},
    kStr{.role = Role::kReplaced, .replace = replace_by_str}, kNull{.role = Role::kReplaced, .replace = replace_by_null},
    kList{.role = Role::kReplaced, .replace = replace_by_list}, kMappingOfOthers{.role = Role::kReplaced, .replace = replace_mapping},
    kEnum{.role = Role::kReplaced, .replace = replace_enum}, kEnumByProperty{.role = Role::kReplaced, .replace = replace_enum_by_property},
    kPath{.role = Role::kReplaced, .replace = replace_path}, kPattern{.role = Role::kReplaced, .replace = replace_pattern},
    kBytes{.role = Role::kReplaced, .replace = replace_bytes}, kException{.role = Role::kReplaced, .replace = replace_exception},
    kJsonOfItsOwn{.role = Role::kReplaced, .replace = replace_by_call<kJsonMethod>},
    kToList{.role = Role::kReplaced, .replace = replace_by_call<kToListMethod>},
    kPolarsSeries{.role = Role::kReplaced, .replace = replace_by_call<kPolarsListMethod>},
    kPolarsFrame{.role = Role::kReplaced, .replace = replace_by_call<kPolarsDictsMethod>},
    kArrowList{.role = Role::kReplaced, .replace = replace_by_call<kArrowListMethod>},
    kArrowScalar{.role = Role::kReplaced, .replace = replace_by_call<kArrowScalarMethod>},
    kPandasFrame{.role = Role::kReplaced, .replace = replace_by_records}, kMock{.role = Role::kContainer, .open = open_mock};

// ---- the choice ----

// Classes that are known by the name of the module that they are in: a value of theirs can only be where that has been imported.
struct Known {
    const char* module;
    const char* name;
    const Handler* exactly;
    const Handler* derived;  // of classes derived from it; null: these are unknown
    std::uint32_t needs;     // flags, all of them
    const char* shown_by = nullptr;  // a derived class that has the same method of this name is written as the base
};
constexpr Known kTimes[] = {
    {"datetime", "datetime", &kDatetime, &kIsoformat, kRich, "isoformat"},
    {"datetime", "date", &kDate, &kIsoformat, kRich, "isoformat"},
    {"datetime", "time", &kTime, &kIsoformat, kRich, "isoformat"},
};
constexpr Known kOthers[] = {
    {"unittest.mock", "NonCallableMock", &kMock, &kMock, kCommon},
    {"pandas", "Timedelta", &kFineTimedelta, &kFineTimedelta, kCommon},
    {"datetime", "timedelta", &kTimedelta, &kTimedelta, kCommon},
    {"decimal", "Decimal", &kDecimalStr, &kStr, kCommon | kDecimalText},
    {"decimal", "Decimal", &kDecimal, &kDecimal, kCommon},
    {"ipaddress", "_IPAddressBase", &kStr, &kStr, kCommon},
    {"pydantic_core", "Url", &kStr, &kStr, kCommon},
    {"pydantic_core", "MultiHostUrl", &kStr, &kStr, kCommon},
    {"re", "Pattern", &kPattern, &kPattern, kCommon},
    {"collections", "deque", &kList, &kList, kCommon},
    {"collections", "UserString", &kStr, &kStr, kCommon},
    {"array", "array", &kArray, &kArray, kArrays | kCommon},
    {"numpy.ma", "MaskedArray", &kArray, &kArray, kArrays},
    {"numpy", "ndarray", &kNumpyArray, &kArray, kArrays},
    {"numpy", "datetime64", &kNumpyDatetime, &kNumpyDatetime, kArrays},
    {"numpy", "timedelta64", &kNumpyTimedelta, &kNumpyTimedelta, kArrays | kCommon},
    {"numpy", "bytes_", &kBytes, &kBytes, kArrays | kBase64},
    {"numpy", "generic", &kNumpyScalar, &kNumpyScalar, kArrays},
    {"pandas", "Series", &kToList, &kToList, kCommon},
    {"pandas", "Index", &kToList, &kToList, kCommon},
    {"pandas.api.extensions", "ExtensionArray", &kToList, &kToList, kCommon},
    {"pandas", "DataFrame", &kPandasFrame, &kPandasFrame, kCommon},
    {"polars", "Series", &kPolarsSeries, &kPolarsSeries, kCommon},
    {"polars", "DataFrame", &kPolarsFrame, &kPolarsFrame, kCommon},
    {"pyarrow", "Scalar", &kArrowScalar, &kArrowScalar, kCommon},
    {"pyarrow", "Array", &kArrowList, &kArrowList, kCommon},
    {"pyarrow", "ChunkedArray", &kArrowList, &kArrowList, kCommon},
    {"pyarrow", "Table", &kArrowList, &kArrowList, kCommon},
    {"pyarrow", "RecordBatch", &kArrowList, &kArrowList, kCommon},
};

// Whether it is one of numpy's own types for real numbers. Not those that numpy has for C's sake: longlong, longdouble.
bool is_numpy_number(PyTypeObject* type) noexcept {
    constexpr const char* kNames[] = {"bool_",  "int8",   "int16",  "int32",   "int64",   "uint8",
                                      "uint16", "uint32", "uint64", "float16", "float32", "float64"};
    const auto is = [type](const char* name) { return loaded("numpy", name).get() == reinterpret_cast<PyObject*>(type); };
    return std::any_of(std::begin(kNames), std::end(kNames), is);
}

const Handler* find_known(PyTypeObject* type, const Known* first, std::size_t count, std::uint32_t flags) noexcept {
    for (const Known* known = first; known != first + count; ++known) {
        if ((flags & known->needs) != known->needs) continue;
        const bool is_time = std::strcmp(known->module, "datetime") == 0;
        const Owned base = is_time ? stored_time_type(known->name) : loaded(known->module, known->name);
        if (base.get() == reinterpret_cast<PyObject*>(type)) {
            const bool has_ticks = known->exactly == &kNumpyDatetime || known->exactly == &kNumpyTimedelta;
            return has_ticks ? &numpy_ticks_handler_of(type, *known->exactly) : known->exactly;
        }
        if (!is_derived(type, base)) continue;
        // The types of numpy's scalars are derived from one that has no instances.
        if (known->derived == &kNumpyScalar)
            return (flags & kCommon) || is_numpy_number(type) ? &numpy_scalar_handler_of(type) : &kDefaultHook;
        if (!(flags & kCommon)) return nullptr;
        return known->shown_by && shares_attribute(type, base, known->shown_by) ? known->exactly : known->derived;
    }
    return nullptr;
}

const Handler* find_plain_array(PyTypeObject* type) noexcept {
    if (is_derived(type, loaded("numpy", "ndarray"))) return &kPlainArray;
    return is_numpy_number(type) ? &numpy_scalar_handler_of(type) : nullptr;
}

const Handler* find_enum(PyTypeObject* type, std::uint32_t flags) noexcept {
    const Owned base = loaded("enum", "Enum");
    if (!is_derived(type, base)) return nullptr;
    const bool is_usual = shares_attribute(type, base, "value");
    return is_usual || (flags & kEnumNames) ? &kEnum : &kEnumByProperty;
}

// The handler of a type that json writes, too, where the flags want it written in another way. Null where it is written as json does.
const Handler* find_other_way(PyTypeObject* type, std::uint32_t flags) noexcept {
    const bool is_own = type == &PyUnicode_Type || type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type ||
                        type == Py_TYPE(Py_None) || type == &PyList_Type || type == &PyTuple_Type || type == &PyDict_Type ||
                        type == layout::kFrozenDict;
    if (is_own) return nullptr;
    const bool is_base_stored = PyType_FastSubclass(
        type, Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS);
    if ((flags & kStored) && is_base_stored && !(flags & kPassSubclasses)) return nullptr;  // enums that are such, too
    if (flags & (kStored | kEnumNames))
        if (const Handler* const of_enum = find_enum(type, flags)) return of_enum;
    const bool is_tuple = PyType_FastSubclass(type, Py_TPFLAGS_TUPLE_SUBCLASS);
    if ((flags & kNamedTuples) && is_tuple && has_attribute(type, "_fields")) return &kNamedTuple;
    if (!(flags & kStored)) return nullptr;
    return (flags & kArrays) && is_numpy_number(type) ? &numpy_scalar_handler_of(type) : &kDefaultHook;
}

// Whether it is derived from the abstract class of that name, or counts as if it were.
bool is_registered(PyTypeObject* type, const char* name) noexcept {
    const Owned base = loaded("_collections_abc", name);
    const int is_subclass = base ? PyObject_IsSubclass(reinterpret_cast<PyObject*>(type), base.get()) : 0;
    forget_error();
    return is_subclass > 0;
}

const Handler* find_common(PyTypeObject* type, std::uint32_t flags) noexcept {
    if (type == &PySet_Type || type == &PyFrozenSet_Type || PyType_IsSubtype(type, &PySet_Type) ||
        PyType_IsSubtype(type, &PyFrozenSet_Type))
        return &kList;
    // (Those of an OrderedDict are derived from those of a dict.)
    if (PyType_IsSubtype(type, &PyDictKeys_Type) || PyType_IsSubtype(type, &PyDictValues_Type) ||
        PyType_IsSubtype(type, &PyDictItems_Type) || (type->tp_iter && is_derived(type, loaded("_collections_abc", "MappingView"))))
        return &kList;
    if (type == &PyDictProxy_Type) return &kMappingOfOthers;
    const bool is_bytes = PyType_FastSubclass(type, Py_TPFLAGS_BYTES_SUBCLASS) || PyType_IsSubtype(type, &PyByteArray_Type);
    if (is_bytes || type == &PyMemoryView_Type) {
        if (flags & kBase64) return &kBytes;
        return type == &PyMemoryView_Type && (flags & kArrays) ? &kArray : nullptr;
    }
    if (has_attribute(type, "__fspath__")) {
        // pathlib's gives str(path), which can be asked at once; a program may have put another one in its place.
        const Owned pure = loaded("pathlib", "PurePath");
        const bool is_usual = is_derived(type, pure) && shares_attribute(type, pure, "__fspath__");
        const Owned usual = is_usual ? get_attribute(pure.get(), "__fspath__") : Owned();
        const Owned module = usual ? get_attribute(usual.get(), "__module__") : Owned();
        const char* const name = module && PyUnicode_Check(module.get()) ? PyUnicode_AsUTF8(module.get()) : nullptr;
        forget_error();
        return name && std::strncmp(name, "pathlib", 7) == 0 ? &kStr : &kPath;
    }
    if ((flags & kExceptions) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(PyExc_BaseException))) return &kException;
    if (const Owned missing = loaded("pandas", "NA"); missing && Py_TYPE(missing.get()) == type) return &kNull;
    if (is_registered(type, "Mapping")) return &kMappingOfOthers;
    if (is_registered(type, "Sequence")) return &kList;  // a range, a UserList
    if ((flags & kIterables) && (type->tp_iter || has_attribute(type, "__getitem__"))) return &kList;
    return nullptr;
}

}  // namespace

// Whether the error that is set tells of more than that something is not there.
static bool is_error_serious() noexcept { return PyErr_ExceptionMatches(PyExc_MemoryError) || !PyErr_ExceptionMatches(PyExc_Exception); }

bool has_serious_error() noexcept {
    if (!PyErr_Occurred()) return false;
    if (is_error_serious()) return true;
    return PyErr_Clear(), false;
}

void forget_error() noexcept {
    if (!PyErr_Occurred()) return;
    if (looks == 0 || set_aside || !is_error_serious()) return PyErr_Clear();
    TakenError taken;
    PyObject* const error = taken.value();
    set_aside = new_ref(error ? error : PyExc_MemoryError);  // there may be no memory to make it
}

bool restore_error(PyObject* outer) noexcept {
    --looks;
    const Owned error = Owned::steal(std::exchange(set_aside, outer));
    if (error && !PyErr_Occurred())
        PyErr_SetObject(PyType_Check(error.get()) ? error.get() : reinterpret_cast<PyObject*>(Py_TYPE(error.get())), error.get());
    return !error;
}

PyObject* begin_look() noexcept {
    ++looks;
    return std::exchange(set_aside, nullptr);
}

const Handler kDefaultHook{.role = Role::kContainer, .open = open_default};

Owned loaded_or_error(const char* module, const char* name) noexcept {
    const Owned module_name = Owned::steal(PyUnicode_FromString(module));
    const Owned found = module_name ? Owned::steal(PyImport_GetModule(module_name.get())) : Owned();
    Owned attribute = found ? get_attribute(found.get(), name) : Owned();
    return has_serious_error() ? Owned() : std::move(attribute);
}
Owned loaded(const char* module, const char* name) noexcept {
    Owned attribute = loaded_or_error(module, name);
    forget_error();
    return attribute;
}

namespace {

// Whether instances are written by their fields; these are in the plan then.
bool find_fields(Call& call, PyTypeObject* type, FieldsPlan& plan) noexcept {
    if (call.rich & kPassDataclasses) return false;
    const bool is_by_dict = is_written_by_dict(type, call.rich);
    const Owned names = field_names_of(type, is_by_dict ? call.rich & ~kNoPrivateFields : call.rich);
    if (!names) forget_error();
    else if (is_by_dict) (void)plan.set_whole(call.constants.tricks, type, names.get(), call.rich);  // it can do without
    else (void)plan.set(call.constants.tricks, type, names.get());
    return static_cast<bool>(names);
}

const Handler& find_handler(Call& call, PyTypeObject* type, FieldsPlan& plan) noexcept {
    const std::uint32_t flags = call.rich;
    if (type == call.own.raw_type || type == call.own.fragment_type) return kReadyJson;
    if (flags & kByDialect) return call.options.dialect->handler_of(call, type);
    const Handler& of_json = json_handler_of(type);
    if ((flags & kPlainArrays) && &of_json == &kOther)
        if (const Handler* const plain = find_plain_array(type)) return *plain;
    if (!(flags & kRich)) return of_json;
    if (&of_json != &kOther) {
        const Handler* const other = find_other_way(type, flags);
        if (other == &kDefaultHook && find_fields(call, type, plan)) return kFields;
        return other ? *other : of_json;
    }
    if ((flags & kCommon) && has_attribute(type, "__json__")) return kJsonOfItsOwn;
    if (const Owned missing = loaded("pandas", "NaT"); (flags & kCommon) && missing && Py_TYPE(missing.get()) == type) return kNull;
    if (const Handler* const time = find_known(type, kTimes, std::size(kTimes), flags))
        return (flags & kPassDatetimes) ? kDefaultHook : *time;
    if (const Owned uuid = loaded("uuid", "UUID"); is_derived(type, uuid)) {
        if (uuid.get() == reinterpret_cast<PyObject*>(type)) return kUuid;
        return (flags & kCommon) ? kStr : kDefaultHook;
    }
    if (const Handler* const of_enum = find_enum(type, flags)) return *of_enum;
    if (flags & kCommon)
        if (const Handler* const model = find_model(type)) return *model;
    if ((flags & kCommon) && is_special_struct(type)) return kStruct;
    if (find_fields(call, type, plan)) return kFields;
    if (const Handler* const known = find_known(type, kOthers, std::size(kOthers), flags)) return *known;
    if (flags & kCommon)
        if (const Handler* const common = find_common(type, flags)) return *common;
    return kDefaultHook;
}

}  // namespace

const Handler& rich_handler_of(Call& call, PyTypeObject* type, FieldsPlan& plan) noexcept {
    const Handler& handler = stored_handler_of(call, type, find_handler(call, type, plan));
    const Tricks& tricks = call.constants.tricks;
    const OwnTypes& own = call.own;
    // What is found there when a value is written at once.
    if (&handler == &kUuid) (void)plan.set_one(tricks, type, own.int_name);
    if (&handler == &kEnum) (void)plan.set_one(tricks, type, call.rich & kEnumNames ? own.stored_name_name : own.stored_value_name);
    if (&handler == &kNumpyArray) (void)own.numpy_arrays->knows(tricks, type);
    if (&handler == &kDecimal || &handler == &kDecimalStr) (void)own.decimals->knows(tricks, reinterpret_cast<PyObject*>(type));
    return handler;
}

Opened open_replaced(Call& call, const Handler& handler, PyObject* value, std::size_t offset) noexcept {
    if (const FieldsPlan* const plan = call.context.types.plan_of(Py_TYPE(value)); plan && *plan) {
        if (PyObject* const known = call.value_of_instance(*plan, value); known && is_plain_scalar(known))
            return call.extras().replacement = Owned::borrow(known), Opened::kScalar;
    }
    const Owned hold = Owned::borrow(value);
    call.pin();
    Owned made = Owned::steal(
        call_back(call.context.may_be_nested, " while encoding a JSON object", [&] { return handler.replace(call, value).release(); }));
    if (!made) return Opened::kFailed;
    if (is_plain_scalar(made.get())) {
        call.extras().replacement = std::move(made);
        return Opened::kScalar;
    }
    return call.open_made(value, FrameKind::kSingle, offset, [&] { return made.release(); }) ? Opened::kInPlace : Opened::kFailed;
}

}  // namespace ocior::encode
