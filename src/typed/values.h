// What strings, numbers and words that are not plain have in common: choices, limits, hooks, and what is kept as text.
#pragma once

#include "py/taken_error.h"
#include "text/rich.h"
#include "typed/typed_builder.h"

namespace ocior::typed {

using text::base64_length, text::read_base64, text::read_uuid;
using text::datetime_of_seconds, text::duration_of_seconds, text::split_duration, text::Duration;
using text::is_integer, text::is_number, text::is_word;
using text::read_date, text::read_datetime, text::read_duration, text::read_time, text::round_up;

enum class Tried : std::uint8_t { kNo, kYes, kFailed };  // kFailed: an error is set, or there is no memory

// ASCII text, `length` units of it at `text`, which may lie in the document or in the working memory of the call.
struct Ascii {
    const std::uint8_t* text;  // null: the string is not ASCII, or too long to be narrowed
    std::size_t length;
};

// Whether `value` keeps the bounds, and which of them it does not. -1 with an error set.
inline int compare(PyObject* value, PyObject* bound, int operation, Code code, Code& broken, PyObject*& of) noexcept {
    if (!bound) return 1;
    int holds = PyObject_RichCompareBool(value, bound, operation);
    // NaN keeps no bound; that of Decimal does not even let itself be compared.
    if (holds < 0 && PyErr_ExceptionMatches(PyExc_ArithmeticError)) PyErr_Clear(), holds = 0;
    if (holds == 0) broken = code, of = bound;
    return holds;
}
inline int check_bounds(PyObject* value, const Bounds& bounds, Code& broken, PyObject*& of) noexcept {
    int holds = compare(value, bounds.gt, Py_GT, Code::kGt, broken, of);
    if (holds == 1) holds = compare(value, bounds.ge, Py_GE, Code::kGe, broken, of);
    if (holds == 1) holds = compare(value, bounds.lt, Py_LT, Code::kLt, broken, of);
    if (holds == 1) holds = compare(value, bounds.le, Py_LE, Code::kLe, broken, of);
    return holds;
}

// Whether the number with this text is a multiple of the bound. -1 with an error set.
template <typename Source, typename Unit>
int is_multiple(TypedBuilder<Source>& builder, const Unit* first, const Unit* last, PyObject* step) noexcept {
    const Owned text = Owned::steal(decode::ascii_str(first, last));
    const Owned found =
        text ? Owned::steal(PyObject_CallFunctionObjArgs(builder.session.state.multiple_of, text.get(), step, nullptr)) : Owned();
    builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
    return found ? PyObject_IsTrue(found.get()) : -1;
}

// What is left to do with a scalar: its hook.
template <typename Source>
PyObject* finished(TypedBuilder<Source>& builder, const Node* node, Kind kind, PyObject* value, PyObject** top,
                   const typename Source::Unit* first, const typename Source::Unit* last) noexcept {
    PyObject* const hook = node->hook(kind);
    if (OCIOR_LIKELY(!hook) || !value) return value;
    return apply_typed_hook(builder, hook, value, top, first, last);
}

// The value among the choices that `key` stands for, a new reference; null where there is none, or with an error set, of which
// `failed` tells.
inline PyObject* choice_of(PyObject* dict, PyObject* key, bool& failed) noexcept {
    if (!dict) return nullptr;
    PyObject* const found = PyDict_GetItemWithError(dict, key);
    failed = !found && PyErr_Occurred();
    return found ? new_ref(found) : nullptr;
}

// Asks the classes whose _missing_ is overridden. Null without an error where none has a value, or with one.
template <typename Source>
PyObject* ask_missing(TypedBuilder<Source>& builder, const Choices& choices, PyObject* value, Owned& cause) noexcept {
    for (Py_ssize_t i = 0; choices.missing && i < PyTuple_GET_SIZE(choices.missing); ++i) {
        PyObject* const made = decode::call_hook(builder.context, PyTuple_GET_ITEM(choices.missing, i), value);
        builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
        if (made) return made;
        if (!PyErr_ExceptionMatches(PyExc_ValueError)) return nullptr;
        TakenError taken;
        cause = Owned::borrow(taken.value());
    }
    return nullptr;
}

// `value`, of which the node knows choices alone, is none of these.
template <typename Source>
PyObject* refuse_choice(TypedBuilder<Source>& builder, const Node* node, PyObject* value, PyObject** top,
                        const typename Source::Unit* first, const typename Source::Unit* last, const char* got) noexcept {
    Owned cause;
    if (node->choices->missing && builder.session.is_collecting()) return new_ref(Py_None);  // nobody may be asked
    if (node->choices->missing) {
        PyObject* const made = ask_missing(builder, *node->choices, value, cause);
        if (made) return made;
        if (PyErr_Occurred()) return note_exception(builder, top, first, last);
    }
    return note_problem(builder, node->is_tag ? Code::kTag : Code::kChoice, top, first, last, node->expected, got, std::move(cause));
}

inline PyObject* new_duration(State& state, const Duration& duration) noexcept {
    return state.moments.new_timedelta(static_cast<int>(duration.days), static_cast<int>(duration.seconds),
                                       static_cast<int>(duration.microseconds));
}

// A Decimal of a number's text.
template <typename Source, typename Unit>
PyObject* decimal_of(TypedBuilder<Source>& builder, const Unit* first, const Unit* last) noexcept {
    const Decimals& decimals = builder.session.decoder.decimals;
    num::Digits digits;
    if (OCIOR_LIKELY(decimals.type() && num::read_digits(first, last, digits)))
        if (PyObject* const made = decimals.new_decimal(builder.context.allocator, digits.negative, digits.words, digits.word_count,
                                                        digits.digit_count, digits.exponent))
            return made;
    if (PyErr_Occurred()) return nullptr;
    const Owned text = Owned::steal(decode::ascii_str(first, last));
    PyObject* const type = builder.session.state.decimal_type;
    return text && type ? PyObject_CallOneArg(type, text.get()) : nullptr;
}

[[nodiscard]] inline bool double_of_text(const std::uint8_t* text, std::size_t length, double& value) noexcept {
    const decode::AsciiCopy copy(text, text + length);
    if (!copy.text()) return PyErr_NoMemory(), false;
    value = PyOS_string_to_double(copy.text(), nullptr, nullptr);
    return !(value == -1.0 && PyErr_Occurred());
}

// Notes as a number that is out of range what Decimal has refused to make, its exponent too large. False, the error still set, for any
// other.
template <typename Source>
bool note_out_of_range(TypedBuilder<Source>& builder, const Node* node, PyObject** top, const typename Source::Unit* first,
                       const typename Source::Unit* last, const char* got, PyObject*& noted) noexcept {
    if (!PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_ArithmeticError)) return false;
    TakenError taken;
    noted = note_problem(builder, Code::kRange, top, first, last, node->expected, got, Owned::borrow(taken.value()));
    return true;
}

// Whether a value of that form, which a string or seconds gave, keeps what the node's limits say; else the problem is noted and `value` is
// what that gives. `ascii`: the string.
template <typename Source>
bool check_string(TypedBuilder<Source>& builder, const Node* node, Form form, const Ascii& ascii, PyObject*& value, PyObject** top,
                  const typename Source::Unit* first, const typename Source::Unit* last) noexcept;

// A string that is not read but kept as text.
template <typename Source>
PyObject* text_between(TypedBuilder<Source>& builder, const typename Source::Unit* first, const typename Source::Unit* last) noexcept {
    const auto n = static_cast<Py_ssize_t>(last - first);
    if constexpr (Source::kUtf8) {
        if (builder.session.is_bytes) return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(first), n);
        return PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, first, n);
    } else {
        return PyUnicode_FromKindAndData(static_cast<int>(sizeof *first), first, n);
    }
}

// What a model or a Raw is made of, from its text.
template <typename Source>
PyObject* make_of_text(TypedBuilder<Source>& builder, const Node* node, PyObject* text_object, PyObject** top,
                       const typename Source::Unit* first, const typename Source::Unit* last) noexcept {
    const Owned text = Owned::steal(text_object);
    if (!text) return end_reading(builder);
    if (builder.session.is_collecting()) return new_ref(Py_None);
    PyObject* const maker = node->whole == Whole::kRaw ? builder.session.state.raw_type : node->details->model;
    PyObject* const made = decode::call_hook(builder.context, maker, text.get());
    builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
    return made ? made : note_exception(builder, top, first, last);
}

}  // namespace ocior::typed
