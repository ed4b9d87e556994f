// Writes strings into the output block: quotes and escapes. What stands between values is not known here, so that this code is there
// once for each kind of output. So are the functions of scalars.h.
#pragma once

#include <algorithm>

#include "encode/arrays/number_run.h"
#include "encode/line.h"
#include "encode/walk/call.h"
#include "num/write.h"

namespace ocior::encode {

// The write position travels by value and comes back from every function; null means that the walk stops: an error is set, or
// Call::stop says why.
template <Mode mode, CodeUnit Unit>
class TextWriter {
public:
    // `asks_about_strings`: whether the options may want more of a string than its escapes, which is looked at for each.
    TextWriter(Call& call, bool asks_about_strings) noexcept
        : call_(call), options_(call.options), asks_about_strings_(asks_about_strings) {
        learn_block();
        item_ = base_;
    }

    static constexpr bool kMayWiden = mode == Mode::kText && sizeof(Unit) < 4;
    // Kept free in front of every item, and behind every string that was not short: a short key, a short string or the longest
    // number, quotes, brackets, separators.
    static constexpr std::size_t kItemRoom = 320;
    static constexpr std::size_t kWideLanes = simd::Vec<std::uint16_t>::kLanes;
    static_assert(kItemRoom >= 1 + kShortLine +
                                   2 * (std::max(2 * simd::ShortText::kLanes, (mode == Mode::kUtf8 ? 3 : 1) * kWideLanes) + 2) + 64 +
                                   3 * 8);
    static_assert(kItemRoom >= kPointRoom && kItemRoom >= kRunRoom);
    static_assert(simd::ShortText::kLanes >= num::kMaxFloat64Len - 8);
    // Whether ASCII of some vectors has a kernel of its own: text::copy_some_plain.
    static constexpr bool kHasPlainKernel = sizeof(Unit) == 1;
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
    Unit* item() const noexcept { return item_; }
    std::size_t item_offset() const noexcept { return offset(item_); }
    OCIOR_INLINE std::size_t offset(const Unit* at) const noexcept { return static_cast<std::size_t>(at - base_); }

    OCIOR_INLINE bool has_room(const Unit* at, std::size_t units) const noexcept { return static_cast<std::size_t>(limit_ - at) >= units; }
    OCIOR_INLINE Unit* ensure(Unit* at, std::size_t units) noexcept { return OCIOR_LIKELY(has_room(at, units)) ? at : grow(at, units); }

    // Whether there is room for an item, where a full piece may be handed over instead of growing the block.
    OCIOR_INLINE bool has_item_room(const Unit* at) const noexcept { return OCIOR_LIKELY(at <= item_limit_); }

    OCIOR_NOINLINE Unit* grow(Unit* at, std::size_t units) noexcept {
        const std::size_t used = offset(at);
        const std::size_t item = item_offset();
        call_.pin_for_memory_error();
        if (!call_.output.grow(used, units)) return nullptr;
        learn_block();
        item_ = base_ + item;
        return base_ + used;
    }

    // Puts the extra escapes that the call wants into what has been written from `first` on.
    OCIOR_NOINLINE Unit* put_extra_escapes(Unit* at, std::size_t first) noexcept {
        std::size_t used = offset(at);
        const std::size_t item = item_offset();
        call_.pin_for_memory_error();
        if (!call_.output.put_extra_escapes(first, used, extra_escapes_of(call_.rich))) return nullptr;
        learn_block();
        item_ = base_ + item;
        return ensure(base_ + used, kItemRoom);
    }
    // Whether strings get their extra escapes one by one: where the text between values may hold such characters, too.
    OCIOR_INLINE bool escapes_strings() const noexcept { return asks_about_strings_ && (call_.rich & kExtraEscapes) != 0; }
    // Whether their surrogates are looked for.
    OCIOR_INLINE bool checks_strings() const noexcept { return asks_about_strings_ && options_.surrogates != Surrogates::kKeep; }

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

    // `put` of the units of a string, which in text output are no wider than the output's.
    template <typename Put>
    static OCIOR_INLINE Unit* with_units(const StrView& view, Put put) noexcept {
        if (view.width == 1) return put(static_cast<const std::uint8_t*>(view.data));
        if constexpr (mode != Mode::kText || sizeof(Unit) >= 2)
            if (view.width == 2) return put(static_cast<const std::uint16_t*>(view.data));
        if constexpr (mode != Mode::kText || sizeof(Unit) == 4) return put(static_cast<const std::uint32_t*>(view.data));
        else return nullptr;
    }

    // These write a string up to its closing quote, which is not there yet.
    OCIOR_NOINLINE Unit* put_long_ascii(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_NOINLINE Unit* put_rest_of_ascii(Unit* at, PyObject* str, std::size_t plain) noexcept;
    OCIOR_NOINLINE Unit* put_marked_ascii(Unit* at, PyObject* str, text::Marks marks) noexcept;
    OCIOR_NOINLINE Unit* put_any_ascii(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_NOINLINE Unit* put_own_units(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_NOINLINE Unit* put_long_units(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_INLINE Unit* put_short_units(Unit* at, PyObject* str) noexcept;
    // And these all of it.
    template <CodeUnit Src>
    OCIOR_INLINE Unit* put_escaped(Unit* at, PyObject* str, const Src* units, std::size_t n) noexcept;
    template <CodeUnit Src>
    static OCIOR_INLINE std::size_t copy_plain_run(Unit* at, const Src* units, std::size_t n) noexcept;
    OCIOR_INLINE Unit* put_ascii_string(Unit* at, PyObject* str, std::size_t n) noexcept;
    OCIOR_NOINLINE Unit* put_any_string(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_INLINE Unit* put_any_units(Unit* at, PyObject* str, bool is_value) noexcept;
    OCIOR_INLINE Unit* put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept;
    OCIOR_NOINLINE Unit* put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept;
    OCIOR_NOINLINE Unit* put_text_piece(Unit* at, Frame& frame) noexcept;
    // And these, which are in scalars.h, other values.
    OCIOR_NOINLINE Unit* put_long_int(Unit* at, PyObject* value) noexcept;
    OCIOR_INLINE Unit* put_scalar(Unit* at, const Plan& plan, PyObject* value) noexcept;
    OCIOR_NOINLINE Unit* put_text_scalar(Unit* at, const Plan& plan, PyObject* value) noexcept;
    OCIOR_NOINLINE Unit* put_scalar_text(Unit* at, const std::uint8_t* text, const std::uint8_t* end) noexcept;
    OCIOR_NOINLINE Unit* put_json(Unit* at, const Plan& plan, PyObject* value) noexcept;
    OCIOR_NOINLINE Unit* put_element_alone(Unit* at, ArrayView& view, NumberWindow& window) noexcept;
    OCIOR_NOINLINE Unit* put_non_finite(Unit* at, double value) noexcept;
    template <typename Type>
    OCIOR_NOINLINE Unit* put_big_integer(Unit* at, Type value) noexcept;

    template <typename CopyPlain, typename Copy>
    OCIOR_INLINE Unit* put_in_chunks(Unit* at, std::size_t n, std::size_t factor, CopyPlain copy_plain, Copy copy) noexcept;

protected:
    Call& call_;
    const Options& options_;
    Unit* base_;
    Unit* limit_;
    Unit* item_limit_;  // how far an item may start
    Unit* item_;

private:
    const bool asks_about_strings_;
};

// The units of a string, escaped. Null for a lone surrogate where UTF-8 is asked for.
template <Mode mode, CodeUnit Unit>
template <CodeUnit Src>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_escaped(Unit* at, PyObject* str, const Src* units, std::size_t n) noexcept {
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

// As many units of the start of a long string as become one unit each, and are quickly found to do so. Returns their number.
template <Mode mode, CodeUnit Unit>
template <CodeUnit Src>
OCIOR_INLINE std::size_t TextWriter<mode, Unit>::copy_plain_run(Unit* at, const Src* units, std::size_t n) noexcept {
    constexpr bool kAscii = mode == Mode::kAscii;
    if constexpr (mode == Mode::kText || (kAscii && sizeof(Src) == 1 && sizeof(Unit) == 1))
        return text::copy_plain_run<kAscii>(at, units, n);
    else return 0;
}

// A quoted string of `n` source units, each of which becomes up to `factor` units; `copy(at, first, count)` writes a part. As much of what
// follows as becomes one unit each is written first by `copy_plain(at, first, count)`, which says how much that was.
template <Mode mode, CodeUnit Unit>
template <typename CopyPlain, typename Copy>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_in_chunks(Unit* at, std::size_t n, std::size_t factor, CopyPlain copy_plain,
                                                         Copy copy) noexcept {
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
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_any_string(Unit* at, PyObject* str, bool is_value) noexcept {
    const std::size_t first = offset(at);
    Owned checked;
    if (checks_strings()) {
        checked = call_.checked_text(str);
        str = checked.get();
        if (!str) return note_item(at), nullptr;
    }
    at = put_any_units(at, str, is_value);
    return escapes_strings() && at ? put_extra_escapes(at, first) : at;
}

template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_any_units(Unit* at, PyObject* str, bool is_value) noexcept {
    StrView view;
    if (OCIOR_UNLIKELY(!view_of(str, view))) return nullptr;
    if constexpr (mode == Mode::kText) {
        if (view.width > sizeof(Unit)) {
            call_.wanted_width = view.width;
            call_.stop = Stop::kWiden;
            return nullptr;
        }
        if (sizeof(Unit) == 1 && !view.is_ascii) call_.output.note_latin1();
    }
    if (options_.in_pieces && is_value && view.length > kTextPiece) {
        note_item(at);
        call_.stop = Stop::kText;
        return nullptr;
    }
    if constexpr (mode == Mode::kUtf8) {
        // ASCII only wants escaping, as does the string's own UTF-8 copy. That is in memory of its own, though, and as large or larger but
        // for 4-byte units: with AVX-512 others are written from the units 1.1 to 1.7 times as fast, unless the copy is in the nearest
        // cache. (Tried and lost: the copy of short strings with few units that are not ASCII. They gain up to a third, but all those
        // without a copy lose 1 to 4 %.)
        const std::uint8_t* utf8 = nullptr;
        std::size_t byte_len = view.length;
        if (view.is_ascii) {
            utf8 = static_cast<const std::uint8_t*>(view.data);
        } else {
            utf8 = cached_utf8(str, byte_len);
            if (!utf8 && options_.write_cache && PyUnicode_CheckExact(str)) return put_and_keep_utf8(at, str, view);
            if (view.width < 4 && simd::kVecBytes >= 64) utf8 = nullptr;
        }
        if (utf8)
            return put_in_chunks(
                at, byte_len, 6, [&](Unit* to, std::size_t first, std::size_t n) { return text::copy_plain_run(to, utf8 + first, n); },
                [&](Unit* to, std::size_t first, std::size_t n) { return text::copy_escaped(to, utf8 + first, n); });
    }
    return put_units_of(at, str, view);
}

template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept {
    const auto put_units = [&]<CodeUnit Src>(const Src* units) {
        const auto copy_plain = [&](Unit* to, std::size_t first, std::size_t n) { return copy_plain_run(to, units + first, n); };
        return put_in_chunks(at, view.length, expansion(mode, sizeof(Src)), copy_plain,
                             [&](Unit* to, std::size_t first, std::size_t n) { return put_escaped(to, str, units + first, n); });
    };
    return with_units(view, put_units);
}

// Writes a string as put_units_of() does, and keeps its UTF-8 form in it: what was written, unless something had to be escaped.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept {
    const std::size_t start = offset(at) + 1;
    Unit* const end = put_units_of(at, str, view);
    if (!end) return nullptr;
    const auto* const text = reinterpret_cast<const std::uint8_t*>(base_ + start);
    const std::size_t byte_len = offset(end) - 1 - start;
    if (call_.constants.tricks.utf8_forms && PyUnicode_IS_COMPACT(str) && !std::memchr(text, '\\', byte_len))
        plant_utf8(str, text, byte_len);
    else call_.keep_utf8(str);
    return end;
}

// The next units of a long string in a frame of its own; there is room for them.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_text_piece(Unit* at, Frame& frame) noexcept {
    PyObject* const str = frame.iterated;
    StrView view;
    if (OCIOR_UNLIKELY(!view_of(str, view))) return nullptr;
    const auto first = static_cast<std::size_t>(frame.position);
    const std::size_t n = view.length - first < kTextPiece ? view.length - first : kTextPiece;
    note_item(at);
    frame.position += static_cast<Py_ssize_t>(n);
    const std::size_t start = offset(at);
    at = with_units(view, [&]<CodeUnit Src>(const Src* units) { return put_escaped(at, str, units + first, n); });
    return escapes_strings() && at ? put_extra_escapes(at, start) : at;
}

// ASCII in one piece: longer than a short text, or with escapes.
template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_ascii_string(Unit* at, PyObject* str, std::size_t n) noexcept {
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    at = put(at, '"');
    if constexpr (mode == Mode::kUtf8) at = text::copy_escaped(at, ascii_data(str), n);
    else at = put_escaped(at, str, ascii_data(str), n);
    return put(at, '"');
}

// ASCII that is not short and plain. What is plain, and not long, is written here, without a register that has to be saved for the caller;
// all else in functions of its own.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_long_ascii(Unit* at, PyObject* str, bool is_value) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if constexpr (kHasPlainKernel) {
        static_assert(kOneChunk <= text::kMostPlain);
        if (OCIOR_LIKELY(n - text::kPlainHead - 1 < kOneChunk - text::kPlainHead && has_room(at, n + 2 + kItemRoom))) {
            const std::size_t plain = text::copy_some_plain<mode == Mode::kAscii>(at + 1, ascii_data(str), n);
            if (OCIOR_UNLIKELY(plain != n)) return put_rest_of_ascii(at, str, plain);
            return put(at, '"') + n;
        }
    }
    // kItemRoom takes two short ones.
    constexpr std::size_t kShort = simd::ShortText::kLanes, kTwoShort = kHasPlainKernel ? text::kPlainHead : 2 * kShort;
    Unit* end = nullptr;
    if (OCIOR_LIKELY(n - kShort - 1 < kTwoShort - kShort)) end = copy_two_short<mode>(at + 1, ascii_data(str), n);
    if constexpr (kHasPlainKernel && mode != Mode::kAscii && simd::kVecBytes > kShort) {
        if (!end && n <= simd::kVecBytes && has_room(at, 2 * simd::kVecBytes + 2 + kItemRoom)) {
            text::Marks marks;
            end = text::copy_shortly_escaped(at + 1, ascii_data(str), n, marks);
            if (!end) return put_marked_ascii(at, str, marks);
        }
    }
    if (OCIOR_UNLIKELY(!end)) return put_any_ascii(at, str, is_value);
    put(at, '"');
    return end;
}

// ASCII of which the first `plain` units have been copied, without an opening quote, and escapes follow.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_rest_of_ascii(Unit* at, PyObject* str, std::size_t plain) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    put(at, '"');
    const std::uint8_t* const rest = ascii_data(str) + plain;
    if constexpr (mode == Mode::kAscii) at = text::copy_escaped_ascii(at + 1 + plain, rest, n - plain);
    else at = text::copy_with_escapes(at + 1 + plain, rest, n - plain);
    return at;
}

// ASCII of no more than a vector, which has `marks`.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_marked_ascii(Unit* at, PyObject* str, text::Marks marks) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    return text::copy_marked(put(at, '"'), ascii_data(str), n, marks);
}

// ASCII of any length.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_any_ascii(Unit* at, PyObject* str, bool is_value) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (mode != Mode::kAscii && n <= kOneChunk) {
        at = ensure(at, 6 * n + 2 + kItemRoom);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        return text::copy_few_escaped(put(at, '"'), ascii_data(str), n, n > simd::kVecBytes);
    }
    at = n <= kChunk ? put_ascii_string(at, str, n) : put_any_string(at, str, is_value);
    return OCIOR_LIKELY(at != nullptr) ? at - 1 : nullptr;
}

// Text in the output's own units that is not ASCII, and not short and plain. Others go on in a function of their own: what that wants to
// have ready would be felt here.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_own_units(Unit* at, PyObject* str, bool is_value) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (OCIOR_UNLIKELY(!has_compact_units<Unit>(str) || n > kOneChunk)) return put_long_units(at, str, is_value);
    if (sizeof(Unit) == 1) call_.output.note_latin1();
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    const auto* const units = static_cast<const Unit*>(wide_data(str));
    return text::copy_few_escaped(put(at, '"'), units, n);
}

// Writes a string that put_own_units() leaves to it: of any units and any length.
template <Mode mode, CodeUnit Unit>
OCIOR_NOINLINE Unit* TextWriter<mode, Unit>::put_long_units(Unit* at, PyObject* str, bool is_value) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if constexpr (mode == Mode::kUtf8) {
        if (has_wide_header(str) && n <= text::kShortUtf8 && !options_.write_cache) {
            const StrView view = {wide_data(str), n, unit_width(str), false};
            Unit* const end =
                with_units(view, [&](const auto* units) OCIOR_INLINE_LAMBDA { return text::copy_short_utf8(at + 1, units, n); });
            if (OCIOR_LIKELY(end != nullptr)) {
                put(at, '"');
                return end;
            }
        }
    }
    if constexpr (mode == Mode::kUtf8 || (mode == Mode::kText && sizeof(Unit) > 1)) {
        const unsigned widest = mode == Mode::kText    ? sizeof(Unit) - 1
                                : options_.write_cache ? 0
                                                       : 2;  // of four-byte units there may be UTF-8 to copy
        if (has_wide_header(str) && unit_width(str) <= widest && n <= kOneChunk) {
            at = ensure(at, 6 * n + 2 + kItemRoom);
            if (OCIOR_UNLIKELY(!at)) return nullptr;
            const StrView view = {wide_data(str), n, unit_width(str), false};
            at = with_units(view, [&](const auto* units) OCIOR_INLINE_LAMBDA {
                if constexpr (mode == Mode::kText) return text::copy_few_escaped(put(at, '"'), units, n);
                else return put_escaped(put(at, '"'), str, units, n);
            });
            return at;
        }
    }
    at = put_any_string(at, str, is_value);
    return OCIOR_LIKELY(at != nullptr) ? at - 1 : nullptr;
}

// A short string that is not ASCII, has nothing to escape and is most quickly written so: up to its last unit. In text one whose units
// are no wider than the output's, in UTF-8 one all of whose characters take three bytes, or two. Null for any other.
template <Mode mode, CodeUnit Unit>
OCIOR_INLINE Unit* TextWriter<mode, Unit>::put_short_units(Unit* at, PyObject* str) noexcept {
    if (mode == Mode::kAscii || OCIOR_UNLIKELY(!has_wide_header(str))) return nullptr;
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    const void* const data = wide_data(str);
    const auto copy_units = [&]<CodeUnit Src>(const Src* units) OCIOR_INLINE_LAMBDA {
        return n <= simd::Vec<Src>::kLanes && OCIOR_LIKELY(text::copy_plain_units(at + 1, units, n));
    };
    Unit* end = at + 1 + n;
    bool is_written = false;
    if constexpr (mode == Mode::kUtf8) {
        const auto* const units = static_cast<const std::uint16_t*>(data);
        if (!has_units<std::uint16_t>(str) || n > kWideLanes || OCIOR_UNLIKELY(options_.write_cache)) return nullptr;
        end = text::copy_even_utf8(at + 1, units, n);
        is_written = end != nullptr;
    } else if (has_units<std::uint8_t>(str)) {
        is_written = copy_short<mode>(at + 1, static_cast<const std::uint8_t*>(data), n) != nullptr;
        if constexpr (sizeof(Unit) == 1)
            if (is_written) call_.output.note_latin1();
    } else if (has_units<std::uint16_t>(str)) {
        if constexpr (sizeof(Unit) >= 2) is_written = copy_units(static_cast<const std::uint16_t*>(data));
    } else {
        if constexpr (sizeof(Unit) == 4) is_written = copy_units(static_cast<const std::uint32_t*>(data));
    }
    if (OCIOR_UNLIKELY(!is_written)) return nullptr;
    put(at, '"');
    return end;
}

}  // namespace ocior::encode
