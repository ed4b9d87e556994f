// Where in a document a mistake lies, for people: the path of keys and indexes that leads to it, and the piece of its line.
// Called when an error has been made, with the document it quotes. Positions are in code points.
#pragma once

#include "py/str.h"

namespace ocior::decode {

// "$.users[2].name", for a document that was read from `start` to `offset` and obeys the grammar so far: the innermost key or
// index that reading had got to. A key counts once it is complete. Long paths lose their middle, long keys their end.
// start >= offset: "$". Empty with MemoryError set or, when it is the working memory that fails, without.
Owned path_of(const StrView& document, std::size_t start, std::size_t offset) noexcept;

// The part of the line around `offset`, of at most 80 characters, all of them printable; and spaces, as wide as what stands above
// them, with a caret under the place. Empty as above.
struct Snippet {
    Owned text, caret;
};
Snippet snippet_of(const StrView& document, std::size_t offset) noexcept;

// Gives `error` the attributes `path` and `snippet` (both lines), and, from 3.11 on, a note that shows both. An offset outside the
// document, as json too reports for an index of that kind, stands for the end it lies at. Never fails: what cannot be made is
// left out. No exception may be set.
void describe_place(PyObject* error, PyObject* document, std::size_t start, Py_ssize_t offset) noexcept;

}  // namespace ocior::decode
