// What every part of one loads call shares: document, options, working memory, and where it went wrong.
#pragma once

#include "decode/context.h"
#include "decode/error.h"
#include "decode/options.h"
#include "decode/source.h"
#include "py/constants.h"

namespace ocior::decode {

// An object read, owned, and the unit behind it; or null and the unit to blame, with Call::error set.
template <typename Unit>
struct Read {
    PyObject* object;
    const Unit* next;
};

template <typename Source>
struct Call {
    using Unit = typename Source::Unit;

    Text<Source> text;
    const Options& options;
    const Constants& constants;
    Context& context;
    Error error = Error::kNone;

    // Room for a key and a value behind the `used` that lie on the value stack when `p` is reached. False when out of memory (no error
    // set).
    [[nodiscard]] OCIOR_INLINE bool make_room(std::size_t used, const Unit* p) noexcept {
        return OCIOR_LIKELY(used + 4 <= context.values.capacity()) || grow(used, p);
    }

    OCIOR_COLD Read<Unit> fail(Error code, const Unit* at) noexcept {
        error = code;
        return {nullptr, at};
    }
    // A Python exception is set, MemoryError where an allocation without one failed.
    OCIOR_COLD Read<Unit> fail_python(const Unit* at) noexcept {
        if (!PyErr_Occurred()) PyErr_NoMemory();
        return fail(Error::kPython, at);
    }

private:
    // Many values tell how many the rest of the text will add, and the stack takes the room for them at once: one that grows by doubling
    // leaves holes in the heap, of some megabytes for 1 million values.
    OCIOR_NOINLINE bool grow(std::size_t used, const Unit* p) noexcept {
        constexpr std::size_t kMany = 4096, kMost = 31 * 1024 * 1024 / sizeof(PyObject*);
        std::size_t wanted = used + 4;
        if (used >= kMany) {
            const double per_unit = static_cast<double>(used) / static_cast<double>(p - text.first);
            const auto rest = static_cast<std::size_t>(1.06 * per_unit * static_cast<double>(text.last - p));
            wanted += rest < kMost ? rest : kMost;
        }
        return context.values.reserve(wanted) || context.values.reserve(used + 4);
    }
};

}  // namespace ocior::decode
