// What every part of a reading into Python objects shares.
#pragma once

#include "decode/context.h"
#include "decode/options.h"
#include "grammar/call.h"
#include "grammar/text.h"
#include "py/constants.h"

namespace ocior::decode {

using namespace grammar;

// An object read, owned, and the unit behind it; or null and the unit to blame, with the call's error set.
template <typename Unit>
struct Read {
    PyObject* object;
    const Unit* next;
};

template <typename Source>
struct PyCall : Call<Source> {
    using Unit = typename Source::Unit;

    const Options& options;
    const Constants& constants;
    Context& context;

    PyCall(Text<Source> document, const Options& keywords, const Constants& objects, Context& memory) noexcept
        : Call<Source>{document, keywords.strict, memory.workspace, Error::kNone, keywords.max_depth},
          options(keywords),
          constants(objects),
          context(memory) {}

    // Room for a key and a value behind the `used` that lie on the value stack when `p` is reached. False when out of memory (no error
    // set).
    [[nodiscard]] OCIOR_INLINE bool make_room(std::size_t used, const Unit* p) noexcept {
        return OCIOR_LIKELY(used + 4 <= context.values.capacity()) || grow(used, p);
    }

    OCIOR_COLD PyObject* refuse(Error code) noexcept {
        this->error = code;
        return nullptr;
    }
    OCIOR_COLD Read<Unit> fail_read(Error code, const Unit* at) noexcept { return {nullptr, this->fail(code, at)}; }

    // A string that was read from `p` on, or what becomes of it if it holds a surrogate without its pair.
    OCIOR_INLINE Read<Unit> checked(Read<Unit> read, const Unit* p) noexcept {
        return OCIOR_UNLIKELY(options.surrogates != Surrogates::kKeep) ? check_surrogates(read, p) : read;
    }

    // An object could not be made: an exception is set, unless an allocation without one failed.
    OCIOR_COLD Read<Unit> fail_python(const Unit* at) noexcept {
        return fail_read(PyErr_Occurred() ? Error::kPython : Error::kNoMemory, at);
    }

private:
    OCIOR_NOINLINE Read<Unit> check_surrogates(Read<Unit> read, const Unit* p) noexcept {
        if (!read.object) return read;
        if constexpr (!Source::kUtf8) {
            const bool has_escape = read.next - p - 1 != PyUnicode_GET_LENGTH(read.object);
            if (!has_escape && options.dialect->keeps_surrogates_of_str) return read;
        }
        if (!has_surrogate(read.object)) return read;
        if constexpr (!Source::kUtf8) {
            std::size_t own = 0, all = 0;  // those that the str has, and those that have come of it
            for (const Unit* unit = p; unit != read.next; ++unit) own += text::is_surrogate(*unit);
            for (Py_ssize_t i = 0; i < PyUnicode_GET_LENGTH(read.object); ++i)
                all += text::is_surrogate(PyUnicode_READ_CHAR(read.object, i));
            if (options.dialect->keeps_surrogates_of_str && own == all) return read;
        }
        if (options.surrogates == Surrogates::kReplace) {
            replace_surrogates(read.object);
            return read;
        }
        Py_DECREF(read.object);
        return fail_read(Error::kLoneSurrogate, find_lone_surrogate<Source>(p));
    }

    // Many values tell how many the rest of the text will add, and the stack takes the room for them at once: one that grows by doubling
    // leaves holes in the heap, of some megabytes for 1 million values.
    OCIOR_NOINLINE bool grow(std::size_t used, const Unit* p) noexcept {
        constexpr std::size_t kMany = 4096, kMost = 31 * 1024 * 1024 / sizeof(PyObject*);
        std::size_t wanted = used + 4;
        if (used >= kMany) {
            const double per_unit = static_cast<double>(used) / static_cast<double>(p - this->text.first);
            const auto rest = static_cast<std::size_t>(1.06 * per_unit * static_cast<double>(this->text.last - p));
            wanted += rest < kMost ? rest : kMost;
        }
        return context.values.reserve(wanted) || context.values.reserve(used + 4);
    }
};

}  // namespace ocior::decode
