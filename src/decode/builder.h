// Python objects out of what the parser reads: numbers, constants, lists and dicts at their exact size, hooks applied.
// The hook-free builder is a policy of its own, so that documents without hooks pay nothing for them.
#pragma once

#include "decode/call.h"
#include "num/read.h"
#include "py/callback.h"
#include "py/container.h"
#include "py/number.h"

namespace ocior::decode {

template <typename Source, bool kHooks>
struct PyBuilder {
    using Unit = typename Source::Unit;
    using CallType = Call<Source>;

    // An integer whose text is [first, last), as number().
    static OCIOR_INLINE PyObject* integer(CallType& call, std::uint64_t magnitude, bool negative, const Unit* first,
                                          const Unit* last) noexcept {
        if constexpr (kHooks)
            if (call.options.parse_int) return call_with_text(call, call.options.parse_int, first, last);
        if (magnitude <= layout::kLastSmallInt) {
            const int value = negative ? -static_cast<int>(magnitude) : static_cast<int>(magnitude);
            if (value >= layout::kFirstSmallInt) return new_constant(call.constants.ints[value - layout::kFirstSmallInt]);
        }
        if constexpr (layout::kMayBuildDirect)
            if (OCIOR_LIKELY(call.constants.tricks.direct_scalars)) return new_int_direct(call.context.allocator, magnitude, negative);
        return PyLong_FromLongLong(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
    }

    // A number with a fraction or an exponent, as number().
    static OCIOR_INLINE PyObject* real(CallType& call, double value, const Unit* first, const Unit* last) noexcept {
        if constexpr (kHooks)
            if (call.options.parse_float) return call_with_text(call, call.options.parse_float, first, last);
        if constexpr (layout::kMayBuildDirect)
            if (OCIOR_LIKELY(call.constants.tricks.direct_scalars)) return new_float_direct(call.context.allocator, value);
        return PyFloat_FromDouble(value);
    }

    // The value of a number whose text is [first, last), owned. Null: a Python error is set, or out of memory.
    static OCIOR_INLINE PyObject* number(CallType& call, const num::Number& number, const Unit* first, const Unit* last) noexcept {
        if constexpr (kHooks)
            if (number.kind == num::NumberKind::kBigInt && call.options.parse_int)
                return call_with_text(call, call.options.parse_int, first, last);
        switch (number.kind) {
            case num::NumberKind::kInt64: return integer(call, magnitude(number.i), number.i < 0, first, last);
            case num::NumberKind::kFloat64: return real(call, number.d, first, last);
            default: return big_int(call, first, last);
        }
    }

    // NaN, Infinity or -Infinity.
    static OCIOR_COLD PyObject* non_finite(CallType& call, PyObject* value, const char* name) noexcept {
        if (!kHooks || !call.options.parse_constant) return new_ref(value);
        Owned text = Owned::steal(PyUnicode_InternFromString(name));
        return text ? call_hook(call, call.options.parse_constant, text.get()) : nullptr;
    }

    // Takes over the `n` references at `values`; on failure they are still the caller's.
    static OCIOR_INLINE PyObject* array(CallType& call, PyObject** values, std::size_t n) noexcept {
        PyObject* list = list_from(call.constants.tricks, call.context.allocator, values, n);
        if (OCIOR_UNLIKELY(!list) || !kHooks || !call.options.array_hook) return list;
        return apply_hook(call, call.options.array_hook, list, values, n);
    }

    // The same of all `n` references on the value stack, whose block becomes the list's: copies of large ones were the peak of memory. The
    // stack is another, empty one then. Null, without an error, where that cannot be done and nothing has changed.
    static OCIOR_NOINLINE PyObject* array_of_stack(CallType& call, std::size_t n) noexcept {
        if constexpr (!layout::kMayPlantListItems) return nullptr;
        if (!call.constants.tricks.list_items || (kHooks && call.options.array_hook)) return nullptr;
        PyObject* list = PyList_New(0);
        PyObject** items = list ? call.context.values.hand_over(n) : nullptr;
        if (!items) {
            Py_XDECREF(list);
            return PyErr_Clear(), nullptr;
        }
        plant_items(list, items, n);
        return list;
    }

    static OCIOR_INLINE PyObject* object_of_shape(CallType& call, Frame* frame, PyObject** values, std::size_t n) noexcept {
        ShapeNode* node = frame->node;
        PyObject* dict;
        if (OCIOR_LIKELY(node->dict_template != nullptr)) {
            dict = dict_from_template(call.context.allocator, node->dict_template, values, n, frame->has_container | kHooks);
        } else {
            dict = object_first_seen(call, node, values, n, frame->has_container | kHooks);
        }
        if (OCIOR_UNLIKELY(!dict) || !kHooks || !call.options.object_hook) return dict;
        return apply_hook(call, call.options.object_hook, dict, values, n);
    }

    // `n` keys and values in turn.
    static OCIOR_NOINLINE PyObject* object_of_pairs(CallType& call, PyObject** pairs, std::size_t n, bool has_container) noexcept {
        if constexpr (kHooks)
            if (call.options.object_pairs_hook) return call_pairs_hook(call, pairs, n);
        PyObject* dict =
            dict_from_items(call.constants.tricks, call.context.allocator, {pairs, 2, pairs + 1, 2, n}, has_container | kHooks);
        if (!dict) return nullptr;
        for (std::size_t i = 0; i < 2 * n; ++i) Py_DECREF(pairs[i]);
        if (!kHooks || !call.options.object_hook) return dict;
        return apply_hook(call, call.options.object_hook, dict, pairs, 2 * n);
    }

private:
    static PyObject* call_hook(CallType& call, PyObject* hook, PyObject* argument) noexcept {
        return call_back(call.context.is_extra, " while decoding a JSON document", [&] { return PyObject_CallOneArg(hook, argument); });
    }

    // The container has taken over the references: whatever the hook does, the stack's copies are void.
    static OCIOR_NOINLINE PyObject* apply_hook(CallType& call, PyObject* hook, PyObject* argument, PyObject** values,
                                               std::size_t n) noexcept {
        std::memset(values, 0, n * sizeof *values);
        PyObject* result = call_hook(call, hook, argument);
        Py_DECREF(argument);
        return result;
    }

    static OCIOR_NOINLINE PyObject* call_pairs_hook(CallType& call, PyObject** pairs, std::size_t n) noexcept {
        // In their own places: a list with room left for them could be found by what a garbage collection calls, which a new tuple may
        // start.
        for (std::size_t i = 0; i < n; ++i) {
            PyObject* pair = PyTuple_Pack(2, pairs[2 * i], pairs[2 * i + 1]);
            if (!pair) return nullptr;
            Py_CLEAR(pairs[2 * i]);
            Py_CLEAR(pairs[2 * i + 1]);
            pairs[i] = pair;
        }
        PyObject* list = list_from(call.constants.tricks, call.context.allocator, pairs, n);
        return list ? apply_hook(call, call.options.object_pairs_hook, list, pairs, n) : nullptr;
    }

    // A dict of a shape without a template: the shape settles when an object ends there the second time.
    static OCIOR_NOINLINE PyObject* object_first_seen(CallType& call, ShapeNode* node, PyObject** values, std::size_t n,
                                                      bool has_container) noexcept {
        if (node->ended && !node->keys && !ShapeTree::settle(call.context.shape_budget, node, call.constants.tricks.keys_table))
            return nullptr;
        node->ended = 1;
        PyObject* of_steps[ShapeTree::kMaxKeys];
        PyObject* const* keys = node->keys;
        if (!keys) {
            ShapeNode* step = node;
            for (std::size_t i = n; i-- > 0; step = step->parent) of_steps[i] = step->key;
            keys = of_steps;
        }
        PyObject* dict = dict_from_items(call.constants.tricks, call.context.allocator, {keys, 1, values, 1, n}, has_container);
        if (!dict) return nullptr;
        for (std::size_t i = 0; i < n; ++i) Py_DECREF(values[i]);
        return dict;
    }

    // A number's text is ASCII: as a NUL-terminated copy.
    struct AsciiCopy {
        char inline_text[64];
        char* text;

        AsciiCopy(const Unit* first, const Unit* last) noexcept {
            const auto n = static_cast<std::size_t>(last - first);
            text = n < sizeof inline_text ? inline_text : static_cast<char*>(std::malloc(n + 1));
            if (!text) return;
            for (std::size_t i = 0; i < n; ++i) text[i] = static_cast<char>(first[i]);
            text[n] = 0;
        }
        ~AsciiCopy() {
            if (text != inline_text) std::free(text);
        }
    };

    static OCIOR_NOINLINE PyObject* big_int(CallType& call, const Unit* first, const Unit* last) noexcept {
        if (call.options.grammar_only) return new_ref(Py_None);
        AsciiCopy copy(first, last);
        if (!copy.text) return PyErr_NoMemory();
        PyObject* value = PyLong_FromString(copy.text, nullptr, 10);  // looks for signals: handlers may run
        call.context.allocator.refresh(call.constants.tricks, kHooks);
        return value;
    }

    static OCIOR_NOINLINE PyObject* call_with_text(CallType& call, PyObject* hook, const Unit* first, const Unit* last) noexcept {
        const auto n = static_cast<std::size_t>(last - first);
        Owned text = Owned::steal(PyUnicode_New(static_cast<Py_ssize_t>(n), 0x7f));
        if (!text) return nullptr;
        for (std::size_t i = 0; i < n; ++i) PyUnicode_1BYTE_DATA(text.get())[i] = static_cast<std::uint8_t>(first[i]);
        return call_hook(call, hook, text.get());
    }
};

}  // namespace ocior::decode
