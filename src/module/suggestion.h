// The keyword that somebody meant who gave one that there is not.
#pragma once

#include <span>

#include "py/ref.h"

namespace ocior::module {

using KeywordNames = std::span<const char* const>;

// The name that is most like `given`, a str. Null where none is like it.
const char* most_similar(PyObject* given, KeywordNames names) noexcept;

// Adds a note, "Did you mean 'x'?", to the TypeError that is set if that refuses `unknown` and says no such thing itself, as Python's own
// do since 3.13. `unknown` may be null: nothing is done then, nor where exceptions have no notes.
void suggest_keyword(PyObject* unknown, KeywordNames names) noexcept;

}  // namespace ocior::module
