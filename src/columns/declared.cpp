#include "columns/declared.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/bits.h"
#include "num/fixed_point.h"
#include "num/half.h"
#include "num/read.h"
#include "text/rich.h"

namespace ocior::columns {
namespace {

struct KnownType {
    const char* format;  // of those with parameters, what is before them
    const char* name;
    Kind kind;
    Code code = Code::kInt64;  // of a declared type, and of int64 and uint64
    std::uint8_t unit = 0;
    bool is_declared = true;
};
constexpr auto kKnown = [] {
    using enum Kind;
    using enum Code;
    return std::to_array<KnownType>({
        {"n", "null", kNull, kInt64, 0, false},
        {"b", "bool", kBool, kInt64, 0, false},
        {"c", "int8", kDeclared, kInt8},
        {"C", "uint8", kDeclared, kUInt8},
        {"s", "int16", kDeclared, kInt16},
        {"S", "uint16", kDeclared, kUInt16},
        {"i", "int32", kDeclared, kInt32},
        {"I", "uint32", kDeclared, kUInt32},
        {"l", "int64", kInteger, kInt64, 0, false},
        {"L", "uint64", kInteger, kUInt64, 0, false},
        {"e", "float16", kDeclared, kFloat16},
        {"f", "float32", kDeclared, kFloat32},
        {"g", "float64", kReal, kInt64, 0, false},
        {"d:", "decimal128", kDeclared, kDecimal128},
        {"d:", "decimal32", kDeclared, kDecimal32},
        {"d:", "decimal64", kDeclared, kDecimal64},
        {"d:", "decimal256", kDeclared, kDecimal256},
        {"tdD", "date32", kDeclared, kDate32},
        {"tdm", "date64", kDeclared, kDate64, 1},
        {"tts", "time32[s]", kDeclared, kTime32},
        {"ttm", "time32[ms]", kDeclared, kTime32, 1},
        {"ttu", "time64[us]", kDeclared, kTime64, 2},
        {"ttn", "time64[ns]", kDeclared, kTime64, 3},
        {"tss:", "timestamp[s", kDeclared, kTimestamp},
        {"tsm:", "timestamp[ms", kDeclared, kTimestamp, 1},
        {"tsu:", "timestamp[us", kDeclared, kTimestamp, 2},
        {"tsn:", "timestamp[ns", kDeclared, kTimestamp, 3},
        {"tDs", "duration[s]", kDeclared, kDuration},
        {"tDm", "duration[ms]", kDeclared, kDuration, 1},
        {"tDu", "duration[us]", kDeclared, kDuration, 2},
        {"tDn", "duration[ns]", kDeclared, kDuration, 3},
        {"z", "binary", kDeclared, kBinary},
        {"Z", "large_binary", kDeclared, kLargeBinary},
        {"vz", "binary_view", kDeclared, kBinaryView},
        {"w:", "fixed_size_binary", kDeclared, kFixedBinary},
        {"u", "string", kText, kInt64, 0, false},
        {"U", "large_string", kText, kLargeText},
        {"vu", "string_view", kText, kTextView},
        {"json", "json", kJson, kInt64, 0, false},
        {"dictionary:", "dictionary", kText, kDictionary},
        {"+l", "list", kList, kInt64, 0, false},
        {"+L", "large_list", kList, kLargeList},
        {"+w:", "fixed_size_list", kList, kFixedList},
        {"+m", "map", kList, kMap},
        {"+s", "struct", kStruct, kInt64, 0, false},
    });
}();

const KnownType& known(const Column& column) noexcept {
    const bool is_unsigned = column.kind == Kind::kInteger && (column.seen & kSeenBeyond);
    for (const KnownType& type : kKnown) {
        if (type.kind != column.kind || type.is_declared != (column.declared != nullptr)) continue;
        if (type.is_declared ? type.code == column.declared->code && type.unit == column.declared->unit
                             : (type.code == Code::kUInt64) == is_unsigned)
            return type;
    }
    return kKnown[0];
}

// The integer type that has the code, of an index.
const KnownType& known(Code code) noexcept {
    for (const KnownType& type : kKnown)
        if (type.code == code && (type.is_declared || type.kind == Kind::kInteger)) return type;
    return kKnown[0];
}

// Reads a decimal integer, and what stands behind it: a comma before another one, or the end.
bool read_parameter(const char*& p, std::int32_t& value) noexcept {
    const auto [end, error] = std::from_chars(p, p + std::strlen(p), value);
    if (error != std::errc() || (*end != 0 && (*end != ',' || end[1] == 0))) return false;
    p = end + (*end == ',');
    return true;
}

bool read_decimal_type(const char* p, DeclaredType& type) noexcept {
    std::int32_t bits = 128;
    if (!read_parameter(p, type.width) || !read_parameter(p, type.scale) || (*p && (!read_parameter(p, bits) || *p))) return false;
    type.code = Code::kDecimal32;
    for (std::int32_t has = 32; has != bits; has *= 2) {
        if (has == 256) return false;
        type.code = static_cast<Code>(static_cast<int>(type.code) + 1);
    }
    return type.width >= 1 && type.width <= (bits - 1) * 1233 >> 12;  // log10(2): 9, 18, 38, 76 digits
}

// Reads what stands behind the name of a format.
bool read_parameters(const char* p, DeclaredType& type) noexcept {
    const std::size_t length = std::strlen(p);
    switch (type.code) {
        case Code::kDecimal128: return read_decimal_type(p, type);
        case Code::kFixedBinary:
        case Code::kFixedList: return read_parameter(p, type.width) && *p == 0 && type.width >= 0;
        case Code::kTimestamp:
            if (length >= sizeof type.zone) return false;
            std::memcpy(type.zone, p, length);
            return true;
        case Code::kDictionary:
            for (const KnownType& index : kKnown) {
                if (index.code > Code::kUInt64 || std::strcmp(index.format, p) != 0) continue;
                type.index = index.code;
                return index.is_declared || index.kind == Kind::kInteger;
            }
            return false;
        default: return length == 0;
    }
}

bool is_decimal(Code code) noexcept { return code >= Code::kDecimal32 && code <= Code::kDecimal256; }
bool has_parameters(const KnownType& type) noexcept { return std::strchr(type.format, ':') != nullptr; }

}  // namespace

Put read_format(Column& column, const char* format) noexcept {
    for (const KnownType& known_type : kKnown) {
        const std::size_t length = std::strlen(known_type.format);
        if (has_parameters(known_type) ? std::strncmp(known_type.format, format, length) != 0 : std::strcmp(known_type.format, format) != 0)
            continue;
        if (known_type.is_declared) {
            DeclaredType type{.code = known_type.code, .unit = known_type.unit};
            if (!read_parameters(format + length, type)) return Put::kRefused;
            column.declared = static_cast<DeclaredType*>(std::malloc(sizeof type));
            if (!column.declared) return Put::kNoMemory;
            *column.declared = type;
        }
        column.kind = known_type.kind;
        column.seen = known_type.kind == Kind::kReal      ? kSeenReal
                      : known_type.kind != Kind::kInteger ? 0
                      : known_type.code == Code::kUInt64  ? kSeenInteger | kSeenBeyond
                                                          : kSeenInteger;
        return Put::kDone;
    }
    return Put::kRefused;
}

bool has_fitting_children(const Column& column) noexcept {
    const auto is_text = [](const Column& child) {
        return child.kind == Kind::kText && !(child.declared && child.declared->code == Code::kDictionary);
    };
    if (column.kind == Kind::kStruct) return true;
    if (column.kind == Kind::kList) {
        if (column.child_count != 1 || !column.declared || column.declared->code != Code::kMap) return column.child_count == 1;
        const Column& pair = *column.items();
        return pair.kind == Kind::kStruct && pair.child_count == 2 && pair.children[0]->kind == Kind::kText;
    }
    if (column.child_count == 0) return true;
    return column.declared && column.declared->code == Code::kDictionary && column.child_count == 1 && is_text(*column.children[0]);
}

namespace {

// Appends words and numbers.
void put(Text& text, const char* words) noexcept { text.put(words, std::strlen(words)); }
void put(Text& text, std::int32_t number) noexcept { text.put_integer(static_cast<std::uint64_t>(std::int64_t{number}), true); }
template <typename... Parts>
void put_all(Text& text, const Parts&... parts) noexcept {
    (put(text, parts), ...);
}

}  // namespace

void put_format(Text& text, const Column& column) noexcept {
    const KnownType& type = known(column);
    put(text, type.format);
    if (!type.is_declared) return;
    const DeclaredType& declared = *column.declared;
    if (type.code == Code::kDecimal128) put_all(text, declared.width, ",", declared.scale);
    else if (is_decimal(type.code))
        put_all(text, declared.width, ",", declared.scale, ",", static_cast<std::int32_t>(8 * declared.value_bytes()));
    else if (type.code == Code::kTimestamp) put(text, declared.zone);
    else if (type.code == Code::kDictionary) put(text, known(declared.index).format);
    else if (type.code == Code::kFixedBinary || type.code == Code::kFixedList) put(text, declared.width);
}

void put_type_name(Text& text, const Column& column) noexcept {
    const KnownType& type = known(column);
    put(text, type.name);
    if (!type.is_declared) return;
    const DeclaredType& declared = *column.declared;
    if (is_decimal(type.code)) put_all(text, "(", declared.width, ", ", declared.scale, ")");
    else if (type.code == Code::kTimestamp) put_all(text, *declared.zone ? ", tz=" : "", declared.zone, "]");
    else if (type.code == Code::kFixedBinary || type.code == Code::kFixedList) put_all(text, "[", declared.width, "]");
    else if (type.code == Code::kDictionary) {
        put_all(text, "<", known(declared.index).name, ", ");
        if (column.child_count) put_type_name(text, *column.children[0]);
        else put(text, "string");
        put(text, ">");
    }
}

std::size_t DeclaredType::value_bytes() const noexcept {
    constexpr std::uint8_t kBytes[] = {1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 4, 8, 16, 32, 4, 8, 4, 8, 8, 8};  // by code
    static_assert(std::size(kBytes) == static_cast<std::size_t>(Code::kDuration) + 1);
    return code <= Code::kDuration ? kBytes[static_cast<std::size_t>(code)] : 0;
}

bool may_have_items(const DeclaredType& type, std::int64_t count) noexcept { return type.code != Code::kFixedList || count == type.width; }

namespace {

// The lowest bytes of `value` are the column's next one.
template <typename T>
Put put_value(Column& column, const T& value) noexcept {
    const std::size_t byte_len = column.declared->value_bytes();
    std::memcpy(column.values.data() + static_cast<std::size_t>(column.length) * byte_len, &value, byte_len);
    column.end_value();
    return Put::kDone;
}

Put put_integer(Column& column, const Scalar& value) noexcept {
    const auto bits = static_cast<unsigned>(8 * column.declared->value_bytes());
    const bool has_sign = column.declared->code <= Code::kInt64;
    const std::uint64_t most = !has_sign           ? value.is_negative ? 0 : low_bits(bits)
                               : value.is_negative ? low_bits(bits - 1) + 1
                                                   : low_bits(bits - 1);
    if (value.what != Scalar::What::kInteger || value.magnitude > most) return Put::kRefused;
    return put_value(column, value.is_negative ? 0 - value.magnitude : value.magnitude);
}

Put put_float(Column& column, const Scalar& value) noexcept {
    double real = value.real;
    if (value.what == Scalar::What::kBigInteger) {
        // It is a real number with an exponent behind it. One with more digits is larger than any float.
        constexpr std::ptrdiff_t kMostDigits = 40;
        std::uint8_t text[kMostDigits + 3 + kReadSlack] = {};
        if (value.last - value.first > kMostDigits) return Put::kRefused;
        const auto length = static_cast<std::size_t>(value.last - value.first);
        std::memcpy(text, value.first, length);
        std::memcpy(text + length, "e0,", 3);
        num::Number number;
        (void)num::read_number(text, number);
        real = number.d;
    } else if (value.what == Scalar::What::kInteger) {
        real = static_cast<double>(value.magnitude);
        if (value.is_negative && value.magnitude) real = -real;
    } else if (value.what != Scalar::What::kReal) {
        return Put::kRefused;
    }
    if (column.declared->code == Code::kFloat16) {
        const std::uint16_t half = num::half_of(real);
        return std::isfinite(real) && (half & 0x7fff) == 0x7c00 ? Put::kRefused : put_value(column, half);
    }
    auto single = static_cast<float>(real);
    // Where digits of an integer are lost already in a double, it is not rounded twice.
    if (value.what == Scalar::What::kInteger) single = std::copysign(static_cast<float>(value.magnitude), single);
    return std::isfinite(real) && std::isinf(single) ? Put::kRefused : put_value(column, single);
}

Put put_decimal(Column& column, const Scalar& value) noexcept {
    if (value.what == Scalar::What::kBool || value.what == Scalar::What::kText) return Put::kRefused;
    num::FixedPoint number;
    if (!num::read_fixed_point(value.first, value.last, column.declared->width, column.declared->scale, number)) return Put::kRefused;
    return put_value(column, number);
}

constexpr std::uint32_t kBillion = 1'000'000'000;
constexpr std::uint32_t kBillionths[] = {kBillion, 1'000'000, 1000, 1};  // of a second, by unit

// A number of the column's units. Refused where it is no whole number of them, or takes more than 64 bits.
Put put_time(Column& column, std::int64_t seconds, const Moment& moment) noexcept {
    const std::uint32_t unit = kBillionths[column.declared->unit];
    const auto billionths = static_cast<std::uint32_t>(moment.microsecond * 1000 + moment.nanosecond);
    const int128 count = static_cast<int128>(seconds) * (kBillion / unit) + billionths / unit;
    const auto stored = static_cast<std::int64_t>(count);
    return moment.is_exact && billionths % unit == 0 && stored == count ? put_value(column, stored) : Put::kRefused;
}

Put put_moment(Column& column, const Scalar& value) noexcept {
    if (value.what != Scalar::What::kText) return Put::kRefused;
    const DeclaredType& type = *column.declared;
    const auto length = static_cast<std::size_t>(value.last - value.first);
    Moment m;
    const auto day = [&] { return day_of_date({m.year, static_cast<unsigned>(m.month), static_cast<unsigned>(m.day)}); };
    const auto second = [&] { return std::int64_t{m.hour} * 3600 + m.minute * 60 + m.second; };
    switch (type.code) {
        case Code::kDate32: return text::read_date(value.first, length, m) ? put_value(column, day()) : Put::kRefused;
        case Code::kDate64: return text::read_date(value.first, length, m) ? put_time(column, day() * kSecondsOfDay, m) : Put::kRefused;
        case Code::kTimestamp:
            if (!text::read_datetime(value.first, length, m) || m.has_offset != (*type.zone != 0)) return Put::kRefused;
            return put_time(column, day() * kSecondsOfDay + second() - m.offset_seconds, m);
        case Code::kDuration: {
            text::Period period;
            if (!text::read_period(value.first, length, period) || !period.is_exact) return Put::kRefused;
            const Division units = divide(period.billionths, kBillionths[type.unit]);
            const auto count = static_cast<std::uint64_t>(units.quotient);
            const std::uint64_t most = low_bits(63) + period.is_negative;
            if (units.rest != 0 || units.quotient > most) return Put::kRefused;
            return put_value(column, period.is_negative ? 0 - count : count);
        }
        default:
            if (!text::read_time(value.first, length, m) || m.has_offset) return Put::kRefused;
            return put_time(column, second(), m);
    }
}

Put put_bytes(Column& column, const Scalar& value) noexcept {
    if (value.what != Scalar::What::kText) return Put::kRefused;
    const auto length = static_cast<std::size_t>(value.last - value.first);
    const std::ptrdiff_t byte_len = text::base64_length(value.first, length);
    if (byte_len < 0 || (column.declared->code == Code::kFixedBinary && byte_len != column.declared->width)) return Put::kRefused;
    std::uint8_t* const to = column.room_for_text(static_cast<std::size_t>(byte_len));
    if (!to) return Put::kNoMemory;
    if (!text::read_base64(value.first, length, to)) return Put::kRefused;
    column.end_text(static_cast<std::size_t>(byte_len));
    return Put::kDone;
}

}  // namespace

Put put_declared(Column& column, const Scalar& value) noexcept {
    const Code code = column.declared->code;
    if (code <= Code::kUInt64) return put_integer(column, value);
    if (code <= Code::kFloat32) return put_float(column, value);
    if (is_decimal(code)) return put_decimal(column, value);
    return column.declared->is_bytes() ? put_bytes(column, value) : put_moment(column, value);
}

}  // namespace ocior::columns
