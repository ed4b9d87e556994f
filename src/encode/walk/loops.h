// The body of walk(), included by the files that instantiate it.
#pragma once

#include "encode/walk/walk.h"
#include "encode/writer/arrays.h"
#include "encode/writer/frameless.h"
#include "encode/writer/items.h"
#include "encode/writer/layout.h"
#include "py/fetch.h"

namespace ocior::encode {

template <Mode mode, CodeUnit Unit, Spacing spacing>
Stop walk(Call& call) noexcept {
    using Out = Writer<mode, Unit, spacing>;
    constexpr bool kMayWiden = Out::kMayWiden, kHasLines = Out::kHasLines;
    Out out(call);
    const Options& options = call.options;
    const Tricks& tricks = call.constants.tricks;
    Unit* at = out.start() + call.used;
    PyObject* value = nullptr;
    PyObject* key = nullptr;
    PyObject* made;  // by the default hook, owned
    ListRun list_run;  // of the list, or the dict, that is being read: the top frame's
    DictRun dict_run;
    Py_ssize_t begun;  // of a list that is opened, how many items are written already
    bool wrote_item;
    bool wrote_before = false;  // what wrote_item was before the present item of a dict
    // Brings the top frame up to date: before a container is opened, and before Python code may run. (It is inlined: a variable whose
    // address a lambda has taken with it lives in memory.)
    const auto leave = [&](const auto& run, bool wrote) OCIOR_INLINE_LAMBDA {
        Frame& frame = call.top();
        frame.place = run.place();
        if (!frame.place.end) frame.position = run.position();
        frame.wrote_item = wrote;
    };

    // Whether a value is a dict that is read where it lies.
    const auto opens_dict = [&](PyObject* item) OCIOR_INLINE_LAMBDA {
        return PyDict_CheckExact(item) && PyDict_GET_SIZE(item) != 0 && OCIOR_LIKELY(!options.reads_keys_first);
    };
    // Closes the top frame, behind whose last item, if there is any, `to` stands. Null where the walk stops.
    const auto put_end = [&](Unit* to, char bracket, bool has_items) OCIOR_INLINE_LAMBDA -> Unit* {
        if (OCIOR_LIKELY(has_items)) to -= out.item_separator_length();  // that makes room for the bracket
        Unit* const joined = out.joined(to, has_items);
        if constexpr (kHasLines) --call.level;
        if (joined) {
            to = joined;
        } else if (has_items) {
            to = out.put_line(to);
            if (kHasLines && OCIOR_UNLIKELY(!to)) return nullptr;
        }
        call.close();
        return out.put_item_separator(out.put(to, bracket));
    };

    // The root, which comes first. (As any other single value it would take some fifty instructions more, a twelfth of the smallest call.)
    if (OCIOR_LIKELY(call.depth() == 1 && call.top().position == 0)) {
        call.top().position = 1;
        value = call.top().iterated;
        if constexpr (kMayWiden) out.note_item(at);
        goto write_value;
    }

    // Enters the top frame, again or for the first time.
resume:
    if (const Frame& frame = call.top(); OCIOR_LIKELY(frame.place.end != nullptr)) {
        if (!reads_list(frame.kind)) {
            dict_run = DictRun(frame.place);
            wrote_item = true;
            goto dict_items;
        }
        list_run = ListRun(frame.place);
        goto list_items;
    }
    switch (call.top().kind) {
        case FrameKind::kList:
        case FrameKind::kDerivedList:
            if (out.has_item_room(at) && call.hold_next_container()) {
                value = call.held;
                if constexpr (kMayWiden) out.note_item(at);
                at = out.put_line(at);
                if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
                goto write_container;
            }
            call.guard_top();
            list_run = ListRun(call.top().iterated, call.top().position);
            goto list_items;
        case FrameKind::kLostList: PyErr_NoMemory(); goto stopped;
        case FrameKind::kDict: goto in_dict;
        case FrameKind::kFields:
            call.guard_top();
            dict_run = DictRun(call.top().iterated, call.top().position);
            wrote_item = call.top().wrote_item;
            goto dict_items;
        case FrameKind::kEntries:
            dict_run = DictRun(call.top().entries(), call.top().position, call.top().dict_size);
            wrote_item = call.top().wrote_item;
            goto dict_items;
        case FrameKind::kText: goto in_text;
        case FrameKind::kArray: goto in_array;
        default: goto in_other;
    }

list_items:
    // As long as only scalars of built-in types come, no Python code runs and nothing is read twice.
    for (;;) {
        if (!out.has_item_room(at) && !(at = out.grow_or_flush(at, Out::kItemRoom))) goto stopped_in_list;
        if constexpr (kMayWiden) out.note_item(at);
        PyObject* item;
        if (!list_run.next(item)) {
            wrote_item = list_run.position() != 0 || call.top().position != 0;
            goto close_list;
        }
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
    }
    list_run.prefetch_containers();
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) {
        if (Unit* const behind = out.put_if_empty(at, value)) {
            at = out.put_item_separator(behind);
            if (!Out::kFixed && OCIOR_UNLIKELY(!at)) goto stopped_in_list;
            goto list_items;
        }
        if (Unit* const behind = out.put_points(at, list_run)) {
            at = behind;
            goto list_items;
        }
        begun = Out::kNotBegun;
        // (A single row takes no longer in a frame.)
        if (list_run.peek() && call.depth() + 1 < kSuspiciousDepth && out.may_be_row(value)) {
            const auto written = out.write_rows(at, list_run.last(), list_run.end());
            at = written.at;
            list_run.go_on_at(written.next);
            begun = written.position;
            if (OCIOR_LIKELY(begun == Out::kNotBegun)) goto list_items;
            list_run.next(value);
        }
        leave(list_run, true);
        call.couple(value, out.offset(at));
        if (OCIOR_UNLIKELY(begun != Out::kNotBegun)) goto open_begun_list;
        if (Out::kFixed || size_of_items(value) != 0) goto open_list;
        goto empty_list;
    }
    if (opens_dict(value)) {
        leave(list_run, true);
        call.couple(value, out.offset(at));
        goto open_dict;
    }
    if (const auto written = out.put_rich_scalars(at, list_run); written.is_any) {
        at = written.at;
        goto list_items;
    }
    leave(list_run, true);
    call.couple(value, out.offset(at));
    goto write_container;

stopped_in_list:
    call.hold_to_go_on(value, nullptr);
    leave(list_run, true);
    goto stopped;

in_dict:
    if (OCIOR_UNLIKELY(call.has_changed_size())) goto stopped;
    call.guard_top();
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
            goto close_dict;
        }
        if (OCIOR_UNLIKELY(!PyUnicode_CheckExact(name))) {
            key = name, value = item;
            goto other_key;
        }
        if constexpr (kMayWiden) wrote_before = wrote_item;
        wrote_item = true;
        if constexpr (kHasLines) {
            at = out.put_line(at);
            if (OCIOR_UNLIKELY(!at)) goto stopped_in_dict;
        }
        at = out.put_key(at, name);
        if (OCIOR_UNLIKELY(!at)) {
            key = name, value = item;
            goto stopped_in_dict;
        }
        bool scalar;
        Unit* next = out.put_item(at, item, scalar);
        if (OCIOR_UNLIKELY(!scalar)) {
            value = item;
            if (OCIOR_LIKELY(!(next = out.put_if_empty(at, item)))) break;
            next = out.put_item_separator(next);
        }
        at = next;
        if (OCIOR_UNLIKELY(!at)) {
            key = name, value = item;
            goto stopped_in_dict;
        }
    }
    if (const auto written = out.put_rich_scalar(at, value); written.is_any) {
        at = written.at;
        goto dict_items;
    }
container_in_dict:
    leave(dict_run, true);
    call.couple(value, out.offset(at));
    if (opens_dict(value)) goto open_dict;
    goto write_container;

    // (Tried and lost: to go on in the loop above with the value behind such a key. Dicts of int keys gain a sixth, those of str keys lose
    // 2 to 5 %: twitter, instruments. Small containers behind such keys written without frames take 1.05 times as long; asking early for
    // the keys to come gains nothing.)
other_key:
    if (const auto written = out.put_key_at_once(at, key); written.is_any) {
        if constexpr (kMayWiden) wrote_before = wrote_item;
        wrote_item = true;
        at = written.at;
        if (OCIOR_UNLIKELY(!at)) goto stopped_in_dict;
        const auto item = out.put_scalar_at_once(at, value);
        if (!item.is_any) goto container_in_dict;
        at = item.at;
        if (OCIOR_UNLIKELY(!at)) goto stopped_in_dict;
        goto dict_items;
    }
    leave(dict_run, wrote_item);
    call.decouple_entry(value, key);
    goto write_key;

stopped_in_dict:
    call.hold_to_go_on(value, key);
    leave(dict_run, true);
    goto stopped;

in_other:
    {
        at = out.ensure_between(at);
        if (OCIOR_UNLIKELY(!at)) goto stopped;
        if constexpr (kMayWiden) out.note_item(at);
        const Advance next = call.advance();
        key = next.key;
        value = next.value;
        switch (next.kind) {
            case Advance::Kind::kValue: goto write_value;
            case Advance::Kind::kEntry: goto write_key;
            case Advance::Kind::kItem:
                call.top().wrote_item = true;
                at = out.put_line(at);
                if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
                goto write_value;
            case Advance::Kind::kReplaced:
                if (OCIOR_UNLIKELY(call.depth() == 1)) goto done;
                call.close();
                goto resume;
            case Advance::Kind::kEndOfList:
            case Advance::Kind::kEndOfDict:
                wrote_item = call.top().wrote_item;
                if (next.kind == Advance::Kind::kEndOfList) goto close_list;
                goto close_dict;
            case Advance::Kind::kFailed: goto stopped;
        }
    }

in_array:
    at = out.put_array(at, *view_of_array(call.top().iterated));
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    call.close();
    goto value_done;

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
        std::uint8_t text[kShortScalar];
        KeyText read{};
        const bool is_str = call.is_text_of_key(key);
        if (!is_str) {
            call.hold(value, key);
            call.pin();
            read = read_key(call, key, text);
            if (read.kind == KeyText::Kind::kSkipped) {
                call.release_item();
                goto resume;
            }
            call.failed_in_key = read.kind == KeyText::Kind::kFailed;
            if (call.failed_in_key) goto stopped;
        }
        wrote_before = call.top().wrote_item;
        call.top().wrote_item = true;
        at = out.put_line(at);
        if (kHasLines && OCIOR_UNLIKELY(!at)) goto stopped;
        if (read.kind == KeyText::Kind::kString) at = out.put_any_key(at, call.context.extras.replacement.get());
        else if (!is_str) at = out.put_scalar_key(at, text, read.end);
        else at = OCIOR_LIKELY(PyUnicode_CheckExact(key)) ? out.put_key(at, key) : out.put_any_key(at, key);
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
    // ones are, also where these hold one short string, or one entry of such. No document of the benchmark gains, those with many
    // containers lose 1 to 4 %. Dicts of scalars written as rows are: where a frame has to be opened in the middle of many of them, as in
    // two of three documents, these take 1.15 times as long. Empty dicts in lists written by the loop over these take half the time, but
    // dicts of one entry in lists 1.05 to 1.5 times as long, all documents 1.005 times: by where the compiler places what is there now.)
write_container:
    {
        PyTypeObject* const type = Py_TYPE(value);
        if (type == &PyDict_Type || (layout::kHasFrozenDict && type == layout::kFrozenDict)) {
            if (PyDict_GET_SIZE(value) == 0) goto empty_dict;
            if (OCIOR_LIKELY(!options.reads_keys_first)) goto open_dict;
        } else if (type == &PyList_Type || type == &PyTuple_Type) {
            if (size_of_items(value) == 0) goto empty_list;
            goto open_list;
        }
        if (OCIOR_UNLIKELY(call.depth() == 1)) {
            if (const auto written = out.put_rich_scalar(at, value); written.is_any) {
                at = written.at;
                goto item_done;
            }
        }
        if (OCIOR_LIKELY(call.is_for_hook(type))) {
            call.decouple(value);
            call.hold(value, nullptr);
            made = ask_hook(call, call.default_hook, value, out.offset(at)).release();
            if (OCIOR_LIKELY(made != nullptr)) goto write_made;
            goto stopped;
        }
        if (!call.is_item_guarded()) call.hold(value, nullptr);
        Opened opened = Opened::kFailed;
        if (type == &PyDict_Type) {  // whose keys are to be sorted, or looked at first
            opened = open_mapping(call, value, out.offset(at));
        } else {
            const Plan* known = call.context.types.known(type, call.rich);
            if (OCIOR_UNLIKELY(!known)) {
                call.decouple(value);  // another thread may have changed its class
                call.hold(value, nullptr);
                call.pin();
                known = &call.context.types.learn(call, type, call.rich);
            }
            const Plan& plan = *known;
            switch (plan.role) {
                case Role::kString: at = out.put_any_string(at, value, true); goto value_done;
                case Role::kScalar: at = out.put_scalar(at, plan, value); goto value_done;
                case Role::kText: at = out.put_text_scalar(at, plan, value); goto value_done;
                case Role::kJson: at = out.put_json(at, plan, value); goto value_done;
                case Role::kReplaced: opened = open_replaced(call, plan, value, out.offset(at)); break;
                default: opened = plan.open(call, value, out.offset(at));
            }
        }
        switch (opened) {
            case Opened::kList: at = out.put_opening(at, '['); goto opened;
            case Opened::kDict: at = out.put_opening(at, '{'); goto opened;
            case Opened::kEmptyList: goto empty_list;
            case Opened::kEmptyDict: goto empty_dict;
            case Opened::kInPlace: call.release_item(); goto resume;  // no new level, no separator of its own
            case Opened::kScalar: {
                bool scalar;
                value = call.context.extras.replacement.get();
                Unit* const next = out.put_item(at, value, scalar);
                if (OCIOR_UNLIKELY(!scalar)) {  // an integer of many digits
                    at = out.put_scalar(at, json_plan_of(&PyLong_Type), value);
                    goto value_done;
                }
                at = next;
                goto item_done;
            }
            case Opened::kMade: made = call.context.extras.replacement.release(); goto write_made;
            case Opened::kFailed: goto stopped;
        }
    }

    // What the default hook has returned for the value that is held.
write_made:
    if (Unit* const behind = out.put_made(at, made)) {
        call.forget_borrowed();  // with what it holds, finalizers may come
        Py_DECREF(made);
        at = behind;
        goto item_done;
    }
    call.open_made_by_hook(made);
    goto in_other;

open_dict:
    if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kDict, out.offset(at)))) goto stopped;
    at = out.put_opening(at, '{');
    if (call.held) goto opened;
    if constexpr (kHasLines) ++call.level;
    call.guard_top();
    dict_run = DictRun(tricks, value, 0);
    wrote_item = false;
    goto dict_items;

open_list:
    if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kList, out.offset(at)))) goto stopped;
    at = out.put_opening(at, '[');
    if (call.held) goto opened;
    if constexpr (kHasLines) ++call.level;
    call.guard_top();
    list_run = OCIOR_LIKELY(PyList_CheckExact(value)) ? ListRun::of_list(value) : ListRun::of_tuple(value);
    goto list_items;

open_begun_list:
    if (OCIOR_UNLIKELY(!call.open(value, value, FrameKind::kList, out.offset(at)))) goto stopped;
    call.top().position = begun;  // the list may be shorter by now
    call.guard_top();
    list_run = ListRun(value, begun);
    goto list_items;

empty_dict:
    call.uncouple(value);
    if (!Out::kFixed && OCIOR_UNLIKELY(!call.may_nest(value, 1))) goto stopped;
    at = out.put_empty_dict(at);
    goto value_done;

empty_list:
    call.uncouple(value);
    if (!Out::kFixed && OCIOR_UNLIKELY(!call.may_nest(value, 1))) goto stopped;
    at = out.put_empty_list(at);
    goto value_done;

opened:
    if constexpr (kHasLines) ++call.level;
    if (call.held) call.pin();  // its parent may have let go of it
    call.release_item();
    goto resume;

value_done:
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    at = out.put_item_separator(at);
item_done:
    if (OCIOR_UNLIKELY(!at)) goto stopped;
    if (OCIOR_LIKELY(call.top().place.end != nullptr)) goto resume;
    call.release_item();
    if (OCIOR_UNLIKELY(call.depth() > 1)) {
        if (call.top().kind != FrameKind::kSingle) goto resume;
        call.close();
        goto item_done;
    }

done:
    call.close_root();
    call.used = out.offset(at) - out.item_separator_length();  // behind the root, too, one was written
    return Stop::kDone;

close_list:
    at = put_end(at, ']', wrote_item);
    goto item_done;

close_dict:
    if (kHasLines && OCIOR_UNLIKELY(!wrote_item) && call.json.lines_in_empty_dicts) {
        wrote_item = true;
        at = out.put_line(at);
        if (OCIOR_LIKELY(at != nullptr)) at = out.put_item_separator(at);
        if (OCIOR_UNLIKELY(!at)) goto stopped;
    }
    at = put_end(at, '}', wrote_item);
    // Behind a dict in a list, as a rule, comes another one.
    if constexpr (Out::kFixed && !kHasLines) {
        if (PyObject* const next = call.next_in_list(); next && opens_dict(next) && out.has_item_room(at)) {
            if constexpr (kMayWiden) out.note_item(at);
            value = next;
            call.take_next_in_list();
            call.couple(value, out.offset(at));
            goto open_dict;
        }
    }
    goto item_done;

stopped:
    call.decouple_all();
    if (call.stop == Stop::kText) {
        call.stop = Stop::kFailed;
        const bool opened = call.open_text(value);
        call.release_item();
        at = out.item();
        if (!opened) goto stopped;
        at = out.put(at, '"');
        goto resume;
    }
    call.used = at ? out.offset(at) : out.item_offset();
    const bool may_change = call.held != nullptr;
    call.release_item();
    return call.end_walk(wrote_before, may_change);
}

}  // namespace ocior::encode
