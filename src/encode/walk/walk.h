// The walk over a Python value: loops over lists and dicts, and an explicit stack of frames. Instantiated per mode, output unit and
// layout; what does not depend on them is in walk.cpp, and types/ for values of other types than JSON's own.
#pragma once

#include "encode/context.h"
#include "encode/options.h"
#include "encode/own_types.h"
#include "encode/rich_flags.h"
#include "encode/strings.h"
#include "encode/types.h"
#include "py/callback.h"
#include "py/constants.h"
#include "py/fetch.h"

namespace ocior::encode {

// Why a walk stops. All but kDone are the reason, too, why a Writer gives no position to go on at.
enum class Stop : std::uint8_t {
    kFailed,  // an error is set
    kDone,
    kWiden,  // the unit is too narrow for an item, of which nothing is written: another walk gives it again at Call::wanted_width
    kFlush,  // the piece is full, between two items or inside a long string
    kText,   // at a string that needs a frame of its own; the walk opens it and goes on
};

// Strings of more units than this are written piece by piece, where the output is: so much of one at a time.
inline constexpr std::size_t kTextPiece = 1024;

// What a frame that is not read in place has next. Key and value are borrowed: the frame holds them.
struct Advance {
    enum class Kind : std::uint8_t {
        kValue,     // what is written in the place of another value, or the root
        kItem,      // of a list
        kEntry,     // of a dict, with a key
        kReplaced,  // nothing: kValue is written
        kEndOfList,
        kEndOfDict,
        kFailed,
    };
    Kind kind;
    PyObject* key = nullptr;
    PyObject* value = nullptr;
};

// What the walks of one call share.
struct Call {
    const Options& options;
    const Constants& constants;
    Context& context;
    Output& output;
    const InstalledJson& json;
    const OwnTypes& own;
    std::uint32_t rich;      // RichFlags
    PyObject* default_hook;  // borrowed, or null: where an ocior.Default is given, its fallback
    Frame* behind_top;       // frames are open up to here
    std::size_t level = 0;       // containers open, where lines are written
    // Where the innermost list that is open begins, in units, if it may turn out to be a short one: while nothing but scalars is in it.
    static constexpr std::size_t kNoList = SIZE_MAX;
    std::size_t flat_list = kNoList;
    std::size_t kept = 0;  // kFlush: of the units that are written so many stay for the next piece
    std::size_t used = 0;  // units written when a walk returns
    std::size_t escaped = 0;  // of these, up to where the extra escapes of kExtraEscapes have been put
    // What is written of a list or dict, owned: without a GIL where its container is no longer locked, and where Python code has made the
    // text of its key.
    PyObject* held = nullptr;
    PyObject* held_key = nullptr;
    std::size_t compared_depth = 0;  // down to here, all frames have been compared at once
    // Output offset from which a new container is looked up among its ancestors. With a hook that may count its calls, json's moment of
    // detecting a cycle matters: always.
    std::size_t next_check;

    // What is smaller than a pointer stands behind the pointers: GCC sets neighbours by wide stores, and a pointer of which two stores have
    // one half each is read only once both have left the store buffer.
    unsigned wanted_width = 1;  // kWiden: the width to go on with
    Stop stop = Stop::kFailed;  // who gives no position to go on at for another reason says so here
    std::uint8_t vain_tries = 0;  // of Writer::put_made(), since the last one that was not
    bool gives_again = false;  // kWiden: the top frame holds the item that has to be written again
    bool writes_key = false;  // what a plan writes is the text of a key
    bool failed_in_key = false;  // kFailed: the top frame's next key, or its iterator, is to blame, not an item
    bool has_extras = false;  // the context's Extras may hold something

    // Without a GIL. While what a list, dict or tuple holds is written, the container stays guarded, if it can be: frames are coupled. All
    // frames above a coupled one are. Their references are borrowed and they know their places, as with a GIL, and the thread waits for no
    // lock before it has let go of all of them, which pin() does; other threads that wait meanwhile get their turn when the output has
    // grown by kSuspiciousOutput. The lowest of these frames may have had to wait for its lock: then it is guarded by a critical
    // section.
    ObjectLock section;
    std::size_t first_coupled = 0;  // frames below are not coupled with what they hold: other threads have waited for them
    Guard item_guard = Guard::kNone;  // of the item that is about to be opened, where it is guarded already

    // (Not an aggregate: GCC would fill the whole with zeros first, by a loop that costs as much as the smallest document.)
    Call(const Options& options, const Constants& constants, Context& context, Output& output, const InstalledJson& json,
         const OwnTypes& own, std::uint32_t rich, PyObject* default_hook) noexcept
        : options(options),
          constants(constants),
          context(context),
          output(output),
          json(json),
          own(own),
          rich(rich),
          default_hook(default_hook),
          behind_top(context.frames),
          next_check(default_hook ? 0 : options.first_check) {}

    std::size_t depth() const noexcept { return static_cast<std::size_t>(behind_top - context.frames); }  // the root included
    OCIOR_INLINE Frame& top() const noexcept { return behind_top[-1]; }
    Extras& extras() noexcept {
        has_extras = true;
        return context.extras;
    }

    // Whether a frame may be opened for that object, for which there is room then. False with an error set: too deep, circular, out of
    // memory.
    [[nodiscard]] OCIOR_INLINE bool may_open(PyObject* identity, FrameKind kind, std::size_t offset) noexcept {
        return OCIOR_LIKELY(depth() < kSuspiciousDepth && offset < next_check) || may_open_looked_up(identity, kind, offset);
    }
    // Opens a frame. False with an error set, as may_open() sets it.
    [[nodiscard]] OCIOR_INLINE bool open(PyObject* identity, PyObject* iterated, FrameKind kind, std::size_t offset) noexcept {
        if (!may_open(identity, kind, offset)) return false;
        new (behind_top++) Frame(identity, iterated, kind, false);
        if constexpr (!layout::kHasGil) {
            if (item_guard != Guard::kNone) top().guard.set(std::exchange(item_guard, Guard::kNone));
            else held == identity ? own_held() : pin_frames();
        }
        return true;
    }
    OCIOR_INLINE void close() noexcept {
        Frame& frame = *--behind_top;
        if constexpr (!layout::kHasGil) unguard(frame);
        if (OCIOR_UNLIKELY(frame.owned != 0)) release(frame);
    }

    // What the top frame has next, if that is a list which is read in place; else null.
    OCIOR_INLINE PyObject* next_in_list() noexcept {
        const Frame& list = top();
        return reads_list(list.kind) && list.place.next != list.place.end ? *static_cast<PyObject* const*>(list.place.next) : nullptr;
    }
    // Goes past that.
    OCIOR_INLINE void take_next_in_list() noexcept {
        Place& place = top().place;
        auto* const next = static_cast<PyObject* const*>(place.next) + 1;
        place.next = next;
        if constexpr (layout::kHasGil) prefetch_containers(next, static_cast<PyObject* const*>(place.end));
    }

    // Guards what the top frame reads, if that is not guarded yet. In that case nothing else is guarded, either.
    OCIOR_INLINE void guard_top() noexcept {
        if constexpr (!layout::kHasGil) {
            Frame& frame = top();
            if (frame.guard.get() != Guard::kNone) return;
            if (PyTuple_Check(frame.iterated)) return frame.guard.set(Guard::kTuple);
            if (OCIOR_LIKELY(try_lock_mutex(frame.iterated))) return frame.guard.set(Guard::kMutex);
            section.lock(frame.iterated);
            frame.guard.set(Guard::kSection);
        }
    }
    // Whether no other thread can find those items of the top frame that have no reference but its own.
    OCIOR_INLINE bool hides_items() const noexcept {
        if constexpr (layout::kHasGil) return true;
        const Guard guard = top().guard.get();
        return guard == Guard::kAlone || ((guard == Guard::kSection || guard == Guard::kMutex) && is_read_under_lock(top().iterated));
    }
    // Guards an item of the top frame, which is coupled with the frame that is opened for it. Else nothing is guarded any more, and the
    // item is held. The frame knows its place.
    OCIOR_INLINE void couple(PyObject* item, std::size_t offset) noexcept {
        if constexpr (!layout::kHasGil) {
            if (OCIOR_LIKELY(depth() < kSuspiciousDepth && offset < next_check && depth() > first_coupled)) {
                const bool is_tuple = PyTuple_CheckExact(item);
                if (OCIOR_LIKELY(is_tuple || PyList_CheckExact(item) || PyDict_CheckExact(item)) || has_fields(item)) {
                    if (hides_items() && has_one_reference(item)) return void(item_guard = Guard::kAlone);
                    if (is_tuple) return void(item_guard = Guard::kTuple);
                    if (OCIOR_LIKELY(try_lock_mutex(item))) return void(item_guard = Guard::kMutex);
                }
            }
            hold(item, nullptr);
            pin_frames();
        }
    }
    // Ends the guard of an item for which no frame is opened.
    OCIOR_INLINE void uncouple(PyObject* item) noexcept {
        if constexpr (!layout::kHasGil)
            if (std::exchange(item_guard, Guard::kNone) == Guard::kMutex) unlock_mutex(item);
    }
    // Whether nobody changes the item for which a frame is about to be opened, until Python code runs or pin() is called.
    OCIOR_INLINE bool is_item_guarded() const noexcept { return layout::kHasGil || item_guard != Guard::kNone; }
    // Where an item is coupled that has to be opened in a way for which it cannot be: holds it, and nothing is guarded any more.
    void decouple(PyObject* item) noexcept {
        if (layout::kHasGil || item_guard == Guard::kNone) return;
        hold(item, nullptr);
        uncouple(item);
        pin_frames();
    }
    // Opens a frame over `count` entries, which were taken from the context: borrowed references that `identity` owns as long as it is
    // guarded; owned ones where it is not. False with an error set: they are given back.
    [[nodiscard]] OCIOR_INLINE bool open_entries(PyObject* identity, layout::StrEntry* entries, std::size_t count,
                                                 std::size_t offset) noexcept {
        if (OCIOR_UNLIKELY(depth() >= kSuspiciousDepth || offset >= next_check)) {
            own_entries(entries, count);  // a refusal may run Python code
            const bool may = may_open_looked_up(identity, FrameKind::kEntries, offset);
            disown_entries(entries, count);
            if (!may) {
                if (!is_item_guarded()) disown_entries(entries, count);
                return context.entries.give_back(entries), false;
            }
        }
        if (!is_item_guarded()) pin_frames();  // all frames under a pinned one are pinned
        new (behind_top++) Frame(identity, entries, count);
        if constexpr (!layout::kHasGil) {
            if (OCIOR_LIKELY(item_guard != Guard::kNone)) top().guard.set(std::exchange(item_guard, Guard::kNone));
            else own_identity();
        }
        return true;
    }
    static void own_entries(const layout::StrEntry* entries, std::size_t count) noexcept;
    static void disown_entries(const layout::StrEntry* entries, std::size_t count) noexcept;
    void close_root() noexcept { --behind_top; }  // it owns nothing
    // Whether `container`, of so many levels, may stand where the walk is. False with an error set.
    [[nodiscard]] OCIOR_INLINE bool may_nest(PyObject* container, std::size_t levels) noexcept {
        return OCIOR_LIKELY(depth() + levels <= options.max_depth) || may_nest_further(container, levels);
    }
    // The string as the options want it: its surrogates kept or replaced. Empty with an error set, where they are refused, too.
    [[nodiscard]] OCIOR_NOINLINE Owned checked_text(PyObject* str) noexcept;
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
    // Opens a frame over a long string. False with an error set.
    [[nodiscard]] bool open_text(PyObject* str) noexcept;
    // Holds an item, and its key in a dict.
    OCIOR_INLINE void hold(PyObject* item, PyObject* key) noexcept {
        if (held) return;
        held = new_ref(item);
        Py_XINCREF(key);
        held_key = key;
    }
    // Without a GIL: holds an item, and its key, where the item is to be written in another way. (Where an error has been made, the lock of
    // its container may have been lost meanwhile, and the item with it.)
    OCIOR_INLINE void hold_to_go_on(PyObject* item, PyObject* key) noexcept {
        if (!layout::kHasGil && (stop == Stop::kWiden || stop == Stop::kText)) hold(item, key);
    }
    // Whether values of this type may be keys, str aside.
    OCIOR_INLINE bool may_be_key(PyTypeObject* type) const noexcept {
        return (rich & kRichKeys) || (!(rich & kStored) && is_key_of_json(type));
    }
    // Whether a key is its own text. (A member of an enum may be a str, and be written by its name all the same.)
    OCIOR_INLINE bool is_text_of_key(PyObject* key) const noexcept {
        return PyUnicode_Check(key) && (OCIOR_LIKELY(!(rich & (kEnumNames | kExactKeys))) || PyUnicode_CheckExact(key));
    }
    // What is written in the place of an instance whose first value lies where its fields say, if that is a str, int, float, true, false or
    // null of exactly that type; null where it has to be asked for. Borrowed: from the instance, and without a GIL from the context.
    OCIOR_INLINE PyObject* value_of_instance(const Fields& fields, PyObject* instance) noexcept {
        PyObject* const value = fields.first_value(instance);
        return layout::kHasGil || (value && OCIOR_LIKELY(context.kept.has(value))) ? value : keep_value(fields, instance);
    }
    // Without a GIL, where frames are not coupled: holds the top frame's next item, and goes past it, where it is a list or dict behind
    // another container in a list. It is got without the list's lock.
    OCIOR_INLINE bool hold_next_container() noexcept {
        Frame& frame = top();
        if (OCIOR_LIKELY(depth() > first_coupled)) return false;
        PyObject* const item = frame.position && PyList_CheckExact(frame.iterated) ? new_item_ref(frame.iterated, frame.position) : nullptr;
        if (!item) return false;
        if (!PyList_CheckExact(item) && !PyDict_CheckExact(item)) return Py_DECREF(item), false;
        held = item;
        ++frame.position;
        return true;
    }
    // Before Python code may run, that of finalizers among it: types may then change.
    OCIOR_INLINE void forget_borrowed() noexcept { context.types.doubt(); }
    // Whether an object whose reference is let go of may be freed by that, which runs Python code. (Without a GIL, whoever lets go of the
    // last one at the same time has changed what this call is reading.)
    static OCIOR_INLINE bool may_die(PyObject* object) noexcept { return layout::kHasGil || (object && Py_REFCNT(object) == 1); }
    // Lets go of the item that was held.
    OCIOR_INLINE void release_item() noexcept {
        if (layout::kHasGil && OCIOR_LIKELY(!held)) return;
        if (may_die(held)) forget_borrowed();
        Py_XDECREF(std::exchange(held, nullptr));
        Py_XDECREF(std::exchange(held_key, nullptr));
    }
    // Opens a frame over what `make` returns, a new reference; it may run Python code. False with an error set.
    template <typename Make>
    [[nodiscard]] bool open_made(PyObject* identity, FrameKind kind, std::size_t offset, Make make) noexcept {
        if (!open(identity, nullptr, kind, offset)) return false;
        pin();
        PyObject* const made = call_back(context.may_be_nested, " while encoding a JSON object", make);
        if (!made) return close(), false;
        top().iterated = made;
        top().owned |= Frame::kIterated;
        return true;
    }
    // Whether values of that type are known to be handed to the default hook.
    OCIOR_INLINE bool is_for_hook(PyTypeObject* type) noexcept {
        if (!default_hook || options.dialect->reading != Reading::kAtOnce) return false;
        const Plan* const plan = context.types.known(type, rich);
        return plan && plan->role == Role::kUnknown;
    }
    // Opens a frame over `made`, which it takes over: what the default hook has returned for the value that is held. may_open() was asked,
    // and the frames below are pinned. (In line it would be taken for unlikely, and the frame be cleared by the slowest means.)
    OCIOR_NOINLINE void open_made_by_hook(PyObject* made) noexcept;
    // What the top frame has next. May run Python code. In line for a single value, which a hook has returned.
    OCIOR_INLINE Advance advance() noexcept {
        Frame& frame = top();
        if (OCIOR_UNLIKELY(frame.kind != FrameKind::kSingle)) return advance_container();
        if (frame.position) return {Advance::Kind::kReplaced};
        frame.position = 1;
        return {Advance::Kind::kValue, nullptr, frame.iterated};
    }
    // Gives a string its UTF-8 form: a favour, so that nothing is said where there is no memory for it. Without a GIL that may wait for the
    // string's lock, and comes when nothing is guarded any more.
    OCIOR_NOINLINE void keep_utf8(PyObject* str) noexcept;
    // Whether the dict of the top frame is no longer as large as it was when Python code first ran, where that is an error, which is set.
    [[nodiscard]] bool has_changed_size() noexcept;
    // What a walk returns that stops. `may_change`: the present item may be another one when it is asked for again.
    Stop end_walk(bool wrote_before, bool may_change) noexcept;
    // Ends the call.
    void close_all() noexcept {
        while (depth()) close();
        if constexpr (!layout::kHasGil) context.kept.clear();
        forget_borrowed();
        context.types.end_call();
        context.orders.clear();
        if (OCIOR_UNLIKELY(has_extras)) release_extras();
    }

private:
    // Marks a frame as one that owns its container from now on.
    static OCIOR_INLINE void mark_pinned(Frame& frame) noexcept {
        frame.owned |= Frame::kIdentity;
        if (OCIOR_UNLIKELY(frame.kind == FrameKind::kEntries)) own_entries(frame.entries(), frame.dict_size);
        if (layout::kHasGil && OCIOR_UNLIKELY(frame.kind == FrameKind::kDerivedList)) own_items(frame);
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
    OCIOR_INLINE void hand_over_held() noexcept {
        held = nullptr;
        Py_XDECREF(std::exchange(held_key, nullptr));
    }
    // Lets go of what the frame reads.
    OCIOR_INLINE void unguard(Frame& frame) noexcept {
        const Guard guard = frame.guard.get();
        frame.guard.set(Guard::kNone);
        if (guard != Guard::kMutex && guard != Guard::kSection) return;
        if (OCIOR_UNLIKELY(has_waiters(frame.iterated))) do_not_couple(static_cast<std::size_t>(&frame - context.frames));
        if (OCIOR_UNLIKELY(guard == Guard::kSection)) section.unlock();
        else unlock_mutex(frame.iterated);
    }
    OCIOR_NOINLINE void release_extras() noexcept;
    OCIOR_NOINLINE PyObject* keep_value(const Fields& fields, PyObject* instance) noexcept;
    OCIOR_NOINLINE void do_not_couple(std::size_t frame) noexcept;
    // Whether the item is known to be written by fields that lie in it.
    [[nodiscard]] OCIOR_NOINLINE bool has_fields(PyObject* item) noexcept;
    OCIOR_NOINLINE Advance advance_container() noexcept;
    OCIOR_NOINLINE void release(const Frame& frame) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool may_open_looked_up(PyObject* identity, FrameKind kind, std::size_t offset) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool may_open_suspicious(PyObject* identity, FrameKind kind, std::size_t offset) noexcept;
    OCIOR_NOINLINE static void pin_frame(Frame& frame) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool may_nest_further(PyObject* container, std::size_t levels) noexcept;
    [[nodiscard]] bool is_new(PyObject* identity, std::size_t offset) noexcept;
    [[nodiscard]] bool reserve_frame() noexcept;
};

// The depth of the first of these frames whose container is an outer one's, too; `depth` where there is none, or no memory to find it.
std::size_t depth_of_first_twin(const Frame* frames, std::size_t depth) noexcept;

// UnicodeEncodeError for the lone surrogates of `str` from unit `position` on.
void raise_surrogate(Call& call, PyObject* str, std::size_t position) noexcept;

// Resumable after kWiden and kFlush.
template <Mode mode, CodeUnit Unit, Spacing spacing>
Stop walk(Call& call) noexcept;

}  // namespace ocior::encode
