#include "encode/dialect.h"

#include "encode/walk/call.h"
#include "py/attribute.h"

namespace ocior::encode {
namespace {

PyObject* class_of(ErrorClass error) noexcept {
    switch (error) {
        case ErrorClass::kType: return PyExc_TypeError;
        case ErrorClass::kValue: return PyExc_ValueError;
        case ErrorClass::kOverflow: return PyExc_OverflowError;
        case ErrorClass::kRecursion: break;
    }
    return PyExc_RecursionError;
}

}  // namespace

void refuse(Call& call, const Refusal& refusal, PyObject* value) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();  // a new exception may start a garbage collection, and a class may have a __repr__ or a __class__ of its own
    PyObject* const error = class_of(refusal.error);
    switch (refusal.shown) {
        case Refusal::Shown::kNothing: PyErr_SetString(error, refusal.text); return;
        case Refusal::Shown::kRepr: PyErr_Format(error, refusal.text, value); return;
        case Refusal::Shown::kTypeName: PyErr_Format(error, refusal.text, Py_TYPE(value)->tp_name); return;
        case Refusal::Shown::kClassName:
            if (const Owned name = class_name(value)) PyErr_Format(error, refusal.text, name.get());
    }
}

const char* allowed_non_finite_text(Call& call, PyObject* value, double number) noexcept {
    const char* const text = non_finite_text(call.options.non_finite, number);
    if (!text) refuse(call, call.options.dialect->non_finite, value);
    return text;
}

Owned escape_json(PyObject* text) noexcept {
    const Owned pieces = Owned::steal(PyUnicode_AsEncodedString(text, "utf-16-le", "surrogatepass"));
    if (!pieces) return {};
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(pieces.get()));
    const auto count = static_cast<std::size_t>(PyBytes_GET_SIZE(pieces.get())) / 2;
    std::size_t length = count;
    for (std::size_t i = 0; i < count; ++i)
        if (load<std::uint16_t>(bytes + 2 * i) >= 0x80) length += 5;
    Owned escaped = Owned::steal(PyUnicode_New(static_cast<Py_ssize_t>(length), 127));
    if (!escaped) return {};
    std::uint8_t* to = PyUnicode_1BYTE_DATA(escaped.get());
    for (std::size_t i = 0; i < count; ++i) {
        const auto unit = load<std::uint16_t>(bytes + 2 * i);
        if (unit < 0x80) {
            *to++ = static_cast<std::uint8_t>(unit);
            continue;
        }
        *to++ = '\\';
        *to++ = 'u';
        for (int shift = 12; shift >= 0; shift -= 4) *to++ = static_cast<std::uint8_t>("0123456789abcdef"[unit >> shift & 15]);
    }
    return escaped;
}

}  // namespace ocior::encode
