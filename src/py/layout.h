// What ocior knows of CPython's object layouts beyond the public API, per version. The only home of checks for them (what json
// itself does by version is asked where it matters): each fact is asserted at compile time here and proved again at import time
// (py/tricks.cpp) before it is used.
#pragma once

#include "base/bits.h"
#include "platform/system.h"
#include "py/ref.h"

#include <structmember.h>  // which needs Python.h before it

#if PY_VERSION_HEX < 0x030A0000
#error "ocior needs CPython 3.10 or later"
#endif

namespace ocior::layout {

#ifdef Py_GIL_DISABLED
inline constexpr bool kHasGil = false;
#else
inline constexpr bool kHasGil = true;
#endif

// The versions whose layouts are known here.
inline constexpr bool kStudied = PY_VERSION_HEX < 0x03100000;

// Debug interpreters check allocations and references more strictly; nothing private is used in them.
#if defined(Py_DEBUG) || defined(Py_TRACE_REFS) || defined(Py_REF_DEBUG)
inline constexpr bool kReleaseBuild = false;
#else
inline constexpr bool kReleaseBuild = true;
#endif

// Whether the headers of str, int and float may be written directly: in any release build of the versions studied.
inline constexpr bool kMayBuildDirect = kReleaseBuild && kStudied;

// Whether the header of a str that is not ASCII may be written, too: before 3.12 such a header carries a wchar_t form as well.
inline constexpr bool kMayBuildWideDirect = kMayBuildDirect && PY_VERSION_HEX >= 0x030C0000;

// Whether the keys table of a dict may be read: since 3.11 it has entries of 16 bytes for str keys.
inline constexpr bool kMayReadKeysTable = PY_VERSION_HEX >= 0x030B0000 && kStudied;

// Keys tables and UTF-8 forms are blocks of the "object" domain before 3.13, as objects are; since then of the "mem" domain, as the items
// of a list always are. A debug allocator ends the process over the difference.
inline constexpr bool kPartsAreObjects = PY_VERSION_HEX < 0x030D0000;

// Whether a keys table may be made by hand. It takes the place of the table that all empty dicts share, which counts its references before
// 3.12.
inline constexpr bool kMayPlantKeysTable = kMayReadKeysTable && kReleaseBuild && PY_VERSION_HEX >= 0x030C0000;

// A list's item array is a block of its own from the "mem" domain.
inline constexpr bool kMayPlantListItems = kHasGil && kReleaseBuild && kStudied;

// Without a GIL, since 3.13, a list's block begins with the number of items that it has room for, so that a reader of the list sees both at
// once.
inline constexpr bool kMayPlantListArray = !kHasGil && kReleaseBuild && kStudied;
inline constexpr std::size_t kListArrayHead = kHasGil ? 0 : sizeof(Py_ssize_t) / sizeof(PyObject*);  // in items

// The pools of pymalloc, where nothing but allocation happens between two objects of a document.
#ifdef WITH_PYMALLOC
inline constexpr bool kMayTakeBlocks = platform::kHasKnownPools && kHasGil && kReleaseBuild && PY_VERSION_HEX >= 0x030C0000 && kStudied;
#else
inline constexpr bool kMayTakeBlocks = false;
#endif

// The pages of mimalloc, which belong to a thread each.
#ifdef Py_GIL_DISABLED
inline constexpr bool kMayTakePageBlocks = platform::kHasKnownMimalloc && kReleaseBuild && kStudied;
OCIOR_INLINE std::uintptr_t thread_id() noexcept { return _Py_ThreadId(); }
#else
inline constexpr bool kMayTakePageBlocks = false;
OCIOR_INLINE std::uintptr_t thread_id() noexcept { return 0; }
#endif

// Lists and dicts made by hand, of which the garbage collector is told. Before 3.12 it may run whenever one is made. (3.14 had
// other collectors before 3.14.7: that is seen only at run time.)
inline constexpr bool kMayMakeContainers =
    (kMayTakeBlocks || (kMayTakePageBlocks && PY_VERSION_HEX >= 0x030E0000)) && PY_VERSION_HEX < 0x030F0000;
// Since 3.14 the collector counts what is tracked in one more place.
inline constexpr bool kMayLinkContainers = kMayMakeContainers && kHasGil && PY_VERSION_HEX < 0x030E0000;

// The arenas that pymalloc asks for have 1 MB, and are the process's own mappings.
#if defined(WITH_PYMALLOC) && !defined(PYMALLOC_USE_HUGEPAGES)
inline constexpr bool kHasMappedArenas = platform::kHasHugePages && kHasGil && kStudied;
#else
inline constexpr bool kHasMappedArenas = false;
#endif

// A str's UTF-8 form is a block behind a pointer in its header.
inline constexpr bool kMayPlantUtf8 = kHasGil && kStudied;

// None has no reference count to keep since 3.12.
inline constexpr bool kImmortalConstants = PY_VERSION_HEX >= 0x030C0000;

// A new object's reference, this thread's own. One store for the whole count: in 3.12 and later its upper half may carry flags.
OCIOR_INLINE void init_header(PyObject* object, PyTypeObject* type) noexcept {
#ifdef Py_GIL_DISABLED
    std::memset(object, 0, sizeof *object);
    object->ob_tid = _Py_ThreadId();
    object->ob_ref_local = 1;
#else
    store<std::int64_t>(object, 1);
#endif
    Py_SET_TYPE(object, type);
}

#ifdef Py_GIL_DISABLED
// What PyObject_GC_Track() does to a container, and PyObject_GC_IsTracked() asks.
inline constexpr std::uint8_t kTracked = 1;
OCIOR_INLINE void mark_tracked(PyObject* object) noexcept {
    __atomic_store_n(&object->ob_gc_bits, static_cast<std::uint8_t>(object->ob_gc_bits | kTracked), __ATOMIC_RELAXED);
}
OCIOR_INLINE bool is_marked_tracked(PyObject* object) noexcept { return __atomic_load_n(&object->ob_gc_bits, __ATOMIC_RELAXED) & kTracked; }
#else
OCIOR_INLINE void mark_tracked(PyObject*) noexcept {}
OCIOR_INLINE bool is_marked_tracked(PyObject*) noexcept { return false; }
#endif

// ---- int ----
inline constexpr unsigned kDigitBits = PyLong_SHIFT;
inline constexpr bool kThirtyBitDigits = kDigitBits == 30;

// The ints of which CPython keeps one object each.
inline constexpr int kFirstSmallInt = -5, kLastSmallInt = PY_VERSION_HEX >= 0x030F0000 ? 1024 : 256;

// ---- dict ----
// frozendict came with 3.15: no dict by inheritance, but the same object.
inline constexpr bool kHasFrozenDict = PY_VERSION_HEX >= 0x030F0000;
#if PY_VERSION_HEX >= 0x030F0000
inline PyTypeObject* const kFrozenDict = &PyFrozenDict_Type;
#else
inline PyTypeObject* const kFrozenDict = nullptr;
#endif

// Whether an object is exactly a dict or a frozendict, and whether a type is derived from either.
inline bool is_exact_dict(PyObject* object) noexcept {
    return PyDict_CheckExact(object) || (kHasFrozenDict && Py_TYPE(object) == kFrozenDict);
}
inline bool is_any_dict(PyTypeObject* type) noexcept {
    return PyType_FastSubclass(type, Py_TPFLAGS_DICT_SUBCLASS) || (kHasFrozenDict && PyType_IsSubtype(type, kFrozenDict));
}

// What lies in front of a dict's table: before 3.14 a number that no other dict has, which changes whenever the dict does; then flags, of
// which a new dict has none.
inline constexpr bool kHasDictVersions = PY_VERSION_HEX < 0x030E0000;
OCIOR_INLINE void set_dict_version(PyDictObject* dict, std::uint64_t version) noexcept {
    store(reinterpret_cast<char*>(&dict->ma_keys) - sizeof version, version);
}
static_assert(offsetof(PyDictObject, ma_keys) == offsetof(PyDictObject, ma_used) + 16);

// Mirror of struct _dictkeysobject, since 3.11.
struct KeysTable {
    Py_ssize_t refcnt;
    std::uint8_t log2_size;
    std::uint8_t log2_index_bytes;
    std::uint8_t kind;  // 0 general, 1 str keys only, 2 split
    std::uint8_t lock;  // of split tables, without a GIL; else nothing
    std::uint32_t version;
    Py_ssize_t usable;
    Py_ssize_t entry_count;
    // the index follows, then the entries
};
static_assert(sizeof(KeysTable) == 32 && offsetof(KeysTable, version) == 12);

struct StrEntry {
    PyObject* key;
    PyObject* value;
};
static_assert(sizeof(StrEntry) == 16);

inline constexpr std::uint8_t kOtherKeys = 0, kStrKeys = 1;

OCIOR_INLINE StrEntry* str_entries(KeysTable* table) noexcept {
    return reinterpret_cast<StrEntry*>(reinterpret_cast<char*>(table + 1) + (std::size_t{1} << table->log2_index_bytes));
}

OCIOR_INLINE KeysTable* keys_table(PyObject* dict) noexcept {
    return reinterpret_cast<KeysTable*>(reinterpret_cast<PyDictObject*>(dict)->ma_keys);
}

// The keys table of a dict that stores str keys only, in one table with its values; null for any other.
OCIOR_INLINE KeysTable* combined_str_table(PyObject* dict) noexcept {
    KeysTable* const table = keys_table(dict);
    return reinterpret_cast<PyDictObject*>(dict)->ma_values == nullptr && table->kind == kStrKeys ? table : nullptr;
}

// An entry of a keys table that may hold keys other than str. combined_other_table() gives such a table, if it holds its values as well;
// null for any other dict.
struct OtherEntry {
    Py_hash_t hash;
    PyObject* key;
    PyObject* value;
};

OCIOR_INLINE OtherEntry* other_entries(KeysTable* table) noexcept { return reinterpret_cast<OtherEntry*>(str_entries(table)); }
OCIOR_INLINE KeysTable* combined_other_table(PyObject* dict) noexcept {
    KeysTable* const table = keys_table(dict);
    return reinterpret_cast<PyDictObject*>(dict)->ma_values == nullptr && table->kind == kOtherKeys ? table : nullptr;
}

// ---- OrderedDict ----
inline constexpr bool kMayReadOrder = kHasGil && kStudied;

// Mirrors of struct _odictobject, as far as it is read, and of struct _odictnode: a list of the keys in their own order, beside the dict.
struct OrderedKey {
    PyObject* key;
    Py_hash_t hash;
    OrderedKey* next;  // null: it is the last
    OrderedKey* previous;
};
struct OrderedDict {
    PyDictObject dict;
    OrderedKey* first;
};

OCIOR_INLINE const OrderedKey* first_key_in_order(PyObject* dict) noexcept { return reinterpret_cast<const OrderedDict*>(dict)->first; }

// ---- attributes of instances ----
// Since 3.11 the values of an instance's attributes are an array of the instance's own until its __dict__ is asked for: first a block that
// a pointer in front of the object leads to, since 3.13 behind the object itself. Their names are those of a table of the class, in the
// same order. Every array has room for all names that the table has at any time. Without a GIL, nobody changes them while the instance is
// locked and has no dict, or while its dict is locked: whoever makes or exchanges the dict needs both locks.
inline constexpr bool kMayReadInlineValues = PY_VERSION_HEX >= (kHasGil ? 0x030B0000 : 0x030E0000) && kStudied;

// Mirror of struct _dictvalues, since 3.13.
struct InlineValues {
    std::uint8_t capacity;
    std::uint8_t size;
    std::uint8_t is_embedded;
    std::uint8_t is_valid;  // false once a dict has taken them over
    PyObject* values[1];    // as many as the capacity says
};
static_assert(sizeof(InlineValues) == 16);

// Since 3.13, also without a GIL where no lock is held: the array itself, or null where instances of the class have none, or not any more.
OCIOR_INLINE const InlineValues* valid_inline_values(PyObject* object) noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    PyTypeObject* const type = Py_TYPE(object);
    if (!(type->tp_flags & Py_TPFLAGS_INLINE_VALUES)) return nullptr;
    const auto* const values = reinterpret_cast<const InlineValues*>(reinterpret_cast<const char*>(object) + type->tp_basicsize);
    return __atomic_load_n(&values->is_valid, __ATOMIC_ACQUIRE) ? values : nullptr;
#else
    return (void)object, nullptr;
#endif
}

// The values, some of which may be null. Null where instances of the class have none, or not any more, or fewer than `count`.
OCIOR_INLINE PyObject* const* inline_values(PyObject* object, std::size_t count) noexcept {
    [[maybe_unused]] PyTypeObject* const type = Py_TYPE(object);
#if PY_VERSION_HEX >= 0x030D0000
    const InlineValues* const values = valid_inline_values(object);
    return values && count <= values->capacity ? values->values : nullptr;
#elif PY_VERSION_HEX >= 0x030C0000
    (void)count;
    if (!(type->tp_flags & Py_TPFLAGS_MANAGED_DICT)) return nullptr;
    const std::uintptr_t tagged = reinterpret_cast<const std::uintptr_t*>(object)[-3];  // one less than the address; even: a dict
    return tagged & 1 ? reinterpret_cast<PyObject* const*>(tagged + 1) : nullptr;
#elif PY_VERSION_HEX >= 0x030B0000
    (void)count;
    return type->tp_flags & Py_TPFLAGS_MANAGED_DICT ? reinterpret_cast<PyObject* const* const*>(object)[-4] : nullptr;
#else
    (void)object, (void)count;
    return nullptr;
#endif
}

// With a GIL, since 3.12, the values in the dict of an instance can be read as well. That is for classes that keep no inline values, such
// as one derived from int or str, as long as the dict has its names from the table of the class. dict_values() is null where there are no
// such values, or fewer than `count`.
inline constexpr bool kMayReadDictValues = kMayReadInlineValues && kHasGil && PY_VERSION_HEX >= 0x030C0000;

OCIOR_INLINE PyObject* const* dict_values(PyObject* object, std::size_t count) noexcept {
    (void)object, (void)count;
#if PY_VERSION_HEX >= 0x030C0000
    PyTypeObject* const type = Py_TYPE(object);
    if (!kMayReadDictValues || !(type->tp_flags & Py_TPFLAGS_MANAGED_DICT)) return nullptr;
    const auto* const dict = reinterpret_cast<const PyDictObject* const*>(object)[-3];
    const bool is_dict = dict && !(reinterpret_cast<std::uintptr_t>(dict) & 1);
    if (!is_dict || !dict->ma_values || dict->ma_keys != reinterpret_cast<PyHeapTypeObject*>(type)->ht_cached_keys) return nullptr;
#if PY_VERSION_HEX >= 0x030D0000
    const auto* const values = reinterpret_cast<const InlineValues*>(dict->ma_values);
    return count <= values->capacity ? values->values : nullptr;
#else
    return reinterpret_cast<PyObject* const*>(dict->ma_values);
#endif
#else
    return nullptr;
#endif
}

// Whether the attributes whose values inline_values() or dict_values() has found are these and no others: `places` are their places in the
// table, in the order in which they were set, which is that of the instance's dict.
OCIOR_INLINE bool are_in_order(PyObject* const* values, const std::uint8_t* places, std::size_t count) noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    const auto& header = *reinterpret_cast<const InlineValues*>(reinterpret_cast<const char*>(values) - offsetof(InlineValues, values));
    return header.size == count && std::memcmp(values + header.capacity, places, count) == 0;
#else
    // In front of the array lie, from its start backwards: a byte that does not matter here, the number of attributes, and their places.
    const auto* at = reinterpret_cast<const std::uint8_t*>(values) - 2;
    bool is_same = *at == count;
    for (std::size_t i = 0; is_same && i < count; ++i) is_same = *--at == places[i];
    return is_same;
#endif
}

// The dict of an instance that has or had inline values, for builds without a GIL. Borrowed; null where the instance has no dict yet.
inline PyObject* dict_of_instance(PyObject* object) noexcept {
    return __atomic_load_n(reinterpret_cast<PyObject* const*>(object) - 1, __ATOMIC_ACQUIRE);
}

// How many bytes lie in front of an object of the type: the garbage collector's, and pointers that the type's flags speak of.
inline std::size_t bytes_before_object(PyTypeObject* type) noexcept {
#if PY_VERSION_HEX >= 0x030C0000
    const bool has_pointers = type->tp_flags & (Py_TPFLAGS_MANAGED_WEAKREF | Py_TPFLAGS_MANAGED_DICT);
#else
    const bool has_pointers = false;
#endif
    return 2 * sizeof(void*) * (PyType_IS_GC(type) + has_pointers);
}

// Whether dict_in_instance() knows where instances of the class have their dict. (Without a GIL it is where dict_of_instance() looks.)
inline bool has_dict_in_instances(PyTypeObject* type) noexcept {
#if PY_VERSION_HEX >= 0x030B0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) return true;
#endif
    return kHasGil && type->tp_dictoffset > 0;
}
// The dict that holds the attributes of an instance of such a class. Borrowed; null where there is none yet.
inline PyObject* dict_in_instance(PyObject* object) noexcept {
    [[maybe_unused]] PyTypeObject* const type = Py_TYPE(object);
    if constexpr (!kHasGil) return dict_of_instance(object);
#if PY_VERSION_HEX >= 0x030B0000
    if (type->tp_flags & Py_TPFLAGS_MANAGED_DICT) {
        PyObject* const dict = reinterpret_cast<PyObject* const*>(object)[-3];
        return reinterpret_cast<std::uintptr_t>(dict) & 1 ? nullptr : dict;  // odd: 3.12's values
    }
#endif
    return load<PyObject*>(reinterpret_cast<const char*>(object) + type->tp_dictoffset);
}

// The offset, in the type's instances, of the value that `descriptor`, found in the type, reads; an instance without the value has null
// there. 0 where the descriptor gives anything else. (Without a GIL, the value is set under the instance's lock.)
inline std::size_t member_offset(PyTypeObject* type, PyObject* descriptor) noexcept {
    if (!Py_IS_TYPE(descriptor, &PyMemberDescr_Type) || !PyType_IsSubtype(type, PyDescr_TYPE(descriptor))) return 0;
    const PyMemberDef* const member = reinterpret_cast<PyMemberDescrObject*>(descriptor)->d_member;
    return member->type == T_OBJECT_EX && !(member->flags & ~READONLY) ? static_cast<std::size_t>(member->offset) : 0;
}

// The table with the names of the class's attributes, which is split; null where it has none.
inline KeysTable* shared_keys_table(PyTypeObject* type) noexcept {
    if (!PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE)) return nullptr;
    auto* const table = reinterpret_cast<KeysTable*>(reinterpret_cast<PyHeapTypeObject*>(type)->ht_cached_keys);
    return table && table->kind == 2 ? table : nullptr;
}

// The place of an interned name in such a table, which is that of its value in the arrays of the class's instances; -1 where it has none.
inline int place_in_shared_table(KeysTable* table, PyObject* name) noexcept {
    const StrEntry* const entries = str_entries(table);
    for (Py_ssize_t i = 0; i < table->entry_count && i < 255; ++i)
        if (entries[i].key == name) return static_cast<int>(i);
    return -1;
}

// All of a table, its unused entries, too.
OCIOR_INLINE std::size_t entries_offset(const KeysTable* table) noexcept {
    return sizeof(KeysTable) + (std::size_t{1} << table->log2_index_bytes);
}
OCIOR_INLINE std::size_t entry_capacity(const KeysTable* table) noexcept {
    return static_cast<std::size_t>(table->usable + table->entry_count);
}

}  // namespace ocior::layout
