// Python objects out of what the grammar reads: numbers, constants, lists and dicts at their exact size, hooks applied.
// The hook-free builder is a policy of its own, so that documents without hooks pay nothing for them.
#pragma once

#include "decode/item_runs.h"
#include "decode/keys.h"
#include "decode/strings.h"
#include "py/callback.h"
#include "py/container.h"
#include "py/number.h"

namespace ocior::decode {

// Values are pushed on one value stack; a closing bracket builds its container at the exact size.
template <typename Source, bool kHooks>
struct PyBuilder : PyCall<Source> {
    using Unit = typename Source::Unit;
    using Value = PyObject*;
    using Frame = PyFrame;
    using PyCall<Source>::PyCall, PyCall<Source>::context, PyCall<Source>::constants, PyCall<Source>::options;

    struct Cursor {
        PyObject** values;  // the value stack's block, its first free place, and where to stop for a moment
        PyObject** top;
        PyObject** limit;
        ShapeNode* root;  // of the shapes; null where keys are to lie on the value stack
    };

    OCIOR_INLINE Frame* begin(Cursor& cursor) noexcept {
        if (!context.values.reserve(64) || !context.frames.reserve(64)) return cursor.values = cursor.top = nullptr, nullptr;
        cursor.root = options.object_pairs_hook ? nullptr : context.shapes[Source::kIndex].root();
        look_again(cursor, 0);
        Frame* const frame = context.frames.data();
        *frame = {0, nullptr, cursor.root, Inside::kNothing, false};
        return frame;
    }

    OCIOR_INLINE PyObject* finish(Cursor& cursor) noexcept { return *cursor.values; }

    // Drops what is on the value stack; slots already handed over are null.
    OCIOR_COLD void drop(Cursor cursor) noexcept {
        if (this->error == Error::kNone) this->fail_python(nullptr);
        while (cursor.top != cursor.values) Py_XDECREF(*--cursor.top);
    }

    OCIOR_INLINE Frame* enter_array(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        return enter(cursor, frame, depth, nullptr, Inside::kArray);
    }
    OCIOR_INLINE Frame* enter_object(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        return enter(cursor, frame, depth, cursor.root, Inside::kObject);
    }

    OCIOR_INLINE PyObject* string(Cursor&, const Unit*& p) noexcept {
        const Read<Unit> read = read_string(*this, p);
        p = read.next;
        return read.object;
    }

    OCIOR_INLINE bool key(Cursor& cursor, Frame& frame, const Unit*& p) noexcept {
        ShapeNode* predicted = nullptr;
        if (OCIOR_LIKELY(frame.node != nullptr))
            predicted = frame.node == cursor.root ? frame.found_at->first_key_inside : frame.node->predicted;
        if (OCIOR_LIKELY(predicted && matches(*predicted, p, this->text.last))) {
            frame.node = predicted;
            p += predicted->raw_len / sizeof(Unit);
            return true;
        }
        const NextKey<Unit> next = next_key<Source>(*this, frame, cursor.root, cursor.top, p);
        p = next.next;
        if (OCIOR_UNLIKELY(!next.top)) return false;
        if (OCIOR_UNLIKELY(next.top != cursor.top)) {  // keys lie on the value stack from now on
            context.progress.reached = p;
            look_again(cursor, static_cast<std::size_t>(next.top - context.values.data()));
        }
        return true;
    }

    OCIOR_INLINE PyObject* word(Cursor&, Word word) noexcept { return new_constant(constants.words[word]); }

    OCIOR_INLINE void word_run(Cursor& cursor, const Unit*& p, PyObject*& last) noexcept {
        const auto run = read_word_run(constants, p, cursor.top, cursor.limit, last);
        p = run.p;
        cursor.top = run.top;
        last = run.last;
    }

    OCIOR_INLINE bool integer_run(Cursor& cursor, const Unit*& p, PyObject*& last) noexcept {
        if (OCIOR_LIKELY(!begins_integer_run(p))) return true;
        const auto run = read_integer_run(*this, p, cursor.top, cursor.limit);
        cursor.top = run.top;
        if (OCIOR_UNLIKELY(!run.p)) return false;
        last = run.last;
        if (last) p = run.p;
        return true;
    }

    OCIOR_INLINE PyObject* integer(Cursor&, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* last) noexcept {
        return new_integer(magnitude, negative, first, last);
    }

    // An integer whose text is [first, last), as number().
    OCIOR_INLINE PyObject* new_integer(std::uint64_t magnitude, bool negative, const Unit* first, const Unit* last) noexcept {
        if constexpr (kHooks)
            if (options.parse_int) return call_with_text(options.parse_int, first, last);
        if (magnitude <= layout::kLastSmallInt) {
            const int value = negative ? -static_cast<int>(magnitude) : static_cast<int>(magnitude);
            if (value >= layout::kFirstSmallInt) return new_constant(constants.ints[value - layout::kFirstSmallInt]);
        }
        if constexpr (layout::kMayBuildDirect)
            if (OCIOR_LIKELY(constants.tricks.direct_scalars)) return new_int_direct(context.allocator, magnitude, negative);
        return PyLong_FromLongLong(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
    }

    // A number with a fraction or an exponent, as number().
    OCIOR_INLINE PyObject* real(Cursor&, double value, const Unit* first, const Unit* last) noexcept {
        if constexpr (kHooks)
            if (options.parse_float) return call_with_text(options.parse_float, first, last);
        if constexpr (layout::kMayBuildDirect)
            if (OCIOR_LIKELY(constants.tricks.direct_scalars)) return new_float_direct(context.allocator, value);
        return PyFloat_FromDouble(value);
    }

    // The value of a number whose text is [first, last), owned. Null: a Python error is set, or out of memory.
    OCIOR_INLINE PyObject* number(Cursor& cursor, const num::Number& number, const Unit* first, const Unit* last) noexcept {
        if constexpr (kHooks)
            if (number.kind == num::NumberKind::kBigInt && options.parse_int) return call_with_text(options.parse_int, first, last);
        switch (number.kind) {
            case num::NumberKind::kInt64: return new_integer(magnitude(number.i), number.i < 0, first, last);
            case num::NumberKind::kFloat64: return real(cursor, number.d, first, last);
            default: return big_int(first, last);
        }
    }

    OCIOR_COLD PyObject* non_finite(Cursor, NonFinite which) noexcept {
        constexpr const char* kNames[] = {"NaN", "Infinity", "-Infinity"};
        const auto i = static_cast<std::size_t>(which);
        if (!kHooks || !options.parse_constant) return new_ref(constants.non_finite[i]);
        Owned text = Owned::steal(PyUnicode_InternFromString(kNames[i]));
        return text ? call_hook(options.parse_constant, text.get()) : nullptr;
    }

    OCIOR_INLINE bool push(Cursor& cursor, PyObject* value, const Unit* p) noexcept {
        *cursor.top++ = value;
        if (OCIOR_LIKELY(cursor.top < cursor.limit)) return true;
        const auto used = static_cast<std::size_t>(cursor.top - cursor.values);
        context.progress.reached = p;
        if (!this->make_room(used, p)) return false;
        context.values.populate_ahead(used);
        look_again(cursor, used);
        return true;
    }

    OCIOR_INLINE PyObject* close_array(Cursor& cursor, Frame& frame) noexcept {
        const auto n = static_cast<std::size_t>(cursor.top - (cursor.values + frame.base));
        if (OCIOR_UNLIKELY(n >= Context::kLargeArray) && frame.base == 0) {
            if (PyObject* const list = array_of_stack(n); OCIOR_LIKELY(list != nullptr)) {
                look_again(cursor, 0);
                return list;
            }
        }
        PyObject* const list = array(cursor.top - n, n);
        if (OCIOR_LIKELY(list != nullptr)) cursor.top -= n;
        return list;
    }

    OCIOR_INLINE PyObject* close_object(Cursor& cursor, Frame& frame) noexcept {
        const auto n = static_cast<std::size_t>(cursor.top - (cursor.values + frame.base));
        PyObject* dict;
        if (OCIOR_LIKELY(frame.node != nullptr)) {
            if (OCIOR_UNLIKELY(n == 0)) dict = object_of_pairs(cursor.top, 0, false);
            else dict = object_of_shape(frame, cursor.top - n, n);
        } else {
            dict = object_of_pairs(cursor.top - n, n / 2, frame.has_container);
        }
        if (OCIOR_LIKELY(dict != nullptr)) cursor.top -= n;
        return dict;
    }

private:
    // Where what is pushed on the value stack stops for a moment: before its end, so that a key has room beside a value, and now and then
    // before that, to say how far the text has been read. (Inlined it costs lists of integers a tenth.)
    static OCIOR_NOINLINE PyObject** next_stop(Context& context, PyObject** top) noexcept {
        constexpr std::ptrdiff_t kStep = 1024;
        PyObject** const last = context.values.data() + context.values.capacity() - 1;
        return last - top > kStep ? top + kStep : last;
    }

    // After the value stack may have moved. `used`: how many values lie on it.
    OCIOR_INLINE void look_again(Cursor& cursor, std::size_t used) noexcept {
        cursor.values = context.values.data();
        cursor.top = cursor.values + used;
        cursor.limit = next_stop(context, cursor.top);
    }

    // A frame for the list or dict that begins. Null when out of memory.
    OCIOR_INLINE Frame* enter(Cursor& cursor, Frame* frame, std::size_t depth, ShapeNode* node, Inside inside) noexcept {
        frame->has_container = true;
        if (OCIOR_UNLIKELY(depth == context.frames.capacity())) {
            if (!context.frames.reserve(depth + 1)) return nullptr;
            frame = context.frames.data() + depth - 1;
        }
        ShapeNode* const found_at = frame->node ? frame->node : frame->found_at;
        *++frame = {static_cast<std::size_t>(cursor.top - cursor.values), node, found_at, inside, false};
        return frame;
    }

    // Takes over the `n` references at `values`; on failure they are still the caller's.
    OCIOR_INLINE PyObject* array(PyObject** values, std::size_t n) noexcept {
        PyObject* list = list_from(constants.tricks, context.allocator, values, n);
        if (OCIOR_UNLIKELY(!list) || !kHooks || !options.array_hook) return list;
        return apply_hook(options.array_hook, list, values, n);
    }

    // The same of all `n` references on the value stack, whose block becomes the list's: copies of large ones were the peak of memory. The
    // stack is another, empty one then. Null, without an error, where that cannot be done and nothing has changed.
    OCIOR_NOINLINE PyObject* array_of_stack(std::size_t n) noexcept {
        if constexpr (!layout::kMayPlantListItems) return nullptr;
        if (!constants.tricks.list_items || (kHooks && options.array_hook)) return nullptr;
        PyObject* list = PyList_New(0);
        PyObject** items = list ? context.values.hand_over(n) : nullptr;
        if (!items) {
            Py_XDECREF(list);
            return PyErr_Clear(), nullptr;
        }
        plant_items(list, items, n);
        return list;
    }

    OCIOR_INLINE PyObject* object_of_shape(Frame& frame, PyObject** values, std::size_t n) noexcept {
        ShapeNode* node = frame.node;
        PyObject* dict;
        if (OCIOR_LIKELY(node->dict_template != nullptr)) {
            dict = dict_from_template(context.allocator, node->dict_template, values, n, frame.has_container | kHooks);
        } else {
            dict = object_first_seen(node, values, n, frame.has_container | kHooks);
        }
        if (OCIOR_UNLIKELY(!dict) || !kHooks || !options.object_hook) return dict;
        return apply_hook(options.object_hook, dict, values, n);
    }

    // `n` keys and values in turn.
    OCIOR_NOINLINE PyObject* object_of_pairs(PyObject** pairs, std::size_t n, bool has_container) noexcept {
        if constexpr (kHooks)
            if (options.object_pairs_hook) return call_pairs_hook(pairs, n);
        PyObject* dict = dict_from_items(constants.tricks, context.allocator, {pairs, 2, pairs + 1, 2, n}, has_container | kHooks);
        if (!dict) return nullptr;
        for (std::size_t i = 0; i < 2 * n; ++i) Py_DECREF(pairs[i]);
        if (!kHooks || !options.object_hook) return dict;
        return apply_hook(options.object_hook, dict, pairs, 2 * n);
    }

    PyObject* call_hook(PyObject* hook, PyObject* argument) noexcept {
        return call_back(context.may_be_nested, " while decoding a JSON document", [&] { return PyObject_CallOneArg(hook, argument); });
    }

    // The container has taken over the references: whatever the hook does, the stack's copies are void.
    OCIOR_NOINLINE PyObject* apply_hook(PyObject* hook, PyObject* argument, PyObject** values, std::size_t n) noexcept {
        std::memset(values, 0, n * sizeof *values);
        PyObject* result = call_hook(hook, argument);
        Py_DECREF(argument);
        return result;
    }

    OCIOR_NOINLINE PyObject* call_pairs_hook(PyObject** pairs, std::size_t n) noexcept {
        // In their own places: a list with room left for them could be found by what a garbage collection calls, which a new tuple may
        // start.
        for (std::size_t i = 0; i < n; ++i) {
            PyObject* pair = PyTuple_Pack(2, pairs[2 * i], pairs[2 * i + 1]);
            if (!pair) return nullptr;
            Py_CLEAR(pairs[2 * i]);
            Py_CLEAR(pairs[2 * i + 1]);
            pairs[i] = pair;
        }
        PyObject* list = list_from(constants.tricks, context.allocator, pairs, n);
        return list ? apply_hook(options.object_pairs_hook, list, pairs, n) : nullptr;
    }

    // A dict of a shape without a template: the shape settles when an object ends there the second time.
    OCIOR_NOINLINE PyObject* object_first_seen(ShapeNode* node, PyObject** values, std::size_t n, bool has_container) noexcept {
        if (node->ended && !node->keys && !ShapeTree::settle(context.shape_budget, node, constants.tricks.keys_table)) return nullptr;
        node->ended = 1;
        PyObject* of_steps[ShapeTree::kMaxKeys];
        PyObject* const* keys = node->keys;
        if (!keys) {
            ShapeNode* step = node;
            for (std::size_t i = n; i-- > 0; step = step->parent) of_steps[i] = step->key;
            keys = of_steps;
        }
        PyObject* dict = dict_from_items(constants.tricks, context.allocator, {keys, 1, values, 1, n}, has_container);
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

    OCIOR_NOINLINE PyObject* big_int(const Unit* first, const Unit* last) noexcept {
        AsciiCopy copy(first, last);
        if (!copy.text) return PyErr_NoMemory();
        PyObject* value = PyLong_FromString(copy.text, nullptr, 10);  // looks for signals: handlers may run
        context.allocator.refresh(constants.tricks, kHooks);
        return value;
    }

    OCIOR_NOINLINE PyObject* call_with_text(PyObject* hook, const Unit* first, const Unit* last) noexcept {
        const auto n = static_cast<std::size_t>(last - first);
        Owned text = Owned::steal(PyUnicode_New(static_cast<Py_ssize_t>(n), 0x7f));
        if (!text) return nullptr;
        for (std::size_t i = 0; i < n; ++i) PyUnicode_1BYTE_DATA(text.get())[i] = static_cast<std::uint8_t>(first[i]);
        return call_hook(hook, text.get());
    }
};

}  // namespace ocior::decode
