#include "decode/errors/place.h"

#include <algorithm>

#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::decode {
namespace {

bool is_blank(PyObject* document) noexcept {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(document);
    for (Py_ssize_t i = 0; i < length; ++i)
        if (const Py_UCS4 unit = PyUnicode_READ_CHAR(document, i); unit != ' ' && unit != '\n' && unit != '\r' && unit != '\t')
            return false;
    return true;
}

// The place in a document in which nothing can be shown.
Place place_of_blank(bool is_empty) noexcept {
    const char* const note = is_empty ? "at $: the document is empty" : "at $: the document is nothing but white space";
    Place place;
    place.path = Owned::steal(PyUnicode_FromString("$"));
    if (place.path) place.snippet = Owned::steal(PyUnicode_New(0, 0));
    if (place.snippet && kHasNotes) place.note = Owned::steal(PyUnicode_FromString(note));
    PyErr_Clear();
    return place;
}

// The bytes of a UnicodeDecodeError as text: what stands before the place that cannot be decoded, and that with some of what follows, as
// far as it can be read.
struct Readable {
    Owned before, with_rest;
};
Readable readable_of(PyObject* error) noexcept {
    constexpr Py_ssize_t kRest = 400;  // bytes, of which more than a snippet's line becomes
    Py_ssize_t start;
    const Owned bytes = Owned::steal(PyUnicodeDecodeError_GetObject(error)), name = Owned::steal(PyUnicodeDecodeError_GetEncoding(error));
    const char* const encoding = name ? PyUnicode_AsUTF8(name.get()) : nullptr;
    if (!bytes || !encoding || PyUnicodeDecodeError_GetStart(error, &start) < 0) return {};
    const char* const data = PyBytes_AS_STRING(bytes.get());
    Owned before = Owned::steal(PyUnicode_Decode(data, start, encoding, "surrogatepass"));
    if (!before) return {};
    const bool is_utf8 = std::strcmp(encoding, "utf-8") == 0;  // else the rest may have to be read from the mark at the beginning on
    const Py_ssize_t rest_len = std::min(PyBytes_GET_SIZE(bytes.get()) - start, kRest);
    const Owned rest =
        Owned::steal(is_utf8 ? PyUnicode_DecodeUTF8(data + start, rest_len, "replace") : PyUnicode_FromString("\xEF\xBF\xBD"));
    Owned with_rest = rest ? Owned::steal(PyUnicode_Concat(before.get(), rest.get())) : Owned();
    return {std::move(before), std::move(with_rest)};
}

}  // namespace

Place place_in(PyObject* document, std::size_t start, Py_ssize_t offset) noexcept {
    Place place;
    StrView view;
    if (!view_of(document, view)) return PyErr_Clear(), std::move(place);
    if (is_blank(document)) return place_of_blank(view.length == 0);
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

void describe_place_of_bytes() noexcept {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) return;
    TakenError taken;
    if (PyObject* const error = taken.value(); error && Py_IS_TYPE(error, reinterpret_cast<PyTypeObject*>(PyExc_UnicodeDecodeError))) {
        const Readable text = readable_of(error);
        if (text.with_rest) describe_place(error, place_in(text.with_rest.get(), 0, PyUnicode_GET_LENGTH(text.before.get())));
        PyErr_Clear();
    }
    taken.restore();
}

}  // namespace ocior::decode
