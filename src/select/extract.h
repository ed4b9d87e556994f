// The values that pointers lead to in a document, of which nothing else is made.
#pragma once

#include "decode/context.h"
#include "decode/options.h"
#include "decode/state.h"
#include "select/pointers.h"

namespace ocior::select {

template <typename Unit>
struct Extracted {
    PyObject* value;   // a new reference: the value, or a tuple; or null
    const Unit* next;  // behind the document's value; null where reading has stopped early, or nothing was read
    Error error;       // why there is no value; kNone where a pointer leads nowhere
    std::size_t lost;  // the number of that pointer
    const Unit* stop;  // how far was read; null where nothing was
};

// Reads, in place, the value at `p` of a text with the parser's slack behind it. Pointers that lead nowhere give `missing`, or, where that
// is null, no value. What is not wanted is skipped and checked; with `check` false, reading stops once all is found, and the first of equal
// keys counts. A document that is refused may be one that loads() takes, where options ask for what is checked in wanted values alone:
// extract_from() tells. Hooks are called if options.has_checks is set. The context is nobody else's.
template <typename Source>
Extracted<typename Source::Unit> extract(const Constants& constants, decode::Context& context, const decode::Options& options,
                                         const Selection& selection, PyObject* missing, bool check, const Text<Source>& text,
                                         const typename Source::Unit* p) noexcept;

// As extract(), of a whole document in any input that loads() takes. Null with an exception set: what loads() raises for the document, or
// PointerError where a pointer leads nowhere and `missing` is null.
PyObject* extract_from(decode::State& state, const decode::Options& options, const Selection& selection, PyObject* missing, bool check,
                       PyObject* input) noexcept;

// Raises PointerError for the pointer, with a message that the format makes of it.
void raise_pointer_error(PyObject* pointer, const char* format) noexcept;

}  // namespace ocior::select
