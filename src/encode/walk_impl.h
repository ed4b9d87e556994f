// The body of walk(), included by the files that instantiate it.
#pragma once

#include "encode/walk.h"
#include "encode/writer_items.h"
#include "py/fetch.h"

namespace ocior::encode {

// Before 3.14 json indents a dict none of whose keys is written as if one were.
inline constexpr bool kLineInEmptyDict = PY_VERSION_HEX < 0x030E0000;

template <Mode mode, CodeUnit Unit, Spacing spacing>
Step walk(Call& call) noexcept {
    using Out = Writer<mode, Unit, spacing>;
    constexpr bool kMayWiden = Out::kMayWiden, kHasLines = Out::kHasLines, kFixed = Out::kFixed;
    Out out(call);
    const Options& options = call.options;
    const Tricks& tricks = call.constants.tricks;
    Unit* at = out.start() + call.used;
    PyObject* value = nullptr;
    PyObject* key;
    PyObject* held = nullptr;  // owned while the item is written: without a GIL, and where its key's text is Python code's
    PyObject* held_key = nullptr;
    // All of these are inlined: a variable whose address a lambda has taken with it lives in memory.
    const auto release = [&]() OCIOR_INLINE_LAMBDA {
        Py_XDECREF(held);
        Py_XDECREF(held_key);
        held = held_key = nullptr;
    };
    ListRun list_run;  // of the list, or the dict, that is being read
    DictRun dict_run;
    // The same of the container that holds the one being read, where that has no frame: its own frame is not up to date then.
    ListRun outer_list_run;
    DictRun outer_dict_run;
    enum : std::uint8_t { kInFrame, kInList, kInDict } outer = kInFrame;
    bool is_list;
    bool wrote_item;
    const auto container = [&]() OCIOR_INLINE_LAMBDA { return call.deferred ? call.deferred : call.top().iterated; };
    // Where the parent of a container without a frame stands, and its frame may not; negative where it does.
    const auto outer_position = [&]() OCIOR_INLINE_LAMBDA {
        Py_ssize_t position = -1;
        if (outer == kInList) position = outer_list_run.position();
        else if (outer == kInDict) position = outer_dict_run.position();
        outer = kInFrame;
        return position;
    };
    const auto leave_list = [&]() OCIOR_INLINE_LAMBDA {
        return call.leave(FrameKind::kList, list_run.position(), true, outer_position(), out.item_offset());
    };
    const auto leave_dict = [&](bool wrote) OCIOR_INLINE_LAMBDA {
        return call.leave(FrameKind::kDict, dict_run.position(), wrote, outer_position(), out.item_offset());
    };
    // Whether `value` is a container that may begin without a frame.
    const auto may_defer = [&]() OCIOR_INLINE_LAMBDA {
        PyTypeObject* const type = Py_TYPE(value);
        return (type == &PyList_Type || (type == &PyDict_Type && !options.sort_keys)) && call.may_defer(out.offset(at));
    };
    // Whether a container without a frame will be written again, at a wider unit, as the item it is of its parent.
    const auto rolls_back = [&]() OCIOR_INLINE_LAMBDA { return kMayWiden && call.deferred && call.wanted_width > sizeof(Unit); };

    // Enters the top frame, again or for the first time.
resume:
    switch (call.top().kind) {
        case FrameKind::kList: goto in_list;
        case FrameKind::kDict: goto in_dict;
        case FrameKind::kTuple: goto in_tuple;
        case FrameKind::kItems: goto in_items;
        case FrameKind::kSingle: goto in_single;
        case FrameKind::kText: goto in_text;
        case FrameKind::kIterator: goto in_iterator;
    }

in_list:
    list_run = ListRun(call.top().iterated, call.top().position);
list_items:
    // As long as only scalars of built-in types come, no Python code runs and nothing is read twice.
    for (;;) {
        if (!out.has_item_room(at) && !(at = out.grow_or_flush(at, Out::kItemRoom))) goto stopped_in_list;
        if constexpr (kMayWiden) out.note_item(at);
        PyObject* item;
        if (!list_run.next(item)) {
            is_list = true;
            wrote_item = call.deferred || call.top().position != 0 || list_run.position() != 0;
            goto close_container;
        }
        if constexpr (!layout::kHasGil) held = item;
        if constexpr (kHasLines) {
            at = out.put_line(at);
            if (OCIOR_UNLIKELY(!at)) goto stopped_in_list;
        }
        bool scalar;
        Unit* next = out.put_item(at, item, scalar,
                                  [&](Unit* to, PyObject* number) OCIOR_INLINE_LAMBDA { return out.put_float_items(to, number, list_run); },
                                  [&](Unit* end) OCIOR_INLINE_LAMBDA { return out.put_constants(end, list_run); });
        if (OCIOR_UNLIKELY(!scalar)) {
            value = item;
            if (!(next = out.put_if_empty(at, item))) break;
            next = out.put_item_separator(next);
        }
        at = next;
        if (OCIOR_UNLIKELY(!at)) {
            value = item;
            goto stopped_in_list;
        }
        if constexpr (!layout::kHasGil) release();
    }
    list_run.prefetch_lists();
    if (OCIOR_LIKELY(may_defer())) {
        if (Unit* const behind = out.put_points(at, list_run)) {
            at = behind;
            goto list_items;
        }
        if (call.deferred && OCIOR_UNLIKELY(!leave_list())) goto stopped;
        outer = kInList;
        outer_list_run = list_run;
        goto write_deferred;
    }
    if (OCIOR_UNLIKELY(!leave_list())) goto stopped;
    goto write_container;

stopped_in_list:
    if (!rolls_back()) (void)leave_list();
    goto stopped;

in_dict:
    dict_run = DictRun(tricks, call.top().iterated, call.top().position);
    wrote_item = call.top().wrote_item;
dict_items:
    for (;;) {
        if (!out.has_item_room(at) && !(at = out.grow_or_flush(at, Out::kItemRoom))) {
            (void)leave_dict(wrote_item);
            goto stopped;
        }
        if constexpr (kMayWiden) out.note_item(at);
        PyObject *name, *item;
        if (!dict_run.next(container, name, item)) {
            is_list = false;
            goto close_container;
        }
        if constexpr (!layout::kHasGil) {
            held = item;
            held_key = name;
        }
        if (OCIOR_UNLIKELY(!PyUnicode_CheckExact(name))) {
            key = name;
            value = item;
            if (OCIOR_UNLIKELY(!leave_dict(wrote_item))) goto stopped;
            goto write_key;
        }
        wrote_item = true;
        if constexpr (kHasLines) {
            at = out.put_line(at);
            if (OCIOR_UNLIKELY(!at)) goto stopped_in_dict;
        }
        at = out.put_key(at, name);
        if (OCIOR_UNLIKELY(!at)) goto stopped_in_dict;
        bool scalar;
        Unit* next = out.put_item(at, item, scalar);
        if (OCIOR_UNLIKELY(!scalar)) {
            value = item;
            if (!(next = out.put_if_empty(at, item))) break;
            next = out.put_item_separator(next);
        }
        at = next;
        if (OCIOR_UNLIKELY(!at)) {
            value = item;
            goto stopped_in_dict;
        }
        if constexpr (!layout::kHasGil) release();
    }
    if (OCIOR_LIKELY(may_defer())) {
        if (call.deferred && OCIOR_UNLIKELY(!leave_dict(true))) goto stopped;
        outer = kInDict;
        outer_dict_run = dict_run;
        goto write_deferred;
    }
    if (OCIOR_UNLIKELY(!leave_dict(true))) goto stopped;
    goto write_container;

stopped_in_dict:
    if (!rolls_back()) (void)leave_dict(true);
    goto stopped;

in_tuple: {
    at = out.ensure_between(at);
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if constexpr (kMayWiden) out.note_item(at);
    Frame& frame = call.top();
    if (frame.position >= PyTuple_GET_SIZE(frame.iterated)) {
        is_list = wrote_item = true;
        goto close_container;
    }
    value = PyTuple_GET_ITEM(frame.iterated, frame.position++);
    frame.wrote_item = true;
    at = out.put_line(at);
    if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
    goto write_value;
}

in_items: {
    at = out.ensure_between(at);
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if constexpr (kMayWiden) out.note_item(at);
    Frame& frame = call.top();
    if (frame.position >= PyList_GET_SIZE(frame.iterated)) {
        is_list = false;
        wrote_item = frame.wrote_item;
        goto close_container;
    }
    PyObject* pair = PyList_GET_ITEM(frame.iterated, frame.position++);
    if (OCIOR_UNLIKELY(!PyTuple_Check(pair) || PyTuple_GET_SIZE(pair) != 2)) {
        PyErr_SetString(PyExc_ValueError, "items must return 2-tuples");
        goto stopped;
    }
    key = PyTuple_GET_ITEM(pair, 0);
    value = PyTuple_GET_ITEM(pair, 1);
    goto write_key;
}

in_single: {
    at = out.ensure_between(at);
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if constexpr (kMayWiden) out.note_item(at);
    Frame& frame = call.top();
    if (frame.position) {
        call.close();
        if (call.depth) goto resume;
        call.used = out.offset(at) - out.item_separator_length();  // behind the root, too, one was written
        return Step::kDone;
    }
    frame.position = 1;
    value = frame.iterated;
    goto write_value;
}

in_iterator: {
    at = out.ensure_between(at);
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if constexpr (kMayWiden) out.note_item(at);
    call.pin();  // Python code comes
    value = call.put_back ? std::exchange(call.put_back, nullptr) : PyIter_Next(call.top().iterated);
    if (!value) {
        if (PyErr_Occurred()) {
            call.failed_in_key = true;
            goto stopped;
        }
        is_list = true;
        wrote_item = call.top().wrote_item;
        goto close_container;
    }
    held = value;
    ++call.top().position;
    call.top().wrote_item = true;
    at = out.put_line(at);
    if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
    goto write_value;
}

in_text: {
    at = out.ensure_text_piece(at);
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    at = out.put_text_piece(at, call.top());
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if (call.top().position < PyUnicode_GET_LENGTH(call.top().iterated)) goto in_text;
    at = out.put(at, '"');
    call.close();
    goto value_done;
}

write_key: {
    Owned text;
    if (!PyUnicode_Check(key)) {
        if constexpr (layout::kHasGil) {
            held = new_ref(value);
            held_key = new_ref(key);
            call.pin();
        }
        text = key_text(call, key);
        if (!text) {
            if (PyErr_Occurred()) {
                call.failed_in_key = true;
                goto stopped;
            }
            release();
            goto resume;  // skipkeys
        }
        key = text.get();
    }
    call.top().wrote_item = true;
    at = out.put_line(at);
    if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
    at = OCIOR_LIKELY(PyUnicode_CheckExact(key)) ? out.put_key(at, key) : out.put_any_key(at, key);
    if (OCIOR_UNLIKELY(!at)) goto stopped;
}

write_value: {
    bool scalar;
    Unit* next = out.put_item(at, value, scalar);
    if (scalar) {
        at = next;
        goto item_done;
    }
}
    goto write_container;

write_deferred:
    call.deferred = value;
    ++call.level;
    if constexpr (kMayWiden) out.note_outer_item();
    if (Py_TYPE(value) == &PyDict_Type) {
        at = out.put(at, '{');
        dict_run = DictRun(tricks, value, 0);
        wrote_item = false;
        goto dict_items;
    }
    at = out.put(at, '[');
    list_run = ListRun(value, 0);
    goto list_items;

    // Containers, and types that are not exactly the built-in ones.
write_container: {
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyDict_Type) {
        if (PyDict_GET_SIZE(value) == 0) goto empty_dict;
        if (OCIOR_UNLIKELY(options.sort_keys)) goto open_items;
        if (OCIOR_LIKELY(!held && may_defer())) goto write_deferred;
        if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kDict, out.offset(at)))) goto stopped;
        at = out.put(at, '{');
        goto opened;
    }
    if (type == &PyList_Type) {
        if (PyList_GET_SIZE(value) == 0) goto empty_list;
        if (OCIOR_LIKELY(!held && may_defer())) goto write_deferred;
        if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kList, out.offset(at)))) goto stopped;
        at = out.put(at, '[');
        goto opened;
    }
    if (type == &PyTuple_Type) {
        if (PyTuple_GET_SIZE(value) == 0) goto empty_list;
        if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kTuple, out.offset(at)))) goto stopped;
        at = out.put(at, '[');
        goto opened;
    }
    Kind kind;
    kind = kind_of_subclass(value);
    if (kind == Kind::kOther && OCIOR_UNLIKELY(options.json_uses_python())) kind = call.claimed_kind(value);
    switch (kind) {
        case Kind::kStr: at = out.put_any_string(at, value, true); goto value_done;
        case Kind::kInt: at = out.put_any_int(at, value); goto value_done;
        case Kind::kFloat: at = out.put_any_float(at, value); goto value_done;
        case Kind::kSequence: {
            if (options.in_pieces) {
                const int truth = call.truth_of(value);
                if (truth == 0) goto empty_list;
                if (truth < 0 || !call.open_iterator(value, out.offset(at))) goto stopped;
                at = out.put(at, '[');
                goto opened;
            }
            if (!call.open_sequence(value, out.offset(at))) goto stopped;
            if (PyList_GET_SIZE(call.top().iterated) == 0) {
                call.close();
                goto empty_list;
            }
            at = out.put(at, '[');
            goto opened;
        }
        case Kind::kDict:
            if (!PyDict_Check(value)) goto open_claimed_items;
            if (PyDict_GET_SIZE(value) == 0) goto empty_dict;
            goto open_items;
        case Kind::kFailed: goto stopped;
        case Kind::kOther: break;
    }
    // The replacement takes the value's place: no new level, no separator of its own.
    if (!call.open_default(value, out.offset(at))) goto stopped;
    release();
    goto resume;

open_claimed_items:
    if (!call.open_items(value, out.offset(at))) goto stopped;
    if (PyList_GET_SIZE(call.top().iterated) == 0) {
        call.close();
        goto empty_dict;
    }
    at = out.put(at, '{');
    goto opened;

open_items:
    if (!call.open_items(value, out.offset(at))) goto stopped;
    at = out.put(at, '{');
    goto opened;
}

empty_dict:
    at = out.put_word(at, '{' | '}' << 8, 2);
    goto value_done;

empty_list:
    at = out.put_word(at, '[' | ']' << 8, 2);
    goto value_done;

opened:
    ++call.level;
    if (held) call.pin();  // its parent may have let go of it
    release();
    goto resume;

value_done:
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    at = out.put_item_separator(at);
item_done:
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    release();
    goto resume;

close_container: {
    // The last item's separator makes room for the bracket.
    if (OCIOR_LIKELY(wrote_item)) {
        at -= out.item_separator_length();
    } else if (kLineInEmptyDict && !is_list) {
        at = out.put_line(at);
        if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
    }
    --call.level;
    if (wrote_item || (kLineInEmptyDict && !is_list)) {
        at = out.put_line(at);
        if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
    }
    if (OCIOR_UNLIKELY(!call.deferred)) {
        call.close();
        at = out.put(at, is_list ? ']' : '}');
        goto value_done;
    }
    call.drop_deferred();
    at = out.put(at, is_list ? ']' : '}');
    if (OCIOR_UNLIKELY(outer == kInFrame)) goto value_done;
    at = out.put_item_separator(at);
    if (outer == kInList) {
        outer = kInFrame;
        list_run = outer_list_run;
        if (!kFixed && OCIOR_UNLIKELY(!at)) goto stopped_in_list;
        goto list_items;
    }
    outer = kInFrame;
    dict_run = outer_dict_run;
    wrote_item = true;
    if (!kFixed && OCIOR_UNLIKELY(!at)) goto stopped_in_dict;
    goto dict_items;
}

stopped:
    if (kMayWiden && call.wanted_width > sizeof(Unit) && !call.deferred && call.top().kind == FrameKind::kIterator)
        call.put_back = std::exchange(held, nullptr);
    if (call.wants_text) {
        call.wants_text = false;
        const bool opened = call.open_text(value);
        release();
        at = out.item();
        if (!opened) goto stopped;
        at = out.put(at, '"');
        goto resume;
    }
    release();
    call.used = at ? out.offset(at) : out.item_offset();
    if (call.wants_flush) {
        call.wants_flush = false;
        return Step::kFlush;
    }
    if constexpr (kMayWiden) {
        if (call.wanted_width > sizeof(Unit)) {
            // Nothing of this item stands: back to its start.
            if (call.deferred) {
                if (const Py_ssize_t position = outer_position(); position >= 0) call.top().position = position;
                call.drop_deferred();
                --call.level;
                call.used = out.outer_item_offset();
            }
            --call.top().position;
            return Step::kWiden;
        }
    }
    return Step::kFailed;
}

}  // namespace ocior::encode
