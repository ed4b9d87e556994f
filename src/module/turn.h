// One thread at a time with an object whose code may run Python code meanwhile, with a GIL and without.
#pragma once

#include <atomic>

#include "py/ref.h"

namespace ocior::module {

// The lock of an object. CPython's own locks of objects would let go where a thread waits, and another one go on in the middle. Whoever
// finds it free takes it by one atomic operation; others sleep until it is handed to them.
class TurnLock {
public:
    TurnLock() noexcept : handed_over_(PyThread_allocate_lock()) {
        if (handed_over_) PyThread_acquire_lock(handed_over_, NOWAIT_LOCK);
    }
    ~TurnLock() {
        if (!handed_over_) return;
        PyThread_release_lock(handed_over_);
        PyThread_free_lock(handed_over_);
    }
    TurnLock(const TurnLock&) = delete;
    TurnLock& operator=(const TurnLock&) = delete;
    explicit operator bool() const noexcept { return handed_over_ != nullptr; }

private:
    friend class Turn;

    const PyThread_type_lock handed_over_;
    std::atomic<unsigned> users_ = 0;         // the thread that holds it, and those that wait
    std::atomic<unsigned long> owner_ = 0;  // the thread that holds it
};

// Holds the lock for a scope, and waits for it. False with RuntimeError set where this thread holds it already: code that a call of the
// object has called asks the same object again.
class Turn {
public:
    explicit OCIOR_INLINE Turn(TurnLock& lock) noexcept : lock_(lock) {
        const unsigned long self = PyThread_get_thread_ident();
        if (OCIOR_UNLIKELY(lock.owner_.load(std::memory_order_relaxed) == self)) {
            PyErr_SetString(PyExc_RuntimeError, "a stream cannot be used while it calls what it was given");
            return;
        }
        if (OCIOR_UNLIKELY(lock.users_.fetch_add(1, std::memory_order_acquire) != 0)) wait();
        lock.owner_.store(self, std::memory_order_relaxed);
        is_held_ = true;
    }
    OCIOR_INLINE ~Turn() {
        if (OCIOR_UNLIKELY(!is_held_)) return;
        lock_.owner_.store(0, std::memory_order_relaxed);
        if (OCIOR_UNLIKELY(lock_.users_.fetch_sub(1, std::memory_order_release) != 1)) PyThread_release_lock(lock_.handed_over_);
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    explicit operator bool() const noexcept { return is_held_; }

private:
    OCIOR_NOINLINE void wait() noexcept {
        Py_BEGIN_ALLOW_THREADS PyThread_acquire_lock(lock_.handed_over_, WAIT_LOCK);
        Py_END_ALLOW_THREADS
    }

    TurnLock& lock_;
    bool is_held_ = false;
};

}  // namespace ocior::module
