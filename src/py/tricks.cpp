// The import-time proofs behind Tricks: build with the private layout, look through the public API, compare, free.
#include "py/tricks.h"

#include <iterator>
#include <string_view>

#include "py/attribute.h"
#include "py/container.h"
#include "py/fetch.h"
#include "py/memory/pages.h"
#include "py/number.h"
#include "py/str.h"

namespace ocior {
namespace {

bool prove_direct_scalars(Tricks&) noexcept {
    if constexpr (!layout::kMayBuildDirect || !layout::kThirtyBitDigits) return false;
    static_assert(sizeof(PyASCIIObject::state) == sizeof(AsciiHeader::state));
    static_assert(sizeof(PyASCIIObject) % 8 == 0);
    ObjectAllocator allocator;
    Owned model = Owned::steal(PyUnicode_FromString("ab cd"));
    if (!model) return false;
    AsciiHeader header;
    header.learn(model.get());
    Owned text = Owned::steal(new_ascii_direct(allocator, header, 5));
    if (!text) return false;
    std::memcpy(ascii_data(text.get()), "ab cd", 6);
    if (!PyUnicode_IS_ASCII(text.get()) || PyUnicode_GET_LENGTH(text.get()) != 5) return false;
    if (PyUnicode_Compare(text.get(), model.get()) != 0 || PyObject_Hash(text.get()) != PyObject_Hash(model.get())) return false;
    // (The state's padding bits may hold anything: its fields are compared, not its bytes.)
    if (!PyUnicode_IS_COMPACT_ASCII(text.get()) || PyUnicode_KIND(text.get()) != PyUnicode_1BYTE_KIND) return false;
    if (PyUnicode_CHECK_INTERNED(text.get())) return false;

    if constexpr (layout::kMayBuildWideDirect) {
        WideHeaders headers;
        if (!headers.learn()) return false;
        for (const char* form : {"\xc3\xa9t \xc3\xa0", "\xe4\xb8\xad\xe6\x96\x87 ", "\xf0\x9f\x98\x80 ocior"}) {
            Owned made = Owned::steal(PyUnicode_FromString(form));
            if (!made) return false;
            const auto width = static_cast<unsigned>(PyUnicode_KIND(made.get()));
            const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(made.get()));
            Owned built = Owned::steal(new_wide_direct(allocator, headers, width, length));
            if (!built) return false;
            auto* const data = static_cast<std::uint8_t*>(PyUnicode_DATA(built.get()));
            if (data != reinterpret_cast<std::uint8_t*>(built.get()) + sizeof(PyCompactUnicodeObject)) return false;
            std::memcpy(data, PyUnicode_DATA(made.get()), length * width);
            if (PyUnicode_KIND(built.get()) != PyUnicode_KIND(made.get()) || PyUnicode_IS_ASCII(built.get()) ||
                PyUnicode_CHECK_INTERNED(built.get()))
                return false;
            if (PyUnicode_Compare(built.get(), made.get()) != 0 || PyObject_Hash(built.get()) != PyObject_Hash(made.get())) return false;
            const char* const utf8 = PyUnicode_AsUTF8(built.get());
            if (!utf8 || std::strcmp(utf8, form) != 0) return false;
        }
    }

    for (std::int64_t value : {INT64_C(1025), INT64_C(-1025), INT64_C(1) << 30, -(INT64_C(1) << 30), (INT64_C(1) << 60) - 1,
                               INT64_C(1) << 60, INT64_MAX, INT64_MIN}) {
        Owned built = Owned::steal(new_int_direct(allocator, magnitude(value), value < 0));
        Owned made = Owned::steal(PyLong_FromLongLong(value));
        std::int64_t read = 0;
        if (!built || !made || PyObject_RichCompareBool(built.get(), made.get(), Py_EQ) != 1) return false;
        if (!int64_value(made.get(), read) || read != value) return false;
    }
    const Owned bytes = Owned::steal(PyBytes_FromString("ab cd"));
    const Owned copied = Owned::steal(copy_bytes(allocator, "ab cd, and more", 5));
    if (!bytes || !copied || PyObject_RichCompareBool(copied.get(), bytes.get(), Py_EQ) != 1) return false;
    if (PyBytes_AS_STRING(copied.get())[5] != 0 || PyObject_Hash(copied.get()) != PyObject_Hash(bytes.get())) return false;
    Owned number = Owned::steal(new_float_direct(allocator, -2.5));
    return number && PyFloat_CheckExact(number.get()) && PyFloat_AsDouble(number.get()) == -2.5;
}

// A tuple of texts that nobody else has. Empty with MemoryError set.
Owned new_texts(std::size_t count) noexcept {
    Owned texts = Owned::steal(PyTuple_New(static_cast<Py_ssize_t>(count)));
    for (std::size_t i = 0; texts && i < count; ++i) {
        PyObject* const text = PyUnicode_FromFormat("ocior text %d", static_cast<int>(i));
        if (!text) return {};
        PyTuple_SET_ITEM(texts.get(), static_cast<Py_ssize_t>(i), text);
    }
    return texts;
}

// Whether what the layout says of the table's size is all that CPython allocates for it.
bool is_whole_table(PyObject* dict) noexcept {
    const auto* const table = layout::combined_str_table(dict);
    const Owned count = get_attribute(dict, "__sizeof__");
    const Owned bytes = Owned::steal(count ? PyObject_CallNoArgs(count.get()) : nullptr);
    const std::size_t expected =
        sizeof(PyDictObject) + layout::entries_offset(table) + layout::entry_capacity(table) * sizeof(layout::StrEntry);
    return bytes && PyLong_AsSize_t(bytes.get()) == expected;
}

// Tables that were filled here: CPython finds every key in them, and no other, and goes on with them. They have sizes on both sides of each
// limit, and an index of bytes or of words. Tables of 2^16 slots and more, which differ only by a wider index, take too long to make here.
[[maybe_unused]] bool prove_dicts_by_hand() noexcept {
    constexpr std::size_t kCounts[] = {1, 2, 5, 6, 10, 11, 21, 22, 85, 86, 170, 171};
    constexpr std::size_t kMost = kCounts[std::size(kCounts) - 1];
    const Owned keys = new_texts(kMost + 1);
    if (!keys) return false;
    PyObject* const* const items = items_of_tuple(keys.get());
    PyObject* const other = items[kMost];
    ObjectAllocator allocator;
    for (const std::size_t count : kCounts) {
        const Owned dict = Owned::steal(dict_by_hand(allocator, {items, 1, items, 1, count}, false));
        if (!dict || !is_template(dict.get(), count) || !is_whole_table(dict.get())) return false;
        for (std::size_t i = 0; i < count; ++i)
            if (PyDict_GetItemWithError(dict.get(), items[i]) != items[i]) return false;
        if (PyDict_GetItemWithError(dict.get(), other)) return false;
        if (PyDict_SetItem(dict.get(), other, Py_None) < 0 || PyDict_GetItemWithError(dict.get(), other) != Py_None) return false;
        if (PyDict_DelItem(dict.get(), items[0]) < 0 || PyDict_GET_SIZE(dict.get()) != static_cast<Py_ssize_t>(count)) return false;
    }
    PyObject* const twice[] = {items[0], items[1], items[2], items[1]};
    return !dict_by_hand(allocator, {twice, 1, twice, 1, std::size(twice)}, false) && !PyErr_Occurred() && Py_REFCNT(items[1]) == 1;
}

// Whether the entries of a dict with a key that is no str are read as CPython reads them, also where one has been deleted.
bool prove_other_entries(PyObject* dict) noexcept {
    layout::KeysTable* const table = layout::combined_other_table(dict);
    if (!table || PyDict_DelItem(dict, layout::other_entries(table)[1].key) < 0) return false;
    PyObject *key, *value;
    Py_ssize_t position = 0;
    for (Py_ssize_t i = 0; i < table->entry_count; ++i) {
        const layout::OtherEntry& entry = layout::other_entries(table)[i];
        if (!entry.value) continue;
        if (!PyDict_Next(dict, &position, &key, &value) || position != i + 1 || key != entry.key || value != entry.value) return false;
        if (PyObject_Hash(key) != entry.hash) return false;
    }
    return !PyDict_Next(dict, &position, &key, &value);
}

bool prove_keys_table(Tricks&) noexcept {
    // (Overwriting None by hand would upset the reference total of a debug build.)
    if constexpr (!layout::kMayReadKeysTable || !(layout::kReleaseBuild || layout::kImmortalConstants)) return false;
    Owned tmpl = Owned::steal(PyDict_New());
    constexpr std::size_t n = 20;
    const Owned texts = new_texts(3 * n);
    if (!tmpl || !texts) return false;
    PyObject* const* const keys = items_of_tuple(texts.get());
    PyObject *const *const marks = keys + n, *const *const more = marks + n;
    for (std::size_t i = 0; i < n; ++i)
        if (PyDict_SetItem(tmpl.get(), keys[i], Py_None) < 0) return false;
    if (!is_template(tmpl.get(), n)) return false;
    const layout::StrEntry* entries = layout::str_entries(layout::combined_str_table(tmpl.get()));
    for (std::size_t i = 0; i < n; ++i)
        if (entries[i].key != keys[i] || entries[i].value != Py_None) return false;

    // What dict_from_template relies on: the copy is dense, in order and combined. Look before writing.
    Owned probe = Owned::steal(PyDict_Copy(tmpl.get()));
    if (!probe || !is_template(probe.get(), n)) return false;
    if constexpr (layout::kMayPlantKeysTable)
        if (!is_whole_table(tmpl.get()) || !prove_dicts_by_hand()) return false;
    ObjectAllocator allocator;
    PyObject* values[n];
    for (std::size_t i = 0; i < n; ++i) values[i] = new_ref(marks[i]);
    Owned dict = Owned::steal(dict_from_template(allocator, tmpl.get(), values, n, false));
    if (!dict) {
        for (PyObject* value : values) Py_DECREF(value);
        return false;
    }
    for (std::size_t i = 0; i < n; ++i)
        if (PyDict_GetItemWithError(dict.get(), keys[i]) != marks[i]) return false;

    // A deleted entry leaves a gap that a cursor must skip; an instance dict with shared keys is not our table.
    if (PyDict_DelItem(dict.get(), keys[3]) < 0 || is_template(dict.get(), n)) return false;
    // It grows and shrinks like any other, and none of that touches the template.
    for (std::size_t i = 0; i < n; ++i)
        if (PyDict_SetItem(dict.get(), more[i], Py_None) < 0) return false;
    if (PyDict_GET_SIZE(dict.get()) != 2 * n - 1 || PyDict_GetItemWithError(dict.get(), keys[5]) != marks[5]) return false;
    if (PyDict_SetItem(dict.get(), Py_None, Py_None) < 0) return false;  // a key that is no str: general table
    if (layout::combined_str_table(dict.get()) != nullptr || !prove_other_entries(dict.get())) return false;
    return PyDict_GetItemWithError(tmpl.get(), keys[7]) == Py_None;
}

bool prove_list_items(Tricks&) noexcept {
    if constexpr (!layout::kMayPlantListItems && !layout::kMayPlantListArray) return false;
    Tricks on;
    on.list_items = true;
    ObjectAllocator allocator;
    PyObject* values[3] = {new_ref(Py_None), new_ref(Py_True), new_ref(Py_False)};
    Owned list = Owned::steal(list_from(on, allocator, values, 3));
    if (!list) {
        for (PyObject* value : values) Py_DECREF(value);
        return false;
    }
    if (PyList_Size(list.get()) != 3 || PyList_GetItem(list.get(), 1) != Py_True) return false;
    if (PyList_Append(list.get(), Py_None) < 0 || PyList_SetSlice(list.get(), 0, 3, nullptr) < 0) return false;
    return PyList_Size(list.get()) == 1 && PyList_GetItem(list.get(), 0) == Py_None;
}

bool prove_utf8_forms(Tricks&) noexcept {
    if constexpr (!layout::kMayPlantUtf8) return false;
    for (const char* text : {"\xc3\xa9t", "\xe4\xb8\xad\xe6\x96\x87", "\xf0\x9f\x98\x80 "}) {
        Owned str = Owned::steal(PyUnicode_FromString(text));
        std::size_t byte_len = 0;
        if (!str || cached_utf8(str.get(), byte_len) || !reinterpret_cast<PyASCIIObject*>(str.get())->state.compact) return false;
        plant_utf8(str.get(), reinterpret_cast<const std::uint8_t*>(text), std::strlen(text));
        const std::uint8_t* planted = cached_utf8(str.get(), byte_len);
        Py_ssize_t size = 0;
        const char* seen = PyUnicode_AsUTF8AndSize(str.get(), &size);
        if (!planted || reinterpret_cast<const char*>(planted) != seen || static_cast<std::size_t>(size) != byte_len ||
            std::strcmp(seen, text) != 0 || seen[size] != 0)
            return false;
    }
    return true;
}

// What the instances of a class derived from `base` keep, where `find(object, count)` finds it. Not a pointer to a function: those
// of layout.h are always inlined.
template <typename Find>
bool prove_values(PyTypeObject& base, Find find) noexcept {
    constexpr std::size_t n = 3;
    const Owned texts = new_texts(2 * n);
    const Owned cls = Owned::steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "Probe", &base));
    const Owned object = cls && texts ? Owned::steal(PyObject_CallNoArgs(cls.get())) : Owned();
    if (!object) return false;
    PyObject *const *const names = items_of_tuple(texts.get()), *const *const values = names + n;
    for (std::size_t i = 0; i < n; ++i)
        if (PyObject_SetAttr(object.get(), names[i], values[i]) < 0) return false;
    layout::KeysTable* const table = layout::shared_keys_table(Py_TYPE(object.get()));
    PyObject* const* const found = find(object.get(), n);
    if (!table || !found || table->entry_count != n) return false;
    for (std::size_t i = 0; i < n; ++i)
        if (PyUnicode_Compare(layout::str_entries(table)[i].key, names[i]) != 0 || found[i] != values[i]) return false;
    const auto has_order = [found](std::initializer_list<std::uint8_t> places) {
        return layout::are_in_order(found, places.begin(), places.size());
    };
    if (!has_order({0, 1, 2}) || has_order({0, 2, 1}) || has_order({0, 1})) return false;
    // A deleted attribute is not found, and comes last once it is set again. Once the object has another dict, no attribute is found.
    if (PyObject_DelAttr(object.get(), names[1]) < 0 || found[1] || found[2] != values[2] || !has_order({0, 2})) return false;
    if (PyObject_SetAttr(object.get(), names[1], values[1]) < 0 || found[1] != values[1] || !has_order({0, 2, 1})) return false;
    const Owned dict = Owned::steal(PyDict_New());
    return dict && PyObject_SetAttrString(object.get(), "__dict__", dict.get()) == 0 && !find(object.get(), n);
}

// An instance with more attributes than it has inline values for.
bool prove_dict_in_instance() noexcept {
    constexpr std::size_t n = 40;
    const Owned names = new_texts(n);
    const Owned cls = Owned::steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(O){}", "Probe", &PyBaseObject_Type));
    const Owned object = cls && names ? Owned::steal(PyObject_CallNoArgs(cls.get())) : Owned();
    if (!object || !layout::has_dict_in_instances(Py_TYPE(object.get()))) return false;
    PyObject* const* const name = items_of_tuple(names.get());
    for (std::size_t i = 0; i < n; ++i)
        if (PyObject_SetAttr(object.get(), name[i], Py_None) < 0) return false;
    const Owned dict = Owned::steal(PyObject_GenericGetDict(object.get(), nullptr));
    return dict && layout::dict_in_instance(object.get()) == dict.get() && PyDict_GET_SIZE(dict.get()) == static_cast<Py_ssize_t>(n);
}

bool prove_inline_values(Tricks&) noexcept {
    constexpr auto inline_values = [](PyObject* object, std::size_t n) noexcept { return layout::inline_values(object, n); };
    constexpr auto dict_values = [](PyObject* object, std::size_t n) noexcept { return layout::dict_values(object, n); };
    if (!layout::kMayReadInlineValues || !prove_values(PyBaseObject_Type, inline_values) || !prove_dict_in_instance()) return false;
    return !layout::kMayReadDictValues || prove_values(PyLong_Type, dict_values);
}

bool prove_key_order(Tricks&) noexcept {
    if constexpr (!layout::kMayReadOrder) return false;
    constexpr std::size_t n = 4;
    const Owned keys = new_texts(n), dict = Owned::steal(PyODict_New());
    if (!keys || !dict || layout::first_key_in_order(dict.get())) return false;
    PyObject* const* const key = items_of_tuple(keys.get());
    for (std::size_t i = 0; i < n; ++i)
        if (PyODict_SetItem(dict.get(), key[i], Py_None) < 0) return false;
    const auto has_order = [&](std::initializer_list<std::size_t> order) {
        const layout::OrderedKey* node = layout::first_key_in_order(dict.get());
        for (const std::size_t i : order) {
            if (!node || node->key != key[i] || (node->next && node->next->previous != node)) return false;
            node = node->next;
        }
        return !node;
    };
    if (!has_order({0, 1, 2, 3})) return false;
    const Owned moved = Owned::steal(PyObject_CallMethod(dict.get(), "move_to_end", "O", key[1]));
    return moved && has_order({0, 2, 3, 1}) && PyODict_DelItem(dict.get(), key[0]) == 0 && has_order({2, 3, 1});
}

#ifdef Py_GIL_DISABLED
// Where in a thread's state that word is which counts the containers that it makes, and less when they are freed. 0 where none is found.
std::size_t find_container_count() noexcept {
    constexpr std::size_t kSearched = 2048, kStep = sizeof(Py_ssize_t);  // by far not all of it
    constexpr int kCount = 6;
    const auto* const state = reinterpret_cast<const char*>(PyThreadState_Get());
    char is_it[kSearched / kStep];
    std::memset(is_it, 1, sizeof is_it);
    Py_ssize_t expected[kSearched / kStep];
    std::memcpy(expected, state, kSearched);
    const auto compare = [&](int change) {
        for (std::size_t i = 0; i < kSearched / kStep; ++i) is_it[i] &= load<Py_ssize_t>(state + i * kStep) == (expected[i] += change);
    };
    PyObject* objects[kCount];
    for (PyObject*& object : objects) {
        object = _PyObject_GC_New(&PyList_Type);
        compare(1);
    }
    for (PyObject* const object : objects) {
        if (object) PyObject_GC_Del(object);
        compare(-1);
    }
    const std::string_view found(is_it, sizeof is_it);
    const std::size_t at = found.find('\1');
    return at != found.npos && at == found.rfind('\1') ? at * kStep : 0;
}

// Lists and dicts made by hand are those of CPython, byte by byte, and it counts them.
bool prove_container_headers(Tricks& tricks) noexcept {
    if (!layout::kMayMakeContainers || !tricks.page_blocks) return false;
    Tricks on = tricks;
    for (int i = 0; i < 3 && !on.count_offset; ++i) on.count_offset = find_container_count();  // it may be set back just then
    const Owned list = Owned::steal(PyList_New(0)), dict = Owned::steal(PyDict_New());
    if (!on.count_offset || !list || !dict) return false;
    on.container_headers = true;
    on.no_keys = reinterpret_cast<PyDictObject*>(dict.get())->ma_keys;
    ObjectAllocator allocator;
    allocator.refresh(on, false);
    allocator.collector.begin(on);
    const auto& count = *reinterpret_cast<const Py_ssize_t*>(reinterpret_cast<const char*>(PyThreadState_Get()) + on.count_offset);
    const Owned all = Owned::steal(PyList_New(0));
    std::size_t counted = 0;
    constexpr std::size_t kByHand = 200;
    for (std::size_t i = 0; all && i < Collector::kFreeObjects + kByHand; ++i) {
        const Py_ssize_t before = count;
        const Owned made_list = Owned::steal(new_list(allocator)), made_dict = Owned::steal(new_dict(allocator));
        if (!made_list || !made_dict) return false;
        counted += count == before + 2;
        track_dict(allocator, made_dict.get(), true);
        if (std::memcmp(made_list.get(), list.get(), sizeof(PyListObject)) != 0) return false;
        if (std::memcmp(made_dict.get(), dict.get(), sizeof(PyDictObject)) != 0) return false;
        if (PyList_Append(all.get(), made_list.get()) < 0 || PyDict_SetItem(made_dict.get(), Py_None, made_list.get()) < 0) return false;
        if (PyList_Append(all.get(), made_dict.get()) < 0) return false;
    }
    if (counted < kByHand - 4) return false;  // but where another page begins, or the count is set back
    tricks.count_offset = on.count_offset;
    tricks.no_keys = on.no_keys;
    return true;
}
#else
// A new list is the last object of the youngest generation, and what closes that ring is where CPython counts. Then lists and dicts are
// made by hand, and what CPython says of them and does to them is that of its own.
bool prove_container_headers(Tricks& tricks) noexcept {
    if constexpr (!layout::kMayMakeContainers) return false;
#if PY_VERSION_HEX >= 0x030E0000
    if (Py_Version < 0x030E0700) return false;
#endif
    const Owned list = Owned::steal(PyList_New(0)), dict = Owned::steal(PyDict_New());
    if (!list || !dict) return false;
    CollectorLinks* const newest =
        CollectorLinks::of(PY_VERSION_HEX < 0x030E0000 ? list.get() : dict.get());  // since 3.14 both are tracked
    auto* const youngest = reinterpret_cast<Generation*>(newest->next);
    const auto is_aligned = reinterpret_cast<std::uintptr_t>(youngest) % alignof(Generation) == 0;
    if (!youngest || !is_aligned || youngest->ring.previous != newest) return false;
    const Owned gc = Owned::steal(PyImport_ImportModule("gc"));
    const Owned thresholds = Owned::steal(gc ? PyObject_CallMethod(gc.get(), "get_threshold", nullptr) : nullptr);
    if (!thresholds || PyLong_AsLong(PyTuple_GetItem(thresholds.get(), 0)) != youngest->threshold) return false;
    {
        constexpr int kCount = 5;
        PyObject* objects[kCount];
        const int before = youngest->count;
        bool agrees = true;
        for (int i = 0; i < kCount; ++i) {
            objects[i] = reinterpret_cast<PyObject*>(PyObject_GC_New(PyListObject, &PyList_Type));
            agrees = agrees && objects[i] && youngest->count == before + i + 1;
        }
        for (PyObject* const object : objects)
            if (object) PyObject_GC_Del(object);
        if (!agrees || youngest->count != before) return false;
    }
    Tricks on;
    on.container_headers = true;
    on.youngest = youngest;
    on.no_keys = reinterpret_cast<PyDictObject*>(dict.get())->ma_keys;
    ObjectAllocator allocator;
    allocator.collector.begin(on);
    const Owned all = Owned::steal(PyList_New(0));
    const Py_ssize_t references = layout::keys_table(dict.get())->refcnt;
    for (std::size_t i = 0; i < Collector::kFreeObjects + 8; ++i) {
        const int before = youngest->count;
        const Owned made_list = Owned::steal(new_list(allocator)), made_dict = Owned::steal(new_dict(allocator));
        if (!all || !made_list || !made_dict) return false;
        if (!PyObject_GC_IsTracked(made_list.get())) return false;
        if (i >= Collector::kFreeObjects) {
            if (youngest->count != before + 2 || youngest->ring.previous != CollectorLinks::of(made_list.get())) return false;
            if (PyObject_GC_IsTracked(made_dict.get())) return false;
            track_dict(allocator, made_dict.get(), true);
        }
        if (PyList_Append(made_list.get(), all.get()) < 0 || PyDict_SetItem(made_dict.get(), Py_None, made_list.get()) < 0) return false;
        if (!PyObject_GC_IsTracked(made_dict.get()) || youngest->ring.previous->next != &youngest->ring) return false;
    }
    if (layout::keys_table(dict.get())->refcnt != references) return false;
    tricks.youngest = youngest;
    tricks.no_keys = on.no_keys;
    return true;
}
#endif

// All of them, in the order in which they are shown and proved.
constexpr struct {
    const char* name;
    bool Tricks::* is_on;
    bool (*prove)(Tricks& tricks) noexcept;
} kAll[] = {
    {"direct_scalars", &Tricks::direct_scalars, prove_direct_scalars},
    {"keys_table", &Tricks::keys_table, prove_keys_table},
    {"list_items", &Tricks::list_items, prove_list_items},
    {"utf8_forms", &Tricks::utf8_forms, prove_utf8_forms},
    {"inline_values", &Tricks::inline_values, prove_inline_values},
    {"key_order", &Tricks::key_order, prove_key_order},
    {"pool_blocks", &Tricks::pool_blocks, prove_pool_blocks},
    {"page_blocks", &Tricks::page_blocks, prove_page_blocks},
    {"allocator_table", &Tricks::allocator_table, prove_allocator_table},
    {"container_headers", &Tricks::container_headers, prove_container_headers},
    {"huge_pages", &Tricks::huge_pages, prove_huge_pages},
};

// A variable of the environment, a comma before and behind it. This interpreter's os.environ is asked: others may be changing the C
// library's environment meanwhile. Empty with an error set.
Owned setting_of(const char* name) noexcept {
    const Owned os = Owned::steal(PyImport_ImportModule("os"));
    const Owned variables = os ? get_attribute(os.get(), "environ") : Owned();
    const Owned value = Owned::steal(variables ? PyObject_CallMethod(variables.get(), "get", "ss", name, "") : nullptr);
    return Owned::steal(value ? PyUnicode_FromFormat(",%S,", value.get()) : nullptr);
}

// Whether an entry is in a setting, or that cannot be told.
bool has_entry(const Owned& setting, const char* minus, const char* name) noexcept {
    const Owned entry = Owned::steal(setting ? PyUnicode_FromFormat(",%s%s,", minus, name) : nullptr);
    return !entry || PyUnicode_Contains(setting.get(), entry.get()) != 0;
}

}  // namespace

void Tricks::probe() noexcept {
    want_huge_pages(!has_entry(setting_of("OCIOR_HUGE_PAGES"), "", "0"));
    const Owned setting = setting_of("OCIOR_TRICKS");
    const bool are_refused = has_entry(setting, "", "0");
    for (const auto& trick : kAll) {
        PyErr_Clear();
        this->*trick.is_on = !are_refused && !has_entry(setting, "-", trick.name) && trick.prove(*this);
    }
    PyErr_Clear();
}

Owned Tricks::as_dict() const noexcept {
    Owned dict = Owned::steal(PyDict_New());
    for (const auto& trick : kAll)
        if (!dict || PyDict_SetItemString(dict.get(), trick.name, this->*trick.is_on ? Py_True : Py_False) < 0) return {};
    return dict;
}

}  // namespace ocior
