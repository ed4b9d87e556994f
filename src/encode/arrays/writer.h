// The arrays of numbers of writer.h: nested lists, out of the array's memory.
#pragma once

#include "encode/arrays/view.h"
#include "encode/writer/writer.h"

namespace ocior::encode {

// Writes the array in the top frame, or as much of it as there is room for. Null, as everywhere, where the walk stops; it goes on here.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_array(Unit* at, ArrayView& view) noexcept {
    const auto open_list = [&](int dimension, const char* first) {
        view.index[dimension] = 0;
        view.next[dimension] = first;
        view.open = dimension + 1;
        if constexpr (kHasLines) ++call_.level;
        at = view.length(dimension) ? put_opening(at, '[') : put(at, '[');  // an empty one has no lines
    };
    NumberWindow window;
    while (!view.is_done) {
        if (!has_item_room(at) && !(at = grow_or_flush(at, kItemRoom))) return nullptr;
        const int inner = view.open - 1;
        if (inner < 0) {
            open_list(0, static_cast<const char*>(view.buffer.buf));
        } else if (view.index[inner] == view.length(inner)) {
            const bool has_items = view.length(inner) > 0;
            if (has_items) at -= item_separator_length();
            Unit* const on_one_line = has_items ? joined(at, has_items) : nullptr;
            if constexpr (kHasLines) --call_.level;
            if (on_one_line) at = on_one_line;
            else if (has_items && !(at = put_line(at))) return nullptr;
            at = put(at, ']');
            view.is_done = --view.open == 0;
            if (!view.is_done) at = put_item_separator(at);
        } else if (inner + 1 < view.dimensions) {
            at = put_line(at);
            if (kHasLines && OCIOR_UNLIKELY(!at)) return nullptr;
            const char* const first = view.next[inner];
            view.next[inner] += view.stride(inner);
            ++view.index[inner];
            open_list(inner + 1, first);
        } else {
            at = put_elements(at, view, window);
            if (OCIOR_UNLIKELY(!at)) return nullptr;
        }
    }
    return at;
}

// The elements of the innermost list that is open, and of those that follow it in the same list, where all lie in order and lists have no
// lines: one run, between some of whose elements one list ends and the next one begins.
template <Mode mode, CodeUnit Unit, Spacing spacing>
class Writer<mode, Unit, spacing>::Rows {
public:
    static constexpr std::size_t kBreak = 2;  // units that are added to the separator between two lists

    explicit OCIOR_INLINE Rows(const ArrayView& view) noexcept : inner_(view.open - 1), width_(view.length(inner_)) {
        left_ = width_ - view.index[inner_];
        if (kFixed && !kHasLines && inner_ > 0 && view.is_in_order) rows_ = view.length(inner_ - 1) - view.index[inner_ - 1];
        first_rows_ = rows_;
    }
    OCIOR_INLINE Py_ssize_t count() const noexcept { return left_ + rows_ * width_; }
    OCIOR_INLINE Py_ssize_t left() const noexcept { return left_; }  // in the present list; 0 if all are written
    OCIOR_INLINE Py_ssize_t width() const noexcept { return width_; }  // of each list
    // Behind so many elements of it, each with its separator.
    OCIOR_INLINE Unit* next(Unit* at, Py_ssize_t elements = 1) noexcept {
        if ((left_ -= elements) != 0 || rows_ == 0) return at;
        left_ = width_;
        --rows_;
        return put(put_fixed<kItemLength, kItemWord>(put(at - kItemLength, ']')), '[');
    }
    // Notes in the view how far the run got; `from` is the next element.
    OCIOR_INLINE void leave(ArrayView& view, const char* from) const noexcept {
        view.index[inner_] = width_ - left_;
        view.next[inner_] = from;
        if (first_rows_ == rows_) return;
        view.index[inner_ - 1] += first_rows_ - rows_;
        view.next[inner_ - 1] += (first_rows_ - rows_) * view.stride(inner_ - 1);
    }

private:
    int inner_;
    Py_ssize_t width_, left_, rows_ = 0, first_rows_;  // in elements, and in lists behind this one
};

// A float that is written in this format, as nearly all are; null for others.
template <num::FloatFormat format, typename Type>
OCIOR_INLINE std::uint8_t* write_regular(std::uint8_t* text, Type value) noexcept {
    if constexpr (format == num::FloatFormat::k64) return num::write_regular_f64(text, value);
    else if constexpr (format == num::FloatFormat::k16) return num::write_regular_narrow<format>(text, value);
    else if constexpr (sizeof value == 2)
        return num::write_regular_narrow<format>(text, std::bit_cast<std::uint32_t>(num::float_of_f16(value)));
    else return num::write_regular_narrow<format>(text, std::bit_cast<std::uint32_t>(value));
}

// Elements of the innermost list that is open, and maybe of those behind it, while there is room.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_elements(Unit* at, ArrayView& view, NumberWindow& window) noexcept {
    // Numbers that are written by functions for ASCII.
    const auto ascii = [&](Unit* to, auto write) OCIOR_INLINE_LAMBDA -> Unit* {
        if constexpr (sizeof(Unit) == 1) {
            return write(to);
        } else {
            std::uint8_t text[kShortScalar];
            const std::uint8_t* const end = write(text);
            return end ? put_ascii(to, text, static_cast<std::size_t>(end - text)) : nullptr;
        }
    };
    const bool has_style = options_.is_canonical || options_.exponents != Exponents::kPython;
    const auto styled = [&]<bool kIs64>(std::uint8_t* text, std::uint8_t* end) OCIOR_INLINE_LAMBDA {
        if (OCIOR_LIKELY(!has_style || !end)) return end;
        return kIs64 ? style_float(options_, text, end) : style_float32(options_, text, end);
    };
    // Floats of type Type, of which write(text, value) writes one that is finite.
    const auto real = [&]<typename Type>(Unit* to, Type value, auto write) OCIOR_INLINE_LAMBDA -> Unit* {
        double number;
        if constexpr (sizeof(Type) == 2) number = num::float_of_f16(value);
        else number = static_cast<double>(value);
        if (OCIOR_UNLIKELY(!__builtin_isfinite(number))) return put_non_finite(to, number);
        return ascii(to, [&](std::uint8_t* text) { return styled.template operator()<sizeof(Type) == 8>(text, write(text, value)); });
    };
    const auto reals = [&]<typename Type, num::FloatFormat format>(auto write) OCIOR_INLINE_LAMBDA {
        if constexpr (!simd::kHasU64x8)
            return put_row<Type>(at, view, [&](Unit* to, Type value) OCIOR_INLINE_LAMBDA {
                Unit* const end = ascii(to, [&](std::uint8_t* text) OCIOR_INLINE_LAMBDA {
                    return styled.template operator()<sizeof(Type) == 8>(text, write_regular<format>(text, value));
                });
                return OCIOR_LIKELY(end != nullptr) ? end : real(to, value, write);
            });
        using Bits =
            std::conditional_t<sizeof(Type) == 2, std::uint16_t, std::conditional_t<sizeof(Type) == 4, std::uint32_t, std::uint64_t>>;
        Rows rows(view);
        const Py_ssize_t stride = view.run_stride();
        const char* from = view.next[view.open - 1];
        bool is_good = true;
        do {
            if (!window.is_at(from)) window.fill_floats<format, Bits>(from, stride, view.run_from(from), view.is_swapped);
            window.take_floats(rows.count(), [&](const num::FloatBatch& batch, int i) OCIOR_INLINE_LAMBDA {
                if constexpr (kHasLines) {
                    at = put_line(at);
                    if (OCIOR_UNLIKELY(!at)) return is_good = false;
                }
                Unit* end = ascii(at, [&](std::uint8_t* text) OCIOR_INLINE_LAMBDA {
                    return styled.template operator()<sizeof(Type) == 8>(text, batch.put(text, i));
                });
                if (OCIOR_UNLIKELY(!end)) {
                    end = real(at, load_element<Type>(from, view.is_swapped), write);
                    if (OCIOR_UNLIKELY(!end)) return note_item(at), at = nullptr, is_good = false;
                }
                at = put_item_separator(end);
                if (!kFixed && OCIOR_UNLIKELY(!at)) return is_good = false;
                at = rows.next(at);
                from += stride;
                return has_item_room(at);
            });
        } while (is_good && rows.left() && has_item_room(at));
        if (OCIOR_UNLIKELY(!is_good)) return static_cast<Unit*>(nullptr);
        rows.leave(view, from);
        return at;
    };
    switch (view.element) {
        case Element::kBool: return put_truths(at, view);
        case Element::kInt8: return put_integers<std::int8_t>(at, view, window);
        case Element::kInt16: return put_integers<std::int16_t>(at, view, window);
        case Element::kInt32: return put_integers<std::int32_t>(at, view, window);
        case Element::kInt64: return put_integers<std::int64_t>(at, view, window);
        case Element::kUint8: return put_integers<std::uint8_t>(at, view, window);
        case Element::kUint16: return put_integers<std::uint16_t>(at, view, window);
        case Element::kUint32: return put_integers<std::uint32_t>(at, view, window);
        case Element::kUint64: return put_integers<std::uint64_t>(at, view, window);
        case Element::kFloat16:
            if (call_.rich & kStored)
                return reals.template operator()<std::uint16_t, num::FloatFormat::k32>(
                    [](std::uint8_t* text, std::uint16_t bits) { return num::write_f32(text, num::float_of_f16(bits)); });
            return reals.template operator()<std::uint16_t, num::FloatFormat::k16>(num::write_f16);
        case Element::kFloat32: return reals.template operator()<float, num::FloatFormat::k32>(num::write_f32);
        case Element::kFloat64: return reals.template operator()<double, num::FloatFormat::k64>(num::write_f64);
        case Element::kDatetime:
        case Element::kTimedelta:
            return put_row<std::int64_t>(at, view, [&](Unit* to, std::int64_t ticks) -> Unit* {
                if (ticks == kNotATime) return put_word(to, 0x6c6c756e, 4);
                to = ascii(put(to, '"'), [&](std::uint8_t* text) {
                    if (view.element == Element::kTimedelta) return write_tick_count(call_, view.ticks, ticks, text);
                    return write_ticks(call_, view.ticks, ticks, text);
                });
                return to ? put(to, '"') : nullptr;
            });
    }
    __builtin_unreachable();
}

// Where numbers of many sizes are mixed, each wrong guess at the next one's costs 2 ns: those of more than three digits go in batches, and
// all of lists that are long enough for eight of them to be written at once.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Type>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_integers(Unit* at, ArrayView& view, NumberWindow& window) noexcept {
    if constexpr (simd::kHasU64x8 && sizeof(Unit) == 1 && sizeof(Type) > 1 && kFixed && !kHasLines) {
        constexpr Py_ssize_t kFew = 8;
        static_assert(kItemRoom >= kFew * (1 + 20 + kItemLength + Rows::kBreak) + 32);
        Rows rows(view);
        const Py_ssize_t stride = view.run_stride();
        const bool is_wide = rows.width() >= kFew;
        const char* from = view.next[view.open - 1];
        const bool is_swapped = view.is_swapped;
        const auto magnitude_of = [](Type value) OCIOR_INLINE_LAMBDA {
            return std::is_signed_v<Type> ? magnitude(static_cast<std::int64_t>(value)) : static_cast<std::uint64_t>(value);
        };
        do {
            const Py_ssize_t few = std::min(rows.count(), kFew);
            std::uint64_t most = 0;
            if (!window.is_at(from)) {
                for (Py_ssize_t i = 0; i < few; ++i) most = std::max(most, magnitude_of(load_element<Type>(from + i * stride, is_swapped)));
                if ((most >= 1000 || (is_wide && rows.left() >= kFew)) && most >> 53 == 0)
                    window.fill_integers<Type>(from, stride, view.run_from(from), is_swapped);
            }
            const auto put_few = [&](auto write) OCIOR_INLINE_LAMBDA {
                for (Py_ssize_t i = 0; i < few; ++i, from += stride) {
                    const auto value = load_element<Type>(from, is_swapped);
                    *at = '-';
                    at = rows.next(put_item_separator(write(at + (std::is_signed_v<Type> && value < 0), magnitude_of(value))));
                }
            };
            const auto write = [](Unit* to, std::uint64_t value) OCIOR_INLINE_LAMBDA { return num::write_u64(to, value); };
            if (window.is_at(from)) {
                if (is_wide) {
                    const auto put_eight = [&](const num::IntegerBatch& batch, int i) OCIOR_INLINE_LAMBDA {
                        at = batch.put_eight(at, i, kItemWord, kItemLength);
                        return has_item_room(at);
                    };
                    if (const Py_ssize_t taken = window.take_eights(rows.left() / kFew, put_eight); taken != 0) {
                        from += stride * taken;
                        at = rows.next(at, taken);
                        continue;
                    }
                }
                const Py_ssize_t single = is_wide ? rows.left() : rows.count();
                from += stride * window.take_integers(single, [&](const num::IntegerBatch& batch, int i) OCIOR_INLINE_LAMBDA {
                    at = rows.next(put_item_separator(batch.put(at, i)));
                    return has_item_room(at);
                });
            } else if (most < 1000) {
                put_few([](Unit* to, std::uint64_t value) OCIOR_INLINE_LAMBDA {
                    // Others may have changed it meanwhile.
                    return num::detail::put_lead(to, static_cast<std::uint32_t>(value < 1000 ? value : 0));
                });
            } else {
                put_few(write);
            }
        } while (rows.left() && has_item_room(at));
        rows.leave(view, from);
        return at;
    } else {
        // (orjson asks no array.)
        const bool may_be_big = !kFixed && options_.integers == IntegerRange::k53Bits && !(call_.rich & kStored);
        return put_row<Type>(at, view, [&](Unit* to, Type value) OCIOR_INLINE_LAMBDA {
            if constexpr (!kFixed && sizeof(Type) == 8)
                if (OCIOR_UNLIKELY(may_be_big && !is_within_53_bits(value))) return put_big_integer(to, value);
            if constexpr (std::is_signed_v<Type>) return num::write_i64(to, value);
            else return num::write_u64(to, value);
        });
    }
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_truths(Unit* at, ArrayView& view) noexcept {
    if constexpr (sizeof(Unit) == 1 && kFixed && !kHasLines) {
        constexpr auto& kTable = kTruthTable<kItemLength, kItemWord>;
        Rows rows(view);
        if (view.run_stride() == 1) {
            const char* from = view.next[view.open - 1];
            do {
                const char *const first = from, *const last = from + (rows.left() & ~Py_ssize_t{3});
                for (; from != last && has_item_room(at); from += 4) {
                    const FourTruths& four = kTable.row[truths_of(load<std::uint32_t>(from))];
                    std::memcpy(at, &four, sizeof four);
                    at += four[31];
                }
                at = rows.next(at, from - first);
                if (const Py_ssize_t rest = rows.left(); rest < 4 && has_item_room(at)) {
                    unsigned truths = 0;
                    for (Py_ssize_t i = 0; i < rest; ++i) truths |= static_cast<unsigned>(from[i] != 0) << i;
                    std::memcpy(at, &kTable.row[truths], sizeof(FourTruths));
                    const std::size_t length =
                        static_cast<std::size_t>(rest) * (5 + kItemLength) - static_cast<std::size_t>(__builtin_popcount(truths));
                    at = rows.next(at + length, rest);
                    from += rest;
                }
            } while (rows.left() && has_item_room(at));
            rows.leave(view, from);
            return at;
        }
    }
    return put_row<std::uint8_t>(at, view, [](Unit* to, std::uint8_t value) OCIOR_INLINE_LAMBDA {
        return value ? put_word(to, 0x65757274, 4) : put_word(to, 0x65736c6166, 5);
    });
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_non_finite(Unit* at, double value) noexcept {
    const Owned number = Owned::steal(PyFloat_FromDouble(value));
    const char* const text = number ? allowed_non_finite_text(call_, number.get(), value) : nullptr;
    return text ? put_ascii(at, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)) : nullptr;
}

// One beyond the range that is allowed, as the int of that value would be written.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Type>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_big_integer(Unit* at, Type value) noexcept {
    const Owned number = Owned::steal(std::is_signed_v<Type> ? PyLong_FromLongLong(static_cast<long long>(value))
                                                             : PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(value)));
    return number ? put_scalar(at, json_handler_of(&PyLong_Type), number.get()) : nullptr;
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Type, typename Put>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_row(Unit* at, ArrayView& view, Put put_value) noexcept {
    Rows rows(view);
    const Py_ssize_t stride = view.run_stride();
    const char* from = view.next[view.open - 1];
    const bool is_swapped = view.is_swapped;
    do {
        if constexpr (kHasLines) {
            at = put_line(at);
            if (OCIOR_UNLIKELY(!at)) return nullptr;
        }
        Unit* const end = put_value(at, load_element<Type>(from, is_swapped));
        if (OCIOR_UNLIKELY(!end)) return note_item(at), nullptr;
        at = put_item_separator(end);
        if (!kFixed && OCIOR_UNLIKELY(!at)) return nullptr;
        at = rows.next(at);
        from += stride;
    } while (rows.left() && has_item_room(at));
    rows.leave(view, from);
    return at;
}

}  // namespace ocior::encode
