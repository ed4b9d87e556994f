// The containers that are open, from the root to the innermost, and the item that is held meanwhile: which references are owned, and from
// when on.
#pragma once

#include "encode/context.h"
#include "encode/options.h"

namespace ocior::encode {

struct Frames {
    const Options& options;
    Context& context;
    Frame* behind_top;  // frames are open up to here
    // What is written of a list or dict, owned: without a GIL where its container is no longer locked, and where Python code has made the
    // text of its key.
    PyObject* held = nullptr;
    PyObject* held_key = nullptr;
    std::size_t compared_depth = 0;  // down to here, all frames have been compared at once
    // Output offset from which a new container is looked up among its ancestors. With a hook that may count its calls, json's moment of
    // detecting a cycle matters: always.
    std::size_t next_check;
    bool has_hook;
    Guards guards{};

    Frames(const Options& options, Context& context, bool has_hook) noexcept
        : options(options),
          context(context),
          behind_top(context.frames),
          next_check(has_hook ? 0 : options.first_check),
          has_hook(has_hook) {}

    std::size_t depth() const noexcept { return static_cast<std::size_t>(behind_top - context.frames); }  // the root included
    OCIOR_INLINE Frame& top() const noexcept { return behind_top[-1]; }

    // Opens a frame, for which there is room.
    OCIOR_INLINE void push(PyObject* identity, PyObject* iterated, FrameKind kind) noexcept {
        new (behind_top++) Frame(identity, iterated, kind, false);
        if (!guards.hand_over_item(top())) held == identity ? own_held() : pin_frames();
    }
    // Opens a frame over `count` entries, as Call::open_entries() does, for which there is room.
    OCIOR_INLINE void push_entries(PyObject* identity, layout::StrEntry* entries, std::size_t count) noexcept {
        if (!guards.is_item_guarded()) pin_frames();  // all frames under a pinned one are pinned
        new (behind_top++) Frame(identity, entries, count);
        if (OCIOR_UNLIKELY(!guards.hand_over_item(top()))) own_identity();
    }
    OCIOR_INLINE void close() noexcept {
        Frame& frame = *--behind_top;
        guards.unguard(frame, depth());
        if (OCIOR_UNLIKELY(frame.owned != 0)) release(frame);
    }
    void close_root() noexcept { --behind_top; }  // it owns nothing

    // What the top frame has next, if that is a list which is read in place; else null.
    OCIOR_INLINE PyObject* next_in_list() noexcept {
        const Frame& list = top();
        return reads_list(list.kind) && list.place.next != list.place.end ? *static_cast<PyObject* const*>(list.place.next) : nullptr;
    }
    // Goes past that.
    OCIOR_INLINE void take_next_in_list() noexcept {
        ListRun run(top().place);
        run.go_on_at(run.next_items() + 1);
        top().place.next = run.next_items();
        run.prefetch_containers();
    }

    // The position of a frame by number.
    static void settle(Frame& frame) noexcept;
    // Makes every open frame own its container and know its position by number, because Python code is about to run. The frame of a
    // container being read is brought up to date before.
    void pin() noexcept {
        forget_borrowed();
        pin_frames();
    }
    // Pins the frames as pin() does, where no Python code is about to run.
    void pin_frames() noexcept;
    // Pins the frames before memory is asked for that may not be there: until 3.12 the new MemoryError itself may start a garbage
    // collection.
    void pin_for_memory_error() noexcept {
        if constexpr (PY_VERSION_HEX < 0x030C0000) pin();
    }
    // Before Python code may run, that of finalizers among it: types may then change.
    OCIOR_INLINE void forget_borrowed() noexcept { context.types.doubt(); }

    // Holds an item, and its key in a dict.
    OCIOR_INLINE void hold(PyObject* item, PyObject* key) noexcept {
        if (held) return;
        held = new_ref(item);
        Py_XINCREF(key);
        held_key = key;
    }
    // Lets go of the item that was held.
    OCIOR_INLINE void release_item() noexcept {
        if (OCIOR_LIKELY(!held)) return;
        if (may_die(held)) forget_borrowed();
        Py_XDECREF(std::exchange(held, nullptr));
        Py_XDECREF(std::exchange(held_key, nullptr));
    }
    OCIOR_INLINE void hand_over_held() noexcept {
        held = nullptr;
        Py_XDECREF(std::exchange(held_key, nullptr));
    }
    static void own_entries(const layout::StrEntry* entries, std::size_t count) noexcept;
    static void disown_entries(const layout::StrEntry* entries, std::size_t count) noexcept;

    // Whether a container is none of those that are open; where that is not worth the look, it counts as one that is not.
    [[nodiscard]] bool is_new(PyObject* identity, std::size_t offset) noexcept;
    [[nodiscard]] bool is_open(PyObject* identity) const noexcept;
    // Makes room for a frame. False with MemoryError set.
    [[nodiscard]] bool reserve_frame() noexcept;

private:
    // Marks a frame as one that owns its container from now on.
    static OCIOR_INLINE void mark_pinned(Frame& frame) noexcept {
        frame.owned |= Frame::kIdentity;
        if (OCIOR_UNLIKELY(frame.kind == FrameKind::kEntries)) own_entries(frame.entries(), frame.dict_size);
        if (OCIOR_UNLIKELY(frame.kind == FrameKind::kDerivedList)) own_items(frame);
        if (frame.kind == FrameKind::kDict) frame.dict_size = static_cast<std::uint32_t>(PyDict_GET_SIZE(frame.iterated));
    }
    // Copies the items of a kDerivedList. Where there is no memory for them, the walk ends with MemoryError when it comes back to the list.
    static OCIOR_NOINLINE void own_items(Frame& frame) noexcept;
    // The top frame takes over the container that is held; all frames below it own theirs.
    OCIOR_INLINE void own_held() noexcept {
        mark_pinned(top());
        hand_over_held();
    }
    // The top frame, which owns its entries, takes over the object that they were taken out of, whether or not that is held.
    OCIOR_INLINE void own_identity() noexcept {
        top().owned |= Frame::kIdentity;
        held == top().identity ? hand_over_held() : Py_INCREF(top().identity);
    }
    OCIOR_NOINLINE static void pin_frame(Frame& frame) noexcept;
    OCIOR_NOINLINE void release(const Frame& frame) noexcept;
};

// The depth of the first of these frames whose container is an outer one's, too; `depth` where there is none, or no memory to find it.
std::size_t depth_of_first_twin(const Frame* frames, std::size_t depth) noexcept;

}  // namespace ocior::encode
