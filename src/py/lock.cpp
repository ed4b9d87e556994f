#include "py/lock.h"

#ifdef Py_GIL_DISABLED

namespace ocior {
namespace {

// What a processor wants to be told in a loop that waits.
void relax() noexcept {
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    __asm__ volatile("isb");
#endif
}

}  // namespace

bool try_join_mutex(PyObject* object, std::uint8_t bits) noexcept {
    using namespace mutex_bits;
    while ((bits & (kLocked | kHasWaiters)) == kLocked && bits >= kReader && bits < kMostReaders) {
        if (exchange_mutex(object, bits, bits + kReader)) return true;
    }
    return false;
}

void leave_mutex(PyObject* object, std::uint8_t bits) noexcept {
    using namespace mutex_bits;
    for (;;) {
        const bool is_last = bits < 2 * kReader;
        // With waiters, the last reader takes its own bits away before CPython unlocks: it wakes one of them.
        const bool wakes = is_last && (bits & kHasWaiters) != 0;
        if (!exchange_mutex(object, bits, is_last && !wakes ? kFree : bits - kReader)) continue;
        if (wakes) unlock_mutex(object);
        return;
    }
}

Guard wait_to_guard(bool may_share, PyObject* object, ObjectLock& section) noexcept {
    constexpr int kTurns = 3;
    constexpr int kLooks = 64;  // about as long as a list is edited for
    for (int turn = 0; turn < kTurns; ++turn) {
        for (int i = 0; i < kLooks; ++i) {
            if (const Guard guard = try_guard(may_share, object); guard != Guard::kNone) return guard;
            relax();
        }
        // Waits until the object is free. A list that its own thread has been reading for so long is marked: from now on it is shared with
        // that thread, too. CPython does both where it is asked for an item, of which there is none at this place.
        if (PyList_CheckExact(object)) {
            Py_XDECREF(PyList_GetItemRef(object, PY_SSIZE_T_MAX));
            PyErr_Clear();
        } else {
            const Locked lock(object);
        }
    }
    // Others are always quicker, or this thread itself has locked the object and runs Python code meanwhile, as list.extend() does.
    section.lock(object);
    return Guard::kSection;
}

}  // namespace ocior

#endif
