#include "encode/dialect.h"

#include "encode/walk.h"
#include "py/attribute.h"

namespace ocior::encode {

void refuse(Call& call, const Refusal& refusal, PyObject* value) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();  // a new exception may start a garbage collection, and a class may have a __repr__ or a __class__ of its own
    switch (refusal.shown) {
        case Refusal::Shown::kNothing: PyErr_SetString(*refusal.error, refusal.text); return;
        case Refusal::Shown::kRepr: PyErr_Format(*refusal.error, refusal.text, value); return;
        case Refusal::Shown::kTypeName: PyErr_Format(*refusal.error, refusal.text, Py_TYPE(value)->tp_name); return;
        case Refusal::Shown::kClassName:
            if (const Owned name = class_name(value)) PyErr_Format(*refusal.error, refusal.text, name.get());
    }
}

const char* allowed_non_finite_text(Call& call, PyObject* value, double number) noexcept {
    const char* const text = non_finite_text(call.options.non_finite, number);
    if (!text) refuse(call, call.options.dialect->non_finite, value);
    return text;
}

}  // namespace ocior::encode
