// Looks at a type, to find out how its instances are written: what it has, what it is derived from, which of its errors count.
#pragma once

#include "py/attribute.h"
#include "py/ref.h"

namespace ocior::encode {

// The attribute `name` of the module `module` if that has been imported; else empty. An error is forgotten, or left where it is serious.
Owned loaded(const char* module, const char* name) noexcept;
Owned loaded_or_error(const char* module, const char* name) noexcept;

// Clears the error, if one is set. In a look at a type, a serious error is set aside: one that tells of more than that something is not
// there, such as a MemoryError or a KeyboardInterrupt. Looks may be nested: begin_look() gives what was set aside before, restore_error()
// puts that back and sets what has been set aside since; false where that is an error.
void forget_error() noexcept;
// Sets an error aside, if one is set, whatever it tells: the look fails.
void fail_look() noexcept;
// Whether a serious error is set, for use where no look at a type has begun. Any other error is cleared.
[[nodiscard]] bool has_serious_error() noexcept;
PyObject* begin_look() noexcept;
[[nodiscard]] bool restore_error(PyObject* outer) noexcept;

// Whether the class is derived from `base`, which may be empty or no class.
bool is_derived(PyTypeObject* type, const Owned& base) noexcept;
// Whether its instances have an attribute of their class by that name.
bool has_attribute(PyTypeObject* type, const char* name) noexcept;
// Whether it has, by that name, what `base`, from which it is derived, has.
bool shares_attribute(PyTypeObject* type, const Owned& base, const char* name) noexcept;

}  // namespace ocior::encode
