// How a container is kept as it is while it is read. With the GIL nobody else runs, and all of this is nothing. Without it other threads
// may edit what is not locked; a list or dict is read under its own lock, or where no other thread can find it.
#pragma once

#include "py/layout.h"

namespace ocior {

// The lock of one object: CPython's critical section. Whoever waits for another lock meanwhile lets go of this one.
class ObjectLock {
public:
#ifdef Py_GIL_DISABLED
    void lock(PyObject* object) noexcept { PyCriticalSection_Begin(&section_, object); }
    void unlock() noexcept { PyCriticalSection_End(&section_); }

private:
    PyCriticalSection section_;
#else
    void lock(PyObject*) noexcept {}
    void unlock() noexcept {}
#endif
};

// Holds the ObjectLock of an object for a scope.
class Locked {
public:
    explicit Locked(PyObject* object) noexcept { lock_.lock(object); }
    ~Locked() { lock_.unlock(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    ObjectLock lock_;
};

// Holds the mutex of one object for a scope, if that was free. Whoever holds it waits for nothing and runs no Python code. A null object
// needs no lock.
class TriedLock {
public:
    explicit TriedLock(PyObject* object) noexcept;
    ~TriedLock();
    TriedLock(const TriedLock&) = delete;
    TriedLock& operator=(const TriedLock&) = delete;
    explicit operator bool() const noexcept { return is_locked_; }

private:
    PyObject* const object_;
    const bool is_locked_;
};

// What keeps a container as it is.
enum class Guard : std::uint8_t {
    kNone,
    kSection,  // an ObjectLock
    kMutex,    // its mutex alone: whoever holds it waits for nothing and runs no Python code
    kShared,   // its mutex, held together with others who only read
    kTuple,    // nobody edits a tuple
    kAlone,    // no other thread can find it
};

// A member that takes no room with the GIL.
class GuardOf {
public:
#ifdef Py_GIL_DISABLED
    Guard get() const noexcept { return guard_; }
    void set(Guard guard) noexcept { guard_ = guard; }

private:
    Guard guard_ = Guard::kNone;
#else
    Guard get() const noexcept { return Guard::kNone; }
    void set(Guard) noexcept {}
#endif
};

#ifdef Py_GIL_DISABLED

// The byte of a mutex. CPython uses two of its bits, and only sets or looks at the others together with these. Threads that only read
// count themselves in the other six, under one lock, which the last of them unlocks. Whoever waits to write finds the mutex locked and goes
// to sleep; from then on no reader joins. Needs Tricks::shared_mutexes; without it all are alone.
namespace mutex_bits {
inline constexpr std::uint8_t kFree = 0, kLocked = 1, kHasWaiters = 2, kReader = 4, kMostReaders = 0xFC;
}
OCIOR_INLINE bool exchange_mutex(PyObject* object, std::uint8_t& expected, std::uint8_t wanted) noexcept {
    return __atomic_compare_exchange_n(&object->ob_mutex._bits, &expected, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

// Whether the mutex was free; then it is held.
OCIOR_INLINE bool try_lock_mutex(PyObject* object) noexcept {
    std::uint8_t expected = mutex_bits::kFree;
    return exchange_mutex(object, expected, mutex_bits::kLocked);
}
OCIOR_INLINE void unlock_mutex(PyObject* object) noexcept { PyMutex_Unlock(&object->ob_mutex); }

// Whether the mutex was free, or held by readers; then it is held by one more.
bool try_join_mutex(PyObject* object, std::uint8_t bits) noexcept;
OCIOR_INLINE bool try_share_mutex(PyObject* object) noexcept {
    std::uint8_t expected = mutex_bits::kFree;
    return OCIOR_LIKELY(exchange_mutex(object, expected, mutex_bits::kLocked | mutex_bits::kReader)) || try_join_mutex(object, expected);
}
void leave_mutex(PyObject* object, std::uint8_t bits) noexcept;
OCIOR_INLINE void unshare_mutex(PyObject* object) noexcept {
    std::uint8_t expected = mutex_bits::kLocked | mutex_bits::kReader;
    if (OCIOR_UNLIKELY(!exchange_mutex(object, expected, mutex_bits::kFree))) leave_mutex(object, expected);
}

// Whether threads sleep until the object's lock is free.
OCIOR_INLINE bool has_waiters(PyObject* object) noexcept {
    return (__atomic_load_n(&object->ob_mutex._bits, __ATOMIC_RELAXED) & mutex_bits::kHasWaiters) != 0;
}

// Whether there is one reference to the object, in a container, and this thread has made it. As long as no other thread can get a
// reference from that container, none can find the object.
OCIOR_INLINE bool has_one_reference(PyObject* object) noexcept {
    return _Py_IsOwnedByCurrentThread(object) && __atomic_load_n(&object->ob_ref_local, __ATOMIC_RELAXED) == 1 &&
           __atomic_load_n(&object->ob_ref_shared, __ATOMIC_ACQUIRE) == 0;
}

// Whether other threads need a list's lock to get an item of it. Whoever reads a list that another thread has made marks it under its lock,
// and goes without the lock from then on. (Other threads get the values of some dicts, those of a module's variables, without any mark.)
OCIOR_INLINE bool is_read_under_lock(PyObject* object) noexcept {
    constexpr std::uint8_t kTracked = 1;  // by the garbage collector; the mark is another bit of the same
    return PyList_CheckExact(object) && _Py_IsOwnedByCurrentThread(object) &&
           __atomic_load_n(&object->ob_gc_bits, __ATOMIC_RELAXED) == kTracked;
}

// Guards the object without waiting, and returns how: kMutex or kShared, or kNone where others hold it. A list that only this thread has
// read so far is not shared: as long as that is so, nobody else can find its items.
OCIOR_INLINE Guard try_guard(bool may_share, PyObject* object) noexcept {
    if (may_share && !is_read_under_lock(object)) return try_share_mutex(object) ? Guard::kShared : Guard::kNone;
    return try_lock_mutex(object) ? Guard::kMutex : Guard::kNone;
}
// Guards the object as try_guard() does, but waits as long as others hold it. Returns kSection where `section` had to be locked for that.
// Because it waits, the caller may hold no other lock.
Guard wait_to_guard(bool may_share, PyObject* object, ObjectLock& section) noexcept;
OCIOR_INLINE void unguard(Guard guard, PyObject* object) noexcept {
    if (guard == Guard::kShared) unshare_mutex(object);
    else if (guard == Guard::kMutex) unlock_mutex(object);
}

#else

OCIOR_INLINE bool try_lock_mutex(PyObject*) noexcept { return true; }
OCIOR_INLINE void unlock_mutex(PyObject*) noexcept {}
OCIOR_INLINE bool has_waiters(PyObject*) noexcept { return false; }
OCIOR_INLINE bool has_one_reference(PyObject*) noexcept { return true; }
OCIOR_INLINE bool is_read_under_lock(PyObject*) noexcept { return true; }
OCIOR_INLINE Guard try_guard(bool, PyObject*) noexcept { return Guard::kNone; }
OCIOR_INLINE Guard wait_to_guard(bool, PyObject*, ObjectLock&) noexcept { return Guard::kNone; }
OCIOR_INLINE void unguard(Guard, PyObject*) noexcept {}

#endif

OCIOR_INLINE TriedLock::TriedLock(PyObject* object) noexcept : object_(object), is_locked_(!object || try_lock_mutex(object)) {}
OCIOR_INLINE TriedLock::~TriedLock() {
    if (object_ && is_locked_) unlock_mutex(object_);
}

}  // namespace ocior
