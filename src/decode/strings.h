// Strings: from the unit behind an opening quote to a str of exact width. The common case, ASCII that ends within one
// vector, is inline: one load, one mask, one allocation, one store. Everything else is in strings.cpp.
#pragma once

#include "decode/call.h"
#include "simd/lanes.h"

namespace ocior::decode {

// Lanes that end a plain ASCII run: quote, backslash, control characters, anything not ASCII.
OCIOR_INLINE simd::Mask<std::uint8_t> ascii_stops(simd::Vec<std::uint8_t> block) noexcept {
    return simd::eq(block, std::uint8_t{'"'}) | simd::eq(block, std::uint8_t{'\\'}) | simd::lt(block, std::uint8_t{0x20}) |
           simd::ge(block, std::uint8_t{0x80});
}

// A str of the `n` ASCII units at `p`, which `block` holds too; n <= kVecBytes. Null when out of memory.
OCIOR_INLINE PyObject* new_short_ascii(const Constants& constants, const ObjectAllocator& allocator, const std::uint8_t* p,
                                       simd::Vec<std::uint8_t> block, std::size_t n) noexcept {
    if (OCIOR_UNLIKELY(n <= 1)) return new_ref(n == 0 ? constants.empty_str : constants.latin1[*p]);
    if constexpr (layout::kMayBuildDirect) {
        if (OCIOR_LIKELY(constants.tricks.direct_scalars)) {
            PyObject* str = new_ascii_direct(allocator, constants.ascii_header, n);
            if (OCIOR_UNLIKELY(!str)) return nullptr;
            std::uint8_t* data = ascii_data(str);
#if defined(__AVX512BW__)
            block.store_upto(data, n);
#else
            (void)block;
            for (std::size_t i = 0; i < n; i += 8) store(data + i, load<std::uint64_t>(p + i));
#endif
            data[n] = 0;
            return str;
        }
    }
    PyObject* str = PyUnicode_New(static_cast<Py_ssize_t>(n), 0x7f);
    if (OCIOR_LIKELY(str != nullptr)) std::memcpy(PyUnicode_1BYTE_DATA(str), p, n);
    return str;
}

// Any string. `p` is the unit behind the opening quote.
template <typename Source>
Read<typename Source::Unit> read_any_string(Call<Source>& call, const typename Source::Unit* p) noexcept;

template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_string(Call<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (sizeof(typename Source::Unit) == 1) {
        const auto block = simd::Vec<std::uint8_t>::load(p);
        const auto stops = ascii_stops(block);
        if (OCIOR_LIKELY(stops.any())) {
            const unsigned n = stops.first();
            if (OCIOR_LIKELY(p[n] == '"')) {
                PyObject* str = new_short_ascii(call.constants, call.context.allocator, p, block, n);
                if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
                return {str, p + n + 1};
            }
        }
    }
    return read_any_string(call, p);
}

// A key: as read_string, through the cache of key objects, with its hash computed.
template <typename Source>
Read<typename Source::Unit> read_key(Call<Source>& call, const typename Source::Unit* p) noexcept;

}  // namespace ocior::decode
