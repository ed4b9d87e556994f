// Containers that are made when they begin, not when they end: whoever walks a document comes to a container before what it holds, and
// should find it before that in memory, too. Where 10 MB of trees are made children first, a walk in Python takes 1.3 times as long, and
// dumps 3.3 times. Only those are made early where the last one at the same place held nests; what the others hold lies near them anyway.
// With hooks Python code would see them empty. All of this is out of the way of the parser's registers.
#pragma once

#include "decode/containers.h"

namespace ocior::decode::early {

// The slots on the value stack below the first value: they hold the empty container and the marked block for its items.
inline constexpr std::ptrdiff_t kSlots = 2;
enum BlockKind : std::uintptr_t { kTable = 1, kItems = 2, kBlockKinds = 3 };
inline constexpr std::size_t kMostItems = 64;  // longer lists are too rare to matter
inline constexpr std::size_t kSpareItems = 3;  // as many more than it has as a list may have room for; json's own have it, too

OCIOR_INLINE std::size_t slots_of(const PyFrame& frame) noexcept { return frame.traits & PyFrame::kIsMade ? kSlots : 0; }

// What stays in the caches anyway has nothing to gain.
template <typename Source>
bool is_large(const Text<Source>& text) noexcept {
    return static_cast<std::size_t>(text.last - text.first) >= 256 * 1024;
}

// Tells the frame around `frame`, which closes, whether it holds nests.
OCIOR_INLINE void note_nest(PyFrame& frame) noexcept {
    static_assert(PyFrame::kHoldsNests == PyFrame::kHoldsContainers << 1);
    (&frame)[-1].traits |= (frame.traits & PyFrame::kHoldsContainers) << 1;
}

OCIOR_INLINE void* block_of(PyObject* value) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(value) & ~std::uintptr_t{kBlockKinds});
}
OCIOR_INLINE bool set_block(PyObject** values, void* block, BlockKind kind) noexcept {
    values[-1] = block ? reinterpret_cast<PyObject*>(reinterpret_cast<std::uintptr_t>(block) | kind) : nullptr;
    return OCIOR_LIKELY(block != nullptr);
}
// Lets go of what lies on the value stack: a reference, a block, or nothing.
OCIOR_NOINLINE inline void drop_value(PyObject* value) noexcept {
    switch (reinterpret_cast<std::uintptr_t>(value) & kBlockKinds) {
        case kTable: return free_table(block_of(value));
        case kItems: return free_list_items(static_cast<PyObject**>(block_of(value)));
        default: Py_XDECREF(value);
    }
}
OCIOR_INLINE void drop_block(PyObject** values) noexcept { drop_value(std::exchange(values[-1], nullptr)); }
OCIOR_NOINLINE inline void drop_container(PyObject** values) noexcept {
    drop_block(values);
    Py_CLEAR(values[-2]);
}

OCIOR_INLINE PyObject** put(PyFrame& frame, PyObject** top, PyObject* container, void* block, BlockKind kind, unsigned room) noexcept {
    top[0] = container;
    top += kSlots;
    frame.base += kSlots;
    frame.traits = PyFrame::kIsMade;
    frame.room = static_cast<std::uint8_t>(room);
    if (OCIOR_LIKELY(set_block(top, block, kind) && container)) return top;
    return drop_container(top), nullptr;
}

// These two make the container that begins, if there is room on the value stack, and return the stack's new top; null when out of memory.
OCIOR_NOINLINE inline PyObject** begin_list(Context& context, PyFrame& frame, unsigned room, PyObject** top, PyObject** limit) noexcept {
    if (OCIOR_UNLIKELY(limit - top <= kSlots)) return top;
    return put(frame, top, new_list(context.allocator), allocate_list_items(context.allocator, room), kItems, room);
}
OCIOR_NOINLINE inline PyObject** begin_dict(Context& context, PyFrame& frame, PyObject** top, PyObject** limit) noexcept {
    if (OCIOR_UNLIKELY(limit - top <= kSlots)) return top;
    const auto* const model = layout::keys_table(frame.found_at->leaf.nest_inside->leaf.dict_template);
    PyObject* const dict = new_dict(context.allocator);
    // So that the collector, too, meets it before what it holds.
    if (OCIOR_LIKELY(dict != nullptr)) track_dict(context.allocator, dict, true);
    return put(frame, top, dict, allocate_table_like(context.allocator, model), kTable, model->log2_size);
}

// What is expected of the next list at its place: under a key, or in lists of a certain depth.
OCIOR_INLINE void expect_room(Context& context, const PyFrame& frame, std::size_t n) noexcept {
    const auto room = static_cast<std::uint8_t>((n + kSpareItems) / (kSpareItems + 1) * (kSpareItems + 1));
    if ((&frame)[-1].node) frame.found_at->leaf.list_room = room & 127;
    else context.list_rooms[static_cast<std::size_t>(&frame - context.frames.data()) % Context::kListDepths] = room;
}

// These two close a container that was made early, or holds nests. The `n` references at `values` lie on the value stack; on failure they
// are still the caller's.
template <typename Source>
OCIOR_NOINLINE PyObject* close_list(PyCall<Source>& call, PyFrame& frame, PyObject** values, std::size_t n) noexcept {
    Context& context = call.context;
    const bool holds_nests = frame.traits & PyFrame::kHoldsNests;
    // The outermost list is not worth it, and may take over the value stack.
    if (holds_nests && is_large(call.text))
        expect_room(context, frame, n <= kMostItems && frame.base > 0 && call.constants.tricks.list_items ? n : 0);
    if (frame.traits & PyFrame::kIsMade) {
        PyObject* const list = values[-2];
        std::size_t room = frame.room;
        if (OCIOR_UNLIKELY(n > room || room - n > kSpareItems)) {
            if (!holds_nests) expect_room(context, frame, 0);
            drop_block(values);
            if (n == 0) return list;
            if (!set_block(values, allocate_list_items(context.allocator, n), kItems)) return PyErr_NoMemory();
            room = n;
        }
        if (OCIOR_LIKELY(is_new_list(list))) {
            auto** const items = static_cast<PyObject**>(block_of(values[-1]));
            move_refs(items, values, n);
            plant_items(list, items, n, room);
            return list;
        }
        drop_container(values);
    }
    return new_list_of<Asked::kNothing>(call, values, n);
}
template <typename Source>
OCIOR_NOINLINE PyObject* close_dict(PyCall<Source>& call, PyFrame& frame, PyObject** values, std::size_t n) noexcept {
    Context& context = call.context;
    PyObject* const tmpl = frame.node ? frame.node->leaf.dict_template : nullptr;
    const bool holds_nests = tmpl && (frame.traits & PyFrame::kHoldsNests);
    if (holds_nests && is_large(call.text)) frame.found_at->leaf.nest_inside = frame.node;
    if (frame.traits & PyFrame::kIsMade) {
        PyObject* const dict = values[-2];
        auto* const model = tmpl ? layout::keys_table(tmpl) : nullptr;
        if (OCIOR_UNLIKELY(!model || model->log2_size != frame.room || n == 0)) {
            if (!holds_nests) frame.found_at->leaf.nest_inside = nullptr;
            drop_block(values);
            if (n == 0) return untrack_dict(dict), dict;
            if (model && !set_block(values, allocate_table_like(context.allocator, model), kTable)) return PyErr_NoMemory();
        }
        if (OCIOR_LIKELY(model && is_new_dict(dict))) {
            auto* const table = static_cast<layout::KeysTable*>(block_of(values[-1]));
            plant_table_like(context.allocator, dict, table, model, values, n, false);
            if (OCIOR_UNLIKELY(!(frame.traits & PyFrame::kHoldsContainers))) untrack_dict(dict);
            return dict;
        }
        drop_container(values);
    }
    return new_dict_of<Asked::kNothing>(call, frame, values, n);
}

}  // namespace ocior::decode::early
