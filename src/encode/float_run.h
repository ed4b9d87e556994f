// Runs of floats in a list, written by one loop whose constants stay in registers.
#pragma once

#include "py/ref.h"

namespace ocior::encode {

// What stands between two items of a list.
struct Between {
    std::uint64_t separator;  // ASCII, behind each item
    std::size_t separator_length;
    std::uint8_t fill;        // if each item has a line of its own: what it is indented with
    std::size_t fill_count;   // at most kShortLine
};

struct FloatRun {
    std::uint8_t* at;
    PyObject* const* next;  // the first item that was not written
};

// Writes the items [next, end), each with a separator, as long as they are finite floats of exactly that type and start at `limit` or before
// it. Of a line before each item, the first one's is there already. Needs the GIL.
template <bool kHasLines>
FloatRun write_floats(std::uint8_t* at, const std::uint8_t* limit, PyObject* const* next, PyObject* const* end, Between between) noexcept;

}  // namespace ocior::encode
