// The walk over a Python value: one loop, one type switch, an explicit stack of frames. Instantiated per mode, output unit and
// layout; a walk at one width that meets wider text returns kWiden with nothing of that item written, and is resumed at the
// wider unit. A walk that writes in pieces returns kFlush between two items, or inside a long string, when a piece is full.
#pragma once

#include "encode/context.h"
#include "encode/options.h"
#include "encode/strings.h"
#include "py/constants.h"
#include "py/fetch.h"

namespace ocior::encode {

enum class Step : std::uint8_t { kDone, kWiden, kFlush, kFailed };

inline constexpr std::size_t kSuspiciousOutput = 64 * 1024;

// Strings of more units than this are written piece by piece, where the output is: so much of one at a time.
inline constexpr std::size_t kTextPiece = 1024;

// What the value is, for types that are not exactly the built-in ones.
enum class Kind : std::uint8_t { kStr, kInt, kFloat, kSequence, kDict, kOther, kFailed };

// What the walks of one call share.
struct Call {
    const Options& options;
    const Constants& constants;
    Context& context;
    Output& output;
    const InstalledJson& json;
    Frame* behind_top = context.frames;  // frames are open up to here
    std::size_t level = 0;       // containers open, where lines are written
    std::size_t used = 0;        // units written when a walk returns
    unsigned wanted_width = 1;   // kWiden: the width to go on with
    bool wants_flush = false;    // the walk stops because a piece is full
    bool wants_text = false;     // the walk stops at a string that needs a frame of its own
    bool failed_in_key = false;  // kFailed: the top frame's next key, or its iterator, is to blame, not an item
    PyObject* put_back = nullptr;    // kWiden: the item or pair of an iterator that has to be written again, owned
    std::size_t compared_depth = 0;  // down to here, all frames have been compared at once
    // Output offset from which a new container is looked up among its ancestors. With a hook that may count its calls, json's moment of
    // detecting a cycle matters: always.
    std::size_t next_check = options.default_hook ? 0 : kSuspiciousOutput;

    std::size_t depth() const noexcept { return static_cast<std::size_t>(behind_top - context.frames); }  // the root included
    OCIOR_INLINE Frame& top() noexcept { return behind_top[-1]; }

    // Opens a frame. False with an error set: too deep, circular, out of memory.
    [[nodiscard]] OCIOR_INLINE bool open(PyObject* identity, PyObject* iterated, FrameKind kind, std::size_t offset) noexcept {
        if (OCIOR_UNLIKELY(depth() >= kSuspiciousDepth || offset >= next_check) && !may_open(identity, offset)) return false;
        *behind_top++ = {identity, iterated, 0, kind, false, false, false, 0, {}};
        if constexpr (!layout::kHasGil) pin();
        return true;
    }
    OCIOR_INLINE void close() noexcept {
        const Frame& frame = *--behind_top;
        if (OCIOR_UNLIKELY(frame.is_pinned | frame.owns_iterated)) release(frame);
    }
    // The position of a frame by number.
    static void settle(Frame& frame) noexcept;
    // Makes every open frame own its container and know its position by number, because Python code is about to run. The frame of a
    // container being read is brought up to date before.
    void pin() noexcept;
    // The same before memory is asked for that may not be there: until 3.12 the new MemoryError itself may start a garbage collection.
    void pin_for_memory_error() noexcept {
        if constexpr (PY_VERSION_HEX < 0x030C0000) pin();
    }
    // Opens a frame over a long string. False with an error set.
    [[nodiscard]] bool open_text(PyObject* str) noexcept;
    void close_all() noexcept {
        Py_CLEAR(put_back);
        while (depth()) close();
    }

    // Opens a frame over the items() of a dict, sorted on demand. False with an error set.
    [[nodiscard]] bool open_items(PyObject* dict, std::size_t offset) noexcept;
    // The same, each pair asked for when its turn comes, unless they have to be sorted.
    [[nodiscard]] bool open_pairs(PyObject* dict, std::size_t offset) noexcept;
    // Has the top frame, one of kItems or kPairs, hold its next pair. False at the end, or with an error set.
    [[nodiscard]] bool next_pair() noexcept;
    // Opens a frame over the items that a subclass of list or tuple iterates over. False with an error set.
    [[nodiscard]] bool open_sequence(PyObject* sequence, std::size_t offset) noexcept;
    // The same, each item asked for when its turn comes: some iterate over more than memory holds.
    [[nodiscard]] bool open_iterator(PyObject* sequence, std::size_t offset) noexcept;
    // What a value of another type claims to be by its __class__, as proxies do: json's encoder in Python believes it. kFailed with an
    // error set. The value must be held: it may take itself out of its container.
    [[nodiscard]] Kind claimed_kind(PyObject* value) noexcept;
    // As json's encoder in Python asks before it goes through a list or dict. -1 with an error set. The value must be held, too.
    [[nodiscard]] int truth_of(PyObject* value) noexcept {
        pin();
        return PyObject_IsTrue(value);
    }
    // Asks the default hook for a replacement of `value` and opens a frame over it. False with an error set.
    [[nodiscard]] bool open_default(PyObject* value, std::size_t offset) noexcept;

private:
    // Cycles are looked for where they can do harm: deep down, or after much output. A cycle never ends, so it gets there.
    static constexpr std::size_t kSuspiciousDepth = 32;  // below the frame stack's first capacity

    static OCIOR_NOINLINE void release(const Frame& frame) noexcept;
    // The default() of the encoder class, where a user has put another in its place; else empty, maybe with an error set.
    Owned patched_default() noexcept;
    // Opens a frame over what `make` returns, a new reference; it may run Python code. False with an error set.
    template <typename Make>
    [[nodiscard]] bool open_made(PyObject* identity, FrameKind kind, std::size_t offset, Make make) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool may_open(PyObject* identity, std::size_t offset) noexcept;
    [[nodiscard]] bool is_new(PyObject* identity, std::size_t offset) noexcept;
    [[nodiscard]] bool reserve_frame() noexcept;
};

// The depth of the first of these frames whose container is an outer one's, too; `depth` where there is none, or no memory to find it.
std::size_t depth_of_first_twin(const Frame* frames, std::size_t depth) noexcept;

// Keys that are not str. The text of one, owned; empty with an error set, or empty without one: to be skipped. May run Python code.
Owned key_text(Call& call, PyObject* key) noexcept;

// For types that are not exactly the built-in ones.
Kind kind_of_subclass(PyObject* value) noexcept;

// UnicodeEncodeError for the lone surrogates of `str` from unit `position` on.
void raise_surrogate(Call& call, PyObject* str, std::size_t position) noexcept;

// Runs until the root is written, the unit is too narrow, or an error is set. Resumable after kWiden and kFlush.
template <Mode mode, CodeUnit Unit, Spacing spacing>
Step walk(Call& call) noexcept;

}  // namespace ocior::encode
