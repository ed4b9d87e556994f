// The numbers and constants of writer.h, one by one and in runs, and the choice among all that an item may be.
#pragma once

#include "encode/writer/writer.h"

namespace ocior::encode {

// A string, and the separator behind a key or an item.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_string(Unit* at, PyObject* str) noexcept {
    Unit* end = nullptr;
    if (!kFixed && OCIOR_UNLIKELY(escapes_strings() || (checks_strings() && !is_compact_ascii(str)))) {
        at = put_any_string(at, str, !kIsKey);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        return kIsKey ? put_key_separator(at) : put_item_separator(at);
    }
    if (OCIOR_UNLIKELY(!is_compact_ascii(str))) {
        end = put_short_units(at, str);
        if (OCIOR_LIKELY(end != nullptr)) return put_string_end<kIsKey>(end);
        end = mode == Mode::kText ? Base::put_own_units(at, str, !kIsKey) : Base::put_long_units(at, str, !kIsKey);
        return OCIOR_LIKELY(end != nullptr) ? put_string_end<kIsKey>(end) : nullptr;
    }
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    // No look at the room left: kItemRoom takes two of these and what stands between them.
    if (OCIOR_LIKELY(n <= simd::ShortText::kLanes)) end = copy_short<mode>(at + 1, ascii_data(str), n);
    if (OCIOR_UNLIKELY(!end)) {
        end = Base::put_long_ascii(at, str, !kIsKey);
        return OCIOR_LIKELY(end != nullptr) ? put_string_end<kIsKey>(end) : nullptr;
    }
    put(at, '"');
    return put_string_end<kIsKey>(end);
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_float(Unit* at, PyObject* value) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    if (OCIOR_UNLIKELY(!__builtin_isfinite(number))) {
        note_item(at);
        const char* text = allowed_non_finite_text(call_, value, number);
        return text ? put_ascii(at, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)) : nullptr;
    }
    if constexpr (sizeof(Unit) == 1) {
        std::uint8_t* const end = num::write_f64(at, number);
        if constexpr (!kFixed) return style_float(options_, at, end);
        return style_exponent(options_.exponents, at, end);
    } else {
        std::uint8_t text[kNumberRoom];
        std::uint8_t* end = num::write_f64(text, number);
        if constexpr (!kFixed) end = style_float(options_, text, end);
        else end = style_exponent(options_.exponents, text, end);
        simd::widen_32(at, text);
        return at + (end - text);
    }
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kArePoints>
OCIOR_NOINLINE NumberRun Writer<mode, Unit, spacing>::write_number_run(std::uint8_t* at, PyObject* const* first,
                                                                       PyObject* const* end) noexcept {
    const Between between = between_items();
    if (OCIOR_UNLIKELY(between.fill_count + (kArePoints ? between.fill_step : 0) > kShortLine)) return {at, first};
    return (kArePoints ? write_points<kHasLines> : write_floats<kHasLines>)(at, item_limit_, first, end, between);
}

// The float that `run` gave last, and those that follow it.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_float_items(Unit* at, PyObject* value, Run& run) noexcept {
    if constexpr (kHasNumberRuns) {
        PyObject* const* const first = run.last();
        if (may_begin_run(first, run.end())) {
            const NumberRun written = write_number_run<false>(at, first, run.end());
            if (OCIOR_LIKELY(written.next != first)) {
                run.go_on_at(written.next);
                return written.at;
            }
        }
    }
    run.prefetch_items();
    return put_float_item(at, value);
}

// The list or tuple that `run` gave last, and those that follow it, while they are points. Null where they are none.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_points(Unit* at, Run& run) noexcept {
    if constexpr (kHasNumberRuns) {
        if (!call_.hides_items()) return nullptr;
        PyObject* const* const first = run.last();
        if (run.end() - first >= 2 && may_be_points(first[0], first[1])) {
            const NumberRun written = write_number_run<true>(at, first, run.end());
            if (OCIOR_LIKELY(written.next != first)) {
                run.go_on_at(written.next);
                return written.at;
            }
        }
    }
    return nullptr;
}

// The items that follow while they are true, false or null, without a look at their types.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_constants(Unit* at, Run& run) noexcept {
    if constexpr (kFixed) {
        PyObject* const value = run.peek();
        if (call_.constants.literals.finder().candidate(value).object != value) return at;
        const ConstantRun written = write_constants(at, run.next_items(), run.end());
        run.go_on_at(written.next);
        return written.at;
    }
    return at;
}

// A function of its own: within the walk, how fast this short loop runs has depended on where the compiler places it, by up to 1.4 times.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE auto Writer<mode, Unit, spacing>::write_constants(Unit* at, PyObject* const* next, PyObject* const* end) noexcept
    -> ConstantRun {
    const Literals::Finder literals = call_.constants.literals.finder();
    for (; next != end && has_item_room(at); ++next) {
        // Which of the three comes next may be as good as random: no branch depends on it.
        const Literals::Literal& literal = literals.candidate(*next);
        if (literal.object != *next) break;
        if constexpr (kHasLines) {
            at = put_line(at);
            if (OCIOR_UNLIKELY(!at)) break;
        }
        at = put_word(at, literal.text[kItemLength - 1], literal.length + kItemLength);
    }
    return {at, next};
}

// Whether it is worth a look into the table of types for a value that is no scalar of exactly JSON's own types: the walk knows JSON's own
// containers without one. Where there are no rich types, what is written at once is of classes derived from str, int, list and tuple.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE bool Writer<mode, Unit, spacing>::may_be_rich(PyObject* value) const noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    if (type == &PyDict_Type || type == &PyList_Type || type == &PyTuple_Type) return false;
    constexpr unsigned long kDerived =
        Py_TPFLAGS_LONG_SUBCLASS | Py_TPFLAGS_UNICODE_SUBCLASS | Py_TPFLAGS_LIST_SUBCLASS | Py_TPFLAGS_TUPLE_SUBCLASS;
    return call_.rich || (PyType_HasFeature(type, kDerived) && type != &PyLong_Type);
}

// The item that `run` gave last, and those that follow it, while they are scalars of other types than JSON's own that are written at once.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE auto Writer<mode, Unit, spacing>::put_rich_scalars(Unit* at, Run& run) noexcept -> Written {
    PyObject* const* const first = run.last();
    if (!may_be_rich(*first)) return {at, false};
    const ScalarRun written = write_rich_scalars(at, first, run.end());
    if (written.next == first) return {at, false};
    run.go_on_at(written.next);
    return {written.at, true};
}
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE auto Writer<mode, Unit, spacing>::put_rich_scalar(Unit* at, PyObject* value) noexcept -> Written {
    if (!may_be_rich(value)) return {at, false};
    PyObject* const only = value;  // a variable whose address is taken lives in memory
    const ScalarRun written = write_rich_scalars(at, &only, &only + 1);
    return {written.at, written.next != &only};
}

// Writes such items of [next, end), each with a separator. Where there are lines it is one at most, whose line is there already.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE auto Writer<mode, Unit, spacing>::write_rich_scalars(Unit* at, PyObject* const* next, PyObject* const* end) noexcept
    -> ScalarRun {
    const TypeTable::Entry *entry = nullptr, *before = nullptr;  // of the last two types
    do {
        PyObject* const value = *next;
        if (PyTypeObject* const type = Py_TYPE(value); !entry || entry->type != type) {
            std::swap(entry, before);
            if (!entry || entry->type != type) entry = call_.context.types.entry_of(type, call_.rich);
            if (!entry) break;
        }
        if (end - next > 8) __builtin_prefetch(next[8]);
        if constexpr (kFixed && !kHasLines && sizeof(Unit) == 1) {
            // (It is not worth it for one.)
            if (entry->plan.write_run && end - next >= 2 && Py_TYPE(next[1]) == entry->type) {
                constexpr ItemSeparator kSeparator{kItemWord, kItemLength};
                const TextRun run = entry->plan.write_run(call_, entry->plan, {at, next}, end, item_limit_, kSeparator);
                if (OCIOR_UNLIKELY(run.next == next)) break;
                at = run.at;
                next = run.next;
                continue;
            }
        }
        Unit* const behind = put_planned(at, *entry, value, 0);
        if (OCIOR_UNLIKELY(!behind)) {
            call_.context.types.note(entry);
            break;
        }
        at = behind;
        ++next;
    } while (!kHasLines && next != end && has_item_room(at));
    return {at, next};
}

// Writes a value by the plan of its type, and a separator, without a frame, where it stands in `outer` containers that have none. Null
// where that is not done: nothing of it counts as written then, no error is set, and the walk has to write it. No Python code runs.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_planned(Unit* at, const TypeTable::Entry& entry, PyObject* value,
                                                            std::size_t outer) noexcept {
    switch (entry.plan.role) {
        case Role::kScalar:
        case Role::kText: return OCIOR_LIKELY(entry.plan.write_at_once != nullptr) ? put_at_once(at, entry, value) : nullptr;
        case Role::kReplaced: return entry.plan.write_at_once ? put_at_once(at, entry, value) : put_replacement(at, entry, value);
        case Role::kFields: return put_frameless_fields(at, entry, value, outer);
        case Role::kStoredSequence: return put_stored_row(at, entry, value);
        case Role::kSmallContainer: return put_small(at, entry.plan, value, outer);
        case Role::kJson: return put_json_at_once(at, value);
        case Role::kString: return put_derived_string(at, value);
        case Role::kContainer:
        case Role::kUnknown:
        case Role::kNotFound: break;
    }
    return nullptr;
}

// What is written in the place of an instance, and a separator, where that is a scalar that lies where the plan says.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_replacement(Unit* at, const TypeTable::Entry& entry, PyObject* value) noexcept {
    PyObject* const other = call_.value_of_instance(entry.fields, value);
    return other ? put_lone_scalar(at, other) : nullptr;
}

// A string of a class derived from str, and a separator, where it is not long.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_derived_string(Unit* at, PyObject* str) noexcept {
    if (!may_hold_string(at, str)) return nullptr;
    at = put_any_string(at, str, true);
    if (OCIOR_LIKELY(at != nullptr)) return put_item_separator(at);
    call_.stop = Stop::kFailed;  // it may have been too wide
    return nullptr;
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_at_once(Unit* at, const TypeTable::Entry& entry, PyObject* value) noexcept {
    std::uint8_t text[sizeof(Unit) == 1 ? 1 : kShortScalar];
    std::uint8_t* const start = sizeof(Unit) == 1 ? reinterpret_cast<std::uint8_t*>(at) : text;
    const std::uint8_t* const behind = entry.plan.write_at_once(call_, entry.plan, value, start);
    if (OCIOR_UNLIKELY(!behind)) return nullptr;
    const auto n = static_cast<std::size_t>(behind - start);
    return put_item_separator(sizeof(Unit) == 1 ? at + n : put_ascii(at, text, n));
}

// Ready JSON that is in the form of the output already, and a separator; null where it is not, or there is no room for it.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_json_at_once(Unit* at, PyObject* raw) noexcept {
    if (!kFixed || (call_.rich & (kByDialect | kExtraEscapes))) return nullptr;
    PyObject* const text = reinterpret_cast<RawObject*>(raw)->text;
    const std::uint8_t* data;
    std::size_t n;
    if (mode == Mode::kUtf8 && text && PyBytes_CheckExact(text)) {
        data = reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(text));
        n = static_cast<std::size_t>(PyBytes_GET_SIZE(text));
    } else if (text && PyUnicode_CheckExact(text) && is_compact_ascii(text)) {
        data = ascii_data(text);
        n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text));
    } else {
        return nullptr;
    }
    call_.has_ready_json = true;
    return has_room(at, n + kItemRoom) ? put_item_separator(put_ascii(at, data, n)) : nullptr;
}

// A small container that stands in `outer` others without frames, and a separator; null where it is not written so.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_small(Unit* at, const Plan& plan, PyObject* value, std::size_t outer) noexcept {
    if (!kFixed || kHasLines || !has_room(at, kSmallArray + kItemRoom) || call_.depth() + outer + 2 >= kSuspiciousDepth) return nullptr;
    // An array has no lock: without a GIL others who can find it may give it another shape, or other memory, while it is read.
    if (!layout::kHasGil && !((outer || call_.hides_items()) && has_one_reference(value))) return nullptr;
    std::uint8_t text[sizeof(Unit) == 1 ? 1 : kSmallArray];
    std::uint8_t* const start = sizeof(Unit) == 1 ? reinterpret_cast<std::uint8_t*>(at) : text;
    const std::uint8_t* const behind = plan.write_small(call_, value, std::string_view(", ", 2).substr(0, kItemLength), start);
    if (OCIOR_UNLIKELY(!behind)) return nullptr;
    const auto n = static_cast<std::size_t>(behind - start);
    return put_item_separator(sizeof(Unit) == 1 ? at + n : put_ascii(at, text, n));
}

// Whether ints of 64 bits are written as keys without a look at their type.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE bool Writer<mode, Unit, spacing>::may_write_int_keys() const noexcept {
    const bool are_keys = !(call_.rich & kStored) || (call_.rich & kRichKeys);
    return are_keys && !(call_.rich & kByDialect) && options_.integers != IntegerRange::k53Bits;
}

// The key of an object that is no str of exactly that type, and its separator, where the text of a value of its type is written at once.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE auto Writer<mode, Unit, spacing>::put_key_at_once(Unit* const start, PyObject* key) noexcept -> Written {
    const Written none{start, false};
    // A line that may need more room than an item is given is not worth it.
    const bool has_long_line = spacing == Spacing::kAny ? options_.pretty : kHasLines && call_.level * options_.indent.count > kShortLine;
    if (OCIOR_UNLIKELY(has_long_line)) return none;
    if (SmallInt number; PyLong_CheckExact(key) && OCIOR_LIKELY(may_write_int_keys() && read_small_int(key, number))) {
        Unit* const at = put(put_line(start), '"');
        *at = '-';
        return {put_string_end<true>(num::write_u64(at + number.is_negative, number.magnitude)), true};
    }
    return put_rich_key(start, key);
}

// Writes a key, and its separator, that put_key_at_once() has not written as an int.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE auto Writer<mode, Unit, spacing>::put_rich_key(Unit* const start, PyObject* key) noexcept -> Written {
    const Written none{start, false};
    // (What the default hook is passed as a value may be a key.)
    if (call_.rich & (kByDialect | kPassSubclasses | kPassDataclasses | kPassDatetimes)) return none;
    const TypeTable::Entry* const entry = call_.context.types.entry_of(Py_TYPE(key), call_.rich);
    if (!entry || !call_.may_be_key(Py_TYPE(key)) || call_.is_text_of_key(key)) return none;
    Unit* at = put_line(start);
    if (const auto write = entry->plan.write_at_once) {
        const bool has_quotes = entry->plan.role != Role::kScalar;
        std::uint8_t text[sizeof(Unit) == 1 ? 1 : kShortScalar];
        std::uint8_t* const first = sizeof(Unit) == 1 ? reinterpret_cast<std::uint8_t*>(at) : text;
        std::uint8_t* behind = write(call_, entry->plan, key, first + !has_quotes);
        if (OCIOR_UNLIKELY(!behind)) return none;
        if (!has_quotes) *first = *behind++ = '"';
        const auto n = static_cast<std::size_t>(behind - first);
        return {put_key_separator(sizeof(Unit) == 1 ? at + n : put_ascii(at, text, n)), true};
    }
    PyObject* const other = entry->plan.role == Role::kReplaced ? call_.value_of_instance(entry->fields, key) : nullptr;
    if (!other || !PyUnicode_CheckExact(other)) return none;
    return {put_key(at, other), true};
}

// A string, int, float, true, false or null of exactly that type, and a separator; `scalar` says whether the value was one. An int
// that 64 bits don't hold counts as none: its conversion may look for signals, whose handlers are Python code. `put_floats` writes a float
// and a separator, and may write on behind them; so may `after_constant` behind true, false or null. `before_string` is called first for a
// string.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename BeforeString, typename PutFloats, typename AfterConstant>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_item(Unit* at, PyObject* value, bool& scalar, BeforeString before_string,
                                                         PutFloats put_floats, AfterConstant after_constant) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    scalar = true;
    if (type == &PyUnicode_Type) {
        before_string();
        return put_string<false>(at, value);
    }
    if (type == &PyLong_Type) {
        SmallInt number;
        // Where ints beyond 53 bits are refused, the text between values is not known at compile time: settle() sees to that.
        const bool may_be_refused = !kFixed && options_.integers == IntegerRange::k53Bits;
        if (OCIOR_LIKELY(!may_be_refused && read_small_int(value, number))) {
            put(at, '-');
            return put_item_separator(num::write_u64(at + number.is_negative, number.magnitude));
        }
        Unit* const end = put_long_int(at, value);
        if (OCIOR_LIKELY(end != nullptr)) return put_item_separator(end);
        scalar = false;
        return at;
    }
    if (type == &PyFloat_Type) return put_floats(at, value);
    if (value == Py_None || type == &PyBool_Type) {
        const auto [text, length] = constant_text(value);
        if constexpr (!kFixed) return put_item_separator(put_word(at, text, length));
        return after_constant(put_word(at, text | kItemWord << (8 * length), length + kItemLength));
    }
    scalar = false;
    return at;
}

// What the loop over dicts writes of a value without being left, behind a key that is no str.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE auto Writer<mode, Unit, spacing>::put_scalar_at_once(Unit* at, PyObject* value) noexcept -> Written {
    bool is_scalar;
    Unit* const behind = put_item_apart(at, value, is_scalar);
    if (is_scalar) return {behind, true};
    if (Unit* const empty = put_if_empty(at, value)) return {put_item_separator(empty), true};
    return put_rich_scalar(at, value);
}

}  // namespace ocior::encode
