#include "py/zoneinfo.h"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <iterator>
#include <limits>

#pragma GCC diagnostic ignored "-Wunused-variable"  // of a pointer in it
#include <datetime.h>  // which needs Python.h before it

namespace ocior {
namespace {

struct Change {
    std::int64_t time;
    std::uint8_t period;
};
constexpr Change kChanges[] = {{-1000000000, 1}, {0, 2}, {1000000000, 0}};
constexpr std::int32_t kOffsets[] = {3600, -12345, 7200};  // of the periods

// A file of RFC 8536, "TZif", with these changes, and a rule for the time behind them.
struct ZoneFile {
    char text[256];
    std::size_t length = 0;

    void put(std::uint64_t number, unsigned byte_len) noexcept {
        while (byte_len-- > 0) text[length++] = static_cast<char>(number >> (8 * byte_len));
    }
    void put(const char* characters) noexcept {
        while (*characters) text[length++] = *characters++;
    }
    void put_header(unsigned change_count, unsigned period_count, unsigned name_length) noexcept {
        put("TZif2");
        for (int i = 0; i < 15; ++i) put(0, 1);
        for (const unsigned count : {0u, 0u, 0u, change_count, period_count, name_length}) put(count, 4);
    }
    explicit ZoneFile(const char* rule) noexcept {
        put_header(0, 0, 0);
        put_header(std::size(kChanges), std::size(kOffsets), 4);
        for (const Change& change : kChanges) put(static_cast<std::uint64_t>(change.time), 8);
        for (const Change& change : kChanges) put(change.period, 1);
        for (const std::int32_t offset : kOffsets) {
            put(static_cast<std::uint32_t>(offset), 4);
            put(0, 2);  // no daylight saving time; which name
        }
        put("ABC");
        put(0, 1);
        put("\n");
        put(rule);
        put("\n");
    }
};

// What the zone itself says. False with an error set.
bool ask_offset(const PyDateTime_CAPI& api, PyObject* zone, const std::tm& local, int fold, long& seconds) noexcept {
    const Owned at = Owned::steal(api.DateTime_FromDateAndTimeAndFold(local.tm_year + 1900, local.tm_mon + 1, local.tm_mday, local.tm_hour,
                                                                      local.tm_min, local.tm_sec, 0, Py_None, fold, api.DateTimeType));
    const Owned offset = Owned::steal(at ? PyObject_CallMethod(zone, "utcoffset", "O", at.get()) : nullptr);
    if (!offset || !Py_IS_TYPE(offset.get(), api.DeltaType)) return false;
    const auto* const delta = reinterpret_cast<PyDateTime_Delta*>(offset.get());
    seconds = 86400l * delta->days + delta->seconds;
    return true;
}

// Whether what is found of a zone at the local times up to some quarters of an hour from `middle` is what the zone itself says.
bool agrees_around(const PyDateTime_CAPI& api, PyObject* zone, std::int64_t middle, int quarters) noexcept {
    for (std::int64_t seconds = middle - 900 * quarters; seconds <= middle + 900 * quarters; seconds += 900) {
        const std::time_t time = seconds;
        std::tm parts;
        if (!gmtime_r(&time, &parts)) return false;
        const auto year = static_cast<unsigned>(parts.tm_year + 1900), month = static_cast<unsigned>(parts.tm_mon + 1),
                   day = static_cast<unsigned>(parts.tm_mday), hour = static_cast<unsigned>(parts.tm_hour),
                   minute = static_cast<unsigned>(parts.tm_min), second = static_cast<unsigned>(parts.tm_sec);
        if (seconds_since_1970(year, month, day, hour, minute, second) != seconds) return false;
        for (unsigned fold = 0; fold < 2; ++fold) {
            long expected;
            if (!ask_offset(api, zone, parts, static_cast<int>(fold), expected)) return false;
            if (ZoneInfos::offset_at(zone, {seconds, year, fold}).seconds != expected) return false;
        }
    }
    return true;
}

}  // namespace

// A change that puts the clock back shows some local times twice: their first ones belong to what is before it, as all do that a change
// ahead leaves out, their second ones to what is behind it. So a change is at the later of the two times that the clock shows then, for a
// `fold` of 0, and at the earlier one for a `fold` of 1.
ZoneInfos::YearlyChanges ZoneInfos::changes_in(const Object& zone, unsigned year, unsigned fold) noexcept {
    const auto& rule = zone.after;
    std::int64_t start = rule.start->in_year(rule.start, static_cast<int>(year)), end = rule.end->in_year(rule.end, static_cast<int>(year));
    if ((fold != 0) == (rule.difference >= 0)) end -= rule.difference;
    else start += rule.difference;
    return start < end ? YearlyChanges{start, end, true} : YearlyChanges{end, start, false};
}

ZoneInfos::Offset ZoneInfos::offset_by_rule(const Object& zone, const Local& local) noexcept {
    const YearlyChanges changes = changes_in(zone, local.year, local.fold);
    const unsigned behind = (local.seconds >= changes.first) + (local.seconds >= changes.second);
    const bool is_daylight = (behind == 1) == changes.is_daylight_between;
    return {is_daylight ? zone.after.daylight.seconds : zone.after.standard.seconds,
            zone.change_count + 2 + 3 * std::size_t{local.year} + behind};
}

ZoneInfos::Stretch ZoneInfos::stretch_of(PyObject* zone, const Offset& offset) noexcept {
    const auto& of = *reinterpret_cast<const Object*>(zone);
    const std::int64_t* const times = of.local_times[0];
    const std::size_t count = of.change_count;
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    if (offset.stretch <= count) {
        const std::int64_t first = offset.stretch ? times[offset.stretch - 1] : -kNever;
        // The last change is found for its very moment alone: what is later comes behind the table.
        return {first, offset.stretch < count ? times[offset.stretch] - 1 : first};
    }
    Stretch found{count ? times[count - 1] + 1 : -kNever, kNever};
    if (offset.stretch == count + 1) return found;
    const auto by_rule = static_cast<unsigned>(offset.stretch - count - 2), year = by_rule / 3, behind = by_rule % 3;
    const YearlyChanges changes = changes_in(of, year, 0);
    // (A rule may put a change some days outside its year.)
    const std::int64_t bounds[] = {seconds_since_1970(year, 1, 1, 0, 0, 0), changes.first, changes.second,
                                   seconds_since_1970(year + 1, 1, 1, 0, 0, 0)};
    found.first = std::max({found.first, bounds[0], bounds[behind]});
    found.last = std::min(bounds[behind + 1], bounds[3]) - 1;
    return found;
}

// Whether what is read of a zone made of a file is what was written there, and what the zone says of local times around all changes.
bool ZoneInfos::agrees(PyTypeObject* type, const char* rule) noexcept {
    const auto* const api = static_cast<PyDateTime_CAPI*>(PyCapsule_Import(PyDateTime_CAPSULE_NAME, 0));
    const ZoneFile content(rule);
    const Owned bytes = Owned::steal(api ? PyBytes_FromStringAndSize(content.text, static_cast<Py_ssize_t>(content.length)) : nullptr);
    const Owned module = Owned::steal(bytes ? PyImport_ImportModule("io") : nullptr);
    const Owned file = Owned::steal(module ? PyObject_CallMethod(module.get(), "BytesIO", "O", bytes.get()) : nullptr);
    const Owned made = Owned::steal(file ? PyObject_CallMethod(reinterpret_cast<PyObject*>(type), "from_file", "O", file.get()) : nullptr);
    if (!made || !Py_IS_TYPE(made.get(), type)) return false;
    constexpr unsigned char kFromFile = 2;
    const auto& zone = *reinterpret_cast<const Object*>(made.get());
    if (zone.key != Py_None || !zone.first || zone.change_count != std::size(kChanges) || zone.period_count != std::size(kOffsets) ||
        zone.is_fixed || zone.source != kFromFile)
        return false;
    const bool has_rule = std::strchr(rule, ',') != nullptr;
    const auto& after = zone.after;
    if (after.has_standard_alone != !has_rule || after.standard.seconds != kOffsets[0]) return false;
    // (Both changes of the rule are of one kind, so they have the same function.)
    if (has_rule && (after.daylight.seconds != kOffsets[2] || after.difference != kOffsets[2] - kOffsets[0] || !after.start || !after.end ||
                     after.start == after.end || after.start->in_year != after.end->in_year))
        return false;
    for (std::size_t i = 0; i < std::size(kChanges); ++i) {
        if (zone.utc_times[i] != kChanges[i].time || zone.periods[i]->seconds != kOffsets[kChanges[i].period]) return false;
        if (!agrees_around(*api, made.get(), kChanges[i].time, 4 * 24)) return false;
    }
    for (const unsigned year : {2001u, 2002u, 2400u}) {
        for (unsigned month = 1; month <= 12; ++month)
            if (!agrees_around(*api, made.get(), seconds_since_1970(year, month, 15, 0, 0, 0), 0)) return false;
        if (!has_rule) continue;
        const YearlyChanges changes = changes_in(zone, year, 0);
        if (!agrees_around(*api, made.get(), changes.first, 12) || !agrees_around(*api, made.get(), changes.second, 12)) return false;
    }
    return true;
}

bool ZoneInfos::prove(PyTypeObject* type) noexcept { return agrees(type, "ABC-1") && agrees(type, "ABC-1DEF,M3.5.0,M10.5.0"); }

bool ZoneInfos::knows(const Tricks& tricks, PyTypeObject* type) noexcept {
    const unsigned version = type_version(type);
    if (version != 0 && version == version_) return true;
    if (!tricks.direct_scalars || is_unknown_ || version == 0 || type->tp_basicsize != static_cast<Py_ssize_t>(sizeof(Object)))
        return false;
    if (!is_unchangeable(type) || std::strcmp(type->tp_name, "zoneinfo.ZoneInfo") != 0) return false;
    const bool is_proved = prove(type);
    if (is_proved) version_ = version;
    else is_unknown_ = !PyErr_Occurred() || !PyErr_ExceptionMatches(PyExc_MemoryError);
    PyErr_Clear();
    return is_proved;
}

}  // namespace ocior
