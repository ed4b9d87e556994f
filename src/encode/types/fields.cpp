#include "encode/types/fields.h"

#include <algorithm>

#include "encode/types/pairs.h"
#include "encode/types/rich.h"

namespace ocior::encode {
namespace {

// The names in a tuple of what has a name, in order; those that are strings already are taken as they are. Empty with an error set.
template <typename Take>
Owned names_of(PyObject* sequence, std::uint32_t flags, Take take) noexcept {
    const Owned items = Owned::steal(PySequence_Tuple(sequence)), names = Owned::steal(PyList_New(0));
    if (!items || !names) return {};
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(items.get()); ++i) {
        const Owned name = take(PyTuple_GET_ITEM(items.get(), i));
        if (!name && PyErr_Occurred()) return {};
        if (!name || !PyUnicode_CheckExact(name.get())) continue;
        if (is_left_out_as_private(name.get(), flags)) continue;
        PyObject* interned = new_ref(name.get());  // as the names of attributes are
        PyUnicode_InternInPlace(&interned);
        const Owned owned = Owned::steal(interned);
        if (PyList_Append(names.get(), interned) < 0) return {};
    }
    return Owned::steal(PyList_AsTuple(names.get()));
}

// A field of a dataclass that is one: no ClassVar, no InitVar.
Owned name_of_dataclass_field(PyObject* field, PyObject* kind_of_fields) noexcept {
    const Owned kind = get_attribute(field, "_field_type");
    if (!kind || kind.get() != kind_of_fields) return {};
    return get_attribute(field, "name");
}

// The fields of `value`, which nobody changes meanwhile, by its layout; borrowed. False where one of them is not there.
OCIOR_INLINE bool read_places(const Fields& fields, PyObject* value, layout::StrEntry* to) noexcept {
    const char* const place = fields.place_of(value);
    if (OCIOR_UNLIKELY(!place)) return false;
    const std::size_t count = fields.count();
    bool is_whole = true;
    for (std::size_t i = 0; i < count; ++i) {
        PyObject* const item = fields.value(place, i);
        __builtin_prefetch(item);
        to[i] = {fields.name(i), item};
        is_whole &= item != nullptr;
    }
    return is_whole;
}

// Reads the fields as read_places() does, without a GIL, where other threads may change `value`. The references are owned.
bool read_places_locked(const Fields& fields, PyObject* value, layout::StrEntry* to) noexcept {
    const auto read = [&] {
        const bool is_whole = read_places(fields, value, to);
        if (is_whole) Call::own_entries(to, fields.count());
        return is_whole;
    };
    Owned dict;
    {
        const Locked lock(value);
        if (fields.has_inline_values()) dict = Owned::borrow(layout::dict_of_instance(value));
        if (!dict) return read();
    }
    const Locked lock(dict.get());
    return layout::dict_of_instance(value) == dict.get() && read();
}

// Reads the fields as the call's next frame needs them: see Call::open_entries().
OCIOR_INLINE bool take_places(Call& call, const Fields& fields, PyObject* value, layout::StrEntry* to) noexcept {
    if (layout::kHasGil) return read_places(fields, value, to);
    // What others know the instance's dict by, they change it by.
    const bool is_guarded = call.is_item_guarded() && !(fields.has_inline_values() && layout::dict_of_instance(value));
    if (OCIOR_LIKELY(is_guarded && read_places(fields, value, to))) return true;
    call.decouple(value);
    return read_places_locked(fields, value, to);
}

// Reads the fields by attribute look-up, which may run Python code. An attribute that is missing is an error, unless `may_lack` allows it.
Owned read_attributes(const Fields& fields, PyObject* value, bool may_lack) noexcept {
    const std::size_t count = fields.count();
    Owned pairs = new_pairs(count);
    for (std::size_t i = 0; pairs && i < count; ++i) {
        PyObject* const found = PyObject_GetAttr(value, fields.name(i));
        if (!found && !(may_lack && PyErr_ExceptionMatches(PyExc_AttributeError))) return {};
        if (!found) PyErr_Clear();
        put_pair(pairs.get(), i, fields.name(i), found);
    }
    return pairs;
}

}  // namespace

bool is_written_by_dict(PyTypeObject* type, std::uint32_t flags) noexcept {
    if (!(flags & kStored) || type->tp_dictoffset == 0) return false;
    const Owned slots = Owned::steal(PyUnicode_InternFromString("__slots__"));
#if PY_VERSION_HEX >= 0x030C0000
    const Owned attributes = Owned::steal(PyType_GetDict(type));
#else
    const Owned attributes = Owned::borrow(type->tp_dict);
#endif
    const int has_slots = slots && attributes ? PyDict_Contains(attributes.get(), slots.get()) : -1;
    if (has_slots < 0) forget_error();
    return has_slots == 0;
}

Owned field_names_of(PyTypeObject* type, std::uint32_t flags) noexcept {
    PyObject* const cls = reinterpret_cast<PyObject*>(type);
    if (const Owned fields = find_in_class(type, "__dataclass_fields__"); fields && PyDict_Check(fields.get())) {
        const Owned kind = loaded("dataclasses", "_FIELD"), values = Owned::steal(PyDict_Values(fields.get()));
        if (!kind || !values) return {};
        return names_of(values.get(), flags, [&](PyObject* field) { return name_of_dataclass_field(field, kind.get()); });
    }
    forget_error();
    if (PyErr_Occurred() || !(flags & kCommon)) return {};
    if (const Owned fields = find_in_class(type, "__attrs_attrs__"))
        return names_of(fields.get(), flags, [](PyObject* field) { return get_attribute(field, "name"); });
    forget_error();
    if (PyErr_Occurred()) return {};
    // (In msgspec __struct_fields__ is a member of the metaclass. A metaclass whose __getattr__ answers every name does not count.)
    if (!find_in_class(Py_TYPE(cls), "__struct_fields__") && !find_in_class(type, "__struct_fields__")) return {};
    if (const Owned fields = get_attribute(cls, "__struct_fields__"))
        return names_of(fields.get(), flags, [](PyObject* name) { return Owned::borrow(name); });
    return {};
}

namespace {

OCIOR_INLINE bool sorts_fields(const Call& call) noexcept { return call.options.sort_keys && !(call.rich & kStored); }

// Names and values in turn: what a dict holds now, but for names that the flags leave out. Null with an error set.
PyObject* pairs_of_dict(PyObject* dict, std::uint32_t flags) noexcept {
    const Owned items = Owned::steal(PyDict_Items(dict)), list = Owned::steal(PyList_New(0));
    if (!items || !list) return nullptr;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(items.get()); ++i) {
        PyObject* const item = PyList_GET_ITEM(items.get(), i);
        PyObject* const name = PyTuple_GET_ITEM(item, 0);
        if (!PyUnicode_CheckExact(name)) return PyErr_SetString(PyExc_TypeError, "Dict key must be str"), nullptr;
        if (is_left_out_as_private(name, flags)) continue;
        if (PyList_Append(list.get(), name) < 0 || PyList_Append(list.get(), PyTuple_GET_ITEM(item, 1)) < 0) return nullptr;
    }
    return PyList_AsTuple(list.get());
}

// What the __dict__ of `value` holds. False, without an error, where it has none. Frames are pinned, and it is held.
bool open_dict_of(Call& call, PyObject* value, std::size_t offset, Opened& opened) noexcept {
    const Owned dict = get_attribute(value, "__dict__");
    if (!dict && (opened = Opened::kFailed, has_serious_error())) return true;
    if (!dict || !PyDict_Check(dict.get())) return false;
    if (PyDict_GET_SIZE(dict.get()) == 0) return opened = Opened::kEmptyDict, true;
    const auto make = [&] { return pairs_of_dict(dict.get(), call.rich); };
    opened = call.open_made(value, FrameKind::kFields, offset, make) ? Opened::kDict : Opened::kFailed;
    return true;
}

// The fields of `value` by attribute look-up, which may run Python code.
OCIOR_NOINLINE Opened open_attributes(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Fields* fields = call.context.types.fields_of(Py_TYPE(value));
    Fields own_fields;
    call.decouple(value);
    const Owned hold = Owned::borrow(value);
    if (OCIOR_UNLIKELY(is_written_by_dict(Py_TYPE(value), call.rich))) {
        call.pin();
        if (Opened opened; open_dict_of(call, value, offset, opened)) return opened;
    }
    if (!fields || !*fields) {
        call.pin();
        const Owned names = field_names_of(Py_TYPE(value), call.rich);
        if (!names || !own_fields.set(call.constants.tricks, Py_TYPE(value), names.get()))
            return PyErr_Occurred() ? Opened::kFailed : open_default(call, value, offset);
        fields = &own_fields;
    }
    if (fields->count() == 0) return Opened::kEmptyDict;
    const auto read = [&] { return read_attributes(*fields, value, call.rich & kStored).release(); };
    if (!call.open_made(value, FrameKind::kFields, offset, read)) return Opened::kFailed;
    if (sorts_fields(call)) sort_pairs(call, call.top().iterated);
    return Opened::kDict;
}

}  // namespace

Opened open_fields(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Fields* const fields = call.context.types.fields_of(Py_TYPE(value));
    layout::StrEntry* const entries = OCIOR_LIKELY(fields && fields->has_places()) ? call.context.entries.take(fields->count()) : nullptr;
    if (OCIOR_UNLIKELY(!entries)) return open_attributes(call, value, offset);
    if (OCIOR_UNLIKELY(!take_places(call, *fields, value, entries))) {
        call.context.entries.give_back(entries);
        return open_attributes(call, value, offset);
    }
    if (OCIOR_UNLIKELY(sorts_fields(call))) call.context.orders.sort(call.options, entries, fields->count());
    return call.open_entries(value, entries, fields->count(), offset) ? Opened::kDict : Opened::kFailed;
}

Opened open_named_tuple(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    const Owned fields = get_attribute(value, "_fields"), names = fields ? Owned::steal(PySequence_Tuple(fields.get())) : Owned();
    if (!names) return Opened::kFailed;
    const Py_ssize_t count = std::min(PyTuple_GET_SIZE(names.get()), PyTuple_GET_SIZE(value));
    if (count == 0) return Opened::kEmptyDict;
    const bool opened = call.open_made(value, FrameKind::kFields, offset, [&]() -> PyObject* {
        Owned pairs = new_pairs(static_cast<std::size_t>(count));
        for (Py_ssize_t i = 0; pairs && i < count; ++i) {
            PyObject* const name = PyTuple_GET_ITEM(names.get(), i);
            if (!PyUnicode_CheckExact(name)) return PyErr_SetString(PyExc_TypeError, "the _fields of a named tuple must be str"), nullptr;
            put_pair(pairs.get(), static_cast<std::size_t>(i), name, new_ref(PyTuple_GET_ITEM(value, i)));
        }
        return pairs.release();
    });
    if (opened) sort_pairs(call, call.top().iterated);
    return opened ? Opened::kDict : Opened::kFailed;
}

const Plan kFields{.role = Role::kFields, .open = open_fields}, kNamedTuple{.role = Role::kContainer, .open = open_named_tuple};

}  // namespace ocior::encode
