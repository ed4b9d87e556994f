// The body of walk(), included by the files that instantiate it.
#pragma once

#include "encode/walk.h"
#include "encode/writer_items.h"
#include "py/fetch.h"

namespace ocior::encode {

template <Mode mode, CodeUnit Unit, Spacing spacing>
Step walk(Call& call) noexcept {
    using Out = Writer<mode, Unit, spacing>;
    constexpr bool kMayWiden = Out::kMayWiden, kHasLines = Out::kHasLines;
    Out out(call);
    const Options& options = call.options;
    const Tricks& tricks = call.constants.tricks;
    Unit* at = out.start() + call.used;
    PyObject* value = nullptr;
    PyObject* key;
    PyObject* held = nullptr;  // owned while the item is written: without a GIL, and where its key's text or its kind is Python code's
    PyObject* held_key = nullptr;
    // All of these are inlined: a variable whose address a lambda has taken with it lives in memory.
    const auto release = [&]() OCIOR_INLINE_LAMBDA {
        Py_XDECREF(held);
        Py_XDECREF(held_key);
        held = held_key = nullptr;
    };
    const auto reads_one_by_one = [&]() OCIOR_INLINE_LAMBDA { return options.dialect->reading == Reading::kOneByOne; };
    // Before Python code of the value's own runs, which may take it out of its container.
    const auto hold_value = [&]() OCIOR_INLINE_LAMBDA {
        if (!held) held = new_ref(value);
    };
    ListRun list_run;  // of the list, or the dict, that is being read: the top frame's
    DictRun dict_run;
    bool is_list;
    bool wrote_item;
    bool wrote_before = false;  // the same before the present item of a dict
    // Brings the top frame up to date: before a container is opened, and before Python code may run.
    const auto leave = [&](const auto& run, bool wrote) OCIOR_INLINE_LAMBDA {
        Frame& frame = call.top();
        frame.place = run.place();
        if (!frame.place.end) frame.position = run.position();
        frame.wrote_item = wrote;
    };

    // Enters the top frame, again or for the first time.
resume:
    if (const Frame& frame = call.top(); OCIOR_LIKELY(frame.place.end != nullptr)) {
        if (frame.kind == FrameKind::kDict) {
            dict_run = DictRun(frame.place);
            wrote_item = true;
            goto dict_items;
        }
        list_run = ListRun(frame.place);
        goto list_items;
    }
    switch (call.top().kind) {
        case FrameKind::kList: goto in_list;
        case FrameKind::kDict: goto in_dict;
        case FrameKind::kItems:
        case FrameKind::kPairs: goto in_pairs;
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
            wrote_item = list_run.position() != 0 || call.top().position != 0;
            goto close_container;
        }
        if constexpr (!layout::kHasGil) held = item;
        if constexpr (kHasLines) {
            at = out.put_line(at);
            if (OCIOR_UNLIKELY(!at)) goto stopped_in_list;
        }
        bool scalar;
        Unit* next = out.put_item(
            at, item, scalar, [&]() OCIOR_INLINE_LAMBDA { list_run.prefetch_items(); },
            [&](Unit* to, PyObject* number) OCIOR_INLINE_LAMBDA { return out.put_float_items(to, number, list_run); },
            [&](Unit* end) OCIOR_INLINE_LAMBDA { return out.put_constants(end, list_run); });
        if (OCIOR_UNLIKELY(!scalar)) {
            value = item;
            break;
        }
        at = next;
        if (OCIOR_UNLIKELY(!at)) {
            value = item;
            goto stopped_in_list;
        }
        if constexpr (!layout::kHasGil) release();
    }
    list_run.prefetch_lists();
    if (Unit* const behind = out.put_points(at, list_run)) {
        at = behind;
        goto list_items;
    }
    leave(list_run, true);
    goto write_container;

stopped_in_list:
    leave(list_run, true);
    goto stopped;

in_dict:
    // A loop over the dict's items would refuse to go on.
    if (OCIOR_UNLIKELY(reads_one_by_one()) && call.top().is_pinned &&
        call.top().dict_size != static_cast<std::uint32_t>(PyDict_GET_SIZE(call.top().iterated))) {
        PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
        call.failed_in_key = true;
        goto stopped;
    }
    dict_run = DictRun(tricks, call.top().iterated, call.top().position);
    wrote_item = call.top().wrote_item;
dict_items:
    for (;;) {
        if (!out.has_item_room(at) && !(at = out.grow_or_flush(at, Out::kItemRoom))) {
            leave(dict_run, wrote_item);
            goto stopped;
        }
        if constexpr (kMayWiden) out.note_item(at);
        PyObject *name, *item;
        if (!dict_run.next([&]() OCIOR_INLINE_LAMBDA { return call.top().iterated; }, name, item)) {
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
            leave(dict_run, wrote_item);
            goto write_key;
        }
        if constexpr (kMayWiden) wrote_before = wrote_item;
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
            if (OCIOR_LIKELY(!(next = out.put_if_empty(at, item)))) break;
            next = out.put_item_separator(next);
        }
        at = next;
        if (OCIOR_UNLIKELY(!at)) {
            value = item;
            goto stopped_in_dict;
        }
        if constexpr (!layout::kHasGil) release();
    }
    leave(dict_run, true);
    goto write_container;

stopped_in_dict:
    leave(dict_run, true);
    goto stopped;

in_pairs:
    {
        at = out.ensure_between(at);
        if (OCIOR_UNLIKELY(!at)) goto stopped;
        if constexpr (kMayWiden) out.note_item(at);
        if (!call.next_pair()) {
            if (PyErr_Occurred()) {
                call.failed_in_key = true;
                goto stopped;
            }
            is_list = false;
            wrote_item = call.top().wrote_item;
            goto close_container;
        }
        key = PyTuple_GET_ITEM(call.top().pair(), 0);
        value = PyTuple_GET_ITEM(call.top().pair(), 1);
        goto write_key;
    }

in_single:
    {
        at = out.ensure_between(at);
        if (OCIOR_UNLIKELY(!at)) goto stopped;
        if constexpr (kMayWiden) out.note_item(at);
        Frame& frame = call.top();
        if (frame.position) {
            call.close();
            if (call.depth()) goto resume;
            call.used = out.offset(at) - out.item_separator_length();  // behind the root, too, one was written
            return Step::kDone;
        }
        frame.position = 1;
        value = frame.iterated;
        goto write_value;
    }

in_iterator:
    {
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

in_text:
    {
        at = out.ensure_text_piece(at);
        if (OCIOR_UNLIKELY(!at)) goto stopped;
        at = out.put_text_piece(at, call.top());
        if (OCIOR_UNLIKELY(!at)) goto stopped;
        if (call.top().position < PyUnicode_GET_LENGTH(call.top().iterated)) goto in_text;
        at = out.put(at, '"');
        call.close();
        goto value_done;
    }

write_key:
    {
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
        wrote_before = call.top().wrote_item;
        call.top().wrote_item = true;
        at = out.put_line(at);
        if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
        at = OCIOR_LIKELY(PyUnicode_CheckExact(key)) ? out.put_key(at, key) : out.put_any_key(at, key);
        if (OCIOR_UNLIKELY(!at)) goto stopped;
    }

write_value:
    {
        bool scalar;
        Unit* next = out.put_item(at, value, scalar);
        if (scalar) {
            at = next;
            goto item_done;
        }
    }
    goto write_container;

    // Containers, and types that are not exactly the built-in ones. (Tried and lost: containers written by the loops above, as the empty
    // ones in dicts are, also where these are empty in lists, hold one short string, or one entry of such. No document of the benchmark
    // gains, those with many containers lose 1 to 4 %. Lists and dicts of nothing else would take half the time.)
write_container:
    {
        PyTypeObject* const type = Py_TYPE(value);
        if (type == &PyDict_Type) {
        exact_dict:
            if (PyDict_GET_SIZE(value) == 0) goto empty_dict;
            if (OCIOR_UNLIKELY(options.sort_keys)) goto open_items;
            if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kDict, out.offset(at)))) goto stopped;
            at = out.put(at, '{');
            if (held) goto opened;
            if constexpr (kHasLines) ++call.level;
            dict_run = DictRun(tricks, value, 0);
            wrote_item = false;
            goto dict_items;
        }
        if (type == &PyList_Type || type == &PyTuple_Type) {
            if (size_of_items(value) == 0) goto empty_list;
            if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kList, out.offset(at)))) goto stopped;
            at = out.put(at, '[');
            if (held) goto opened;
            if constexpr (kHasLines) ++call.level;
            list_run = OCIOR_LIKELY(type == &PyList_Type) ? ListRun::of_list(value) : ListRun::of_tuple(value);
            goto list_items;
        }
        if (layout::kHasFrozenDict && type == layout::kFrozenDict) goto exact_dict;
        Kind kind;
        kind = kind_of_subclass(value);
        if (kind == Kind::kOther && OCIOR_UNLIKELY(reads_one_by_one())) {
            hold_value();
            kind = call.claimed_kind(value);
        }
        switch (kind) {
            case Kind::kStr: at = out.put_any_string(at, value, true); goto value_done;
            case Kind::kInt: at = out.put_any_int(at, value); goto value_done;
            case Kind::kFloat: at = out.put_any_float(at, value); goto value_done;
            case Kind::kSequence: {
                if (OCIOR_UNLIKELY(reads_one_by_one())) {
                    hold_value();
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
            case Kind::kDict: {
                if (OCIOR_UNLIKELY(reads_one_by_one())) {
                    hold_value();
                    const int truth = call.truth_of(value);
                    if (truth == 0) goto empty_dict;
                    if (truth < 0 || !call.open_pairs(value, out.offset(at))) goto stopped;
                    at = out.put(at, '{');
                    goto opened;
                }
                if (PyDict_GET_SIZE(value) == 0) goto empty_dict;
                goto open_items;
            }
            case Kind::kFailed: goto stopped;
            case Kind::kOther: break;
        }
        // The replacement takes the value's place: no new level, no separator of its own.
        if (!call.open_default(value, out.offset(at))) goto stopped;
        release();
        goto resume;

    open_items:
        if (!call.open_items(value, out.offset(at))) goto stopped;
        at = out.put(at, '{');
        goto opened;
    }

empty_dict:
    at = out.put_empty_dict(at);
    goto value_done;

empty_list:
    at = out.put_empty_list(at);
    goto value_done;

opened:
    if constexpr (kHasLines) ++call.level;
    if (held) call.pin();  // its parent may have let go of it
    release();
    goto resume;

value_done:
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    at = out.put_item_separator(at);
item_done:
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if (layout::kHasGil && OCIOR_LIKELY(call.top().place.end != nullptr)) goto resume;
    release();
    goto resume;

close_container:
    {
        // The last item's separator makes room for the bracket.
        if (OCIOR_LIKELY(wrote_item)) {
            at -= out.item_separator_length();
        } else if (kHasLines && !is_list && call.json.lines_in_empty_dicts) {
            wrote_item = true;
            at = out.put_line(at);
            if (OCIOR_UNLIKELY(!at)) goto stopped;
        }
        if constexpr (kHasLines) --call.level;
        if (wrote_item) {
            at = out.put_line(at);
            if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
        }
        call.close();
        at = out.put(at, is_list ? ']' : '}');
        goto value_done;
    }

stopped:
    if (kMayWiden && call.wanted_width > sizeof(Unit)) {
        if (call.top().kind == FrameKind::kIterator) call.put_back = std::exchange(held, nullptr);
        else if (call.top().holds_pair()) call.put_back = new_ref(call.top().pair());
    }
    if (call.wants_text) {
        call.wants_text = false;
        const bool opened = call.open_text(value);
        release();
        at = out.item();
        if (!opened) goto stopped;
        at = out.put(at, '"');
        goto resume;
    }
    [[maybe_unused]] const bool may_change = held != nullptr;
    release();
    call.used = at ? out.offset(at) : out.item_offset();
    if (call.wants_flush) {
        call.wants_flush = false;
        return Step::kFlush;
    }
    if constexpr (kMayWiden) {
        if (call.wanted_width > sizeof(Unit)) {
            // Nothing of this item stands, and where others' code may run meanwhile it may be gone when it is asked for again.
            call.settle(call.top());
            --call.top().position;
            if (call.top().kind == FrameKind::kDict) call.top().wrote_item = wrote_before;
            if (may_change) call.output.doubt();
            return Step::kWiden;
        }
    }
    return Step::kFailed;
}

}  // namespace ocior::encode
