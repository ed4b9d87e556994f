// zoneinfo.ZoneInfo, CPython's own in C: the offset that a zone has at a local time, from the tables that its objects hold and never
// change.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/calendar.h"
#include "py/attribute.h"
#include "py/tricks.h"

namespace ocior {

class ZoneInfos {
public:
    // Whether objects of `type`, which is this class, no other of its name and none derived from it, can be read here. Such a class is
    // proved by its own objects when it is met for the first time. Sets no error.
    bool knows(const Tricks& tricks, PyTypeObject* type) noexcept;

    // What a zone is ahead of UTC between two of its changes.
    struct Offset {
        long seconds;
        std::size_t changes;  // behind so many of them; where the zone never changes again, one more
    };
    // The offset that `zone`, of such a class, has at a local time. That is given in seconds, as if it were of UTC, since the beginning of
    // 1970; `fold` is 1 for the second one of two that are the same. False where the zone changes by a rule then, as in the years behind
    // its table. (What the zone itself says is found as long as the local times of its changes are in order: in all zones but such as put
    // the clock back by more than the time up to the next change.)
    static OCIOR_INLINE bool find_offset(PyObject* zone, std::int64_t local, unsigned fold, Offset& offset) noexcept {
        return find_offset(*reinterpret_cast<const Object*>(zone), local, fold, offset);
    }
    // The first and the last local time that have an offset found so, for a `fold` of 0.
    struct Stretch {
        std::int64_t first, last;
    };
    static Stretch stretch_of(PyObject* zone, const Offset& offset) noexcept;

private:
    // A stretch of time with one offset.
    struct Period {
        PyObject *offset, *daylight_saving, *name;
        long seconds;  // the offset
    };
    // What an object holds.
    struct Object {
        PyObject header;
        PyObject *key, *file, *weak_references;
        std::size_t change_count, period_count;
        std::int64_t* utc_times;  // of changes
        std::int64_t* local_times[2];  // by `fold`
        Period** periods;  // that begin with the changes
        Period* first;  // before all of them
        struct {
            Period standard, daylight;
            int difference;
            void *start, *end;
            unsigned char has_standard_alone;
        } after;  // all of them: a rule
        Period* all;
        unsigned char is_fixed, source;
    };

    OCIOR_INLINE static bool find_offset(const Object& zone, std::int64_t local, unsigned fold, Offset& offset) noexcept {
        const std::int64_t* const times = zone.local_times[fold & 1];
        const std::size_t count = zone.change_count;
        if (OCIOR_UNLIKELY(count == 0 || local > times[count - 1])) {
            offset = {zone.after.standard.seconds, count + 1};
            return zone.after.has_standard_alone;
        }
        if (OCIOR_UNLIKELY(local < times[0])) return offset = {zone.first->seconds, 0}, true;
        const std::size_t change = last_change(times, count, local);
        return offset = {zone.periods[change]->seconds, change + 1}, true;
    }
    // Which of the times is the last that is not later, where the first one is none. That may be as good as random, so no branch depends
    // on it. Most zones change twice a year: it is looked for among four before it is among all.
    OCIOR_INLINE static std::size_t last_change(const std::int64_t* times, std::size_t count, std::int64_t local) noexcept {
        constexpr std::uint64_t kHalfYear = 31556952 / 2;
        const std::uint64_t changes_left = static_cast<std::uint64_t>(times[count - 1] - local) / kHalfYear;
        std::size_t from = 0, room = count;
        if (OCIOR_LIKELY(changes_left >= 3 && changes_left + 2 <= count)) {
            const std::size_t near = count - 2 - changes_left;
            if (OCIOR_LIKELY(times[near] <= local && local < times[near + 4])) from = near, room = 4;
        }
        for (; room > 1; room -= room / 2) from = times[from + room / 2] <= local ? from + room / 2 : from;
        return from;
    }

    static bool prove(PyTypeObject* type) noexcept;
    static bool agrees(PyTypeObject* type, const char* rule) noexcept;

    std::atomic<unsigned> version_ = 0;  // of the class proved last: no reference is held, and no other class ever has the same
    std::atomic<bool> is_unknown_ = false;  // it has another layout
};

}  // namespace ocior
