#include "encode/types/json.h"
#include "encode/float_style.h"
#include "encode/types/mapping.h"
#include "encode/walk/call.h"
#include "num/write.h"
#include "py/number.h"

namespace ocior::encode {
namespace {

static_assert(num::kFormatRoom <= kShortScalar);

// Whether an int is within the range that is wanted.
bool is_in_range(IntegerRange range, PyObject* value) noexcept {
    std::int64_t number;
    std::uint64_t high, low;
    if (range == IntegerRange::kAny) return true;
    if (int64_value(value, number)) return range != IntegerRange::k53Bits || is_within_53_bits(number);
    return range == IntegerRange::k64Bits && uint128_value(value, high, low) && high == 0;
}

std::uint8_t* write_finite(double number, std::uint8_t* to, const Options& options) noexcept {
    return style_float(options, to, num::write_f64(to, number));
}

std::uint8_t* write_digits(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    std::int64_t number;
    if (int64_value(value, number)) return num::write_i64(to, number);
    if (std::uint64_t high, low; uint128_value(value, high, low)) return num::write_u128(to, uint128{high} << 64 | low);
    const Owned hold = Owned::borrow(value);
    call.pin();  // it looks for signals: handlers may run
    call.extras().long_scalar = Owned::steal(PyLong_Type.tp_repr(value));
    return nullptr;
}

// An int beyond the range that is allowed, and no key: as the nearest double, or as a string.
std::uint8_t* write_big_int(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    if (call.options.big_integers == BigIntegers::kFloat) {
        const double number = PyLong_AsDouble(value);  // OverflowError where there is none
        return number == -1.0 && PyErr_Occurred() ? nullptr : write_finite(number, to, call.options);
    }
    const Owned digits = Owned::steal(PyLong_Type.tp_repr(value));
    if (digits) call.extras().long_scalar = Owned::steal(PyUnicode_FromFormat("\"%U\"", digits.get()));
    return nullptr;
}

bool is_negative_int(PyObject* value) noexcept {
#if PY_VERSION_HEX >= 0x030E0000
    return PyLong_IsNegative(value) == 1;
#else
    return _PyLong_Sign(value) < 0;
#endif
}

std::uint8_t* write_int(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Dialect& dialect = *call.options.dialect;
    if (OCIOR_LIKELY(is_in_range(call.options.integers, value))) return write_digits(call, value, to);
    if (call.options.big_integers != BigIntegers::kError) return (call.writes_key ? write_digits : write_big_int)(call, value, to);
    const bool is_low = dialect.low_integer.text && is_negative_int(value);
    const bool is_huge = dialect.huge_integer.text && !is_in_range(IntegerRange::k64Bits, value);
    refuse(call, is_low ? dialect.low_integer : is_huge ? dialect.huge_integer : dialect.wide_integer, value);
    return nullptr;
}

std::uint8_t* write_int_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    SmallInt number;
    if (!read_small_int(value, number) || (call.options.integers == IntegerRange::k53Bits && number.magnitude >> 53)) return nullptr;
    *to = '-';
    return num::write_u64(to + number.is_negative, number.magnitude);
}

// As a key a number is a string: where keys have a range of their own, it is one that holds 64 bits.
std::uint8_t* write_int_key(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Refusal& refusal = call.options.dialect->wide_key;
    if (!refusal.text || call.options.big_integers != BigIntegers::kError) return write_int(call, value, to);
    if (is_in_range(IntegerRange::k64Bits, value)) return write_digits(call, value, to);
    return refuse(call, refusal, value), nullptr;
}

std::uint8_t* write_float(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    if (OCIOR_LIKELY(__builtin_isfinite(number))) return write_finite(number, to, call.options);
    const char* const text = allowed_non_finite_text(call, value, number);
    return text ? static_cast<std::uint8_t*>(std::memcpy(to, text, std::strlen(text))) + std::strlen(text) : nullptr;
}

std::uint8_t* write_float_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    return OCIOR_LIKELY(__builtin_isfinite(number)) ? write_finite(number, to, call.options) : nullptr;
}

std::uint8_t* put_constant(PyObject* value, std::uint8_t* to) noexcept {
    const ConstantText constant = constant_text(value);
    store(to, constant.text);
    return to + constant.length;
}
std::uint8_t* write_constant(Call&, PyObject* value, std::uint8_t* to) noexcept { return put_constant(value, to); }
std::uint8_t* write_constant_at_once(const Call&, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    return put_constant(value, to);
}

// The truth of a container that is read one by one, which comes first: 0 where it is empty, -1 with an error set. It is held by the caller:
// its own code may take it out of its container.
int truth_of(Call& call, PyObject* value) noexcept {
    call.pin();
    return PyObject_IsTrue(value);
}

// Over the items of a list, a tuple or of a class derived from either. What is done to a list meanwhile is seen.
Opened open_items(Call& call, PyObject* sequence, std::size_t offset) noexcept {
    if (size_of_items(sequence) == 0) return Opened::kEmptyList;
    return call.open(sequence, sequence, FrameKind::kList, offset) ? Opened::kList : Opened::kFailed;
}

Opened open_sequence(Call& call, PyObject* value, std::size_t offset) noexcept {
    if (call.rich & kStored) return open_items(call, value, offset);
    if (call.options.dialect->reading == Reading::kOneByOne) {
        const Owned hold = Owned::borrow(value);
        const int truth = truth_of(call, value);
        if (truth <= 0) return truth < 0 ? Opened::kFailed : Opened::kEmptyList;
        // Some iterate over more than memory holds.
        const bool opened = call.open_made(value, FrameKind::kIterator, offset, [&] { return PyObject_GetIter(value); });
        return opened ? Opened::kList : Opened::kFailed;
    }
    // Without a look at its __len__, which json's encoder in C does not ask for.
    const char* const refusal =
        PY_VERSION_HEX < 0x030F0000 ? "_iterencode_list needs a sequence" : "encoder_listencode_list needs a sequence";
    if (!call.open_made(value, FrameKind::kList, offset, [&] { return PySequence_Fast(value, refusal); })) return Opened::kFailed;
    if (size_of_items(call.top().iterated) != 0) return Opened::kList;
    call.close();
    return Opened::kEmptyList;
}

}  // namespace

// Whether a mapping is written by the texts that its keys become, all of which are made first. (With kByDialect the keys themselves are
// ordered.)
static bool is_by_texts(const Call& call) noexcept {
    return call.options.unique_keys || (call.options.sort_keys && (call.rich & (kRichKeys | kByDialect)) == kRichKeys);
}

// Sorted dicts of exactly that type, too.
Opened open_mapping(Call& call, PyObject* dict, std::size_t offset) noexcept {
    const bool is_sorted = call.options.sort_keys;
    const bool is_exact = layout::is_exact_dict(dict);
    bool opened;
    if (is_exact || (call.rich & kStored)) {
        if (PyDict_GET_SIZE(dict) == 0) return Opened::kEmptyDict;
        if (!call.options.reads_keys_first) return call.open(dict, dict, FrameKind::kDict, offset) ? Opened::kDict : Opened::kFailed;
        if (Opened sorted; open_sorted(call, dict, offset, sorted)) return sorted;
    }
    if (call.options.dialect->reading == Reading::kOneByOne && !is_exact) {
        const Owned hold = Owned::borrow(dict);
        const int truth = truth_of(call, dict);
        if (truth <= 0) return truth < 0 ? Opened::kFailed : Opened::kEmptyDict;
        if (is_by_texts(call)) return open_by_texts(call, dict, offset);
        opened = call.open_made(dict, FrameKind::kPairs, offset, [&]() -> PyObject* {
            Owned items = items_of_dict(dict);
            if (items && is_sorted) {
                items = Owned::steal(PySequence_List(items.get()));
                if (items && PyList_Sort(items.get()) < 0) return nullptr;
            }
            return items ? PyObject_GetIter(items.get()) : nullptr;
        });
    } else {
        if (PyDict_GET_SIZE(dict) == 0) return Opened::kEmptyDict;
        if (is_by_texts(call)) return open_by_texts(call, dict, offset);
        opened = call.open_made(dict, FrameKind::kItems, offset, [&]() -> PyObject* {
            Owned items = (call.rich & kStored) ? Owned::steal(PyDict_Items(dict)) : list_of_items(dict);
            return items && is_sorted && PyList_Sort(items.get()) < 0 ? nullptr : items.release();
        });
    }
    return opened ? Opened::kDict : Opened::kFailed;
}

namespace {

// Any other type. Where items are read one by one, what the value claims to be by its __class__, as proxies do, is believed.
Opened open_other(Call& call, PyObject* value, std::size_t offset) noexcept {
    if (OCIOR_LIKELY(call.options.dialect->reading == Reading::kAtOnce)) return open_default(call, value, offset);
    const Owned hold = Owned::borrow(value);
    call.pin();  // __class__ may be a property
    for (PyTypeObject* type : {&PyList_Type, &PyTuple_Type, &PyDict_Type, layout::kFrozenDict}) {
        const int is_instance = type ? PyObject_IsInstance(value, reinterpret_cast<PyObject*>(type)) : 0;
        if (is_instance < 0) return Opened::kFailed;
        if (is_instance) return (type == &PyList_Type || type == &PyTuple_Type ? open_sequence : open_mapping)(call, value, offset);
    }
    return open_default(call, value, offset);
}

constexpr Plan kInt{.role = Role::kScalar, .write = write_int, .write_at_once = write_int_at_once},
    kFloat{.role = Role::kScalar, .write = write_float, .write_at_once = write_float_at_once},
    kConstant{.role = Role::kScalar, .write = write_constant, .write_at_once = write_constant_at_once};

// ---- classes derived from list, tuple and dict that are iterated over as these are ----

// What an iterator would give lies in the object, so it is read there. Where json takes all items at once, what a hook does to the
// container later is not seen: then they are kept, or copied, at the latest before a hook runs.

// What a type itself says, asked once for each: its instances cannot say anything else.
bool is_read_as(PyTypeObject* type, PyTypeObject* base) noexcept {
    // Whether it is empty is asked by its truth, how long a list is before its items are copied. (A class in Python derived from dict,
    // which has no sq_length, has one that asks __len__.)
    const bool has_own_truth = type->tp_as_number && type->tp_as_number->nb_bool;
    const lenfunc sequence_length = base->tp_as_sequence->sq_length;
    return type != base && type->tp_iter == base->tp_iter && !has_own_truth &&
           type->tp_as_mapping->mp_length == base->tp_as_mapping->mp_length &&
           (!sequence_length || type->tp_as_sequence->sq_length == sequence_length);
}

// Over the items that a list or one of a class derived from it has now, whatever is done to it meanwhile.
Opened open_list_at_once(Call& call, PyObject* list, std::size_t offset) noexcept {
    if (size_of_items(list) == 0) return Opened::kEmptyList;
    // Where neither another thread nor a garbage collection comes before Python code is called, pinning makes the copy.
    constexpr bool kMayReadInPlace = layout::kHasGil && PY_VERSION_HEX >= 0x030C0000;
    const FrameKind kind = kMayReadInPlace ? FrameKind::kDerivedList : FrameKind::kList;
    if (!call.open(list, kMayReadInPlace ? list : nullptr, kind, offset)) return Opened::kFailed;
    if constexpr (kMayReadInPlace) return Opened::kList;
    call.pin();
    PyObject* const copy = PyList_GetSlice(list, 0, PY_SSIZE_T_MAX);
    if (!copy) return call.close(), Opened::kFailed;
    call.top().iterated = copy;
    call.top().owned |= Frame::kIterated;
    return Opened::kList;
}

// Whether items() of `dict` is the method in C that its class has: an instance may have an attribute of that name. -1 with an error set.
// What may run Python code holds the dict, and the frame that is opened for it owns it.
int has_stored_items(Call& call, PyObject* dict) noexcept {
    PyTypeObject* const type = Py_TYPE(dict);
    if (type->tp_dictoffset == 0) return true;
#if !defined Py_GIL_DISABLED && (PY_VERSION_HEX < 0x030B0000 || PY_VERSION_HEX >= 0x030D0000)  // others would make a dict for it
    if (PyObject** const attributes = _PyObject_GetDictPtr(dict); attributes && !*attributes) return true;
#endif
    if (!exported::get_method) return false;
    call.hold(dict, nullptr);
    call.pin();  // the instance's dict may have keys of any class
    PyObject* found = nullptr;
    const bool is_unbound = exported::get_method(dict, call.own.items_name, &found);
    const Owned method = Owned::steal(found), of_class = find_in_class(type, call.own.items_name);
    if (!method) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
        return PyErr_Clear(), false;  // json's words come when it is asked again
    }
    if (is_unbound) return method.get() == of_class.get();
    return of_class && Py_IS_TYPE(of_class.get(), &PyMethodDescr_Type) && PyCFunction_Check(found) && PyCFunction_GET_SELF(found) == dict &&
           PyCFunction_GET_FUNCTION(found) == reinterpret_cast<PyMethodDescrObject*>(of_class.get())->d_method->ml_meth;
}

// An OrderedDict, too, where all items are taken at once. (Tried and lost: small ones of scalars alone written without a frame. Lists of
// these take 0.75 to 0.9 of the time, but documents made of such dicts, half of which hold other containers, 1.04 to 1.16: all values are
// looked at first, and the order of an OrderedDict is compared twice.)
Opened open_stored_dict(Call& call, PyObject* dict, std::size_t offset) noexcept {
    const bool is_one_by_one = call.options.dialect->reading == Reading::kOneByOne;
    if (is_by_texts(call) || (is_one_by_one && PyODict_CheckExact(dict))) return open_mapping(call, dict, offset);
    const int is_stored = has_stored_items(call, dict);
    if (is_stored <= 0) return is_stored < 0 ? Opened::kFailed : open_mapping(call, dict, offset);
    if (PyDict_GET_SIZE(dict) == 0) return Opened::kEmptyDict;
    if (is_one_by_one && !call.options.sort_keys) return call.open(dict, dict, FrameKind::kDict, offset) ? Opened::kDict : Opened::kFailed;
    Opened opened;
    return open_by_str(call, dict, offset, opened) ? opened : open_mapping(call, dict, offset);
}

constexpr Plan kStoredDict{.role = Role::kContainer, .open = open_stored_dict};

}  // namespace

const Plan kDerivedSequence{.role = Role::kStoredSequence, .open = open_stored_sequence};

Opened open_stored_sequence(Call& call, PyObject* value, std::size_t offset) noexcept {
    const bool is_one_by_one = call.options.dialect->reading == Reading::kOneByOne;
    return is_one_by_one || PyTuple_Check(value) ? open_items(call, value, offset) : open_list_at_once(call, value, offset);
}

const Plan& stored_plan_of(Call& call, PyTypeObject* type, const Plan& plan) noexcept {
    if (call.rich & kStored) return plan;
    if (&plan == &kSequence) {
        PyTypeObject* const base = PyType_FastSubclass(type, Py_TPFLAGS_LIST_SUBCLASS) ? &PyList_Type : &PyTuple_Type;
        return is_read_as(type, base) ? kDerivedSequence : plan;
    }
    if (&plan != &kMapping || !PyType_FastSubclass(type, Py_TPFLAGS_DICT_SUBCLASS)) return plan;
    // (Without a GIL its iterator is not safe from those who edit it: see items_of_dict().)
    if (type == &PyODict_Type) return layout::kHasGil ? kStoredDict : plan;
    const auto is_as_in_dict = [type](PyObject* name) {
        return find_in_class(type, name).get() == find_in_class(&PyDict_Type, name).get();
    };
    // A __getattr__ is asked for attributes only that are not found.
    const bool has_usual_access = type->tp_getattro == PyObject_GenericGetAttr || is_as_in_dict(call.own.getattribute_name);
    return is_read_as(type, &PyDict_Type) && has_usual_access && is_as_in_dict(call.own.items_name) ? kStoredDict : plan;
}

std::uint8_t* write_as_key(Call& call, const Plan& plan, PyObject* key, std::uint8_t* to) noexcept {
    return (plan.write == write_int ? write_int_key : plan.write)(call, key, to);
}

const Plan kString{Role::kString}, kSequence{.role = Role::kContainer, .open = open_sequence},
    kMapping{.role = Role::kContainer, .open = open_mapping}, kOther{.role = Role::kUnknown, .open = open_other};

const Plan& json_plan_of(PyTypeObject* type) noexcept {
    if (type == &PyBool_Type || type == Py_TYPE(Py_None)) return kConstant;
    if (PyType_FastSubclass(type, Py_TPFLAGS_UNICODE_SUBCLASS)) return kString;
    if (PyType_FastSubclass(type, Py_TPFLAGS_LONG_SUBCLASS)) return kInt;
    if (PyType_IsSubtype(type, &PyFloat_Type)) return kFloat;
    if (PyType_FastSubclass(type, Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS)) return kSequence;
    return layout::is_any_dict(type) ? kMapping : kOther;
}

}  // namespace ocior::encode
