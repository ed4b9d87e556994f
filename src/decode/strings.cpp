#include "decode/strings.h"

#include "decode/escaped.h"
#include "decode/run.h"
#include "simd/unescape.h"

namespace ocior::decode {
namespace {

// The string whose first run has been scanned.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_scanned(Call<Source>& call, const typename Source::Unit* p, Run<typename Source::Unit> run) noexcept {
    if (OCIOR_LIKELY(*run.stop == '"')) return finish_plain(call, p, run);
    if (*run.stop == '\\') return read_escaped(call, p, run.stop, run.bits);
    if (run.stop == call.text.last) return call.fail(Error::kUnterminatedString, p - 1);
    if (call.options.strict) return call.fail(Error::kControlCharacter, run.stop);
    return read_escaped(call, p, run.stop, run.bits);
}

}  // namespace

// A str of the first `n` bytes of `block`, some of which are of characters of four bytes. Null where they are no UTF-8, or for want of memory: the
// general way will say so.
template <typename Source>
OCIOR_INLINE PyObject* new_short_astral(Call<Source>& call, simd::Vec<std::uint8_t> block, std::size_t n) noexcept {
    const std::uint64_t lanes = low_bits(static_cast<unsigned>(n));
    const auto from = [&](std::uint8_t least) OCIOR_INLINE_LAMBDA { return simd::ge<std::uint8_t>(block, least).lane_bits() & lanes; };
    const std::uint64_t lead = from(0xC0), continuations = from(0x80) & ~lead;
    if ((lead << 1 | from(0xE0) << 2 | from(0xF0) << 3) != continuations || from(0xF5) != 0) return nullptr;
    const std::uint64_t begins = lanes & ~continuations;
    PyObject* const str = new_wide_direct(call.context.allocator, call.constants.wide_headers, 4, static_cast<std::size_t>(__builtin_popcountll(begins)));
    if (OCIOR_UNLIKELY(!str)) return nullptr;
    auto* out = reinterpret_cast<std::uint32_t*>(reinterpret_cast<PyCompactUnicodeObject*>(str) + 1);
    if (OCIOR_LIKELY(simd::store_characters(out, block, begins))) return str;
    Py_DECREF(str);
    return nullptr;
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_any_string(Call<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (Source::kUtf8 && simd::kGathersCharacters && layout::kMayBuildWideDirect) {
        const auto block = simd::Vec<std::uint8_t>::load(p);
        const auto stops = simd::marked_lanes(block);
        const auto four = simd::ge<std::uint8_t>(block, 0xF0).bits() & text::detail::lanes_before(stops.bits());
        if (stops.any() && four != 0 && call.constants.tricks.direct_scalars) {
            const unsigned n = stops.first();
            PyObject* const str = p[n] == '"' ? new_short_astral(call, block, n) : nullptr;
            if (OCIOR_LIKELY(str != nullptr)) return {str, p + n + 1};
        }
    }
    return read_scanned(call, p, scan_run<Source>(p));
}

template <typename Source>
OCIOR_NOINLINE Read<typename Source::Unit> read_long_string(Call<Source>& call, const typename Source::Unit* p) noexcept {
    using Unit = typename Source::Unit;
    if constexpr (sizeof(Unit) == 1) {
        using V = simd::Vec<Unit>;
        const Unit* at = p + V::kLanes;
        auto stops = simd::marked_or_wide_lanes(V::load(at));
        for (; stops.none(); stops = simd::marked_or_wide_lanes(V::load(at))) at += V::kLanes;
        const Unit* const stop = at + stops.first();
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
    return read_any_string(call, p);
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

// ASCII with one-letter escapes, resolved: its length, and the unit behind the closing quote; null for any other text, and for one that
// `out`, KeyCache::kMaxLen bytes, can't hold. `run` is the first of it.
template <typename Unit>
struct Resolved {
    std::size_t length;
    const Unit* next;
};
template <typename Source>
OCIOR_INLINE Resolved<typename Source::Unit> resolve_ascii(const typename Source::Unit* p, Run<typename Source::Unit> run, std::uint8_t* out) noexcept {
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
OCIOR_NOINLINE Read<typename Source::Unit> read_other_key(Call<Source>& call, const typename Source::Unit* p, Run<typename Source::Unit> run) noexcept {
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

#define OCIOR_INSTANTIATE(Source)                                                                             \
    template Read<Source::Unit> read_any_string<Source>(Call<Source>&, const Source::Unit*) noexcept;         \
    template Read<Source::Unit> read_long_string<Source>(Call<Source>&, const Source::Unit*) noexcept;        \
    template Read<Source::Unit> read_key<Source>(Call<Source>&, const Source::Unit*) noexcept;
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::decode
