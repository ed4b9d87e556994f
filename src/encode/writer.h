// Writes the pieces of JSON text, value by value, into the output block: strings, numbers, constants, separators, lines.
// Everything is inline in the walk but what is rare or long.
#pragma once

#include "encode/walk.h"
#include "num/write.h"
#include "py/number.h"
#include "simd/decimal_write.h"

namespace ocior::encode {

// The write position travels by value and comes back from every function; null means that the walk stops: an error is set, or
// Call::wanted_width, wants_flush or wants_text says what for.
template <Mode mode, CodeUnit Unit, bool kPlain>
class Writer {
public:
    explicit Writer(Call& call) noexcept : call_(call), options_(call.options) {
        learn_block();
        item_ = outer_item_ = base_;
    }

    static constexpr bool kMayWiden = mode == Mode::kText && sizeof(Unit) < 4;
    // Kept free in front of every item, and behind every string that was not short: a short key, a short string or the longest
    // number, quotes, brackets, separators.
    static constexpr std::size_t kItemRoom = 128;
    static_assert(kItemRoom >= 2 * (simd::ShortText::kLanes + 2) + 3 * 8 && simd::ShortText::kLanes >= num::kMaxFloat64Len - 8);
    static constexpr std::uint64_t kNull = 0x6c6c756e, kTrue = 0x65757274, kFalse = 0x65736c6166;
    static constexpr std::size_t kNumberRoom = num::kFormatRoom + simd::kVecBytes;  // a whole vector may be read from it
    static_assert(num::kMaxFloat64Len <= 32);
    static constexpr std::size_t kChunk = 1024;  // units of a long string that are given room for at a time
    static constexpr std::size_t kOneChunk = 256;  // and so many without a look at what is left
    static constexpr std::size_t kTextPieceRoom = kTextPiece * 12 + kItemRoom;

    void learn_block() noexcept {
        base_ = static_cast<Unit*>(call_.output.data());
        limit_ = base_ + call_.output.capacity();
        item_limit_ = options_.in_pieces ? limit_ - kTextPieceRoom : limit_;
    }

    Unit* start() const noexcept { return base_; }
    // Where the item being written starts: there a wider walk takes over.
    OCIOR_INLINE void note_item(Unit* at) noexcept { item_ = at; }
    // The item noted last is a container that has no frame: the place to go back to, whatever is noted inside it.
    OCIOR_INLINE void note_outer_item() noexcept { outer_item_ = item_; }
    std::size_t outer_item_offset() const noexcept { return offset(outer_item_); }
    Unit* item() const noexcept { return item_; }
    std::size_t item_offset() const noexcept { return offset(item_); }
    OCIOR_INLINE std::size_t offset(const Unit* at) const noexcept { return static_cast<std::size_t>(at - base_); }

    OCIOR_INLINE Unit* ensure(Unit* at, std::size_t units) noexcept {
        return OCIOR_LIKELY(static_cast<std::size_t>(limit_ - at) >= units) ? at : grow(at, units);
    }

    // The same between two items, where a full piece may be handed over instead.
    OCIOR_INLINE Unit* ensure_between(Unit* at, std::size_t units = kItemRoom) noexcept {
        return OCIOR_LIKELY(item_limit_ - at >= static_cast<std::ptrdiff_t>(units)) ? at : grow_or_flush(at, units);
    }

    OCIOR_NOINLINE Unit* grow_or_flush(Unit* at, std::size_t units) noexcept {
        if (!options_.in_pieces) return grow(at, units);
        // A flush keeps the last separator, which a bracket may take back: the piece should be worth that copy.
        if (offset(at) < kTextPiece + 2 * options_.item.length) return grow(at, units + kTextPieceRoom);
        note_item(at);
        call_.wants_flush = true;
        return nullptr;
    }

    OCIOR_NOINLINE Unit* grow(Unit* at, std::size_t units) noexcept {
        const std::size_t used = offset(at);
        const std::size_t item = item_offset(), outer_item = outer_item_offset();
        if (!call_.output.grow(used, units)) return nullptr;
        learn_block();
        item_ = base_ + item;
        outer_item_ = base_ + outer_item;
        return base_ + used;
    }

    static OCIOR_INLINE Unit* put(Unit* at, char unit) noexcept {
        *at = static_cast<Unit>(unit);
        return at + 1;
    }

    // Up to 8 ASCII units, whole; kWriteSlack takes what is too much.
    static OCIOR_INLINE Unit* put_word(Unit* at, std::uint64_t word, std::size_t length) noexcept {
        if constexpr (sizeof(Unit) == 1) {
            store(at, word);
        } else {
            simd::widen_8(at, word);
        }
        return at + length;
    }

    // Up to 8 digits of a number below 10^8 without leading zeros, or all 8 of them.
    static OCIOR_INLINE Unit* put_digits(Unit* at, std::uint64_t below_1e8, bool all) noexcept {
        const std::uint64_t digits = simd::digits8(below_1e8);
        const unsigned zeros = all ? 0 : leading_zeros(digits | 1) / 8;
        return put_word(at, __builtin_bswap64(digits | 0x3030303030303030ull) >> (8 * zeros), 8 - zeros);
    }

    // ASCII text for which there is room.
    static OCIOR_INLINE Unit* put_ascii(Unit* at, const std::uint8_t* text, std::size_t n) noexcept {
        text::convert(at, text, n);
        return at + n;
    }

    OCIOR_INLINE Unit* put_separator(Unit* at, const Separator& separator) noexcept {
        if (kPlain || OCIOR_LIKELY(!separator.data)) return put_word(at, separator.word, separator.length);
        return put_long_separator(at, separator);
    }

    // Text of any length, no wider than the unit; for bytes it is UTF-8 already.
    OCIOR_NOINLINE Unit* put_long_separator(Unit* at, const Separator& separator) noexcept {
        at = ensure(at, separator.length + kItemRoom);
        if (!at) return nullptr;
        if (separator.width == 1) text::convert(at, static_cast<const std::uint8_t*>(separator.data), separator.length);
        if constexpr (sizeof(Unit) >= 2)
            if (separator.width == 2) text::convert(at, static_cast<const std::uint16_t*>(separator.data), separator.length);
        if constexpr (sizeof(Unit) == 4)
            if (separator.width == 4) text::convert(at, static_cast<const std::uint32_t*>(separator.data), separator.length);
        return at + separator.length;
    }

    // A new line, indented for the open containers; nothing unless the layout is pretty.
    OCIOR_INLINE Unit* put_line(Unit* at) noexcept {
        if constexpr (kPlain) return at;
        if (!options_.pretty) return at;
        const Indent& indent = options_.indent;
        if (OCIOR_UNLIKELY(indent.text.data != nullptr)) return put_text_line(at, indent.text);
        if (OCIOR_UNLIKELY(indent.count > (std::size_t{1} << 40))) return PyErr_NoMemory(), nullptr;
        const std::size_t n = call_.level * indent.count;
        at = ensure(at, n + 1 + kItemRoom);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        at = put(at, '\n');
        const auto spaces = simd::Vec<Unit>::splat(indent.fill);
        for (std::size_t i = 0; i < n; i += simd::Vec<Unit>::kLanes) spaces.store(at + i);
        return at + n;
    }

    OCIOR_NOINLINE Unit* put_text_line(Unit* at, const Separator& indent) noexcept {
        at = ensure(at, 1 + kItemRoom);
        if (at) at = put(at, '\n');
        for (std::size_t i = 0; at && i < call_.level; ++i) at = put_long_separator(at, indent);
        return at ? ensure(at, kItemRoom) : nullptr;
    }

    // `put` of the units of a string, which in text output are no wider than the output's.
    template <typename Put>
    static OCIOR_INLINE Unit* with_units(const StrView& view, Put put) noexcept {
        if (view.width == 1) return put(static_cast<const std::uint8_t*>(view.data));
        if constexpr (mode != Mode::kText || sizeof(Unit) >= 2)
            if (view.width == 2) return put(static_cast<const std::uint16_t*>(view.data));
        if constexpr (mode != Mode::kText || sizeof(Unit) == 4) return put(static_cast<const std::uint32_t*>(view.data));
        else return nullptr;
    }

    template <CodeUnit Src>
    OCIOR_INLINE Unit* put_escaped(Unit* at, PyObject* str, const Src* units, std::size_t n) noexcept;
    OCIOR_INLINE Unit* put_string(Unit* at, PyObject* str, bool is_value) noexcept;
    // (Tried and lost: the texts of keys that come again, ready to be copied, found by the key's address. Looking them up costs what
    // one test and one store of a short string do.)
    OCIOR_INLINE Unit* put_key(Unit* at, PyObject* str) noexcept { return put_string(at, str, false); }
    OCIOR_NOINLINE Unit* put_ascii_string(Unit* at, PyObject* str, std::size_t n, bool is_value) noexcept;
    OCIOR_NOINLINE Unit* put_any_string(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_INLINE Unit* put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept;
    OCIOR_NOINLINE Unit* put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept;
    OCIOR_NOINLINE Unit* put_text_piece(Unit* at, Frame& frame) noexcept;
    template <typename Copy>
    OCIOR_INLINE Unit* put_in_chunks(Unit* at, std::size_t n, std::size_t factor, Copy copy) noexcept;
    OCIOR_NOINLINE Unit* put_big_int(Unit* at, PyObject* value) noexcept;
    OCIOR_INLINE Unit* put_i64(Unit* at, std::int64_t number) noexcept;
    OCIOR_INLINE Unit* put_float(Unit* at, PyObject* value) noexcept;

    template <typename BeforeFloat, typename AfterConstant>
    OCIOR_INLINE Unit* put_scalar(Unit* at, PyObject* value, bool& scalar, BeforeFloat before_float, AfterConstant after_constant) noexcept;
    OCIOR_INLINE Unit* put_scalar(Unit* at, PyObject* value, bool& scalar) noexcept {
        return put_scalar(at, value, scalar, [] {}, [](Unit* end) { return end; });
    }
    template <typename Run>
    OCIOR_INLINE Unit* put_constants(Unit* at, Run& run) noexcept;
    // An empty list, tuple or dict of exactly that type; null for anything else.
    OCIOR_INLINE Unit* put_if_empty(Unit* at, PyObject* value) noexcept {
        PyTypeObject* const type = Py_TYPE(value);
        const bool is_dict = type == &PyDict_Type;
        if (is_dict ? PyDict_GET_SIZE(value) != 0 : (type != &PyList_Type && type != &PyTuple_Type) || Py_SIZE(value) != 0) return nullptr;
        return put_word(at, is_dict ? '{' | '}' << 8 : '[' | ']' << 8, 2);
    }
    OCIOR_NOINLINE Unit* put_any_int(Unit* at, PyObject* value) noexcept {
        std::int64_t number;
        return small_int_value(value, number) ? put_i64(at, number) : put_big_int(at, value);
    }
    OCIOR_NOINLINE Unit* put_any_float(Unit* at, PyObject* value) noexcept { return put_float(at, value); }

private:
    Call& call_;
    const Options& options_;
    Unit* base_;
    Unit* limit_;
    Unit* item_limit_;  // how far an item may start
    Unit* item_;
    Unit* outer_item_;
};

// The units of a string, escaped. Null for a lone surrogate where UTF-8 is asked for.
template <Mode mode, CodeUnit Unit, bool kPlain>
template <CodeUnit Src>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_escaped(Unit* at, PyObject* str, const Src* units, std::size_t n) noexcept {
    if constexpr (mode == Mode::kText) {
        static_assert(sizeof(Src) <= sizeof(Unit));
        return text::copy_escaped(at, units, n);
    } else if constexpr (mode == Mode::kAscii && sizeof(Unit) == 1) {
        return text::copy_escaped_ascii(at, units, n);
    } else if constexpr (mode == Mode::kAscii) {
        // Only where a separator is not ASCII: through a buffer.
        std::uint8_t escaped[12 * 64 + kWriteSlack];
        for (std::size_t done = 0; done < n; done += 64) {
            const std::uint8_t* end = text::copy_escaped_ascii(escaped, units + done, n - done < 64 ? n - done : 64);
            at = put_ascii(at, escaped, static_cast<std::size_t>(end - escaped));
        }
        return at;
    } else {
        const text::Utf8Copy<Src> copy = text::copy_escaped_utf8(at, units, n);
        if (OCIOR_LIKELY(copy.stop == units + n)) return copy.end;
        raise_surrogate(call_, str, static_cast<std::size_t>(copy.stop - static_cast<const Src*>(PyUnicode_DATA(str))));
        return nullptr;
    }
}

// A quoted string of `n` source units, each of which becomes up to `factor` units; `copy(at, first, count)` writes a part.
template <Mode mode, CodeUnit Unit, bool kPlain>
template <typename Copy>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_in_chunks(Unit* at, std::size_t n, std::size_t factor, Copy copy) noexcept {
    if (OCIOR_LIKELY(n <= kOneChunk)) {
        at = ensure(at, n * factor + 2 + kItemRoom);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        at = copy(put(at, '"'), 0, n);
        return OCIOR_LIKELY(at != nullptr) ? put(at, '"') : nullptr;
    }
    at = ensure(at, n + kItemRoom);
    if (!at) return nullptr;
    at = put(at, '"');
    for (std::size_t done = 0; done < n;) {
        // As much as surely fits, and no less than a chunk.
        const std::size_t room = (static_cast<std::size_t>(limit_ - at) - kItemRoom) / factor;
        const std::size_t part = room > kChunk ? room : kChunk;
        const std::size_t now = n - done < part ? n - done : part;
        at = ensure(at, now * factor + kItemRoom);
        if (!at) return nullptr;
        at = copy(at, done, now);
        if (!at) return nullptr;
        done += now;
    }
    return ensure(put(at, '"'), kItemRoom);
}

// Everything that is not compact ASCII, and what is too long for one piece.
template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_NOINLINE Unit* Writer<mode, Unit, kPlain>::put_any_string(Unit* at, PyObject* str, bool is_value) noexcept {
    StrView view;
    if (OCIOR_UNLIKELY(!view_of(str, view))) return nullptr;
    if constexpr (mode == Mode::kText) {
        if (view.width > sizeof(Unit)) {
            call_.wanted_width = view.width;
            return nullptr;
        }
        if (sizeof(Unit) == 1 && !view.is_ascii) call_.output.note_latin1();
    }
    if (options_.in_pieces && is_value && view.length > kTextPiece) {
        note_item(at);
        call_.wants_text = true;
        return nullptr;
    }
    if constexpr (mode == Mode::kUtf8) {
        // UTF-8 that stands already, as ASCII or as the string's own copy, only wants escaping.
        const std::uint8_t* utf8 = nullptr;
        std::size_t byte_len = view.length;
        if (view.is_ascii) {
            utf8 = static_cast<const std::uint8_t*>(view.data);
        } else {
            utf8 = cached_utf8(str, byte_len);
            if (!utf8 && options_.write_cache && PyUnicode_CheckExact(str)) return put_and_keep_utf8(at, str, view);
        }
        if (utf8)
            return put_in_chunks(at, byte_len, 6, [&](Unit* to, std::size_t first, std::size_t n) { return text::copy_escaped(to, utf8 + first, n); });
    }
    return put_units_of(at, str, view);
}

template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept {
    const auto put_units = [&]<CodeUnit Src>(const Src* units) {
        return put_in_chunks(at, view.length, expansion(mode, sizeof(Src)),
                             [&](Unit* to, std::size_t first, std::size_t n) { return put_escaped(to, str, units + first, n); });
    };
    return with_units(view, put_units);
}

// The same, and the UTF-8 form stays in the string: what was written, unless something in it had to be escaped.
template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_NOINLINE Unit* Writer<mode, Unit, kPlain>::put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept {
    const std::size_t start = offset(at) + 1;
    Unit* const end = put_units_of(at, str, view);
    if (!end) return nullptr;
    const auto* const text = reinterpret_cast<const std::uint8_t*>(base_ + start);
    const std::size_t byte_len = offset(end) - 1 - start;
    const bool is_compact = reinterpret_cast<PyASCIIObject*>(str)->state.compact;
    if (call_.constants.tricks.utf8_forms && is_compact && !std::memchr(text, '\\', byte_len)) {
        plant_utf8(str, text, byte_len);
    } else {
        Py_ssize_t ignored;
        if (!PyUnicode_AsUTF8AndSize(str, &ignored)) PyErr_Clear();  // it was a favour
    }
    return end;
}

// The next units of a long string in a frame of its own; there is room for them.
template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_NOINLINE Unit* Writer<mode, Unit, kPlain>::put_text_piece(Unit* at, Frame& frame) noexcept {
    PyObject* const str = frame.iterated;
    StrView view;
    if (OCIOR_UNLIKELY(!view_of(str, view))) return nullptr;
    const auto first = static_cast<std::size_t>(frame.position);
    const std::size_t n = view.length - first < kTextPiece ? view.length - first : kTextPiece;
    note_item(at);
    frame.position += static_cast<Py_ssize_t>(n);
    return with_units(view, [&]<CodeUnit Src>(const Src* units) { return put_escaped(at, str, units + first, n); });
}

// ASCII in one piece: longer than a short text, or with escapes.
template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_NOINLINE Unit* Writer<mode, Unit, kPlain>::put_ascii_string(Unit* at, PyObject* str, std::size_t n, bool is_value) noexcept {
    if (OCIOR_UNLIKELY(n > kChunk)) return put_any_string(at, str, is_value);
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    at = put(at, '"');
    if constexpr (mode == Mode::kUtf8) at = text::copy_escaped(at, ascii_data(str), n);
    else at = put_escaped(at, str, ascii_data(str), n);
    return put(at, '"');
}

template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_string(Unit* at, PyObject* str, bool is_value) noexcept {
    if (OCIOR_UNLIKELY(!PyUnicode_IS_COMPACT_ASCII(str))) return put_any_string(at, str, is_value);
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (OCIOR_LIKELY(n <= simd::ShortText::kLanes)) {
        // No look at the room left: kItemRoom takes two of these and what stands between them.
        if (Unit* end = copy_short<mode>(at + 1, ascii_data(str), n); OCIOR_LIKELY(end != nullptr)) {
            put(at, '"');
            return put(end, '"');
        }
    }
    return put_ascii_string(at, str, n, is_value);
}

template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_NOINLINE Unit* Writer<mode, Unit, kPlain>::put_big_int(Unit* at, PyObject* value) noexcept {
    const Owned hold = Owned::borrow(value);
    call_.pin();
    Owned text = Owned::steal(PyLong_Type.tp_repr(value));
    if (!text) return nullptr;
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.get()));
    at = ensure(at, n + kItemRoom);
    return at ? put_ascii(at, PyUnicode_1BYTE_DATA(text.get()), n) : nullptr;
}

template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_i64(Unit* at, std::int64_t number) noexcept {
    if constexpr (sizeof(Unit) == 1) {
        return num::write_i64(at, number);
    } else {
        // Straight from registers: digits written as bytes and read back at once as a vector would stall.
        const std::uint64_t magnitude = number < 0 ? 0 - static_cast<std::uint64_t>(number) : static_cast<std::uint64_t>(number);
        if (OCIOR_LIKELY(magnitude < 10000000000000000ull)) {
            *at = '-';
            at += number < 0;
            const std::uint64_t high = magnitude / 100000000;
            if (high) at = put_digits(at, high, false);
            return put_digits(at, magnitude - high * 100000000, high != 0);
        }
        std::uint8_t text[kNumberRoom];
        const std::uint8_t* end = num::write_i64(text, number);
        simd::widen_32(at, text);
        return at + (end - text);
    }
}

template <Mode mode, CodeUnit Unit, bool kPlain>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_float(Unit* at, PyObject* value) noexcept {
    const double number = PyFloat_AS_DOUBLE(value);
    if (OCIOR_UNLIKELY(!__builtin_isfinite(number))) {
        note_item(at);
        const char* text = non_finite_text(call_, value, number);
        return text ? put_ascii(at, reinterpret_cast<const std::uint8_t*>(text), std::strlen(text)) : nullptr;
    }
    if constexpr (sizeof(Unit) == 1) {
        return num::write_f64(at, number);
    } else {
        std::uint8_t text[kNumberRoom];
        const std::uint8_t* end = num::write_f64(text, number);
        simd::widen_32(at, text);
        return at + (end - text);
    }
}

// The items that follow while they are true, false or null, each behind its separator: in one store, without a look at their types.
template <Mode mode, CodeUnit Unit, bool kPlain>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_constants(Unit* at, Run& run) noexcept {
    if constexpr (kPlain && layout::kHasGil) {
        const Separator& separator = options_.item;
        const std::size_t length = separator.length;
        if (length > 3) return at;
        const std::uint64_t null_word = separator.word | kNull << (8 * length), true_word = separator.word | kTrue << (8 * length),
                            false_word = separator.word | kFalse << (8 * length);
        while (item_limit_ - at >= static_cast<std::ptrdiff_t>(kItemRoom)) {
            PyObject* const value = run.peek();
            std::uint64_t word = null_word;
            if (value != Py_None) {
                if (value == Py_True) word = true_word;
                else if (value == Py_False) word = false_word;
                else break;
            }
            at = put_word(at, word, length + 4 + (value == Py_False));
            run.skip();
        }
    }
    return at;
}

// A string, int, float, true, false or null of exactly that type; `scalar` says whether the value was one. An int beyond 64 bits counts
// as none: its conversion looks for signals, whose handlers are Python code. `before_float` runs before a float is converted, the
// time to prefetch the next ones; `after_constant` may write on behind true, false or null.
template <Mode mode, CodeUnit Unit, bool kPlain>
template <typename BeforeFloat, typename AfterConstant>
OCIOR_INLINE Unit* Writer<mode, Unit, kPlain>::put_scalar(Unit* at, PyObject* value, bool& scalar, BeforeFloat before_float,
                                                           AfterConstant after_constant) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    scalar = true;
    if (type == &PyUnicode_Type) return put_string(at, value, true);
    if (type == &PyLong_Type) {
        std::int64_t number;
        if (OCIOR_LIKELY(small_int_value(value, number))) return put_i64(at, number);
        scalar = false;
        return at;
    }
    if (type == &PyFloat_Type) {
        before_float();
        return put_float(at, value);
    }
    if (value == Py_None || type == &PyBool_Type) {
        std::uint64_t word = value == Py_True ? kTrue : kNull;
        word = value == Py_False ? kFalse : word;
        return after_constant(put_word(at, word, 4 + (value == Py_False)));
    }
    scalar = false;
    return at;
}

}  // namespace ocior::encode
