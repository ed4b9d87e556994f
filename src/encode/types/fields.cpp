#include "encode/types/fields.h"

#include <algorithm>

#include "encode/types/mapping.h"
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

// Whether instances of a dataclass are written by what their __dict__ holds, and not by their fields: with kStored those are that have one,
// unless the class itself names slots.
static bool is_written_by_dict(PyTypeObject* type, std::uint32_t flags) noexcept {
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

// The names of the fields that the class is written by, as a tuple: of a dataclass, an attrs class, a msgspec.Struct. Empty, maybe with
// an error set, for any other class.
static Owned field_names_of(PyTypeObject* type, std::uint32_t flags) noexcept {
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

bool find_fields(Call& call, PyTypeObject* type, Fields& fields) noexcept {
    const auto flags = static_cast<std::uint32_t>(call.rich);
    if (flags & kPassDataclasses) return false;
    const Tricks& tricks = call.constants.tricks;
    if (flags & kCommon) {
        Owned names;
        Form* form = call.options.plans ? form_by_plans(call, type, names) : nullptr;
        if (!form) form = form_of_struct(type, flags, names);
        if (form && !fields.set(tricks, type, names.get(), form)) PyErr_NoMemory();
        forget_error();
        if (form) return true;
    }
    const bool is_by_dict = is_written_by_dict(type, flags);
    const Owned names = field_names_of(type, is_by_dict ? flags & ~kNoPrivateFields : flags);
    if (!names) forget_error();
    else if (is_by_dict) (void)fields.set_whole(tricks, type, names.get(), flags);  // it can do without
    else (void)fields.set(tricks, type, names.get());
    return static_cast<bool>(names);
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
    const auto make = [&] { return pairs_of_dict(dict.get(), static_cast<std::uint32_t>(call.rich)); };
    opened = call.open_made(value, FrameKind::kFields, offset, make) ? Opened::kDict : Opened::kFailed;
    return true;
}

// ---- objects that have a form ----

// What `rest` holds, as further entries from to[n] on, of which there are `most`; nothing where there is none. False where Python code has
// to be asked, or there is no room.
bool read_rest(Call& call, const Form& form, PyObject* rest, layout::StrEntry* to, std::size_t& n, std::size_t most) noexcept {
    if (rest == Py_None || form.is_missing(rest)) return true;
    if (!PyDict_CheckExact(rest)) return false;
    DictRun run(call.constants.tricks, rest, 0);
    const bool may_be_replaced = call.options.surrogates == Surrogates::kReplace;
    for (PyObject *key, *item; run.next([&] { return rest; }, key, item);) {
        if (n == most || !PyUnicode_CheckExact(key) || (OCIOR_UNLIKELY(may_be_replaced) && has_surrogate(key))) return false;
        to[n++] = {key, item};
    }
    return true;
}

// The members of `value`, by its layout, borrowed; how many there are. kMostEntries + 1 where Python code has to be asked for one.
constexpr std::size_t kMostEntries = Entries::kMost;
std::size_t read_members(Call& call, const Fields& fields, PyObject* value, layout::StrEntry* to, std::size_t most) noexcept {
    const Form& form = *fields.form();
    const char* const place = fields.place_of(value);
    if (!place) return kMostEntries + 1;
    const std::size_t count = fields.count();
    std::size_t n = 0;
    if (form.tag_name) to[n++] = {form.tag_name.get(), form.tag_value.get()};
    for (std::size_t i = 0; i < count; ++i) {
        PyObject* const item = fields.value(place, i);
        if (OCIOR_UNLIKELY(!item || n == most)) return kMostEntries + 1;
        if (i == form.rest) {
            if (!read_rest(call, form, item, to, n, most)) return kMostEntries + 1;
            continue;
        }
        const Presence presence = form.presence_of(i, item);
        if (OCIOR_UNLIKELY(presence == Presence::kToBeAsked)) return kMostEntries + 1;
        if (presence == Presence::kWritten) to[n++] = {fields.key(i), item};
    }
    return n;
}

// False where the members have to be asked for. (Without a GIL they always are: of what is read here some is let go of.)
bool open_members(Call& call, const Fields& fields, PyObject* value, std::size_t offset, Opened& opened) noexcept {
    const Form& form = *fields.form();
    const bool has_rest = form.rest != Form::kNoRest;
    if (!layout::kHasGil || !fields.has_places() || form.is_array || form.has_dumps || (has_rest && call.options.unique_keys)) return false;
    PyObject* rest = nullptr;
    if (has_rest) {
        const char* const place = fields.place_of(value);
        rest = place ? fields.value(place, form.rest) : nullptr;
    }
    const std::size_t most = fields.count() + 1 + (rest && PyDict_CheckExact(rest) ? static_cast<std::size_t>(PyDict_GET_SIZE(rest)) : 0);
    layout::StrEntry* const entries = call.context.entries.take(most);
    if (!entries) return false;
    const std::size_t n = read_members(call, fields, value, entries, most);
    if (OCIOR_UNLIKELY(n == 0 || n > kMostEntries)) {
        call.context.entries.give_back(entries);
        return opened = Opened::kEmptyDict, n == 0;
    }
    if (OCIOR_UNLIKELY(sorts_fields(call))) call.context.orders.sort(call.options, entries, n);
    opened = call.open_entries(value, entries, n, offset) ? Opened::kDict : Opened::kFailed;
    return true;
}

// Adds names and values in turn, of what is a mapping, to a list. False with an error set.
bool add_rest(Call& call, const Form& form, PyObject* rest, PyObject* list) noexcept {
    if (rest == Py_None || form.is_missing(rest)) return true;
    const Owned pairs = texts_and_values(call, rest, false);
    for (Py_ssize_t i = 0; pairs && i < PyTuple_GET_SIZE(pairs.get()); ++i)
        if (PyList_Append(list, PyTuple_GET_ITEM(pairs.get(), i)) < 0) return false;
    return static_cast<bool>(pairs);
}

// False with an error set where a name in `pairs`, names and values in turn, comes twice.
bool check_unique(Call& call, PyObject* pairs) noexcept {
    const Owned seen = Owned::steal(PySet_New(nullptr));
    if (!seen) return false;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(pairs); i += 2) {
        PyObject* const name = PyTuple_GET_ITEM(pairs, i);
        const int is_seen = PySet_Contains(seen.get(), name);
        if (is_seen > 0) refuse(call, call.options.dialect->duplicate_key, name);
        if (is_seen != 0 || PySet_Add(seen.get(), name) < 0) return false;
    }
    return true;
}

// What is written of field `i`: its value, or what Form::dumps makes of it. Empty, maybe with an error set, where it is left out.
Owned ask_member(const Form& form, PyObject* names, std::size_t i, PyObject* value) noexcept {
    Owned item = Owned::steal(PyObject_GetAttr(value, PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i))));
    if (!item || i == form.rest) return item;
    const bool is_written = form.is_array ? !form.is_missing(item.get()) : form.ask_presence(i, item.get()) == Presence::kWritten;
    if (!is_written) return {};
    PyObject* const dump = form.fields[i].dump;
    return dump ? Owned::steal(PyObject_CallOneArg(dump, item.get())) : std::move(item);
}

// The members of `value`: names and values in turn, in a tuple. May run Python code. Empty with an error set.
Owned ask_members(Call& call, const Form& form, PyObject* names, PyObject* value) noexcept {
    const Owned list = Owned::steal(PyList_New(0));
    if (!list) return {};
    const auto add = [&](PyObject* name, PyObject* item) {
        return PyList_Append(list.get(), name) == 0 && PyList_Append(list.get(), item) == 0;
    };
    if (form.tag_name && !add(form.tag_name.get(), form.tag_value.get())) return {};
    for (std::size_t i = 0; i < static_cast<std::size_t>(PyTuple_GET_SIZE(names)); ++i) {
        const Owned item = ask_member(form, names, i, value);
        if (!item && PyErr_Occurred()) return {};
        if (!item) continue;
        PyObject* const name = PyTuple_GET_ITEM(form.names.get(), static_cast<Py_ssize_t>(i));
        if (!(i == form.rest ? add_rest(call, form, item.get(), list.get()) : add(name, item.get()))) return {};
    }
    Owned pairs = Owned::steal(PyList_AsTuple(list.get()));
    if (pairs && form.rest != Form::kNoRest && call.options.unique_keys && !check_unique(call, pairs.get())) return {};
    if (pairs) sort_pairs(call, pairs.get());
    return pairs;
}

// The values of `value`, in a tuple, null for one that is missing. May run Python code. Empty with an error set.
Owned ask_values(const Form& form, PyObject* names, PyObject* value) noexcept {
    const Owned list = Owned::steal(PyList_New(0));
    if (!list || (form.tag_value && PyList_Append(list.get(), form.tag_value.get()) < 0)) return {};
    Py_ssize_t end = PyList_GET_SIZE(list.get());  // of what is not missing
    for (std::size_t i = 0; i < static_cast<std::size_t>(PyTuple_GET_SIZE(names)); ++i) {
        const Owned item = ask_member(form, names, i, value);
        if (!item && PyErr_Occurred()) return {};
        if (PyList_Append(list.get(), item ? item.get() : Py_None) < 0) return {};
        if (item) end = PyList_GET_SIZE(list.get());
    }
    const Owned written = Owned::steal(PyList_GetSlice(list.get(), 0, end));
    return written ? Owned::steal(PyList_AsTuple(written.get())) : Owned();
}

// The members of `value`, which may run Python code.
Opened ask_and_open(Call& call, const Fields& fields, PyObject* value, std::size_t offset) noexcept {
    const Form& form = *fields.form();
    const HeldForm held_form(fields.form());  // what is asked may change the table that the fields are in
    const Owned names = Owned::borrow(fields.names());
    const bool opened =
        form.is_array
            ? call.open_made(value, FrameKind::kList, offset, [&] { return ask_values(form, names.get(), value).release(); })
            : call.open_made(value, FrameKind::kFields, offset, [&] { return ask_members(call, form, names.get(), value).release(); });
    if (!opened) return Opened::kFailed;
    if (PyTuple_GET_SIZE(call.top().iterated) != 0) return form.is_array ? Opened::kList : Opened::kDict;
    call.close();
    return form.is_array ? Opened::kEmptyList : Opened::kEmptyDict;
}

// The fields of `value` by attribute look-up, which may run Python code.
OCIOR_NOINLINE Opened open_attributes(Call& call, PyObject* value, std::size_t offset) noexcept {
    const Fields* fields = call.context.types.fields_of(Py_TYPE(value));
    Fields own_fields;
    call.decouple(value);
    const Owned hold = Owned::borrow(value);
    if (OCIOR_UNLIKELY(is_written_by_dict(Py_TYPE(value), static_cast<std::uint32_t>(call.rich)))) {
        call.pin();
        if (Opened opened; open_dict_of(call, value, offset, opened)) return opened;
    }
    if (!fields || !*fields) {
        call.pin();
        const Owned type = Owned::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value)));
        PyObject* const outer = begin_look();
        const bool is_found = find_fields(call, Py_TYPE(value), own_fields);
        if (!restore_error(outer)) return Opened::kFailed;
        if (!is_found || !own_fields) return open_default(call, value, offset);
        fields = &own_fields;
    }
    if (fields->form()) return ask_and_open(call, *fields, value, offset);
    if (fields->count() == 0) return Opened::kEmptyDict;
    const auto read = [&] { return read_attributes(*fields, value, call.rich & kStored).release(); };
    if (!call.open_made(value, FrameKind::kFields, offset, read)) return Opened::kFailed;
    if (sorts_fields(call)) sort_pairs(call, call.top().iterated);
    return Opened::kDict;
}

}  // namespace

static OCIOR_INLINE Opened open_fields_in(Call& call, PyObject* value, std::size_t offset, decltype(open_fields)* otherwise) noexcept {
    const Fields* const fields = call.context.types.fields_of(Py_TYPE(value));
    if (OCIOR_UNLIKELY(fields && fields->form())) {
        Opened opened;
        return open_members(call, *fields, value, offset, opened) ? opened : otherwise(call, value, offset);
    }
    layout::StrEntry* const entries = OCIOR_LIKELY(fields && fields->has_places()) ? call.context.entries.take(fields->count()) : nullptr;
    if (OCIOR_UNLIKELY(!entries)) return otherwise(call, value, offset);
    if (OCIOR_UNLIKELY(!take_places(call, *fields, value, entries))) {
        call.context.entries.give_back(entries);
        return otherwise(call, value, offset);
    }
    if (OCIOR_UNLIKELY(sorts_fields(call))) call.context.orders.sort(call.options, entries, fields->count());
    return call.open_entries(value, entries, fields->count(), offset) ? Opened::kDict : Opened::kFailed;
}

Opened open_fields(Call& call, PyObject* value, std::size_t offset) noexcept {
    return open_fields_in(call, value, offset, open_attributes);
}

Opened open_fields_or(Call& call, PyObject* value, std::size_t offset, decltype(open_fields)* otherwise) noexcept {
    return open_fields_in(call, value, offset, otherwise);
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
