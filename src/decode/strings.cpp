#include "decode/strings.h"

#include "decode/escaped.h"
#include "decode/run.h"

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
OCIOR_FOR_EACH_SOURCE(OCIOR_INSTANTIATE)
#undef OCIOR_INSTANTIATE

}  // namespace ocior::decode
