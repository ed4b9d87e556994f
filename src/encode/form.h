// How the objects of a class are written where that is not each of its attributes under the attribute's own name: under which names, behind
// which tag, what is left out, what is written in the place of a value.
#pragma once

#include "base/bits.h"
#include "py/ref.h"

namespace ocior::encode {

// Whether a value is written.
enum class Presence : std::uint8_t {
    kWritten,
    kLeftOut,
    kToBeAsked,  // Python code has to say whether it equals the default
    kFailed,  // an error is set
};

// What is said of one field.
struct FieldForm {
    enum Of : std::uint8_t {
        kOmitsNone = 1,
        kOmitsDefault = 2,
        kOmitsMissing = 4,
        kHasFactory = 8,  // `usual` is called for the default
    };
    std::uint8_t of = 0;
    // These two are borrowed: whoever says how the class is written keeps them as long as it lives. (An owner in a table of types would
    // keep the class itself alive, which such an object may refer to.)
    PyObject* usual = nullptr;  // its default, where kOmitsDefault asks for it
    PyObject* dump = nullptr;  // is called with the value, and what it returns is written; null where the value is
};

// An object of this has an owner in a table of types, and others while Python code may change that table.
struct Form {
    static constexpr std::size_t kNoRest = SIZE_MAX;

    unsigned owners = 1;
    FieldForm* fields = nullptr;  // owned, as many as there are names
    Owned names{};  // a tuple of str: under which the fields are written
    Owned missing{};  // a tuple of the objects that mean that there is no value
    Owned tag_name{}, tag_value{};  // a str, and a str or int, that are written first; both are empty where there is none
    std::size_t rest = kNoRest;  // of this field, a mapping, what it holds is written in its place
    bool is_array = false;  // the values in an array, without names. Only what is missing at the end is left out there
    bool compares_defaults = true;  // what equals the default is left out, too; else only the same object is
    bool has_dumps = false;

    Form() noexcept = default;
    Form(const Form&) = delete;
    Form& operator=(const Form&) = delete;

    // A new one for so many names. Null when out of memory (no error set).
    static Form* make(std::size_t count) noexcept;
    static void let_go(Form* form) noexcept;

    bool is_missing(PyObject* value) const noexcept {
        for (Py_ssize_t i = 0; missing && i < PyTuple_GET_SIZE(missing.get()); ++i)
            if (PyTuple_GET_ITEM(missing.get(), i) == value) return true;
        return false;
    }
    // Whether the value of field `i` is written. Runs no Python code.
    OCIOR_INLINE Presence presence_of(std::size_t i, PyObject* value) const noexcept {
        return OCIOR_LIKELY(fields[i].of == 0) ? Presence::kWritten : presence_by(fields[i], value);
    }
    // Says so, and never kToBeAsked. May run Python code.
    Presence ask_presence(std::size_t i, PyObject* value) const noexcept;

private:
    ~Form() { PyMem_Free(fields); }
    OCIOR_NOINLINE Presence presence_by(const FieldForm& field, PyObject* value) const noexcept;
};

// An owner for as long as Python code runs.
class HeldForm {
public:
    explicit HeldForm(Form* form) noexcept : form_(form) {
        if (form) ++form->owners;
    }
    ~HeldForm() { Form::let_go(form_); }
    HeldForm(const HeldForm&) = delete;
    HeldForm& operator=(const HeldForm&) = delete;

private:
    Form* form_;
};

}  // namespace ocior::encode
