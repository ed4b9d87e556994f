// Settings of an encoder object that many threads use, found without a GIL, without a lock and without being counted as a user: such a call
// writes no cache line that calls of other threads read.
#pragma once

#include "module/kept_settings.h"
#include "py/attribute.h"
#include "py/unlocked.h"

namespace ocior::module {

#ifdef Py_GIL_DISABLED

// What an encoder object lends to calls. A member of the object, whose memory is all zeros at first. What has been lent stays until the
// object goes. It is lent where no object's text is among the options: a call copies them, and from then on needs neither the settings nor
// the object, which its caller need not keep alive.
class Lending {
    static constexpr unsigned kFirstCall = 3;  // many encoders are used once
    static constexpr unsigned kLastCall = 64;  // that prepares the attributes: where they cannot be compared, it is of no use
    static constexpr unsigned kMost = 8;  // an object whose settings change again and again stops lending
    static constexpr unsigned kForeignCalls = 1000;  // of threads that have not made the object, until they count no references to it

public:
    // The present settings of `self`. Null where they have to be found under its lock.
    OCIOR_INLINE const KeptSettings* find(PyObject* self) noexcept {
        const Lent* const lent = last_.load(std::memory_order_acquire);
        if (!lent) return nullptr;
        const KeptSettings& kept = *lent->kept;
        // Once its class is changed, it has another version, or none. (Settings without one are not lent.)
        if (kept.type_version != type_version(Py_TYPE(self)) || kept.type != Py_TYPE(self)) return nullptr;
        const auto is_same = [&kept](std::size_t i, PyObject* name, PyObject* value) {
            return name == kept.names[i].get() && (!kept.values[i] || value == kept.values[i].get());
        };
        if (!compare_unlocked(self, kept.count, is_same)) return nullptr;
        if (OCIOR_UNLIKELY(!is_own_object(self)) && OCIOR_UNLIKELY(foreign_calls_.load(std::memory_order_relaxed) < kForeignCalls))
            count_foreign_call(self);
        return &kept;
    }

    // To be called before the object is locked to find its settings. Sets no error.
    void prepare(PyObject* self, PyObject* any_name) noexcept {
        const unsigned calls = locked_calls_.load(std::memory_order_relaxed);
        if (calls >= kFirstCall && calls < kLastCall) prepare_to_read_unlocked(self, any_name);
    }

    // With the object locked: these are its settings, as they were for the call before.
    void lend(PyObject* self, KeptSettings* kept) noexcept {
        const encode::Options& options = kept->settings.options;
        if (!kept->is_native || options.item.data || options.key.data || options.indent.text.data || !has_managed_dict(Py_TYPE(self)))
            return;
        const unsigned calls = locked_calls_.load(std::memory_order_relaxed);
        if (calls < kLastCall) locked_calls_.store(calls + 1, std::memory_order_relaxed);
        Lent* const last = last_.load(std::memory_order_relaxed);
        if (calls < kFirstCall || (last && (last->kept == kept || last->number == kMost))) return;
        if (auto* const lent = new (std::nothrow) Lent{use(kept), last, last ? last->number + 1 : 1})
            last_.store(lent, std::memory_order_release);
    }

    // With the object locked: it has other settings now.
    void begin_again() noexcept { locked_calls_.store(0, std::memory_order_relaxed); }

    void clear() noexcept {
        for (Lent* lent = last_.exchange(nullptr); lent;) {
            drop(lent->kept);
            delete std::exchange(lent, lent->earlier);
        }
    }

private:
    struct Lent {
        KeptSettings* kept;
        Lent* earlier;
        unsigned number;  // which of those it is that the object has lent
    };

    // (A call that is not counted, because two threads count at once, does not matter.)
    OCIOR_NOINLINE void count_foreign_call(PyObject* self) noexcept {
        const unsigned calls = foreign_calls_.load(std::memory_order_relaxed) + 1;
        foreign_calls_.store(calls, std::memory_order_relaxed);
        if (calls == kForeignCalls) count_fewer_references(self);
    }

    std::atomic<Lent*> last_;  // changed with the object's lock held
    std::atomic<unsigned> locked_calls_;  // that found the settings it has now; up to kLastCall
    std::atomic<unsigned> foreign_calls_;
};

#else

class Lending {
public:
    OCIOR_INLINE const KeptSettings* find(PyObject*) noexcept { return nullptr; }
    OCIOR_INLINE void prepare(PyObject*, PyObject*) noexcept {}
    OCIOR_INLINE void lend(PyObject*, KeptSettings*) noexcept {}
    OCIOR_INLINE void begin_again() noexcept {}
    OCIOR_INLINE void clear() noexcept {}
};

#endif

}  // namespace ocior::module
