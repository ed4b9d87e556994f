// Values and keys as msgspec takes them. What is refused here is asked of msgspec itself, so that a type may be left to it: only what is
// written has to be written as msgspec does it.
#include "compat/msgspec_types.h"

#include "encode/types/fields.h"
#include "encode/types/pairs.h"
#include "encode/types/rich.h"
#include "num/write.h"
#include "py/attribute.h"
#include "py/number.h"

#include <structmember.h>

#pragma GCC diagnostic ignored "-Wunused-variable"  // of a pointer in it
#include <datetime.h>  // which needs Python.h before it

namespace ocior::compat {

using namespace encode;

namespace {

// ---- values that are left to msgspec ----

Opened open_refused(Call& call, PyObject* value, std::size_t) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();  // a new exception may start a garbage collection
    PyErr_Format(PyExc_TypeError, "%.200s is left to msgspec", Py_TYPE(value)->tp_name);
    return Opened::kFailed;
}

// ---- scalars ----

std::uint8_t* put(std::uint8_t* to, char character) noexcept {
    *to = static_cast<std::uint8_t>(character);
    return to + 1;
}

// A duration as "P1DT3600.5S": days, and all other time in seconds. What is negative has a sign before it.
std::uint8_t* write_timedelta(Call&, PyObject* value, std::uint8_t* to) noexcept {
    const auto* const delta = reinterpret_cast<PyDateTime_Delta*>(value);
    std::int64_t days = delta->days, seconds = delta->seconds, microseconds = delta->microseconds;
    constexpr std::int64_t kDay = 86'400, kSecond = 1'000'000;
    if (days < 0) {
        to = put(to, '-');
        days = -days;
        if (seconds != 0 || microseconds != 0) {
            const std::int64_t rest = kDay * kSecond - (seconds * kSecond + microseconds);
            --days;
            seconds = rest / kSecond;
            microseconds = rest % kSecond;
        }
    }
    to = put(to, 'P');
    if (days != 0) to = put(num::write_u64(to, static_cast<std::uint64_t>(days)), 'D');
    if (seconds == 0 && microseconds == 0) return days != 0 ? to : put(put(to, '0'), 'D');
    to = num::write_u64(put(to, 'T'), static_cast<std::uint64_t>(seconds));
    if (microseconds != 0) {
        to = put(to, '.');
        num::detail::put_6(to, static_cast<std::uint32_t>(microseconds));
        for (to += 6; to[-1] == '0';) --to;
    }
    return put(to, 'S');
}

// What the buffer of `value` holds as base64.
Owned replace_bytes(Call& call, PyObject* value) noexcept {
    Py_buffer buffer;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_CONTIG_RO) < 0) return {};
    constexpr Py_ssize_t kMost = PY_SSIZE_T_MAX / 4 < (1ll << 32) - 1 ? PY_SSIZE_T_MAX / 4 : (1ll << 32) - 1;  // msgspec's limit
    Owned text;
    if (buffer.len <= kMost) text = Owned::steal(PyUnicode_New((buffer.len + 2) / 3 * 4, 0x7F));
    else refuse(call, call.options.dialect->unknown_type, value);
    if (text && buffer.len > 0) {
        constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const auto* at = static_cast<const std::uint8_t*>(buffer.buf);
        const std::uint8_t* const end = at + buffer.len;
        std::uint8_t* to = PyUnicode_1BYTE_DATA(text.get());
        const auto put_word = [&](unsigned word) {
            for (int shift = 18; shift >= 0; shift -= 6) to = put(to, kAlphabet[word >> shift & 63]);
        };
        for (; end - at >= 3; at += 3) put_word(unsigned{at[0]} << 16 | unsigned{at[1]} << 8 | at[2]);
        if (end - at == 1) put_word(unsigned{at[0]} << 16), to[-1] = to[-2] = '=';
        if (end - at == 2) put_word(unsigned{at[0]} << 16 | unsigned{at[1]} << 8), to[-1] = '=';
    }
    PyBuffer_Release(&buffer);
    return text;
}

Owned replace_enum(Call& call, PyObject* value) noexcept { return Owned::steal(PyObject_GetAttr(value, call.own.stored_value_name)); }

// The text of a msgspec.Raw.
Owned text_of_raw(Call& call, PyObject* value) noexcept {
    call.pin();  // memory is asked for
    return Owned::steal(PyBytes_FromObject(value));
}

// ---- containers ----

Owned replace_set(Call&, PyObject* value) noexcept { return Owned::steal(PySequence_List(value)); }

// A class derived from dict, by what is stored in it.
Opened open_stored_dict(Call& call, PyObject* dict, std::size_t offset) noexcept {
    if (PyDict_GET_SIZE(dict) == 0) return Opened::kEmptyDict;
    return call.open(dict, dict, FrameKind::kDict, offset) ? Opened::kDict : Opened::kFailed;
}

// The names and values of an object's fields in turn, as they are found.
class Pairs {
public:
    Pairs() noexcept : list_(Owned::steal(PyList_New(0))), unset_(loaded_or_error("msgspec", "UNSET")) {}
    explicit operator bool() const noexcept { return list_ && unset_; }

    // What is UNSET is left out. False with an error set.
    [[nodiscard]] bool add(PyObject* name, PyObject* value) noexcept {
        if (value == unset_.get()) return true;
        if (!PyUnicode_CheckExact(name)) return true;
        return PyList_Append(list_.get(), name) == 0 && PyList_Append(list_.get(), value) == 0;
    }
    // A tuple; null with an error set.
    PyObject* finish() noexcept { return PyList_AsTuple(list_.get()); }

private:
    Owned list_, unset_;
};

bool is_private(PyObject* name) noexcept {
    return PyUnicode_CheckExact(name) && PyUnicode_GET_LENGTH(name) > 0 && PyUnicode_READ_CHAR(name, 0) == '_';
}

// The instance's dict; empty where it has none.
Owned dict_of(PyObject* value) noexcept {
    Owned dict = Owned::steal(PyObject_GenericGetDict(value, nullptr));
    if (!dict) forget_error();
    return dict;
}

// The fields of a dataclass in their order: those that are in the instance's dict, or behind a descriptor, such as that of a slot. What the
// class alone has is no value of the instance.
PyObject* pairs_of_dataclass(PyObject* value) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    const Owned fields = find_in_class(type, "__dataclass_fields__"), dict = dict_of(value);
    Pairs pairs;
    const Owned names = fields && PyDict_Check(fields.get()) ? Owned::steal(PyDict_Keys(fields.get())) : Owned();
    if (!names || !pairs) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(names.get()); ++i) {
        PyObject* const name = PyList_GET_ITEM(names.get(), i);
        if (!PyUnicode_CheckExact(name)) continue;
        Owned found = dict ? value_of_key(dict.get(), name) : Owned();
        if (!found) {
            if (PyErr_Occurred()) return nullptr;
            const Owned descriptor = find_in_class(type, name);
            if (!descriptor || !Py_TYPE(descriptor.get())->tp_descr_get || !Py_TYPE(descriptor.get())->tp_descr_set) continue;
            found = Owned::steal(PyObject_GetAttr(value, name));
            if (!found) {
                if (!PyErr_ExceptionMatches(PyExc_Exception)) return nullptr;
                PyErr_Clear();
                continue;
            }
        }
        if (!pairs.add(name, found.get())) return nullptr;
    }
    return pairs.finish();
}

// What an object of attrs holds: its dict, then the slots of its class and of those that this is derived from. Private names are left out.
PyObject* pairs_of_attrs(PyObject* value) noexcept {
    Pairs pairs;
    if (!pairs) return nullptr;
    if (const Owned dict = dict_of(value)) {
        const Owned items = Owned::steal(PyDict_Items(dict.get()));
        if (!items) return nullptr;
        for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
            PyObject* const item = PyList_GET_ITEM(items.get(), i);
            if (is_private(PyTuple_GET_ITEM(item, 0))) continue;
            if (!pairs.add(PyTuple_GET_ITEM(item, 0), PyTuple_GET_ITEM(item, 1))) return nullptr;
        }
    }
    for (PyTypeObject* type = Py_TYPE(value); type; type = type->tp_base) {
        if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) continue;
        for (const PyMemberDef* member = type->tp_members; member && member->name; ++member) {
            if (member->type != T_OBJECT_EX || (member->flags & READONLY) || *member->name == '_') continue;
            const Owned name = Owned::steal(PyUnicode_InternFromString(member->name));
            const Owned found =
                name ? Owned::steal(PyMember_GetOne(reinterpret_cast<const char*>(value), const_cast<PyMemberDef*>(member))) : Owned();
            if (!found) {
                if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return nullptr;
                PyErr_Clear();
                continue;
            }
            if (!pairs.add(name.get(), found.get())) return nullptr;
        }
    }
    return pairs.finish();
}

template <PyObject* (*pairs_of)(PyObject*) noexcept>
Opened open_pairs(Call& call, PyObject* value, std::size_t offset) noexcept {
    call.decouple(value);
    const Owned hold = Owned::borrow(value);
    if (!call.open_made(value, FrameKind::kFields, offset, [&] { return pairs_of(value); })) return Opened::kFailed;
    if (PyTuple_GET_SIZE(call.top().iterated) > 0) return Opened::kDict;
    call.close();
    return Opened::kEmptyDict;
}

Opened open_dataclass(Call& call, PyObject* value, std::size_t offset) noexcept {
    return open_fields_or(call, value, offset, open_pairs<pairs_of_dataclass>);
}

constexpr Plan kRefused{.role = Role::kContainer, .open = open_refused},
    kStoredList{.role = Role::kContainer, .open = open_stored_sequence}, kStoredDict{.role = Role::kContainer, .open = open_stored_dict},
    kSet{.role = Role::kReplaced, .replace = replace_set}, kBytes{.role = Role::kReplaced, .replace = replace_bytes},
    kEnum{.role = Role::kReplaced, .replace = replace_enum}, kReadyJson{.role = Role::kJson, .replace = text_of_raw},
    kDuration{.role = Role::kText, .write = write_timedelta}, kAttrs{.role = Role::kContainer, .open = open_pairs<pairs_of_attrs>},
    kDataclass{.role = Role::kContainer, .open = open_pairs<pairs_of_dataclass>},
    // Its fields are looked for in memory first.
    kDataclassInMemory{.role = Role::kFields, .open = open_dataclass};

// ---- the choice ----

bool is(PyTypeObject* type, const Owned& other) noexcept { return other.get() == reinterpret_cast<PyObject*>(type); }

// Whether an object of this type may have UNSET in a field: then that is its default.
bool may_be_unset(PyObject* dataclass_fields) noexcept {
    const Owned unset = loaded("msgspec", "UNSET"), fields = Owned::steal(PyDict_Values(dataclass_fields));
    bool is_unset = !fields || !unset;
    for (Py_ssize_t i = 0; !is_unset && i < PyList_GET_SIZE(fields.get()); ++i) {
        const Owned usual = get_attribute(PyList_GET_ITEM(fields.get(), i), "default");
        is_unset = !usual || usual.get() == unset.get();
    }
    forget_error();
    return is_unset;
}

bool is_struct(PyTypeObject* type) noexcept {
    const Owned meta = loaded("msgspec", "StructMeta");
    return meta && PyType_Check(meta.get()) && PyType_IsSubtype(Py_TYPE(type), reinterpret_cast<PyTypeObject*>(meta.get()));
}

const Plan* find_time(PyTypeObject* type) noexcept {
    if (is(type, stored_time_type("datetime"))) return &kDatetime;
    if (is(type, stored_time_type("date"))) return &kDate;
    if (is(type, stored_time_type("time"))) return &kTime;
    return is(type, stored_time_type("timedelta")) ? &kDuration : nullptr;
}

// Says that UNSET is left out of `fields`. False where there is no memory for that.
bool omit_unset(Call& call, PyTypeObject* type, Fields& fields) noexcept {
    const Owned names = Owned::borrow(fields.names()), unset = loaded("msgspec", "UNSET");
    Form* const form = Form::make(fields.count());
    if (!form) return false;
    form->names = Owned::borrow(names.get());
    form->missing = unset ? Owned::steal(PyTuple_Pack(1, unset.get())) : Owned();
    for (std::size_t i = 0; i < fields.count(); ++i) form->fields[i].of = FieldForm::kOmitsMissing;
    if (form->missing) return fields.set(call.constants.tricks, type, names.get(), form);
    Form::let_go(form);
    return forget_error(), false;
}

const Plan* find_dataclass(Call& call, PyTypeObject* type, Fields& fields) noexcept {
    const Owned declared = find_in_class(type, "__dataclass_fields__");
    if (!declared) return nullptr;
    if (!PyDict_CheckExact(declared.get()) || type->tp_getattro != PyObject_GenericGetAttr) return &kRefused;
    // ClassVars are among the declared ones, and InitVars: an instance may have an attribute of that name all the same.
    const bool has_all =
        find_fields(call, type, fields) && fields && static_cast<Py_ssize_t>(fields.count()) == PyDict_GET_SIZE(declared.get());
    if (has_all && (!may_be_unset(declared.get()) || omit_unset(call, type, fields))) return &kDataclassInMemory;
    fields.clear();
    return &kDataclass;
}

// Whether the class itself, and not only one that it is derived from, was made by attrs.
bool is_of_attrs(PyTypeObject* type) noexcept {
    const Owned attributes = get_attribute(reinterpret_cast<PyObject*>(type), "__dict__");
    const bool is_one = attributes && PyMapping_HasKeyString(attributes.get(), "__attrs_attrs__");
    forget_error();
    return is_one;
}

}  // namespace

const Plan& msgspec_plan_of(Call& call, PyTypeObject* type, Fields& fields) noexcept {
    if (PyType_FastSubclass(type, Py_TPFLAGS_LIST_SUBCLASS)) return type == &PyList_Type ? json_plan_of(type) : kStoredList;
    if (PyType_FastSubclass(type, Py_TPFLAGS_DICT_SUBCLASS)) return type == &PyDict_Type ? json_plan_of(type) : kStoredDict;
    if (PyType_FastSubclass(type, Py_TPFLAGS_TUPLE_SUBCLASS)) return type == &PyTuple_Type ? json_plan_of(type) : kStoredList;
    if (type == &PyUnicode_Type || type == &PyLong_Type || type == &PyFloat_Type || type == &PyBool_Type || type == Py_TYPE(Py_None))
        return json_plan_of(type);
    if (layout::is_any_dict(type)) return json_plan_of(type);
    if (is_struct(type)) return find_fields(call, type, fields) ? encode::kFields : kRefused;
    if (const Plan* const time = find_time(type)) return *time;
    if (type == &PyBytes_Type || type == &PyByteArray_Type || type == &PyMemoryView_Type) return kBytes;
    if (is(type, loaded("msgspec", "Raw"))) return kReadyJson;
    if (is(type, loaded("msgspec", "UnsetType"))) return kRefused;
    if (is_derived(type, loaded("enum", "Enum"))) {
        const bool is_stored = PyType_FastSubclass(type, Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_LONG_SUBCLASS);
        return is_stored ? json_plan_of(type) : kEnum;
    }
    if (const Owned uuid = loaded("uuid", "UUID"); is_derived(type, uuid)) return is(type, uuid) ? kUuid : kRefused;
    if (is(type, loaded("decimal", "Decimal"))) return kDecimalStr;
    if (PyType_IsSubtype(type, &PySet_Type) || PyType_IsSubtype(type, &PyFrozenSet_Type)) return kSet;
    if (!PyType_FastSubclass(type, Py_TPFLAGS_TYPE_SUBCLASS)) {
        if (const Plan* const plan = find_dataclass(call, type, fields)) return *plan;
        if (is_of_attrs(type)) return kAttrs;
    }
    return kDefaultHook;
}

KeyText read_msgspec_key(Call& call, PyObject* key, std::uint8_t* to) noexcept {
    using Kind = KeyText::Kind;
    const auto written_as = [&](Owned text) -> KeyText {
        if (!text) return {Kind::kFailed};
        call.extras().replacement = std::move(text);
        return {Kind::kString};
    };
    if (PyUnicode_Check(key)) return written_as(Owned::steal(PyUnicode_FromObject(key)));
    Owned value = Owned::borrow(key);
    const bool is_enum = is_derived(Py_TYPE(key), loaded("enum", "Enum"));
    if (is_enum) {
        if (!PyLong_Check(key)) value = replace_enum(call, key);
        if (!value) return {Kind::kFailed};
        if (PyUnicode_CheckExact(value.get())) return written_as(std::move(value));
    } else if (!PyLong_CheckExact(key)) {
        const Plan& plan = call.context.types.find(call, Py_TYPE(key), call.rich);
        const bool is_finite = PyFloat_CheckExact(key) && __builtin_isfinite(PyFloat_AS_DOUBLE(key));
        if (plan.role == Role::kText || is_finite) {
            std::uint8_t* const end = plan.write(call, key, to);
            if (end || call.context.extras.long_scalar) return {Kind::kWritten, end};
            return {PyErr_Occurred() ? Kind::kFailed : Kind::kString};  // the replacement may be one from before
        }
    }
    if (PyLong_CheckExact(value.get()) || (is_enum && PyLong_Check(value.get()))) {
        std::uint8_t* const end = json_plan_of(&PyLong_Type).write(call, value.get(), to);
        return {end || call.context.extras.long_scalar ? Kind::kWritten : Kind::kFailed, end};
    }
    if (!PyErr_Occurred()) refuse(call, call.options.dialect->unknown_key, key);
    return {Kind::kFailed};
}

}  // namespace ocior::compat
