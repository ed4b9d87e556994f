// How values are written that the walk does not know by their exact type, and what keys become that are no such str: one look-up, by the
// type, in a table of each context.
//
// A type is added by a branch in handler_of() (types.cpp) and a Handler, neither of which knows the width of the output. Scalars write
// ASCII, which the walk widens. Containers open a frame; where its items are found by other means than list, dict or iterator, a FrameKind
// of its own says so and Call::advance() gives them one by one.
#pragma once

#include "py/attribute.h"
#include "py/ref.h"

namespace ocior::encode {

struct Call;

// Of the text of a scalar so many bytes are written in place; a longer one is a str.
inline constexpr std::size_t kShortScalar = 64;

// What a handler has made of a container.
enum class Opened : std::uint8_t {
    kList,       // a frame is open whose items stand in brackets
    kDict,       // or in braces, behind keys
    kEmptyList,  // no frame is open, there is nothing in the container
    kEmptyDict,
    kInPlace,  // a frame is open over what is written in the place of the value
    kFailed,   // an error is set
};

struct Handler {
    enum class Role : std::uint8_t { kString, kScalar, kContainer };
    Role role;  // kString: of a class derived from str, and written as the str that it is
    // kScalar. Writes the text of `value`, as an item or as a key, to `to`, up to kShortScalar bytes of ASCII without anything to escape.
    // Returns where it ends. Null: a longer one is in Call::long_scalar, or an error is set.
    std::uint8_t* (*write)(Call& call, PyObject* value, std::uint8_t* to) noexcept = nullptr;
    // kContainer. `offset` is where in the output the value begins.
    Opened (*open)(Call& call, PyObject* value, std::size_t offset) noexcept = nullptr;
    // Both may run Python code. They hold `value` while they need it then, and have the frames pinned, as Call::open_made() does.
};

// The handlers of types that were met of late. It belongs to one call at a time, needs no lock, and holds no reference: a type that dies
// takes its version with it, and no other type ever has the same.
class TypeTable {
public:
    OCIOR_INLINE const Handler& find(PyTypeObject* type) noexcept {
        const Entry& entry = at(type);
        const bool is_known = entry.type == type && entry.version == type_version(type);
        return OCIOR_LIKELY(is_known) ? *entry.handler : learn(type);
    }

private:
    struct Entry {
        PyTypeObject* type = nullptr;
        unsigned version = 0;  // never 0 where there is a type
        const Handler* handler = nullptr;
    };

    OCIOR_NOINLINE const Handler& learn(PyTypeObject* type) noexcept;
    Entry& at(PyTypeObject* type) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(type);
        return entries_[(address >> 4 ^ address >> 10) % kEntries];
    }

    static constexpr std::size_t kEntries = 64;
    Entry entries_[kEntries];
};

// What becomes of a key that is no str.
struct KeyText {
    enum class Kind : std::uint8_t { kWritten, kSkipped, kFailed };
    Kind kind;  // kFailed: an error is set
    std::uint8_t* end = nullptr;  // kWritten: where it ends; null where Call::long_scalar is the text
};

// Writes to `to`, as a handler does. May run Python code, so the frames are pinned and the key is held.
KeyText read_key(Call& call, PyObject* key, std::uint8_t* to) noexcept;

}  // namespace ocior::encode
