// Numbers and words that are not plain.
#include "typed/values.h"

namespace ocior::typed {
namespace {

// The int that a number with a fraction or an exponent is, exactly, if it is one.
template <typename Unit>
Tried int_of_real(const Unit* first, const Unit* last, PyObject*& value, bool& is_out_of_range) noexcept {
    constexpr std::ptrdiff_t kMostDigits = 4300;  // what sys.get_int_max_str_digits() says where nobody has changed it
    const bool is_negative = *first == '-';
    const Unit* const digits = first + is_negative;
    const Unit* end = digits;
    std::ptrdiff_t point = -1;  // how many digits stand in front of it
    for (; end != last && (*end | 0x20) != 'e'; ++end)
        if (*end == '.') point = end - digits;
    std::ptrdiff_t exponent = 0;
    if (end != last) {
        const Unit* p = end + 1;
        const bool is_small = *p == '-';
        for (p += *p == '-' || *p == '+'; p != last; ++p)
            exponent = exponent < (PY_SSIZE_T_MAX >> 8) ? 10 * exponent + (*p - '0') : exponent;
        if (is_small) exponent = -exponent;
    }
    // From the first digit that is not 0 to the last one, and where that one stands.
    const Unit *from = digits, *to = end;
    while (from != end && (*from == '0' || *from == '.')) ++from;
    if (from == end) return (value = PyLong_FromLong(0)) ? Tried::kYes : Tried::kFailed;
    while (to[-1] == '0' || to[-1] == '.') --to;
    const std::ptrdiff_t length = end - digits, in_front = point < 0 ? length : point, of_last = to - 1 - digits;
    exponent += of_last < in_front ? in_front - 1 - of_last : in_front - of_last;  // of ten, for the last one
    if (exponent < 0) return Tried::kNo;
    if (exponent + (to - from) > kMostDigits) return is_out_of_range = true, Tried::kNo;
    char text[kMostDigits + 3];
    char* out = text;
    if (is_negative) *out++ = '-';
    for (const Unit* p = from; p != to; ++p)
        if (*p != '.') *out++ = static_cast<char>(*p);
    for (; exponent > 0; --exponent) *out++ = '0';
    *out = '\0';
    return (value = PyLong_FromString(text, nullptr, 10)) ? Tried::kYes : Tried::kFailed;
}

// A number as that form, into `value`; null without an error where the form does not take it.
template <typename Source>
Tried number_as(TypedBuilder<Source>& builder, Form form, const num::Number& number, const typename Source::Unit* first,
                const typename Source::Unit* last, bool is_integer_text, PyObject*& value, bool& is_out_of_range) noexcept {
    State& state = builder.session.state;
    value = nullptr;
    const auto as_double = [&](double& result) {
        if (number.kind == num::NumberKind::kFloat64) return result = number.d, true;
        const decode::AsciiCopy copy(first, last);
        if (!copy.text()) return PyErr_NoMemory(), false;
        result = PyOS_string_to_double(copy.text(), nullptr, nullptr);
        return !(result == -1.0 && PyErr_Occurred());
    };
    const auto made = [&](PyObject* object) { return (value = object) ? Tried::kYes : Tried::kFailed; };
    switch (form) {
        case Form::kInt:
            if (is_integer_text) return made(decode::new_number<Asked::kAnything>(builder, number, first, last));
            return int_of_real(first, last, value, is_out_of_range);
        case Form::kFloat: {
            double real;
            if (number.kind == num::NumberKind::kInt64) {
                real = static_cast<double>(magnitude(number.i));
                if (*first == '-') real = -real;
            } else if (!as_double(real)) {
                return Tried::kFailed;
            }
            return made(decode::new_float(builder, real));
        }
        case Form::kDecimal: return made(decimal_of(builder, first, last));
        case Form::kBool:
            if (number.kind != num::NumberKind::kInt64 || *first == '-' || magnitude(number.i) > 1) return Tried::kNo;
            return made(new_ref(number.i ? Py_True : Py_False));
        case Form::kDateTime:
        case Form::kTimeDelta: {
            double seconds = static_cast<double>(number.i);
            if (number.kind != num::NumberKind::kInt64 && !as_double(seconds)) return Tried::kFailed;
            Moment moment;
            Duration duration;
            const bool is_held = form == Form::kDateTime ? datetime_of_seconds(seconds, moment) : duration_of_seconds(seconds, duration);
            if (!is_held) return is_out_of_range = true, Tried::kNo;
            return made(form == Form::kDateTime ? state.moments.new_datetime(moment) : new_duration(state, duration));
        }
        default: return Tried::kNo;
    }
}

}  // namespace

template <typename Source>
PyObject* take_number(TypedBuilder<Source>& builder, const Node* node, PyObject** top, const num::Number& number,
                      const typename Source::Unit* first, const typename Source::Unit* last) noexcept {
    using num::NumberKind;
    const bool is_integer_text = number.kind == NumberKind::kBigInt || (number.kind == NumberKind::kInt64);
    const Kind kind = is_integer_text ? Kind::kInteger : Kind::kReal;
    const char* const got = is_integer_text ? "integer" : "number";
    if (node->whole == Whole::kRaw || node->whole == Whole::kModel)
        return make_of_text(builder, node, text_between(builder, first, last), top, first, last);
    const Choices* const choices = node->choices;
    PyObject* const dict = !choices ? nullptr : is_integer_text ? choices->integers : choices->floats;
    if (choices && (dict || choices->missing)) {
        const Owned key = Owned::steal(is_integer_text ? decode::new_number<Asked::kAnything>(builder, number, first, last)
                                                       : PyFloat_FromDouble(number.d));
        if (!key) {
            if (builder.error == Error::kIntegerOutOfRange || builder.error == Error::kNumberOutOfRange) {
                builder.error = Error::kNone;
                return note_problem(builder, Code::kRange, top, first, last, node->expected, got);
            }
            if (builder.error == Error::kNone && PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ValueError))
                return note_exception(builder, top, first, last, Code::kRange, node->expected);
            return builder.error == Error::kNone ? end_reading(builder) : nullptr;
        }
        bool failed = false;
        PyObject* const found = choice_of(dict, key.get(), failed);
        if (failed) return end_reading(builder);
        if (found) return finished(builder, node, kind, found, top, first, last);
        const Form form = is_integer_text ? node->integer : node->real;
        if (form == Form::kNone) return refuse_choice(builder, node, key.get(), top, first, last, got);
    }
    const Form form = is_integer_text ? node->integer : node->real;
    PyObject* value;
    bool is_out_of_range = false;
    const Tried tried = number_as(builder, form, number, first, last, is_integer_text, value, is_out_of_range);
    if (OCIOR_UNLIKELY(tried == Tried::kFailed)) {
        if (builder.error == Error::kNumberOutOfRange || builder.error == Error::kIntegerOutOfRange) {
            builder.error = Error::kNone;
            return note_problem(builder, Code::kRange, top, first, last, node->expected, got);
        }
        if (builder.error != Error::kNone) return nullptr;
        if (PyObject* noted = nullptr; note_out_of_range(builder, node, top, first, last, got, noted)) return noted;
        if (PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ValueError))
            return note_exception(builder, top, first, last, Code::kRange, node->expected);
        return end_reading(builder);
    }
    if (tried == Tried::kNo)
        return note_problem(builder,
                            is_out_of_range       ? Code::kRange
                            : form != Form::kNone ? Code::kValue
                                                  : Code::kType,
                            top, first, last, node->expected, got);
    const Details* const details = node->details;
    if (details && (form == Form::kDateTime || form == Form::kTimeDelta)) {
        // Seconds since 1970 are UTC.
        if (form == Form::kDateTime && details->needs_offset == 0) {
            Py_DECREF(value);
            return note_problem(builder, Code::kTz, top, first, last, node->expected, got);
        }
        if (!check_string(builder, node, form, Ascii{nullptr, 0}, value, top, first, last)) return value;
    } else if (details && details->numbers.are_any() && !PyBool_Check(value) && value != Py_None) {
        Code broken{};
        PyObject* of = nullptr;
        int holds = check_bounds(value, details->numbers, broken, of);
        if (holds == 1 && details->numbers.multiple_of) {
            holds = is_multiple(builder, first, last, details->numbers.multiple_of);
            broken = Code::kMultipleOf, of = details->numbers.multiple_of;
        }
        if (holds != 1) {
            Py_DECREF(value);
            return holds < 0 ? end_reading(builder) : note_problem(builder, broken, top, first, last, of, got);
        }
    }
    return finished(builder, node, kind, value, top, first, last);
}

template <typename Source>
PyObject* take_non_finite(TypedBuilder<Source>& builder, const Node* node, PyObject** top, NonFinite which,
                          const typename Source::Unit* first) noexcept {
    const auto* const last = first + (which == NonFinite::kNaN ? 3 : which == NonFinite::kInfinity ? 8 : 9);
    if (builder.options.non_finite == NonFiniteNumbers::kError) return builder.refuse(Error::kExpectingValue);
    if (node->whole == Whole::kRaw || node->whole == Whole::kModel)
        return make_of_text(builder, node, text_between(builder, first, last), top, first, last);
    const Choices* const choices = node->choices;
    const bool asks = choices && choices->missing && node->real == Form::kNone;
    if (OCIOR_UNLIKELY(asks || (choices && choices->floats))) {
        const double number = which == NonFinite::kNaN        ? __builtin_nan("")
                              : which == NonFinite::kInfinity ? __builtin_inf()
                                                              : -__builtin_inf();
        const Owned key = Owned::steal(PyFloat_FromDouble(number));
        bool failed = false;
        PyObject* const found = key ? choice_of(choices->floats, key.get(), failed) : nullptr;
        if (!key || failed) return end_reading(builder);
        if (found) return finished(builder, node, Kind::kReal, found, top, first, last);
        if (node->real == Form::kNone) return refuse_choice(builder, node, key.get(), top, first, last, "number");
    }
    if (node->real != Form::kFloat) {
        const bool is_other = node->real == Form::kNone || node->real == Form::kDecimal;
        return note_problem(builder, is_other ? Code::kType : Code::kValue, top, first, last, node->expected, "number");
    }
    PyObject* const value = decode::new_non_finite<Asked::kAnything>(builder, which);
    if (!value) return nullptr;
    const Details* const details = node->details;
    if (details && details->numbers.are_any() && value != Py_None) {
        Code broken{};
        PyObject* of = nullptr;
        int holds = check_bounds(value, details->numbers, broken, of);
        if (holds == 1 && details->numbers.multiple_of) broken = Code::kMultipleOf, of = details->numbers.multiple_of, holds = 0;
        // A comparison with NaN is false, so NaN keeps no bound.
        if (holds != 1) {
            Py_DECREF(value);
            return holds < 0 ? end_reading(builder) : note_problem(builder, broken, top, first, last, of, "number");
        }
    }
    return finished(builder, node, Kind::kReal, value, top, first, last);
}

template <typename Source>
PyObject* take_word(TypedBuilder<Source>& builder, const Node* node, PyObject** top, Word word,
                    const typename Source::Unit* first) noexcept {
    static constexpr const char* kNames[] = {"false", "null", "true"};
    PyObject* const constant = builder.constants.words[word];
    const Kind kind = word == kNull ? Kind::kNull : Kind::kBoolean;
    const auto* const last = first + word_length(word);
    if (node->choices && node->choices->words[word])
        return finished(builder, node, kind, new_ref(node->choices->words[word]), top, first, last);
    if (word == kNull ? node->is_null_taken : node->is_bool_taken)
        return finished(builder, node, kind, new_ref(constant), top, first, last);
    if (node->whole == Whole::kRaw || node->whole == Whole::kModel)
        return make_of_text(builder, node, text_between(builder, first, last), top, first, last);
    const Choices* const choices = node->choices;
    if (word != kNull && choices && choices->missing) return refuse_choice(builder, node, constant, top, first, last, kNames[word]);
    const bool has_choices = word != kNull && choices && (choices->words[kTrue] || choices->words[kFalse]);
    return note_problem(builder, has_choices ? Code::kChoice : Code::kType, top, first, last, node->expected, kNames[word]);
}

#define OCIOR_INSTANTIATE(Source)                                                                                                        \
    template PyObject* take_number<Source>(TypedBuilder<Source>&, const Node*, PyObject**, const num::Number&, const Source::Unit*,      \
                                           const Source::Unit*) noexcept;                                                                \
    template PyObject* take_non_finite<Source>(TypedBuilder<Source>&, const Node*, PyObject**, NonFinite, const Source::Unit*) noexcept; \
    template PyObject* take_word<Source>(TypedBuilder<Source>&, const Node*, PyObject**, Word, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::typed
