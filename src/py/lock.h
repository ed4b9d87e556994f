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

// Whether the mutex was free; then it is held.
OCIOR_INLINE bool try_lock_mutex(PyObject* object) noexcept {
    std::uint8_t expected = 0;
    return __atomic_compare_exchange_n(&object->ob_mutex._bits, &expected, std::uint8_t{1}, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}
OCIOR_INLINE void unlock_mutex(PyObject* object) noexcept { PyMutex_Unlock(&object->ob_mutex); }

// Whether threads sleep until the object's lock is free.
OCIOR_INLINE bool has_waiters(PyObject* object) noexcept { return (__atomic_load_n(&object->ob_mutex._bits, __ATOMIC_RELAXED) & 2) != 0; }

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

#else

OCIOR_INLINE bool try_lock_mutex(PyObject*) noexcept { return true; }
OCIOR_INLINE void unlock_mutex(PyObject*) noexcept {}
OCIOR_INLINE bool has_waiters(PyObject*) noexcept { return false; }
OCIOR_INLINE bool has_one_reference(PyObject*) noexcept { return true; }
OCIOR_INLINE bool is_read_under_lock(PyObject*) noexcept { return true; }

#endif

OCIOR_INLINE TriedLock::TriedLock(PyObject* object) noexcept : object_(object), is_locked_(!object || try_lock_mutex(object)) {}
OCIOR_INLINE TriedLock::~TriedLock() {
    if (object_ && is_locked_) unlock_mutex(object_);
}

}  // namespace ocior
