// The datetimes and durations of numpy: ticks of a unit since 1970, or as many of them.
#include "base/calendar.h"
#include "encode/arrays/view.h"
#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "num/write.h"

namespace ocior::encode {
namespace {

struct NamedUnit {
    const char* name;
    TickUnit unit;
    std::int32_t number;  // by which numpy calls it
    const char* words;
};
constexpr NamedUnit kUnits[] = {{"Y", {1, 'Y'}, 0, "years"},         {"M", {1, 'M'}, 1, "months"},
                                {"W", {604800, 's'}, 2, "weeks"},    {"D", {86400, 's'}, 4, "days"},
                                {"h", {3600, 's'}, 5, "hours"},      {"m", {60, 's'}, 6, "minutes"},
                                {"s", {1, 's'}, 7, "seconds"},       {"ms", {1, 'm'}, 8, "milliseconds"},
                                {"us", {1, 'u'}, 9, "microseconds"}, {"ns", {1, 'n'}, 10, "nanoseconds"}};

// A datetime64 or timedelta64 scalar as numpy stores it behind the header.
struct StoredTicks {
    std::int64_t ticks;
    std::int32_t unit;
    std::int32_t factor;
};

// The ticks of a datetime64 or timedelta64 scalar. False with an error set.
template <bool is_stored>
bool read_ticks(PyObject* value, std::int64_t& ticks) noexcept {
    if constexpr (is_stored) return ticks = load<std::int64_t>(reinterpret_cast<const char*>(value) + sizeof(PyObject)), true;
    Py_buffer buffer;
    if (PyObject_GetBuffer(value, &buffer, PyBUF_SIMPLE) < 0) return false;
    const bool is_known = buffer.len == sizeof ticks;
    if (is_known) std::memcpy(&ticks, buffer.buf, sizeof ticks);
    else PyErr_SetString(PyExc_TypeError, "a numpy.datetime64 must have 8 bytes");
    PyBuffer_Release(&buffer);
    return is_known;
}

// The unit of the ticks of a datetime64 or timedelta64 scalar. False with an error set.
template <bool is_stored>
bool read_unit_of_scalar(Call& call, PyObject* value, TickUnit& unit) noexcept {
    if constexpr (is_stored) {
        const auto stored = load<StoredTicks>(reinterpret_cast<const char*>(value) + sizeof(PyObject));
        for (const NamedUnit& one : kUnits) {
            if (one.number != stored.unit) continue;
            unit = {one.unit.factor * stored.factor, one.unit.unit};
            return true;
        }
    }
    return read_unit(call, value, unit);
}

// Whether numpy stores them so: it is asked to make one of each unit.
bool stores_ticks_behind_header(PyTypeObject* type) noexcept {
    if (type->tp_basicsize < static_cast<Py_ssize_t>(sizeof(PyObject) + sizeof(StoredTicks))) return false;
    for (const NamedUnit& one : kUnits) {
        const StoredTicks expected{12345, one.number, 7};
        const Owned scalar = Owned::steal(PyObject_CallFunction(reinterpret_cast<PyObject*>(type), "L(si)",
                                                                static_cast<long long>(expected.ticks), one.name, expected.factor));
        if (!scalar || !Py_IS_TYPE(scalar.get(), type)) return false;
        if (std::memcmp(reinterpret_cast<const char*>(scalar.get()) + sizeof(PyObject), &expected, sizeof expected) != 0) return false;
    }
    return true;
}

constexpr std::uint32_t parts_of_second(TickUnit unit) noexcept {
    return unit.unit == 's' ? 1 : unit.unit == 'm' ? 1000 : unit.unit == 'u' ? 1000000 : 1000000000;
}

using num::detail::put_2;

// Sets the error for ticks that have no text, in the words that go with kStored or our own. Returns null.
std::uint8_t* refuse_ticks(Call& call, TickUnit unit, std::int64_t ticks) noexcept {
    call.pin();
    if (!(call.rich & kStored)) {
        PyErr_SetString(PyExc_TypeError, "a numpy.datetime64 beyond the years 0 to 9999 has no form in JSON");
        return nullptr;
    }
    const char* words = "ticks";  // of several units each
    for (const NamedUnit& one : kUnits)
        if (one.unit.factor == unit.factor && one.unit.unit == unit.unit) words = one.words;
    PyErr_Format(PyExc_TypeError, "unrepresentable numpy.datetime64: %lld %s", static_cast<long long>(ticks), words);
    return nullptr;
}

// The text of a datetime64 scalar; None for NaT.
template <bool is_stored>
Owned replace_datetime64(Call& call, PyObject* value) noexcept {
    TickUnit unit;
    std::int64_t ticks;
    std::uint8_t text[kShortScalar];
    if (!read_ticks<is_stored>(value, ticks)) return {};
    if (ticks == kNotATime && !(call.rich & kStored)) return Owned::borrow(Py_None);
    if (!read_unit_of_scalar<is_stored>(call, value, unit)) return {};
    const std::uint8_t* const end = write_ticks(call, unit, ticks, text);
    return end ? Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<char*>(text), end - text)) : Owned();
}

// A duration of ISO 8601 of a timedelta64 scalar; None for NaT.
template <bool is_stored>
Owned replace_timedelta64(Call& call, PyObject* value) noexcept {
    TickUnit unit;
    std::int64_t ticks;
    std::uint8_t text[kShortScalar];
    if (!read_ticks<is_stored>(value, ticks)) return {};
    if (ticks == kNotATime) return Owned::borrow(Py_None);
    if (!read_unit_of_scalar<is_stored>(call, value, unit)) return {};
    const std::uint8_t* const end = write_tick_count(call, unit, ticks, text);
    return Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<char*>(text), end - text));
}

constexpr Plan kStoredDatetime{.role = Role::kReplaced, .replace = replace_datetime64<true>},
    kStoredTimedelta{.role = Role::kReplaced, .replace = replace_timedelta64<true>};

}  // namespace

bool read_unit(Call& call, PyObject* value, TickUnit& unit) noexcept {
    Owned& ask = call.context.datetime_data;
    const Owned dtype = get_attribute(value, "dtype");
    if (dtype && !ask) ask = loaded_or_error("numpy", "datetime_data");
    const Owned data = dtype && ask ? Owned::steal(PyObject_CallOneArg(ask.get(), dtype.get())) : Owned();
    const char* name;
    long factor;
    if (!data && !PyErr_Occurred()) PyErr_SetString(PyExc_TypeError, "an array of numpy without numpy");
    if (data && !PyTuple_Check(data.get())) PyErr_SetString(PyExc_TypeError, "numpy.datetime_data() must return a tuple");
    if (PyErr_Occurred() || !PyArg_ParseTuple(data.get(), "sl", &name, &factor)) return false;
    for (const NamedUnit& one : kUnits)
        if (std::strcmp(one.name, name) == 0) {
            if (__builtin_mul_overflow(one.unit.factor, factor, &unit.factor)) break;
            unit.unit = one.unit.unit;
            return true;
        }
    static constexpr const char* kTooFine[][2] = {{"ps", "picoseconds"}, {"fs", "femtoseconds"}, {"as", "attoseconds"}};
    for (const auto& [short_name, words] : kTooFine)
        if (std::strcmp(short_name, name) == 0) name = words;
    if ((call.rich & kStored) && std::strcmp("generic", name) == 0) name = "NaT";  // the word that goes with kStored
    return PyErr_Format(PyExc_TypeError, "unsupported numpy.datetime64 unit: %s", name), false;
}

std::uint8_t* write_tick_count(const Call& call, TickUnit unit, std::int64_t ticks, std::uint8_t* to) noexcept {
    const auto count = static_cast<uint128>(magnitude(ticks)) * static_cast<std::uint64_t>(unit.factor);
    if (unit.unit == 'Y' || unit.unit == 'M') {
        if (ticks < 0) *to++ = '-';
        *to++ = 'P';
        to = num::write_u128(to, count);
        *to++ = static_cast<std::uint8_t>(unit.unit);
        return to;
    }
    const std::uint32_t parts = parts_of_second(unit);
    const auto [seconds, rest] = divide(count, parts);
    return write_duration(call, ticks < 0, seconds, rest * (1000000000 / parts), to);
}

std::uint8_t* write_ticks(Call& call, TickUnit unit, std::int64_t given, std::uint8_t* to) noexcept {
    std::int64_t year, seconds = 0, part = 0;  // of a second: nanoseconds
    unsigned month = 1, day = 1;
    // So many years, months or parts of a second: of a unit as "7ns" more than 64 bits hold may be a date.
    const int128 product = static_cast<int128>(given) * unit.factor;
    const auto ticks = static_cast<std::int64_t>(product);
    const bool fits = ticks == product;
    bool is_good = fits;
    if (unit.unit == 'Y') {
        is_good = is_good && ticks > -100000 && ticks < 100000;
        year = is_good ? 1970 + ticks : 0;
    } else if (unit.unit == 'M') {
        year = 1970 + floor_divide(ticks, 12);
        month = static_cast<unsigned>(floor_modulo(ticks, 12)) + 1;
    } else {
        const std::uint32_t parts = parts_of_second(unit);
        int128 all_seconds;
        if (OCIOR_LIKELY(fits)) {
            all_seconds = floor_divide(ticks, parts);
            part = floor_modulo(ticks, parts);
        } else {
            const bool is_negative = product < 0;  // then -1 - x rounds down where x is rounded to zero
            const auto [quotient, rest] = divide(static_cast<uint128>(is_negative ? -1 - product : product), parts);
            all_seconds = is_negative ? -1 - static_cast<int128>(quotient) : static_cast<int128>(quotient);
            part = is_negative ? parts - 1 - rest : rest;
        }
        part *= 1000000000 / parts;
        constexpr std::int64_t kFirstDay = -800000, kLastDay = 2932897;  // below the year 10000
        is_good = all_seconds > kFirstDay * kSecondsOfDay && all_seconds < kLastDay * kSecondsOfDay;
        const auto total = static_cast<std::int64_t>(all_seconds);
        seconds = floor_modulo(total, kSecondsOfDay);
        const Date date = date_of_day(is_good ? floor_divide(total, kSecondsOfDay) : 0);
        year = date.year, month = date.month, day = date.day;
    }
    if (!is_good || year < 0 || year > 9999 || given == kNotATime) return refuse_ticks(call, unit, given);
    to = put_2(put_2(to, static_cast<unsigned>(year / 100)), static_cast<unsigned>(year % 100));
    *to++ = '-';
    to = put_2(to, month);
    *to++ = '-';
    to = put_2(to, day);
    *to++ = 'T';
    const auto second_of_day = static_cast<unsigned>(seconds), minute_of_day = second_of_day / 60;
    to = put_2(to, minute_of_day / 60);
    *to++ = ':';
    to = put_2(to, minute_of_day % 60);
    *to++ = ':';
    to = put_2(to, second_of_day % 60);
    if (call.rich & kStored) part -= part % 1000;  // which stops at microseconds
    if (part && !(call.rich & kNoMicroseconds)) {
        *to++ = '.';
        to = num::detail::put_6(to, static_cast<std::uint32_t>(part / 1000));
        if (part % 1000) to = num::detail::put_3(to, static_cast<std::uint32_t>(part % 1000));
    }
    if (call.rich & kNaiveUtc) {
        if (call.rich & kUtcZ) *to++ = 'Z';
        else std::memcpy(to, "+00:00", 6), to += 6;
    }
    return to;
}

const Plan& numpy_ticks_plan_of(PyTypeObject* type, const Plan& usual) noexcept {
    const bool is_stored = stores_ticks_behind_header(type);
    forget_error();
    return !is_stored ? usual : &usual == &kNumpyDatetime ? kStoredDatetime : kStoredTimedelta;
}

const Plan kNumpyDatetime{.role = Role::kReplaced, .replace = replace_datetime64<false>},
    kNumpyTimedelta{.role = Role::kReplaced, .replace = replace_timedelta64<false>};

}  // namespace ocior::encode
