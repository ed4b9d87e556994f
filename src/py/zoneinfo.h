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

    // A local time of a zone.
    struct Local {
        std::int64_t seconds;  // as if it were of UTC, since the beginning of 1970
        unsigned year, fold;  // `fold` is 1 for the second one of two that are the same
    };
    // What a zone is ahead of UTC between two of its changes.
    struct Offset {
        long seconds;
        std::size_t stretch;  // of time: a number that no other stretch of the zone has
    };
    // The offset that `zone`, of such a class, has at a local time. (What the zone itself says is found as long as the local times of its
    // changes are in order: in all zones but such as put the clock back by more than the time up to the next change.)
    static OCIOR_INLINE Offset offset_at(PyObject* zone, const Local& local) noexcept {
        return offset_at(*reinterpret_cast<const Object*>(zone), local);
    }
    // The first and the last local time of the stretch that an offset was found in, for a `fold` of 0.
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
    // When a zone changes each year, where it has no table.
    struct YearlyChange {
        std::int64_t (*in_year)(YearlyChange*, int year);  // the local time that the clock shows before it
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
            int difference;  // what daylight is ahead of standard
            YearlyChange *start, *end;  // of daylight; null where the zone never changes again
            unsigned char has_standard_alone;
        } after;  // all of them: a rule
        Period* all;
        unsigned char is_fixed, source;
    };

    // Stretches of the table are numbered by the changes before them, then comes the one behind all changes where there is no rule, then by
    // year those behind the table.
    OCIOR_INLINE static Offset offset_at(const Object& zone, const Local& local) noexcept {
        const std::int64_t* const times = zone.local_times[local.fold & 1];
        const std::size_t count = zone.change_count;
        if (OCIOR_UNLIKELY(count == 0 || local.seconds > times[count - 1])) {
            if (zone.after.has_standard_alone) return {zone.after.standard.seconds, count + 1};
            return offset_by_rule(zone, local);
        }
        if (OCIOR_UNLIKELY(local.seconds < times[0])) return {zone.first->seconds, 0};
        const std::size_t change = last_change(times, count, local.seconds);
        return {zone.periods[change]->seconds, change + 1};
    }
    // The two changes of a year behind the table, in order.
    struct YearlyChanges {
        std::int64_t first, second;
        bool is_daylight_between;
    };
    static YearlyChanges changes_in(const Object& zone, unsigned year, unsigned fold) noexcept;
    OCIOR_NOINLINE static Offset offset_by_rule(const Object& zone, const Local& local) noexcept;
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
