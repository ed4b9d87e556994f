#include "encode/notes.h"

#include <algorithm>

namespace ocior::encode {

#if PY_VERSION_HEX >= 0x030E0000

namespace {

constexpr std::size_t kMaxNotes = 1024;

// json meets a cycle the first time round; we may have gone round more often. The depth at which json stopped.
std::size_t depth_of_first_twin(const Call& call) noexcept {
    using Place = std::pair<PyObject*, std::size_t>;
    auto* places = static_cast<Place*>(std::malloc(call.depth * sizeof(Place)));
    if (!places) return call.depth;
    for (std::size_t i = 0; i < call.depth; ++i) places[i] = {call.context.frames[i].identity, i};
    std::sort(places, places + call.depth);
    std::size_t first = call.depth;
    for (std::size_t i = 1; i < call.depth; ++i)
        if (places[i].first == places[i - 1].first) first = std::min(first, places[i].second);
    std::free(places);
    return first;
}

// The note of one frame; empty without an error where it has nothing to tell.
Owned note_of(const Frame& frame) noexcept {
    switch (frame.kind) {
        case FrameKind::kSingle:
            if (!frame.identity) return {};
            return Owned::steal(PyUnicode_FromFormat("when serializing %T object", frame.identity));
        case FrameKind::kList:
        case FrameKind::kTuple:
            return Owned::steal(PyUnicode_FromFormat("when serializing %T item %zd", frame.identity, frame.position - 1));
        case FrameKind::kItems: {
            if (!frame.iterated || frame.position < 1 || frame.position > PyList_GET_SIZE(frame.iterated)) return {};
            PyObject* pair = PyList_GET_ITEM(frame.iterated, frame.position - 1);
            if (!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2) return {};
            return Owned::steal(PyUnicode_FromFormat("when serializing %T item %R", frame.identity, PyTuple_GET_ITEM(pair, 0)));
        }
        case FrameKind::kDict: {
            Py_ssize_t position = frame.position - 1;
            DictRun run(Tricks{}, frame.iterated, position);
            PyObject *key, *value;
            if (position < 0 || !run.next(key, value)) return {};
            const Owned hold_key = layout::kHasGil ? Owned::borrow(key) : Owned::steal(key);
            const Owned hold_value = layout::kHasGil ? Owned::borrow(value) : Owned::steal(value);
            return Owned::steal(PyUnicode_FromFormat("when serializing %T item %R", frame.identity, key));
        }
    }
    return {};
}

}  // namespace

void add_notes(Call& call) noexcept {
    call.pin();  // the reprs of keys are Python code
    Owned error = Owned::steal(PyErr_GetRaisedException());
    std::size_t depth = depth_of_first_twin(call);
    if (depth == call.depth && call.failed_in_key) --depth;
    for (std::size_t notes = 0; depth-- > 0 && notes < kMaxNotes; ++notes) {
        Owned note = note_of(call.context.frames[depth]);
        Owned added = note ? Owned::steal(PyObject_CallMethod(error.get(), "add_note", "O", note.get())) : Owned();
        if (!added) PyErr_Clear();
    }
    PyErr_SetRaisedException(error.release());
}

#else

void add_notes(Call&) noexcept {}

#endif

}  // namespace ocior::encode
