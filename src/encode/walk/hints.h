// Which Default would write what is refused: told in a note, to those who may not know of it.
#pragma once

#include "encode/walk/call.h"

namespace ocior::encode {

// A value without a default hook, or a key, that is about to be refused: where an ocior.Default would write it, Extras::hint says how to
// give one. They do nothing for other libraries' dialects, nor where exceptions have no notes. No error may be set; one that is no
// Exception may be set afterwards. Python code may run: `value` and `key` are held.
void hint_at_default(Call& call, PyObject* value) noexcept;
void hint_at_keys(Call& call, PyObject* key) noexcept;

}  // namespace ocior::encode
