// Dates and times as RFC 3339 has them.
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "num/write.h"
#include "py/attribute.h"
#include "simd/date_time.h"

#include <algorithm>
#include <string_view>
#include <utility>

#pragma GCC diagnostic ignored "-Wunused-variable"  // of a pointer in it
#include <datetime.h>  // which needs Python.h before it

namespace ocior::encode {
namespace {

using num::detail::put_2;
using num::detail::put_6;

// Null where the datetime module has not been imported, or is the one in Python.
const PyDateTime_CAPI* datetime_api() noexcept {
    const Owned capsule = loaded("datetime", "datetime_CAPI");
    if (!capsule || !PyCapsule_IsValid(capsule.get(), PyDateTime_CAPSULE_NAME)) return nullptr;
    return static_cast<PyDateTime_CAPI*>(PyCapsule_GetPointer(capsule.get(), PyDateTime_CAPSULE_NAME));
}

// datetime.timezone.utc.
Owned stored_utc() noexcept {
    const PyDateTime_CAPI* const api = datetime_api();
    return api ? Owned::borrow(api->TimeZone_UTC) : Owned();
}

std::uint8_t* put(std::uint8_t* to, char character) noexcept {
    *to = static_cast<std::uint8_t>(character);
    return to + 1;
}

// A pickle can make dates and times whose bytes hold any numbers: of these the last digits are written that there is room for, of years
// from 25600 on those of the year less as much.
OCIOR_INLINE std::uint8_t* put_date(std::uint8_t* to, unsigned year, unsigned month, unsigned day) noexcept {
    const unsigned century = year / 100;
    std::memcpy(to, "0000-00-00", 10);
    put_2(to, century);
    put_2(to + 2, year - 100 * century);
    put_2(to + 5, month);
    return put_2(to + 8, day);
}
OCIOR_INLINE void put_clock(std::uint8_t* to, unsigned hour, unsigned minute, unsigned second) noexcept {
    std::memcpy(to, "00:00:00.", 9);
    put_2(to, hour);
    put_2(to + 3, minute);
    put_2(to + 6, second);
}

// The fraction of a second behind its point, which is there already. Whether there are microseconds may be as good as random: they are
// written, and their length depends on them, without a branch, which GCC would make.
OCIOR_INLINE std::uint8_t* put_fraction(std::uint8_t* to, unsigned microsecond) noexcept {
    if (OCIOR_UNLIKELY(microsecond >= 1000000)) microsecond %= 1000000;
    put_6(to, microsecond);
    std::uint32_t is_some = microsecond != 0;
    asm("" : "+r"(is_some));
    return to - 1 + 7 * is_some;
}

OCIOR_INLINE std::uint8_t* put_date_of(PyObject* value, std::uint8_t* to) noexcept {
    return put_date(to, PyDateTime_GET_YEAR(value), PyDateTime_GET_MONTH(value), PyDateTime_GET_DAY(value));
}
OCIOR_INLINE std::uint8_t* put_time_of(const Call& call, PyObject* value, std::uint8_t* to) noexcept {
    put_clock(to, PyDateTime_TIME_GET_HOUR(value), PyDateTime_TIME_GET_MINUTE(value), PyDateTime_TIME_GET_SECOND(value));
    return put_fraction(to + 9, (call.rich & kNoMicroseconds) ? 0 : PyDateTime_TIME_GET_MICROSECOND(value));
}
OCIOR_INLINE std::uint8_t* put_datetime_of(const Call& call, PyObject* value, std::uint8_t* to) noexcept {
    // Two bytes of the year, then month, day, hour, minute, second, a byte each; three of the microsecond.
    const unsigned char* const stored = reinterpret_cast<PyDateTime_DateTime*>(value)->data;
    const std::uint64_t parts = load<std::uint64_t>(stored);
    const unsigned year = __builtin_bswap16(static_cast<std::uint16_t>(parts)), century = year * 5243 >> 19;
    static_assert(9999 * (100 * 5243 - (1 << 19)) < 1 << 19);
    // A byte for the century, one for the rest of the year: 256 * (year - 100 * century) + century.
    const std::uint64_t pairs = (parts & ~std::uint64_t{0xffff}) | (256 * year - (25600 - 1) * century);
    // (Of the other parts, one above 99 has the eighth bit, or gets it.)
    constexpr std::uint64_t kEach = 0x0001010101010000;
    if (OCIOR_LIKELY(year < 10000 && (((parts + 28 * kEach) | parts) & 0x80 * kEach) == 0)) {
        simd::store_date_time(to, pairs);
    } else {
        *put_date_of(value, to) = 'T';
        put_clock(to + 11, PyDateTime_DATE_GET_HOUR(value), PyDateTime_DATE_GET_MINUTE(value), PyDateTime_DATE_GET_SECOND(value));
    }
    const unsigned microsecond = __builtin_bswap32(load<std::uint32_t>(stored + 6)) & 0xffffff;
    return put_fraction(to + 20, (call.rich & kNoMicroseconds) ? 0 : microsecond);
}

// The 16 bytes of it that simd::DateTimes takes.
OCIOR_INLINE const void* stored_datetime(PyObject* value) noexcept {
    static_assert(sizeof(_PyDateTime_BaseDateTime) >= offsetof(_PyDateTime_BaseDateTime, data) - 1 + 16);
    return reinterpret_cast<PyDateTime_DateTime*>(value)->data - 1;
}

// The text of an offset from UTC, in the lowest bytes of a word.
struct OffsetText {
    std::uint64_t word;
    unsigned length;

    // Eight bytes are stored.
    OCIOR_INLINE std::uint8_t* put(std::uint8_t* to) const noexcept {
        store(to, word);
        return to + length;
    }
};

OCIOR_INLINE OffsetText utc_text(const Call& call) noexcept {
    return (call.rich & kUtcZ) ? OffsetText{'Z', 1} : OffsetText{load<std::uint64_t>("+00:00\0"), 6};
}

// The text of a distance from UTC in minutes, less than a day; "+00:00" for none.
constexpr std::uint64_t text_of_minutes(int minutes) noexcept {
    const auto all = static_cast<unsigned>(minutes < 0 ? -minutes : minutes), hours = all / 60, rest = all % 60;
    std::uint64_t word = 0;
    const unsigned characters[] = {
        minutes < 0 ? unsigned{'-'} : '+', '0' + hours / 10, '0' + hours % 10, ':', '0' + rest / 10, '0' + rest % 10};
    for (int i = 5; i >= 0; --i) word = word << 8 | characters[i];
    return word;
}
// Nearly all offsets are of whole quarters of an hour.
constexpr int kQuarter = 900, kQuartersOfDay = 96;
struct QuarterTexts {
    std::uint64_t word[2 * kQuartersOfDay];
};
constexpr QuarterTexts make_quarter_texts() noexcept {
    QuarterTexts texts{};
    for (int i = 1; i < 2 * kQuartersOfDay; ++i) texts.word[i] = text_of_minutes(15 * (i - kQuartersOfDay));
    return texts;
}
constexpr QuarterTexts kQuarterTexts = make_quarter_texts();

// The text of a distance from UTC in seconds. RFC 3339 has whole minutes, so it is that of the nearest minute.
OCIOR_INLINE OffsetText offset_text(const Call& call, int seconds) noexcept {
    if (OCIOR_UNLIKELY(seconds == 0)) return utc_text(call);
    const auto above = static_cast<unsigned>(seconds + kQuarter * kQuartersOfDay), quarter = above / kQuarter;
    if (OCIOR_LIKELY(above == kQuarter * quarter)) return {kQuarterTexts.word[quarter], 6};
    const int minutes = std::min(((seconds < 0 ? -seconds : seconds) + 30) / 60, 24 * 60 - 1);
    return {text_of_minutes(seconds < 0 ? -minutes : minutes), 6};
}

OCIOR_INLINE std::uint8_t* put_utc(const Call& call, std::uint8_t* to) noexcept { return utc_text(call).put(to); }
OCIOR_INLINE std::uint8_t* put_offset(const Call& call, std::uint8_t* to, int seconds) noexcept {
    return offset_text(call, seconds).put(to);
}

enum class Zone : std::uint8_t { kFailed, kNone, kKnown };

// Whether the zones of a class have the method that pytz's have. The last class asked is remembered.
bool has_normalize(Call& call, PyObject* zone) noexcept {
    PyObject* const type = reinterpret_cast<PyObject*>(Py_TYPE(zone));
    Extras& extras = call.extras();
    if (extras.last_zone_type.get() != type) {
        extras.last_zone_type = Owned::borrow(type);
        extras.last_zone_has_normalize = static_cast<bool>(find_in_class(Py_TYPE(zone), "normalize"));
        PyErr_Clear();
    }
    return extras.last_zone_has_normalize;
}

bool is_timedelta(const Call& call, PyObject* object) noexcept {
    const Owned& timedelta = call.context.zones.timedelta;
    return timedelta && PyObject_TypeCheck(object, reinterpret_cast<PyTypeObject*>(timedelta.get()));
}

// The seconds of an offset, rounded towards zero. False where it is no timedelta, or has a day or more.
bool read_offset(const Call& call, PyObject* offset, int& seconds) noexcept {
    if (!is_timedelta(call, offset)) return false;
    const auto* const delta = reinterpret_cast<PyDateTime_Delta*>(offset);
    long long total = delta->days * 86400ll + delta->seconds;  // the sign is that of the days, the rest is added
    total += total < 0 && delta->microseconds > 0;
    seconds = static_cast<int>(total);
    return total > -86400 && total < 86400;
}

// What `zone`, a tzinfo, says of the offset of `value`: a datetime, or None. It may be any class. Both are held, and frames are pinned.
Zone ask_offset(Call& call, PyObject* zone, PyObject* value, int& seconds) noexcept {
    Owned offset;
    if ((call.rich & kNormalizedZones) && value != Py_None && has_normalize(call, zone)) {
        // pytz has one offset for each object, and knows which object is right.
        const Owned at = call_method(zone, "normalize", value);
        if (at) offset = Owned::steal(PyObject_CallMethodNoArgs(at.get(), call.own.utcoffset_name));
    } else {
        offset = Owned::steal(PyObject_CallMethodOneArg(zone, call.own.utcoffset_name, value));
    }
    if (!offset) return Zone::kFailed;
    if (offset.get() == Py_None) return Zone::kNone;
    if (Owned& timedelta = call.context.zones.timedelta; OCIOR_UNLIKELY(!timedelta)) timedelta = stored_time_type("timedelta");
    if (read_offset(call, offset.get(), seconds)) return Zone::kKnown;
    if (!is_timedelta(call, offset.get()))
        PyErr_Format(PyExc_TypeError, "tzinfo.utcoffset() must return None or a timedelta, not '%.100s'", Py_TYPE(offset.get())->tp_name);
    else PyErr_SetString(PyExc_ValueError, "offset must be a timedelta strictly between -timedelta(hours=24) and timedelta(hours=24).");
    return Zone::kFailed;
}

// Whether its offset is always the same: a datetime.timezone, of which no class can be derived.
bool is_fixed(Call& call, PyObject* zone) noexcept {
    Owned& utc = call.context.zones.utc;
    if (OCIOR_UNLIKELY(!utc)) utc = stored_utc();
    return utc && Py_IS_TYPE(zone, Py_TYPE(utc.get()));
}

// Remembers how a zone of zoneinfo is asked without a look at its class, where that is the one in C.
void note_zoneinfo(Call& call, PyObject* zone) noexcept {
    PyTypeObject* const type = Py_TYPE(zone);
    // (Only such a one: others would each be looked up in the module.)
    if (!is_unchangeable(type)) return;
    if (loaded("zoneinfo", "ZoneInfo").get() != reinterpret_cast<PyObject*>(type) || has_normalize(call, zone)) return;
    const Owned method = find_in_class(type, call.own.utcoffset_name);
    const bool is_in_c = method && Py_IS_TYPE(method.get(), &PyMethodDescr_Type) && PyDescr_TYPE(method.get()) == type;
    if (!is_in_c || type->tp_dictoffset != 0) return;
    call.context.zones.offset_in_zone = method.get();
    call.context.zones.zone_version = type_version(type);
}

// Whether a zone is one of these.
OCIOR_INLINE bool is_zoneinfo(const Call& call, PyObject* zone) noexcept {
    const KnownZones& zones = call.context.zones;
    return OCIOR_LIKELY(zones.zone_version != 0 && type_version(Py_TYPE(zone)) == zones.zone_version);
}
// The offset that such a zone has at `value`, a datetime or None. That is computed without Python code, and without a lock: zones do not
// change. False where it is not known that way.
OCIOR_NOINLINE bool compute_offset(const Call& call, PyObject* zone, PyObject* value, int& seconds) noexcept {
    const Owned offset = Owned::steal(call_in_c(call.context.zones.offset_in_zone, zone, value));
    if (OCIOR_UNLIKELY(!offset)) return PyErr_Clear(), false;
    return read_offset(call, offset.get(), seconds);
}
// Whether a zone has one offset that is known: UTC, or the last datetime.timezone that was met.
OCIOR_INLINE bool has_known_offset(const Call& call, PyObject* zone) noexcept {
    return zone == call.context.zones.utc.get() || zone == call.context.extras.fixed_zone.get();
}
OCIOR_INLINE OffsetText known_offset_text(const Call& call, PyObject* zone) noexcept {
    return zone == call.context.zones.utc.get() ? utc_text(call) : offset_text(call, call.context.extras.fixed_offset);
}

OCIOR_INLINE bool is_taken(const Call& call, int seconds) noexcept { return call.options.dialect->rounds_offsets || seconds % 60 == 0; }

// What follows the time of a datetime or time that has a zone; `at` is the datetime, or None. False where it is not known without Python
// code.
OCIOR_INLINE bool find_offset_text(const Call& call, PyObject* zone, PyObject* at, OffsetText& text) noexcept {
    if (has_known_offset(call, zone)) return text = known_offset_text(call, zone), true;
    int seconds;
    return is_zoneinfo(call, zone) && compute_offset(call, zone, at, seconds) && is_taken(call, seconds) &&
           (text = offset_text(call, seconds), true);
}

// `zone` is null where there is none. False with an error set.
bool put_zone(Call& call, std::uint8_t*& to, PyObject* zone, PyObject* value) noexcept {
    int seconds = 0;
    const Owned hold = Owned::borrow(value), hold_zone = Owned::borrow(zone);  // also while what the zone is, is noted
    if (zone) {
        call.pin();
        const Zone known = ask_offset(call, zone, value, seconds);
        if (known == Zone::kFailed) return false;
        if (OCIOR_UNLIKELY(!is_taken(call, seconds))) return PyErr_SetString(PyExc_ValueError, "the offset is no whole minute"), false;
        if (known == Zone::kNone) zone = nullptr;
        else if (is_fixed(call, zone)) call.extras().fixed_zone = Owned::borrow(zone), call.extras().fixed_offset = seconds;
        else note_zoneinfo(call, zone);
    }
    if (zone || ((call.rich & kNaiveUtc) && value != Py_None)) to = put_offset(call, to, seconds);
    return true;
}

template <typename Type>
OCIOR_INLINE PyObject* zone_of(PyObject* value) noexcept {
    auto* const object = reinterpret_cast<Type*>(value);
    return object->hastzinfo ? object->tzinfo : nullptr;
}

std::uint8_t* write_datetime(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    to = put_datetime_of(call, value, to);
    return put_zone(call, to, zone_of<PyDateTime_DateTime>(value), value) ? to : nullptr;
}

std::uint8_t* write_date(Call&, PyObject* value, std::uint8_t* to) noexcept { return put_date_of(value, to); }

std::uint8_t* write_time(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    PyObject* const zone = zone_of<PyDateTime_Time>(value);
    if (zone && (call.rich & kNormalizedZones)) {
        call.pin();
        return PyErr_SetString(PyExc_TypeError, "datetime.time must not have tzinfo set"), nullptr;
    }
    to = put_time_of(call, value, to);
    return put_zone(call, to, zone, Py_None) ? to : nullptr;
}

// The functions below write datetimes, dates and times with their quotes.
OCIOR_NOINLINE std::uint8_t* write_zoned_at_once(const Call& call, PyObject* value, std::uint8_t* to) noexcept {
    to = put_datetime_of(call, value, put(to, '"'));
    OffsetText text;
    if (OCIOR_UNLIKELY(!find_offset_text(call, zone_of<PyDateTime_DateTime>(value), value, text))) return nullptr;
    return put(text.put(to), '"');
}
// (A call in the midst of it would cost the most frequent ones, without a zone and of UTC, a fifth: registers.)
std::uint8_t* write_datetime_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    PyObject* const zone = zone_of<PyDateTime_DateTime>(value);
    if (OCIOR_UNLIKELY(zone && zone != call.context.zones.utc.get())) return write_zoned_at_once(call, value, to);
    to = put_datetime_of(call, value, put(to, '"'));
    return put(zone || (call.rich & kNaiveUtc) ? put_utc(call, to) : to, '"');
}

// Writes the datetimes that come first, several at once where a vector holds more than one: as long as they have the zone of the first one,
// which is null or has a known offset. (One alone takes 1.2 to 1.3 times as long as by write_datetime_at_once.)
[[maybe_unused]] OCIOR_INLINE TextRun write_datetime_vectors(const Call& call, PyObject* zone, TextRun run, PyObject* const* end,
                                                             const std::uint8_t* limit, ItemSeparator separator) noexcept {
    using simd::DateTimes;
    constexpr std::ptrdiff_t kCount = DateTimes::kCount, kAhead = 16;
    std::uint8_t behind[16] = {};  // the fraction: an offset, a quote, the separator
    static_assert(kCount * (1 + 26 + sizeof behind) + 32 <= kRunRoom);
    std::uint8_t* const quote = zone ? known_offset_text(call, zone).put(behind) : (call.rich & kNaiveUtc) ? put_utc(call, behind) : behind;
    store(put(quote, '"'), separator.word);
    const std::ptrdiff_t length = quote + 1 + separator.length - behind;
    auto [at, next] = run;
    PyTypeObject* const type = Py_TYPE(*next);
    const std::uint32_t microseconds = (call.rich & kNoMicroseconds) ? 0 : 0xffffff;
    for (; end - next >= kCount && at <= limit; next += kCount) {
        const void* stored[kCount];
        bool are_alike = true;
        for (std::ptrdiff_t i = 0; i < kCount && are_alike; ++i) {
            are_alike = Py_TYPE(next[i]) == type && zone_of<PyDateTime_DateTime>(next[i]) == zone;
            stored[i] = stored_datetime(next[i]);
        }
        if (OCIOR_UNLIKELY(!are_alike)) break;
        if (end - next >= kAhead + kCount)
            for (std::ptrdiff_t i = 0; i < kCount; ++i) __builtin_prefetch(next[kAhead + i]);
        const DateTimes texts(stored);
        if (OCIOR_UNLIKELY(!texts.are_usual())) break;
        for (std::ptrdiff_t i = 0; i < kCount; ++i) {
            texts.put(static_cast<std::size_t>(i), put(at, '"'));
            // (No branch, as in put_fraction().)
            std::uint32_t is_some = (load<std::uint32_t>(static_cast<const char*>(stored[i]) + 8) & microseconds) != 0;
            asm("" : "+r"(is_some));
            at += 20 + 7 * is_some;
            std::memcpy(at, behind, sizeof behind);
            at += length;
        }
    }
    return {at, next};
}

TextRun write_datetimes(const Call& call, const Plan& plan, TextRun run, PyObject* const* end, const std::uint8_t* limit,
                        ItemSeparator separator) noexcept {
    if constexpr (simd::DateTimes::kCount > 1) {
        PyTypeObject* const type = Py_TYPE(*run.next);
        PyObject* const zone = zone_of<PyDateTime_DateTime>(*run.next);
        if (!zone || has_known_offset(call, zone)) run = write_datetime_vectors(call, zone, run, end, limit, separator);
        if (run.next == end || run.at > limit || Py_TYPE(*run.next) != type) return run;
    }
    return write_run_of<write_datetime_at_once>(call, plan, run, end, limit, separator);
}

std::uint8_t* write_date_at_once(const Call&, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    return put(put_date_of(value, put(to, '"')), '"');
}

std::uint8_t* write_time_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    PyObject* const zone = zone_of<PyDateTime_Time>(value);
    if (OCIOR_UNLIKELY(zone && (call.rich & kNormalizedZones))) return nullptr;
    to = put_time_of(call, value, put(to, '"'));
    if (OffsetText text; zone) {
        if (OCIOR_UNLIKELY(!find_offset_text(call, zone, Py_None, text))) return nullptr;
        to = text.put(to);
    }
    return put(to, '"');
}

// ---- what classes derived from datetime, date and time say ----

// The number from 0 to 99 that two decimal digits stand for; 100 where they are no digits.
unsigned read_2(const char* text) noexcept {
    const auto tens = static_cast<unsigned>(text[0]) - '0', ones = static_cast<unsigned>(text[1]) - '0';
    return tens > 9 || ones > 9 ? 100 : 10 * tens + ones;
}

// The seconds of "+12:34", "-12:34:56" or "-12:34:56.789012", rounded towards zero. False where it is none of these.
bool read_offset_text(std::string_view text, int& seconds) noexcept {
    constexpr std::size_t kMinutes = 6, kSeconds = 9;  // up to these
    if ((text.size() != kMinutes && text.size() < kSeconds) || (text[0] != '+' && text[0] != '-')) return false;
    int total = 0;
    for (std::size_t at = 1, unit = 3600; at < std::min(text.size(), kSeconds); at += 3, unit /= 60) {
        const unsigned part = read_2(&text[at]);
        if (part >= (at == 1 ? 24 : 60) || (at > 1 && text[at - 1] != ':')) return false;
        total += static_cast<int>(part * unit);
    }
    seconds = text[0] == '-' ? -total : total;
    if (text.size() <= kSeconds) return true;
    return text[kSeconds] == '.' && text.size() > kSeconds + 1 && text.find_first_not_of("0123456789", kSeconds + 1) == text.npos;
}

// What isoformat() gives. Where that is a time of RFC 3339, but for seconds in the offset or an offset that is missing, the options are
// heeded as in one of our own: what follows the seconds is written anew.
Owned replace_by_isoformat(Call& call, PyObject* value) noexcept {
    Owned text = Owned::steal(PyObject_CallMethod(value, "isoformat", nullptr));
    if (!text || !PyUnicode_Check(text.get()) || !PyUnicode_IS_ASCII(text.get())) return text;
    const std::string_view all(reinterpret_cast<const char*>(PyUnicode_1BYTE_DATA(text.get())),
                               static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.get())));
    constexpr std::size_t kClock = 8, kMost = 128;  // "12:34:56"
    const std::size_t t = all.find('T'), clock = t == all.npos ? 0 : t + 1;
    const bool is_datetime = t != all.npos;
    if (all.size() > kMost || all.size() < clock + kClock || all[clock + 2] != ':' || all[clock + 5] != ':') return text;
    if (read_2(&all[clock]) > 23 || read_2(&all[clock + 3]) > 59 || read_2(&all[clock + 6]) > 60) return text;
    std::size_t at = clock + kClock;
    if (at < all.size() && all[at] == '.') {
        const std::size_t point = at++;
        while (at < all.size() && all[at] >= '0' && all[at] <= '9') ++at;
        if (at == point + 1) return text;
    }
    std::string_view offset = all;
    offset.remove_prefix(at);
    std::uint8_t written[kMost + kShortScalar];
    const std::size_t kept = (call.rich & kNoMicroseconds) ? clock + kClock : at;
    std::memcpy(written, all.data(), kept);
    std::uint8_t* to = written + kept;
    int seconds = 0;
    if (offset.empty()) {
        if (is_datetime && (call.rich & kNaiveUtc)) to = put_utc(call, to);
    } else if (offset == "Z" || offset == "-00:00") {  // which say how UTC is written, and that the local offset is not known
        to = std::copy(offset.begin(), offset.end(), to);
    } else if (read_offset_text(offset, seconds)) {
        to = put_offset(call, to, seconds);
    } else {
        return text;
    }
    return Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<const char*>(written), to - written));
}

}  // namespace

Owned stored_time_type(const char* name) noexcept {
    const PyDateTime_CAPI* const api = datetime_api();
    if (!api) return {};
    const std::pair<std::string_view, PyTypeObject*> types[] = {
        {"datetime", api->DateTimeType}, {"date", api->DateType}, {"time", api->TimeType}, {"timedelta", api->DeltaType}};
    for (const auto& [known, type] : types)
        if (known == name) return Owned::borrow(reinterpret_cast<PyObject*>(type));
    return {};
}

const Plan kDatetime{.role = Role::kText, .write = write_datetime, .write_at_once = write_datetime_at_once, .write_run = write_datetimes},
    kDate = kTextPlan<write_date, write_date_at_once>, kTime = kTextPlan<write_time, write_time_at_once>,
    kIsoformat{.role = Role::kReplaced, .replace = replace_by_isoformat};

}  // namespace ocior::encode
