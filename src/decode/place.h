// Where in a document a mistake lies, for people: the path of keys and indexes that leads to it, and the piece of its line.
// Called when an error has been made, with the document it quotes.
#pragma once

#include "py/ref.h"

namespace ocior::decode {

// Gives `error` the attributes `path` ("$.users[2].name") and `snippet` (the text around the place, and a line with a caret under
// it), and, from 3.11 on, a note that shows both. The document was read from `start` to `offset`, in code points, and
// obeys the grammar so far; start == offset means that there is no way to tell of: the path is "$". Never fails: what
// cannot be made is left out. No exception may be set.
void describe_place(PyObject* error, PyObject* document, std::size_t start, std::size_t offset) noexcept;

}  // namespace ocior::decode
