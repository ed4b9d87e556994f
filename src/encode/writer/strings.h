// The strings of writer.h: quotes, escapes, the separator behind them.
#pragma once

#include "encode/writer/writer.h"

namespace ocior::encode {

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

// As many units of the start of a long string as become one unit each, and are quickly found to do so. Returns their number.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <CodeUnit Src>
OCIOR_INLINE std::size_t Writer<mode, Unit, spacing>::copy_plain_run(Unit* at, const Src* units, std::size_t n) noexcept {
    constexpr bool kAscii = mode == Mode::kAscii;
    if constexpr (mode == Mode::kText || (kAscii && sizeof(Src) == 1 && sizeof(Unit) == 1))
        return text::copy_plain_run<kAscii>(at, units, n);
    else return 0;
}

// A quoted string of `n` source units, each of which becomes up to `factor` units; `copy(at, first, count)` writes a part. As much of what
// follows as becomes one unit each is written first by `copy_plain(at, first, count)`, which says how much that was.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <typename CopyPlain, typename Copy>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_in_chunks(Unit* at, std::size_t n, std::size_t factor, CopyPlain copy_plain,
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_any_string(Unit* at, PyObject* str, bool is_value) noexcept {
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

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_any_units(Unit* at, PyObject* str, bool is_value) noexcept {
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

template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_units_of(Unit* at, PyObject* str, const StrView& view) noexcept {
    const auto put_units = [&]<CodeUnit Src>(const Src* units) {
        const auto copy_plain = [&](Unit* to, std::size_t first, std::size_t n) { return copy_plain_run(to, units + first, n); };
        return put_in_chunks(at, view.length, expansion(mode, sizeof(Src)), copy_plain,
                             [&](Unit* to, std::size_t first, std::size_t n) { return put_escaped(to, str, units + first, n); });
    };
    return with_units(view, put_units);
}

// Writes a string as put_units_of() does, and keeps its UTF-8 form in it: what was written, unless something had to be escaped.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_and_keep_utf8(Unit* at, PyObject* str, const StrView& view) noexcept {
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_text_piece(Unit* at, Frame& frame) noexcept {
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
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_ascii_string(Unit* at, PyObject* str, std::size_t n) noexcept {
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    at = put(at, '"');
    if constexpr (mode == Mode::kUtf8) at = text::copy_escaped(at, ascii_data(str), n);
    else at = put_escaped(at, str, ascii_data(str), n);
    return put(at, '"');
}

// ASCII that is not short and plain. What is plain, and not long, is written here, without a register that has to be saved for the caller;
// all else in functions of its own.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_long_ascii(Unit* at, PyObject* str) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if constexpr (kHasPlainKernel) {
        static_assert(kOneChunk <= text::kMostPlain);
        if (OCIOR_LIKELY(n - text::kPlainHead - 1 < kOneChunk - text::kPlainHead && has_room(at, n + 2 + kItemRoom))) {
            const std::size_t plain = text::copy_some_plain<mode == Mode::kAscii>(at + 1, ascii_data(str), n);
            if (OCIOR_UNLIKELY(plain != n)) return put_rest_of_ascii<kIsKey>(at, str, plain);
            return put_string_end<kIsKey>(put(at, '"') + n);
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
            if (!end) return put_marked_ascii<kIsKey>(at, str, marks);
        }
    }
    if (OCIOR_UNLIKELY(!end)) return put_any_ascii<kIsKey>(at, str);
    put(at, '"');
    return put_string_end<kIsKey>(end);
}

// ASCII of which the first `plain` units have been copied, without an opening quote, and escapes follow.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_rest_of_ascii(Unit* at, PyObject* str, std::size_t plain) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    put(at, '"');
    const std::uint8_t* const rest = ascii_data(str) + plain;
    if constexpr (mode == Mode::kAscii) at = text::copy_escaped_ascii(at + 1 + plain, rest, n - plain);
    else at = text::copy_with_escapes(at + 1 + plain, rest, n - plain);
    return put_string_end<kIsKey>(at);
}

// ASCII of no more than a vector, which has `marks`.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_marked_ascii(Unit* at, PyObject* str, text::Marks marks) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    return put_string_end<kIsKey>(text::copy_marked(put(at, '"'), ascii_data(str), n, marks));
}

// ASCII of any length.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_any_ascii(Unit* at, PyObject* str) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (mode != Mode::kAscii && n <= kOneChunk) {
        at = ensure(at, 6 * n + 2 + kItemRoom);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        return put_string_end<kIsKey>(text::copy_few_escaped(put(at, '"'), ascii_data(str), n, n > simd::kVecBytes));
    }
    at = n <= kChunk ? put_ascii_string(at, str, n) : put_any_string(at, str, !kIsKey);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    return kIsKey ? put_key_separator(at) : put_item_separator(at);
}

// Text in the output's own units that is not ASCII, and not short and plain. Others go on in a function of their own: what that wants to
// have ready would be felt here.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_own_units(Unit* at, PyObject* str) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if (OCIOR_UNLIKELY(!has_compact_units<Unit>(str) || n > kOneChunk)) return put_long_units<kIsKey>(at, str);
    if (sizeof(Unit) == 1) call_.output.note_latin1();
    at = ensure(at, 6 * n + 2 + kItemRoom);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    const auto* const units = static_cast<const Unit*>(wide_data(str));
    return put_string_end<kIsKey>(text::copy_few_escaped(put(at, '"'), units, n));
}

// Writes a string that put_own_units() leaves to it: of any units and any length.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_NOINLINE Unit* Writer<mode, Unit, spacing>::put_long_units(Unit* at, PyObject* str) noexcept {
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    if constexpr (mode == Mode::kUtf8) {
        if (has_wide_header(str) && n <= text::kShortUtf8 && !options_.write_cache) {
            const StrView view = {wide_data(str), n, unit_width(str), false};
            Unit* const end =
                with_units(view, [&](const auto* units) OCIOR_INLINE_LAMBDA { return text::copy_short_utf8(at + 1, units, n); });
            if (OCIOR_LIKELY(end != nullptr)) {
                put(at, '"');
                return put_string_end<kIsKey>(end);
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
            return OCIOR_LIKELY(at != nullptr) ? put_string_end<kIsKey>(at) : nullptr;
        }
    }
    at = put_any_string(at, str, !kIsKey);
    if (OCIOR_UNLIKELY(!at)) return nullptr;
    return kIsKey ? put_key_separator(at) : put_item_separator(at);
}

// A short string that is not ASCII, has nothing to escape and is most quickly written so: up to its last unit. In text one whose units
// are no wider than the output's, in UTF-8 one all of whose characters take three bytes, or two. Null for any other.
template <Mode mode, CodeUnit Unit, Spacing spacing>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_short_units(Unit* at, PyObject* str) noexcept {
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

// A string, and the separator behind a key or an item.
template <Mode mode, CodeUnit Unit, Spacing spacing>
template <bool kIsKey>
OCIOR_INLINE Unit* Writer<mode, Unit, spacing>::put_string(Unit* at, PyObject* str) noexcept {
    Unit* end = nullptr;
    if (escapes_strings() || (checks_strings() && !is_compact_ascii(str))) {
        at = put_any_string(at, str, !kIsKey);
        if (OCIOR_UNLIKELY(!at)) return nullptr;
        return kIsKey ? put_key_separator(at) : put_item_separator(at);
    }
    if (OCIOR_UNLIKELY(!is_compact_ascii(str))) {
        end = put_short_units(at, str);
        if (OCIOR_LIKELY(end != nullptr)) return put_string_end<kIsKey>(end);
        return mode == Mode::kText ? put_own_units<kIsKey>(at, str) : put_long_units<kIsKey>(at, str);
    }
    const auto n = static_cast<std::size_t>(PyUnicode_GET_LENGTH(str));
    // No look at the room left: kItemRoom takes two of these and what stands between them.
    if (OCIOR_LIKELY(n <= simd::ShortText::kLanes)) end = copy_short<mode>(at + 1, ascii_data(str), n);
    if (OCIOR_UNLIKELY(!end)) return put_long_ascii<kIsKey>(at, str);
    put(at, '"');
    return put_string_end<kIsKey>(end);
}

}  // namespace ocior::encode
