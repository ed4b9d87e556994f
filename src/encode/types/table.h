// How values are written that the walk does not know by their exact type, and what keys become that are no such str: one look-up, by the
// type, in a table of each context.
//
// A type is added by a branch in handler_of() (json.cpp, for what json writes; rich.cpp, for all else) and a Handler, neither of which
// knows the width of the output. Scalars write ASCII, which the walk widens. Containers open a frame; where their items are found by other
// means than list, dict or iterator, a FrameKind of its own says so and Call::advance() gives them one by one. What is written in another
// value's place is replaced.
#pragma once

#include <string_view>

#include "encode/types/fields.h"
#include "py/attribute.h"
#include "py/class_state.h"
#include "py/ref.h"

namespace ocior::encode {

struct Call;

// So many bytes of a scalar's text are written in place; a longer text becomes a str.
inline constexpr std::size_t kShortScalar = 64;
inline constexpr std::size_t kSmallArray = 576;  // as many of a container, by Handler::write_small

// What a handler has made of a container.
enum class Opened : std::uint8_t {
    kList,       // a frame is open whose items stand in brackets
    kDict,       // or in braces, behind keys
    kEmptyList,  // no frame is open, there is nothing in the container
    kEmptyDict,
    kInPlace,  // a frame is open over what is written in the place of the value
    kScalar,  // no frame is open: Extras::replacement is written in its place, a str, int, float, true, false or null of exactly that type
    kMade,  // no frame is open, but there is room for one: Extras::replacement, which the default hook has returned, is written in its
            // place
    kFailed,  // an error is set
};

// How far a run of values is written: where the text ends, and which value comes next.
struct TextRun {
    std::uint8_t* at;
    PyObject* const* next;
};

// What follows each of them: one or two bytes; two are stored.
struct ItemSeparator {
    std::uint16_t word;
    std::uint16_t length;
};

// The room in bytes that Handler::write_run has behind its limit.
inline constexpr std::size_t kRunRoom = 256;

struct Handler {
    enum class Role : std::uint8_t {
        kString,  // of a class derived from str, and written as the str that it is
        kScalar,  // a number or a word
        kText,  // a string; as a key only where keys of such types are asked for
        kContainer,
        kReplaced,  // another value is written in its place: the first of the type's FieldsPlan, if it has one
        kJson,  // a str or bytes of JSON is written as it is
    };
    Role role;
    // kScalar, kText. Writes the text of `value`, as an item or as a key, without quotes, to `to`, up to kShortScalar bytes of ASCII
    // without anything to escape. Returns where it ends. Null: a longer one is in Extras::long_scalar, or of kText any other in
    // Extras::replacement, or an error is set.
    std::uint8_t* (*write)(Call& call, PyObject* value, std::uint8_t* to) noexcept = nullptr;
    // kScalar, kText; kReplaced, if by a string. Writes the text of `value`, a string with its quotes, where that needs no Python code,
    // waits for no lock and can make no error; null where `write` is to be asked.
    std::uint8_t* (*write_at_once)(const Call& call, const FieldsPlan& plan, PyObject* value, std::uint8_t* to) noexcept = nullptr;
    // Writes the values of one type that come first in [run.next, end) as write_at_once does, each with a separator, up to
    // the first for which that gives null, or one that would begin behind `limit`: write_run_of<write_at_once>.
    TextRun (*write_run)(const Call& call, const FieldsPlan& plan, TextRun run, PyObject* const* end, const std::uint8_t* limit,
                         ItemSeparator separator) noexcept = nullptr;
    // kContainer. Writes a small one with its brackets, its items separated by `separator` and nothing else, as write_at_once does: up to
    // kSmallArray bytes. The separator has one or two; two can be read where it lies.
    std::uint8_t* (*write_small)(const Call& call, PyObject* value, std::string_view separator, std::uint8_t* to) noexcept = nullptr;
    // kContainer. `offset` is where in the output the value begins.
    Opened (*open)(Call& call, PyObject* value, std::size_t offset) noexcept = nullptr;
    // kReplaced. What is written in the place of `value`; empty with an error set. kJson: the text.
    Owned (*replace)(Call& call, PyObject* value) noexcept = nullptr;
    // All others may run Python code. They hold `value` while they need it then, and have the frames pinned, as Call::open_made() does.
    // replace() is called while `value` is held, and, but for kJson, while they are pinned.
};

inline constexpr std::size_t kCacheLine = 64;

// Calls of a function that is known when this is compiled become part of the loop, and what they need each time is loaded once. Of each
// value the first kBytes are read, which are asked for early.
template <auto write_at_once, std::size_t kBytes = kCacheLine>
TextRun write_run_of(const Call& call, const FieldsPlan& plan, TextRun run, PyObject* const* end, const std::uint8_t* limit,
                     ItemSeparator separator) noexcept {
    constexpr std::ptrdiff_t kAhead = 16;
    auto [at, next] = run;
    PyTypeObject* const type = Py_TYPE(*next);
    do {
        PyObject* const value = *next;
        if (Py_TYPE(value) != type) break;
        if (end - next > kAhead) {
            const auto* const later = reinterpret_cast<const char*>(next[kAhead]);
            for (std::size_t i = 0; i < kBytes; i += kCacheLine) __builtin_prefetch(later + i);
        }
        std::uint8_t* const behind = write_at_once(call, plan, value, at);
        if (OCIOR_UNLIKELY(!behind)) break;
        store(behind, separator.word);
        at = behind + separator.length;
    } while (++next != end && at <= limit);
    return {at, next};
}

template <auto write, auto write_at_once>
constexpr Handler kTextHandler{
    .role = Handler::Role::kText, .write = write, .write_at_once = write_at_once, .write_run = write_run_of<write_at_once>};

// The handlers of types that were met of late, each for one set of RichFlags. It belongs to one call at a time and needs no lock.
// It holds no reference to a type: one that dies takes its version with it, and no other type ever has the same. A type that has another
// version is compared with what it was; one that has no version left is compared for the first of its values after Python code may have
// run.
class TypeTable {
public:
    struct Entry {
        PyTypeObject* type = nullptr;
        mutable unsigned version = 0;
        std::uint32_t flags = 0;
        const Handler* handler = nullptr;
        FieldsPlan plan;
        // Units of text that Writer::put_frameless_fields() has written of such objects, less twice those that it wrote in vain.
        mutable std::ptrdiff_t frameless_balance = 0;
        ClassState state{};
        mutable std::uint64_t compared_at = 0;  // where the version is 0: doubts_ at that time
    };

    // For a call with these flags, if the table has it.
    OCIOR_INLINE const Entry* entry_of(PyTypeObject* type, std::uint32_t flags) noexcept {
        for (const Entry& entry : set_of(type, flags))
            if (entry.type == type && entry.flags == flags && OCIOR_LIKELY(is_current(entry))) return &entry;
        return nullptr;
    }
    // Python code may run: it can change types. (Whatever is compared before that is over has to be doubted again.)
    OCIOR_INLINE void doubt() noexcept { ++doubts_; }
    // A call ends: before the next one Python code may run, too.
    OCIOR_INLINE void end_call() noexcept { first_of_call_ = ++doubts_; }
    // The entry of a type that is about to be asked for by known().
    OCIOR_INLINE void note(const Entry* entry) noexcept { last_ = entry; }
    OCIOR_INLINE const Handler* known(PyTypeObject* type, std::uint32_t flags) noexcept {
        if (last_ && last_->type == type && last_->flags == flags && OCIOR_LIKELY(is_current(*last_))) return last_->handler;
        const Entry* const entry = entry_of(type, flags);
        return entry ? last_ = entry, entry->handler : nullptr;
    }
    // Adds the type to the table. Python code may run: that of a metaclass, or finalizers that a garbage collection calls.
    OCIOR_NOINLINE const Handler& learn(Call& call, PyTypeObject* type, std::uint32_t flags) noexcept;
    // Gives the known handler, or learns it, for the type of a value that is held while frames are pinned. Python code may have run since
    // then.
    OCIOR_INLINE const Handler& find(Call& call, PyTypeObject* type, std::uint32_t flags) noexcept {
        doubt();
        const Handler* const handler = known(type, flags);
        return OCIOR_LIKELY(handler != nullptr) ? *handler : learn(call, type, flags);
    }
    // The plan of the type, if it is the one that was found last and could be kept; else null.
    OCIOR_INLINE const FieldsPlan* plan_of(PyTypeObject* type) const noexcept {
        return OCIOR_LIKELY(last_ && last_->type == type) ? &last_->plan : nullptr;
    }

private:
    static constexpr std::size_t kLog2Sets = 8, kWays = 2;
    using Set = Entry[kWays];

    OCIOR_INLINE Set& set_of(PyTypeObject* type, std::uint32_t flags) noexcept {
        // Fibonacci hashing (Knuth), 2^64 divided by the golden ratio: types lie at distances that have much in common.
        const std::uint64_t key = reinterpret_cast<std::uintptr_t>(type) ^ flags;
        return sets_[key * 0x9E3779B97F4A7C15 >> (64 - kLog2Sets)];
    }

    // Whether the entry's type, which is there, has not changed.
    OCIOR_INLINE bool is_current(const Entry& entry) const noexcept {
        const bool is_same = entry.version == type_version(entry.type) && (entry.version != 0 || entry.compared_at == doubts_);
        return OCIOR_LIKELY(is_same) || is_unchanged(entry);
    }
    [[nodiscard]] OCIOR_NOINLINE bool is_unchanged(const Entry& entry) const noexcept;
    [[nodiscard]] bool hold(Call& call, const Entry& entry, PyTypeObject* type) const noexcept;
    [[nodiscard]] const Entry* find_unchanged(Call& call, PyTypeObject* type, std::uint32_t flags) noexcept;

    const Entry* last_ = nullptr;
    const Tricks* tricks_ = nullptr;  // the module's, once there is an entry
    std::uint64_t doubts_ = 1, first_of_call_ = 1;
    unsigned next_way_ = 0;  // is replaced next
    Set sets_[std::size_t{1} << kLog2Sets];
};

// Whether json itself takes what has this type, which is no str, as a key.
OCIOR_INLINE bool is_key_of_json(PyTypeObject* type) noexcept {
    return PyType_FastSubclass(type, Py_TPFLAGS_LONG_SUBCLASS) || type == Py_TYPE(Py_None) || PyType_IsSubtype(type, &PyFloat_Type);
}

// What becomes of a key that is no str.
struct KeyText {
    enum class Kind : std::uint8_t {
        kWritten,
        kString,  // Extras::replacement is the str
        kSkipped,
        kFailed,  // an error is set
    };
    Kind kind;
    std::uint8_t* end = nullptr;  // kWritten: where it ends; null where Extras::long_scalar is the text
};

// Writes to `to`, as a handler does. May run Python code, so the frames are pinned and the key is held.
KeyText read_key(Call& call, PyObject* key, std::uint8_t* to) noexcept;

// What json's own types and their subclasses are written by; kOther for any other type.
const Handler& json_handler_of(PyTypeObject* type) noexcept;
extern const Handler kOther, kSequence, kMapping, kString;
// Classes derived from list and tuple that are iterated over as these are.
extern const Handler kDerivedSequence;
// What instances of `type` are written by, for which `handler` has been found: classes derived from list, tuple and dict that are iterated
// over as these are have handlers of their own.
const Handler& stored_handler_of(Call& call, PyTypeObject* type, const Handler& handler) noexcept;

// Opens a frame over the items that lie in a list or tuple, or in an object of a class derived from either. Where json takes all items at
// once, what is done to a list meanwhile is not seen.
Opened open_stored_sequence(Call& call, PyObject* sequence, std::size_t offset) noexcept;
// Opens a frame over what `value`, a dict or of a class derived from dict, holds.
Opened open_mapping(Call& call, PyObject* dict, std::size_t offset) noexcept;
// What the hook returns for `value`, which is held. There is room for a frame then, and all frames are pinned. Empty with an error set.
Owned ask_hook(Call& call, PyObject* hook, PyObject* value, std::size_t offset) noexcept;
// Hands the value to the default hook, or refuses it.
Opened open_default(Call& call, PyObject* value, std::size_t offset) noexcept;

}  // namespace ocior::encode
