// Python objects out of what the grammar reads: numbers, constants, lists and dicts at their exact size, hooks applied.
// The hook-free builder is a policy of its own, so that documents without hooks pay nothing for them.
#pragma once

#include <algorithm>

#include "decode/item_runs.h"
#include "decode/keys.h"
#include "decode/strings.h"
#include "num/digits.h"
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
        context.allocator.collector.begin(constants.tricks);
        Frame* const frame = context.frames.data();
        *frame = {0, nullptr, cursor.root, Inside::kNothing, 0};
        return frame;
    }

    OCIOR_INLINE PyObject* finish(Cursor& cursor) noexcept {
        context.allocator.settle();
        return *cursor.values;
    }

    // Drops what is on the value stack; slots already handed over are null.
    OCIOR_COLD void drop(Cursor cursor) noexcept {
        if (this->error == Error::kNone) this->fail_python(nullptr);
        while (cursor.top != cursor.values) drop_value(*--cursor.top);
        context.allocator.give_back();
    }

    OCIOR_INLINE Frame* enter_array(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        const unsigned room = frame->node ? frame->node->leaf.list_room : context.list_rooms[depth % Context::kListDepths];
        frame = enter(cursor, frame, depth, nullptr, Inside::kArray);
        if constexpr (kMakesEarly)
            if (OCIOR_UNLIKELY(room) && OCIOR_LIKELY(frame))
                return goes_on_at(cursor, begin_list(context, *frame, room, cursor.top, cursor.limit)) ? frame : nullptr;
        return frame;
    }
    OCIOR_INLINE Frame* enter_object(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        frame = enter(cursor, frame, depth, cursor.root, Inside::kObject);
        if constexpr (kMakesEarly)
            if (OCIOR_LIKELY(frame) && OCIOR_UNLIKELY(frame->found_at->leaf.nest_inside))
                return goes_on_at(cursor, begin_dict(context, *frame, cursor.top, cursor.limit)) ? frame : nullptr;
        return frame;
    }

    OCIOR_INLINE PyObject* string(Cursor&, const Unit*& p) noexcept {
        // What is short in text of wide units is read by read_string without a look at it.
        const bool looks_for_surrogates = kHooks && sizeof(Unit) > 1 && OCIOR_UNLIKELY(options.surrogates != Surrogates::kKeep);
        const Read<Unit> read = looks_for_surrogates ? read_any_string(*this, p) : read_string(*this, p);
        p = read.next;
        return read.object;
    }

    OCIOR_INLINE Key key(Cursor& cursor, Frame& frame, const Unit*& p) noexcept {
        ShapeNode* predicted = nullptr;
        if (OCIOR_LIKELY(frame.node != nullptr))
            predicted = frame.node == cursor.root ? frame.found_at->leaf.first_key_inside : frame.node->predicted;
        if (OCIOR_LIKELY(predicted && predicted->matches(p, this->text.last))) {
            frame.node = predicted;
            p += predicted->raw_len / sizeof(Unit);
            return Key::kWanted;
        }
        const NextKey<Unit> next = next_key<Source>(*this, frame, cursor.root, cursor.top, p);
        p = next.next;
        if (OCIOR_UNLIKELY(!next.top)) return Key::kFailed;
        if (OCIOR_UNLIKELY(next.top != cursor.top)) {  // keys lie on the value stack from now on
            context.progress.reached = p;
            look_again(cursor, static_cast<std::size_t>(next.top - context.values.data()));
        }
        return Key::kWanted;
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
        if constexpr (kHooks) {
            if (options.parse_int) return call_with_text(options.parse_int, first, last);
            if (OCIOR_UNLIKELY(magnitude >= options.first_big_integer)) return big_integer(magnitude, negative, first, last);
        }
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
        if constexpr (kHooks) {
            if (options.decimals) return new_decimal(first, last);
            if (options.parse_float) return call_with_text(options.parse_float, first, last);
        }
        return new_float(value);
    }
    OCIOR_INLINE PyObject* new_float(double value) noexcept {
        if (OCIOR_UNLIKELY(!__builtin_isfinite(value)) && options.non_finite != NonFiniteNumbers::kConstant) return number_out_of_range();
        if constexpr (layout::kMayBuildDirect)
            if (OCIOR_LIKELY(constants.tricks.direct_scalars)) return new_float_direct(context.allocator, value);
        return PyFloat_FromDouble(value);
    }
    OCIOR_COLD PyObject* number_out_of_range() noexcept {
        return options.non_finite == NonFiniteNumbers::kNull ? new_ref(Py_None) : refuse(Error::kNumberOutOfRange);
    }
    OCIOR_COLD PyObject* refuse(Error error) noexcept {
        this->error = error;
        return nullptr;
    }

    // The value of a number whose text is [first, last), owned. Null: a Python error is set, or out of memory.
    OCIOR_INLINE PyObject* number(Cursor& cursor, const num::Number& number, const Unit* first, const Unit* last) noexcept {
        if constexpr (kHooks)
            if (number.kind == num::NumberKind::kBigInt && options.parse_int) return call_with_text(options.parse_int, first, last);
        switch (number.kind) {
            // As a float, -0 has a sign.
            case num::NumberKind::kInt64: return new_integer(magnitude(number.i), kHooks ? *first == '-' : number.i < 0, first, last);
            case num::NumberKind::kFloat64: return real(cursor, number.d, first, last);
            default: return big_int(first, last);
        }
    }

    OCIOR_COLD PyObject* non_finite(Cursor, NonFinite which) noexcept {
        constexpr const char* kNames[] = {"NaN", "Infinity", "-Infinity"};
        const auto i = static_cast<std::size_t>(which);
        if (kHooks && options.parse_constant) {
            const Owned text = Owned::steal(PyUnicode_InternFromString(kNames[i]));
            return text ? call_hook(options.parse_constant, text.get()) : nullptr;
        }
        if (options.non_finite == NonFiniteNumbers::kError) return refuse(Error::kExpectingValue);
        return new_ref(options.non_finite == NonFiniteNumbers::kNull ? Py_None : constants.non_finite[i]);
    }

    // NaN and Infinity in letters of any case. (As a part of the parser without hooks it cost all documents 1 %.)
    OCIOR_COLD PyObject* loose_word(Cursor& cursor, const Unit*& p) noexcept
        requires kHooks
    {
        if (!options.dialect->takes_words_in_any_case) return nullptr;
        const bool is_negative = *p == '-';
        const auto follows = [&](const char* word, NonFinite which) -> PyObject* {
            const Unit* at = p + is_negative;
            for (; *word; ++word, ++at)
                if ((*at | 0x20) != static_cast<Unit>(*word)) return nullptr;
            p = at;
            return non_finite(cursor, which);
        };
        PyObject* const nan = follows("nan", NonFinite::kNaN);
        return nan ? nan : follows("infinity", is_negative ? NonFinite::kMinusInfinity : NonFinite::kInfinity);
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
        if constexpr (kMakesEarly) {
            if (frame.traits != 0) note_nest(frame);
            if (OCIOR_UNLIKELY(frame.traits >= Frame::kHoldsNests)) {
                PyObject* const list = close_nested_array(frame, cursor.top - n, n);
                if (OCIOR_LIKELY(list != nullptr)) cursor.top -= n + early_slots(frame);
                return list;
            }
        }
        PyObject* const list = array(cursor.top - n, n);
        if (OCIOR_LIKELY(list != nullptr)) cursor.top -= n;
        return list;
    }

    OCIOR_INLINE PyObject* close_object(Cursor& cursor, Frame& frame) noexcept {
        const auto n = static_cast<std::size_t>(cursor.top - (cursor.values + frame.base));
        if constexpr (kMakesEarly) {
            note_nest(frame);
            if (OCIOR_UNLIKELY(frame.traits >= Frame::kHoldsNests)) {
                PyObject* const dict = close_nested_object(frame, cursor.top - n, n);
                if (OCIOR_LIKELY(dict != nullptr)) cursor.top -= n + early_slots(frame);
                return dict;
            }
        }
        PyObject* const dict = object(frame, cursor.top - n, n);
        if (OCIOR_LIKELY(dict != nullptr)) cursor.top -= n;
        return dict;
    }

private:
    // Some containers are made when they begin, not when they end: whoever walks a document comes to a container before what it holds, and
    // should find it before that in memory, too. Where 10 MB of trees are made children first, a walk in Python takes 1.3 times as long,
    // and dumps 3.3 times. Only those are made early where the last one at the same place held nests; what the others hold lies near them
    // anyway. With hooks Python code would see them empty.
    static constexpr bool kMakesEarly = !kHooks && layout::kMayPlantKeysTable;
    // The slots on the value stack below the first value: they hold the empty container and the marked block for its items.
    static constexpr std::ptrdiff_t kEarlySlots = 2;
    enum BlockKind : std::uintptr_t { kTable = 1, kItems = 2, kBlockKinds = 3 };
    static constexpr std::size_t kMostItems = 64;  // longer lists are too rare to matter
    static constexpr std::size_t kSpareItems = 3;  // as many more than it has as a list may have room for; json's own have it, too

    // What stays in the caches anyway has nothing to gain.
    bool is_large() const noexcept { return static_cast<std::size_t>(this->text.last - this->text.first) >= 256 * 1024; }
    static OCIOR_INLINE std::size_t early_slots(const Frame& frame) noexcept { return frame.traits & Frame::kIsMade ? kEarlySlots : 0; }
    static OCIOR_INLINE void note_nest(Frame& frame) noexcept {
        static_assert(Frame::kHoldsNests == Frame::kHoldsContainers << 1);
        (&frame)[-1].traits |= (frame.traits & Frame::kHoldsContainers) << 1;
    }
    static OCIOR_INLINE bool goes_on_at(Cursor& cursor, PyObject** top) noexcept {
        if (OCIOR_UNLIKELY(!top)) return false;
        cursor.top = top;
        return true;
    }

    // What follows is out of the way of the parser's registers. These two return the value stack's new top; null when out of memory.
    static OCIOR_NOINLINE PyObject** begin_list(Context& context, Frame& frame, unsigned room, PyObject** top, PyObject** limit) noexcept {
        if (OCIOR_UNLIKELY(limit - top <= kEarlySlots)) return top;
        return put_early(frame, top, new_list(context.allocator), allocate_list_items(context.allocator, room), kItems, room);
    }
    static OCIOR_NOINLINE PyObject** begin_dict(Context& context, Frame& frame, PyObject** top, PyObject** limit) noexcept {
        if (OCIOR_UNLIKELY(limit - top <= kEarlySlots)) return top;
        const auto* const model = layout::keys_table(frame.found_at->leaf.nest_inside->leaf.dict_template);
        PyObject* const dict = new_dict(context.allocator);
        // So that the collector, too, meets it before what it holds.
        if (OCIOR_LIKELY(dict != nullptr)) track_dict(context.allocator, dict, true);
        return put_early(frame, top, dict, allocate_table_like(context.allocator, model), kTable, model->log2_size);
    }
    static OCIOR_INLINE PyObject** put_early(Frame& frame, PyObject** top, PyObject* container, void* block, BlockKind kind,
                                             unsigned room) noexcept {
        top[0] = container;
        top += kEarlySlots;
        frame.base += kEarlySlots;
        frame.traits = Frame::kIsMade;
        frame.room = static_cast<std::uint8_t>(room);
        if (OCIOR_LIKELY(set_block(top, block, kind) && container)) return top;
        return drop_early(top), nullptr;
    }

    // Closes a list with the `n` references at `values`, on the value stack. On failure they are still the caller's.
    OCIOR_NOINLINE PyObject* close_nested_array(Frame& frame, PyObject** values, std::size_t n) noexcept {
        const bool holds_nests = frame.traits & Frame::kHoldsNests;
        // The outermost list is not worth it, and may take over the value stack.
        if (holds_nests && is_large()) expect_room(frame, n <= kMostItems && frame.base > 0 && constants.tricks.list_items ? n : 0);
        if (frame.traits & Frame::kIsMade) {
            PyObject* const list = values[-2];
            std::size_t room = frame.room;
            if (OCIOR_UNLIKELY(n > room || room - n > kSpareItems)) {
                if (!holds_nests) expect_room(frame, 0);
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
            drop_early(values);
        }
        return array(values, n);
    }
    OCIOR_NOINLINE PyObject* close_nested_object(Frame& frame, PyObject** values, std::size_t n) noexcept {
        PyObject* const tmpl = frame.node ? frame.node->leaf.dict_template : nullptr;
        const bool holds_nests = tmpl && (frame.traits & Frame::kHoldsNests);
        if (holds_nests && is_large()) frame.found_at->leaf.nest_inside = frame.node;
        if (frame.traits & Frame::kIsMade) {
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
                if (OCIOR_UNLIKELY(!(frame.traits & Frame::kHoldsContainers))) untrack_dict(dict);
                return dict;
            }
            drop_early(values);
        }
        return object(frame, values, n);
    }

    // What is expected of the next list at its place: under a key, or in lists of a certain depth.
    OCIOR_INLINE void expect_room(const Frame& frame, std::size_t n) noexcept {
        const auto room = static_cast<std::uint8_t>((n + kSpareItems) / (kSpareItems + 1) * (kSpareItems + 1));
        if ((&frame)[-1].node) frame.found_at->leaf.list_room = room & 127;
        else context.list_rooms[static_cast<std::size_t>(&frame - context.frames.data()) % Context::kListDepths] = room;
    }

    static OCIOR_INLINE void* block_of(PyObject* value) noexcept {
        return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(value) & ~std::uintptr_t{kBlockKinds});
    }
    static OCIOR_INLINE bool set_block(PyObject** values, void* block, BlockKind kind) noexcept {
        values[-1] = block ? reinterpret_cast<PyObject*>(reinterpret_cast<std::uintptr_t>(block) | kind) : nullptr;
        return OCIOR_LIKELY(block != nullptr);
    }
    static OCIOR_NOINLINE void drop_value(PyObject* value) noexcept {
        switch (reinterpret_cast<std::uintptr_t>(value) & kBlockKinds) {
            case kTable: return free_table(block_of(value));
            case kItems: return free_list_items(static_cast<PyObject**>(block_of(value)));
            default: Py_XDECREF(value);
        }
    }
    static OCIOR_INLINE void drop_block(PyObject** values) noexcept { drop_value(std::exchange(values[-1], nullptr)); }
    static OCIOR_NOINLINE void drop_early(PyObject** values) noexcept {
        drop_block(values);
        Py_CLEAR(values[-2]);
    }

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
        frame->traits |= Frame::kHoldsContainers;
        if (OCIOR_UNLIKELY(depth == context.frames.capacity())) {
            if (!context.frames.reserve(depth + 1)) return nullptr;
            frame = context.frames.data() + depth - 1;
        }
        ShapeNode* const found_at = frame->node ? frame->node : frame->found_at;
        *++frame = {static_cast<std::size_t>(cursor.top - cursor.values), node, found_at, inside, 0};
        return frame;
    }

    // Takes over the `n` references at `values`; on failure they are still the caller's.
    OCIOR_INLINE PyObject* array(PyObject** values, std::size_t n) noexcept {
        PyObject* list = list_from(constants.tricks, context.allocator, values, n);
        if (OCIOR_UNLIKELY(!list) || !kHooks || !options.array_hook) return list;
        return apply_hook(options.array_hook, list, values, n);
    }

    // Makes a list of all `n` references on the value stack. The stack's block becomes the list's, because copies of large blocks were the
    // peak of memory; the stack gets a new, empty block. Returns null, without an error and without any change, where that cannot be done.
    OCIOR_NOINLINE PyObject* array_of_stack(std::size_t n) noexcept {
        if constexpr (!layout::kMayPlantListItems) return nullptr;
        if (!constants.tricks.list_items || (kHooks && options.array_hook)) return nullptr;
        PyObject* list = PyList_New(0);
        PyObject** items = list ? context.values.hand_over(n) : nullptr;
        if (!items) {
            Py_XDECREF(list);
            return PyErr_Clear(), nullptr;
        }
        plant_items(list, items, n, n);
        return list;
    }

    // A dict of the `n` references at `values`, which may be keys and values in turn.
    OCIOR_INLINE PyObject* object(Frame& frame, PyObject** values, std::size_t n) noexcept {
        if (OCIOR_UNLIKELY(frame.node == nullptr)) return object_of_pairs(values, n / 2, frame.traits & Frame::kHoldsContainers);
        if (OCIOR_UNLIKELY(n == 0)) return object_of_pairs(values, 0, false);
        return object_of_shape(frame, values, n);
    }

    OCIOR_INLINE PyObject* object_of_shape(Frame& frame, PyObject** values, std::size_t n) noexcept {
        ShapeNode* node = frame.node;
        const bool has_container = (frame.traits & Frame::kHoldsContainers) | kHooks;
        PyObject* dict;
        if (OCIOR_LIKELY(node->leaf.dict_template != nullptr)) {
            dict = dict_from_template(context.allocator, node->leaf.dict_template, values, n, has_container);
        } else {
            dict = object_first_seen(node, values, n, has_container);
        }
        if (OCIOR_UNLIKELY(!dict) || !kHooks || !options.object_hook) return dict;
        return apply_hook(options.object_hook, dict, values, n);
    }

    // `n` keys and values in turn.
    OCIOR_NOINLINE PyObject* object_of_pairs(PyObject** pairs, std::size_t n, bool has_container) noexcept {
        if constexpr (kHooks)
            if (options.object_pairs_hook) return call_pairs_hook(pairs, n);
        PyObject* dict = dict_of({pairs, 2, pairs + 1, 2, n}, has_container | kHooks);
        if (!dict) return nullptr;
        for (std::size_t i = 0; i < 2 * n; ++i) Py_DECREF(pairs[i]);
        if (n > kFirstKeys && !(kHooks && options.has_hooks())) context.keys.made(dict);
        if (!kHooks || !options.object_hook) return dict;
        return apply_hook(options.object_hook, dict, pairs, 2 * n);
    }

    // A dict of any items, with references of its own, as the policy for keys that come twice has it.
    OCIOR_INLINE PyObject* dict_of(const Items& items, bool has_container) noexcept {
        PyObject* const dict = dict_from_items(constants.tricks, context.allocator, items, has_container);
        if (!kHooks || !dict || OCIOR_LIKELY(static_cast<std::size_t>(PyDict_GET_SIZE(dict)) == items.count)) return dict;
        return without_duplicates(dict, items);
    }
    OCIOR_NOINLINE PyObject* without_duplicates(PyObject* dict, const Items& items) noexcept {
        if (options.duplicate_keys == DuplicateKeys::kLast) return dict;
        Py_DECREF(dict);
        if (options.duplicate_keys == DuplicateKeys::kError) return refuse(Error::kDuplicateKey);
        Owned first_ones = Owned::steal(PyDict_New());
        for (std::size_t i = 0; first_ones && i < items.count; ++i)
            if (!PyDict_SetDefault(first_ones.get(), items.key(i), items.value(i))) return nullptr;
        return first_ones.release();
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
        if (options.duplicate_keys == DuplicateKeys::kError && n > 1 && !Owned::steal(dict_of({pairs, 2, pairs + 1, 2, n}, true)))
            return nullptr;
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
        if (node->leaf.ended && !node->leaf.keys && !settle(context.shape_budget, node, constants.tricks.keys_table)) return nullptr;
        node->leaf.ended = 1;
        PyObject* of_steps[ShapeTree::kMaxKeys];
        PyObject* const* keys = node->leaf.keys;
        if (!keys) {
            ShapeNode* step = node;
            for (std::size_t i = n; i-- > 0; step = step->parent) of_steps[i] = step->leaf.key;
            keys = of_steps;
        }
        PyObject* dict = dict_of({keys, 1, values, 1, n}, has_container);
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

    static bool is_unsigned_64(const Unit* first, const Unit* last) noexcept {
        constexpr char kGreatest[] = "18446744073709551615";
        constexpr std::ptrdiff_t kDigits = sizeof kGreatest - 1;
        if (*first == '-' || last - first > kDigits) return false;
        return last - first < kDigits || !std::lexicographical_compare(kGreatest, kGreatest + kDigits, first, last);
    }

    // What the policy for big integers makes of one of 64 bits, or of any.
    OCIOR_NOINLINE PyObject* big_integer(std::uint64_t magnitude, bool negative, const Unit* first, const Unit* last) noexcept {
        if (options.big_integers != BigIntegers::kFloat) return big_integer(first, last);
        const auto value = static_cast<double>(magnitude);
        return new_float(negative ? -value : value);
    }
    OCIOR_NOINLINE PyObject* big_integer(const Unit* first, const Unit* last) noexcept {
        if (options.big_integers == BigIntegers::kStr) return ascii_str(first, last);
        if (options.big_integers == BigIntegers::kError) return refuse(Error::kIntegerOutOfRange);
        const AsciiCopy copy(first, last);
        return copy.text ? new_float(PyOS_string_to_double(copy.text, nullptr, nullptr)) : PyErr_NoMemory();
    }
    // An integer of at most kWordPairDigits, which PyLong_FromString takes more than twice as long for.
    static constexpr std::ptrdiff_t kWordPairDigits = 38;
    static PyObject* int_of_word_pair(const Unit* digits, const Unit* last, bool is_negative) noexcept {
        constexpr std::ptrdiff_t kWordDigits = kWordPairDigits / 2;
        constexpr std::uint64_t k1e19 = 10000000000000000000ull;
        static_assert(k1e19 % 1000000000 == 0 && ~std::uint64_t{0} / 10 < k1e19);  // the largest power of ten in a word
        static_assert(static_cast<uint128>(k1e19) * k1e19 >> 127 == 0);
        const auto word_of = [](const Unit* p, const Unit* end) {
            std::uint64_t word = 0;
            for (; p < end; ++p) word = 10 * word + static_cast<std::uint64_t>(*p - '0');
            return word;
        };
        const Unit* const middle = last - digits > kWordDigits ? last - kWordDigits : digits;
        const uint128 magnitude = static_cast<uint128>(word_of(digits, middle)) * k1e19 + word_of(middle, last);
        const uint128 value = is_negative ? 0 - magnitude : magnitude;
        return _PyLong_FromByteArray(reinterpret_cast<const unsigned char*>(&value), sizeof value, PY_LITTLE_ENDIAN, true);
    }
    OCIOR_NOINLINE PyObject* big_int(const Unit* first, const Unit* last) noexcept {
        if (options.big_integers != BigIntegers::kExact && (options.first_big_integer != Options::kNoLimit || !is_unsigned_64(first, last)))
            return big_integer(first, last);
        const Unit* const digits = first + (*first == '-');
        if (last - digits <= kWordPairDigits) return int_of_word_pair(digits, last, digits != first);
        const AsciiCopy copy(first, last);
        if (!copy.text) return PyErr_NoMemory();
        PyObject* value = PyLong_FromString(copy.text, nullptr, 10);  // looks for signals: handlers may run
        context.allocator.refresh(constants.tricks, options.has_hooks());
        return value;
    }

    OCIOR_NOINLINE PyObject* new_decimal(const Unit* first, const Unit* last) noexcept {
        num::Digits digits;
        static_assert(num::Digits::kMostWords == Decimals::kMostWords);
        if (OCIOR_LIKELY(num::read_digits(first, last, digits)))
            return options.decimals->new_decimal(context.allocator, digits.negative, digits.words, digits.word_count, digits.digit_count,
                                                 digits.exponent);
        PyObject* const number = call_with_text(options.decimals->type(), first, last);
        context.allocator.refresh(constants.tricks, options.has_hooks());
        return number;
    }

    static PyObject* ascii_str(const Unit* first, const Unit* last) noexcept {
        const auto n = static_cast<std::size_t>(last - first);
        PyObject* const text = PyUnicode_New(static_cast<Py_ssize_t>(n), 0x7f);
        if (!text) return nullptr;
        for (std::size_t i = 0; i < n; ++i) PyUnicode_1BYTE_DATA(text)[i] = static_cast<std::uint8_t>(first[i]);
        return text;
    }

    OCIOR_NOINLINE PyObject* call_with_text(PyObject* hook, const Unit* first, const Unit* last) noexcept {
        const Owned text = Owned::steal(ascii_str(first, last));
        return text ? call_hook(hook, text.get()) : nullptr;
    }
};

}  // namespace ocior::decode
