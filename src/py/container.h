// list and dict objects: building a list at its exact size from a run of owned values, and walking dict entries.
#pragma once

#include "base/copy.h"
#include "py/memory/allocator.h"
#include "py/memory/pages.h"

namespace ocior {

// Moves owned references. Short runs by scalar moves: a wide load right after 8-byte stores fails to forward
// (12 % of loads on record-like data).
OCIOR_INLINE void move_refs(PyObject** to, PyObject* const* from, std::size_t n) noexcept {
    if (OCIOR_LIKELY(n <= 12)) {
        for (std::size_t i = 0; i < n; ++i) {
            PyObject* item = from[i];
            __asm__ volatile("" : "+r"(item));  // keeps the loop scalar
            to[i] = item;
        }
    } else {
        copy_block(to, from, n * sizeof(PyObject*));
    }
}

// Makes the block `items`, of the "mem" domain, with room for `room` of which `n` are there, the items of an empty list. Needs
// Tricks::list_items. Whoever sees the list sees whole items, or none: gc.get_objects() shows it to other threads.
OCIOR_INLINE void plant_items(PyObject* list, PyObject** items, std::size_t n, std::size_t room) noexcept {
    auto* object = reinterpret_cast<PyListObject*>(list);
    __atomic_store_n(&object->ob_item, items, __ATOMIC_RELEASE);
    object->allocated = static_cast<Py_ssize_t>(room);
    Py_SET_SIZE(object, static_cast<Py_ssize_t>(n));
}

// An empty list, tracked. Null with MemoryError set.
OCIOR_INLINE PyObject* new_list(ObjectAllocator& allocator) noexcept {
    if (OCIOR_LIKELY(!allocator.collector.makes_list())) return PyList_New(0);
    auto* const list = allocator.new_container<PyListObject>(&PyList_Type);
    if (OCIOR_UNLIKELY(!list)) return PyErr_NoMemory();
    auto* const object = reinterpret_cast<PyObject*>(list);
    Py_SET_SIZE(list, 0);
    list->ob_item = nullptr;
    list->allocated = 0;
    allocator.collector.track(object);
    return object;
}

// An empty dict, which need not be tracked. Null with MemoryError set.
OCIOR_INLINE PyObject* new_dict(ObjectAllocator& allocator) noexcept {
    if (OCIOR_LIKELY(!allocator.collector.makes_dict())) return PyDict_New();
    auto* const dict = allocator.new_container<PyDictObject>(&PyDict_Type);
    if (OCIOR_UNLIKELY(!dict)) return PyErr_NoMemory();
    dict->ma_used = 0;
    layout::set_dict_version(dict, allocator.collector.next_dict_version());
    dict->ma_keys = allocator.collector.no_keys();
    dict->ma_values = nullptr;
    return reinterpret_cast<PyObject*>(dict);
}

// A block for a list of `n` items. Null when out of memory (no error set).
OCIOR_INLINE PyObject** allocate_list_items(ObjectAllocator& allocator, std::size_t n) noexcept {
    auto** const block = static_cast<PyObject**>(allocator.allocate_mem((layout::kListArrayHead + n) * sizeof(PyObject*)));
    if (OCIOR_UNLIKELY(!block)) return nullptr;
    if constexpr (layout::kListArrayHead > 0) store(block, static_cast<Py_ssize_t>(n));
    return block + layout::kListArrayHead;
}
OCIOR_INLINE void free_list_items(PyObject** items) noexcept { PyMem_Free(items - layout::kListArrayHead); }

// A list that takes over the `n` references at `values`. Empty result on MemoryError: the references stay the caller's.
OCIOR_INLINE PyObject* list_from(const Tricks& tricks, ObjectAllocator& allocator, PyObject* const* values, std::size_t n) noexcept {
    if constexpr (layout::kMayPlantListItems || layout::kMayPlantListArray) {
        if (OCIOR_LIKELY(tricks.list_items)) {
            PyObject* list = new_list(allocator);
            if (OCIOR_UNLIKELY(!list) || n == 0) return list;
            PyObject** const items = allocate_list_items(allocator, n);
            if (OCIOR_UNLIKELY(!items)) {
                Py_DECREF(list);
                return PyErr_NoMemory();
            }
            move_refs(items, values, n);
            plant_items(list, items, n, n);
            return list;
        }
    }
    // Without a GIL, PyList_New(n) that gets a header and then no items drops a list of which it has not yet said that it has none, and
    // the process dies (CPython's issue 152125). A header from the free list says so: one is put there.
    if constexpr (!layout::kHasGil) {
        PyObject* const header = PyList_New(0);
        if (OCIOR_UNLIKELY(!header)) return nullptr;
        Py_DECREF(header);
    }
    PyObject* list = PyList_New(static_cast<Py_ssize_t>(n));
    if (OCIOR_UNLIKELY(!list)) return nullptr;
    for (std::size_t i = 0; i < n; ++i) PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), values[i]);
    return list;
}

// Tracks a dict whose values were written in place; older versions track a dict only once it holds a container.
OCIOR_INLINE void track_dict(ObjectAllocator& allocator, PyObject* dict, bool has_container) noexcept {
    if ((has_container || PY_VERSION_HEX >= 0x030E0000) && !allocator.collector.is_tracked(dict)) allocator.collector.track(dict);
}

// Takes that back of one that holds no container after all.
OCIOR_INLINE void untrack_dict(PyObject* dict) noexcept {
    if constexpr (PY_VERSION_HEX < 0x030E0000) PyObject_GC_UnTrack(dict);
}

// Makes `table`, a block of the dict's own, what a new dict holds: `n` items.
OCIOR_INLINE void plant_table(ObjectAllocator& allocator, PyObject* dict, layout::KeysTable* table, std::size_t n,
                              bool has_container) noexcept {
    auto* const object = reinterpret_cast<PyDictObject*>(dict);
    // Since 3.14 gc.get_objects() may show the dict to other threads: its table is whole before they can see it.
    __atomic_store_n(&object->ma_keys, reinterpret_cast<PyDictKeysObject*>(table), __ATOMIC_RELEASE);
    __atomic_store_n(&object->ma_used, static_cast<Py_ssize_t>(n), __ATOMIC_RELAXED);
    // Before 3.14 a new dict is not tracked.
    if constexpr (PY_VERSION_HEX >= 0x030E0000) track_dict(allocator, dict, true);
    else if (has_container) allocator.collector.track(dict);
}

// A block for a keys table like `model`. Null when out of memory (no error set).
OCIOR_INLINE layout::KeysTable* allocate_table_like(ObjectAllocator& allocator, const layout::KeysTable* model) noexcept {
    const std::size_t entries_bytes = layout::entry_capacity(model) * sizeof(layout::StrEntry);
    return static_cast<layout::KeysTable*>(allocator.allocate_keys(layout::entries_offset(model) + entries_bytes));
}
OCIOR_INLINE void free_table(void* table) noexcept { layout::kPartsAreObjects ? PyObject_Free(table) : PyMem_Free(table); }

// Whether a dict, or a list, is as new: a garbage collector may have shown it to somebody. New dicts share one table without a place.
OCIOR_INLINE bool is_new_dict(PyObject* dict) noexcept { return layout::keys_table(dict)->log2_size == 0; }
OCIOR_INLINE bool is_new_list(PyObject* list) noexcept { return reinterpret_cast<PyListObject*>(list)->ob_item == nullptr; }

// Makes `table`, a block like `model`, what a new dict holds: the keys of `model`, with the `n` references at `values`. Its loops are
// short, and stay scalar: a compiler that makes vectors of them doubles the instructions.
OCIOR_INLINE void plant_table_like(ObjectAllocator& allocator, PyObject* dict, layout::KeysTable* table, layout::KeysTable* model,
                                   PyObject* const* values, std::size_t n, bool has_container) noexcept {
    const std::size_t entries_offset = layout::entries_offset(model), capacity = layout::entry_capacity(model);
    const auto* const from = reinterpret_cast<const char*>(model);
    auto* const to = reinterpret_cast<char*>(table);
    *table = *model;
    table->refcnt = 1;
    table->version = 0;
    for (std::size_t at = sizeof *table; at < entries_offset; at += 8) {
        auto slots = load<std::uint64_t>(from + at);
        __asm__ volatile("" : "+r"(slots));
        store(to + at, slots);
    }
    auto* entry = reinterpret_cast<layout::StrEntry*>(to + entries_offset);
    const auto* key = reinterpret_cast<const layout::StrEntry*>(from + entries_offset);
    for (layout::StrEntry* const end = entry + n; entry != end; ++entry, ++key, ++values) *entry = {new_ref(key->key), *values};
    for (std::size_t rest = capacity - n; rest > 0; --rest, ++entry) {
        __asm__ volatile("" : "+r"(entry));
        *entry = {nullptr, nullptr};
    }
    plant_table(allocator, dict, table, n, has_container);
}

// A copy of `tmpl`, a dict of `n` str keys with None values, whose values become the `n` references at `values`, which
// it takes over. Needs Tricks::keys_table. Empty result on MemoryError: the references stay the caller's.
OCIOR_INLINE PyObject* dict_from_template(ObjectAllocator& allocator, PyObject* tmpl, PyObject* const* values, std::size_t n,
                                          bool has_container) noexcept {
    if constexpr (layout::kMayPlantKeysTable) {
        PyObject* dict = new_dict(allocator);
        if (OCIOR_UNLIKELY(!dict)) return nullptr;
        layout::KeysTable* const model = layout::keys_table(tmpl);
        layout::KeysTable* const table = allocate_table_like(allocator, model);
        if (OCIOR_UNLIKELY(!table)) {
            Py_DECREF(dict);
            return PyErr_NoMemory();
        }
        plant_table_like(allocator, dict, table, model, values, n, has_container);
        return dict;
    }
    PyObject* dict = PyDict_Copy(tmpl);
    if (OCIOR_UNLIKELY(!dict)) return nullptr;
    layout::StrEntry* entry = layout::str_entries(layout::keys_table(dict));
    for (std::size_t i = 0; i < n; ++i) entry[i].value = values[i];
    if constexpr (!layout::kImmortalConstants) Py_SET_REFCNT(Py_None, Py_REFCNT(Py_None) - static_cast<Py_ssize_t>(n));
    track_dict(allocator, dict, has_container);
    return dict;
}

// The str keys and the values of a dict that is to be, which lie some pointers apart.
struct Items {
    PyObject* const* keys;
    std::size_t key_step;
    PyObject* const* values;
    std::size_t value_step;
    std::size_t count;

    PyObject* key(std::size_t i) const noexcept { return keys[i * key_step]; }
    PyObject* value(std::size_t i) const noexcept { return values[i * value_step]; }
};

// The hash of a str, which cannot fail.
OCIOR_INLINE std::size_t hash_of(PyObject* str) noexcept {
    const Py_hash_t known = __atomic_load_n(&reinterpret_cast<PyASCIIObject*>(str)->hash, __ATOMIC_RELAXED);
    return static_cast<std::size_t>(OCIOR_LIKELY(known != -1) ? known : PyObject_Hash(str));
}

// Fills a table of 2^log2_size slots whose index is of `Index`, as CPython would: the probing is its own. False where a key occurs twice;
// then nothing is owned.
template <typename Index>
OCIOR_INLINE bool fill_table(Index* index, layout::StrEntry* entries, unsigned log2_size, const Items& items) noexcept {
    constexpr auto kEmpty = static_cast<Index>(-1);
    constexpr std::size_t kAhead = sizeof(Index) > 2 ? 8 : 0;  // a large table's slots are far away
    const std::size_t mask = (std::size_t{1} << log2_size) - 1;
    for (std::size_t i = 0; i < items.count; ++i) {
        if constexpr (kAhead > 0)
            if (i + kAhead < items.count) __builtin_prefetch(&index[hash_of(items.key(i + kAhead)) & mask], 1);
        PyObject* const key = items.key(i);
        const std::size_t hash = hash_of(key);
        std::size_t perturb = hash, slot = hash & mask;
        while (OCIOR_UNLIKELY(index[slot] != kEmpty)) {
            PyObject* const other = entries[index[slot]].key;
            if (other == key || (hash_of(other) == hash && PyUnicode_Compare(other, key) == 0)) {
                while (i-- > 0) {
                    Py_DECREF(entries[i].key);
                    Py_DECREF(entries[i].value);
                }
                return false;
            }
            perturb >>= 5;
            slot = (slot * 5 + perturb + 1) & mask;
        }
        index[slot] = static_cast<Index>(i);
        entries[i] = {new_ref(key), new_ref(items.value(i))};
    }
    return true;
}

// A dict of at least one item, with references of its own, in a table of the size that CPython gives a dict of so many. Needs
// Tricks::keys_table. Null with an error set, or without one: a key occurs twice.
inline PyObject* dict_by_hand(ObjectAllocator& allocator, const Items& items, bool has_container) noexcept {
    const auto usable_of = [](unsigned log2) { return (std::size_t{2} << log2) / 3; };
    unsigned log2_size = 3;
    while (usable_of(log2_size) < items.count) ++log2_size;
    if (OCIOR_UNLIKELY(log2_size > 30)) return nullptr;
    const std::size_t usable = usable_of(log2_size);
    const unsigned log2_index_bytes = log2_size + (log2_size >= 8) + (log2_size >= 16);
    const std::size_t index_bytes = std::size_t{1} << log2_index_bytes;
    const std::size_t byte_len = sizeof(layout::KeysTable) + index_bytes + usable * sizeof(layout::StrEntry);
    PyObject* const dict = new_dict(allocator);
    if (OCIOR_UNLIKELY(!dict)) return nullptr;
    auto* const table = static_cast<layout::KeysTable*>(allocator.allocate_keys(byte_len));
    if (OCIOR_UNLIKELY(!table)) {
        Py_DECREF(dict);
        return PyErr_NoMemory();
    }
    prefer_huge_pages(table, byte_len, 0);
    auto* const index = reinterpret_cast<std::uint8_t*>(table + 1);
    auto* const entries = reinterpret_cast<layout::StrEntry*>(index + index_bytes);
    std::memset(index, 0xff, index_bytes);
    const bool is_filled = OCIOR_LIKELY(log2_size < 8) ? fill_table(index, entries, log2_size, items)
                           : log2_size < 16            ? fill_table(reinterpret_cast<std::uint16_t*>(index), entries, log2_size, items)
                                                       : fill_table(reinterpret_cast<std::uint32_t*>(index), entries, log2_size, items);
    if (OCIOR_UNLIKELY(!is_filled)) {
        free_table(table);
        Py_DECREF(dict);
        return nullptr;
    }
    std::memset(entries + items.count, 0, (usable - items.count) * sizeof(layout::StrEntry));
    *table = {.refcnt = 1,
              .log2_size = static_cast<std::uint8_t>(log2_size),
              .log2_index_bytes = static_cast<std::uint8_t>(log2_index_bytes),
              .kind = layout::kStrKeys,
              .lock = 0,
              .version = 0,
              .usable = static_cast<Py_ssize_t>(usable - items.count),
              .entry_count = static_cast<Py_ssize_t>(items.count)};
    plant_table(allocator, dict, table, items.count, has_container);
    return dict;
}

// A dict of any items, with references of its own. Of equal keys the first stays, with the last one's value. Null with an error set.
inline PyObject* dict_from_items(const Tricks& tricks, ObjectAllocator& allocator, const Items& items, bool has_container) noexcept {
    if constexpr (layout::kMayPlantKeysTable) {
        if (OCIOR_LIKELY(tricks.keys_table && items.count > 0)) {
            PyObject* const dict = dict_by_hand(allocator, items, has_container);
            if (OCIOR_LIKELY(dict != nullptr) || PyErr_Occurred()) return dict;
        }
    }
    Owned dict = Owned::steal(PyDict_New());
    for (std::size_t i = 0; dict && i < items.count; ++i)
        if (PyDict_SetItem(dict.get(), items.key(i), items.value(i)) < 0) return nullptr;
    return dict.release();
}

// True when `tmpl` can serve dict_from_template: its entries lie in one table, in order, without gaps.
inline bool is_template(PyObject* tmpl, std::size_t n) noexcept {
    if constexpr (!layout::kMayReadKeysTable) return false;
    auto* table = layout::combined_str_table(tmpl);
    return table && static_cast<std::size_t>(table->entry_count) == n && static_cast<std::size_t>(PyDict_GET_SIZE(tmpl)) == n;
}

}  // namespace ocior
