#include "decode/strings.h"

#include <type_traits>

#include "base/copy.h"
#include "grammar/text.h"
#include "simd/unescape.h"
#include "text/utf8_block.h"

namespace ocior::decode {
namespace {

// new_str, from its layout where that may be.
OCIOR_INLINE PyObject* new_text(const Constants& constants, ObjectAllocator& allocator, std::size_t length, std::uint32_t bits) noexcept {
    if constexpr (layout::kMayBuildWideDirect) {
        const bool is_ascii = bits < 0x80;
        const unsigned width = width_of(bits);
        if (OCIOR_LIKELY(constants.tricks.direct_scalars && length <= BlockPool::kMaxBlock &&
                         byte_len_wide(width, length) <= BlockPool::kMaxBlock)) {
            if (!is_ascii) return new_wide_direct(allocator, constants.wide_headers, width, length);
            PyObject* str = new_ascii_direct(allocator, constants.ascii_header, length);
            if (OCIOR_LIKELY(str != nullptr)) ascii_data(str)[length] = 0;
            return str;
        }
    }
    return new_str(length, bits);
}

// A str of one run.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> finish_plain(PyCall<Source>& call, const typename Source::Unit* p,
                                                      Run<typename Source::Unit> run) noexcept {
    if (OCIOR_UNLIKELY(run.length <= 1)) {
        if (run.stop == p) return {new_ref(call.constants.empty_str), run.stop + 1};
        if (run.length == 0) return call.fail_read(Error::kInvalidUtf8, p);  // continuation bytes only
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
        return call.fail_read(Error::kInvalidUtf8, p);
    }
    if (Source::kUtf8 && OCIOR_UNLIKELY(run.length == 1) && run.bits < 0x100) {
        PyObject* shared = new_ref(call.constants.latin1[*PyUnicode_1BYTE_DATA(str)]);
        Py_DECREF(str);
        str = shared;
    }
    return {str, run.stop + 1};
}

// A str of n units, of which `bits` tells the width. Null when out of memory.
template <CodeUnit Unit>
PyObject* str_of_units(const Constants& constants, ObjectAllocator& allocator, const void* text, std::size_t n,
                       std::uint32_t bits) noexcept {
    const auto* const units = static_cast<const Unit*>(text);
    if (n == 0) return new_ref(constants.empty_str);
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

// A string whose first run has been scanned: it ends at `stop`, where no quote is. (The run itself would go by way of memory.)
template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_escaped(PyCall<Source>& call, const typename Source::Unit* p,
                                                        const typename Source::Unit* stop, std::uint32_t bits) noexcept {
    const auto text = resolve_escapes<Source>(call, p, stop, bits);
    if (OCIOR_UNLIKELY(!text.units)) return {nullptr, text.next};
    ObjectAllocator& allocator = call.context.allocator;
    PyObject* str = nullptr;
    if (text.width == 4) {
        str = str_of_units<std::uint32_t>(call.constants, allocator, text.units, text.length, text.bits);
    } else if (text.width == 2) {
        str = str_of_units<std::uint16_t>(call.constants, allocator, text.units, text.length, text.bits);
    } else if (text.width == 1) {
        str = str_of_units<std::uint8_t>(call.constants, allocator, text.units, text.length, text.bits);
    } else if constexpr (Source::kUtf8) {
        const auto* const first = static_cast<const std::uint8_t*>(text.units);
        const std::size_t n = text.unit_count;
        if (OCIOR_UNLIKELY(text.bits >= 0x80) || n > simd::kVecBytes) {
            const auto read = finish_plain<Source>(call, first, {first + n, text.length, text.bits});
            return {read.object, read.object ? text.next : p};
        }
        str = new_short_ascii(call.constants, allocator, first, simd::Vec<std::uint8_t>::load(first), n);
    }
    if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
    return {str, text.next};
}

// The string whose first run has been scanned.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_scanned(PyCall<Source>& call, const typename Source::Unit* p,
                                                      Run<typename Source::Unit> run) noexcept {
    return OCIOR_LIKELY(*run.stop == '"') ? finish_plain(call, p, run) : read_escaped(call, p, run.stop, run.bits);
}

// A str of the first `n` bytes of `block`, which is what stands at `p`. Null where they are ASCII or no UTF-8, for a str that is shared, or
// for want of memory: the general way will find out.
template <typename Source>
OCIOR_INLINE PyObject* new_short_utf8(PyCall<Source>& call, const std::uint8_t* p, simd::Vec<std::uint8_t> block, std::size_t n) noexcept {
    using text::detail::Utf8Lanes;
    const std::uint64_t valid = low_bits(static_cast<unsigned>(n));
    const Utf8Lanes lanes(block, valid);
    if (OCIOR_UNLIKELY(lanes.high == 0 || !lanes.are_whole(block))) return nullptr;
    const text::detail::Utf8Block characters{p, n, lanes.three, lanes.four, valid & ~lanes.continuations()};
    const auto count = static_cast<std::size_t>(__builtin_popcountll(characters.begins));
    const unsigned width = lanes.four != 0 ? 4 : (Utf8Lanes::at_least(block, 0xC4) & valid) != 0 ? 2 : 1;
    if (OCIOR_UNLIKELY(count == 1 && width == 1)) return nullptr;
    if (OCIOR_UNLIKELY(width == 4 && (Utf8Lanes::at_least(block, 0xF5) & valid) != 0)) return nullptr;
    PyObject* const str = new_wide_direct(call.context.allocator, call.constants.wide_headers, width, count);
    if (OCIOR_UNLIKELY(!str)) return nullptr;
    void* const data = wide_data(str);
    constexpr std::size_t kMost = 2 * simd::Vec<std::uint8_t>::kLanes;
    bool is_valid;
    if (width == 2) {
        is_valid = text::detail::write_exactly<kMost>(static_cast<std::uint16_t*>(data), [&](std::uint16_t*& end) OCIOR_INLINE_LAMBDA {
                       return text::detail::transcode_bmp(end, characters);
                   }) != nullptr;
    } else if (width == 1) {
        is_valid = text::detail::write_exactly<kMost>(static_cast<std::uint8_t*>(data), [&](std::uint8_t*& end) OCIOR_INLINE_LAMBDA {
                       return text::detail::transcode_latin1(end, characters, block);
                   }) != nullptr;
    } else {
        auto* end = static_cast<std::uint32_t*>(data);
        if constexpr (simd::kGathersCharacters) is_valid = simd::store_characters(end, block, characters.begins);
        else is_valid = text::utf8_to(end, p, p + n) != nullptr;
    }
    if (OCIOR_LIKELY(is_valid)) return str;
    Py_DECREF(str);
    return nullptr;
}

// A string with escapes that ends within a vector, without a detour through memory. Needs simd::kExactStores, Tricks::direct_scalars and
// layout::kMayBuildWideDirect. `next` is null, and nothing has happened, when the string is of another kind. (Without this function ASCII
// documents with all else escaped take 1.2 times as long.)
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_short_escaped(PyCall<Source>& call, const typename Source::Unit* p) noexcept {
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
    // The string most likely goes on past the vector, unless a quote stands here that no backslash precedes.
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

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_any_string(PyCall<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (Source::kUtf8 && layout::kMayBuildWideDirect) {
        const auto block = simd::Vec<std::uint8_t>::load(p);
        const auto stops = simd::marked_lanes(block);
        if (stops.any() && call.constants.tricks.direct_scalars) {
            const unsigned n = stops.first();
            PyObject* const str = p[n] == '"' ? new_short_utf8(call, p, block, n) : nullptr;
            if (OCIOR_LIKELY(str != nullptr)) return call.checked({str, p + n + 1}, p);
        }
    }
    return call.checked(read_scanned(call, p, scan_run<Source>(p)), p);
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_string_with_escape(PyCall<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (simd::kExactStores && layout::kMayBuildWideDirect) {
        if (OCIOR_LIKELY(call.constants.tricks.direct_scalars)) {
            const auto read = read_short_escaped(call, p);
            if (read.next) return call.checked(read, p);
        }
    }
    const auto run = scan_run<Source>(p);
    return call.checked(read_escaped(call, p, run.stop, run.bits), p);
}

template <typename Source>
    requires(sizeof(typename Source::Unit) == 1)
OCIOR_NOINLINE Read<std::uint8_t> read_long_string(PyCall<Source>& call, const std::uint8_t* p) noexcept {
    using V = simd::Vec<std::uint8_t>;
    constexpr std::size_t kVectors = 4;
    constexpr std::size_t kLongCopy = simd::kVecBytes == 64 ? 4096 : 1024;  // from here on libc's copy is the faster one
    const auto stops_at = [](const std::uint8_t* from) OCIOR_INLINE_LAMBDA { return simd::marked_or_wide_lanes(V::load(from)); };
    const std::uint8_t* at = p + V::kLanes;
    auto stops = stops_at(at);
    if (stops.none()) {
        // Several vectors under one test, as long as they lie in the text.
        at += V::kLanes;
        while (call.text.last - at >= static_cast<std::ptrdiff_t>(kVectors * V::kLanes)) {
            const auto first_half = stops_at(at) | stops_at(at + V::kLanes);
            const auto second_half = stops_at(at + 2 * V::kLanes) | stops_at(at + 3 * V::kLanes);
            if ((first_half | second_half).any()) break;
            at += kVectors * V::kLanes;
        }
        for (stops = stops_at(at); stops.none(); stops = stops_at(at)) at += V::kLanes;
    }
    const std::uint8_t* const stop = at + stops.first();
    const auto n = static_cast<std::size_t>(stop - p);
    if (OCIOR_UNLIKELY(*stop >= 0x80)) return call.checked(read_scanned(call, p, scan_rest_of_run<Source>(p, at)), p);
    if (OCIOR_UNLIKELY(*stop != '"')) return call.checked(read_scanned(call, p, {stop, n, 0}), p);
    PyObject* const str = new_text(call.constants, call.context.allocator, n, 0);
    if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
    std::uint8_t* const data = ascii_data(str);
    if (n >= kLongCopy) return copy_block(data, p, n), Read<std::uint8_t>{str, stop + 1};
    // The last vector overlaps the one before it, and in a long string, the first one that behind it: the others are stored at aligned
    // addresses, because stores that cross cache lines take twice as long.
    std::size_t i = 0;
    if (n >= 1024) {
        V::load(p).store(data);
        i = V::kLanes - reinterpret_cast<std::uintptr_t>(data) % simd::kVecBytes;
    }
    for (; i < n - V::kLanes; i += V::kLanes) V::load(p + i).store(data + i);
    V::load(stop - V::kLanes).store(data + n - V::kLanes);
    return {str, stop + 1};
}

// A new str of one run of ASCII, of two units at least.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> new_ascii_key(PyCall<Source>& call, const typename Source::Unit* p,
                                                       Run<typename Source::Unit> run) noexcept {
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

// The key that has been read, or the equal one that has been read before.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> shared(PyCall<Source>& call, const typename Source::Unit* p,
                                                Read<typename Source::Unit> read) noexcept {
    if (OCIOR_UNLIKELY(!read.object)) return read;
    PyObject* const key = call.context.keys.share(read.object);
    if (OCIOR_UNLIKELY(!key)) return call.fail_python(p);
    return {key, read.next};
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_other_key(PyCall<Source>& call, const typename Source::Unit* p,
                                                          Run<typename Source::Unit> run) noexcept {
    const auto read = call.checked(read_scanned(call, p, run), p);
    const bool is_shared_by_all = read.object && PyUnicode_GET_LENGTH(read.object) <= 1 && unit_width(read.object) == 1;
    return is_shared_by_all ? read : shared(call, p, read);
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_key(PyCall<Source>& call, const typename Source::Unit* p) noexcept {
    const auto run = scan_run<Source>(p);
    if (OCIOR_UNLIKELY(*run.stop != '"' || run.bits >= 0x80 || run.length < 2 || run.length > KeyCache::kMaxLen))
        return read_other_key(call, p, run);
    KeyCache& keys = call.context.keys;
    // Beside the calls of hooks it costs little to remember every key.
    if (OCIOR_UNLIKELY(!keys.is_worth_a_look()) && !call.options.has_hooks()) {
        const auto read = new_ascii_key(call, p, run);
        if (OCIOR_UNLIKELY(read.object && PyObject_Hash(read.object) == -1)) return Py_DECREF(read.object), call.fail_python(p);
        return read;
    }
    std::uint8_t narrow[KeyCache::kMaxLen];
    const std::uint8_t* ascii;
    if constexpr (sizeof(*p) == 1) ascii = p;
    else ascii = narrow, text::convert(narrow, p, run.length);
    if (PyObject* const key = keys.expected(ascii, run.length); OCIOR_UNLIKELY(key != nullptr)) return {key, run.stop + 1};
    PyObject*& slot = keys.slot(ascii, run.length);
    if (slot && KeyCache::matches(slot, ascii, run.length)) {
        keys.hit();
        return {new_ref(slot), run.stop + 1};
    }
    const auto read = shared(call, p, new_ascii_key(call, p, run));
    if (OCIOR_LIKELY(read.object != nullptr)) slot = read.object;
    return read;
}

#define OCIOR_INSTANTIATE(Source)                                                                               \
    template Read<Source::Unit> read_any_string<Source>(PyCall<Source>&, const Source::Unit*) noexcept;         \
    template Read<Source::Unit> read_string_with_escape<Source>(PyCall<Source>&, const Source::Unit*) noexcept; \
    template Read<Source::Unit> read_key<Source>(PyCall<Source>&, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE
template Read<std::uint8_t> read_long_string<Utf8Source>(PyCall<Utf8Source>&, const std::uint8_t*) noexcept;
template Read<std::uint8_t> read_long_string<Latin1Source>(PyCall<Latin1Source>&, const std::uint8_t*) noexcept;

}  // namespace ocior::decode
