// Dicts whose keys are looked at before the first is written: to be sorted, to be found unique, or to be a snapshot.
#pragma once

#include "encode/types.h"

namespace ocior::encode {

// Opens a frame over the items of a dict, those that it has now, in the order of their keys where these are sorted; of an OrderedDict with
// a GIL in its own order. `opened` says how. False where not all keys are of exactly the type str.
bool open_by_str(Call& call, PyObject* dict, std::size_t offset, Opened& opened) noexcept;

// Opens a frame over the items of a dict whose keys are looked at first, ordered by the keys' text where they are sorted. False: they
// cannot be read or ordered so.
bool open_sorted(Call& call, PyObject* dict, std::size_t offset, Opened& opened) noexcept;

// Opens a frame over the items of any mapping, by the texts that its keys become. Two equal texts are an error where keys have to be
// unique.
Opened open_by_texts(Call& call, PyObject* dict, std::size_t offset) noexcept;

// The texts that the keys of any mapping become, and the values, in turn, in a tuple, which nobody can change while Python code runs. Where
// keys are sorted, and `may_sort`, in their order. Empty with an error set.
Owned texts_and_values(Call& call, PyObject* mapping, bool may_sort) noexcept;

}  // namespace ocior::encode
