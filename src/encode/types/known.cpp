// Which plan a type beyond json's own has, and what is written in the place of most such values.
#include <algorithm>

#include "encode/types/fields.h"
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "py/decimal.h"
#include "py/numpy_array.h"

namespace ocior::encode {
namespace {

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

// ---- ready JSON ----

// (A Fragment says only now that it cannot be written.)
Owned text_of_raw(Call& call, PyObject* value) noexcept {
    PyObject* const text = reinterpret_cast<RawObject*>(value)->text;
    const bool is_canonical = call.options.is_canonical;
    if (OCIOR_LIKELY(!is_canonical && text && (PyBytes_CheckExact(text) || PyUnicode_CheckExact(text)))) {
        if (PyUnicode_Check(text) && call.options.surrogates != Surrogates::kKeep) return call.checked_text(text);
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

constexpr Plan kReadyJson{.role = Role::kJson, .replace = text_of_raw}, kStr{.role = Role::kReplaced, .replace = replace_by_str},
    kNull{.role = Role::kReplaced, .replace = replace_by_null}, kList{.role = Role::kReplaced, .replace = replace_by_list},
    kMappingOfOthers{.role = Role::kReplaced, .replace = replace_mapping}, kEnum{.role = Role::kReplaced, .replace = replace_enum},
    kEnumByProperty{.role = Role::kReplaced, .replace = replace_enum_by_property}, kPath{.role = Role::kReplaced, .replace = replace_path},
    kPattern{.role = Role::kReplaced, .replace = replace_pattern}, kBytes{.role = Role::kReplaced, .replace = replace_bytes},
    kException{.role = Role::kReplaced, .replace = replace_exception},
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
    const Plan* exactly;
    const Plan* derived;  // of classes derived from it; null: these are unknown
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

const Plan* find_known(PyTypeObject* type, const Known* first, std::size_t count, std::uint32_t flags) noexcept {
    for (const Known* known = first; known != first + count; ++known) {
        if ((flags & known->needs) != known->needs) continue;
        const bool is_time = std::strcmp(known->module, "datetime") == 0;
        const Owned base = is_time ? stored_time_type(known->name) : loaded(known->module, known->name);
        if (base.get() == reinterpret_cast<PyObject*>(type)) {
            const bool has_ticks = known->exactly == &kNumpyDatetime || known->exactly == &kNumpyTimedelta;
            return has_ticks ? &numpy_ticks_plan_of(type, *known->exactly) : known->exactly;
        }
        if (!is_derived(type, base)) continue;
        // The types of numpy's scalars are derived from one that has no instances.
        if (known->derived == &kNumpyScalar)
            return (flags & kCommon) || is_numpy_number(type) ? &numpy_scalar_plan_of(type) : &kDefaultHook;
        if (!(flags & kCommon)) return nullptr;
        return known->shown_by && shares_attribute(type, base, known->shown_by) ? known->exactly : known->derived;
    }
    return nullptr;
}

const Plan* find_plain_array(PyTypeObject* type) noexcept {
    if (is_derived(type, loaded("numpy", "ndarray"))) return &kPlainArray;
    return is_numpy_number(type) ? &numpy_scalar_plan_of(type) : nullptr;
}

const Plan* find_enum(PyTypeObject* type, std::uint32_t flags) noexcept {
    const Owned base = loaded("enum", "Enum");
    if (!is_derived(type, base)) return nullptr;
    const bool is_usual = shares_attribute(type, base, "value");
    return is_usual || (flags & kEnumNames) ? &kEnum : &kEnumByProperty;
}

// The plan of a type that json writes, too, where the flags want it written in another way. Null where it is written as json does.
const Plan* find_other_way(PyTypeObject* type, std::uint32_t flags) noexcept {
    const bool is_own = type == &PyUnicode_Type || type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type ||
                        type == Py_TYPE(Py_None) || type == &PyList_Type || type == &PyTuple_Type || type == &PyDict_Type ||
                        type == layout::kFrozenDict;
    if (is_own) return nullptr;
    const bool is_base_stored = PyType_FastSubclass(
        type, Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_DICT_SUBCLASS);
    if ((flags & kStored) && is_base_stored && !(flags & kPassSubclasses)) return nullptr;  // enums that are such, too
    if (flags & (kStored | kEnumNames))
        if (const Plan* const of_enum = find_enum(type, flags)) return of_enum;
    const bool is_tuple = PyType_FastSubclass(type, Py_TPFLAGS_TUPLE_SUBCLASS);
    if ((flags & kNamedTuples) && is_tuple && has_attribute(type, "_fields")) return &kNamedTuple;
    if (!(flags & kStored)) return nullptr;
    return (flags & kArrays) && is_numpy_number(type) ? &numpy_scalar_plan_of(type) : &kDefaultHook;
}

// Whether it is derived from the abstract class of that name, or counts as if it were.
bool is_registered(PyTypeObject* type, const char* name) noexcept {
    const Owned base = loaded("_collections_abc", name);
    const int is_subclass = base ? PyObject_IsSubclass(reinterpret_cast<PyObject*>(type), base.get()) : 0;
    forget_error();
    return is_subclass > 0;
}

const Plan* find_common(PyTypeObject* type, std::uint32_t flags) noexcept {
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

const Plan& find_plan(Call& call, PyTypeObject* type, Fields& fields) noexcept {
    const auto flags = static_cast<std::uint32_t>(call.rich);
    if (type == call.own.raw_type || type == call.own.fragment_type) return kReadyJson;
    if (type == call.own.table_type) return *find_rows(call, type);
    if (flags & kByDialect) return call.options.dialect->plan_of(call, type, fields);
    if (OCIOR_UNLIKELY(call.options.plans != nullptr))
        if (const Plan* const by_plans = find_by_plans(call, type)) return *by_plans;
    const Plan& of_json = json_plan_of(type);
    if ((flags & kPlainArrays) && &of_json == &kOther)
        if (const Plan* const plain = find_plain_array(type)) return *plain;
    if (!(flags & kRich)) return of_json;
    if (&of_json != &kOther) {
        const Plan* const other = find_other_way(type, flags);
        if (other == &kDefaultHook && find_fields(call, type, fields)) return kFields;
        return other ? *other : of_json;
    }
    if ((flags & kCommon) && has_attribute(type, "__json__")) return kJsonOfItsOwn;
    if (const Owned missing = loaded("pandas", "NaT"); (flags & kCommon) && missing && Py_TYPE(missing.get()) == type) return kNull;
    if (const Plan* const time = find_known(type, kTimes, std::size(kTimes), flags)) return (flags & kPassDatetimes) ? kDefaultHook : *time;
    if (const Owned uuid = loaded("uuid", "UUID"); is_derived(type, uuid)) {
        if (uuid.get() == reinterpret_cast<PyObject*>(type)) return kUuid;
        return (flags & kCommon) ? kStr : kDefaultHook;
    }
    if (const Plan* const of_enum = find_enum(type, flags)) return *of_enum;
    if (flags & kCommon)
        if (const Plan* const model = find_model(type)) return *model;
    if (find_fields(call, type, fields)) return kFields;
    if (const Plan* const known = find_known(type, kOthers, std::size(kOthers), flags)) return *known;
    if (flags & kCommon)
        if (const Plan* const rows = find_rows(call, type)) return *rows;
    if (flags & kCommon)
        if (const Plan* const common = find_common(type, flags)) return *common;
    return kDefaultHook;
}

}  // namespace

const Plan& rich_plan_of(Call& call, PyTypeObject* type, Fields& fields) noexcept {
    const Plan& plan = stored_plan_of(call, type, find_plan(call, type, fields));
    const Tricks& tricks = call.constants.tricks;
    const OwnTypes& own = call.own;
    // What is found there when a value is written at once.
    if (&plan == &kUuid) (void)fields.set_one(tricks, type, own.int_name);
    if (&plan == &kEnum) (void)fields.set_one(tricks, type, call.rich & kEnumNames ? own.stored_name_name : own.stored_value_name);
    if (&plan == &kNumpyArray) (void)own.numpy_arrays->knows(tricks, type);
    if (&plan == &kDecimal || &plan == &kDecimalStr) (void)own.decimals->knows(tricks, reinterpret_cast<PyObject*>(type));
    return plan;
}

}  // namespace ocior::encode
