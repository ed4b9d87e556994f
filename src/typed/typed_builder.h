// Objects of declared types out of what the grammar reads. Each event looks at the Node that is expected; what is plain becomes what
// loads() makes of it, inline. All else is done by functions of strings.cpp, numbers.cpp, whole.cpp, containers.cpp and unions.cpp. At the
// first value of a wrong type the reading goes on without calling code of the user, and collects what else is wrong (problems.cpp).
#pragma once

#include "decode/containers.h"
#include "decode/item_runs.h"
#include "decode/py_builder.h"
#include "typed/session.h"

namespace ocior::typed {

using decode::Asked;
using decode::PyCall;
using decode::Read;

// What is wrong with a value.
enum class Code : std::uint8_t {
    kType,
    kMissing,
    kUnknown,
    kValue,
    kChoice,
    kTag,
    kLength,
    kGt,
    kGe,
    kLt,
    kLe,
    kMultipleOf,
    kMinLength,
    kMaxLength,
    kPattern,
    kTz,
    kKey,
    kDuplicate,
    kRange,
    kHook
};

template <typename SourceType>
struct TypedBuilder : PyCall<SourceType> {
    using Source = SourceType;
    using Unit = typename Source::Unit;
    using Value = PyObject*;
    using Frame = typed::Frame;
    using PyCall<Source>::context, PyCall<Source>::constants, PyCall<Source>::options;

    Session& session;

    TypedBuilder(Text<Source> document, const decode::Options& keywords, const Constants& objects, decode::Context& memory,
                 Session& reading) noexcept
        : PyCall<Source>(document, keywords, objects, memory), session(reading) {
        this->checks_skipped = reading.is_exacting;
    }

    struct Cursor {
        PyObject** values;  // the value stack's block, its first free place, and where it is full
        PyObject** top;
        PyObject** limit;
        PyObject** slot;   // on the stack: where the next value goes; null: on top
        const Node* node;  // what is expected
    };

    // ---- events ----

    OCIOR_INLINE Frame* begin(Cursor& cursor) noexcept {
        cursor.values = cursor.top = nullptr;
        if (!context.values.reserve(64) || !session.memory.frames.reserve(16)) return nullptr;
        look_again(cursor, 0);
        cursor.slot = nullptr;
        cursor.node = session.plan.root;
        context.allocator.collector.begin(constants.tricks);
        Frame* const frame = session.memory.frames.data();
        *frame = {Inside::kNothing, false, 0, Frame::kNoSlot, nullptr, {nullptr}, nullptr, nullptr, nullptr};
        session.depth = 0;
        return frame;
    }
    OCIOR_INLINE PyObject* finish(Cursor& cursor) noexcept {
        context.allocator.settle();
        return *cursor.values;
    }
    OCIOR_COLD void drop(Cursor cursor) noexcept {
        if (this->error == Error::kNone) this->fail_python(nullptr);
        while (cursor.top != cursor.values) Py_XDECREF(*--cursor.top);
        context.allocator.give_back();
    }

    OCIOR_INLINE bool takes_whole(Cursor& cursor, const Unit* p, std::size_t depth) noexcept {
        session.bracket = p;
        const Node& node = *cursor.node;
        if (*p == '[') return OCIOR_UNLIKELY(!node.array);
        if (OCIOR_UNLIKELY(!node.object)) return true;
        return OCIOR_UNLIKELY(node.object->kind == ObjectKind::kUnion) && !choose_member(*this, *node.object, p, depth);
    }
    OCIOR_INLINE PyObject* whole(Cursor& cursor, const Unit*& p, std::size_t depth) noexcept {
        const Read<Unit> read = read_whole(*this, cursor, p, depth);
        p = read.next;
        return read.object;
    }

    OCIOR_INLINE Frame* enter_array(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        frame = enter(cursor, frame, depth);
        if (OCIOR_UNLIKELY(!frame)) return nullptr;
        frame->inside = Inside::kArray;
        frame->array = cursor.node->array;
        cursor.slot = nullptr;
        // Defaults are put behind what comes.
        if (OCIOR_UNLIKELY(frame->array->room > 0) && static_cast<std::size_t>(cursor.limit - cursor.top) <= frame->array->room &&
            !make_room(cursor, frame->array->room + 2, static_cast<const Unit*>(session.bracket)))
            return nullptr;
        cursor.node = frame->array->first;
        return frame;
    }
    OCIOR_INLINE Frame* enter_object(Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        frame = enter(cursor, frame, depth);
        if (OCIOR_UNLIKELY(!frame)) return nullptr;
        const ObjectPlan* plan = cursor.node->object;
        if (OCIOR_UNLIKELY(plan->kind == ObjectKind::kUnion)) plan = session.member;
        frame->inside = Inside::kObject;
        frame->object = plan;
        cursor.slot = nullptr;
        if (OCIOR_UNLIKELY(plan->kind == ObjectKind::kDict)) {
            frame->at = nullptr;
            cursor.node = plan->value;
            return frame;
        }
        FieldTrie* const trie = session.memory.trie(plan->index, Source::kIndex);
        frame->at = OCIOR_LIKELY(trie != nullptr) ? trie->root() : nullptr;
        return open_slots(cursor, plan->slot_count) ? frame : nullptr;
    }

    OCIOR_INLINE PyObject* string(Cursor& cursor, const Unit*& p) noexcept {
        if (OCIOR_LIKELY(cursor.node->plain & Node::kString)) {
            const Read<Unit> read = this->checked(decode::read_string(*this, p), p);
            p = read.next;
            return read.object;
        }
        const Read<Unit> read = read_typed_string(*this, cursor.node, cursor.top, p);
        p = read.next;
        return read.object;
    }

    OCIOR_INLINE Key key(Cursor& cursor, Frame& frame, const Unit*& p) noexcept {
        frame.key_at = p;
        FieldNode* const predicted = frame.at ? frame.at->predicted : nullptr;
        if (OCIOR_LIKELY(predicted && predicted->matches(p, this->text.last))) {
            frame.at = predicted;
            p += predicted->raw_len / sizeof(Unit);
            cursor.node = predicted->leaf.node;
            cursor.slot = cursor.values + frame.base + predicted->leaf.slot;
            return OCIOR_LIKELY(predicted->leaf.slot >= 0) ? Key::kWanted : Key::kUnwanted;
        }
        const NextField next = next_field(*this, cursor, frame, p);
        p = next.next;
        cursor = next.cursor;
        return next.key;
    }

    OCIOR_INLINE PyObject* word(Cursor& cursor, Word word, const Unit* first) noexcept {
        if (OCIOR_LIKELY(cursor.node->plain >> word & 1)) return new_constant(constants.words[word]);
        return take_word(*this, cursor.node, cursor.top, word, first);
    }
    OCIOR_INLINE PyObject* integer(Cursor& cursor, std::uint64_t magnitude, bool negative, const Unit* first, const Unit* last) noexcept {
        if (OCIOR_LIKELY(cursor.node->plain & Node::kInteger))
            return decode::new_integer<Asked::kAnything>(*this, magnitude, negative, first, last);
        num::Number number{num::NumberKind::kInt64, {static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude)}};
        return take_number(*this, cursor.node, cursor.top, number, first, last);
    }
    OCIOR_INLINE PyObject* real(Cursor& cursor, double value, const Unit* first, const Unit* last) noexcept {
        if (OCIOR_LIKELY(cursor.node->plain & Node::kReal)) return decode::new_float(*this, value);
        num::Number number{num::NumberKind::kFloat64, {0}};
        number.d = value;
        return take_number(*this, cursor.node, cursor.top, number, first, last);
    }
    OCIOR_INLINE PyObject* number(Cursor& cursor, const num::Number& number, const Unit* first, const Unit* last) noexcept {
        return take_number(*this, cursor.node, cursor.top, number, first, last);
    }
    OCIOR_INLINE PyObject* non_finite(Cursor& cursor, NonFinite which, const Unit* first) noexcept {
        return take_non_finite(*this, cursor.node, cursor.top, which, first);
    }

    OCIOR_INLINE bool integer_run(Cursor& cursor, const Unit*& p, PyObject*& last) noexcept {
        if (OCIOR_LIKELY(!decode::begins_integer_run(p))) return true;
        if (!(cursor.node->plain & Node::kInteger) || cursor.node->next != cursor.node) return true;
        const auto run = decode::read_integer_run<Asked::kAnything>(*this, p, cursor.top, cursor.limit);
        cursor.top = run.top;
        if (OCIOR_UNLIKELY(!run.p)) return false;
        last = run.last;
        if (last) p = run.p;
        return true;
    }

    OCIOR_INLINE bool push(Cursor& cursor, PyObject* value, const Unit* p) noexcept {
        if (cursor.slot) {
            if (OCIOR_UNLIKELY(*cursor.slot != nullptr)) return push_again(*this, cursor.slot, value, cursor.top);
            *cursor.slot = value;
            return true;
        }
        *cursor.top++ = value;
        cursor.node = cursor.node->next;
        return OCIOR_LIKELY(cursor.top < cursor.limit) || make_room(cursor, 2, p);
    }

    OCIOR_INLINE PyObject* close_array(Cursor& cursor, Frame& frame) noexcept {
        PyObject** const first = cursor.values + frame.base;
        const auto n = static_cast<std::size_t>(cursor.top - first);
        PyObject* array;
        if (OCIOR_LIKELY(frame.outer->plain & Node::kList)) array = list_from(constants.tricks, context.allocator, first, n);
        else array = make_array(*this, frame, cursor.top);
        if (OCIOR_UNLIKELY(!array)) return nullptr;
        leave(cursor, frame, first);
        return array;
    }
    OCIOR_INLINE PyObject* close_object(Cursor& cursor, Frame& frame) noexcept {
        PyObject** const first = cursor.values + frame.base;
        PyObject* const object =
            frame.object->kind == ObjectKind::kDict ? make_dict(*this, frame, cursor.top) : make_object(*this, frame, cursor.top);
        if (OCIOR_UNLIKELY(!object)) return nullptr;
        leave(cursor, frame, first);
        return object;
    }

    // ---- what the events share with the functions below ----

    struct NextField {
        Key key;
        const Unit* next;
        Cursor cursor;
    };

    // Places for a class's values, null until they come. False when out of memory.
    OCIOR_INLINE bool open_slots(Cursor& cursor, std::size_t count) noexcept {
        if (OCIOR_UNLIKELY(static_cast<std::size_t>(cursor.limit - cursor.top) <= count) &&
            !make_room(cursor, count + 2, static_cast<const Unit*>(session.bracket)))
            return false;
        for (std::size_t i = 0; i < count; ++i) cursor.top[i] = nullptr;
        cursor.top += count;
        return true;
    }
    OCIOR_NOINLINE bool make_room(Cursor& cursor, std::size_t count, const Unit* p) noexcept {
        const auto used = static_cast<std::size_t>(cursor.top - cursor.values);
        const std::size_t slot = cursor.slot ? static_cast<std::size_t>(cursor.slot - cursor.values) : Frame::kNoSlot;
        context.progress.reached = p;
        if (!PyCall<Source>::make_room(used + count, p)) return false;
        look_again(cursor, used);
        cursor.slot = slot == Frame::kNoSlot ? nullptr : cursor.values + slot;
        return true;
    }

private:
    OCIOR_INLINE void look_again(Cursor& cursor, std::size_t used) noexcept {
        cursor.values = context.values.data();
        cursor.top = cursor.values + used;
        cursor.limit = cursor.values + context.values.capacity() - 2;
    }

    OCIOR_INLINE Frame* enter(const Cursor& cursor, Frame* frame, std::size_t depth) noexcept {
        frame->holds_containers = true;
        if (OCIOR_UNLIKELY(depth == session.memory.frames.capacity())) {
            if (!session.memory.frames.reserve(depth + 1)) return nullptr;
            frame = session.memory.frames.data() + depth - 1;
        }
        ++frame;
        frame->holds_containers = false;
        frame->base = static_cast<std::size_t>(cursor.top - cursor.values);
        frame->outer_slot = cursor.slot ? static_cast<std::size_t>(cursor.slot - cursor.values) : Frame::kNoSlot;
        frame->outer = cursor.node;
        frame->key_at = nullptr;
        frame->start = session.bracket;
        session.depth = depth;
        return frame;
    }
    OCIOR_INLINE void leave(Cursor& cursor, const Frame& frame, PyObject** top) noexcept {
        cursor.top = top;
        cursor.node = frame.outer;
        cursor.slot = OCIOR_LIKELY(frame.outer_slot == Frame::kNoSlot) ? nullptr : cursor.values + frame.outer_slot;
        --session.depth;
    }
};

// Ends the reading: an exception is set, or there was no memory for what has none. Returns null.
template <typename Source>
PyObject* end_reading(TypedBuilder<Source>& builder) noexcept {
    return builder.fail_python(nullptr).object;
}

// The functions behind the events. Where one fails, the builder's error says why, or an exception is set. `top`: of the value stack.

// Values that are not plain: what the node makes of them, or None where a problem was found. A new reference; null: the reading ends.
template <typename Source>
Read<typename Source::Unit> read_typed_string(TypedBuilder<Source>& builder, const Node* node, PyObject** top,
                                              const typename Source::Unit* p) noexcept;
template <typename Source>
PyObject* take_word(TypedBuilder<Source>& builder, const Node* node, PyObject** top, Word word,
                    const typename Source::Unit* first) noexcept;
template <typename Source>
PyObject* take_number(TypedBuilder<Source>& builder, const Node* node, PyObject** top, const num::Number& number,
                      const typename Source::Unit* first, const typename Source::Unit* last) noexcept;
template <typename Source>
PyObject* take_non_finite(TypedBuilder<Source>& builder, const Node* node, PyObject** top, NonFinite which,
                          const typename Source::Unit* first) noexcept;
// An array or object at `p` that is no list of nodes: of any type, of none that is taken, or of text alone.
template <typename Source>
Read<typename Source::Unit> read_whole(TypedBuilder<Source>& builder, const typename TypedBuilder<Source>::Cursor& cursor,
                                       const typename Source::Unit* p, std::size_t depth) noexcept;

// The next key of an object, where it is none that was predicted.
template <typename Source>
typename TypedBuilder<Source>::NextField next_field(TypedBuilder<Source>& builder, typename TypedBuilder<Source>::Cursor cursor,
                                                    Frame& frame, const typename Source::Unit* p) noexcept;
// A value for a place that has one.
template <typename Source>
bool push_again(TypedBuilder<Source>& builder, PyObject** slot, PyObject* value, PyObject** top) noexcept;

// What becomes of the values between frame.base and `top`, which are taken over; where the functions fail, those that are not null are the
// caller's still.
template <typename Source>
PyObject* make_array(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top) noexcept;
template <typename Source>
PyObject* make_dict(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top) noexcept;
template <typename Source>
PyObject* make_object(TypedBuilder<Source>& builder, const Frame& frame, PyObject** top) noexcept;

// Finds out which member of a union the object at `p` is, for session.member. False where it is none, or the reading has to end.
template <typename Source>
bool choose_member(TypedBuilder<Source>& builder, const ObjectPlan& plan, const typename Source::Unit* p, std::size_t depth) noexcept;

// Notes a problem of the value in [first, last), or of one that begins at `first` where `last` is null. Returns None, or null where the
// reading ends. `detail`: what was expected, or null for what the node says; `got`: what is there instead. `levels`: how many of the open
// containers lead to it, kAllLevels for all.
inline constexpr std::size_t kAllLevels = ~std::size_t{0};
template <typename Source>
OCIOR_COLD PyObject* note_problem(TypedBuilder<Source>& builder, Code code, PyObject** top, const typename Source::Unit* first,
                                  const typename Source::Unit* last, PyObject* expected, const char* got, Owned cause = {},
                                  std::size_t levels = kAllLevels) noexcept;

// Notes the exception that is set, which code of the user has raised, as a problem "hook"; or leaves it set where it is none that says that
// a value is wrong, and returns null.
template <typename Source>
OCIOR_COLD PyObject* note_exception(TypedBuilder<Source>& builder, PyObject** top, const typename Source::Unit* first,
                                    const typename Source::Unit* last, Code code = Code::kHook, PyObject* expected = nullptr,
                                    std::size_t levels = kAllLevels) noexcept;

// What `hook` makes of `value`, which is taken over.
template <typename Source>
PyObject* apply_typed_hook(TypedBuilder<Source>& builder, PyObject* hook, PyObject* value, PyObject** top,
                           const typename Source::Unit* first, const typename Source::Unit* last, std::size_t levels = kAllLevels) noexcept;

}  // namespace ocior::typed
