#include "grammar/text.h"

#include "grammar/scratch_text.h"
#include "text/utf8_block.h"

namespace ocior::grammar {
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

// The escapes in a vector are resolved one by one, if it has at most so many quotes, backslashes and control characters. The number is
// lower with a compress instruction, which resolves a whole vector faster. Lines of logs with colours are read 1.2 to 1.3 times as fast.
inline constexpr int kFewMarks = simd::kUtf16Escapes ? 2 : simd::kVecBytes == 32 ? 4 : 3;

struct FewEscapes {
    std::size_t taken, written;
    bool stopped;  // what comes next is neither text nor an escape of ASCII
};

// Resolves the escapes in a vector of UTF-8 at p, which has been stored at `out`. `marks` are its quotes, backslashes and control
// characters. The text behind each escape is stored again, where it belongs: the next escape is found in `marks`, without waiting for that
// text.
OCIOR_INLINE FewEscapes unescape_few(std::uint8_t* out, const std::uint8_t* p, std::uint64_t marks) noexcept {
    using V = simd::Vec<std::uint8_t>;
    std::size_t taken = V::kLanes, dropped = 0;
    do {
        const auto at = static_cast<std::size_t>(trailing_zeros(marks));
        const std::uint8_t* const escape = p + at;
        const auto stop = [=] { return FewEscapes{at, at - dropped, true}; };
        if (escape[0] != '\\') return stop();
        std::size_t length = 2;
        std::int32_t meant = escape[1] < 0x80 ? simd::kMeanings.of[escape[1]] : 0;
        if (meant == 0) {
            if (escape[1] != 'u') return stop();
            meant = read_hex4(escape + 2);
            if (meant < 0 || meant >= 0x80) return stop();
            length = 6;
        }
        out[at - dropped] = static_cast<std::uint8_t>(meant);
        V::load(escape + length).store(out + at - dropped + 1);
        dropped += length - 1;
        if (at + length >= V::kLanes) {
            taken = at + length;
            break;
        }
        marks &= ~low_bits(static_cast<unsigned>(at + length));
    } while (marks != 0);
    return {taken, taken - dropped, false};
}

// Text and escapes, a vector at a time, into a text of Dst units. Stops at what it cannot do. `marked`, as of a block, is only ever set.
// Null when out of memory.
template <simd::Unescape kHow, CodeUnit Dst, CodeUnit Unit>
const Unit* unescape(ScratchText& text, const Unit* p, bool& marked) noexcept {
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
        if constexpr (kHow == simd::Unescape::kUtf8) {
            const auto units = simd::Vec<std::uint8_t>::load(p);
            const std::uint64_t marks = simd::marked_lanes(units).lane_bits();
            if (marks == 0) {
                units.store(out);
                marked |= simd::ge<std::uint8_t>(units, 0x80).any();
                p += simd::kVecBytes, out += simd::kVecBytes;
                continue;
            }
            if (__builtin_popcountll(marks) <= kFewMarks || p[trailing_zeros(marks)] == '"') {
                units.store(out);
                const FewEscapes few = unescape_few(out, p, marks);
                const auto in_vector = low_bits(static_cast<unsigned>(few.taken < simd::kVecBytes ? few.taken : simd::kVecBytes));
                marked |= (simd::ge<std::uint8_t>(units, 0x80).lane_bits() & in_vector) != 0;
                p += few.taken;
                out += few.written;
                if (few.stopped) break;
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
OCIOR_INLINE const typename Source::Unit* unescape_units(ScratchText& text, const typename Source::Unit* p) noexcept {
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

// The unit at `p` that is no text for a vector: an escape or a control character. `p` moves behind it. A negative number when it is an
// error, with `p` the unit to blame.
template <typename Source>
OCIOR_INLINE std::int32_t read_special(Call<Source>& call, const typename Source::Unit* opening, const typename Source::Unit*& p) noexcept {
    const auto fail = [&](Error error, const typename Source::Unit* at) { return p = call.fail(error, at), -1; };
    if (*p != '\\') {
        if (p == call.text.last)
            return fail(ends_in_unicode_escape(opening, p) ? Error::kEscapeAtEnd : Error::kUnterminatedString, opening - 1);
        if (call.strict) return fail(Error::kControlCharacter, p);
        return static_cast<std::int32_t>(*p++);
    }
    if (p + 1 == call.text.last) return fail(Error::kUnterminatedString, opening - 1);
    if (p[1] == 'u') {
        const typename Source::Unit* next;
        const std::int32_t code_point = read_unicode_escape(p + 1, next);
        if (code_point < 0) return fail(Error::kInvalidUnicodeEscape, next);
        p = next;
        return code_point;
    }
    const std::int32_t meant = p[1] < 0x80 ? simd::kMeanings.of[p[1]] : 0;
    if (meant == 0) return fail(Error::kInvalidEscape, p);
    p += 2;
    return meant;
}

template <typename Unit>
OCIOR_COLD StringText<Unit> failed(const Unit* at) noexcept {
    return {nullptr, 0, 0, 0, 0, at};
}

template <typename Source>
OCIOR_COLD StringText<typename Source::Unit> out_of_memory(Call<Source>& call, const typename Source::Unit* at) noexcept {
    return failed(call.fail(Error::kNoMemory, at));
}

// The text of n units. `is_widest` says that some unit is known to need this width.
template <CodeUnit Dst, typename Unit>
OCIOR_INLINE StringText<Unit> whole_text(const void* units, std::size_t n, bool is_widest, const Unit* next) noexcept {
    constexpr std::uint32_t kWidest = sizeof(Dst) == 1 ? 0xff : sizeof(Dst) == 2 ? 0xffff : 0x10ffff;
    return {units, n, sizeof(Dst), n, is_widest ? kWidest : text::or_of(static_cast<const Dst*>(units), n), next};
}

// Reads the rest, from `p` on, of a string whose beginning is in `text`, as units. In a document of UTF-8 that beginning is ASCII but for
// its last unit. `is_widest` says that some unit of it needs the width that it has.
template <typename Source>
OCIOR_NOINLINE StringText<typename Source::Unit> resolve_to_units(Call<Source>& call, ScratchText& text,
                                                                  const typename Source::Unit* const opening,
                                                                  const typename Source::Unit* p, bool is_widest) noexcept {
    for (;;) {
        p = unescape_units<Source>(text, p);
        if (OCIOR_UNLIKELY(!p)) return out_of_memory(call, opening);
        if (*p == '"') break;
        if (*p == '\\' || *p < 0x20) {
            const std::int32_t code_point = read_special(call, opening, p);
            if (code_point < 0) return failed(p);
            const auto unit = static_cast<std::uint32_t>(code_point);
            if (!(sizeof(*p) == 1 ? text.append_utf16(unit) : text.append(unit))) return out_of_memory(call, opening);
        } else {
            // Only UTF-8 comes here. Its surrogates, if any, make no pairs: from now on there are code points.
            const auto run = scan_run<Source>(p);
            if (!text.prepare(run.length, run.bits < 0x100 ? run.bits : 0x10000)) return out_of_memory(call, opening);
            bool valid;
            if (text.width() == 1) valid = write_run<Source>(text.end<std::uint8_t>(), p, run.stop, run.bits);
            else if (text.width() == 2) valid = write_run<Source>(text.end<std::uint16_t>(), p, run.stop, run.bits);
            else valid = write_run<Source>(text.end<std::uint32_t>(), p, run.stop, run.bits);
            if (!valid) return failed(call.fail(Error::kInvalidUtf8, p));
            text.advance(run.length);
            p = run.stop;
        }
    }
    ++p;
    const std::size_t n = text.length();
    if (text.has_pairs()) {
        const std::uint32_t* const units = text.join_pairs();
        if (!units) return out_of_memory(call, opening);
        return whole_text<std::uint32_t>(units, text.length(), text.length() < n, p);
    }
    if (text.width() == 1) return whole_text<std::uint8_t>(text.data(), n, is_widest, p);
    if (text.width() == 2) return whole_text<std::uint16_t>(text.data(), n, is_widest || sizeof(*p) == 1, p);
    return whole_text<std::uint32_t>(text.data(), n, is_widest && sizeof(*p) == 4, p);
}

// The text of a run that stays where it is, or of UTF-8 in the scratch block.
template <typename Source>
OCIOR_INLINE StringText<typename Source::Unit> text_of_run(const typename Source::Unit* first, Run<typename Source::Unit> run,
                                                           const typename Source::Unit* next) noexcept {
    return {first, static_cast<std::size_t>(run.stop - first), Source::kUtf8 ? 0 : sizeof(*first), run.length, run.bits, next};
}

}  // namespace

// Escapes in UTF-8 are resolved to UTF-8, unless one that is not ASCII comes before any other such character: then the text is most likely
// ASCII with all others escaped.
template <typename Source>
OCIOR_NOINLINE StringText<typename Source::Unit> resolve_escapes(Call<Source>& call, const typename Source::Unit* const opening,
                                                                 const typename Source::Unit* p, std::uint32_t bits) noexcept {
    ScratchText text(call.workspace.scratch);
    if (OCIOR_UNLIKELY(!text.start(opening, static_cast<std::size_t>(p - opening)))) return out_of_memory(call, opening);
    if constexpr (!Source::kUtf8) {
        constexpr std::uint32_t kWidest = sizeof(*p) == 1 ? 0x80 : sizeof(*p) == 2 ? 0x100 : 0x10000;
        return resolve_to_units(call, text, opening, p, bits >= kWidest);
    } else {
        bool high = bits >= 0x80;
        for (;;) {
            if (p[0] != '\\' || p[1] != 'u') {
                p = unescape<simd::Unescape::kUtf8, std::uint8_t>(text, p, high);
                if (OCIOR_UNLIKELY(!p)) return out_of_memory(call, opening);
                if (*p == '"') break;
            }
            const std::int32_t code_point = read_special(call, opening, p);
            if (code_point < 0) return failed(p);
            if (code_point < 0x80 || high) {
                if (!text.append_utf8(static_cast<std::uint32_t>(code_point))) return out_of_memory(call, opening);
            } else {
                if (!text.append_utf16(static_cast<std::uint32_t>(code_point))) return out_of_memory(call, opening);
                return resolve_to_units(call, text, opening, p, true);
            }
        }
        const std::uint8_t* const first = text.data();
        const std::uint8_t* const last = first + text.length();
        return text_of_run<Source>(first, high ? run_of(text::measure_utf8(first, last)) : Run<std::uint8_t>{last, text.length(), 0},
                                   p + 1);
    }
}

template <typename Source>
StringText<typename Source::Unit> read_text(Call<Source>& call, const typename Source::Unit* p) noexcept {
    const auto run = scan_run<Source>(p);
    const auto text = *run.stop == '"' ? text_of_run<Source>(p, run, run.stop + 1) : resolve_escapes(call, p, run.stop, run.bits);
    if constexpr (Source::kUtf8) {
        if (text.units && text.width == 0 && text.bits >= 0x80) {
            const auto* const first = static_cast<const std::uint8_t*>(text.units);
            if (!text::is_utf8(first, first + text.unit_count)) return failed(call.fail(Error::kInvalidUtf8, p));
        }
    }
    return text;
}

template <typename Source>
bool skip_string(Call<Source>& call, const typename Source::Unit* first, const typename Source::Unit*& p) noexcept {
    for (;;) {
        if constexpr (Source::kUtf8) {
            const auto block = simd::Vec<std::uint8_t>::load(p);
            const std::uint64_t stops = simd::marked_lanes(block).lane_bits();
            std::size_t n = stops != 0 ? trailing_zeros(stops) : simd::kVecBytes;
            text::detail::Utf8Lanes lanes(block, low_bits(static_cast<unsigned>(n)));
            if (lanes.high != 0 && (!lanes.cut_to_whole(block, n, stops != 0) || lanes.have_bad_values(block)))
                return call.fail(Error::kInvalidUtf8, p), false;
            p += n;
        } else {
            p = text::scan_string(p).stop;
        }
        while (text::ends_string(*p)) {
            if (*p == '"') return ++p, true;
            const typename Source::Unit* const special = p;
            const auto code_point = read_special(call, first, p);
            if (code_point < 0) return false;
            if (OCIOR_UNLIKELY(call.checks_skipped) && text::is_surrogate(static_cast<std::uint32_t>(code_point)))
                return p = call.fail(Error::kLoneSurrogate, special), false;
        }
    }
}

template <typename Source>
const typename Source::Unit* find_lone_surrogate(const typename Source::Unit* p) noexcept {
    for (;;) {
        if (*p != '\\') {
            if (Source::kUtf8 ? p[0] == 0xED && p[1] >= 0xA0 : text::is_surrogate(*p)) return p;
            ++p;
        } else if (p[1] != 'u') {
            p += 2;
        } else {
            const typename Source::Unit* next;
            if (text::is_surrogate(static_cast<std::uint32_t>(read_unicode_escape(p + 1, next)))) return p;
            p = next;
        }
    }
}

template <>
const std::uint8_t* find_lone_escape<Utf8Source>(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    while (const void* const found = std::memchr(first, '\\', static_cast<std::size_t>(last - first))) {
        const auto* const escape = static_cast<const std::uint8_t*>(found);
        first = escape + 2;
        if (escape[1] == 'u' && text::is_surrogate(static_cast<std::uint32_t>(read_unicode_escape(escape + 1, first)))) return escape;
    }
    return nullptr;
}

#define OCIOR_INSTANTIATE(Source)                                                                                      \
    template StringText<Source::Unit> read_text<Source>(Call<Source>&, const Source::Unit*) noexcept;                  \
    template StringText<Source::Unit> resolve_escapes<Source>(Call<Source>&, const Source::Unit*, const Source::Unit*, \
                                                              std::uint32_t) noexcept;                                 \
    template const Source::Unit* find_lone_surrogate<Source>(const Source::Unit*) noexcept;                            \
    template bool skip_string<Source>(Call<Source>&, const Source::Unit*, const Source::Unit*&) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::grammar
