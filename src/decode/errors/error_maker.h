// Decode errors, made of their parts: what the __init__ of json.JSONDecodeError, which is code in Python, makes of a message, a document
// and a place. To call it takes three times as long as all the rest of a refusal.
#pragma once

#include "decode/errors/place.h"

namespace ocior::decode {

class ErrorMaker {
public:
    // Finds out whether errors of the class, json's or one derived from it, can be made here: whether those that the class makes have the
    // parts that they get here. False with an error set where there is no memory.
    [[nodiscard]] bool learn(PyObject* type) noexcept;
    void clear() noexcept;

    // Whether an error of that class can be made here still. Whoever changes the class, or calls it with a str that is not json's, is
    // served by the class itself.
    bool serves(PyObject* type, PyObject* document, Py_ssize_t offset) const noexcept;

    // A new error, for a document in which `offset` lies, with what is known of the place. Empty with an error set. Needs serves().
    Owned make(PyObject* type, const char* message, PyObject* document, std::size_t offset, const Place& place) const noexcept;

private:
    // Its attributes in their order.
    enum Name : unsigned { kMessage, kDocument, kOffset, kLine, kColumn, kPath, kSnippet, kNotes, kNameCount };
    static constexpr const char* kNames[kNameCount] = {"msg", "doc", "pos", "lineno", "colno", "path", "snippet", "__notes__"};

    [[nodiscard]] bool is_proved(PyObject* type, PyObject* document, Py_ssize_t offset) const noexcept;

    PyObject* names_[kNameCount] = {};
    PyObject* attributes_ = nullptr;  // a dict with these names, which is copied: that takes less time than to let one grow
    unsigned type_version_ = 0;       // of the class as it was proved; 0: it was not
};

}  // namespace ocior::decode
