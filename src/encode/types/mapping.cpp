#include "encode/types/mapping.h"

#include "encode/types/pairs.h"

namespace ocior::encode {
namespace {

// Reads the items of a dict that nobody changes meanwhile, all of whose keys are of exactly the type str, and are written as they are, by
// put(i, key, value). False where others are, or where there are not `count`.
template <typename Put>
bool read_items_of_str(Call& call, PyObject* dict, std::size_t count, Put put) noexcept {
    DictRun run(call.constants.tricks, dict, 0);
    PyObject *key, *value;
    std::size_t i = 0;
    bool is_good = true;
    const bool may_be_replaced = call.options.surrogates == Surrogates::kReplace;
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
    if (text && call.options.surrogates != Surrogates::kKeep) text = call.checked_text(text.get());
    if (!text) return false;
    if (seen) {
        const int is_seen = PySet_Contains(seen, text.get());
        if (is_seen > 0) refuse(call, call.options.dialect->duplicate_key, text.get());
        if (is_seen != 0 || PySet_Add(seen, text.get()) < 0) return false;
    }
    return PyList_Append(pairs, text.get()) == 0 && PyList_Append(pairs, PyTuple_GET_ITEM(item, 1)) == 0;
}

}  // namespace

Owned texts_and_values(Call& call, PyObject* dict, bool may_sort) noexcept {
    const bool is_stored = layout::is_exact_dict(dict) || (call.rich & kStored);
    const Owned items = is_stored ? Owned::steal(PyDict_Items(dict)) : list_of_items(dict);
    const bool are_unique = call.options.unique_keys;
    const Owned list = Owned::steal(PyList_New(0)), seen = Owned::steal(are_unique ? PySet_New(nullptr) : nullptr);
    if (!items || !list || (are_unique && !seen)) return {};
    const bool is_by_text = call.options.is_canonical || (call.rich & kRichKeys);  // else as json orders them
    if (may_sort && call.options.sort_keys && !is_by_text && PyList_Sort(items.get()) < 0) return {};
    for (Py_ssize_t i = 0;; ++i) {
        const Owned item = Owned::steal(new_item_ref(items.get(), i));
        if (!item) break;
        if (!add_text_and_value(call, item.get(), list.get(), seen.get())) return {};
    }
    Owned pairs = Owned::steal(PyList_AsTuple(list.get()));
    if (pairs && may_sort && is_by_text) sort_pairs(call, pairs.get());
    return pairs;
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
    const bool opened = call.open_made(dict, FrameKind::kFields, offset, [&] { return texts_and_values(call, dict, true).release(); });
    return opened ? Opened::kDict : Opened::kFailed;
}

}  // namespace ocior::encode
