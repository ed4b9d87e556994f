// What an encoder object's attributes were compiled to, and when that still holds.
#pragma once

#include <atomic>
#include <type_traits>

#include "module/encode_settings.h"

namespace ocior::module {

// The compiled settings of an encoder object, shared with the calls that use them and with other objects of the class, and the attributes
// that they were compiled from. They are valid for an object while it has attributes of just these names, those that settings depend on are
// the same objects, and the class has not changed.
struct KeptSettings {
    static constexpr std::size_t kMost = 24;  // attributes: settings of an object that has more are not kept

    EncodeSettings settings;
    bool is_native = false;          // whether the settings can be used; else json's own methods do the work
    bool has_bound_default = false;  // whether default() of the object is the hook; every call looks that up
    unsigned type_version = 0;       // of the class; 0 where the settings are for one call only
    const PyTypeObject* type = nullptr;  // the class, maybe no more there: with its version it tells objects of the same class
    std::conditional_t<layout::kHasGil, unsigned, std::atomic<unsigned>> users = 1;
    std::size_t count = 0;
    Owned names[kMost] = {}, values[kMost] = {};  // the values only of those that settings depend on
};

// Counts one user more. Where other threads may exchange `kept`, the lock of the object that has it is held.
inline KeptSettings* use(KeptSettings* kept) noexcept {
    if (kept) ++kept->users;
    return kept;
}
inline void drop(KeptSettings* kept) noexcept {
    if (kept && --kept->users == 0) delete kept;
}

}  // namespace ocior::module
