#include "decode/place.h"

#include <algorithm>

#include "py/attribute.h"

namespace ocior::decode {
namespace {

// False where an attribute cannot be made; an exception may be set.
bool describe(PyObject* error, const StrView& document, std::size_t start, std::size_t offset) noexcept {
    const Owned path = path_of(document, start, offset);
    if (!path || PyObject_SetAttrString(error, "path", path.get()) < 0) return false;
    const Snippet snippet = snippet_of(document, offset);
    if (!snippet.text || !snippet.caret) return false;
    const Owned both = Owned::steal(PyUnicode_FromFormat("%U\n%U", snippet.text.get(), snippet.caret.get()));
    if (!both || PyObject_SetAttrString(error, "snippet", both.get()) < 0) return false;
#if PY_VERSION_HEX >= 0x030B0000
    const Owned note = Owned::steal(PyUnicode_FromFormat("at %U\n    %U\n    %U", path.get(), snippet.text.get(), snippet.caret.get()));
    return note && call_method(error, "add_note", note.get());
#else
    return true;
#endif
}

}  // namespace

void describe_place(PyObject* error, PyObject* document, std::size_t start, Py_ssize_t offset) noexcept {
    StrView view;
    if (!view_of(document, view)) return PyErr_Clear();
    const std::size_t place = offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), view.length);
    if (!describe(error, view, start, place)) PyErr_Clear();
}

}  // namespace ocior::decode
