// Strings that are not plain: those that stand for something else, and those with limits.
#include "typed/values.h"

namespace ocior::typed {
namespace {

inline constexpr std::size_t kMostNarrow = 96;

// The text of the string at `p`. `narrow`: room for what comes of wider units.
template <typename Source>
bool locate(TypedBuilder<Source>& builder, const typename Source::Unit* p, std::uint8_t* narrow, Ascii& ascii,
            const typename Source::Unit*& next) noexcept {
    const auto run = scan_run<Source>(p);
    const void* units = p;
    std::size_t count = static_cast<std::size_t>(run.stop - p);
    unsigned width = sizeof *p;
    std::uint32_t bits = run.bits;
    next = run.stop + 1;
    if (OCIOR_UNLIKELY(*run.stop != '"') || (Source::kUtf8 && OCIOR_UNLIKELY(bits >= 0x80))) {
        const auto text = read_text<Source>(builder, p);
        next = text.next;
        if (!text.units) return false;
        units = text.units, count = text.unit_count, bits = text.bits;
        width = text.width == 0 ? 1 : text.width;
    }
    ascii = {nullptr, count};
    if (bits >= 0x80) return true;
    if (width == 1) return ascii.text = static_cast<const std::uint8_t*>(units), true;
    if (count > kMostNarrow) return true;
    if (width == 2) text::convert(narrow, static_cast<const std::uint16_t*>(units), count);
    else text::convert(narrow, static_cast<const std::uint32_t*>(units), count);
    ascii.text = narrow;
    return true;
}

PyObject* int_of_uuid(const std::uint8_t (&bytes)[16]) noexcept { return _PyLong_FromByteArray(bytes, sizeof bytes, 0, 0); }

template <typename Source>
PyObject* new_uuid(TypedBuilder<Source>& builder, const std::uint8_t (&bytes)[16]) noexcept {
    State& state = builder.session.state;
    PyObject* values[2] = {int_of_uuid(bytes), new_ref(state.unknown_safety)};
    PyObject* const made = values[0] ? state.uuid.make(builder.context.allocator, values, false) : nullptr;
    for (PyObject* const rest : values) Py_XDECREF(rest);
    return made;
}

PyObject* int_of_text(const std::uint8_t* text, std::size_t length) noexcept {
    const decode::AsciiCopy copy(text, text + length);
    return copy.text() ? PyLong_FromString(copy.text(), nullptr, 10) : PyErr_NoMemory();
}

// What the string is in that form, into `value`, if it is of that form. `str`: the string as an object, made when it is needed first.
template <typename Source>
struct StringReader {
    TypedBuilder<Source>& builder;
    const Node* node;
    const typename Source::Unit* p;
    Ascii ascii;
    const typename Source::Unit* next;
    Owned str{};
    const typename Source::Unit* blamed = nullptr;  // where no str could be made
    bool has_bad_offset = false;
    bool is_out_of_range = false;  // of a float: the policy refuses what is not finite

    // Borrowed; null with the builder's error set.
    PyObject* as_str() noexcept {
        if (str) return str.get();
        const auto read = builder.checked(decode::read_any_string(builder, p), p);
        str = Owned::steal(read.object);
        blamed = read.next;
        return str.get();
    }

    Tried take(PyObject* made, PyObject*& value) noexcept { return (value = made) ? Tried::kYes : Tried::kFailed; }
    Tried take_float(PyObject* made, PyObject*& value) noexcept {
        is_out_of_range = !made && builder.error != Error::kNone;
        return take(made, value);
    }

    Tried read_moment(Form form, PyObject*& value) noexcept {
        State& state = builder.session.state;
        Moment moment;
        const bool is_one = form == Form::kDateTime ? read_datetime(ascii.text, ascii.length, moment)
                            : form == Form::kDate   ? read_date(ascii.text, ascii.length, moment)
                                                    : read_time(ascii.text, ascii.length, moment);
        if (!is_one) return Tried::kNo;
        const bool is_rounded = OCIOR_UNLIKELY(moment.is_nearer_to_next) && builder.session.is_exacting;
        if (is_rounded && !round_up(moment, form == Form::kDateTime)) return Tried::kNo;
        if (form == Form::kDate) return take(state.moments.new_date(moment), value);
        const int needs = node->details ? node->details->needs_offset : -1;
        if (needs >= 0 && moment.has_offset != (needs == 1)) return has_bad_offset = true, Tried::kNo;
        return take(form == Form::kDateTime ? state.moments.new_datetime(moment) : state.moments.new_time(moment), value);
    }

    Tried read(Form form, PyObject*& value) noexcept {
        value = nullptr;
        if (form == Form::kStr) {
            if (!as_str()) return Tried::kFailed;
            return value = str.release(), Tried::kYes;
        }
        if (form == Form::kCall) {
            if (!as_str()) return Tried::kFailed;
            value = decode::call_hook(builder.context, node->details->string_class, str.get());
            builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
            return value ? Tried::kYes : Tried::kFailed;
        }
        Owned whole;  // a text that was too long to be narrowed
        if (!ascii.text) {
            if (!as_str()) return Tried::kFailed;
            if (!is_compact_ascii(str.get())) return Tried::kNo;
            ascii = {ascii_data(str.get()), static_cast<std::size_t>(PyUnicode_GET_LENGTH(str.get()))};
        }
        const auto [text, length] = ascii;
        switch (form) {
            case Form::kUuid: {
                std::uint8_t bytes[16];
                return read_uuid(text, length, bytes) ? take(new_uuid(builder, bytes), value) : Tried::kNo;
            }
            case Form::kDateTime:
            case Form::kDate:
            case Form::kTime: return read_moment(form, value);
            case Form::kTimeDelta: {
                Duration duration;
                if (!read_duration(text, length, duration)) return Tried::kNo;
                if (builder.session.is_exacting && (!duration.is_exact || duration.has_weeks)) return Tried::kNo;
                return take(new_duration(builder.session.state, duration), value);
            }
            case Form::kDecimal: return read_decimal(value);
            case Form::kBytes:
            case Form::kByteArray: return read_bytes(form, value);
            case Form::kInt: return is_integer(text, length) ? take(int_of_text(text, length), value) : Tried::kNo;
            case Form::kFloat: {
                const bool is_negative = length > 0 && *text == '-';
                const std::uint8_t* const word = text + is_negative;
                const std::size_t n = length - is_negative;
                if (is_word(word, n, "nan")) return take_float(decode::new_non_finite<Asked::kAnything>(builder, NonFinite::kNaN), value);
                if (is_word(word, n, "inf") || is_word(word, n, "infinity"))
                    return take_float(
                        decode::new_non_finite<Asked::kAnything>(builder, is_negative ? NonFinite::kMinusInfinity : NonFinite::kInfinity),
                        value);
                if (!is_number(text, length)) return Tried::kNo;
                double number;
                if (!double_of_text(text, length, number)) return Tried::kFailed;
                return take_float(decode::new_float(builder, number), value);
            }
            case Form::kBool: {
                const bool is_true = is_word(text, length, "true") || (length == 1 && *text == '1'),
                           is_false = is_word(text, length, "false") || (length == 1 && *text == '0');
                return is_true || is_false ? take(new_ref(is_true ? Py_True : Py_False), value) : Tried::kNo;
            }
            case Form::kNull: return is_word(text, length, "null") ? take(new_ref(Py_None), value) : Tried::kNo;
            default: return Tried::kNo;
        }
    }

    Tried read_decimal(PyObject*& value) noexcept {
        const auto [text, length] = ascii;
        for (const char* const word : {"NaN", "Infinity", "-Infinity"})
            if (length == std::strlen(word) && std::memcmp(text, word, length) == 0) {
                PyObject* const type = builder.session.state.decimal_type;
                return take(type ? PyObject_CallFunction(type, "s", word) : nullptr, value);
            }
        return is_number(text, length) ? take(decimal_of(builder, text, text + length), value) : Tried::kNo;
    }

    Tried read_bytes(Form form, PyObject*& value) noexcept {
        const std::ptrdiff_t byte_len = base64_length(ascii.text, ascii.length);
        if (byte_len < 0) return Tried::kNo;
        value = form == Form::kBytes ? PyBytes_FromStringAndSize(nullptr, byte_len) : PyByteArray_FromStringAndSize(nullptr, byte_len);
        if (!value) return Tried::kFailed;
        if (byte_len == 0) return Tried::kYes;
        void* const data = form == Form::kBytes ? PyBytes_AS_STRING(value) : PyByteArray_AS_STRING(value);
        if (read_base64(ascii.text, ascii.length, static_cast<std::uint8_t*>(data))) return Tried::kYes;
        Py_CLEAR(value);
        return Tried::kNo;
    }
};

}  // namespace

// Whether a string's value keeps what the node's limits say of its form; else the problem is noted and `value` is what that gives.
template <typename Source>
bool check_string(TypedBuilder<Source>& builder, const Node* node, Form form, const Ascii& ascii, PyObject*& value, PyObject** top,
                  const typename Source::Unit* first, const typename Source::Unit* last) noexcept {
    const Details* const details = node->details;
    if (OCIOR_LIKELY(!details)) return true;
    const auto end = [&](PyObject*& held) {
        Py_CLEAR(held);
        (void)end_reading(builder);
    };
    const auto refuse = [&](Code code, PyObject* of) {
        Py_DECREF(value);
        value = note_problem(builder, code, top, first, last, of, nullptr);
        return false;
    };
    const auto refuse_length = [&](Py_ssize_t length, const Lengths& lengths) -> bool {
        const bool is_short = length < lengths.least;
        const Owned limit = Owned::steal(PyLong_FromSsize_t(is_short ? lengths.least : lengths.most));
        if (!limit) return end(value), false;
        return refuse(is_short ? Code::kMinLength : Code::kMaxLength, limit.get());
    };
    if (form == Form::kStr) {
        const Py_ssize_t length = PyUnicode_GET_LENGTH(value);
        if (!details->str_lengths.allow(length)) return refuse_length(length, details->str_lengths);
        if (!details->pattern) return true;
        const Owned found = call_method(details->pattern, "search", value);
        builder.context.allocator.refresh(builder.constants.tricks, builder.session.plan.runs_python);
        if (!found) return end(value), false;
        if (found.get() != Py_None) return true;
        const Owned pattern = get_attribute(details->pattern, "pattern");
        return refuse(Code::kPattern, pattern.get());
    }
    if (form == Form::kBytes || form == Form::kByteArray) {
        const Py_ssize_t length = PyObject_Size(value);
        return details->byte_lengths.allow(length) || refuse_length(length, details->byte_lengths);
    }
    const bool is_time = form == Form::kDateTime || form == Form::kDate || form == Form::kTime || form == Form::kTimeDelta;
    const Bounds& bounds = is_time ? details->times : details->numbers;
    const bool is_number = form == Form::kInt || form == Form::kFloat || form == Form::kDecimal;
    if ((!is_time && !is_number) || !bounds.are_any() || value == Py_None) return true;
    Code broken{};
    PyObject* of = nullptr;
    int holds = check_bounds(value, bounds, broken, of);
    if (holds == 1 && bounds.multiple_of) {
        holds = is_multiple(builder, ascii.text, ascii.text + ascii.length, bounds.multiple_of);
        broken = Code::kMultipleOf, of = bounds.multiple_of;
    }
    if (holds > 0) return true;
    if (holds == 0) return refuse(broken, of);
    // An aware and a naive time cannot be compared: the bound requires what it is itself.
    Py_CLEAR(value);
    if (PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        value = note_problem(builder, Code::kTz, top, first, last, node->expected, nullptr);
        return false;
    }
    return end_reading(builder), false;
}

template <typename Source>
Read<typename Source::Unit> read_typed_string(TypedBuilder<Source>& builder, const Node* node, PyObject** top,
                                              const typename Source::Unit* p) noexcept {
    using Unit = typename Source::Unit;
    std::uint8_t narrow[kMostNarrow + kWriteSlack];
    const Unit* const first = p - 1;  // the quote
    if (OCIOR_UNLIKELY(node->whole == Whole::kRaw || node->whole == Whole::kModel)) {
        const Unit* last = p;
        if (!skip_string<Source>(builder, p, last)) return {nullptr, last};
        return {make_of_text(builder, node, text_between(builder, first, last), top, first, last), last};
    }
    if (node->is_tag && first == builder.session.tag) {  // it has told what the object is
        const auto* const last = static_cast<const Unit*>(builder.session.behind_tag);
        return {new_ref(Py_None), last};
    }
    StringReader<Source> reader{builder, node, p, {}, nullptr};
    if (!locate(builder, p, narrow, reader.ascii, reader.next)) return {nullptr, reader.next};
    const Unit* const last = reader.next;
    const Choices* const choices = node->choices;
    if (choices && choices->strings) {
        if (OCIOR_LIKELY(reader.ascii.text && reader.ascii.length <= TextTable::kMostText)) {
            const int index = choices->texts.find(reader.ascii.text, reader.ascii.length);
            if (OCIOR_LIKELY(index >= 0))
                return {finished(builder, node, Kind::kString, new_ref(choices->text_values[index]), top, first, last), last};
        } else {
            PyObject* const str = reader.as_str();
            bool failed = false;
            PyObject* const found = str ? choice_of(choices->strings, str, failed) : nullptr;
            if (!str) return {nullptr, reader.blamed};
            if (failed) return builder.fail_python(p);
            if (found) return {finished(builder, node, Kind::kString, found, top, first, last), last};
        }
    }
    for (std::size_t i = 0; i < node->form_count; ++i) {
        if (node->forms[i] == Form::kCall && builder.session.is_collecting()) return {new_ref(Py_None), last};
        PyObject* value;
        const Tried tried = reader.read(node->forms[i], value);
        if (tried == Tried::kNo) continue;
        if (OCIOR_UNLIKELY(tried == Tried::kFailed)) {
            if (reader.is_out_of_range) {
                builder.error = Error::kNone;
                return {note_problem(builder, Code::kRange, top, first, last, node->expected, "string"), last};
            }
            if (builder.error != Error::kNone) return {nullptr, reader.blamed ? reader.blamed : p};
            PyObject* noted = nullptr;
            if (node->forms[i] == Form::kDecimal && note_out_of_range(builder, node, top, first, last, "string", noted))
                return {noted, last};
            const bool is_value = PyErr_Occurred() && PyErr_ExceptionMatches(PyExc_ValueError);
            if (is_value || node->forms[i] == Form::kCall)
                return {note_exception(builder, top, first, last, Code::kValue, node->expected), last};
            return builder.fail_python(p);
        }
        if (!check_string(builder, node, node->forms[i], reader.ascii, value, top, first, last)) return {value, last};
        return {finished(builder, node, Kind::kString, value, top, first, last), last};
    }
    if (choices && (choices->strings || choices->missing) && !reader.has_bad_offset) {
        PyObject* const str = reader.as_str();
        if (!str) return {nullptr, reader.blamed};
        return {refuse_choice(builder, node, str, top, first, last, "string"), last};
    }
    const Code code = reader.has_bad_offset ? Code::kTz : node->form_count == 0 ? Code::kType : Code::kValue;
    return {note_problem(builder, code, top, first, last, node->expected, "string"), last};
}

#define OCIOR_INSTANTIATE(Source)                                                                                      \
    template bool check_string<Source>(TypedBuilder<Source>&, const Node*, Form, const Ascii&, PyObject*&, PyObject**, \
                                       const Source::Unit*, const Source::Unit*) noexcept;                             \
    template Read<Source::Unit> read_typed_string<Source>(TypedBuilder<Source>&, const Node*, PyObject**, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::typed
