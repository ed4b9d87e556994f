// What ocior knows of CPython's object layouts beyond the public API, per version. The only home of version checks:
// each fact is asserted at compile time here and proved again at import time (py/tricks.cpp) before it is used.
#pragma once

#include "py/ref.h"

#if PY_VERSION_HEX < 0x030A0000
#error "ocior needs CPython 3.10 or later"
#endif

namespace ocior::layout {

#ifdef Py_GIL_DISABLED
inline constexpr bool kHasGil = false;
#else
inline constexpr bool kHasGil = true;
#endif

// Debug interpreters check allocations and references more strictly; nothing private is used in them.
#if defined(Py_DEBUG) || defined(Py_TRACE_REFS) || defined(Py_REF_DEBUG)
inline constexpr bool kReleaseBuild = false;
#else
inline constexpr bool kReleaseBuild = true;
#endif

// Direct headers of str, int and float: any release build with the GIL, in the versions studied.
inline constexpr bool kMayBuildDirect = kHasGil && kReleaseBuild && PY_VERSION_HEX < 0x030F0000;

// And of str that is not ASCII; before 3.12 such a header carries a wchar_t form as well.
inline constexpr bool kMayBuildWideDirect = kMayBuildDirect && PY_VERSION_HEX >= 0x030C0000;

// Keys tables of dict with 16-byte entries for str keys: 3.11 to 3.14.
inline constexpr bool kMayReadKeysTable = kHasGil && PY_VERSION_HEX >= 0x030B0000 && PY_VERSION_HEX < 0x030F0000;

// Of the "object" domain, like objects, are keys tables and UTF-8 forms before 3.13; then of the "mem" domain, as the items of a list
// always are. A debug allocator ends the process over the difference.
inline constexpr bool kPartsAreObjects = PY_VERSION_HEX < 0x030D0000;

// Such a table made by hand. Before 3.12 the one that it takes the place of, of every empty dict, counts its references.
inline constexpr bool kMayPlantKeysTable = kMayReadKeysTable && kReleaseBuild && PY_VERSION_HEX >= 0x030C0000;

// _PyDict_FromItems, with the meaning that it has since 3.13.
inline constexpr bool kMayCallDictFromItems = PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030F0000;

// A list's item array is a block of its own from the "mem" domain.
inline constexpr bool kMayPlantListItems = kHasGil && kReleaseBuild && PY_VERSION_HEX < 0x030F0000;

// The pools of pymalloc, where nothing but allocation happens between two objects of a document.
#if defined(WITH_PYMALLOC) && !defined(_WIN32)
inline constexpr bool kMayTakeBlocks = kHasGil && kReleaseBuild && PY_VERSION_HEX >= 0x030C0000 && PY_VERSION_HEX < 0x030F0000;
#else
inline constexpr bool kMayTakeBlocks = false;
#endif

// The arenas that pymalloc asks for have 1 MB, and are the process's own mappings.
#if defined(WITH_PYMALLOC) && defined(__linux__) && UINTPTR_MAX > 0xffffffff
inline constexpr bool kHasMappedArenas = kHasGil && PY_VERSION_HEX < 0x030F0000;
#else
inline constexpr bool kHasMappedArenas = false;
#endif

// A str's UTF-8 form is a block behind a pointer in its header.
inline constexpr bool kMayPlantUtf8 = kHasGil && PY_VERSION_HEX < 0x030F0000;

// None has no reference count to keep since 3.12.
inline constexpr bool kImmortalConstants = PY_VERSION_HEX >= 0x030C0000;

// ---- int ----
inline constexpr unsigned kDigitBits = PyLong_SHIFT;
inline constexpr bool kThirtyBitDigits = kDigitBits == 30;

// ---- dict ----
// Mirror of struct _dictkeysobject, 3.11 to 3.14 with the GIL.
struct KeysTable {
    Py_ssize_t refcnt;
    std::uint8_t log2_size;
    std::uint8_t log2_index_bytes;
    std::uint8_t kind;  // 0 general, 1 str keys only, 2 split
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

inline constexpr std::uint8_t kStrKeys = 1;

OCIOR_INLINE StrEntry* str_entries(KeysTable* table) noexcept {
    return reinterpret_cast<StrEntry*>(reinterpret_cast<char*>(table + 1) + (std::size_t{1} << table->log2_index_bytes));
}

// The keys table of a dict that stores str keys only, in one table with its values; null for any other.
OCIOR_INLINE KeysTable* combined_str_table(PyObject* dict) noexcept {
    auto* object = reinterpret_cast<PyDictObject*>(dict);
    auto* table = reinterpret_cast<KeysTable*>(object->ma_keys);
    return object->ma_values == nullptr && table->kind == kStrKeys ? table : nullptr;
}

// All of a table, its unused entries, too.
OCIOR_INLINE std::size_t entries_offset(const KeysTable* table) noexcept { return sizeof(KeysTable) + (std::size_t{1} << table->log2_index_bytes); }
OCIOR_INLINE std::size_t entry_capacity(const KeysTable* table) noexcept { return static_cast<std::size_t>(table->usable + table->entry_count); }

}  // namespace ocior::layout
