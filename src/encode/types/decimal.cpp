// Decimals, by the digits that they are stored as, or by their own text.
#include "py/decimal.h"

#include <algorithm>

#include "encode/types/rich.h"
#include "encode/walk/call.h"
#include "num/digits.h"
#include "num/write.h"
#include "simd/decimal_write.h"

namespace ocior::encode {
namespace {

// Whether the text of a str is a number of JSON.
bool is_json_number(PyObject* str) noexcept {
    if (!PyUnicode_IS_ASCII(str)) return false;
    const auto *at = PyUnicode_1BYTE_DATA(str), *const end = at + PyUnicode_GET_LENGTH(str);
    const auto digits = [&] {
        const auto* const first = at;
        while (at != end && *at >= '0' && *at <= '9') ++at;
        return at != first;
    };
    if (at != end && *at == '-') ++at;
    if (at != end && *at == '0') ++at;
    else if (!digits()) return false;
    if (at != end && *at == '.' && (++at, !digits())) return false;
    if (at != end && (*at | 0x20) == 'e') {
        if (++at != end && (*at == '+' || *at == '-')) ++at;
        if (!digits()) return false;
    }
    return at == end;
}

// A decimal in canonical text, where all numbers are doubles: one whose value is the same, or an error. (It is pinned and held.)
std::uint8_t* write_canonical_decimal(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned number = Owned::steal(PyNumber_Float(value));
    if (!number) return nullptr;
    std::uint8_t* const end = json_plan_of(&PyFloat_Type).write(call, number.get(), to);
    if (!end) return nullptr;
    int is_same = 0;
    if (__builtin_isfinite(PyFloat_AS_DOUBLE(number.get()))) {
        const Owned text = Owned::steal(PyUnicode_FromStringAndSize(reinterpret_cast<const char*>(to), end - to));
        const Owned decimal = loaded_or_error("decimal", "Decimal");
        const Owned twin = text && decimal ? Owned::steal(PyObject_CallOneArg(decimal.get(), text.get())) : Owned();
        is_same = twin ? PyObject_RichCompareBool(twin.get(), value, Py_EQ) : -1;
    }
    if (is_same == 0) PyErr_Format(PyExc_ValueError, "Decimal values that are no double are not canonical: %R", value);
    return is_same > 0 ? end : nullptr;
}

constexpr std::size_t kMostPointed = 15;  // digits, of put_with_point()

// The text of str() where more digits than one word holds are written, or more than kMostPointed behind the point. Null where it is too
// long.
OCIOR_NOINLINE std::uint8_t* put_long_decimal(std::uint8_t* to, const Decimals::Number& number) noexcept {
    constexpr std::uint64_t k1e9 = 1000000000;
    constexpr std::int64_t kMostRubbish = 1, kMostBeside = 4 + kMostRubbish;  // of both quotes, sign and point
    const std::int64_t places = -number.exponent, whole = number.digit_count - places;
    if (std::max(number.digit_count, places + 1) + kMostBeside > static_cast<std::int64_t>(kShortScalar)) return nullptr;
    *to = '-';
    to += number.is_negative;
    std::uint8_t* digits = to;
    if (whole <= 0) {
        std::memcpy(to, "0.000000", 8);
        digits += 2 - whole;
    } else if (places > 0) {
        ++digits;  // and those before the point go back
    }
    std::uint8_t* end = num::write_u64(digits, number.words[number.word_count - 1]);
    for (std::int64_t i = number.word_count - 1; i-- > 0;) {
        const std::uint64_t high = number.words[i] / k1e9, first = high / k1e9;
        *end = static_cast<std::uint8_t>('0' + first);
        end = num::detail::put_9(end + 1, static_cast<std::uint32_t>(high - first * k1e9));
        end = num::detail::put_9(end, static_cast<std::uint32_t>(number.words[i] - high * k1e9));
    }
    if (whole > 0 && places > 0) {
        std::memmove(to, digits, static_cast<std::size_t>(whole));
        to[whole] = '.';
    }
    return end;
}

// The text of str() where one word holds all digits, which are more than kMostPointed, and at most kMostPointed of them are behind the
// point. Others are left to put_long_decimal().
OCIOR_NOINLINE std::uint8_t* put_word_decimal(std::uint8_t* to, const Decimals::Number& number) noexcept {
    const auto places = static_cast<std::size_t>(-number.exponent);
    if (OCIOR_UNLIKELY(number.word_count != 1 || places > kMostPointed)) return put_long_decimal(to, number);
    const std::uint64_t digits = number.words[0], unit = num::detail::kPowersOf10.of[places], whole = digits / unit;
    *to = '-';
    to = num::write_u64(to + number.is_negative, whole);
    simd::put_with_point(to, digits - whole * unit, places, places);
    return to + 1 + places;
}

// The text of str(). Null where that has an exponent, or is too long.
std::uint8_t* put_decimal(std::uint8_t* to, const Decimals::Number& number) noexcept {
    constexpr std::int64_t kMostZeros = 5;  // behind the point; of more str() makes an exponent
    if (number.exponent > 0 || number.exponent + number.digit_count <= -1 - kMostZeros) return nullptr;
    const std::uint64_t digits = number.words[0];
    if (number.word_count == 1 && number.exponent == 0) {
        *to = '-';
        return num::write_u64(to + number.is_negative, digits);
    }
    const auto places = static_cast<std::size_t>(-number.exponent),
               count = std::max(static_cast<std::size_t>(number.digit_count), places + 1);
    if (OCIOR_UNLIKELY(count > kMostPointed)) return put_word_decimal(to, number);
    *to = '-';
    to += number.is_negative;
    simd::put_with_point(to, digits, count, places);
    return to + count + 1;
}

// The text of a decimal as decimal.Decimal shows it: a class derived from that may show itself in another way. Empty with an error set:
// a program may have put a class of its own in the place of decimal.Decimal, whose __str__ returns anything.
Owned text_of_decimal(PyObject* value) noexcept {
    const Owned base = loaded("decimal", "Decimal");
    if (!is_derived(Py_TYPE(value), base)) return Owned::steal(PyObject_Str(value));
    Owned text = Owned::steal(reinterpret_cast<PyTypeObject*>(base.get())->tp_str(value));
    if (!text || PyUnicode_Check(text.get())) return text;
    PyErr_Format(PyExc_TypeError, "__str__ returned non-string (type %.200s)", Py_TYPE(text.get())->tp_name);
    return {};
}

std::uint8_t* write_decimal(Call& call, PyObject* value, std::uint8_t* to) noexcept {
    const Owned hold = Owned::borrow(value);
    call.pin();
    Owned text = text_of_decimal(value);
    if (!text) return nullptr;
    if (is_json_number(text.get())) {
        if (call.options.is_canonical) return write_canonical_decimal(call, value, to);
        call.extras().long_scalar = std::move(text);
        return nullptr;
    }
    // NaN, sNaN123, -Infinity: what a float of that value would be.
    const Owned number = Owned::steal(PyObject_CallMethod(value, "is_infinite", nullptr));
    const Owned is_negative = number ? Owned::steal(PyObject_CallMethod(value, "is_signed", nullptr)) : Owned();
    if (!is_negative) return nullptr;
    const double twin = number.get() != Py_True ? __builtin_nan("") : is_negative.get() == Py_True ? -__builtin_inf() : __builtin_inf();
    const char* const word = allowed_non_finite_text(call, value, twin);
    return word ? static_cast<std::uint8_t*>(std::memcpy(to, word, std::strlen(word))) + std::strlen(word) : nullptr;
}

// These two write a decimal by the digits that it is stored as. Null where the text has an exponent, whose letter the context of decimals
// chooses.
std::uint8_t* write_decimal_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    Decimals::Number number;
    if (OCIOR_UNLIKELY(call.options.is_canonical) || !call.own.decimals->read(value, number)) return nullptr;
    return put_decimal(to, number);
}
std::uint8_t* write_decimal_str_at_once(const Call& call, const Plan&, PyObject* value, std::uint8_t* to) noexcept {
    Decimals::Number number;
    std::uint8_t* const end = call.own.decimals->read(value, number) ? put_decimal(to + 1, number) : nullptr;
    if (OCIOR_UNLIKELY(!end)) return nullptr;
    *to = *end = '"';
    return end + 1;
}

Owned replace_by_str(Call&, PyObject* value) noexcept { return Owned::steal(PyObject_Str(value)); }

}  // namespace

const Plan kDecimal{.role = Role::kScalar,
                    .write = write_decimal,
                    .write_at_once = write_decimal_at_once,
                    .write_run = write_run_of<write_decimal_at_once, 2 * kCacheLine>},
    kDecimalStr{.role = Role::kReplaced,
                .write_at_once = write_decimal_str_at_once,
                .write_run = write_run_of<write_decimal_str_at_once, 2 * kCacheLine>,
                .replace = replace_by_str};

}  // namespace ocior::encode
