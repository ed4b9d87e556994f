#include "decode/escaped.h"

#include <type_traits>

#include "decode/strings.h"
#include "decode/text_builder.h"

namespace ocior::decode {
namespace {

// The value of a hex digit; negative for anything else, the sentinel among it.
constexpr auto kHexValues = [] {
    struct Table {
        std::int8_t of[256];
    } table{};
    for (int i = 0; i < 256; ++i) table.of[i] = -1;
    for (int i = 0; i < 10; ++i) table.of['0' + i] = static_cast<std::int8_t>(i);
    for (int i = 0; i < 6; ++i) table.of['a' + i] = table.of['A' + i] = static_cast<std::int8_t>(10 + i);
    return table;
}();

// Four hex digits at `p`, or a negative number. All four units are read: they lie within the slack.
template <typename Unit>
OCIOR_INLINE std::int32_t read_hex4(const Unit* p) noexcept {
    std::int32_t digit[4];
    for (int i = 0; i < 4; ++i) {
        digit[i] = kHexValues.of[static_cast<std::uint8_t>(p[i])];
        if constexpr (sizeof(Unit) > 1)
            if (p[i] > 0xff) digit[i] = -1;
    }
    // A negative digit keeps its sign through the shifts.
    return digit[0] * 4096 | digit[1] * 256 | digit[2] * 16 | digit[3];
}

// The escape whose u is at `p`: a code point, a pair of surrogates joined. `next` is behind it. -1 when invalid: `next` is
// the u to blame.
template <CodeUnit Unit>
std::int32_t read_unicode_escape(const Unit* p, const Unit*& next) noexcept {
    next = p;
    const std::int32_t unit = read_hex4(p + 1);
    if (unit < 0) return -1;
    p += 5;
    if ((unit & 0xFC00) == 0xD800 && p[0] == '\\' && p[1] == 'u') {
        const std::int32_t low = read_hex4(p + 2);
        if (low < 0) return next = p + 1, -1;
        if ((low & 0xFC00) == 0xDC00) {
            next = p + 6;
            return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    next = p;
    return unit;
}

// Whether as many escapes of four digits as unescape_hex_run reads may begin at `p`.
[[maybe_unused]] OCIOR_INLINE bool may_begin_run(const std::uint8_t* p) noexcept {
    constexpr std::uint16_t kMark = '\\' | 'u' << 8;
    return load<std::uint16_t>(p) == kMark && load<std::uint16_t>(p + 6 * (simd::kHexRunChars - 1)) == kMark;
}

// Text and escapes, a vector at a time, into a text of Dst units. Stops at what it cannot do. `marked`, as of a block, is only ever set.
// Null when out of memory.
template <simd::Unescape kHow, CodeUnit Dst, CodeUnit Unit>
const Unit* unescape(TextBuilder& text, const Unit* p, bool& marked) noexcept {
    constexpr std::size_t kRoom = 2 * simd::kVecBytes;
    if (!text.reserve(kRoom)) return nullptr;
    Dst* out = text.end<Dst>();
    const Dst* limit = out + text.room() - kRoom;
    for (;;) {
        if (OCIOR_UNLIKELY(out > limit)) {
            text.advance(static_cast<std::size_t>(out - text.end<Dst>()));
            if (!text.reserve(text.length() + kRoom)) return nullptr;
            out = text.end<Dst>();
            limit = out + text.room() - kRoom;
        }
        if constexpr (sizeof(Dst) == 2 && sizeof(Unit) == 1 && simd::kUtf16Escapes) {
            bool surrogates;
            if (may_begin_run(p) && simd::unescape_hex_run(out, p, surrogates)) {
                marked |= surrogates;
                p += 6 * simd::kHexRunChars;
                out += simd::kHexRunChars;
                continue;
            }
        } else if constexpr (sizeof(Dst) == 2) {
            for (; p[0] == '\\' && p[1] == 'u' && (p[6] == '\\' || p[6] == '"') && out <= limit; p += 6) {
                const std::int32_t unit = read_hex4(p + 2);
                if (unit < 0 || text::is_surrogate(static_cast<std::uint32_t>(unit))) break;
                *out++ = static_cast<Dst>(unit);
            }
        } else if constexpr (sizeof(Dst) == 4) {
            if (p[0] == '\\' && p[1] == 'u') {
                const Unit* next;
                const std::int32_t code_point = read_unicode_escape(p + 1, next);
                if (OCIOR_UNLIKELY(code_point < 0)) break;
                *out++ = static_cast<Dst>(code_point);
                p = next;
                continue;
            }
        }
        const simd::Unescaped step = simd::unescape_block<kHow>(out, p);
        p += step.taken;
        out += step.written;
        marked |= step.marked;
        if (step.stopped && (sizeof(Dst) < 4 || p[0] != '\\' || p[1] != 'u')) break;
    }
    text.advance(static_cast<std::size_t>(out - text.end<Dst>()));
    return p;
}

template <typename Source>
OCIOR_INLINE const typename Source::Unit* unescape_units(TextBuilder& text, const typename Source::Unit* p) noexcept {
    using Unit = typename Source::Unit;
    constexpr auto kHow = Source::kUtf8 ? simd::Unescape::kAscii : simd::Unescape::kUnits;
    bool surrogates = false;
    if constexpr (sizeof(Unit) == 1)
        if (text.width() == 1) return unescape<kHow, std::uint8_t>(text, p, surrogates);
    if constexpr (sizeof(Unit) <= 2) {
        if (text.width() == 2) {
            p = unescape<kHow, std::uint16_t>(text, p, surrogates);
            if (surrogates) text.add_pairs();
            return p;
        }
    }
    return unescape<kHow, std::uint32_t>(text, p, surrogates);
}

// Whether the valid escapes and the text in [first, last) end with an escape of four digits.
template <typename Unit>
OCIOR_COLD bool ends_in_unicode_escape(const Unit* first, const Unit* last) noexcept {
    if (last - first < 6 || last[-5] != 'u') return false;
    const Unit* const u = last - 5;
    const Unit* run = u;
    while (run > first && run[-1] == '\\') --run;
    return (u - run) % 2 != 0;
}

// The unit at `p` that is no text for a vector: an escape or a control character. `next` is behind it. A negative number when it is an
// error, which `failure` then tells.
template <typename Source>
OCIOR_INLINE std::int32_t read_special(Call<Source>& call, const typename Source::Unit* opening, const typename Source::Unit* p,
                                       const typename Source::Unit*& next, Read<typename Source::Unit>& failure) noexcept {
    const auto fail = [&](Error error, const typename Source::Unit* at) { return failure = call.fail(error, at), -1; };
    if (*p != '\\') {
        if (p == call.text.last)
            return fail(ends_in_unicode_escape(opening, p) ? Error::kEscapeAtEnd : Error::kUnterminatedString, opening - 1);
        if (call.options.strict) return fail(Error::kControlCharacter, p);
        next = p + 1;
        return static_cast<std::int32_t>(*p);
    }
    if (p + 1 == call.text.last) return fail(Error::kUnterminatedString, opening - 1);
    if (p[1] == 'u') {
        const std::int32_t code_point = read_unicode_escape(p + 1, next);
        if (code_point < 0) return fail(Error::kInvalidUnicodeEscape, next);
        return code_point;
    }
    const std::int32_t meant = p[1] < 0x80 ? simd::kMeanings.of[p[1]] : 0;
    if (meant == 0) return fail(Error::kInvalidEscape, p);
    next = p + 2;
    return meant;
}

// A str of n units. `is_widest` says that one of them needs their width. Null when out of memory.
template <CodeUnit Unit>
PyObject* str_of_units(const Constants& constants, ObjectAllocator& allocator, const Unit* units, std::size_t n, bool is_widest) noexcept {
    if (n == 0) return new_ref(constants.empty_str);
    const std::uint32_t bits = is_widest ? (sizeof(Unit) == 1 ? 0xff : sizeof(Unit) == 2 ? 0xffff : 0x10ffff) : text::or_of(units, n);
    if (n == 1 && bits < 0x100) return new_ref(constants.latin1[units[0]]);
    PyObject* str = new_text(constants, allocator, n, bits);
    if (OCIOR_UNLIKELY(!str)) return nullptr;
    if (bits < 0x100) text::convert(PyUnicode_1BYTE_DATA(str), units, n);
    else if constexpr (sizeof(Unit) > 1) {
        if (bits < 0x10000) text::convert(PyUnicode_2BYTE_DATA(str), units, n);
        else if constexpr (sizeof(Unit) > 2) text::convert(PyUnicode_4BYTE_DATA(str), units, n);
    }
    return str;
}

// The rest from `p` on of a string whose beginning is in `text`, as units; of UTF-8, that is ASCII but for its last unit. `is_widest`: a
// unit needs the width that they begin with.
template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_escaped_units(Call<Source>& call, TextBuilder& text,
                                                              const typename Source::Unit* const opening, const typename Source::Unit* p,
                                                              bool is_widest) noexcept {
    for (;;) {
        p = unescape_units<Source>(text, p);
        if (OCIOR_UNLIKELY(!p)) return call.fail_python(opening);
        if (*p == '"') break;
        if (*p == '\\' || *p < 0x20) {
            Read<typename Source::Unit> failure;
            const std::int32_t code_point = read_special(call, opening, p, p, failure);
            if (code_point < 0) return failure;
            const auto unit = static_cast<std::uint32_t>(code_point);
            if (!(sizeof(*p) == 1 ? text.append_utf16(unit) : text.append(unit))) return call.fail_python(opening);
        } else {
            // Only UTF-8 comes here. Its surrogates, if any, make no pairs: from now on there are code points.
            const auto run = scan_run<Source>(p);
            if (!text.prepare(run.length, run.bits < 0x100 ? run.bits : 0x10000)) return call.fail_python(opening);
            bool valid;
            if (text.width() == 1) valid = write_run<Source>(text.end<std::uint8_t>(), p, run.stop, run.bits);
            else if (text.width() == 2) valid = write_run<Source>(text.end<std::uint16_t>(), p, run.stop, run.bits);
            else valid = write_run<Source>(text.end<std::uint32_t>(), p, run.stop, run.bits);
            if (!valid) return call.fail(Error::kInvalidUtf8, p);
            text.advance(run.length);
            p = run.stop;
        }
    }
    const auto str_of = [&](const auto* units, bool widest) {
        return str_of_units(call.constants, call.context.allocator, units, text.length(), widest);
    };
    PyObject* str = nullptr;
    if (text.has_pairs()) {
        const std::size_t n = text.length();
        const std::uint32_t* const units = text.join_pairs();
        if (units) str = str_of(units, text.length() < n);
    } else if (text.width() == 1) {
        str = str_of(text.data(), is_widest);
    } else if (text.width() == 2) {
        str = str_of(reinterpret_cast<const std::uint16_t*>(text.data()), is_widest || sizeof(*p) == 1);
    } else {
        str = str_of(reinterpret_cast<const std::uint32_t*>(text.data()), is_widest && sizeof(*p) == 4);
    }
    if (OCIOR_UNLIKELY(!str)) return call.fail_python(opening);
    return {str, p + 1};
}

// A string with escapes that ends within a vector, without a detour through memory. Needs simd::kExactStores, Tricks::direct_scalars and
// layout::kMayBuildWideDirect. `next` is null, and nothing has happened, when it is another one.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_short_escaped(Call<Source>& call, const typename Source::Unit* p) noexcept {
    using Unit = typename Source::Unit;
    using Bytes = simd::Vec<std::uint8_t>;
    constexpr bool kBytes = sizeof(Unit) == 1;
    constexpr auto kHow = Source::kUtf8 ? simd::Unescape::kAscii : simd::Unescape::kUnits;
    const Constants& constants = call.constants;
    ObjectAllocator& allocator = call.context.allocator;
    const auto units = simd::Vec<Unit>::load(p);
    const Bytes bytes = simd::narrow_saturated(units);
    const auto special = Source::kUtf8 ? simd::marked_or_wide_lanes(bytes) : simd::marked_lanes(bytes);
    const std::uint64_t lanes = special.lane_bits() & low_bits(simd::Vec<Unit>::kLanes);
    // Without a quote that no backslash precedes it is most likely a longer one.
    const std::uint64_t quotes = simd::eq<std::uint8_t>(bytes, '"').lane_bits();
    const std::uint64_t backslashes = simd::eq<std::uint8_t>(bytes, '\\').lane_bits();
    if ((quotes & ~(backslashes << 1)) == 0) return {nullptr, nullptr};
    const auto r = simd::resolve<kHow, std::conditional_t<kBytes, std::uint16_t, Unit>>(units, bytes, lanes, 0);
    if (p[r.taken] != '"') return {nullptr, nullptr};
    const auto count = static_cast<std::size_t>(__builtin_popcountll(r.kept));
    const auto short_text = [&](auto text, std::uint32_t bits) -> Read<Unit> {
        PyObject* str = new_short_text(constants, allocator, text, count, bits);
        if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
        return {str, p + r.taken + 1};
    };
    if constexpr (!kBytes) {
        const auto text = simd::kept_lanes(r.wide(), r.kept);
        const std::uint32_t bits = text::detail::width_before<Unit>(text, 0);
        if (count <= 1 && bits < 0x100) return {nullptr, nullptr};
        return short_text(text, bits);
    } else {
        if (!r.has_digits || (~simd::eq<std::uint8_t>(r.upper, 0).lane_bits() & r.kept) == 0) {
            const Bytes text = simd::kept_lanes(r.lower, r.kept);
            if (OCIOR_UNLIKELY(count <= 1)) {
                if (count == 0) return {new_ref(constants.empty_str), p + r.taken + 1};
                std::uint8_t unit[simd::kVecBytes];
                text.store(unit);
                return {new_ref(constants.latin1[unit[0]]), p + r.taken + 1};
            }
            return short_text(text, text::detail::width_before<std::uint8_t>(text, 0));
        }
        if (r.marks == 0) {
            if (r.taken <= simd::kVecBytes / 2) return short_text(simd::kept_lanes(r.words(0), r.kept_of(0)), 0x100);
            PyObject* str = new_wide_direct(allocator, constants.wide_headers, 2, count);
            if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
            auto* const end = simd::store_kept<std::uint16_t, std::uint16_t>(PyUnicode_2BYTE_DATA(str), r.words(0), r.kept_of(0));
            simd::store_kept<std::uint16_t, std::uint16_t>(end, r.words(1), r.kept_of(1));
            return {str, p + r.taken + 1};
        }
        alignas(64) std::uint16_t utf16[simd::kVecBytes * 2];
        alignas(64) std::uint32_t text[simd::kVecBytes * 2];
        auto* const end = simd::store_kept_loosely<std::uint16_t, std::uint16_t>(utf16, r.words(0), r.kept_of(0));
        simd::store_kept_loosely<std::uint16_t, std::uint16_t>(end, r.words(1), r.kept_of(1));
        utf16[count] = 0;
        const auto length = static_cast<std::size_t>(simd::join_surrogates(text, utf16, count) - text);
        if (length == count || byte_len_wide(4, length) > BlockPool::kMaxBlock) return {nullptr, nullptr};
        PyObject* str = new_wide_direct(allocator, constants.wide_headers, 4, length);
        if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
        constexpr std::size_t kStep = simd::Vec<std::uint32_t>::kLanes;
        for (std::size_t i = 0; i < length; i += kStep)
            simd::store_first<std::uint32_t, std::uint32_t>(PyUnicode_4BYTE_DATA(str) + i, simd::Vec<std::uint32_t>::load(text + i),
                                                            length - i < kStep ? length - i : kStep);
        return {str, p + r.taken + 1};
    }
}

}  // namespace

// Escapes in UTF-8 are resolved to UTF-8, unless one that is not ASCII comes before any other such character: then the text is most likely
// ASCII with all others escaped.
template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_escaped(Call<Source>& call, const typename Source::Unit* const opening,
                                                        const typename Source::Unit* p, std::uint32_t bits) noexcept {
    TextBuilder text(call.context.scratch);
    if (OCIOR_UNLIKELY(!text.start(opening, static_cast<std::size_t>(p - opening)))) return call.fail_python(opening);
    if constexpr (!Source::kUtf8) {
        constexpr std::uint32_t kWidest = sizeof(*p) == 1 ? 0x80 : sizeof(*p) == 2 ? 0x100 : 0x10000;
        return read_escaped_units(call, text, opening, p, bits >= kWidest);
    } else {
        bool high = bits >= 0x80;
        for (;;) {
            if (p[0] != '\\' || p[1] != 'u') {
                p = unescape<simd::Unescape::kUtf8, std::uint8_t>(text, p, high);
                if (OCIOR_UNLIKELY(!p)) return call.fail_python(opening);
                if (*p == '"') break;
            }
            Read<std::uint8_t> failure;
            const std::int32_t code_point = read_special(call, opening, p, p, failure);
            if (code_point < 0) return failure;
            if (code_point < 0x80 || high) {
                if (!text.append_utf8(static_cast<std::uint32_t>(code_point))) return call.fail_python(opening);
            } else {
                if (!text.append_utf16(static_cast<std::uint32_t>(code_point))) return call.fail_python(opening);
                return read_escaped_units(call, text, opening, p, true);
            }
        }
        const std::uint8_t* const first = text.data();
        const std::size_t n = text.length();
        if (OCIOR_LIKELY(!high) && n <= simd::kVecBytes) {
            PyObject* str = new_short_ascii(call.constants, call.context.allocator, first, simd::Vec<std::uint8_t>::load(first), n);
            if (OCIOR_UNLIKELY(!str)) return call.fail_python(opening);
            return {str, p + 1};
        }
        Run<std::uint8_t> whole{first + n, n, 0};
        if (high) {
            const text::Utf8Scan scan = text::measure_utf8(first, first + n);
            whole = {scan.stop, scan.code_points, class_of_utf8(scan.max_byte)};
        }
        const auto read = finish_plain(call, first, whole);
        return {read.object, read.object ? p + 1 : opening};
    }
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_string_with_escape(Call<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (simd::kExactStores && layout::kMayBuildWideDirect) {
        if (OCIOR_LIKELY(call.constants.tricks.direct_scalars)) {
            const auto read = read_short_escaped(call, p);
            if (read.next) return read;
        }
    }
    const auto run = scan_run<Source>(p);
    return read_escaped(call, p, run.stop, run.bits);
}

#define OCIOR_INSTANTIATE(Source)                                                                                                      \
    template Read<Source::Unit> read_escaped<Source>(Call<Source>&, const Source::Unit*, const Source::Unit*, std::uint32_t) noexcept; \
    template Read<Source::Unit> read_string_with_escape<Source>(Call<Source>&, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::decode
