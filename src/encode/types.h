// What the walk, the writer and the table of types ask of the files in types/, whose headers they do not know.
#pragma once

#include "encode/fields.h"
#include "encode/plan.h"

namespace ocior::encode {

// The plan of any type, and the fields of its instances.
const Plan& rich_plan_of(Call& call, PyTypeObject* type, Fields& fields) noexcept;

// What json's own types and their subclasses are written by; a plan of role kUnknown for any other type.
const Plan& json_plan_of(PyTypeObject* type) noexcept;

// Whether json itself takes what has this type, which is no str, as a key.
OCIOR_INLINE bool is_key_of_json(PyTypeObject* type) noexcept {
    return PyType_FastSubclass(type, Py_TPFLAGS_LONG_SUBCLASS) || type == Py_TYPE(Py_None) || PyType_IsSubtype(type, &PyFloat_Type);
}

// What becomes of a key that is no str.
struct KeyText {
    enum class Kind : std::uint8_t {
        kWritten,
        kString,  // Extras::replacement is the str
        kSkipped,
        kFailed,  // an error is set
    };
    Kind kind;
    std::uint8_t* end = nullptr;  // kWritten: where it ends; null where Extras::long_scalar is the text
};

// Writes to `to`, as a plan does. May run Python code, so the frames are pinned and the key is held.
KeyText read_key(Call& call, PyObject* key, std::uint8_t* to) noexcept;

// Opens a frame over what `value`, a dict or of a class derived from dict, holds.
Opened open_mapping(Call& call, PyObject* dict, std::size_t offset) noexcept;
// Opens what a plan of role kReplaced gives.
Opened open_replaced(Call& call, const Plan& plan, PyObject* value, std::size_t offset) noexcept;

// What the hook returns for `value`, which is held. There is room for a frame then, and all frames are pinned. Empty with an error set.
Owned ask_hook(Call& call, PyObject* hook, PyObject* value, std::size_t offset) noexcept;

}  // namespace ocior::encode
