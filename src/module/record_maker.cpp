// What becomes of a record: a value by the usual builder, of a type, of fields, by hooks, or by a decoder class.
#include "decode/encoding.h"
#include "decode/errors/raise.h"
#include "decode/inside.h"
#include "decode/reader.h"
#include "module/record_settings.h"
#include "module/typed_decoder.h"
#include "select/extract.h"

namespace ocior::module {

RecordMaker::RecordMaker(State& state, const RecordSettings& settings) noexcept : state_(state), settings_(settings) {
    const bool has_hooks = settings.options.has_hooks();
    if (settings.by_class) way_ = Way::kClass;
    else if (settings.decoder) way_ = parts_of_typed_decoder(settings.decoder.get()).plan.runs_python ? Way::kTypedCalls : Way::kTyped;
    else if (settings.has_selection) way_ = has_hooks ? Way::kFields : Way::kFieldsInPlace;
    else way_ = has_hooks ? Way::kHooks : Way::kPlain;
}

PyObject* RecordMaker::in_place(const stream::Record& record, const std::uint8_t*& next) noexcept {
    const grammar::Text<grammar::Utf8Source> text{record.first, record.text_last};
    if (OCIOR_LIKELY(way_ == Way::kPlain)) {
        context_->allocator.refresh(state_.constants.tricks, false);
        const auto read = decode::read_inside(state_.constants, *context_, settings_.options, text, record.first, 0);
        next = read.error == grammar::Error::kUnterminatedString ? nullptr : read.next;  // that one blames the quote
        return read.value;
    }
    if (way_ == Way::kTyped) {
        const auto read = typed::read_in_place(state_.typed, state_.decoder, parts_of_typed_decoder(settings_.decoder.get()), *context_,
                                               text, record.first);
        next = read.value ? read.next : nullptr;
        return read.value;
    }
    context_->allocator.refresh(state_.constants.tricks, false);
    const auto read = select::extract(state_.constants, *context_, settings_.options, settings_.selection, settings_.missing.get(),
                                      settings_.checks, text, record.first);
    next = read.next;
    // With checks=False a reading that stops early may have gone on behind the record's end already.
    if (OCIOR_UNLIKELY(read.value && read.stop > record.last)) return Py_DECREF(read.value), nullptr;
    return read.value;
}

// Whether the exception that is set says that a text is wrong, where our own code is asked that may call the user's.
bool RecordMaker::blames_text() const noexcept {
    if (reads_in_place() && PyErr_ExceptionMatches(PyExc_ValueError)) return true;  // an integer of too many digits, for one
    PyObject* const refused = state_.typed.validation_error;
    return PyErr_ExceptionMatches(state_.decoder.decode_error) || PyErr_ExceptionMatches(PyExc_UnicodeDecodeError) ||
           PyErr_ExceptionMatches(PyExc_RecursionError) || (refused && PyErr_ExceptionMatches(refused));
}

PyObject* RecordMaker::alone(PyObject* bytes, bool& is_bad) noexcept {
    if (way_ == Way::kPlain || way_ == Way::kHooks) return plain_alone(bytes, is_bad);
    // A document may be UTF-16 or begin with a mark, which the first bytes tell; a record is UTF-8.
    Owned text;
    const auto byte_len = static_cast<std::size_t>(PyBytes_GET_SIZE(bytes));
    if (OCIOR_UNLIKELY(!decode::is_plain_utf8(reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(bytes)), byte_len))) {
        text = Owned::steal(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes), "surrogatepass"));
        if (!text) return is_bad = PyErr_ExceptionMatches(PyExc_UnicodeDecodeError), nullptr;
    }
    PyObject* const input = text ? text.get() : bytes;
    PyObject* value = nullptr;
    switch (way_) {
        case Way::kPlain:
        case Way::kHooks: break;
        case Way::kTyped:
        case Way::kTypedCalls:
            value = typed::loads(state_.typed, state_.decoder, parts_of_typed_decoder(settings_.decoder.get()), input);
            break;
        case Way::kFieldsInPlace:
        case Way::kFields:
            value = select::extract_from(state_.decoder, settings_.options, settings_.selection, settings_.missing.get(), settings_.checks,
                                         input);
            break;
        case Way::kClass: {
            const Owned document = decode::text_of(state_.decoder, input);
            if (document)
                value = PyObject_CallMethodOneArg(settings_.by_class.get(), state_.json_decoding.names.interned[kDecoderDecode],
                                                  document.get());
            break;
        }
    }
    if (!value) is_bad = blames_text();
    return value;
}

// As decode::loads(), but that an exception of a hook is told from a mistake in the text.
PyObject* RecordMaker::plain_alone(PyObject* bytes, bool& is_bad) noexcept {
    const auto* const text = reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(bytes));
    const auto byte_len = static_cast<std::size_t>(PyBytes_GET_SIZE(bytes));
    decode::Reader<grammar::Utf8Source> reader(state_.constants, *context_, settings_.options, text, byte_len);
    if (!reader.pad()) return PyErr_NoMemory();
    decode::Scanned found = reader.value(reader.skip_whitespace(0));
    if (found.value) {
        const std::size_t behind = reader.skip_whitespace(static_cast<std::size_t>(found.position));
        if (behind == byte_len) return found.value;
        Py_DECREF(found.value);
        found = {nullptr, static_cast<Py_ssize_t>(behind), grammar::Error::kExtraData};
    }
    if (found.error == grammar::Error::kPython) {
        // Python may refuse to convert an integer of thousands of digits.
        is_bad = !settings_.options.has_hooks() && PyErr_ExceptionMatches(PyExc_ValueError);
        return nullptr;
    }
    if (found.error == grammar::Error::kNoMemory) return PyErr_NoMemory();
    (void)decode::raise_for_utf8(state_.decoder, *settings_.options.dialect, found.error, text, byte_len,
                                 static_cast<std::size_t>(found.position));
    is_bad = !PyErr_ExceptionMatches(PyExc_MemoryError);
    return nullptr;
}

PyObject* RecordMaker::with_key(const stream::Record& record, PyObject* value, bool& is_bad) noexcept {
    const Owned owned = Owned::steal(value);
    const grammar::Text<grammar::Utf8Source> text{record.key - 1, record.text_last};
    context_->allocator.refresh(state_.constants.tricks, false);
    const auto key = decode::read_inside(state_.constants, *context_, settings_.options, text, record.key - 1, 0);
    if (key.value) {
        const Owned name = Owned::steal(key.value);
        return PyTuple_Pack(2, name.get(), owned.get());
    }
    if (key.error == grammar::Error::kPython) return nullptr;
    if (key.error == grammar::Error::kNoMemory) return PyErr_NoMemory();
    const auto byte_len = static_cast<std::size_t>(record.last - text.first);
    (void)decode::raise_for_utf8(state_.decoder, *settings_.options.dialect, key.error, text.first, byte_len,
                                 static_cast<std::size_t>(key.next - text.first));
    is_bad = !PyErr_ExceptionMatches(PyExc_MemoryError);
    return nullptr;
}

void RecordMaker::refuse(grammar::Error error, PyObject* bytes, std::size_t at) noexcept {
    (void)decode::raise_for_utf8(state_.decoder, *settings_.options.dialect, error,
                                 reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(bytes)),
                                 static_cast<std::size_t>(PyBytes_GET_SIZE(bytes)), at);
}

void RecordMaker::refuse_length() noexcept {
    PyErr_Format(PyExc_ValueError, "Record of more than %zu bytes (max_record)", settings_.max_record);
}

}  // namespace ocior::module
