// The containers of writer.h that are written without frames, because all they hold is scalars and small containers of such: objects of
// fields, rows, short named tuples. What gives up here is opened by the walk.
#pragma once

#include "encode/writer/writer.h"

namespace ocior::encode {

// What an object of fields may hold to be written without frames: by the functions below, each of which stands in `outer`
// others, lists and dicts included.
constexpr std::size_t kMostOuter = 8;
constexpr Py_ssize_t kMostFramelessItems = 16;
// The balance of a class counts, in characters, what was written of its instances without frames against twice what was written in vain.
constexpr std::ptrdiff_t kMostBalance = 16 * 1024, kForgiven = 4;

// An object of the fields of `value`, and a separator, where these are scalars, other such objects, short lists and dicts of them, and what
// is empty. Null where there is anything else in it, no room for it, or any trouble: nothing of it counts as written then, no error is set,
// and the walk has to open it. (Many such objects take 0.6 to 0.7 of the time that their frames would.)
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_frameless_fields(Unit* at, const TypeTable::Entry& entry, PyObject* value,
                                                                       std::size_t outer) noexcept {
    if constexpr (!kFixed || kHasLines) return nullptr;
    const Fields::KeyText* const keys = entry.fields.key_texts();
    if (!keys || options_.reads_keys_first) return nullptr;
    // Another try comes after some thousand objects: of others, those of the class may need no frames.
    if (OCIOR_UNLIKELY(entry.frameless_balance < -kMostBalance)) return entry.frameless_balance += kForgiven, nullptr;
    if (outer > kMostOuter || call_.depth() + outer >= kSuspiciousDepth) return nullptr;
    if constexpr (!layout::kHasGil) {
        // Others may know the instance's dict.
        if (!(outer || call_.hides_items()) || !has_one_reference(value)) return nullptr;
        if (entry.fields.has_inline_values() && layout::dict_of_instance(value)) return nullptr;
    }
    const char* const place = entry.fields.place_of(value);
    if (OCIOR_UNLIKELY(!place)) return nullptr;
    const std::size_t count = entry.fields.count();
    for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(entry.fields.value(place, i));
    Unit* const start = at;
    Unit* end;
    if (OCIOR_UNLIKELY(entry.fields.form() != nullptr)) {
        end = put_formed(at, entry.fields, place, outer);
    } else {
        end = put(at, '{');
        for (std::size_t i = 0; i < count; ++i) {
            PyObject* const item = entry.fields.value(place, i);
            Unit* const behind = OCIOR_LIKELY(item && has_item_room(end)) ? put_member(end, keys[i], item, outer) : nullptr;
            if (OCIOR_UNLIKELY(!behind)) {
                note_frameless_end(end);
                end = nullptr;
                break;
            }
            end = behind;
        }
        if (OCIOR_LIKELY(end != nullptr)) end = put(end - kItemLength, '}');
    }
    if (OCIOR_UNLIKELY(!end)) {
        call_.stop = Stop::kFailed;  // a string may have been too wide
        if (outer == 0) entry.frameless_balance -= 2 * (std::exchange(frameless_end_, nullptr) - start);
        return nullptr;
    }
    if (outer == 0) entry.frameless_balance = std::min(entry.frameless_balance + (end - start), kMostBalance);
    return put_item_separator(end);
}

// A name, a value and a separator; there is room for an item.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_member(Unit* at, const Fields::KeyText& key, PyObject* item,
                                                           std::size_t outer) noexcept {
    simd::widen_32(at, key.text);
    return put_frameless_item(put_key_separator(at + key.length), item, outer);
}

// The members of an object that has a form, in their brackets. Null where put_frameless_fields() gives it.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_formed(Unit* at, const Fields& fields, const char* place,
                                                             std::size_t outer) noexcept {
    const Form& form = *fields.form();
    const Fields::KeyText* const keys = fields.key_texts();
    const std::size_t count = fields.count();
    Unit* const first = at = put(at, form.is_array ? '[' : '{');
    Unit* behind = at;
    // The tag, whose name stands behind those of the fields, comes first. One piece of code writes it and the fields: it is long.
    for (std::size_t i = form.tag_value ? count : 0, left = count + static_cast<bool>(form.tag_value); left > 0;
         i = i == count ? 0 : i + 1, --left) {
        PyObject* const item = OCIOR_UNLIKELY(i == count) ? form.tag_value.get() : fields.value(place, i);
        at = behind;
        behind = nullptr;
        if (OCIOR_UNLIKELY(!item)) break;
        if (OCIOR_UNLIKELY(i == form.rest)) {
            if (!(behind = put_rest(at, form, item, outer))) break;
            continue;
        }
        const Presence presence = OCIOR_UNLIKELY(i == count) ? Presence::kWritten : form.presence_of(i, item);
        if (OCIOR_UNLIKELY(presence != Presence::kWritten)) {
            if (presence != Presence::kLeftOut || form.is_array) break;
            behind = at;
            continue;
        }
        if (OCIOR_UNLIKELY(!has_item_room(at))) break;
        Unit* value_at = at;
        if (!form.is_array) {
            simd::widen_32(at, keys[i].text);
            value_at = put_key_separator(at + keys[i].length);
        }
        if (OCIOR_UNLIKELY(!(behind = put_frameless_item(value_at, item, outer)))) break;
    }
    if (OCIOR_UNLIKELY(!behind)) return note_frameless_end(at), nullptr;
    return put(behind == first ? behind : behind - kItemLength, form.is_array ? ']' : '}');
}

// What a mapping holds that is written among the fields, each with a separator.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_rest(Unit* at, const Form& form, PyObject* rest, std::size_t outer) noexcept {
    if (rest == Py_None || form.is_missing(rest)) return at;
    return PyDict_CheckExact(rest) ? put_frameless_entries(at, rest, outer + 1) : nullptr;
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_frameless_item(Unit* at, PyObject* item, std::size_t outer) noexcept {
    bool is_scalar;
    Unit* const behind = put_easy_scalar(at, item, is_scalar);
    return OCIOR_LIKELY(is_scalar) ? behind : put_frameless_value(at, item, outer);
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_frameless_value(Unit* at, PyObject* value, std::size_t outer) noexcept {
    if (Unit* const empty = put_if_empty(at, value)) return put_item_separator(empty);
    if (PyList_CheckExact(value) || PyTuple_CheckExact(value)) return put_frameless_list(at, value, outer + 1);
    if (PyDict_CheckExact(value)) return put_frameless_dict(at, value, outer + 1);
    const TypeTable::Entry* const entry = call_.rich ? call_.context.types.entry_of(Py_TYPE(value), call_.rich) : nullptr;
    return entry ? put_planned(at, *entry, value, outer + 1) : nullptr;
}

// A list of so many items, one at least, and a separator: as far as put_one(at, item) writes them, each with a separator, and there is
// room. Where it gives null, the rest is left to the walk, or the whole list. All short lists without frames are written so.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename PutOne>
OCIOR_INLINE auto Writer<mode, Unit, spacing>::put_short_list(Unit* at, PyObject* const* items, Py_ssize_t count, PutOne put_one) noexcept
    -> ShortList {
    at = put(at, '[');
    for (Py_ssize_t i = 0; i < count; ++i) {
        Unit* const behind = OCIOR_LIKELY(has_item_room(at)) ? put_one(at, items + i) : nullptr;
        if (OCIOR_UNLIKELY(!behind)) {
            call_.stop = Stop::kFailed;  // a string may have been too wide
            return {at, i};
        }
        at = behind;
    }
    return {put_item_separator(put(at - kItemLength, ']')), count};
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_frameless_list(Unit* at, PyObject* list, std::size_t outer) noexcept {
    if (outer > kMostOuter || !has_one_reference(list)) return nullptr;
    const Py_ssize_t count = size_of_items(list);
    PyObject* const* const items = PyTuple_CheckExact(list) ? items_of_tuple(list) : items_of_list(list);
    if (count > kMostFramelessItems) return nullptr;
    const ShortList written = put_short_list(
        at, items, count, [&](Unit* to, PyObject* const* item) OCIOR_INLINE_LAMBDA { return put_frameless_item(to, *item, outer); });
    return OCIOR_LIKELY(written.count == count) ? written.at : nullptr;
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_frameless_dict(Unit* at, PyObject* dict, std::size_t outer) noexcept {
    at = put_frameless_entries(put(at, '{'), dict, outer);
    return OCIOR_LIKELY(at != nullptr) ? put_item_separator(put(at - kItemLength, '}')) : nullptr;
}

// What a small dict holds, each with a separator.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_frameless_entries(Unit* at, PyObject* dict, std::size_t outer) noexcept {
    if (outer > kMostOuter || !has_one_reference(dict) || PyDict_GET_SIZE(dict) > kMostFramelessItems) return nullptr;
    DictRun run(call_.constants.tricks, dict, 0);
    for (PyObject *key, *item; run.next([=] { return dict; }, key, item);) {
        if (OCIOR_UNLIKELY(!PyUnicode_CheckExact(key) || !has_item_room(at) || !is_easy_string(at, key))) return nullptr;
        at = put_key(at, key);
        if (OCIOR_UNLIKELY(!at || !has_item_room(at))) return nullptr;
        at = put_frameless_item(at, item, outer);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
    }
    return at;
}

// Whether it is worth a try to write a value as a row: a short list or tuple of exactly that type, whose first item is no container.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE bool Writer<mode, Unit, spacing>::may_be_row(PyObject* value) noexcept {
    if constexpr (!kFixed || kHasLines) return false;
    if (!call_.hides_items() || !is_short_list<kMostFramelessItems>(value)) return false;
    PyObject* const first = items_of(value)[0];
    return !PyList_CheckExact(first) && !PyDict_CheckExact(first);
}

// The rows that come first in [next, end), each with a separator, as long as they hold but scalars: without frames, which would take most
// of the time. Where there is anything else in one, or a scalar that may need more room or make an error, a frame has to be opened for the
// rest of it. The first one may be a row.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE auto Writer<mode, Unit, spacing>::write_rows(Unit* at, PyObject* const* next, PyObject* const* end) noexcept -> RowRun {
    for (;;) {
        prefetch_containers(next, end);
        PyObject* const row = *next;
        const Py_ssize_t count = Py_SIZE(row);
        PyObject* const* const items = items_of(row);
        const ShortList written = put_short_list(at, items, count, [&](Unit* to, PyObject* const* item) OCIOR_INLINE_LAMBDA {
            return kHasNumberRuns && may_begin_run(item, items + count) ? nullptr : put_lone_scalar(to, *item);
        });
        at = written.at;
        if (OCIOR_UNLIKELY(written.count != count)) return {at, next, written.count};
        if (++next == end || !has_item_room(at)) break;
        if (!may_be_row(*next) || (kHasNumberRuns && may_be_point(*next))) break;
    }
    return {at, next, kNotBegun};
}

// A short list or tuple of a derived class, as a row is written, and a separator. Null, as put_frameless_fields() gives it, where the walk
// has to open it.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_stored_row(Unit* at, const TypeTable::Entry& entry, PyObject* value) noexcept {
    if constexpr (!kFixed || kHasLines) return nullptr;
    if (!layout::kHasGil && !PyTuple_Check(value)) return nullptr;  // others may edit a list
    const Py_ssize_t count = size_of_items(value);
    if (count == 0 || count > kMostFramelessItems || !call_.hides_items() || call_.depth() >= kSuspiciousDepth) return nullptr;
    if (OCIOR_UNLIKELY(entry.frameless_balance < -kMostBalance)) return entry.frameless_balance += kForgiven, nullptr;
    const auto put_one = [this](Unit* to, PyObject* const* item) OCIOR_INLINE_LAMBDA { return put_lone_scalar_apart(to, *item); };
    const ShortList written = put_short_list(at, items_of(value), count, put_one);
    if (OCIOR_UNLIKELY(written.count != count)) {
        entry.frameless_balance -= 2 * (written.at - at);
        return nullptr;
    }
    entry.frameless_balance = std::min(entry.frameless_balance + (written.at - at), kMostBalance);
    return written.at;
}

// Writes a scalar as put_item() does. Null also where the scalar may need more room, or make an error.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_easy_scalar(Unit* at, PyObject* value, bool& is_scalar) noexcept {
    if (PyUnicode_CheckExact(value)) {
        is_scalar = true;
        return OCIOR_LIKELY(is_easy_string(at, value)) ? put_string<false>(at, value) : nullptr;
    }
    const auto put_finite = [&](Unit* to, PyObject* number) OCIOR_INLINE_LAMBDA -> Unit* {
        return OCIOR_LIKELY(__builtin_isfinite(PyFloat_AS_DOUBLE(number))) ? put_float_item(to, number) : nullptr;
    };
    return put_item(at, value, is_scalar, [] {}, put_finite, [](Unit* end) { return end; });
}

// Writes a scalar as put_easy_scalar() does. Null for any other value, too.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_lone_scalar(Unit* at, PyObject* value) noexcept {
    bool is_scalar;
    Unit* const behind = put_easy_scalar(at, value, is_scalar);
    if (OCIOR_UNLIKELY(!behind)) call_.stop = Stop::kFailed;  // a string may have been too wide
    return OCIOR_LIKELY(is_scalar) ? behind : nullptr;
}

// What a default hook has returned, and a separator, where it is a scalar, empty, or a small container of such that nobody else knows. Null
// where it is anything else, needs more room, or may make an error: nothing counts as written then, and the walk has to open a frame, which
// tells where the error lies.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_made(Unit* at, PyObject* value) noexcept {
    if (!has_item_room(at)) return nullptr;
    bool is_tried;  // whether all of it was looked at
    Unit* behind = put_easy_scalar_apart(at, value, is_tried);
    if constexpr (kFixed && !kHasLines) {
        constexpr int kMostVainTries = 8;  // in a row: hooks whose values hold other such values return more of them
        if (!is_tried && !options_.reads_keys_first && call_.vain_tries < kMostVainTries && has_one_reference(value) &&
            call_.depth() + 1 < kSuspiciousDepth) {
            behind = put_frameless_value(at, value, 0);
            call_.vain_tries = behind ? 0 : call_.vain_tries + 1;
            is_tried = true;
        }
    }
    if (!is_tried) {
        Unit* const empty = put_if_empty(at, value);
        return empty ? put_item_separator(empty) : nullptr;
    }
    if (!behind) call_.stop = Stop::kFailed;  // a string may have been too wide
    return behind;
}

// Whether a string, quoted and with a separator, needs no look for more room, and makes no error.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE bool Writer<mode, Unit, spacing>::is_easy_string(const Unit* at, PyObject* str) const noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (!escapes_strings() && OCIOR_LIKELY(n <= simd::ShortText::kLanes && is_compact_ascii(str))) return true;
    return PyUnicode_IS_COMPACT(str) && may_hold_string(at, str);
}
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE bool Writer<mode, Unit, spacing>::may_hold_string(const Unit* at, PyObject* str) const noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    constexpr std::size_t kMostUnits = 12;  // that one becomes
    if (n > kOneChunk || !has_room(at, kMostUnits * n + 2 + kItemRoom) || escapes_strings() || checks_strings()) return false;
    return mode != Mode::kUtf8 || !has_surrogate(str);
}

}  // namespace ocior::encode
