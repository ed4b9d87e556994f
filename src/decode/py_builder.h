// Python objects out of what the grammar reads: what each event becomes, and where it lies meanwhile. Values are pushed on one value stack;
// a closing bracket builds its container at the exact size.
#pragma once

#include "decode/containers.h"
#include "decode/early.h"
#include "decode/item_runs.h"
#include "decode/keys.h"
#include "decode/numbers.h"
#include "decode/strings.h"

namespace ocior::decode {

template <typename Source, Asked kAsked>
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
        while (cursor.top != cursor.values) early::drop_value(*--cursor.top);
        context.allocator.give_back();
    }

    OCIOR_INLINE Frame* enter_array(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        const unsigned room = frame->node ? frame->node->leaf.list_room : context.list_rooms[depth % Context::kListDepths];
        frame = enter(cursor, frame, depth, nullptr, Inside::kArray);
        if constexpr (kMakesEarly)
            if (OCIOR_UNLIKELY(room) && OCIOR_LIKELY(frame))
                return goes_on_at(cursor, early::begin_list(context, *frame, room, cursor.top, cursor.limit)) ? frame : nullptr;
        return frame;
    }
    OCIOR_INLINE Frame* enter_object(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        frame = enter(cursor, frame, depth, cursor.root, Inside::kObject);
        if constexpr (kMakesEarly)
            if (OCIOR_LIKELY(frame) && OCIOR_UNLIKELY(frame->found_at->leaf.nest_inside))
                return goes_on_at(cursor, early::begin_dict(context, *frame, cursor.top, cursor.limit)) ? frame : nullptr;
        return frame;
    }

    OCIOR_INLINE PyObject* string(Cursor&, const Unit*& p) noexcept {
        // What is short in text of wide units is read by read_string without a look at it.
        const bool looks_for_surrogates =
            kAsked == Asked::kAnything && sizeof(Unit) > 1 && OCIOR_UNLIKELY(options.surrogates != Surrogates::kKeep);
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

    OCIOR_INLINE PyObject* word(Cursor&, Word word, const Unit*) noexcept { return new_constant(constants.words[word]); }

    OCIOR_INLINE void word_run(Cursor& cursor, const Unit*& p, PyObject*& last) noexcept {
        const auto run = read_word_run(constants, p, cursor.top, cursor.limit, last);
        p = run.p;
        cursor.top = run.top;
        last = run.last;
    }

    OCIOR_INLINE bool integer_run(Cursor& cursor, const Unit*& p, PyObject*& last) noexcept {
        if (OCIOR_LIKELY(!begins_integer_run(p))) return true;
        const auto run = read_integer_run<kAsked>(*this, p, cursor.top, cursor.limit);
        cursor.top = run.top;
        if (OCIOR_UNLIKELY(!run.p)) return false;
        last = run.last;
        if (last) p = run.p;
        return true;
    }

    OCIOR_INLINE PyObject* integer(Cursor&, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* last) noexcept {
        return decode::new_integer<kAsked>(*this, magnitude, negative, first, last);
    }
    OCIOR_INLINE PyObject* real(Cursor&, double value, const Unit* first, const Unit* last) noexcept {
        return new_real<kAsked>(*this, value, first, last);
    }
    OCIOR_INLINE PyObject* number(Cursor&, const num::Number& number, const Unit* first, const Unit* last) noexcept {
        return new_number<kAsked>(*this, number, first, last);
    }
    OCIOR_INLINE PyObject* non_finite(Cursor&, NonFinite which, const Unit*) noexcept { return new_non_finite<kAsked>(*this, which); }

    // As a part of the parser for which nothing is asked it cost all documents 1 %.
    OCIOR_INLINE PyObject* loose_word(Cursor&, const Unit*& p) noexcept
        requires(kAsked == Asked::kAnything)
    {
        return new_loose_word(*this, p);
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
            if (PyObject* const list = new_list_of_stack<kAsked>(*this, n); OCIOR_LIKELY(list != nullptr)) {
                look_again(cursor, 0);
                return list;
            }
        }
        if constexpr (kMakesEarly) {
            if (frame.traits != 0) early::note_nest(frame);
            if (OCIOR_UNLIKELY(frame.traits >= Frame::kHoldsNests)) {
                PyObject* const list = early::close_list(*this, frame, cursor.top - n, n);
                if (OCIOR_LIKELY(list != nullptr)) cursor.top -= n + early::slots_of(frame);
                return list;
            }
        }
        PyObject* const list = new_list_of<kAsked>(*this, cursor.top - n, n);
        if (OCIOR_LIKELY(list != nullptr)) cursor.top -= n;
        return list;
    }

    OCIOR_INLINE PyObject* close_object(Cursor& cursor, Frame& frame) noexcept {
        const auto n = static_cast<std::size_t>(cursor.top - (cursor.values + frame.base));
        if constexpr (kMakesEarly) {
            early::note_nest(frame);
            if (OCIOR_UNLIKELY(frame.traits >= Frame::kHoldsNests)) {
                PyObject* const dict = early::close_dict(*this, frame, cursor.top - n, n);
                if (OCIOR_LIKELY(dict != nullptr)) cursor.top -= n + early::slots_of(frame);
                return dict;
            }
        }
        PyObject* const dict = new_dict_of<kAsked>(*this, frame, cursor.top - n, n);
        if (OCIOR_LIKELY(dict != nullptr)) cursor.top -= n;
        return dict;
    }

private:
    // Whether containers may be made when they begin (early.h).
    static constexpr bool kMakesEarly = kAsked == Asked::kNothing && layout::kMayPlantKeysTable;

    static OCIOR_INLINE bool goes_on_at(Cursor& cursor, PyObject** top) noexcept {
        if (OCIOR_UNLIKELY(!top)) return false;
        cursor.top = top;
        return true;
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
};

}  // namespace ocior::decode
