#include "encode/types/fields.h"

#include <algorithm>

#include "encode/types/rich.h"
#include "encode/walk/walk.h"

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

// The index of a name among those of the class's instances; -1 where it has none.
int slot_of(layout::KeysTable* table, PyObject* name) noexcept {
    const layout::StrEntry* const entries = layout::str_entries(table);
    for (Py_ssize_t i = 0; i < table->entry_count && i < 255; ++i)
        if (entries[i].key == name) return static_cast<int>(i);
    return -1;
}

// A tuple for names and values in turn. Its items are empty.
Owned new_pairs(std::size_t count) noexcept { return Owned::steal(PyTuple_New(static_cast<Py_ssize_t>(2 * count))); }

OCIOR_INLINE void put_pair(PyObject* pairs, std::size_t i, PyObject* name, PyObject* value) noexcept {
    PyTuple_SET_ITEM(pairs, static_cast<Py_ssize_t>(2 * i), new_ref(name));
    PyTuple_SET_ITEM(pairs, static_cast<Py_ssize_t>(2 * i + 1), value);
}

// The fields of `value`, which nobody changes meanwhile, by its layout; borrowed. False where one of them is not there.
OCIOR_INLINE bool read_places(const FieldsPlan& plan, PyObject* value, layout::StrEntry* to) noexcept {
    const char* const place = plan.place_of(value);
    if (OCIOR_UNLIKELY(!place)) return false;
    const std::size_t count = plan.count();
    bool is_whole = true;
    for (std::size_t i = 0; i < count; ++i) {
        PyObject* const item = plan.value(place, i);
        __builtin_prefetch(item);
        to[i] = {plan.name(i), item};
        is_whole &= item != nullptr;
    }
    return is_whole;
}

// Reads the fields as read_places() does, without a GIL, where other threads may change `value`. The references are owned.
bool read_places_locked(const FieldsPlan& plan, PyObject* value, layout::StrEntry* to) noexcept {
    const auto read = [&] {
        const bool is_whole = read_places(plan, value, to);
        if (is_whole) Call::own_entries(to, plan.count());
        return is_whole;
    };
    Owned dict;
    {
        const Locked lock(value);
        if (plan.has_inline_values()) dict = Owned::borrow(layout::dict_of_instance(value));
        if (!dict) return read();
    }
    const Locked lock(dict.get());
    return layout::dict_of_instance(value) == dict.get() && read();
}

// Reads the fields as the call's next frame needs them: see Call::open_entries().
OCIOR_INLINE bool take_places(Call& call, const FieldsPlan& plan, PyObject* value, layout::StrEntry* to) noexcept {
    if (layout::kHasGil) return read_places(plan, value, to);
    // What others know the instance's dict by, they change it by.
    const bool is_guarded = call.is_item_guarded() && !(plan.has_inline_values() && layout::dict_of_instance(value));
    if (OCIOR_LIKELY(is_guarded && read_places(plan, value, to))) return true;
    call.decouple(value);
    return read_places_locked(plan, value, to);
}

// Reads the fields by attribute look-up, which may run Python code. An attribute that is missing is an error, unless `may_lack` allows it.
Owned read_attributes(const FieldsPlan& plan, PyObject* value, bool may_lack) noexcept {
    const std::size_t count = plan.count();
    Owned pairs = new_pairs(count);
    for (std::size_t i = 0; pairs && i < count; ++i) {
        PyObject* const found = PyObject_GetAttr(value, plan.name(i));
        if (!found && !(may_lack && PyErr_ExceptionMatches(PyExc_AttributeError))) return {};
        if (!found) PyErr_Clear();
        put_pair(pairs.get(), i, plan.name(i), found);
    }
    return pairs;
}

// Orders names and values in turn by the names, where the call sorts keys.
void sort_pairs(Call& call, PyObject* pairs) noexcept {
    if (!call.options.sort_keys) return;
    auto* const items = reinterpret_cast<layout::StrEntry*>(const_cast<PyObject**>(items_of_tuple(pairs)));
    call.context.orders.sort(call.options, items, static_cast<std::size_t>(PyTuple_GET_SIZE(pairs)) / 2);
}

// Reads the items of a dict that nobody changes meanwhile, all of whose keys are of exactly the type str, and are written as they are, by
// put(i, key, value). False where others are, or where there are not `count`.
template <typename Put>
bool read_items_of_str(Call& call, PyObject* dict, std::size_t count, Put put) noexcept {
    DictRun run(call.constants.tricks, dict, 0);
    PyObject *key, *value;
    std::size_t i = 0;
    bool is_good = true;
    const bool may_be_replaced = call.options.surrogates == Surrogates::kReplaced;
    while (is_good && run.next([&] { return dict; }, key, value)) {
        is_good = i < count && PyUnicode_CheckExact(key) && !(OCIOR_UNLIKELY(may_be_replaced) && has_surrogate(key));
        if (is_good) put(i++, key, value);
    }
    return is_good && i == count;
}

// The items of an OrderedDict, all of whose keys are of exactly the type str, in its own order; `keys` iterates over it. False where they
// are not those of the dict that it is, which can be edited behind its back.
bool read_in_own_order(PyObject* dict, PyObject* keys, layout::StrEntry* entries, std::size_t count) noexcept {
    std::size_t i = 0;
    while (const Owned key = Owned::steal(Py_TYPE(keys)->tp_iternext(keys))) {
        PyObject* const value = i < count && PyUnicode_CheckExact(key.get()) ? PyDict_GetItemWithError(dict, key.get()) : nullptr;
        if (!value) return PyErr_Clear(), false;
        entries[i++] = {key.get(), value};
    }
    if (PyErr_Occurred()) return PyErr_Clear(), false;
    return i == count;
}

// Whether an OrderedDict has the same keys as the dict that it is, the same objects in the same order. False, too, where the dict has gaps:
// a key may have been deleted and set again behind the OrderedDict's back, which then does not find it.
bool has_order_of_dict(const Tricks& tricks, PyObject* ordered) noexcept {
    if (!layout::kMayReadOrder || !tricks.key_order) return false;
    const layout::OrderedKey* node = layout::first_key_in_order(ordered);
    DictRun run(tricks, ordered, 0);
    for (PyObject *key, *value; run.next([&] { return ordered; }, key, value); node = node->next)
        if (!node || node->key != key) return false;
    return !node && run.position() == PyDict_GET_SIZE(ordered);
}

// Before memory is asked for: until 3.12 that may start a garbage collection, which runs Python code. The frame that is opened for `dict`
// owns it.
void hold_for_collection(Call& call, PyObject* dict) noexcept {
    if constexpr (PY_VERSION_HEX >= 0x030C0000) return;
    call.hold(dict, nullptr);
    call.pin();
}

}  // namespace

bool open_by_str(Call& call, PyObject* dict, std::size_t offset, Opened& opened) noexcept {
    const auto count = static_cast<std::size_t>(PyDict_GET_SIZE(dict));
    if (count == 0) return opened = Opened::kEmptyDict, true;  // since it was met
    opened = Opened::kFailed;
    const bool has_own_order =
        layout::kHasGil && OCIOR_UNLIKELY(PyODict_CheckExact(dict)) && !has_order_of_dict(call.constants.tricks, dict);
    Owned keys;
    if (has_own_order) {
        hold_for_collection(call, dict);
        keys = Owned::steal(PyObject_GetIter(dict));
        if (!keys) return true;
    }
    if (layout::StrEntry* const entries = call.context.entries.take(count)) {
        const auto read = [&] {
            const auto put = [=](std::size_t i, PyObject* key, PyObject* value) { entries[i] = {key, value}; };
            return read_items_of_str(call, dict, count, put) && (!has_own_order || read_in_own_order(dict, keys.get(), entries, count));
        };
        bool is_read;
        if (OCIOR_LIKELY(call.is_item_guarded())) {
            is_read = read();
        } else {
            const Locked lock(dict);
            is_read = read();
            if (is_read) Call::own_entries(entries, count);
        }
        if (!is_read) return call.context.entries.give_back(entries), false;
        if (call.options.sort_keys) call.context.orders.sort(call.options, entries, count);
        if (call.open_entries(dict, entries, count, offset)) opened = Opened::kDict;
        return true;
    }
    if (has_own_order) return false;
    call.decouple(dict);
    hold_for_collection(call, dict);
    Owned pairs = new_pairs(count);
    if (!pairs) return PyErr_Clear(), false;
    {
        const Locked lock(dict);
        const auto put = [&](std::size_t i, PyObject* key, PyObject* value) { put_pair(pairs.get(), i, key, new_ref(value)); };
        if (!read_items_of_str(call, dict, count, put)) return false;
    }
    sort_pairs(call, pairs.get());
    if (call.open(dict, nullptr, FrameKind::kFields, offset)) {
        call.top().iterated = pairs.release();
        call.top().owned |= Frame::kIterated;
        opened = Opened::kDict;
    }
    return true;
}

namespace {

// The str that a key becomes: kString, kSkipped, or kFailed with an error set.
KeyText::Kind read_text_of_key(Call& call, PyObject* key, Owned& text) noexcept {
    using Kind = KeyText::Kind;
    std::uint8_t written[kShortScalar];
    if (call.is_text_of_key(key)) return text = Owned::borrow(key), Kind::kString;
    const KeyText read = read_key(call, key, written);
    if (read.kind == Kind::kFailed || read.kind == Kind::kSkipped) return read.kind;
    if (read.kind == Kind::kString) text = std::move(call.context.extras.replacement);
    else if (!read.end) text = std::move(call.context.extras.long_scalar);
    else text = Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<const char*>(written), read.end - written));
    return text ? Kind::kString : Kind::kFailed;
}

// The str that a key becomes where keys are sorted. Empty where it becomes none, maybe with an error set.
Owned str_of_key(Call& call, PyObject* key) noexcept {
    Owned text;
    if (PyUnicode_CheckExact(key) || (call.rich & kRichKeys)) (void)read_text_of_key(call, key, text);
    if (text && !PyUnicode_CheckExact(text.get())) text = Owned::steal(PyUnicode_FromObject(text.get()));
    return text;
}

// Names and values in turn, in a list, of what `item`, which is one of a mapping's items, is written as; nothing of a key that is skipped.
// `seen` is a set of all texts before, or null where one may come twice. False with an error set.
[[nodiscard]] bool add_text_and_value(Call& call, PyObject* item, PyObject* pairs, PyObject* seen) noexcept {
    if (!PyTuple_Check(item) || PyTuple_GET_SIZE(item) != 2) return PyErr_SetString(PyExc_ValueError, "items must return 2-tuples"), false;
    Owned text;
    const KeyText::Kind kind = read_text_of_key(call, PyTuple_GET_ITEM(item, 0), text);
    if (kind != KeyText::Kind::kString) return kind == KeyText::Kind::kSkipped;
    if (!PyUnicode_CheckExact(text.get())) text = Owned::steal(PyUnicode_FromObject(text.get()));
    if (text && call.options.surrogates != Surrogates::kKept) text = call.checked_text(text.get());
    if (!text) return false;
    if (seen) {
        const int is_seen = PySet_Contains(seen, text.get());
        if (is_seen > 0) refuse(call, call.options.dialect->duplicate_key, text.get());
        if (is_seen != 0 || PySet_Add(seen, text.get()) < 0) return false;
    }
    return PyList_Append(pairs, text.get()) == 0 && PyList_Append(pairs, PyTuple_GET_ITEM(item, 1)) == 0;
}

// All of them, as a tuple, which nobody can change while Python code runs. Empty with an error set.
Owned texts_and_values(Call& call, PyObject* dict) noexcept {
    const bool is_stored = layout::is_exact_dict(dict) || (call.rich & kStored);
    const Owned items = is_stored ? Owned::steal(PyDict_Items(dict)) : list_of_items(dict);
    const bool are_unique = call.options.unique_keys;
    const Owned list = Owned::steal(PyList_New(0)), seen = Owned::steal(are_unique ? PySet_New(nullptr) : nullptr);
    if (!items || !list || (are_unique && !seen)) return {};
    const bool is_by_text = call.options.is_canonical || (call.rich & kRichKeys);  // else as json orders them
    if (call.options.sort_keys && !is_by_text && PyList_Sort(items.get()) < 0) return {};
    for (Py_ssize_t i = 0;; ++i) {
        const Owned item = Owned::steal(new_item_ref(items.get(), i));
        if (!item) break;
        if (!add_text_and_value(call, item.get(), list.get(), seen.get())) return {};
    }
    Owned pairs = Owned::steal(PyList_AsTuple(list.get()));
    if (pairs && is_by_text) sort_pairs(call, pairs.get());
    return pairs;
}

}  // namespace

bool FieldsPlan::set(const Tricks& tricks, PyTypeObject* type, PyObject* names) noexcept {
    if (!set_names(tricks, type, names)) return false;
    if (has_places()) make_key_texts();
    return true;
}

bool FieldsPlan::set_one(const Tricks& tricks, PyTypeObject* type, PyObject* name) noexcept {
    const Owned names = Owned::steal(PyTuple_Pack(1, name));
    if (names) return set_names(tricks, type, names.get());
    return forget_error(), false;
}

bool FieldsPlan::set_names(const Tricks& tricks, PyTypeObject* type, PyObject* names) noexcept {
    clear();
    names_ = new_ref(names);
    if (count() == 0 || type->tp_getattro != PyObject_GenericGetAttr) return true;
    offsets_ = static_cast<std::uint16_t*>(PyMem_Malloc(count() * sizeof *offsets_));
    if (!offsets_) return clear(), false;
    if (!find_members(type) && !(tricks.inline_values && find_inline(type))) PyMem_Free(std::exchange(offsets_, nullptr));
    return true;
}

bool FieldsPlan::set_whole(const Tricks& tricks, PyTypeObject* type, PyObject* names, std::uint32_t flags) noexcept {
    clear();
    layout::KeysTable* const table = layout::shared_keys_table(type);
    const Owned dict = find_in_class(type, "__dict__");
    const bool has_usual_dict = dict && Py_IS_TYPE(dict.get(), &PyGetSetDescr_Type) && type->tp_getattro == PyObject_GenericGetAttr;
    const bool may_read = layout::kMayReadInlineValues && tricks.inline_values && table && has_usual_dict;
    // Without places in the order of the fields, else in that in which the first instances have set them.
    constexpr std::size_t kMostPlaces = 256;
    PyObject* in_order[kMostPlaces] = {};
    const Py_ssize_t most = may_read ? kMostPlaces : PyTuple_GET_SIZE(names);
    std::uint8_t places[kMostPlaces];
    std::size_t count = 0;
    for (Py_ssize_t i = 0; may_read && i < PyTuple_GET_SIZE(names); ++i) {
        PyObject* const name = PyTuple_GET_ITEM(names, i);
        if (const int slot = slot_of(table, name); slot >= 0) in_order[slot] = name;
    }
    const Owned written = Owned::steal(PyList_New(0));
    if (!written) return forget_error(), false;
    for (Py_ssize_t i = 0; i < most; ++i) {
        PyObject* const name = may_read ? in_order[i] : PyTuple_GET_ITEM(names, i);
        if (!name) continue;
        if (may_read) places[count++] = static_cast<std::uint8_t>(i);
        if (!is_left_out_as_private(name, flags) && PyList_Append(written.get(), name) < 0) return forget_error(), false;
    }
    if (!(names_ = PyList_AsTuple(written.get()))) return forget_error(), false;
    if (!may_read || this->count() == 0) return true;
    offsets_ = static_cast<std::uint16_t*>(PyMem_Malloc(this->count() * sizeof *offsets_));
    order_ = static_cast<std::uint8_t*>(PyMem_Malloc(count));
    if (!offsets_ || !order_) return clear(), false;
    std::memcpy(order_, places, count);
    order_length_ = static_cast<std::uint8_t>(count);
    if (find_inline(type)) return make_key_texts(), true;
    PyMem_Free(std::exchange(offsets_, nullptr));
    PyMem_Free(std::exchange(order_, nullptr));
    least_values_ = 0;
    return true;
}

void FieldsPlan::make_key_texts() noexcept {
    for (std::size_t i = 0; i < count(); ++i) {
        const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name(i)));
        const std::uint8_t* const text = n + 2 <= KeyText::kMost && is_compact_ascii(name(i)) ? ascii_data(name(i)) : nullptr;
        const auto is_plain = [](std::uint8_t unit) { return unit == '_' || Py_ISALNUM(unit); };
        if (!text || !std::all_of(text, text + n, is_plain)) return;
    }
    key_texts_ = static_cast<KeyText*>(PyMem_Calloc(count(), sizeof *key_texts_));
    for (std::size_t i = 0; key_texts_ && i < count(); ++i) {
        const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name(i)));
        KeyText& key = key_texts_[i];
        key.text[0] = key.text[n + 1] = '"';
        std::memcpy(key.text + 1, ascii_data(name(i)), n);
        key.length = static_cast<std::uint8_t>(n + 2);
    }
}

bool FieldsPlan::find_inline(PyTypeObject* type) noexcept {
    layout::KeysTable* const table = layout::shared_keys_table(type);
    if (!layout::kMayReadInlineValues || !table) return false;
    for (std::size_t i = 0; i < count(); ++i) {
        const int slot = slot_of(table, name(i));
        // What a class has of this name may be asked before the instance.
        const Owned of_class = find_in_class(type, name(i));
        if (slot < 0 || (of_class && Py_TYPE(of_class.get())->tp_descr_set)) return false;
        offsets_[i] = static_cast<std::uint16_t>(static_cast<std::size_t>(slot) * sizeof(PyObject*));
        least_values_ = std::max(least_values_, static_cast<std::uint16_t>(slot + 1));
    }
    return true;
}

bool FieldsPlan::find_members(PyTypeObject* type) noexcept {
    for (std::size_t i = 0; i < count(); ++i) {
        const Owned of_class = find_in_class(type, name(i));
        const std::size_t offset = of_class ? layout::member_offset(type, of_class.get()) : 0;
        if (offset == 0 || offset > UINT16_MAX) return false;
        offsets_[i] = static_cast<std::uint16_t>(offset);
    }
    return true;
}

void FieldsPlan::clear() noexcept {
    Py_CLEAR(names_);
    PyMem_Free(std::exchange(offsets_, nullptr));
    PyMem_Free(std::exchange(key_texts_, nullptr));
    PyMem_Free(std::exchange(order_, nullptr));
    least_values_ = 0;
}

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
    const FieldsPlan* plan = call.context.types.plan_of(Py_TYPE(value));
    FieldsPlan own_plan;
    call.decouple(value);
    const Owned hold = Owned::borrow(value);
    if (OCIOR_UNLIKELY(is_written_by_dict(Py_TYPE(value), call.rich))) {
        call.pin();
        if (Opened opened; open_dict_of(call, value, offset, opened)) return opened;
    }
    if (!plan || !*plan) {
        call.pin();
        const Owned names = field_names_of(Py_TYPE(value), call.rich);
        if (!names || !own_plan.set(call.constants.tricks, Py_TYPE(value), names.get()))
            return PyErr_Occurred() ? Opened::kFailed : open_default(call, value, offset);
        plan = &own_plan;
    }
    if (plan->count() == 0) return Opened::kEmptyDict;
    const auto read = [&] { return read_attributes(*plan, value, call.rich & kStored).release(); };
    if (!call.open_made(value, FrameKind::kFields, offset, read)) return Opened::kFailed;
    if (sorts_fields(call)) sort_pairs(call, call.top().iterated);
    return Opened::kDict;
}

}  // namespace

Opened open_fields(Call& call, PyObject* value, std::size_t offset) noexcept {
    const FieldsPlan* const plan = call.context.types.plan_of(Py_TYPE(value));
    layout::StrEntry* const entries = OCIOR_LIKELY(plan && plan->has_places()) ? call.context.entries.take(plan->count()) : nullptr;
    if (OCIOR_UNLIKELY(!entries)) return open_attributes(call, value, offset);
    if (OCIOR_UNLIKELY(!take_places(call, *plan, value, entries))) {
        call.context.entries.give_back(entries);
        return open_attributes(call, value, offset);
    }
    if (OCIOR_UNLIKELY(sorts_fields(call))) call.context.orders.sort(call.options, entries, plan->count());
    return call.open_entries(value, entries, plan->count(), offset) ? Opened::kDict : Opened::kFailed;
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

bool open_sorted(Call& call, PyObject* dict, std::size_t offset, Opened& opened) noexcept {
    if (open_by_str(call, dict, offset, opened)) return true;
    call.decouple(dict);
    if ((call.rich & kByDialect) || call.options.unique_keys) return false;  // with kByDialect the keys themselves are compared
    const Owned hold = Owned::borrow(dict);
    call.pin();
    // A snapshot, because Python code may run while keys become text.
    const Owned items = Owned::steal(PyDict_Items(dict));
    const Py_ssize_t count = items ? PyList_GET_SIZE(items.get()) : 0;
    Owned pairs = items ? new_pairs(static_cast<std::size_t>(count)) : Owned();
    opened = Opened::kFailed;
    if (!pairs) return true;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const item = PyList_GET_ITEM(items.get(), i);
        const Owned key = str_of_key(call, PyTuple_GET_ITEM(item, 0));
        if (!key) return PyErr_Occurred() != nullptr;
        put_pair(pairs.get(), static_cast<std::size_t>(i), key.get(), new_ref(PyTuple_GET_ITEM(item, 1)));
    }
    sort_pairs(call, pairs.get());
    opened = call.open_made(dict, FrameKind::kFields, offset, [&] { return pairs.release(); }) ? Opened::kDict : Opened::kFailed;
    return true;
}

Opened open_by_texts(Call& call, PyObject* dict, std::size_t offset) noexcept {
    const bool opened = call.open_made(dict, FrameKind::kFields, offset, [&] { return texts_and_values(call, dict).release(); });
    return opened ? Opened::kDict : Opened::kFailed;
}

const Handler kFields{.role = Handler::Role::kContainer, .open = open_fields},
    kNamedTuple{.role = Handler::Role::kContainer, .open = open_named_tuple};

}  // namespace ocior::encode
