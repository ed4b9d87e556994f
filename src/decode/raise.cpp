#include "decode/raise.h"

namespace ocior::decode {
namespace {

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
        case Error::kExtraData: return "Extra data";
        default: return "Expecting value";
    }
}

PyObject* raise_decode_error(State& state, const char* message, PyObject* document, std::size_t offset) noexcept {
    if (!state.decode_error) return PyErr_SetString(PyExc_ValueError, message), nullptr;  // the interpreter is shutting down
    Owned error = Owned::steal(PyObject_CallFunction(state.decode_error, "sOn", message, document, static_cast<Py_ssize_t>(offset)));
    if (error) PyErr_SetObject(state.decode_error, error.get());
    return nullptr;
}

// Whether the running json, whose patch release decides, calls a document that ends with the digits of \uXXXX an invalid
// escape; newer ones see a string without an end. -1 with MemoryError set.
int json_blames_escape_at_end() noexcept {
    Owned json = Owned::steal(PyImport_ImportModule("json"));
    Owned value = json ? Owned::steal(PyObject_CallMethod(json.get(), "loads", "s", "\"\\u0000")) : Owned();
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return -1;
    PyObject *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    PyErr_NormalizeException(&type, &error, &traceback);
    const Owned own_type = Owned::steal(type), own_error = Owned::steal(error), own_traceback = Owned::steal(traceback);
    Owned message = error ? Owned::steal(PyObject_GetAttrString(error, "msg")) : Owned();
    if (!message) return PyErr_Clear(), true;
    return PyUnicode_Check(message.get()) && PyUnicode_GET_LENGTH(message.get()) > 0 && PyUnicode_READ_CHAR(message.get(), 0) == 'I';
}

}  // namespace

PyObject* raise(State& state, Error error, PyObject* document, std::size_t offset) noexcept {
    if (error == Error::kEscapeAtEnd) {
        const int blamed = json_blames_escape_at_end();
        if (blamed < 0) return nullptr;
        if (blamed) {
            error = Error::kInvalidUnicodeEscape;
            offset = static_cast<std::size_t>(PyUnicode_GET_LENGTH(document)) - 5;
        } else {
            error = Error::kUnterminatedString;
        }
    }
    if (error == Error::kTooDeepObject || error == Error::kTooDeepArray) {
        PyErr_Format(PyExc_RecursionError, "maximum recursion depth exceeded while decoding a JSON %s from a unicode string",
                     error == Error::kTooDeepObject ? "object" : "array");
        return nullptr;
    }
    // A str subclass is quoted as the str it is, like json's scanner sees it.
    return raise_decode_error(state, message_of(error), document, offset);
}

PyObject* raise_for_bytes(State& state, Error error, const std::uint8_t* data, std::size_t byte_len, std::size_t offset) noexcept {
    Owned document = Owned::steal(decode_bytes(data, byte_len));
    if (!document) return nullptr;
    std::size_t code_points = 0;
    for (std::size_t i = 0; i < offset; ++i) code_points += (data[i] & 0xC0) != 0x80;
    return raise(state, error, document.get(), code_points);
}

PyObject* raise_as_json(State& state, PyObject* document, const void* data, std::size_t byte_len) noexcept {
    if (PyErr_ExceptionMatches(PyExc_MemoryError)) return nullptr;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    Owned text = document ? Owned::borrow(document) : Owned::steal(decode_bytes(data, byte_len));
    if (text && !PyErr_GivenExceptionMatches(type, PyExc_StopIteration)) {
        PyErr_Restore(type, value, traceback);
        return nullptr;
    }
    if (text) PyErr_NormalizeException(&type, &value, &traceback);
    const Owned own_type = Owned::steal(type), own_value = Owned::steal(value), own_traceback = Owned::steal(traceback);
    if (!text || !value || !state.decode_error) return nullptr;
    Owned index = Owned::steal(PyObject_GetAttrString(value, "value"));
    Owned error = index ? Owned::steal(PyObject_CallFunction(state.decode_error, "sOO", "Expecting value", text.get(), index.get())) : Owned();
    if (error) PyErr_SetObject(state.decode_error, error.get());
    return nullptr;
}

PyObject* raise_byte_order_mark(State& state, PyObject* document) noexcept {
    return raise_decode_error(state, "Unexpected UTF-8 BOM (decode using utf-8-sig)", document, 0);
}

}  // namespace ocior::decode
