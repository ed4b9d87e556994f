#include "encode/walk/frames.h"

#include <algorithm>

#include "py/taken_error.h"

namespace ocior::encode {
namespace {

constexpr std::size_t kScannedDepth = 1024;  // deeper down, all frames are compared at once only
constexpr std::size_t kComparedDepth = 128;  // from here on, where the depth has doubled

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

bool Frames::is_open(PyObject* identity) const noexcept {
    const Frame* frame = context.frames;
    while (frame != behind_top && frame->identity != identity) ++frame;
    return frame != behind_top;
}

bool Frames::is_new(PyObject* identity, std::size_t offset) noexcept {
    const Frame* frames = context.frames;
    const std::size_t count = depth();
    if (offset >= next_check && count <= kScannedDepth) {
        if (!has_hook && options.first_check) next_check = offset + kSuspiciousOutput;
        return !is_open(identity);
    }
    // Once for each power of two: a cycle gets to the next one. (To look for each new container among all open ones costs documents of 60
    // levels a third of their time, and those of 100 levels half.)
    if ((count & (count - 1)) != 0 || count <= compared_depth || count < kComparedDepth) return true;
    compared_depth = count;
    return depth_of_first_twin(frames, count) == count;
}

bool Frames::reserve_frame() noexcept {
    const std::size_t count = depth();
    if (OCIOR_LIKELY(count < context.frame_capacity)) return true;
    if (!context.reserve_frames(count + 1)) {
        pin_for_memory_error();
        return PyErr_NoMemory(), false;
    }
    behind_top = context.frames + count;
    return true;
}

void Frames::own_entries(const layout::StrEntry* entries, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        Py_INCREF(entries[i].key);
        Py_INCREF(entries[i].value);
    }
}

void Frames::disown_entries(const layout::StrEntry* entries, std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
        Py_DECREF(entries[i].key);
        Py_DECREF(entries[i].value);
    }
}

void Frames::release(const Frame& frame) noexcept {
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

void Frames::settle(Frame& frame) noexcept {
    if (!frame.place.end) return;
    frame.position = reads_list(frame.kind) ? ListRun(frame.place).position() : DictRun(frame.place).position();
    frame.place = {nullptr, nullptr, frame.kind == FrameKind::kEntries ? frame.place.begin : nullptr};
}

void Frames::pin_frames() noexcept {
    for (Frame* frame = behind_top; frame != context.frames;) {
        --frame;
        settle(*frame);
        const bool was_pinned = frame->is_pinned();
        if (!was_pinned) pin_frame(*frame);
        guards.unguard(*frame, static_cast<std::size_t>(frame - context.frames));
        if (was_pinned) break;  // none below has been gone on with since
    }
}

void Frames::pin_frame(Frame& frame) noexcept {
    Py_INCREF(frame.identity);
    mark_pinned(frame);
}

void Frames::own_items(Frame& frame) noexcept {
    TakenError error;
    PyObject* const copy = PyList_GetSlice(frame.iterated, 0, PY_SSIZE_T_MAX);
    error.restore();
    frame.kind = copy ? FrameKind::kList : FrameKind::kLostList;
    if (!copy) return;
    frame.iterated = copy;
    frame.owned |= Frame::kIterated;
}

}  // namespace ocior::encode
