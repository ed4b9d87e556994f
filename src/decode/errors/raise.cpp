#include "decode/errors/raise.h"

#include "decode/encoding.h"
#include "decode/errors/place.h"
#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::decode {
namespace {

// json's message for a mistake in the text. Every code is named, so that the compiler asks for the words of a new one.
const char* message_of(Error error) noexcept {
    switch (error) {
        case Error::kExpectingPropertyName: return "Expecting property name enclosed in double quotes";
        case Error::kExpectingColon: return "Expecting ':' delimiter";
        case Error::kExpectingComma: return "Expecting ',' delimiter";
        case Error::kTrailingCommaInObject: return "Illegal trailing comma before end of object";
        case Error::kTrailingCommaInArray: return "Illegal trailing comma before end of array";
        case Error::kUnterminatedString: return "Unterminated string starting at";
        case Error::kControlCharacter: return "Invalid control character at";
        case Error::kInvalidEscape: return "Invalid \\escape";
        case Error::kInvalidUnicodeEscape: return "Invalid \\uXXXX escape";
        case Error::kLoneSurrogate: return "Lone surrogate";
        case Error::kNumberOutOfRange: return "Number out of range";
        case Error::kIntegerOutOfRange: return "Integer out of range";
        case Error::kDuplicateKey: return "Duplicate key";
        case Error::kExtraData: return "Extra data";
        case Error::kExpectingValue: break;
        case Error::kNone:
        case Error::kPython:
        case Error::kNoMemory:
        case Error::kEscapeAtEnd:
        case Error::kInvalidUtf8:
        case Error::kTooDeepObject:
        case Error::kTooDeepArray: break;  // these have been told before, in other ways
    }
    return "Expecting value";
}

// `start` is where reading began, so that the way to the error can be retraced; kNoTrail: there is no way to tell of.
constexpr std::size_t kNoTrail = static_cast<std::size_t>(PY_SSIZE_T_MAX);

// `error`: what the class has made, which may have been given another __new__. `is_from_none`: json says "raise ... from None" there.
PyObject* raise_made(State& state, PyObject* error, bool is_from_none) noexcept {
    if (is_from_none) PyException_SetCause(error, nullptr);
    PyErr_SetObject(state.decode_error, error);
    return nullptr;
}

// An error that the class makes of json's arguments.
PyObject* raise_by_call(State& state, const char* message, PyObject* document, std::size_t start, PyObject* index, Py_ssize_t offset,
                        bool is_from_none) noexcept {
    const Owned error = Owned::steal(PyObject_CallFunction(state.decode_error, "sOO", message, document, index));
    if (!error) return nullptr;
    if (!PyExceptionInstance_Check(error.get()))
        return PyErr_SetString(PyExc_TypeError, "exceptions must derive from BaseException"), nullptr;
    describe_place(error.get(), place_in(document, start, offset));
    return raise_made(state, error.get(), is_from_none);
}

PyObject* raise_decode_error(State& state, const char* message, PyObject* document, std::size_t start, Py_ssize_t offset,
                             bool is_from_none = false) noexcept {
    if (!state.decode_error) return PyErr_SetString(PyExc_ValueError, message), nullptr;  // the interpreter is shutting down
    if (OCIOR_LIKELY(state.error_maker.serves(state.decode_error, document, offset))) {
        const Owned error = state.error_maker.make(state.decode_error, message, document, static_cast<std::size_t>(offset),
                                                   place_in(document, start, offset));
        return error ? raise_made(state, error.get(), is_from_none) : nullptr;
    }
    const Owned index = Owned::steal(PyLong_FromSsize_t(offset));
    return index ? raise_by_call(state, message, document, start, index.get(), offset, is_from_none) : nullptr;
}

// Whether the running json, whose patch release decides, calls a document that ends with the digits of \uXXXX an invalid
// escape; newer ones see a string without an end. 1 or 0; -1 with MemoryError set.
int json_blames_escape_at_end(State& state) noexcept {
    if (!state.json_scanstring) return 1;  // the interpreter is shutting down
    Owned value = Owned::steal(PyObject_CallFunction(state.json_scanstring, "si", "\"\\u0000", 1));
    if (value) return 1;
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return -1;
    TakenError taken;
    PyObject* const error = taken.value();
    Owned message = error ? get_attribute(error, "msg") : Owned();
    if (!message) {
        const bool no_memory =
            PyErr_ExceptionMatches(PyExc_MemoryError) || (error && PyErr_GivenExceptionMatches(error, PyExc_MemoryError));
        PyErr_Clear();
        return no_memory ? (PyErr_NoMemory(), -1) : 1;
    }
    return PyUnicode_Check(message.get()) && PyUnicode_GET_LENGTH(message.get()) > 0 && PyUnicode_READ_CHAR(message.get(), 0) == 'I';
}

}  // namespace

PyObject* raise(State& state, const Dialect& dialect, Error error, PyObject* document, std::size_t start, Py_ssize_t offset) noexcept {
    error = dialect.told(error);
    if (error == Error::kEscapeAtEnd) {
        const int blamed = dialect.asks_json_of_escape_at_end ? json_blames_escape_at_end(state) : 0;
        if (blamed < 0) return nullptr;
        if (blamed) {
            error = Error::kInvalidUnicodeEscape;
            offset = PyUnicode_GET_LENGTH(document) - 5;
        } else {
            error = Error::kUnterminatedString;
        }
    }
    if (error == Error::kTooDeepObject || error == Error::kTooDeepArray) {
        PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded while decoding a JSON %s from a unicode string",
                     error == Error::kTooDeepObject ? "object" : "array");
        return nullptr;
    }
    if (error == Error::kNoMemory) return PyErr_NoMemory();
    if (error == Error::kTrailingCommaInObject || error == Error::kTrailingCommaInArray)
        while (PyUnicode_READ_CHAR(document, --offset) != ',') {}
    // A str subclass is quoted as the str it is, like json's scanner sees it.
    return raise_decode_error(state, message_of(error), document, error == Error::kExtraData ? kNoTrail : start, offset,
                              error == Error::kExpectingValue);
}

PyObject* raise_without_path(State& state, const char* message, PyObject* document, Py_ssize_t offset) noexcept {
    return raise_decode_error(state, message, document, kNoTrail, offset);
}

PyObject* raise_at(State& state, const char* message, PyObject* document, Py_ssize_t offset) noexcept {
    return raise_decode_error(state, message, document, 0, offset);
}

// How many code points the bytes before `offset` have.
static std::size_t code_points_before(PyObject* document, const std::uint8_t* data, std::size_t offset) noexcept {
    std::size_t code_points = PyUnicode_IS_ASCII(document) ? offset : 0;
    for (std::size_t i = code_points; i < offset; ++i) code_points += (data[i] & 0xC0) != 0x80;
    return code_points;
}

Owned text_around(const std::uint8_t* data, std::size_t byte_len, bool takes_utf8_only, std::size_t& offset) noexcept {
    Owned document = Owned::steal(decode_bytes(data, byte_len, takes_utf8_only));
    if (!document) return {};
    offset = code_points_before(document.get(), data, offset);
    return document;
}

PyObject* raise_for_bytes(State& state, const Dialect& dialect, Error error, const std::uint8_t* data, std::size_t byte_len,
                          std::size_t offset) noexcept {
    const Owned document = text_around(data, byte_len, dialect.takes_utf8_only, offset);
    return document ? raise(state, dialect, error, document.get(), 0, static_cast<Py_ssize_t>(offset)) : nullptr;
}

PyObject* raise_for_utf8(State& state, const Dialect& dialect, Error error, const std::uint8_t* data, std::size_t byte_len,
                         std::size_t offset) noexcept {
    const Owned document =
        Owned::steal(PyUnicode_DecodeUTF8(reinterpret_cast<const char*>(data), static_cast<Py_ssize_t>(byte_len), "surrogatepass"));
    if (!document) return nullptr;
    return raise(state, dialect, error, document.get(), 0, static_cast<Py_ssize_t>(code_points_before(document.get(), data, offset)));
}

PyObject* reraise_as_json(State& state, PyObject* document, const void* data, std::size_t byte_len) noexcept {
    const bool is_final =
        !PyErr_ExceptionMatches(PyExc_Exception) || PyErr_ExceptionMatches(PyExc_MemoryError);  // a KeyboardInterrupt, say
    if (document || is_final) return reraise_as_json(state, document, 0);
    TakenError taken;
    const Owned text = Owned::steal(decode_bytes(data, byte_len));
    if (!text) return nullptr;
    taken.restore();
    return reraise_as_json(state, text.get(), 0);
}

PyObject* reraise_as_json(State& state, PyObject* document, std::size_t start) noexcept {
    if (!PyErr_ExceptionMatches(PyExc_StopIteration)) return nullptr;
    TakenError taken;
    PyObject* const value = taken.value();
    if (!value || !state.decode_error) return nullptr;
    Owned index = get_attribute(value, "value");
    if (!index) return nullptr;
    const Py_ssize_t offset = PyLong_CheckExact(index.get()) ? PyLong_AsSsize_t(index.get()) : -1;
    if (offset == -1) PyErr_Clear();
    return raise_by_call(state, "Expecting value", document, start, index.get(), offset, true);
}

PyObject* raise_at_start(State& state, const char* message, PyObject* document) noexcept {
    const bool is_served = state.error_maker.serves(state.decode_error, document, 0);
    const Owned error = is_served ? state.error_maker.make(state.decode_error, message, document, 0, {})
                                  : Owned::steal(PyObject_CallFunction(state.decode_error, "sOi", message, document, 0));
    if (error) PyErr_SetObject(state.decode_error, error.get());
    return nullptr;
}

PyObject* raise_byte_order_mark(State& state, PyObject* document) noexcept {
    return raise_decode_error(state, "Unexpected UTF-8 BOM (decode using utf-8-sig)", document, kNoTrail, 0);
}

}  // namespace ocior::decode
