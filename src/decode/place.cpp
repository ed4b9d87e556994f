#include "decode/place.h"

#include <algorithm>

#include "py/attribute.h"

namespace ocior::decode {

Place place_in(PyObject* document, std::size_t start, Py_ssize_t offset) noexcept {
    Place place;
    StrView view;
    if (!view_of(document, view)) return PyErr_Clear(), std::move(place);
    const std::size_t at = offset < 0 ? 0 : std::min(static_cast<std::size_t>(offset), view.length);
    Line path, text, caret, snippet, note;
    add_path(path, view, start, at);
    add_snippet(text, caret, view, at);
    snippet.add(text);
    snippet.add('\n');
    snippet.add(caret);
    note.add("at ");
    note.add(path);
    for (const Line* const line : {&text, &caret}) {
        note.add("\n    ");
        note.add(*line);
    }
    place.path = path.to_str();
    if (place.path) place.snippet = snippet.to_str();
    if (place.snippet && kHasNotes) place.note = note.to_str();
    PyErr_Clear();
    return place;
}

void describe_place(PyObject* error, const Place& place) noexcept {
    const auto set = [error](const char* name, const Owned& value) {
        return value && PyObject_SetAttrString(error, name, value.get()) == 0;
    };
    if (set("path", place.path) && set("snippet", place.snippet) && place.note) (void)call_method(error, "add_note", place.note.get());
    PyErr_Clear();
}

}  // namespace ocior::decode
