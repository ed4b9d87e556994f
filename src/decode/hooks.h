// Calls of the hooks that loads() was given. What a hook raises passes through untouched.
#pragma once

#include "decode/py_call.h"
#include "py/callback.h"
#include "py/container.h"

namespace ocior::decode {

inline PyObject* call_hook(Context& context, PyObject* hook, PyObject* argument) noexcept {
    return call_back(context.may_be_nested, " while decoding a JSON document", [&] { return PyObject_CallOneArg(hook, argument); });
}

// Calls a hook with a new container, which has taken over the `n` references at `values`: whatever the hook does, these copies are void.
OCIOR_NOINLINE inline PyObject* apply_hook(Context& context, PyObject* hook, PyObject* container, PyObject** values,
                                           std::size_t n) noexcept {
    std::memset(values, 0, n * sizeof *values);
    PyObject* const result = call_hook(context, hook, container);
    Py_DECREF(container);
    return result;
}

// Calls object_pairs_hook with `n` keys and values in turn.
OCIOR_NOINLINE inline PyObject* apply_pairs_hook(Context& context, const Tricks& tricks, PyObject* hook, PyObject** pairs,
                                                 std::size_t n) noexcept {
    // In their own places: a list with room left for them could be found by what a garbage collection calls, which a new tuple may start.
    for (std::size_t i = 0; i < n; ++i) {
        PyObject* const pair = PyTuple_Pack(2, pairs[2 * i], pairs[2 * i + 1]);
        if (!pair) return nullptr;
        Py_CLEAR(pairs[2 * i]);
        Py_CLEAR(pairs[2 * i + 1]);
        pairs[i] = pair;
    }
    PyObject* const list = list_from(tricks, context.allocator, pairs, n);
    return list ? apply_hook(context, hook, list, pairs, n) : nullptr;
}

// The text of a number, which is ASCII, as a str.
template <typename Unit>
PyObject* ascii_str(const Unit* first, const Unit* last) noexcept {
    const auto n = static_cast<std::size_t>(last - first);
    PyObject* const text = PyUnicode_New(static_cast<Py_ssize_t>(n), 0x7f);
    if (!text) return nullptr;
    for (std::size_t i = 0; i < n; ++i) PyUnicode_1BYTE_DATA(text)[i] = static_cast<std::uint8_t>(first[i]);
    return text;
}

// Calls the hook with the text of a number.
template <typename Unit>
OCIOR_NOINLINE PyObject* call_with_text(Context& context, PyObject* hook, const Unit* first, const Unit* last) noexcept {
    const Owned text = Owned::steal(ascii_str(first, last));
    return text ? call_hook(context, hook, text.get()) : nullptr;
}

}  // namespace ocior::decode
