// Lists and dicts of what lies on the value stack, at their exact size, and what hooks and the policy for equal keys have in their place.
// Each function takes over the `n` references at `values`; where it fails they are still the caller's, but for those that are null by then.
#pragma once

#include "decode/hooks.h"

namespace ocior::decode {

template <Asked kAsked, typename Source>
OCIOR_INLINE PyObject* new_list_of(PyCall<Source>& call, PyObject** values, std::size_t n) noexcept {
    PyObject* const list = list_from(call.constants.tricks, call.context.allocator, values, n);
    if (OCIOR_UNLIKELY(!list) || kAsked == Asked::kNothing || !call.options.array_hook) return list;
    return apply_hook(call.context, call.options.array_hook, list, values, n);
}

// Makes a list of all `n` references on the value stack. The stack's block becomes the list's, because copies of large blocks were the peak
// of memory; the stack gets a new, empty block. Returns null, without an error and without any change, where that cannot be done.
template <Asked kAsked, typename Source>
OCIOR_NOINLINE PyObject* new_list_of_stack(PyCall<Source>& call, std::size_t n) noexcept {
    if constexpr (!layout::kMayPlantListItems) return nullptr;
    if (!call.constants.tricks.list_items || (kAsked == Asked::kAnything && call.options.array_hook)) return nullptr;
    PyObject* const list = PyList_New(0);
    PyObject** const items = list ? call.context.values.hand_over(n) : nullptr;
    if (!items) {
        Py_XDECREF(list);
        return PyErr_Clear(), nullptr;
    }
    plant_items(list, items, n, n);
    return list;
}

// `dict` was made of `items`, of which some have equal keys: what the policy has in its place.
template <typename Source>
OCIOR_NOINLINE PyObject* without_duplicates(PyCall<Source>& call, PyObject* dict, const Items& items) noexcept {
    if (call.options.duplicate_keys == DuplicateKeys::kLast) return dict;
    Py_DECREF(dict);
    if (call.options.duplicate_keys == DuplicateKeys::kError) return call.refuse(Error::kDuplicateKey);
    Owned first_ones = Owned::steal(PyDict_New());
    for (std::size_t i = 0; first_ones && i < items.count; ++i)
        if (!PyDict_SetDefault(first_ones.get(), items.key(i), items.value(i))) return nullptr;
    return first_ones.release();
}

// A dict of any items, with references of its own.
template <Asked kAsked, typename Source>
OCIOR_INLINE PyObject* new_dict_of_items(PyCall<Source>& call, const Items& items, bool has_container) noexcept {
    PyObject* const dict = dict_from_items(call.constants.tricks, call.context.allocator, items, has_container);
    if (kAsked == Asked::kNothing || !dict || OCIOR_LIKELY(static_cast<std::size_t>(PyDict_GET_SIZE(dict)) == items.count)) return dict;
    return without_duplicates(call, dict, items);
}

// Of `n` keys and values in turn.
template <Asked kAsked, typename Source>
OCIOR_NOINLINE PyObject* new_dict_of_pairs(PyCall<Source>& call, PyObject** pairs, std::size_t n, bool has_container) noexcept {
    constexpr bool kLooks = kAsked == Asked::kAnything;
    const Options& options = call.options;
    const Items items{pairs, 2, pairs + 1, 2, n};
    if (kLooks && options.object_pairs_hook) {
        const bool may_not_repeat = options.duplicate_keys == DuplicateKeys::kError && n > 1;
        if (may_not_repeat && !Owned::steal(new_dict_of_items<kAsked>(call, items, true))) return nullptr;
        return apply_pairs_hook(call.context, call.constants.tricks, options.object_pairs_hook, pairs, n);
    }
    PyObject* const dict = new_dict_of_items<kAsked>(call, items, has_container | kLooks);
    if (!dict) return nullptr;
    for (std::size_t i = 0; i < 2 * n; ++i) Py_DECREF(pairs[i]);
    if (n > kFirstKeys && !(kLooks && options.has_hooks())) call.context.keys.made(dict);
    if (!kLooks || !options.object_hook) return dict;
    return apply_hook(call.context, options.object_hook, dict, pairs, 2 * n);
}

// Of a shape without a template: the shape settles when an object ends there the second time.
template <Asked kAsked, typename Source>
OCIOR_NOINLINE PyObject* new_dict_first_seen(PyCall<Source>& call, ShapeNode* node, PyObject** values, std::size_t n,
                                             bool has_container) noexcept {
    DictLeaf& leaf = node->leaf;
    if (leaf.ended && !leaf.keys && !settle(call.context.shape_budget, node, call.constants.tricks.keys_table)) return nullptr;
    leaf.ended = 1;
    PyObject* of_steps[ShapeTree::kMaxKeys];
    PyObject* const* keys = leaf.keys;
    if (!keys) {
        ShapeNode* step = node;
        for (std::size_t i = n; i-- > 0; step = step->parent) of_steps[i] = step->leaf.key;
        keys = of_steps;
    }
    PyObject* const dict = new_dict_of_items<kAsked>(call, {keys, 1, values, 1, n}, has_container);
    if (!dict) return nullptr;
    for (std::size_t i = 0; i < n; ++i) Py_DECREF(values[i]);
    return dict;
}

template <Asked kAsked, typename Source>
OCIOR_INLINE PyObject* new_dict_of_shape(PyCall<Source>& call, const PyFrame& frame, PyObject** values, std::size_t n) noexcept {
    constexpr bool kLooks = kAsked == Asked::kAnything;
    ShapeNode* const node = frame.node;
    const bool has_container = (frame.traits & PyFrame::kHoldsContainers) | kLooks;
    PyObject* dict;
    if (OCIOR_LIKELY(node->leaf.dict_template != nullptr)) {
        dict = dict_from_template(call.context.allocator, node->leaf.dict_template, values, n, has_container);
    } else {
        dict = new_dict_first_seen<kAsked>(call, node, values, n, has_container);
    }
    if (OCIOR_UNLIKELY(!dict) || !kLooks || !call.options.object_hook) return dict;
    return apply_hook(call.context, call.options.object_hook, dict, values, n);
}

// What an object becomes: `values` are its values, or keys and values in turn where the frame has no shape.
template <Asked kAsked, typename Source>
OCIOR_INLINE PyObject* new_dict_of(PyCall<Source>& call, const PyFrame& frame, PyObject** values, std::size_t n) noexcept {
    if (OCIOR_UNLIKELY(frame.node == nullptr))
        return new_dict_of_pairs<kAsked>(call, values, n / 2, frame.traits & PyFrame::kHoldsContainers);
    if (OCIOR_UNLIKELY(n == 0)) return new_dict_of_pairs<kAsked>(call, values, 0, false);
    return new_dict_of_shape<kAsked>(call, frame, values, n);
}

}  // namespace ocior::decode
