// Numbers as Python objects: small integers as they are kept, others made by hand where that is proven, large ones and decimals of their
// text, and what hooks and policies have in their place. Each function gives a new reference, or null: an exception is set, the call's
// error says why, or out of memory.
#pragma once

#include <algorithm>

#include "decode/hooks.h"
#include "num/digits.h"
#include "num/read.h"
#include "py/number.h"

namespace ocior::decode {

template <typename Source>
OCIOR_COLD PyObject* number_out_of_range(PyCall<Source>& call) noexcept {
    return call.options.non_finite == NonFiniteNumbers::kNull ? new_ref(Py_None) : call.refuse(Error::kNumberOutOfRange);
}

template <typename Source>
OCIOR_INLINE PyObject* new_float(PyCall<Source>& call, double value) noexcept {
    if (OCIOR_UNLIKELY(!__builtin_isfinite(value)) && call.options.non_finite != NonFiniteNumbers::kConstant)
        return number_out_of_range(call);
    if constexpr (layout::kMayBuildDirect)
        if (OCIOR_LIKELY(call.constants.tricks.direct_scalars)) return new_float_direct(call.context.allocator, value);
    return PyFloat_FromDouble(value);
}

// A number's text is ASCII: as a NUL-terminated copy.
class AsciiCopy {
public:
    template <typename Unit>
    AsciiCopy(const Unit* first, const Unit* last) noexcept {
        const auto n = static_cast<std::size_t>(last - first);
        text_ = n < sizeof inline_text_ ? inline_text_ : static_cast<char*>(std::malloc(n + 1));
        if (!text_) return;
        for (std::size_t i = 0; i < n; ++i) text_[i] = static_cast<char>(first[i]);
        text_[n] = 0;
    }
    ~AsciiCopy() {
        if (text_ != inline_text_) std::free(text_);
    }
    AsciiCopy(const AsciiCopy&) = delete;
    AsciiCopy& operator=(const AsciiCopy&) = delete;

    const char* text() const noexcept { return text_; }  // null: out of memory

private:
    char inline_text_[64];
    char* text_;
};

template <typename Unit>
bool is_unsigned_64(const Unit* first, const Unit* last) noexcept {
    constexpr char kGreatest[] = "18446744073709551615";
    constexpr std::ptrdiff_t kDigits = sizeof kGreatest - 1;
    if (*first == '-' || last - first > kDigits) return false;
    return last - first < kDigits || !std::lexicographical_compare(kGreatest, kGreatest + kDigits, first, last);
}

// What the policy for big integers makes of one, where it is not that they are exact.
template <typename Source, typename Unit = typename Source::Unit>
OCIOR_NOINLINE PyObject* big_integer(PyCall<Source>& call, const Unit* first, const Unit* last) noexcept {
    if (call.options.big_integers == BigIntegers::kStr) return ascii_str(first, last);
    if (call.options.big_integers == BigIntegers::kError) return call.refuse(Error::kIntegerOutOfRange);
    const AsciiCopy copy(first, last);
    return copy.text() ? new_float(call, PyOS_string_to_double(copy.text(), nullptr, nullptr)) : PyErr_NoMemory();
}
// What that policy makes of an integer that 64 bits hold.
template <typename Source, typename Unit = typename Source::Unit>
OCIOR_NOINLINE PyObject* big_integer(PyCall<Source>& call, std::uint64_t magnitude, bool negative, const Unit* first,
                                     const Unit* last) noexcept {
    if (call.options.big_integers != BigIntegers::kFloat) return big_integer(call, first, last);
    const auto value = static_cast<double>(magnitude);
    return new_float(call, negative ? -value : value);
}

// An integer of at most kWordPairDigits, which PyLong_FromString takes more than twice as long for.
inline constexpr std::ptrdiff_t kWordPairDigits = 38;
template <typename Unit>
PyObject* int_of_word_pair(const Unit* digits, const Unit* last, bool is_negative) noexcept {
    constexpr std::ptrdiff_t kWordDigits = kWordPairDigits / 2;
    constexpr std::uint64_t k1e19 = 10000000000000000000ull;
    static_assert(k1e19 % 1000000000 == 0 && ~std::uint64_t{0} / 10 < k1e19);  // the largest power of ten in a word
    static_assert(static_cast<uint128>(k1e19) * k1e19 >> 127 == 0);
    const auto word_of = [](const Unit* p, const Unit* end) {
        std::uint64_t word = 0;
        for (; p < end; ++p) word = 10 * word + static_cast<std::uint64_t>(*p - '0');
        return word;
    };
    const Unit* const middle = last - digits > kWordDigits ? last - kWordDigits : digits;
    const uint128 magnitude = static_cast<uint128>(word_of(digits, middle)) * k1e19 + word_of(middle, last);
    const uint128 value = is_negative ? 0 - magnitude : magnitude;
    return _PyLong_FromByteArray(reinterpret_cast<const unsigned char*>(&value), sizeof value, PY_LITTLE_ENDIAN, true);
}

// An integer that no int64 holds.
template <typename Source, typename Unit = typename Source::Unit>
OCIOR_NOINLINE PyObject* new_big_int(PyCall<Source>& call, const Unit* first, const Unit* last) noexcept {
    const Options& options = call.options;
    if (options.big_integers != BigIntegers::kExact && (options.first_big_integer != Options::kNoLimit || !is_unsigned_64(first, last)))
        return big_integer(call, first, last);
    const Unit* const digits = first + (*first == '-');
    if (last - digits <= kWordPairDigits) return int_of_word_pair(digits, last, digits != first);
    const AsciiCopy copy(first, last);
    if (!copy.text()) return PyErr_NoMemory();
    PyObject* const value = PyLong_FromString(copy.text(), nullptr, 10);  // looks for signals: handlers may run
    call.context.allocator.refresh(call.constants.tricks, options.has_hooks());
    return value;
}

template <typename Source, typename Unit = typename Source::Unit>
OCIOR_NOINLINE PyObject* new_decimal(PyCall<Source>& call, const Unit* first, const Unit* last) noexcept {
    const Decimals& decimals = *call.options.decimals;
    num::Digits digits;
    static_assert(num::Digits::kMostWords == Decimals::kMostWords);
    if (OCIOR_LIKELY(num::read_digits(first, last, digits)))
        return decimals.new_decimal(call.context.allocator, digits.negative, digits.words, digits.word_count, digits.digit_count,
                                    digits.exponent);
    PyObject* const number = call_with_text(call.context, decimals.type(), first, last);
    call.context.allocator.refresh(call.constants.tricks, call.options.has_hooks());
    return number;
}

// An integer whose text is [first, last).
template <Asked kAsked, typename Source, typename Unit = typename Source::Unit>
OCIOR_INLINE PyObject* new_integer(PyCall<Source>& call, std::uint64_t magnitude, bool negative, const Unit* first,
                                   const Unit* last) noexcept {
    if constexpr (kAsked == Asked::kAnything) {
        if (call.options.parse_int) return call_with_text(call.context, call.options.parse_int, first, last);
        if (OCIOR_UNLIKELY(magnitude >= call.options.first_big_integer)) return big_integer(call, magnitude, negative, first, last);
    }
    if (magnitude <= layout::kLastSmallInt) {
        const int value = negative ? -static_cast<int>(magnitude) : static_cast<int>(magnitude);
        if (value >= layout::kFirstSmallInt) return new_constant(call.constants.ints[value - layout::kFirstSmallInt]);
    }
    if constexpr (layout::kMayBuildDirect)
        if (OCIOR_LIKELY(call.constants.tricks.direct_scalars)) return new_int_direct(call.context.allocator, magnitude, negative);
    return PyLong_FromLongLong(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude));
}

// A number with a fraction or an exponent whose text is [first, last).
template <Asked kAsked, typename Source, typename Unit = typename Source::Unit>
OCIOR_INLINE PyObject* new_real(PyCall<Source>& call, double value, const Unit* first, const Unit* last) noexcept {
    if constexpr (kAsked == Asked::kAnything) {
        if (call.options.decimals) return new_decimal(call, first, last);
        if (call.options.parse_float) return call_with_text(call.context, call.options.parse_float, first, last);
    }
    return new_float(call, value);
}

// A number of any kind whose text is [first, last).
template <Asked kAsked, typename Source, typename Unit = typename Source::Unit>
OCIOR_INLINE PyObject* new_number(PyCall<Source>& call, const num::Number& number, const Unit* first, const Unit* last) noexcept {
    constexpr bool kLooks = kAsked == Asked::kAnything;
    if constexpr (kLooks)
        if (number.kind == num::NumberKind::kBigInt && call.options.parse_int)
            return call_with_text(call.context, call.options.parse_int, first, last);
    switch (number.kind) {
        // As a float, -0 has a sign.
        case num::NumberKind::kInt64:
            return new_integer<kAsked>(call, magnitude(number.i), kLooks ? *first == '-' : number.i < 0, first, last);
        case num::NumberKind::kFloat64: return new_real<kAsked>(call, number.d, first, last);
        default: return new_big_int(call, first, last);
    }
}

template <Asked kAsked, typename Source>
OCIOR_COLD PyObject* new_non_finite(PyCall<Source>& call, NonFinite which) noexcept {
    constexpr const char* kNames[] = {"NaN", "Infinity", "-Infinity"};
    const auto i = static_cast<std::size_t>(which);
    if (kAsked == Asked::kAnything && call.options.parse_constant) {
        const Owned text = Owned::steal(PyUnicode_InternFromString(kNames[i]));
        return text ? call_hook(call.context, call.options.parse_constant, text.get()) : nullptr;
    }
    if (call.options.non_finite == NonFiniteNumbers::kError) return call.refuse(Error::kExpectingValue);
    return new_ref(call.options.non_finite == NonFiniteNumbers::kNull ? Py_None : call.constants.non_finite[i]);
}

// NaN and Infinity in letters of any case at `p`, which moves behind them; null without an error if there is none.
template <typename Source>
OCIOR_COLD PyObject* new_loose_word(PyCall<Source>& call, const typename Source::Unit*& p) noexcept {
    using Unit = typename Source::Unit;
    if (!call.options.dialect->takes_words_in_any_case) return nullptr;
    const bool is_negative = *p == '-';
    const auto follows = [&](const char* word, NonFinite which) -> PyObject* {
        const Unit* at = p + is_negative;
        for (; *word; ++word, ++at)
            if ((*at | 0x20) != static_cast<Unit>(*word)) return nullptr;
        p = at;
        return new_non_finite<Asked::kAnything>(call, which);
    };
    PyObject* const nan = follows("nan", NonFinite::kNaN);
    return nan ? nan : follows("infinity", is_negative ? NonFinite::kMinusInfinity : NonFinite::kInfinity);
}

}  // namespace ocior::decode
