// Strings: from the unit behind an opening quote to a str of exact width. The common case, ASCII that ends within one
// vector, is inline: one load, one mask, one allocation, one store. Everything else is in strings.cpp.
#pragma once

#include "decode/py_call.h"
#include "simd/lanes.h"
#include "text/scan.h"

namespace ocior::decode {

// A str of the `n` ASCII units at `p`, which `block` holds too: a Vec<std::uint8_t>, or half of one. Null when out of memory.
template <typename Block>
OCIOR_INLINE PyObject* new_short_ascii(const Constants& constants, ObjectAllocator& allocator, const std::uint8_t* p, Block block,
                                       std::size_t n) noexcept {
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

// A str of the first `n` units of `block`, 2 <= n <= its lanes, of which `bits` tells the width as a Scan does. Null when out of memory.
// Needs simd::kExactStores, Tricks::direct_scalars and layout::kMayBuildWideDirect.
template <CodeUnit Unit>
OCIOR_INLINE PyObject* new_short_text(const Constants& constants, ObjectAllocator& allocator, simd::Vec<Unit> block, std::size_t n,
                                      std::uint32_t bits) noexcept {
    static_assert(byte_len_wide(sizeof(Unit), simd::Vec<Unit>::kLanes) <= BlockPool::kMaxBlock);
    if (bits < 0x80) {
        PyObject* str = new_ascii_direct(allocator, constants.ascii_header, n);
        if (OCIOR_UNLIKELY(!str)) return nullptr;
        simd::store_first<Unit, std::uint8_t>(ascii_data(str), block, n);
        ascii_data(str)[n] = 0;
        return str;
    }
    const unsigned width = width_of(bits);
    PyObject* str = new_wide_direct(allocator, constants.wide_headers, width, n);
    if (OCIOR_UNLIKELY(!str)) return nullptr;
    void* const data = wide_data(str);
    if (width == sizeof(Unit)) block.store_upto(static_cast<Unit*>(data), n);
    else if (width == 1) simd::store_first<Unit, std::uint8_t>(static_cast<std::uint8_t*>(data), block, n);
    else simd::store_first<Unit, std::uint16_t>(static_cast<std::uint16_t*>(data), block, n);
    return str;
}

// Any string. `p` is the unit behind the opening quote.
template <typename Source>
Read<typename Source::Unit> read_any_string(PyCall<Source>& call, const typename Source::Unit* p) noexcept;

// A string of one-byte units whose first vector is ASCII with nothing in it that ends or interrupts it.
template <typename Source>
    requires(sizeof(typename Source::Unit) == 1)
Read<std::uint8_t> read_long_string(PyCall<Source>& call, const std::uint8_t* p) noexcept;

// A string with a backslash in its first vector.
template <typename Source>
Read<typename Source::Unit> read_string_with_escape(PyCall<Source>& call, const typename Source::Unit* p) noexcept;

// A string of one-byte units in whose first block, a StringHead or a Vec<std::uint8_t>, ASCII ends at lane n.
template <typename Source, typename Block>
OCIOR_INLINE Read<std::uint8_t> read_string_in(PyCall<Source>& call, const std::uint8_t* p, Block block, unsigned n) noexcept {
    if (OCIOR_LIKELY(p[n] == '"')) {
        PyObject* str = new_short_ascii(call.constants, call.context.allocator, p, block, n);
        if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
        return {str, p + n + 1};
    }
    return p[n] == '\\' ? read_string_with_escape(call, p) : read_any_string(call, p);
}

template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> read_string(PyCall<Source>& call, const typename Source::Unit* p) noexcept {
    if constexpr (sizeof(typename Source::Unit) == 1) {
        const auto head = simd::StringHead::load(p);
        const auto stops = simd::marked_or_wide_lanes(head);
        if (OCIOR_LIKELY(stops.any())) return read_string_in(call, p, head, stops.first());
        if constexpr (sizeof head < simd::kVecBytes) {
            const auto block = simd::Vec<std::uint8_t>::load(p);
            const auto further_stops = simd::marked_or_wide_lanes(block);
            if (further_stops.any()) return read_string_in(call, p, block, further_stops.first());
        }
        return read_long_string(call, p);
    } else if constexpr (simd::kExactStores && layout::kMayBuildWideDirect) {
        using Unit = typename Source::Unit;
        const auto block = simd::Vec<Unit>::load(p);
        const auto stops = simd::marked_lanes(block);
        if (OCIOR_LIKELY(stops.any())) {
            const unsigned n = stops.first();
            if (OCIOR_LIKELY(n > 1 && p[n] == '"' && call.constants.tricks.direct_scalars)) {
                const std::uint32_t bits = text::detail::width_before<Unit>(block, stops.bits());
                PyObject* str = new_short_text(call.constants, call.context.allocator, block, n, bits);
                if (OCIOR_UNLIKELY(!str)) return call.fail_python(p);
                return {str, p + n + 1};
            }
            if (p[n] == '\\') return read_string_with_escape(call, p);
        }
    }
    return read_any_string(call, p);
}

// A key: as read_string, but one object for all keys of the document that are equal, with its hash computed.
template <typename Source>
Read<typename Source::Unit> read_key(PyCall<Source>& call, const typename Source::Unit* p) noexcept;

}  // namespace ocior::decode
