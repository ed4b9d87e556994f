#include "decode/strings.h"

#include "decode/escaped.h"
#include "decode/run.h"
#include "simd/unescape.h"
#include "text/utf8_block.h"

namespace ocior::decode {
namespace {

// The string whose first run has been scanned.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_scanned(Call<Source>& call, const typename Source::Unit* p,
                                                      Run<typename Source::Unit> run) noexcept {
    if (OCIOR_LIKELY(*run.stop == '"')) return finish_plain(call, p, run);
    if (*run.stop == '\\') return read_escaped(call, p, run.stop, run.bits);
    if (run.stop == call.text.last) return call.fail(Error::kUnterminatedString, p - 1);
    if (call.options.strict) return call.fail(Error::kControlCharacter, run.stop);
    return read_escaped(call, p, run.stop, run.bits);
}

// A str of the first `n` bytes of `block`, which is what stands at `p`. Null where they are ASCII or no UTF-8, for a str that is shared, or
// for want of memory: the general way will find out.
template <typename Source>
OCIOR_INLINE PyObject* new_short_utf8(Call<Source>& call, const std::uint8_t* p, simd::Vec<std::uint8_t> block, std::size_t n) noexcept {
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

}  // namespace

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_any_string(Call<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (Source::kUtf8 && layout::kMayBuildWideDirect) {
        const auto block = simd::Vec<std::uint8_t>::load(p);
        const auto stops = simd::marked_lanes(block);
        if (stops.any() && call.constants.tricks.direct_scalars) {
            const unsigned n = stops.first();
            PyObject* const str = p[n] == '"' ? new_short_utf8(call, p, block, n) : nullptr;
            if (OCIOR_LIKELY(str != nullptr)) return {str, p + n + 1};
        }
    }
    return read_scanned(call, p, scan_run<Source>(p));
}

template <typename Source>
    requires(sizeof(typename Source::Unit) == 1)
OCIOR_NOINLINE Read<std::uint8_t> read_long_string(Call<Source>& call, const std::uint8_t* p) noexcept {
    using V = simd::Vec<std::uint8_t>;
    const std::uint8_t* at = p + V::kLanes;
    auto stops = simd::marked_or_wide_lanes(V::load(at));
    for (; stops.none(); stops = simd::marked_or_wide_lanes(V::load(at))) at += V::kLanes;
    const std::uint8_t* const stop = at + stops.first();
    const auto n = static_cast<std::size_t>(stop - p);
    if (OCIOR_UNLIKELY(*stop >= 0x80)) return read_scanned(call, p, scan_rest_of_run<Source>(p, at));
    if (OCIOR_UNLIKELY(*stop != '"')) return read_scanned(call, p, {stop, n, 0});
    PyObject* const str = new_text(call.constants, call.context.allocator, n, 0);
    if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
    // The last vector overlaps the one before it.
    std::uint8_t* const data = ascii_data(str);
    for (std::size_t i = 0; i < n - V::kLanes; i += V::kLanes) V::load(p + i).store(data + i);
    V::load(stop - V::kLanes).store(data + n - V::kLanes);
    return {str, stop + 1};
}

// A new str of one run of ASCII, of two units at least.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> new_ascii_key(Call<Source>& call, const typename Source::Unit* p,
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

// ASCII with one-letter escapes, resolved: its length, and the unit behind the closing quote; null for any other text, and for one that
// `out`, KeyCache::kMaxLen bytes, can't hold. `run` is the first of it.
template <typename Unit>
struct Resolved {
    std::size_t length;
    const Unit* next;
};
template <typename Source>
OCIOR_INLINE Resolved<typename Source::Unit> resolve_ascii(const typename Source::Unit* p, Run<typename Source::Unit> run,
                                                           std::uint8_t* out) noexcept {
    for (std::size_t length = 0;;) {
        if (run.bits >= 0x80 || length + run.length >= KeyCache::kMaxLen) return {};
        text::convert(out + length, p, run.length);
        length += run.length;
        if (*run.stop == '"') return {length, run.stop + 1};
        if (*run.stop != '\\' || run.stop[1] >= 0x80) return {};
        out[length] = simd::kMeanings.of[run.stop[1]];
        if (out[length++] == 0) return {};
        p = run.stop + 2;
        run = scan_run<Source>(p);
    }
}

// A key that is not short ASCII as it stands. Where slashes are escaped it may become that: paths and the like, which come again.
template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_other_key(Call<Source>& call, const typename Source::Unit* p,
                                                          Run<typename Source::Unit> run) noexcept {
    KeyCache& keys = call.context.keys;
    PyObject** slot = nullptr;
    if (*run.stop == '\\') {
        std::uint8_t text[KeyCache::kMaxLen];
        const auto resolved = resolve_ascii<Source>(p, run, text);
        if (resolved.next && resolved.length >= 2 && keys.is_worth_a_look()) {
            slot = &keys.slot(text, resolved.length);
            if (*slot && KeyCache::matches(*slot, text, resolved.length)) {
                keys.hit();
                return {new_ref(*slot), resolved.next};
            }
            keys.missed();
        }
    }
    const auto read = read_scanned(call, p, run);
    if (OCIOR_UNLIKELY(!read.object)) return read;
    if (slot) {
        if (OCIOR_UNLIKELY(!KeyCache::remember(*slot, read.object))) return Py_DECREF(read.object), call.fail_python(p);
        return read;
    }
    PyObject* key = keys.share(read.object);
    if (OCIOR_UNLIKELY(!key)) return call.fail_python(p);
    return {key, read.next};
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
        if (OCIOR_UNLIKELY(read.object && !KeyCache::remember(slot, read.object))) return Py_DECREF(read.object), call.fail_python(p);
        return read;
    }
    return read_other_key(call, p, run);
}

#define OCIOR_INSTANTIATE(Source)                                                                     \
    template Read<Source::Unit> read_any_string<Source>(Call<Source>&, const Source::Unit*) noexcept; \
    template Read<Source::Unit> read_key<Source>(Call<Source>&, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE
template Read<std::uint8_t> read_long_string<Utf8Source>(Call<Utf8Source>&, const std::uint8_t*) noexcept;
template Read<std::uint8_t> read_long_string<Latin1Source>(Call<Latin1Source>&, const std::uint8_t*) noexcept;

}  // namespace ocior::decode
