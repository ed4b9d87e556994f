// How containers are kept as they are while the walk reads them, where other threads may edit them. With a GIL nobody else runs meanwhile,
// and all of this is nothing.
#pragma once

#include "encode/walk/frame.h"

namespace ocior::encode {

// Whether other threads may edit what the walk reads.
inline constexpr bool kMayBeShared = !layout::kHasGil;

// Whether an object whose reference is let go of may be freed by that, which runs Python code. (Without a GIL, whoever lets go of the
// last one at the same time has changed what this call is reading.)
OCIOR_INLINE bool may_die(PyObject* object) noexcept { return !kMayBeShared || (object && Py_REFCNT(object) == 1); }

// Values of instances that other threads may edit, each in a reference of its own. What lies at an instance's place and is one of these can
// be read without a lock. (A lock would make threads that write members of one enum wait for each other, and their processors exchange what
// surrounds the members.) Each is a str, int, float, true, false or null of exactly that type, so to let go of it runs no Python code.
class KeptValues {
public:
    ~KeptValues() { clear(); }
    // With a GIL no value has to be kept, and it has all.
    OCIOR_INLINE bool has(PyObject* value) const noexcept { return !kMayBeShared || (value && slots_[index_of(value)] == value); }
    // Whether one more may be retired. Their number is limited, because to let go of one may wait for a lock, and comes when the call ends.
    bool has_room() const noexcept { return retired_count_ < kMostRetired; }
    void keep(Owned value) noexcept {
        is_empty_ = false;
        PyObject*& slot = slots_[index_of(value.get())];
        if (slot) retired_[retired_count_++] = slot;
        slot = value.release();
    }
    void clear() noexcept {
        if (!kMayBeShared || std::exchange(is_empty_, true)) return;
        for (PyObject*& slot : slots_) Py_CLEAR(slot);
        while (retired_count_ != 0) Py_DECREF(retired_[--retired_count_]);
    }

private:
    static constexpr std::size_t kSlots = 64, kMostRetired = 256;
    static std::size_t index_of(PyObject* value) noexcept {
        const auto address = reinterpret_cast<std::uintptr_t>(value);
        return (address >> 4 ^ address >> 10) % kSlots;
    }

    PyObject* slots_[kSlots] = {};
    PyObject* retired_[kMostRetired];  // that another one has taken the slot of
    std::size_t retired_count_ = 0;
    bool is_empty_ = true;
};

// While what a list, dict or tuple holds is written, the container stays guarded, if it can be: frames are coupled. All
// frames above a coupled one are. Their references are borrowed and they know their places, as with a GIL, and the thread waits for no
// lock before it has let go of all of them, which pin() does; other threads that wait meanwhile get their turn when the output has
// grown by kSuspiciousOutput. The lowest of these frames may have had to wait for its lock: then it is guarded by a critical
// section.
class Guards {
public:
    // From now on no frame is coupled.
    void couple_none() noexcept { first_coupled_ = SIZE_MAX; }
    // Whether a frame may be coupled with its item that has so many frames below its own.
    OCIOR_INLINE bool may_couple(std::size_t depth) const noexcept { return depth > first_coupled_; }

    // Guards what the frame reads, if that is not guarded yet. In that case nothing else is guarded, either.
    OCIOR_INLINE void guard(Frame& frame) noexcept {
        if constexpr (kMayBeShared) {
            if (frame.guard.get() != Guard::kNone) return;
            if (PyTuple_Check(frame.iterated)) return frame.guard.set(Guard::kTuple);
            if (OCIOR_LIKELY(try_lock_mutex(frame.iterated))) return frame.guard.set(Guard::kMutex);
            section_.lock(frame.iterated);
            frame.guard.set(Guard::kSection);
        }
    }
    // Lets go of what the frame reads, which has so many frames below it.
    OCIOR_INLINE void unguard(Frame& frame, std::size_t below) noexcept {
        if constexpr (kMayBeShared) {
            const Guard guard = frame.guard.get();
            frame.guard.set(Guard::kNone);
            if (guard != Guard::kMutex && guard != Guard::kSection) return;
            if (OCIOR_UNLIKELY(has_waiters(frame.iterated))) do_not_couple(below);
            if (OCIOR_UNLIKELY(guard == Guard::kSection)) section_.unlock();
            else unlock_mutex(frame.iterated);
        }
    }
    // Whether no other thread can find those items of the frame that have no reference but its own.
    static OCIOR_INLINE bool hides_items(const Frame& frame) noexcept {
        if constexpr (!kMayBeShared) return true;
        const Guard guard = frame.guard.get();
        return guard == Guard::kAlone || ((guard == Guard::kSection || guard == Guard::kMutex) && is_read_under_lock(frame.iterated));
    }

    // Guards an item of the frame, which is a list, a dict, a tuple or an object of fields, until a frame is opened for it. False where
    // others hold it.
    OCIOR_INLINE bool guard_item(const Frame& frame, PyObject* item) noexcept {
        if (hides_items(frame) && has_one_reference(item)) item_ = Guard::kAlone;
        else if (PyTuple_CheckExact(item)) item_ = Guard::kTuple;
        else item_ = try_lock_mutex(item) ? Guard::kMutex : Guard::kNone;
        return OCIOR_LIKELY(item_ != Guard::kNone);
    }
    // Ends that guard.
    OCIOR_INLINE void unguard_item(PyObject* item) noexcept {
        if constexpr (kMayBeShared)
            if (std::exchange(item_, Guard::kNone) == Guard::kMutex) unlock_mutex(item);
    }
    // Whether nobody changes the item for which a frame is about to be opened, until Python code runs or frames are pinned.
    OCIOR_INLINE bool is_item_guarded() const noexcept { return !kMayBeShared || item_ != Guard::kNone; }
    // The frame that has been opened for the item takes over its guard. False where there is none.
    OCIOR_INLINE bool hand_over_item(Frame& frame) noexcept {
        if (!is_item_guarded()) return false;
        if constexpr (kMayBeShared) frame.guard.set(std::exchange(item_, Guard::kNone));
        return true;
    }

private:
    // Frames up to that one are not coupled any more: other threads have waited for them.
    OCIOR_NOINLINE void do_not_couple(std::size_t frame) noexcept;

    ObjectLock section_;
    std::size_t first_coupled_ = 0;  // frames below are not coupled with what they hold
    Guard item_ = Guard::kNone;  // of the item that is about to be opened, where it is guarded already
};

}  // namespace ocior::encode
