// Where in a document a mistake lies, for people: the path of keys and indexes that leads to it, and the piece of its line.
// Positions are in code points.
#pragma once

#include "decode/errors/line.h"

namespace ocior::decode {

// Adds to an empty line "$.users[2].name", for a document that was read from `start` to `offset` and obeys the grammar so far: the
// innermost key or index that reading had got to. A key counts once it is complete. Long paths lose their middle, long keys their end.
// start >= offset: "$".
void add_path(Line& line, const StrView& document, std::size_t start, std::size_t offset) noexcept;

// Adds to empty lines the part of the document's line around `offset`, of at most 80 characters, all of them printable; and spaces, as wide
// as what stands above them, with a caret under the place.
void add_snippet(Line& text, Line& caret, const StrView& document, std::size_t offset) noexcept;

// Whether exceptions have notes.
inline constexpr bool kHasNotes = PY_VERSION_HEX >= 0x030B0000;

// What errors say of a place: the path, both lines of the snippet (nothing where the document is blank), and a note that shows all. What
// cannot be made, for want of memory, is null.
struct Place {
    Owned path, snippet, note;
};

// An offset outside the document, as json too reports for an index of that kind, stands for the end it lies at. No exception may be set,
// and none is set afterwards.
Place place_in(PyObject* document, std::size_t start, Py_ssize_t offset) noexcept;

// Gives any exception the attributes `path` and `snippet`, and, from 3.11 on, the note. Never fails: what cannot be made is left out.
void describe_place(PyObject* error, const Place& place) noexcept;

// Gives the exception that is set the attributes and the note, if it is a UnicodeDecodeError for the bytes of a document.
void describe_place_of_bytes() noexcept;

}  // namespace ocior::decode
