#include "encode/walk/walk.h"

#include <algorithm>

#include "py/taken_error.h"

namespace ocior::encode {
namespace {

constexpr std::size_t kScannedDepth = 1024;  // deeper down, all frames are compared at once only
constexpr std::size_t kComparedDepth = 128;  // from here on, where the depth has doubled

// What `key, value = item` in Python takes `item` for: an exact tuple of two. Takes over `item`. Null with an error set.
PyObject* unpack_pair(PyObject* item) noexcept {
    if (PyTuple_CheckExact(item) && PyTuple_GET_SIZE(item) == 2) return item;
    const Owned owned = Owned::steal(item);
    PyTypeObject* const type = Py_TYPE(item);
    if (!type->tp_iter && !PySequence_Check(item))
        return PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", type->tp_name);
    const Owned iterator = Owned::steal(PyObject_GetIter(item));
    if (!iterator) return nullptr;
    Owned found[3];
    for (int n = 0; n < 3; ++n) {
        found[n] = Owned::steal(PyIter_Next(iterator.get()));
        if (found[n]) continue;
        if (PyErr_Occurred()) return nullptr;
        if (n == 2) return PyTuple_Pack(2, found[0].get(), found[1].get());
        return PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected 2, got %d)", n);
    }
    const bool tells_size =
        PY_VERSION_HEX >= 0x030E0000 && (PyTuple_CheckExact(item) || PyList_CheckExact(item) || PyDict_CheckExact(item));
    if (!tells_size) return PyErr_SetString(PyExc_ValueError, "too many values to unpack (expected 2)"), nullptr;
    return PyErr_Format(PyExc_ValueError, "too many values to unpack (expected 2, got %zd)", PyObject_Size(item));
}

// What json's encoder in C takes an item for: a tuple of two, also of a class derived from tuple. Takes over `item`. Null with
// ValueError set.
PyObject* check_pair(PyObject* item) noexcept {
    if (OCIOR_LIKELY(PyTuple_Check(item) && PyTuple_GET_SIZE(item) == 2)) return item;
    const Owned owned = Owned::steal(item);
    PyErr_SetString(PyExc_ValueError, "items must return 2-tuples");
    return nullptr;
}

}  // namespace

std::size_t depth_of_first_twin(const Frame* frames, std::size_t depth) noexcept {
    using Open = std::pair<PyObject*, std::size_t>;
    auto* open = static_cast<Open*>(std::malloc(depth * sizeof(Open)));
    if (!open) return depth;  // the depth limit still ends a cycle
    for (std::size_t i = 0; i < depth; ++i) open[i] = {frames[i].identity, i};
    std::sort(open, open + depth);
    std::size_t first = depth;
    for (std::size_t i = 1; i < depth; ++i)
        if (open[i].first == open[i - 1].first) first = std::min(first, open[i].second);
    std::free(open);
    return first;
}

bool Call::is_new(PyObject* identity, std::size_t offset) noexcept {
    const Frame* frames = context.frames;
    const std::size_t count = depth();
    if (offset >= next_check && count <= kScannedDepth) {
        if (!default_hook && options.first_check) next_check = offset + kSuspiciousOutput;
        for (std::size_t i = 0; i < count; ++i)
            if (frames[i].identity == identity) return false;
        return true;
    }
    // Once for each power of two: a cycle gets to the next one. (To look for each new container among all open ones costs documents of 60
    // levels a third of their time, and those of 100 levels half.)
    if ((count & (count - 1)) != 0 || count <= compared_depth || count < kComparedDepth) return true;
    compared_depth = count;
    return depth_of_first_twin(frames, count) == count;
}

bool Call::reserve_frame() noexcept {
    const std::size_t count = depth();
    if (OCIOR_LIKELY(count < context.frame_capacity)) return true;
    if (!context.reserve_frames(count + 1)) {
        pin_for_memory_error();
        return PyErr_NoMemory(), false;
    }
    behind_top = context.frames + count;
    return true;
}

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
    const auto is_open = [&] {
        const Frame* frame = context.frames;
        while (frame != behind_top && frame->identity != identity) ++frame;
        return frame != behind_top;
    };
    const bool is_shallow = default_hook && depth() < kSuspiciousDepth && options.first_check;
    return (OCIOR_LIKELY(is_shallow) && OCIOR_LIKELY(!is_open())) || may_open_suspicious(identity, kind, offset);
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

void Call::own_entries(const layout::StrEntry* entries, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        Py_INCREF(entries[i].key);
        Py_INCREF(entries[i].value);
    }
}

void Call::disown_entries(const layout::StrEntry* entries, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        Py_DECREF(entries[i].key);
        Py_DECREF(entries[i].value);
    }
}

bool Call::has_fields(PyObject* item) noexcept {
    const auto* const entry = rich == kPlain ? nullptr : context.types.entry_of(Py_TYPE(item), rich);
    return entry && entry->plan.role == Role::kFields && entry->fields && entry->fields.has_places();
}

void Call::release(const Frame& frame) noexcept {
    if (frame.kind == FrameKind::kEntries) {
        const Frame closed = frame;  // what is freed may run Python code, but that uses another context
        if (closed.is_pinned()) {
            if (may_die(closed.identity)) forget_borrowed();
            disown_entries(closed.entries(), closed.dict_size);
        }
        context.entries.give_back(closed.entries());
        if (closed.is_pinned()) Py_DECREF(closed.identity);
        return;
    }
    forget_borrowed();
    PyObject* const iterated = frame.owns_iterated() ? frame.iterated : nullptr;
    PyObject* const identity = frame.is_pinned() ? frame.identity : nullptr;  // the root has none
    PyObject* const item = frame.holds_item() ? frame.item() : nullptr;
    Py_XDECREF(iterated);
    Py_XDECREF(item);
    Py_XDECREF(identity);
}

void Call::settle(Frame& frame) noexcept {
    if (!frame.place.end) return;
    frame.position = reads_list(frame.kind) ? ListRun(frame.place).position() : DictRun(frame.place).position();
    frame.place = {nullptr, nullptr, frame.kind == FrameKind::kEntries ? frame.place.begin : nullptr};
}

void Call::pin_frames() noexcept {
    for (Frame* frame = behind_top; frame != context.frames;) {
        --frame;
        settle(*frame);
        const bool was_pinned = frame->is_pinned();
        if (!was_pinned) pin_frame(*frame);
        if constexpr (!layout::kHasGil) unguard(*frame);
        if (was_pinned) break;  // none below has been gone on with since
    }
}

void Call::pin_frame(Frame& frame) noexcept {
    Py_INCREF(frame.identity);
    mark_pinned(frame);
}

void Call::own_items(Frame& frame) noexcept {
    TakenError error;
    PyObject* const copy = PyList_GetSlice(frame.iterated, 0, PY_SSIZE_T_MAX);
    error.restore();
    frame.kind = copy ? FrameKind::kList : FrameKind::kLostList;
    if (!copy) return;
    frame.iterated = copy;
    frame.owned |= Frame::kIterated;
}

// Frames up to that one are not coupled any more.
void Call::do_not_couple(std::size_t frame) noexcept {
    if (frame >= first_coupled) first_coupled = frame + 1;
}

void Call::keep_utf8(PyObject* str) noexcept {
    Py_ssize_t ignored;
    if (layout::kHasGil) {
        if (!PyUnicode_AsUTF8AndSize(str, &ignored)) PyErr_Clear();
        return;
    }
    Owned& to_keep_utf8 = extras().to_keep_utf8;
    if (!to_keep_utf8) {
        to_keep_utf8 = Owned::steal(PyList_New(0));
        if (!to_keep_utf8) return PyErr_Clear();
        PyObject_GC_UnTrack(to_keep_utf8.get());  // nobody else is to find it, and lock it
    }
    if (PyList_Append(to_keep_utf8.get(), str) != 0) PyErr_Clear();
}

PyObject* Call::keep_value(const Fields& fields, PyObject* instance) noexcept {
    if (!context.kept.has_room()) return nullptr;
    Owned value =
        fields.with_first_value(instance, [](PyObject* found) { return found && is_plain_scalar(found) ? Owned::borrow(found) : Owned(); });
    PyObject* const kept = value.get();
    if (kept) context.kept.keep(std::move(value));
    return kept;
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
    Owned text = OCIOR_UNLIKELY(options.surrogates != Surrogates::kKept) ? checked_text(str) : Owned::borrow(str);
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
    if (options.surrogates == Surrogates::kReplaced) {
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

Advance Call::advance_container() noexcept {
    using Kind = Advance::Kind;
    Frame& frame = top();
    const bool is_dict = frame.kind != FrameKind::kIterator;
    if (!std::exchange(gives_again, false)) {
        pin();  // Python code comes: the iterator's, or that of a value which goes with the last item
        const bool has_list = frame.kind == FrameKind::kItems;
        PyObject* item = has_list ? new_item_ref(frame.iterated, frame.position) : PyIter_Next(frame.iterated);
        if (item && is_dict) item = has_list ? check_pair(item) : unpack_pair(item);
        if (!item && !PyErr_Occurred()) return {is_dict ? Kind::kEndOfDict : Kind::kEndOfList};
        failed_in_key = !item;
        if (!item) return {Kind::kFailed};
        const Owned last = Owned::steal(frame.item());
        frame.set_item(item);
    }
    ++frame.position;
    if (!is_dict) return {Kind::kItem, nullptr, frame.item()};
    return {Kind::kEntry, PyTuple_GET_ITEM(frame.item(), 0), PyTuple_GET_ITEM(frame.item(), 1)};
}

bool Call::has_changed_size() noexcept {
    const Frame& frame = top();
    if (OCIOR_LIKELY(options.dialect->reading != Reading::kOneByOne) || !frame.is_pinned() ||
        frame.dict_size == static_cast<std::uint32_t>(PyDict_GET_SIZE(frame.iterated)))
        return false;
    PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
    return failed_in_key = true;
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
