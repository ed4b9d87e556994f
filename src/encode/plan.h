// How a value is written whose type the walk does not know by heart: a Plan says so, and knows neither the width of the output nor how the
// walk goes about it.
//
// A type is added by a branch in json_plan_of() (types/json.cpp, for what json writes) or rich_plan_of() (types/known.cpp, for all else),
// and a Plan. Scalars write ASCII, which the walk widens. Containers open a frame; where their items are found by other means than list,
// dict or iterator, a FrameKind of its own says so and Call::advance() gives them one by one. What is written in another value's place is
// replaced.
#pragma once

#include <string_view>

#include "base/bits.h"
#include "py/ref.h"

namespace ocior::encode {

struct Call;
class Fields;
struct Plan;

// So many bytes of a scalar's text are written in place; a longer text becomes a str.
inline constexpr std::size_t kShortScalar = 64;
inline constexpr std::size_t kSmallArray = 576;  // as many of a container, by Plan::write_small

// What a plan has made of a container.
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

// The room in bytes that Plan::write_run has behind its limit.
inline constexpr std::size_t kRunRoom = 256;

// What is done with a value. Whoever looks at plans looks at this alone: Writer::put_planned() without a frame, the walk with one, and
// read_key().
enum class Role : std::uint8_t {
    kNotFound,  // the look at the type has failed, with an error set, which `open` leaves as it is
    kString,  // of a class derived from str, and written as the str that it is
    kScalar,  // a number or a word
    kText,  // a string; as a key only where keys of such types are asked for
    kContainer,
    kFields,  // a container: an object of its fields, which Plan::fields may find in memory
    kStoredSequence,  // a container: of a class derived from list or tuple, whose items are read as those of a list or tuple are
    kSmallContainer,  // a container that is written without a frame where it is small, by Plan::write_small
    kReplaced,  // another value is written in its place: the first of Plan::fields, if there is one
    kJson,  // a RawObject, whose str or bytes of JSON is written as it is
    kUnknown,  // a container: what the default hook makes of it
};

struct Plan {
    Role role;
    // kScalar, kText. Writes the text of `value`, as an item or as a key, without quotes, to `to`, up to kShortScalar bytes of ASCII
    // without anything to escape. Returns where it ends. Null: a longer one is in Extras::long_scalar, or of kText any other in
    // Extras::replacement, or an error is set.
    std::uint8_t* (*write)(Call& call, PyObject* value, std::uint8_t* to) noexcept = nullptr;
    // kScalar, kText; kReplaced, if by a string. Writes the text of `value`, a string with its quotes, where that needs no Python code,
    // waits for no lock and can make no error; null where `write` is to be asked.
    std::uint8_t* (*write_at_once)(const Call& call, const Plan& plan, PyObject* value, std::uint8_t* to) noexcept = nullptr;
    // Writes the values of one type that come first in [run.next, end) as write_at_once does, each with a separator, up to
    // the first for which that gives null, or one that would begin behind `limit`: write_run_of<write_at_once>.
    TextRun (*write_run)(const Call& call, const Plan& plan, TextRun run, PyObject* const* end, const std::uint8_t* limit,
                         ItemSeparator separator) noexcept = nullptr;
    // kSmallContainer. Writes a small one with its brackets, its items separated by `separator` and nothing else, as write_at_once does: up
    // to kSmallArray bytes. The separator has one or two; two can be read where it lies.
    std::uint8_t* (*write_small)(const Call& call, PyObject* value, std::string_view separator, std::uint8_t* to) noexcept = nullptr;
    // All containers. `offset` is where in the output the value begins.
    Opened (*open)(Call& call, PyObject* value, std::size_t offset) noexcept = nullptr;
    // kReplaced. What is written in the place of `value`; empty with an error set. kJson: the text.
    Owned (*replace)(Call& call, PyObject* value) noexcept = nullptr;
    // write, open and replace may run Python code. They hold `value` while they need it then, and have the frames pinned, as
    // Call::open_made() does. replace() is called while `value` is held, and, but for kJson, while they are pinned.

    // What instances are written by, and where these have it. A plan in the TypeTable has some, which may be empty.
    const Fields* fields = nullptr;
};

inline constexpr std::size_t kCacheLine = 64;

// Calls of a function that is known when this is compiled become part of the loop, and what they need each time is loaded once. Of each
// value the first kBytes are read, which are asked for early.
template <auto write_at_once, std::size_t kBytes = kCacheLine>
TextRun write_run_of(const Call& call, const Plan& plan, TextRun run, PyObject* const* end, const std::uint8_t* limit,
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
constexpr Plan kTextPlan{.role = Role::kText, .write = write, .write_at_once = write_at_once, .write_run = write_run_of<write_at_once>};

// True, false, null, or of exactly the type str, int or float.
inline bool is_plain_scalar(PyObject* value) noexcept {
    return PyUnicode_CheckExact(value) || PyLong_CheckExact(value) || PyFloat_CheckExact(value) || value == Py_None || PyBool_Check(value);
}

}  // namespace ocior::encode
