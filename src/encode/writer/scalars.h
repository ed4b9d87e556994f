// Writes single values that are not simply text: integers, what plans write, ready JSON, elements of arrays that are written alone. What
// stands between values is not known here, as in text.h.
#pragma once

#include "encode/arrays/elements.h"
#include "encode/arrays/view.h"
#include "encode/writer/text.h"
#include "py/number.h"

namespace ocior::encode {

// An int. Null where 64 bits don't hold its magnitude, or where it may be beyond the range that is allowed.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_long_int(Unit* at, PyObject* value) noexcept {
    SmallInt number;
    if (!read_small_int(value, number) && !read_three_digits(value, number)) return nullptr;
    if (OCIOR_UNLIKELY(options_.integers == IntegerRange::k53Bits) && !is_within_53_bits(number.magnitude)) return nullptr;
    if (options_.integers == IntegerRange::k64Bits && number.is_negative && number.magnitude >> 63) return nullptr;
    put(at, '-');
    return num::write_u64(at + number.is_negative, number.magnitude);
}

// What the plan writes of a value.
template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_scalar(Unit* at, const Plan& plan, PyObject* value) noexcept {
    if constexpr (sizeof(Unit) == 1) {
        if (std::uint8_t* const end = plan.write(call_, value, at); OCIOR_LIKELY(end != nullptr)) return end;
    } else {
        std::uint8_t text[kShortScalar];
        if (std::uint8_t* const end = plan.write(call_, value, text); OCIOR_LIKELY(end != nullptr)) return put_scalar_text(at, text, end);
    }
    if (call_.context.extras.long_scalar) return put_scalar_text(at, nullptr, nullptr);
    note_item(at);
    return nullptr;
}

// The string that the plan writes of a value.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_text_scalar(Unit* at, const Plan& plan, PyObject* value) noexcept {
    if constexpr (sizeof(Unit) == 1) {
        std::uint8_t* const behind = plan.write(call_, value, at + 1);
        if (OCIOR_LIKELY(behind != nullptr)) {
            put(at, '"');
            return put(behind, '"');
        }
    }
    std::uint8_t text[kShortScalar];
    const std::uint8_t* const end = sizeof(Unit) == 1 ? nullptr : plan.write(call_, value, text);
    if (OCIOR_UNLIKELY(!end && !call_.context.extras.long_scalar)) {
        const Owned other = std::move(call_.context.extras.replacement);  // one from before, where there is an error
        if (other && !PyErr_Occurred()) return put_any_string(at, other.get(), false);
        return note_item(at), nullptr;
    }
    at = put_scalar_text(put(at, '"'), text, end);
    return OCIOR_LIKELY(at != nullptr) ? put(at, '"') : nullptr;
}

// Ready JSON, as it is, but for what only the output asks for: escapes where it is to be ASCII, the encoding.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_json(Unit* at, const Plan& plan, PyObject* value) noexcept {
    const Owned hold = Owned::borrow(value);
    call_.has_ready_json = true;
    Owned text = plan.replace(call_, value);
    const bool is_bytes = text && PyBytes_Check(text.get());
    if (is_bytes ? mode != Mode::kUtf8 : text && mode != Mode::kText && !PyUnicode_IS_ASCII(text.get())) {
        call_.pin();
        if (is_bytes) text = Owned::steal(PyUnicode_DecodeUTF8(PyBytes_AS_STRING(text.get()), PyBytes_GET_SIZE(text.get()), nullptr));
        if (text && mode == Mode::kAscii && !PyUnicode_IS_ASCII(text.get())) text = escape_json(text.get());
        if (text && mode == Mode::kUtf8) {
            Owned bytes = Owned::steal(PyUnicode_AsUTF8String(text.get()));
            text = std::move(bytes);
        }
    }
    StrView view{};
    if (!text) return note_item(at), nullptr;
    if (PyBytes_Check(text.get())) {
        view = {PyBytes_AS_STRING(text.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.get())), 1, true};
    } else if (!view_of(text.get(), view)) {
        return note_item(at), nullptr;
    }
    if (view.width > sizeof(Unit)) {
        call_.wanted_width = view.width;
        call_.stop = Stop::kWiden;
        return nullptr;
    }
    if (mode == Mode::kText && sizeof(Unit) == 1 && !view.is_ascii) call_.output.note_latin1();
    // With kByDialect ready JSON is written as it is, so the text before it gets its extra escapes now.
    const bool is_kept = (call_.rich & kByDialect) != 0;
    if (!asks_about_strings_ && is_kept && (call_.rich & kExtraEscapes) && !(at = put_extra_escapes(at, call_.escaped))) return nullptr;
    at = ensure(at, view.length + kItemRoom);
    if (!at) return nullptr;
    const std::size_t first = offset(at);
    call_.flat_list = Call::kNoList;  // it may have containers in it, and lines
    if (is_kept) call_.escaped = first + view.length;
    if (view.width == 1) text::convert(at, static_cast<const std::uint8_t*>(view.data), view.length);
    if constexpr (sizeof(Unit) >= 2)
        if (view.width == 2) text::convert(at, static_cast<const std::uint16_t*>(view.data), view.length);
    if constexpr (sizeof(Unit) == 4)
        if (view.width == 4) text::convert(at, static_cast<const std::uint32_t*>(view.data), view.length);
    const bool has_plain_slashes = !is_kept && (call_.rich & kEscapedSlashes);  // for the second pass
    at += has_plain_slashes ? text::drop_slash_escapes(at, view.length) : view.length;
    return escapes_strings() && !is_kept ? put_extra_escapes(at, first) : at;
}

// The text that a plan has written, or Extras::long_scalar where `end` is null.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_scalar_text(Unit* at, const std::uint8_t* text, const std::uint8_t* end) noexcept {
    const Owned longer = std::move(call_.context.extras.long_scalar);
    const std::size_t n = static_cast<std::size_t>(end ? end - text : PyUnicode_GET_LENGTH(longer.get()));
    at = ensure(at, n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    if (OCIOR_LIKELY(end && n <= kShortScalar / 2)) simd::widen_32(at, text);
    else put_ascii(at, end ? text : PyUnicode_1BYTE_DATA(longer.get()), n);
    return at + n;
}

// One element, whose line is there.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_element_alone(Unit* at, ArrayView& view, NumberWindow& window) noexcept {
    std::uint8_t text[kElementsRoom];
    const std::uint8_t* const behind = write_elements(call_, view, window, ElementSeparator{}, text, text);
    Unit* end = nullptr;
    if (behind && behind != text) {
        end = put_ascii(at, text, static_cast<std::size_t>(behind - text));
    } else if (behind) {
        const int inner = view.open - 1;
        const char* const from = view.next[inner];
        const auto load_as = [&]<typename Type>(Type) { return load_element<Type>(from, view.is_swapped); };
        switch (view.element) {
            case Element::kInt64: end = put_big_integer(at, load_as(std::int64_t{})); break;
            case Element::kUint64: end = put_big_integer(at, load_as(std::uint64_t{})); break;
            case Element::kFloat16: end = put_non_finite(at, num::float_of_f16(load_as(std::uint16_t{}))); break;
            case Element::kFloat32: end = put_non_finite(at, load_as(float{})); break;
            default: end = put_non_finite(at, load_as(double{})); break;
        }
        view.next[inner] += view.run_stride();
        ++view.index[inner];
    }
    return OCIOR_LIKELY(end != nullptr) ? end : (note_item(at), nullptr);
}

template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_non_finite(Unit* at, double value) noexcept {
    const Owned number = Owned::steal(PyFloat_FromDouble(value));
    const char* const text = number ? allowed_non_finite_text(call_, number.get(), value) : nullptr;
    return text ? put_ascii(at, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)) : nullptr;
}

// One beyond the range that is allowed, as the int of that value would be written.
template <Mode mode, CodeUnit Unit>
template <typename Type>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_big_integer(Unit* at, Type value) noexcept {
    const Owned number = Owned::steal(std::is_signed_v<Type> ? PyLong_FromLongLong(static_cast<long long>(value))
                                                             : PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value)));
    return number ? put_scalar(at, json_plan_of(&PyLong_Type), number.get()) : nullptr;
}

}  // namespace ocior::encode
