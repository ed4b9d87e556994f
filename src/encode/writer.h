// Writes the pieces of JSON text, value by value, into the output block: strings, numbers, constants, separators, lines.
// Everything is inline in the walk but what is rare or long.
#pragma once

#include <algorithm>

#include "encode/line.h"
#include "encode/number_run.h"
#include "encode/walk.h"
#include "num/write.h"
#include "py/number.h"
#include "simd/decimal_write.h"

namespace ocior::encode {

// The write position travels by value and comes back from every function; null means that the walk stops: an error is set, or
// Call::wanted_width, wants_flush or wants_text says what for.
template <Mode mode, CodeUnit Unit, Spacing spacing>
class Writer {
public:
    explicit Writer(Call& call) noexcept : call_(call), options_(call.options) {
        learn_block();
        item_ = outer_item_ = base_;
    }

    static constexpr bool kMayWiden = mode == Mode::kText && sizeof(Unit) < 4;
    // Kept free in front of every item, and behind every string that was not short: a short key, a short string or the longest
    // number, quotes, brackets, separators.
    static constexpr std::size_t kItemRoom = 320;
    static constexpr std::size_t kWideLanes = simd::Vec<std::uint16_t>::kLanes;
    static_assert(kItemRoom >= 1 + kShortLine + 2 * (std::max(2 * simd::ShortText::kLanes, (mode == Mode::kUtf8 ? 3 : 1) * kWideLanes) + 2) + 64 + 3 * 8);
    static_assert(kItemRoom >= kPointRoom);
    static_assert(simd::ShortText::kLanes >= num::kMaxFloat64Len - 8);
    // Whether the text between values is known here.
    static constexpr bool kFixed = spacing != Spacing::kAny;
    static constexpr bool kHasLines = spacing == Spacing::kLines || spacing == Spacing::kAny;
    static constexpr std::size_t kNumberRoom = num::kFormatRoom + simd::kVecBytes;  // a whole vector may be read from it
    static_assert(num::kMaxFloat64Len <= 32);
    static constexpr std::size_t kChunk = 1024;  // units of a long string that are given room for at a time
    static constexpr std::size_t kOneChunk = 256;  // and so many without a look at what is left
    static constexpr std::size_t kTextPieceRoom = kTextPiece * 12 + kItemRoom;

    void learn_block() noexcept {
        base_ = static_cast<Unit*>(call_.output.data());
        limit_ = base_ + call_.output.capacity();
        item_limit_ = limit_ - kItemRoom - (options_.in_pieces ? kTextPieceRoom : 0);
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
    OCIOR_INLINE bool has_item_room(const Unit* at) const noexcept { return OCIOR_LIKELY(at <= item_limit_); }
    OCIOR_INLINE Unit* ensure_between(Unit* at) noexcept { return has_item_room(at) ? at : grow_or_flush(at, kItemRoom); }
    OCIOR_INLINE Unit* ensure_text_piece(Unit* at) noexcept {
        constexpr auto kMore = static_cast<std::ptrdiff_t>(kTextPieceRoom - kItemRoom);
        return OCIOR_LIKELY(item_limit_ - at >= kMore) ? at : grow_or_flush(at, kTextPieceRoom);
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

    // ASCII text for which there is room.
    static OCIOR_INLINE Unit* put_ascii(Unit* at, const std::uint8_t* text, std::size_t n) noexcept {
        text::convert(at, text, n);
        return at + n;
    }

    // The text between values where it is known here, and with a quote before it.
    static constexpr std::size_t kItemLength = spacing == Spacing::kJson ? 2 : 1, kKeyLength = spacing == Spacing::kCompact ? 1 : 2;
    static constexpr std::uint64_t kItemWord = kItemLength == 2 ? 0x202c : 0x2c, kKeyWord = kKeyLength == 2 ? 0x203a : 0x3a;

    // Up to 4 ASCII units known here, behind each of which there is room for 4.
    template <std::size_t length, std::uint64_t word>
    static OCIOR_INLINE Unit* put_fixed(Unit* at) noexcept {
        if constexpr (sizeof(Unit) == 4 || length == 1) {
            for (std::size_t i = 0; i < length; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
        } else if constexpr (sizeof(Unit) == 2) {
            store(at, (word & 0xff) | (word & 0xff00) << 8 | (word & 0xff0000) << 16);
        } else if constexpr (length == 2) {
            store(at, static_cast<std::uint16_t>(word));
        } else {
            store(at, static_cast<std::uint32_t>(word));
        }
        return at + length;
    }
    OCIOR_INLINE Unit* put_item_separator(Unit* at) noexcept {
        if constexpr (kFixed) return put_fixed<kItemLength, kItemWord>(at);
        else return put_separator(at, options_.item);
    }
    OCIOR_INLINE Unit* put_key_separator(Unit* at) noexcept {
        if constexpr (kFixed) return put_fixed<kKeyLength, kKeyWord>(at);
        else return put_separator(at, options_.key);
    }
    // The quote that ends a string, and what follows.
    template <bool kIsKey>
    OCIOR_INLINE Unit* put_string_end(Unit* at) noexcept {
        if constexpr (kFixed) return put_fixed<1 + (kIsKey ? kKeyLength : kItemLength), (kIsKey ? kKeyWord : kItemWord) << 8 | '"'>(at);
        at = put(at, '"');
        return kIsKey ? put_key_separator(at) : put_item_separator(at);
    }
    OCIOR_INLINE std::size_t item_separator_length() const noexcept { return kFixed ? kItemLength : options_.item.length; }

    OCIOR_INLINE Unit* put_separator(Unit* at, const Separator& separator) noexcept {
        return OCIOR_LIKELY(!separator.data) ? put_word(at, separator.word, separator.length) : put_long_separator(at, separator);
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
        if constexpr (!kHasLines) return at;
        if (spacing == Spacing::kAny && !options_.pretty) return at;
        if (spacing == Spacing::kAny && OCIOR_UNLIKELY(options_.indent.text.data != nullptr)) return put_text_line(at, options_.indent.text);
        const std::size_t n = call_.level * options_.indent.count;
        if (OCIOR_UNLIKELY(n > kShortLine || spacing == Spacing::kAny)) return put_long_line(at);
        return put_short_line(at, simd::Vec<Unit>::splat(options_.indent.fill), n);
    }

    OCIOR_NOINLINE Unit* put_long_line(Unit* at) noexcept {
        const Indent& indent = options_.indent;
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
    // (Tried and lost: the texts of keys that come again, ready to be copied, found by the key's address. Looking them up costs what
    // one test and one store of a short string do.)
    template <bool kIsKey>
    OCIOR_INLINE Unit* put_string(Unit* at, PyObject* str) noexcept;
    OCIOR_INLINE Unit* put_key(Unit* at, PyObject* str) noexcept { return put_string<true>(at, str); }
    template <bool kIsKey>
    OCIOR_NOINLINE Unit* put_long_string(Unit* at, PyObject* str) noexcept;
    OCIOR_INLINE Unit* put_ascii_string(Unit* at, PyObject* str, std::size_t n) noexcept;
    OCIOR_NOINLINE Unit* put_any_string(Unit* at, PyObject* str, bool is_value) noexcept;
    Unit* put_any_key(Unit* at, PyObject* str) noexcept {
        at = put_any_string(at, str, false);
        return at ? put_key_separator(at) : nullptr;
    }
    OCIOR_INLINE Unit* put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept;
    OCIOR_NOINLINE Unit* put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept;
    OCIOR_NOINLINE Unit* put_text_piece(Unit* at, Frame& frame) noexcept;
    template <typename CopyPlain, typename Copy>
    OCIOR_INLINE Unit* put_in_chunks(Unit* at, std::size_t n, std::size_t factor, CopyPlain copy_plain, Copy copy) noexcept;
    OCIOR_INLINE Unit* put_short_units(Unit* at, PyObject* str) noexcept;
    OCIOR_NOINLINE Unit* put_big_int(Unit* at, PyObject* value) noexcept;
    OCIOR_INLINE Unit* put_float(Unit* at, PyObject* value) noexcept;

    OCIOR_INLINE Unit* put_float_item(Unit* at, PyObject* value) noexcept {
        at = put_float(at, value);
        return OCIOR_LIKELY(at != nullptr) ? put_item_separator(at) : nullptr;
    }
    template <typename Run>
    OCIOR_INLINE Unit* put_float_items(Unit* at, PyObject* value, Run& run) noexcept;
    template <typename Run>
    OCIOR_INLINE Unit* put_points(Unit* at, Run& run) noexcept;
    Between between_items() const noexcept {
        if constexpr (!kHasLines) return {kItemWord, kItemLength, 0, 0, 0};
        return {kItemWord, kItemLength, options_.indent.fill, call_.level * options_.indent.count, options_.indent.count};
    }
    OCIOR_NOINLINE NumberRun put_point_run(std::uint8_t* at, PyObject* const* first, PyObject* const* end) noexcept
        requires(sizeof(Unit) == 1);
    OCIOR_NOINLINE NumberRun put_long_float_run(std::uint8_t* at, PyObject* const* first, PyObject* const* end) noexcept
        requires(sizeof(Unit) == 1);

    template <typename PutFloats, typename AfterConstant>
    OCIOR_INLINE Unit* put_item(Unit* at, PyObject* value, bool& scalar, PutFloats put_floats, AfterConstant after_constant) noexcept;
    OCIOR_INLINE Unit* put_item(Unit* at, PyObject* value, bool& scalar) noexcept {
        return put_item(at, value, scalar, [this](Unit* to, PyObject* number) OCIOR_INLINE_LAMBDA { return put_float_item(to, number); }, [](Unit* end) { return end; });
    }
    template <typename Run>
    OCIOR_INLINE Unit* put_constants(Unit* at, Run& run) noexcept;
    // An empty list, tuple or dict of exactly that type; null for anything else. (Tried and lost: as a part of put_item, so that the loops over
    // lists and dicts need not ask behind it. They become 2 to 3 % slower.)
    OCIOR_INLINE Unit* put_if_empty(Unit* at, PyObject* value) noexcept {
        PyTypeObject* const type = Py_TYPE(value);
        const bool is_dict = type == &PyDict_Type;
        if (is_dict ? PyDict_GET_SIZE(value) != 0 : (type != &PyList_Type && type != &PyTuple_Type) || Py_SIZE(value) != 0) return nullptr;
        return put_word(at, is_dict ? '{' | '}' << 8 : '[' | ']' << 8, 2);
    }
    OCIOR_NOINLINE Unit* put_any_int(Unit* at, PyObject* value) noexcept {
        std::int64_t number;
        return int64_value(value, number) ? num::write_i64(at, number) : put_big_int(at, value);
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <CodeUnit Src>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_escaped(Unit* at, PyObject* str, const Src* units, std::size_t n) noexcept {
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

// A quoted string of `n` source units, each of which becomes up to `factor` units; `copy(at, first, count)` writes a part. As much of what
// follows as becomes one unit each is written first by `copy_plain(at, first, count)`, which says how much that was.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename CopyPlain, typename Copy>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_in_chunks(Unit* at, std::size_t n, std::size_t factor, CopyPlain copy_plain, Copy copy) noexcept {
    if (OCIOR_LIKELY(n <= kOneChunk)) {
        at = ensure(at, n * factor + 2 + kItemRoom);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        at = copy(put(at, '"'), 0, n);
        return OCIOR_LIKELY(at != nullptr) ? put(at, '"') : nullptr;
    }
    at = put(at, '"');
    for (std::size_t done = 0; done < n;) {
        at = ensure(at, n - done + kItemRoom);
        if (!at) return nullptr;
        const std::size_t plain = copy_plain(at, done, n - done);
        at += plain;
        done += plain;
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_any_string(Unit* at, PyObject* str, bool is_value) noexcept {
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
            return put_in_chunks(at, byte_len, 6, [&](Unit* to, std::size_t first, std::size_t n) { return text::copy_plain_run(to, utf8 + first, n); },
                                 [&](Unit* to, std::size_t first, std::size_t n) { return text::copy_escaped(to, utf8 + first, n); });
    }
    return put_units_of(at, str, view);
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept {
    const auto put_units = [&]<CodeUnit Src>(const Src* units) {
        const auto copy_plain = [&](Unit* to, std::size_t first, std::size_t n) -> std::size_t {
            if constexpr (mode == Mode::kText) return text::copy_plain_run(to, units + first, n);
            else return 0;
        };
        return put_in_chunks(at, view.length, expansion(mode, sizeof(Src)), copy_plain,
                             [&](Unit* to, std::size_t first, std::size_t n) { return put_escaped(to, str, units + first, n); });
    };
    return with_units(view, put_units);
}

// The same, and the UTF-8 form stays in the string: what was written, unless something in it had to be escaped.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept {
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_text_piece(Unit* at, Frame& frame) noexcept {
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_ascii_string(Unit* at, PyObject* str, std::size_t n) noexcept {
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    at = put(at, '"');
    if constexpr (mode == Mode::kUtf8) at = text::copy_escaped(at, ascii_data(str), n);
    else at = put_escaped(at, str, ascii_data(str), n);
    return put(at, '"');
}

// Every string that is not short and plain.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_long_string(Unit* at, PyObject* str) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (OCIOR_LIKELY(is_compact_ascii(str) && n - simd::ShortText::kLanes - 1 < simd::ShortText::kLanes)) {
        // Two short ones that overlap; kItemRoom takes them.
        const std::size_t second = n - simd::ShortText::kLanes;
        const bool is_plain = copy_short<mode>(at + 1, ascii_data(str), simd::ShortText::kLanes) != nullptr &&
                              copy_short<mode>(at + 1 + second, ascii_data(str) + second, simd::ShortText::kLanes) != nullptr;
        if (OCIOR_LIKELY(is_plain)) return put_string_end<kIsKey>(put(at, '"') + n);
    }
    at = is_compact_ascii(str) && n <= kChunk ? put_ascii_string(at, str, n) : put_any_string(at, str, !kIsKey);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    return kIsKey ? put_key_separator(at) : put_item_separator(at);
}

// A short string that is not ASCII, has nothing to escape and is most quickly written so: up to its last unit. In text one whose units
// are as wide as the output's, in UTF-8 one all of whose characters take three bytes. Null for any other.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_short_units(Unit* at, PyObject* str) noexcept {
    using Src = std::conditional_t<mode == Mode::kUtf8, std::uint16_t, Unit>;
    using V = simd::Vec<Src>;
    if constexpr (mode == Mode::kAscii) return nullptr;
    const auto& state = reinterpret_cast<PyASCIIObject*>(str)->state;
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (OCIOR_UNLIKELY(!state.compact || state.ascii || state.kind != sizeof(Src) || n > V::kLanes)) return nullptr;
    const auto* units = reinterpret_cast<const Src*>(reinterpret_cast<PyCompactUnicodeObject*>(str) + 1);
    Unit* end = at + 1 + n;
    if constexpr (mode == Mode::kUtf8) {
        if (OCIOR_UNLIKELY(options_.write_cache)) return nullptr;
        end = text::copy_three_byte_utf8(at + 1, units, n);
        if (OCIOR_UNLIKELY(!end)) return nullptr;
    } else if constexpr (sizeof(Unit) == 1) {
        if (OCIOR_UNLIKELY(!copy_short<mode>(at + 1, units, n))) return nullptr;
        call_.output.note_latin1();
    } else {
        if (OCIOR_UNLIKELY(!text::copy_plain_units(at + 1, units, n))) return nullptr;
    }
    put(at, '"');
    return end;
}

// A string, and the separator behind a key or an item.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_string(Unit* at, PyObject* str) noexcept {
    Unit* end = nullptr;
    if (OCIOR_UNLIKELY(!is_compact_ascii(str))) {
        end = put_short_units(at, str);
        if (OCIOR_LIKELY(end != nullptr)) return put_string_end<kIsKey>(end);
        return put_long_string<kIsKey>(at, str);
    }
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    // No look at the room left: kItemRoom takes two of these and what stands between them.
    if (OCIOR_LIKELY(n <= simd::ShortText::kLanes)) end = copy_short<mode>(at + 1, ascii_data(str), n);
    if (OCIOR_UNLIKELY(!end)) return put_long_string<kIsKey>(at, str);
    put(at, '"');
    return put_string_end<kIsKey>(end);
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_big_int(Unit* at, PyObject* value) noexcept {
    const Owned hold = Owned::borrow(value);
    call_.pin();
    Owned text = Owned::steal(PyLong_Type.tp_repr(value));
    if (!text) return nullptr;
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(text.get()));
    at = ensure(at, n + kItemRoom);
    return at ? put_ascii(at, PyUnicode_1BYTE_DATA(text.get()), n) : nullptr;
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_float(Unit* at, PyObject* value) noexcept {
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

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE NumberRun Writer<mode, Unit, spacing>::put_long_float_run(std::uint8_t* at, PyObject* const* first, PyObject* const* end) noexcept
    requires(sizeof(Unit) == 1)
{
    const Between between = between_items();
    if (OCIOR_UNLIKELY(between.fill_count > kShortLine)) return {at, first};
    return write_floats<kHasLines>(at, item_limit_, first, end, between);
}

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE NumberRun Writer<mode, Unit, spacing>::put_point_run(std::uint8_t* at, PyObject* const* first, PyObject* const* end) noexcept
    requires(sizeof(Unit) == 1)
{
    const Between between = between_items();
    if (OCIOR_UNLIKELY(between.fill_count + between.fill_step > kShortLine)) return {at, first};
    return write_points<kHasLines>(at, item_limit_, first, end, between);
}

// The float that `run` gave last, and those that follow it.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_float_items(Unit* at, PyObject* value, Run& run) noexcept {
    if constexpr (kFixed && sizeof(Unit) == 1 && layout::kHasGil) {
        // Short lists are slower that way, as are zeros (and the loop, if it knows of them), and floats between others.
        PyObject* const* const first = run.last();
        const auto is_worth = [](PyObject* item) { return PyFloat_CheckExact(item) && PyFloat_AS_DOUBLE(item) != 0; };
        if (OCIOR_UNLIKELY(run.end() - first >= kWorthARun) && is_worth(value) && is_worth(first[1])) {
            const NumberRun written = put_long_float_run(at, first, run.end());
            if (OCIOR_LIKELY(written.next != first)) {
                run.go_on_at(written.next);
                return written.at;
            }
        }
    }
    run.prefetch_items();
    return put_float_item(at, value);
}

// The list that `run` gave last, and those that follow it, while they are points. Null where they are none.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_points(Unit* at, Run& run) noexcept {
    if constexpr (kFixed && sizeof(Unit) == 1 && layout::kHasGil) {
        PyObject* const* const first = run.last();
        if (run.end() - first >= 2 && is_point(first[0]) && is_point(first[1])) {
            const NumberRun written = put_point_run(at, first, run.end());
            if (OCIOR_LIKELY(written.next != first)) {
                run.go_on_at(written.next);
                return written.at;
            }
        }
    }
    return nullptr;
}

// The items that follow while they are true, false or null, without a look at their types.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename Run>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_constants(Unit* at, Run& run) noexcept {
    if constexpr (kFixed && layout::kHasGil) {
        const Literals& literals = call_.constants.literals;
        while (has_item_room(at)) {
            // Which of the three comes next may be as good as random: no branch depends on it.
            PyObject* const value = run.peek();
            const Literals::Literal& literal = literals.candidate(value);
            if (literal.object != value) break;
            if constexpr (kHasLines) {
                at = put_line(at);
                if (OCIOR_UNLIKELY(!at)) return nullptr;
            }
            at = put_word(at, literal.text[kItemLength - 1], literal.length + kItemLength);
            run.skip();
        }
    }
    return at;
}

// A string, int, float, true, false or null of exactly that type, and a separator; `scalar` says whether the value was one. An int of
// more than two digits counts as none: its conversion may look for signals, whose handlers are Python code. `put_floats` writes a float and
// a separator, and may write on behind them; so may `after_constant` behind true, false or null.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename PutFloats, typename AfterConstant>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_item(Unit* at, PyObject* value, bool& scalar, PutFloats put_floats,
                                                         AfterConstant after_constant) noexcept {
    PyTypeObject* const type = Py_TYPE(value);
    scalar = true;
    if (type == &PyUnicode_Type) return put_string<false>(at, value);
    if (type == &PyLong_Type) {
        SmallInt number;
        if (OCIOR_LIKELY(read_small_int(value, number))) {
            put(at, '-');
            return put_item_separator(num::write_u64(at + number.is_negative, number.magnitude));
        }
        scalar = false;
        return at;
    }
    if (type == &PyFloat_Type) return put_floats(at, value);
    if (value == Py_None || type == &PyBool_Type) {
        std::uint64_t word = value == Py_True ? kTrueText : kNullText;
        word = value == Py_False ? kFalseText : word;
        const std::size_t length = 4 + (value == Py_False);
        if constexpr (!kFixed) return put_item_separator(put_word(at, word, length));
        return after_constant(put_word(at, word | kItemWord << (8 * length), length + kItemLength));
    }
    scalar = false;
    return at;
}

}  // namespace ocior::encode
