// What the walks of one call share, with each other, and with what writes values of all types: the open frames, the progress, the context,
// what the caller asked for.
#pragma once

#include "encode/own_types.h"
#include "encode/rich_flags.h"
#include "encode/strings.h"
#include "encode/types.h"
#include "encode/walk/frames.h"
#include "encode/walk/progress.h"
#include "py/callback.h"
#include "py/constants.h"

namespace ocior::encode {

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

struct Call : Frames, Progress {
    const Constants& constants;
    Output& output;
    const InstalledJson& json;
    const OwnTypes& own;
    PlanKey rich;
    PyObject* default_hook;  // borrowed, or null: where an ocior.Default is given, its fallback
    bool has_extras = false;  // the context's Extras may hold something

    Call(const Options& options, const Constants& constants, Context& context, Output& output, const InstalledJson& json,
         const OwnTypes& own, PlanKey rich, PyObject* default_hook) noexcept
        : Frames(options, context, default_hook != nullptr),
          constants(constants),
          output(output),
          json(json),
          own(own),
          rich(rich),
          default_hook(default_hook) {}

    Extras& extras() noexcept {
        has_extras = true;
        return context.extras;
    }

    // ---- frames ----

    // Opens the frame of the whole document.
    void open_root(PyObject* value) noexcept {
        new (behind_top++) Frame(nullptr, value, FrameKind::kSingle, true);
        if (default_hook) guards.couple_none();  // a hook wants each container to be looked at
    }
    // Whether a frame may be opened for that object, for which there is room then. False with an error set: too deep, circular, out of
    // memory.
    [[nodiscard]] OCIOR_INLINE bool may_open(PyObject* identity, FrameKind kind, std::size_t offset) noexcept {
        return is_unsuspicious(offset) || may_open_looked_up(identity, kind, offset);
    }
    // Opens a frame. False with an error set, as may_open() sets it.
    [[nodiscard]] OCIOR_INLINE bool open(PyObject* identity, PyObject* iterated, FrameKind kind, std::size_t offset) noexcept {
        if (!may_open(identity, kind, offset)) return false;
        push(identity, iterated, kind);
        return true;
    }
    // Opens a frame over `count` entries, which were taken from the context: borrowed references that `identity` owns as long as it is
    // guarded; owned ones where it is not. False with an error set: they are given back.
    [[nodiscard]] OCIOR_INLINE bool open_entries(PyObject* identity, layout::StrEntry* entries, std::size_t count,
                                                 std::size_t offset) noexcept {
        if (OCIOR_UNLIKELY(!is_unsuspicious(offset)) && !may_open_entries(identity, entries, count, offset)) return false;
        push_entries(identity, entries, count);
        return true;
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
    // Opens a frame over `made`, which it takes over: what the default hook has returned for the value that is held. may_open() was asked,
    // and the frames below are pinned. (In line it would be taken for unlikely, and the frame be cleared by the slowest means.)
    OCIOR_NOINLINE void open_made_by_hook(PyObject* made) noexcept;
    // Opens a frame over a long string. False with an error set.
    [[nodiscard]] bool open_text(PyObject* str) noexcept;
    // Whether `container`, of so many levels, may stand where the walk is. False with an error set.
    [[nodiscard]] OCIOR_INLINE bool may_nest(PyObject* container, std::size_t levels) noexcept {
        return OCIOR_LIKELY(depth() + levels <= options.max_depth) || may_nest_further(container, levels);
    }
    // What the top frame has next. May run Python code. In line for a single value, which a hook has returned.
    OCIOR_INLINE Advance advance() noexcept {
        Frame& frame = top();
        if (OCIOR_UNLIKELY(frame.kind != FrameKind::kSingle)) return advance_container();
        if (frame.position) return {Advance::Kind::kReplaced};
        frame.position = 1;
        return {Advance::Kind::kValue, nullptr, frame.iterated};
    }
    // Whether the dict of the top frame is no longer as large as it was when Python code first ran, where that is an error, which is set.
    [[nodiscard]] bool has_changed_size() noexcept;
    // What a walk returns that stops. `may_change`: the present item may be another one when it is asked for again.
    Stop end_walk(bool wrote_before, bool may_change) noexcept;
    // Ends the call.
    void close_all() noexcept {
        while (depth()) close();
        context.kept.clear();
        forget_borrowed();
        context.types.end_call();
        context.orders.clear();
        if (OCIOR_UNLIKELY(has_extras)) release_extras();
    }

    // ---- guards ----

    // Guards what the top frame reads, if that is not guarded yet. In that case nothing else is guarded, either.
    OCIOR_INLINE void guard_top() noexcept { guards.guard(top()); }
    // Whether no other thread can find those items of the top frame that have no reference but its own.
    OCIOR_INLINE bool hides_items() const noexcept { return Guards::hides_items(top()); }
    // Guards an item of the top frame, which is coupled with the frame that is opened for it. Else nothing is guarded any more, and the
    // item is held. The frame knows its place.
    OCIOR_INLINE void couple(PyObject* item, std::size_t offset) noexcept {
        if constexpr (kMayBeShared) {
            if (is_unsuspicious(offset) && OCIOR_LIKELY(guards.may_couple(depth()))) {
                const bool is_usual = PyTuple_CheckExact(item) || PyList_CheckExact(item) || PyDict_CheckExact(item);
                if (OCIOR_LIKELY(is_usual) || has_fields(item))
                    if (guards.guard_item(top(), item)) return;
            }
            hold(item, nullptr);
            pin_frames();
        }
    }
    // Ends the guard of an item for which no frame is opened.
    OCIOR_INLINE void uncouple(PyObject* item) noexcept { guards.unguard_item(item); }
    OCIOR_INLINE bool is_item_guarded() const noexcept { return guards.is_item_guarded(); }
    // Where an item is coupled that has to be opened in a way for which it cannot be: holds it, and nothing is guarded any more.
    void decouple(PyObject* item) noexcept {
        if (!kMayBeShared || !guards.is_item_guarded()) return;
        hold(item, nullptr);
        uncouple(item);
        pin_frames();
    }
    // Without a GIL: holds a value and its key before Python code looks at the key, and nothing is guarded any more.
    OCIOR_INLINE void decouple_entry(PyObject* value, PyObject* key) noexcept {
        if constexpr (kMayBeShared) hold(value, key), pin();
    }
    // Without a GIL: nothing is guarded any more, because the walk stops.
    OCIOR_INLINE void decouple_all() noexcept {
        if constexpr (kMayBeShared) pin();
    }
    // Without a GIL: holds an item, and its key, where the item is to be written in another way. (Where an error has been made, the lock of
    // its container may have been lost meanwhile, and the item with it.)
    OCIOR_INLINE void hold_to_go_on(PyObject* item, PyObject* key) noexcept {
        if (kMayBeShared && (stop == Stop::kWiden || stop == Stop::kText)) hold(item, key);
    }
    // Without a GIL, where frames are not coupled: holds the top frame's next item, and goes past it, where it is a list or dict behind
    // another container in a list. It is got without the list's lock.
    OCIOR_INLINE bool hold_next_container() noexcept {
        if constexpr (!kMayBeShared) return false;
        Frame& frame = top();
        if (OCIOR_LIKELY(guards.may_couple(depth()))) return false;
        PyObject* const item = frame.position && PyList_CheckExact(frame.iterated) ? new_item_ref(frame.iterated, frame.position) : nullptr;
        if (!item) return false;
        if (!PyList_CheckExact(item) && !PyDict_CheckExact(item)) return Py_DECREF(item), false;
        held = item;
        ++frame.position;
        return true;
    }
    // What is written in the place of an instance whose first value lies where its fields say, if that is a str, int, float, true, false or
    // null of exactly that type; null where it has to be asked for. Borrowed: from the instance, and without a GIL from the context.
    OCIOR_INLINE PyObject* value_of_instance(const Fields& fields, PyObject* instance) noexcept {
        PyObject* const value = fields.first_value(instance);
        return OCIOR_LIKELY(context.kept.has(value)) ? value : keep_value(fields, instance);
    }
    // Gives a string its UTF-8 form: a favour, so that nothing is said where there is no memory for it. Without a GIL that may wait for the
    // string's lock, and comes when nothing is guarded any more.
    OCIOR_NOINLINE void keep_utf8(PyObject* str) noexcept;

    // ---- keys and strings ----

    // Whether values of this type may be keys, str aside.
    OCIOR_INLINE bool may_be_key(PyTypeObject* type) const noexcept {
        return (rich & kRichKeys) || (!(rich & kStored) && is_key_of_json(type));
    }
    // Whether a key is its own text. (A member of an enum may be a str, and be written by its name all the same.)
    OCIOR_INLINE bool is_text_of_key(PyObject* key) const noexcept {
        return PyUnicode_Check(key) && (OCIOR_LIKELY(!(rich & (kEnumNames | kExactKeys))) || PyUnicode_CheckExact(key));
    }
    // Whether values of that type are known to be handed to the default hook.
    OCIOR_INLINE bool is_for_hook(PyTypeObject* type) noexcept {
        if (!default_hook || options.dialect->reading != Reading::kAtOnce) return false;
        const Plan* const plan = context.types.known(type, rich);
        return plan && plan->role == Role::kUnknown;
    }
    // The string as the options want it: its surrogates kept or replaced. Empty with an error set, where they are refused, too.
    [[nodiscard]] OCIOR_NOINLINE Owned checked_text(PyObject* str) noexcept;

private:
    // Whether a frame may be opened without a look at those that are open.
    OCIOR_INLINE bool is_unsuspicious(std::size_t offset) const noexcept {
        return OCIOR_LIKELY(depth() < kSuspiciousDepth && offset < next_check);
    }
    [[nodiscard]] OCIOR_NOINLINE bool may_open_looked_up(PyObject* identity, FrameKind kind, std::size_t offset) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool may_open_suspicious(PyObject* identity, FrameKind kind, std::size_t offset) noexcept;
    [[nodiscard]] bool may_open_entries(PyObject* identity, layout::StrEntry* entries, std::size_t count, std::size_t offset) noexcept;
    [[nodiscard]] OCIOR_NOINLINE bool may_nest_further(PyObject* container, std::size_t levels) noexcept;
    OCIOR_NOINLINE Advance advance_container() noexcept;
    OCIOR_NOINLINE void release_extras() noexcept;
    OCIOR_NOINLINE PyObject* keep_value(const Fields& fields, PyObject* instance) noexcept;
    // Whether the item is known to be written by fields that lie in it.
    [[nodiscard]] OCIOR_NOINLINE bool has_fields(PyObject* item) noexcept;
};

// UnicodeEncodeError for the lone surrogates of `str` from unit `position` on.
void raise_surrogate(Call& call, PyObject* str, std::size_t position) noexcept;

}  // namespace ocior::encode
