// str objects: what is inside one (StrView), and new ones from code units. Strings are made at their exact width.
#pragma once

#include "py/memory/allocator.h"

namespace ocior {

// The code units of a str, borrowed. `width` is 1, 2 or 4 bytes; ASCII is told apart from Latin-1.
struct StrView {
    const void* data;
    std::size_t length;  // in code units
    unsigned width;
    bool is_ascii;
};

// The width of a str whose code points have these bits, ORed together.
OCIOR_INLINE unsigned width_of(std::uint32_t bits) noexcept { return bits < 0x100 ? 1 : bits < 0x10000 ? 2 : 4; }

// Any str: compact or not, subclass or not. False with an error set only where an old string cannot be made ready.
[[nodiscard]] OCIOR_INLINE bool view_of(PyObject* str, StrView& view) noexcept {
#if PY_VERSION_HEX < 0x030C0000
    if (OCIOR_UNLIKELY(PyUnicode_READY(str) < 0)) return false;
#endif
    view.data = PyUnicode_DATA(str);
    view.length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    view.width = static_cast<unsigned>(PyUnicode_KIND(str));
    view.is_ascii = PyUnicode_IS_ASCII(str);
    return true;
}

// Bytes per unit of a str; whether they are those of Unit; and that in a compact one. (Each test reads the state once, in one piece.)
OCIOR_INLINE unsigned unit_width(PyObject* str) noexcept { return reinterpret_cast<PyASCIIObject*>(str)->state.kind; }
template <CodeUnit Unit>
OCIOR_INLINE bool has_units(PyObject* str) noexcept {
    return reinterpret_cast<PyASCIIObject*>(str)->state.kind == sizeof(Unit);
}

template <CodeUnit Unit>
OCIOR_INLINE bool has_compact_units(PyObject* str) noexcept {
    const auto& state = reinterpret_cast<PyASCIIObject*>(str)->state;
    return state.compact && state.kind == sizeof(Unit);
}

// Whether text that is not ASCII lies right behind a str's header: at wide_data. In a compact str it does, unless it is ASCII.
OCIOR_INLINE bool has_wide_header(PyObject* str) noexcept {
    const auto& state = reinterpret_cast<PyASCIIObject*>(str)->state;
    return state.compact && !state.ascii;
}

// The UTF-8 copy that a non-ASCII str already carries, or null.
OCIOR_INLINE const std::uint8_t* cached_utf8(PyObject* str, std::size_t& byte_len) noexcept {
    if (!has_wide_header(str)) return nullptr;
    auto* compact = reinterpret_cast<PyCompactUnicodeObject*>(str);
#ifdef Py_GIL_DISABLED
    auto* utf8 = __atomic_load_n(&compact->utf8, __ATOMIC_ACQUIRE);
#else
    auto* utf8 = compact->utf8;
#endif
    byte_len = static_cast<std::size_t>(compact->utf8_length);
    return reinterpret_cast<const std::uint8_t*>(utf8);
}

// Gives a compact str that is not ASCII the UTF-8 form that PyUnicode_AsUTF8AndSize would leave in it. Does nothing where it has one, or
// where there is no memory. Needs Tricks::utf8_forms.
OCIOR_INLINE void plant_utf8(PyObject* str, const std::uint8_t* utf8, std::size_t byte_len) noexcept {
    auto* compact = reinterpret_cast<PyCompactUnicodeObject*>(str);
    if (compact->utf8) return;
    auto* block = static_cast<char*>(layout::kPartsAreObjects ? PyObject_Malloc(byte_len + 1) : PyMem_Malloc(byte_len + 1));
    if (!block) return;
    std::memcpy(block, utf8, byte_len);
    block[byte_len] = 0;
    compact->utf8_length = static_cast<Py_ssize_t>(byte_len);
    compact->utf8 = block;
}

// A new str of `length` units whose narrowest width is that of `bits`, the OR of all its code points.
// The units are to be written by the caller before anybody else sees it. Empty on MemoryError.
OCIOR_INLINE PyObject* new_str(std::size_t length, std::uint32_t bits) noexcept {
    const Py_UCS4 max = bits < 0x80 ? 0x7f : bits < 0x100 ? 0xff : bits < 0x10000 ? 0xffff : 0x10ffff;
    return PyUnicode_New(static_cast<Py_ssize_t>(length), max);
}

// The 32 state bits (kind, compact, ascii, ready) of a plain ASCII string, copied from a live one at import.
struct AsciiHeader {
    std::uint32_t state = 0;

    void learn(PyObject* ascii_str) noexcept { std::memcpy(&state, &reinterpret_cast<PyASCIIObject*>(ascii_str)->state, sizeof state); }
};

// An ASCII str of `length` units at `block`, which is of the "object" domain: its header, not its data. Needs Tricks::direct_scalars.
OCIOR_INLINE PyObject* init_ascii(void* block, AsciiHeader header, std::size_t length) noexcept {
    auto* object = static_cast<PyASCIIObject*>(block);
    layout::init_header(reinterpret_cast<PyObject*>(object), &PyUnicode_Type);
    object->length = static_cast<Py_ssize_t>(length);
    object->hash = -1;
    std::memcpy(&object->state, &header.state, sizeof header.state);
#if PY_VERSION_HEX < 0x030C0000
    object->wstr = nullptr;
#endif
    return reinterpret_cast<PyObject*>(object);
}

// The bytes of a text and its NUL in whole words.
constexpr std::size_t word_bytes(std::size_t length) noexcept { return (length + 8) & ~std::size_t{7}; }

// Raw room for an ASCII str of `length` units, header filled in; its data may be written in whole 8-byte words, the
// terminator included. Needs Tricks::direct_scalars. Null when out of memory (no error set).
OCIOR_INLINE PyObject* new_ascii_direct(ObjectAllocator& allocator, AsciiHeader header, std::size_t length) noexcept {
    void* const block = allocator.allocate(sizeof(PyASCIIObject) + word_bytes(length));
    return OCIOR_LIKELY(block != nullptr) ? init_ascii(block, header, length) : nullptr;
}

// Copies a text, and a NUL behind it, by whole words, of which the last may reach up to 7 bytes past both, where the text is short. The
// smallest calls lose some nanoseconds to memcpy's look at the size.
OCIOR_INLINE void copy_text(std::uint8_t* to, const void* text, std::size_t length) noexcept {
    constexpr std::size_t kWord = sizeof(std::uint64_t), kFew = 4;
    const auto* const from = static_cast<const std::uint8_t*>(text);
    if (OCIOR_LIKELY(length <= kFew * kWord)) {
        std::size_t i = 0;
        do store(to + i, load<std::uint64_t>(from + i));
        while ((i += kWord) < length);
    } else {
        std::memcpy(to, from, length);
    }
    to[length] = 0;
}

// The `length` units of ASCII at `text`, behind which 7 bytes are readable, as a str, without the questions that PyUnicode_New asks first.
// Needs Tricks::direct_scalars. Null with an error set.
inline PyObject* copy_ascii(ObjectAllocator& allocator, AsciiHeader header, const void* text, std::size_t length) noexcept {
    void* const block = allocator.allocate_any(sizeof(PyASCIIObject) + word_bytes(length));
    if (OCIOR_UNLIKELY(!block)) return PyErr_NoMemory();
    PyObject* const str = init_ascii(block, header, length);
    copy_text(reinterpret_cast<std::uint8_t*>(static_cast<PyASCIIObject*>(block) + 1), text, length);
    return str;
}

// The `length` bytes at `data`, at least two and 7 more readable ones behind them, as bytes. (CPython has one object of each that is
// shorter.) Needs Tricks::direct_scalars. Null with an error set.
inline PyObject* copy_bytes(ObjectAllocator& allocator, const void* data, std::size_t length) noexcept {
    void* const block = allocator.allocate_any(offsetof(PyBytesObject, ob_sval) + word_bytes(length));
    if (OCIOR_UNLIKELY(!block)) return PyErr_NoMemory();
    auto* const bytes = static_cast<PyBytesObject*>(block);
    layout::init_header(static_cast<PyObject*>(block), &PyBytes_Type);
    store<Py_ssize_t>(&bytes->ob_base.ob_size, static_cast<Py_ssize_t>(length));
    constexpr std::size_t kHash = sizeof(PyVarObject);  // its member is deprecated
    store<Py_hash_t>(static_cast<char*>(block) + kHash, -1);
    copy_text(reinterpret_cast<std::uint8_t*>(bytes->ob_sval), data, length);
    return static_cast<PyObject*>(block);
}

// Whether one of a str's characters is half of a pair of surrogates.
inline bool has_surrogate(PyObject* str) noexcept {
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    const auto find = [length]<typename Unit>(const Unit* units) {
        Unit found = 0;  // as wide as what it is made of, so that compilers take whole vectors
        for (std::size_t i = 0; i < length; ++i) found |= static_cast<Unit>((units[i] & static_cast<Unit>(0xFFFFF800)) == 0xD800);
        return found != 0;
    };
    const unsigned width = unit_width(str);
    if (width == 1) return false;
    return width == 2 ? find(PyUnicode_2BYTE_DATA(str)) : find(PyUnicode_4BYTE_DATA(str));
}

// Puts U+FFFD in the place of each such character of a str that nobody else has seen.
inline void replace_surrogates(PyObject* str) noexcept {
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    const auto replace = [length]<typename Unit>(Unit* units) {
        for (std::size_t i = 0; i < length; ++i)
            if ((units[i] & static_cast<Unit>(0xFFFFF800)) == 0xD800) units[i] = 0xFFFD;
    };
    const unsigned width = unit_width(str);
    if (width == 2) replace(PyUnicode_2BYTE_DATA(str));
    else if (width == 4) replace(PyUnicode_4BYTE_DATA(str));
}

// The hash that a str keeps of its text, as the key of a dict does; -1 where it has not been asked for yet.
OCIOR_INLINE Py_hash_t kept_hash(PyObject* str) noexcept {
    return __atomic_load_n(&reinterpret_cast<PyASCIIObject*>(str)->hash, __ATOMIC_RELAXED);
}

// Whether an object of exactly the type str holds its ASCII text behind its header. Since 3.12 all that are ASCII do.
OCIOR_INLINE bool is_compact_ascii(PyObject* str) noexcept {
    if constexpr (PY_VERSION_HEX >= 0x030C0000) return reinterpret_cast<PyASCIIObject*>(str)->state.ascii;
    return PyUnicode_IS_COMPACT_ASCII(str);
}

// The AsciiHeader of a str that is not ASCII, for each width.
struct WideHeaders {
    AsciiHeader of_width[3];  // by half the width

    // False with MemoryError set.
    [[nodiscard]] bool learn() noexcept {
        for (const char* model : {"\xc3\xa9t", "\xe4\xb8\xad\xe6\x96\x87", "\xf0\x9f\x98\x80 "}) {
            PyObject* const str = PyUnicode_FromString(model);
            if (!str) return false;
            of_width[PyUnicode_KIND(str) / 2].learn(str);
            Py_DECREF(str);
        }
        return true;
    }
};

// What a str of `length` units of `width` bytes, not all of them ASCII, has in its header but for type and references.
OCIOR_INLINE void write_wide_header(PyObject* str, const WideHeaders& headers, unsigned width, std::size_t length) noexcept {
    auto* object = reinterpret_cast<PyCompactUnicodeObject*>(str);
    object->_base.length = static_cast<Py_ssize_t>(length);
    object->_base.hash = -1;
    std::memcpy(&object->_base.state, &headers.of_width[width / 2].state, sizeof headers.of_width[0].state);
    object->utf8_length = 0;
    object->utf8 = nullptr;
}

// A str of `length` units of `width` bytes, not all of them ASCII, header and terminator filled in. Needs Tricks::direct_scalars and
// layout::kMayBuildWideDirect; byte_len_wide of it at most BlockPool::kMaxBlock. Null when out of memory (no error set).
constexpr std::size_t byte_len_wide(unsigned width, std::size_t length) noexcept {
    return sizeof(PyCompactUnicodeObject) + (length + 1) * width;
}
OCIOR_INLINE PyObject* new_wide_direct(ObjectAllocator& allocator, const WideHeaders& headers, unsigned width,
                                       std::size_t length) noexcept {
    auto* object = static_cast<PyCompactUnicodeObject*>(allocator.allocate(byte_len_wide(width, length)));
    if (OCIOR_UNLIKELY(!object)) return nullptr;
    layout::init_header(reinterpret_cast<PyObject*>(object), &PyUnicode_Type);
    write_wide_header(reinterpret_cast<PyObject*>(object), headers, width, length);
    std::memset(reinterpret_cast<std::uint8_t*>(object + 1) + length * width, 0, width);
    return reinterpret_cast<PyObject*>(object);
}

// Where the units of a compact str begin that is ASCII, or is not.
OCIOR_INLINE std::uint8_t* ascii_data(PyObject* str) noexcept {
    return reinterpret_cast<std::uint8_t*>(reinterpret_cast<PyASCIIObject*>(str) + 1);
}
OCIOR_INLINE void* wide_data(PyObject* str) noexcept { return reinterpret_cast<PyCompactUnicodeObject*>(str) + 1; }

// Ends a str that nobody else has seen behind its first `length` units. Its terminator is the caller's matter, and so is, before 3.12, the
// length of its wchar_t form.
OCIOR_INLINE void shorten(PyObject* str, std::size_t length) noexcept {
    reinterpret_cast<PyASCIIObject*>(str)->length = static_cast<Py_ssize_t>(length);
}

}  // namespace ocior
