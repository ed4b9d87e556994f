#include "py/zoneinfo.h"

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

}  // namespace

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
    if (zone.after.has_standard_alone != !has_rule || zone.after.standard.seconds != kOffsets[0]) return false;
    if (has_rule && zone.after.daylight.seconds != kOffsets[2]) return false;
    for (std::size_t i = 0; i < std::size(kChanges); ++i) {
        if (zone.utc_times[i] != kChanges[i].time || zone.periods[i]->seconds != kOffsets[kChanges[i].period]) return false;
        for (int quarters = -4 * 24; quarters <= 4 * 24; ++quarters) {
            const std::time_t local = kChanges[i].time + 900l * quarters;
            std::tm parts;
            if (!gmtime_r(&local, &parts)) return false;
            const auto year = static_cast<unsigned>(parts.tm_year + 1900), month = static_cast<unsigned>(parts.tm_mon + 1),
                       day = static_cast<unsigned>(parts.tm_mday), hour = static_cast<unsigned>(parts.tm_hour),
                       minute = static_cast<unsigned>(parts.tm_min), second = static_cast<unsigned>(parts.tm_sec);
            if (seconds_since_1970(year, month, day, hour, minute, second) != local) return false;
            for (int fold = 0; fold < 2; ++fold) {
                long expected;
                if (!ask_offset(*api, made.get(), parts, fold, expected)) return false;
                Offset offset;
                const bool is_known = find_offset(zone, local, static_cast<unsigned>(fold), offset);
                if (is_known ? offset.seconds != expected : !has_rule || i + 1 < std::size(kChanges)) return false;
            }
        }
    }
    return true;
}

ZoneInfos::Stretch ZoneInfos::stretch_of(PyObject* zone, const Offset& offset) noexcept {
    const auto& of = *reinterpret_cast<const Object*>(zone);
    const std::int64_t* const times = of.local_times[0];
    constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
    // The last change is found for its very moment alone: what is later comes behind it.
    if (offset.changes > of.change_count) return {of.change_count ? times[of.change_count - 1] + 1 : -kNever, kNever};
    return {offset.changes ? times[offset.changes - 1] : -kNever,
            offset.changes < of.change_count ? times[offset.changes] - 1 : times[offset.changes - 1]};
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
