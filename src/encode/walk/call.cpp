#include "encode/walk/call.h"

#include "py/taken_error.h"

namespace ocior::encode {

// What stands in another value's place, and an array, whose levels are counted when it is looked at, are no level of their own.
bool Call::may_nest_further(PyObject* container, std::size_t levels) noexcept {
    bool is_circular = false;  // which would be found deeper down only
    for (const Frame* frame = context.frames; frame != behind_top; ++frame) {
        if (!is_level(frame->kind)) continue;
        ++levels;
        is_circular |= options.check_circular && frame->identity == container;
    }
    if (levels <= options.max_depth) return true;
    return refuse(*this, is_circular ? options.dialect->circular : options.dialect->too_deep, container), false;
}

bool Call::may_open_looked_up(PyObject* identity, FrameKind kind, std::size_t offset) noexcept {
    // With a hook each container is looked up. As a rule few are open, and none of them is this one.
    const bool is_shallow = default_hook && depth() < kSuspiciousDepth && options.first_check;
    return (OCIOR_LIKELY(is_shallow) && OCIOR_LIKELY(!is_open(identity))) || may_open_suspicious(identity, kind, offset);
}

bool Call::may_open_suspicious(PyObject* identity, FrameKind kind, std::size_t offset) noexcept {
    if (is_level(kind) && !may_nest(identity, 1)) return false;
    if (OCIOR_UNLIKELY(depth() > options.dialect->max_depth)) {
        if (!options.dialect->too_deep_hook.text) return refuse(*this, options.dialect->too_deep, identity), false;
        // What hooks returned is counted apart, and may be nested once more.
        std::size_t hooked = 0;
        for (const Frame* frame = context.frames + 1; frame != behind_top; ++frame) hooked += frame->kind == FrameKind::kSingle;
        if (hooked > options.dialect->max_depth) return refuse(*this, options.dialect->too_deep_hook, identity), false;
        if (depth() - 1 - hooked >= options.dialect->max_depth) return refuse(*this, options.dialect->too_deep, identity), false;
    }
    if (options.check_circular && OCIOR_UNLIKELY(!is_new(identity, offset)))
        return refuse(*this, options.dialect->circular, identity), false;
    return reserve_frame();
}

bool Call::may_open_entries(PyObject* identity, layout::StrEntry* entries, std::size_t count, std::size_t offset) noexcept {
    own_entries(entries, count);  // a refusal may run Python code
    const bool may = may_open_looked_up(identity, FrameKind::kEntries, offset);
    disown_entries(entries, count);
    if (may) return true;
    if (!is_item_guarded()) disown_entries(entries, count);
    return context.entries.give_back(entries), false;
}

void Call::release_extras() noexcept {
    has_extras = false;
    const Extras released = std::exchange(context.extras, {});
    const Owned& list = released.to_keep_utf8;
    if (OCIOR_LIKELY(!list)) return;
    TakenError error;
    Py_ssize_t ignored;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list.get()); ++i)
        if (!PyUnicode_AsUTF8AndSize(PyList_GET_ITEM(list.get(), i), &ignored)) PyErr_Clear();
    error.restore();
}

void Call::open_made_by_hook(PyObject* made) noexcept {
    new (behind_top++) Frame(held, made, FrameKind::kSingle, true);
    top().owned |= Frame::kIterated;
    hand_over_held();
}

bool Call::open_text(PyObject* str) noexcept {
    Owned text = OCIOR_UNLIKELY(options.surrogates != Surrogates::kKeep) ? checked_text(str) : Owned::borrow(str);
    if (!text || !reserve_frame()) return false;
    pin();  // all frames under a pinned one are pinned
    PyObject* const owned = text.release();
    new (behind_top++) Frame(owned, owned, FrameKind::kText, true);
    return true;
}

Owned Call::checked_text(PyObject* str) noexcept {
    constexpr Py_UCS4 kReplacement = 0xFFFD;
    StrView view;
    if (!view_of(str, view)) return {};
    if (OCIOR_LIKELY(view.width == 1 || !has_surrogate(str))) return Owned::borrow(str);
    Owned replaced;
    if (options.surrogates == Surrogates::kReplace) {
        pin_for_memory_error();
        replaced = Owned::steal(PyUnicode_New(static_cast<Py_ssize_t>(view.length), view.width == 2 ? 0xffff : 0x10ffff));
        if (!replaced) return {};
    }
    for (Py_ssize_t i = 0; i < static_cast<Py_ssize_t>(view.length); ++i) {
        const Py_UCS4 character = PyUnicode_READ_CHAR(str, i);
        const bool is_surrogate = text::is_surrogate(character);
        if (is_surrogate && !replaced) return raise_surrogate(*this, str, static_cast<std::size_t>(i)), Owned();
        if (replaced)
            PyUnicode_WRITE(PyUnicode_KIND(replaced.get()), PyUnicode_DATA(replaced.get()), i, is_surrogate ? kReplacement : character);
    }
    return replaced;
}

Stop Call::end_walk(bool wrote_before, bool may_change) noexcept {
    if (stop == Stop::kWiden) {
        Frame& frame = top();
        settle(frame);
        --frame.position;
        gives_again = frame.holds_item();
        if (frame.kind == FrameKind::kDict || frame.kind == FrameKind::kFields || frame.kind == FrameKind::kEntries)
            frame.wrote_item = wrote_before;
        if (may_change) output.doubt();
    }
    return std::exchange(stop, Stop::kFailed);
}

void raise_surrogate(Call& call, PyObject* str, std::size_t position) noexcept {
    const Owned hold = Owned::borrow(str);
    call.pin();  // a new exception may start a garbage collection
    if (call.options.dialect->surrogate.text) return refuse(call, call.options.dialect->surrogate, str);
    const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    std::size_t end = position + 1;
    while (end < length && (PyUnicode_READ_CHAR(str, static_cast<Py_ssize_t>(end)) & 0xFFFFF800u) == 0xD800) ++end;
    Owned error = Owned::steal(PyObject_CallFunction(PyExc_UnicodeEncodeError, "sOnns", "utf-8", str, static_cast<Py_ssize_t>(position),
                                                     static_cast<Py_ssize_t>(end), "surrogates not allowed"));
    if (error) PyErr_SetObject(PyExc_UnicodeEncodeError, error.get());
}

}  // namespace ocior::encode
