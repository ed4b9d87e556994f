#include "decode/strings.h"

#include "simd/unescape.h"
#include "text/convert.h"
#include "text/scan.h"
#include "text/utf8.h"

namespace ocior::decode {
namespace {

// OR of all code points, rounded up to its class, from the largest byte of valid UTF-8.
OCIOR_INLINE std::uint32_t class_of_utf8(std::uint8_t max_byte) noexcept {
    return max_byte < 0x80 ? 0x7f : max_byte < 0xC4 ? 0xff : max_byte < 0xF0 ? 0xffff : 0x10ffff;
}

OCIOR_INLINE unsigned width_of(std::uint32_t bits) noexcept { return bits < 0x100 ? 1 : bits < 0x10000 ? 2 : 4; }

// new_str, from its layout where that may be.
PyObject* new_text(const Constants& constants, ObjectAllocator& allocator, std::size_t length, std::uint32_t bits) noexcept {
    if constexpr (layout::kMayBuildWideDirect) {
        const bool is_ascii = bits < 0x80;
        const unsigned width = width_of(bits);
        if (OCIOR_LIKELY(constants.tricks.direct_scalars && length <= BlockPool::kMaxBlock && byte_len_wide(width, length) <= BlockPool::kMaxBlock)) {
            if (!is_ascii) return new_wide_direct(allocator, constants.wide_headers, width, length);
            PyObject* str = new_ascii_direct(allocator, constants.ascii_header, length);
            if (OCIOR_LIKELY(str != nullptr)) ascii_data(str)[length] = 0;
            return str;
        }
    }
    return new_str(length, bits);
}

// A run without escapes: where it ends, how many code points it holds, and their OR.
template <typename Unit>
struct Run {
    const Unit* stop;
    std::size_t length;
    std::uint32_t bits;
};

template <typename Source>
OCIOR_INLINE Run<typename Source::Unit> scan_run(const typename Source::Unit* p) noexcept {
    if constexpr (Source::kUtf8) {
        const text::Utf8Scan scan = text::scan_string_utf8(p);
        return {scan.stop, scan.code_points, class_of_utf8(scan.max_byte)};
    } else {
        const auto scan = text::scan_string(p);
        return {scan.stop, static_cast<std::size_t>(scan.stop - p), scan.bits};
    }
}

// Writes the run [first, last) as `Dst` units. False when it is not valid UTF-8.
template <typename Source, typename Dst>
OCIOR_INLINE bool write_run(Dst* out, const typename Source::Unit* first, const typename Source::Unit* last, std::uint32_t bits) noexcept {
    if constexpr (Source::kUtf8) {
        if (bits < 0x80) return text::convert(out, first, static_cast<std::size_t>(last - first)), true;
        return text::utf8_to(out, first, last) != nullptr;
    } else {
        text::convert(out, first, static_cast<std::size_t>(last - first));
        return true;
    }
}

// Text under construction: a string with escapes. Grows from 1-byte units to wider ones as they are met.
class TextBuilder {
public:
    explicit TextBuilder(Stack<std::uint8_t>& scratch) noexcept : scratch_(scratch) {}

    std::size_t length() const noexcept { return length_; }
    unsigned width() const noexcept { return width_; }
    std::uint8_t* end() noexcept { return scratch_.data() + length_ * width_; }
    void advance(std::size_t units) noexcept { length_ += units; }

    // Room for `extra` more units of the width that `bits` asks for, and a vector's store behind them.
    [[nodiscard]] bool prepare(std::size_t extra, std::uint32_t bits) noexcept {
        bits_ |= bits;
        const unsigned width = width_of(bits_);
        if (!scratch_.reserve((length_ + extra) * width + kWriteSlack)) return false;
        if (OCIOR_UNLIKELY(width != width_)) widen(width);
        return true;
    }

    [[nodiscard]] bool append(std::uint32_t code_point) noexcept {
        if (!prepare(1, code_point)) return false;
        if (width_ == 1) *end() = static_cast<std::uint8_t>(code_point);
        else if (width_ == 2) store(end(), static_cast<std::uint16_t>(code_point));
        else store(end(), code_point);
        ++length_;
        return true;
    }

    PyObject* finish(const Constants& constants, ObjectAllocator& allocator) noexcept {
        if (length_ == 0) return new_ref(constants.empty_str);
        if (length_ == 1 && width_ == 1) return new_ref(constants.latin1[*scratch_.data()]);
        PyObject* str = new_text(constants, allocator, length_, bits_);
        if (str) std::memcpy(PyUnicode_DATA(str), scratch_.data(), length_ * width_);
        return str;
    }

private:
    void widen(unsigned width) noexcept {
        std::uint8_t* data = scratch_.data();
        // In place, from the last unit to the first.
        for (std::size_t i = length_; i-- > 0;) {
            const std::uint32_t unit = width_ == 1 ? data[i] : load<std::uint16_t>(data + 2 * i);
            if (width == 2) store(data + 2 * i, static_cast<std::uint16_t>(unit));
            else store(data + 4 * i, unit);
        }
        width_ = width;
    }

    Stack<std::uint8_t>& scratch_;
    std::size_t length_ = 0;
    unsigned width_ = 1;
    std::uint32_t bits_ = 0;
};

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
template <typename Source>
std::int32_t read_unicode_escape(const typename Source::Unit* p, const typename Source::Unit*& next) noexcept {
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

// Plain ASCII and one-letter escapes from 1-byte sources, a vector at a time. Stops at what it cannot do.
// Null when out of memory.
const std::uint8_t* unescape_ascii(TextBuilder& text, Stack<std::uint8_t>& scratch, const std::uint8_t* p) noexcept {
    constexpr std::size_t kRoom = 2 * simd::kVecBytes;
    if (!text.prepare(kRoom, 0)) return nullptr;
    std::uint8_t* out = text.end();
    const std::uint8_t* limit = scratch.data() + scratch.capacity() - kRoom;
    for (;;) {
        const simd::Unescaped step = simd::unescape_block(out, p);
        p += step.taken;
        out += step.written;
        if (step.stopped) break;
        if (OCIOR_UNLIKELY(out > limit)) {
            text.advance(static_cast<std::size_t>(out - text.end()));
            if (!text.prepare(text.length() + kRoom, 0)) return nullptr;
            out = text.end();
            limit = scratch.data() + scratch.capacity() - kRoom;
        }
    }
    text.advance(static_cast<std::size_t>(out - text.end()));
    return p;
}

// Escapes \uXXXX that follow one another, as in text that was escaped to ASCII, into a text of 2-byte units. Stops where the room
// ends, and before surrogates and anything else.
template <typename Unit>
const Unit* unescape_ucs2(TextBuilder& text, Stack<std::uint8_t>& scratch, const Unit* p, const Unit* last) noexcept {
    const std::size_t room = (scratch.capacity() - kWriteSlack) / 2 - text.length();
    auto* const first = reinterpret_cast<std::uint16_t*>(text.end());
    auto* out = first;
    for (auto* const limit = first + room; out < limit && last - p > 6 && p[0] == '\\' && p[1] == 'u'; p += 6) {
        const std::int32_t unit = read_hex4(p + 2);
        if (unit < 0 || (unit & 0xF800) == 0xD800) break;
        *out++ = static_cast<std::uint16_t>(unit);
    }
    text.advance(static_cast<std::size_t>(out - first));
    return p;
}

// A string with escapes, or with control characters where they are allowed. `p` is behind the opening quote.
template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_escaped(Call<Source>& call, const typename Source::Unit* const opening) noexcept {
    TextBuilder text(call.context.scratch);
    const auto* p = opening;
    for (;;) {
        if constexpr (sizeof(*p) == 1) {
            if (text.width() == 1) {
                p = unescape_ascii(text, call.context.scratch, p);
                if (OCIOR_UNLIKELY(!p)) return call.fail_python(opening);
            }
        }
        if (*p == '"') break;
        if (*p == '\\') {
            if (p + 1 == call.text.last) return call.fail(Error::kUnterminatedString, opening - 1);
            std::int32_t code_point = 0;
            if (p[1] == 'u') {
                const typename Source::Unit* next;
                code_point = read_unicode_escape<Source>(p + 1, next);
                if (code_point < 0) return call.fail(Error::kInvalidUnicodeEscape, next);
                p = next;
                if (OCIOR_UNLIKELY(p == call.text.last)) return call.fail(Error::kEscapeAtEnd, opening - 1);
            } else {
                code_point = p[1] < 0x80 ? simd::kMeanings.of[p[1]] : 0;
                if (code_point == 0) return call.fail(Error::kInvalidEscape, p);
                p += 2;
            }
            if (!text.append(static_cast<std::uint32_t>(code_point))) return call.fail_python(opening);
            if (text.width() == 2) p = unescape_ucs2(text, call.context.scratch, p, call.text.last);
        } else if (*p < 0x20) {
            if (p == call.text.last) return call.fail(Error::kUnterminatedString, opening - 1);
            if (call.options.strict) return call.fail(Error::kControlCharacter, p);
            if (!text.append(*p++)) return call.fail_python(opening);
        } else {
            const auto run = scan_run<Source>(p);
            if (!text.prepare(run.length, run.bits)) return call.fail_python(opening);
            bool valid;
            if (text.width() == 1) valid = write_run<Source>(text.end(), p, run.stop, run.bits);
            else if (text.width() == 2) valid = write_run<Source>(reinterpret_cast<std::uint16_t*>(text.end()), p, run.stop, run.bits);
            else valid = write_run<Source>(reinterpret_cast<std::uint32_t*>(text.end()), p, run.stop, run.bits);
            if (!valid) return call.fail(Error::kInvalidUtf8, p);
            text.advance(run.length);
            p = run.stop;
        }
    }
    PyObject* str = text.finish(call.constants, call.context.allocator);
    if (OCIOR_UNLIKELY(!str)) return call.fail_python(opening);
    return {str, p + 1};
}

// A str of one run.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> finish_plain(Call<Source>& call, const typename Source::Unit* p, Run<typename Source::Unit> run) noexcept {
    if (OCIOR_UNLIKELY(run.length <= 1)) {
        if (run.stop == p) return {new_ref(call.constants.empty_str), run.stop + 1};
        if (run.length == 0) return call.fail(Error::kInvalidUtf8, p);  // continuation bytes only
        if constexpr (!Source::kUtf8)
            if (*p < 0x100) return {new_ref(call.constants.latin1[*p]), run.stop + 1};
    }
    PyObject* str = new_text(call.constants, call.context.allocator, run.length, run.bits);
    if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
    bool valid;
    if (run.bits < 0x100) valid = write_run<Source>(PyUnicode_1BYTE_DATA(str), p, run.stop, run.bits);
    else if (run.bits < 0x10000) valid = write_run<Source>(PyUnicode_2BYTE_DATA(str), p, run.stop, run.bits);
    else valid = write_run<Source>(PyUnicode_4BYTE_DATA(str), p, run.stop, run.bits);
    if (OCIOR_UNLIKELY(!valid)) {
        Py_DECREF(str);
        return call.fail(Error::kInvalidUtf8, p);
    }
    if (Source::kUtf8 && OCIOR_UNLIKELY(run.length == 1) && run.bits < 0x100) {
        PyObject* shared = new_ref(call.constants.latin1[*PyUnicode_1BYTE_DATA(str)]);
        Py_DECREF(str);
        str = shared;
    }
    return {str, run.stop + 1};
}

// The string whose first run has been scanned.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_scanned(Call<Source>& call, const typename Source::Unit* p, Run<typename Source::Unit> run) noexcept {
    if (OCIOR_LIKELY(*run.stop == '"')) return finish_plain(call, p, run);
    if (*run.stop == '\\') return read_escaped(call, p);
    if (run.stop == call.text.last) return call.fail(Error::kUnterminatedString, p - 1);
    if (call.options.strict) return call.fail(Error::kControlCharacter, run.stop);
    return read_escaped(call, p);
}

}  // namespace

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_any_string(Call<Source>& call, const typename Source::Unit* p) noexcept {
    return read_scanned(call, p, scan_run<Source>(p));
}

// A new str of one run of ASCII, of two units at least.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> new_ascii_key(Call<Source>& call, const typename Source::Unit* p, Run<typename Source::Unit> run) noexcept {
    if constexpr (sizeof(*p) == 1) {
        if (OCIOR_LIKELY(run.length <= simd::kVecBytes)) {
            PyObject* str = new_short_ascii(call.constants, call.context.allocator, p, simd::Vec<std::uint8_t>::load(p), run.length);
            if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
            return {str, run.stop + 1};
        }
    } else if constexpr (simd::kExactStores && layout::kMayBuildWideDirect) {
        using Block = simd::Vec<typename Source::Unit>;
        if (OCIOR_LIKELY(run.length <= Block::kLanes && call.constants.tricks.direct_scalars)) {
            PyObject* str = new_short_text(call.constants, call.context.allocator, Block::load(p), run.length, 0);
            if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
            return {str, run.stop + 1};
        }
    }
    return finish_plain(call, p, run);
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_key(Call<Source>& call, const typename Source::Unit* p) noexcept {
    const auto run = scan_run<Source>(p);
    if (*run.stop == '"' && run.bits < 0x80 && run.length >= 2 && run.length <= KeyCache::kMaxLen) {
        std::uint8_t narrow[KeyCache::kMaxLen];
        const std::uint8_t* ascii;
        KeyCache& keys = call.context.keys;
        if (!keys.is_worth_a_look()) {
            const auto read = new_ascii_key(call, p, run);
            if (OCIOR_UNLIKELY(read.object && PyObject_Hash(read.object) == -1)) return Py_DECREF(read.object), call.fail_python(p);
            return read;
        }
        if constexpr (sizeof(*p) == 1) ascii = p;
        else ascii = narrow, text::convert(narrow, p, run.length);
        PyObject*& slot = keys.slot(ascii, run.length);
        if (slot && KeyCache::matches(slot, ascii, run.length)) {
            keys.hit();
            return {new_ref(slot), run.stop + 1};
        }
        keys.missed();
        const auto read = new_ascii_key(call, p, run);
        if (OCIOR_LIKELY(read.object != nullptr)) {
            if (OCIOR_UNLIKELY(PyObject_Hash(read.object) == -1)) return Py_DECREF(read.object), call.fail_python(p);
            PyObject* old = slot;
            slot = new_ref(read.object);
            Py_XDECREF(old);
        }
        return read;
    }
    const auto read = read_scanned(call, p, run);
    if (OCIOR_UNLIKELY(!read.object)) return read;
    PyObject* key = call.context.keys.share(read.object);
    if (OCIOR_UNLIKELY(!key)) return call.fail_python(p);
    return {key, read.next};
}

#define OCIOR_INSTANTIATE(Source)                                                                             \
    template Read<Source::Unit> read_any_string<Source>(Call<Source>&, const Source::Unit*) noexcept;         \
    template Read<Source::Unit> read_key<Source>(Call<Source>&, const Source::Unit*) noexcept;
OCIOR_INSTANTIATE(Utf8Source)
OCIOR_INSTANTIATE(Latin1Source)
OCIOR_INSTANTIATE(Ucs2Source)
OCIOR_INSTANTIATE(Ucs4Source)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::decode
