// The import-time proofs behind Tricks: build with the private layout, look through the public API, compare, free.
#include "py/tricks.h"

#include <cstdlib>
#include <iterator>

#include "py/attribute.h"
#include "py/container.h"
#include "py/memory/pages.h"
#include "py/number.h"
#include "py/str.h"

// Where the interpreter exports them: its run-time state, and a function that is not in its headers.
extern "C" __attribute__((weak)) const char _PyRuntime[];
extern "C" __attribute__((weak)) PyObject* _PyDict_FromItems(PyObject* const* keys, Py_ssize_t key_step, PyObject* const* values,
                                                             Py_ssize_t value_step, Py_ssize_t n);

namespace ocior {
namespace {

bool wanted() noexcept {
    const char* setting = std::getenv("OCIOR_TRICKS");
    return !setting || std::strcmp(setting, "0") != 0;
}

bool prove_direct_scalars() noexcept {
    if constexpr (!layout::kMayBuildDirect || !layout::kThirtyBitDigits) return false;
    static_assert(sizeof(PyASCIIObject::state) == sizeof(AsciiHeader::state));
    static_assert(sizeof(PyASCIIObject) % 8 == 0);
    ObjectAllocator allocator;
    allocator.refresh(Tricks(), false);
    Owned model = Owned::steal(PyUnicode_FromString("ab cd"));
    if (!model) return false;
    AsciiHeader header;
    header.learn(model.get());
    Owned text = Owned::steal(new_ascii_direct(allocator, header, 5));
    if (!text) return false;
    std::memcpy(ascii_data(text.get()), "ab cd", 6);
    if (!PyUnicode_IS_ASCII(text.get()) || PyUnicode_GET_LENGTH(text.get()) != 5) return false;
    if (PyUnicode_Compare(text.get(), model.get()) != 0 || PyObject_Hash(text.get()) != PyObject_Hash(model.get())) return false;
    if (std::memcmp(&reinterpret_cast<PyASCIIObject*>(text.get())->state, &header.state, sizeof header.state) != 0) return false;

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
            // (The state's padding bits may hold anything.)
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
    Owned number = Owned::steal(new_float_direct(allocator, -2.5));
    return number && PyFloat_CheckExact(number.get()) && PyFloat_AsDouble(number.get()) == -2.5;
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

// Tables that were filled here: CPython finds every key in them, and no other, and goes on with them. Of sizes on both sides
// of each limit, with an index of bytes and of words; tables of 2^16 slots and more, the same with wider ones, take too long to make here.
bool prove_dicts_by_hand() noexcept {
    constexpr std::size_t kCounts[] = {1, 2, 5, 6, 10, 11, 21, 22, 85, 86, 170, 171};
    constexpr std::size_t kMost = kCounts[std::size(kCounts) - 1];
    const Owned keys = Owned::steal(PyTuple_New(kMost));
    const Owned other = Owned::steal(PyUnicode_FromString("ocior key"));
    if (!keys || !other) return false;
    for (std::size_t i = 0; i < kMost; ++i) {
        PyObject* const key = PyUnicode_FromFormat("ocior key %d", static_cast<int>(i));
        if (!key) return false;
        PyTuple_SET_ITEM(keys.get(), static_cast<Py_ssize_t>(i), key);
    }
    PyObject* const* const items = &PyTuple_GET_ITEM(keys.get(), 0);
    ObjectAllocator allocator;
    allocator.refresh(Tricks(), true);
    for (const std::size_t count : kCounts) {
        const Owned dict = Owned::steal(dict_by_hand(allocator, {items, 1, items, 1, count}, false));
        if (!dict || !is_template(dict.get(), count) || !is_whole_table(dict.get())) return false;
        for (std::size_t i = 0; i < count; ++i)
            if (PyDict_GetItemWithError(dict.get(), items[i]) != items[i]) return false;
        if (PyDict_GetItemWithError(dict.get(), other.get())) return false;
        if (PyDict_SetItem(dict.get(), other.get(), Py_None) < 0 || PyDict_GetItemWithError(dict.get(), other.get()) != Py_None)
            return false;
        if (PyDict_DelItem(dict.get(), items[0]) < 0 || PyDict_GET_SIZE(dict.get()) != static_cast<Py_ssize_t>(count)) return false;
    }
    PyObject* const twice[] = {items[0], items[1], items[2], items[1]};
    return !dict_by_hand(allocator, {twice, 1, twice, 1, std::size(twice)}, false) && !PyErr_Occurred() && Py_REFCNT(items[1]) == 1;
}

bool prove_keys_table() noexcept {
    // (Overwriting None by hand would upset the reference total of a debug build.)
    if constexpr (!layout::kMayReadKeysTable || !(layout::kReleaseBuild || layout::kImmortalConstants)) return false;
    Owned tmpl = Owned::steal(PyDict_New());
    Owned keys[20];
    Owned marks[20];
    constexpr std::size_t n = 20;
    if (!tmpl) return false;
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = Owned::steal(PyUnicode_FromFormat("ocior key %d", static_cast<int>(i)));
        marks[i] = Owned::steal(PyLong_FromLong(100000 + static_cast<long>(i)));
        if (!keys[i] || !marks[i] || PyDict_SetItem(tmpl.get(), keys[i].get(), Py_None) < 0) return false;
    }
    if (!is_template(tmpl.get(), n)) return false;
    const layout::StrEntry* entries = layout::str_entries(layout::combined_str_table(tmpl.get()));
    for (std::size_t i = 0; i < n; ++i)
        if (entries[i].key != keys[i].get() || entries[i].value != Py_None) return false;

    // What dict_from_template relies on: the copy is dense, in order and combined. Look before writing.
    Owned probe = Owned::steal(PyDict_Copy(tmpl.get()));
    if (!probe || !is_template(probe.get(), n)) return false;
    if constexpr (layout::kMayPlantKeysTable)
        if (!is_whole_table(tmpl.get()) || !prove_dicts_by_hand()) return false;
    ObjectAllocator allocator;
    allocator.refresh(Tricks(), true);
    PyObject* values[n];
    for (std::size_t i = 0; i < n; ++i) values[i] = new_ref(marks[i].get());
    Owned dict = Owned::steal(dict_from_template(allocator, tmpl.get(), values, n, false));
    if (!dict) {
        for (PyObject* value : values) Py_DECREF(value);
        return false;
    }
    for (std::size_t i = 0; i < n; ++i)
        if (PyDict_GetItemWithError(dict.get(), keys[i].get()) != marks[i].get()) return false;

    // A deleted entry leaves a gap that a cursor must skip; an instance dict with shared keys is not our table.
    if (PyDict_DelItem(dict.get(), keys[3].get()) < 0 || is_template(dict.get(), n)) return false;
    // It grows and shrinks like any other, and none of that touches the template.
    for (std::size_t i = 0; i < n; ++i)
        if (PyDict_SetItem(dict.get(), Owned::steal(PyUnicode_FromFormat("ocior more %d", static_cast<int>(i))).get(), Py_None) < 0)
            return false;
    if (PyDict_GET_SIZE(dict.get()) != 2 * n - 1 || PyDict_GetItemWithError(dict.get(), keys[5].get()) != marks[5].get()) return false;
    if (PyDict_SetItem(dict.get(), marks[0].get(), Py_None) < 0) return false;  // a key that is no str: general table
    if (layout::combined_str_table(dict.get()) != nullptr) return false;
    return PyDict_GetItemWithError(tmpl.get(), keys[7].get()) == Py_None;
}

// The function, if it does as dict_from_items does without it, for any distance of keys and values.
decltype(Tricks::dict_from_items) prove_dict_from_items() noexcept {
    if constexpr (!layout::kMayCallDictFromItems) return nullptr;
    constexpr std::size_t n = 24;
    Owned owned[2 * n];
    PyObject* pairs[2 * n];
    ObjectAllocator allocator;
    allocator.refresh(Tricks(), true);
    Tricks by_function;
    by_function.dict_from_items = _PyDict_FromItems;
    if (!by_function.dict_from_items) return nullptr;
    for (std::size_t i = 0; i < n; ++i) {
        owned[2 * i] = Owned::steal(PyUnicode_FromFormat("ocior key %d", static_cast<int>(i % 20)));  // four come twice
        owned[2 * i + 1] = Owned::steal(PyLong_FromLong(100000 + static_cast<long>(i)));
        if (!(pairs[2 * i] = owned[2 * i].get()) || !(pairs[2 * i + 1] = owned[2 * i + 1].get())) return nullptr;
    }
    for (const std::size_t step : {std::size_t{1}, std::size_t{2}}) {
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, n / step}) {
            const Owned made = Owned::steal(dict_from_items(by_function, allocator, {pairs, 2, pairs + 1, step, count}, false));
            const Owned expected = Owned::steal(dict_from_items(Tricks(), allocator, {pairs, 2, pairs + 1, step, count}, false));
            const Owned ours = Owned::steal(made ? PyDict_Items(made.get()) : nullptr),
                        theirs = Owned::steal(expected ? PyDict_Items(expected.get()) : nullptr);
            if (!ours || !theirs || PyObject_RichCompareBool(ours.get(), theirs.get(), Py_EQ) != 1) return nullptr;
        }
    }
    for (std::size_t i = 0; i < 2 * n; ++i)
        if (layout::kHasGil && Py_REFCNT(pairs[i]) != 1) return nullptr;
    return by_function.dict_from_items;
}

bool prove_list_items() noexcept {
    if constexpr (!layout::kMayPlantListItems) return false;
    Tricks on;
    on.list_items = true;
    ObjectAllocator allocator;
    allocator.refresh(on, true);
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

bool prove_utf8_forms() noexcept {
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

// Whether a block that pymalloc is given back becomes the first free one of its pool, before `following`, and is counted.
bool is_freed_to(BlockPool* pool, void* block, const PyMemAllocatorEx& pymalloc, char* following) noexcept {
    const std::uint32_t used = pool->used;
    pymalloc.free(pymalloc.ctx, block);
    return pool->free == block && load<char*>(block) == following && pool->used == used - 1 &&
           static_cast<char*>(block) - reinterpret_cast<char*>(pool) < static_cast<std::ptrdiff_t>(pool->next_offset);
}

// Takes all blocks but the last of a pool that has any by hand, and has pymalloc take them back.
bool prove_pool(BlockPool* pool, const PyMemAllocatorEx& pymalloc) noexcept {
    void* taken[BlockPool::kBytes / 64];
    const std::size_t unused = pool->unused();
    std::size_t count = 0;
    while (count < std::size(taken) && (taken[count] = pool->take())) {
        if (BlockPool::offset_of(taken[count++]) >= pool->next_offset) return false;
    }
    bool agrees = count == unused - 1 && pool->unused() == 1;
    for (char* following = pool->free; agrees && count > 0; following = pool->free)
        agrees = is_freed_to(pool, taken[--count], pymalloc, following);
    return agrees;
}

// pymalloc, if it is what objects come from, and if its pools are what BlockPool says: blocks are given back and taken beside it, and it
// must agree about every one of them. Other interpreters and threads use memory meanwhile, so nothing is looked at but blocks that were
// taken here, and headers on their pages: those pools belong to this interpreter, which is ours while the test runs. More blocks than two
// pools hold, so that some lie near a header.
using Malloc = void* (*)(void*, std::size_t);
Malloc prove_pool_blocks() noexcept {
    if constexpr (!layout::kMayTakeBlocks) return nullptr;
    constexpr std::size_t kBytes = 64, kClass = BlockPool::class_of(kBytes), kCount = 2 * BlockPool::kBytes / kBytes;
    PyMemAllocatorEx raw;
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &raw);
    if (raw.ctx) return nullptr;  // somebody stands in between: tracemalloc, debug hooks

    void* blocks[kCount];
    bool agrees = true;
    for (void*& block : blocks) {
        block = raw.malloc(raw.ctx, kBytes);
        // No other allocator has all its blocks there: a header and so many blocks behind the start of a pool.
        agrees = agrees && block && BlockPool::offset_of(block) % kBytes == sizeof(BlockPool) % kBytes;
    }
    unsigned watched = 0;
    const BlockPool* last = nullptr;
    for (std::size_t i = 0; agrees && i < kCount; ++i) {
        BlockPool* const pool = BlockPool::of(blocks[i], kClass);
        if (!pool || pool->used < 2) continue;
        char* const following = pool->free;
        agrees = is_freed_to(pool, blocks[i], raw, following) && (pool == last || prove_pool(pool, raw));
        last = pool;
        blocks[i] = raw.malloc(raw.ctx, kBytes);
        ++watched;
    }
    for (void* block : blocks) raw.free(raw.ctx, block);
    return agrees && watched >= 8 ? raw.malloc : nullptr;
}

// Where CPython keeps the allocators of the domains "raw", "mem" and "object", one behind the other: the one place in its run-time state
// that reads as those three. Null where there is none, or another like it. They are not changed to make sure: all of the process uses them.
// So what is found is compared with pymalloc only, never called.
const PyMemAllocatorEx* find_allocators() noexcept {
    constexpr std::size_t kSearched = 16 * 1024;  // a small part of that state
    PyMemAllocatorEx all[3];
    PyMem_GetAllocator(PYMEM_DOMAIN_RAW, &all[0]);
    PyMem_GetAllocator(PYMEM_DOMAIN_MEM, &all[1]);
    PyMem_GetAllocator(PYMEM_DOMAIN_OBJ, &all[2]);
    const PyMemAllocatorEx* found = nullptr;
    for (std::size_t at = 0; _PyRuntime && at < kSearched; at += alignof(PyMemAllocatorEx)) {
        if (std::memcmp(_PyRuntime + at, all, sizeof all) != 0) continue;
        if (found) return nullptr;
        found = reinterpret_cast<const PyMemAllocatorEx*>(_PyRuntime + at);
    }
    return found ? found + 1 : nullptr;
}

}  // namespace

void Tricks::probe() noexcept {
    if (!wanted()) return;
    direct_scalars = prove_direct_scalars();
    keys_table = prove_keys_table();
    dict_from_items = prove_dict_from_items();
    list_items = prove_list_items();
    utf8_forms = prove_utf8_forms();
    pymalloc = prove_pool_blocks();
    if (pymalloc) allocators = find_allocators();
    huge_pages = prove_huge_pages();
    PyErr_Clear();
}

}  // namespace ocior
