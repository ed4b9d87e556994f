// Text of a string up to its end or an escape: measured, then written at its exact width.
#pragma once

#include "decode/call.h"
#include "text/convert.h"
#include "text/scan.h"
#include "text/utf8.h"

namespace ocior::decode {

// OR of all code points, rounded up to its class, from the largest byte of valid UTF-8.
OCIOR_INLINE std::uint32_t class_of_utf8(std::uint8_t max_byte) noexcept {
    return max_byte < 0x80 ? 0x7f : max_byte < 0xC4 ? 0xff : max_byte < 0xF0 ? 0xffff : 0x10ffff;
}

// new_str, from its layout where that may be.
inline PyObject* new_text(const Constants& constants, ObjectAllocator& allocator, std::size_t length, std::uint32_t bits) noexcept {
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

// The same of a run of one-byte units that is ASCII up to `at`.
template <typename Source>
OCIOR_INLINE Run<std::uint8_t> scan_rest_of_run(const std::uint8_t* p, const std::uint8_t* at) noexcept {
    if constexpr (Source::kUtf8) {
        const text::Utf8Scan scan = text::detail::scan_string_utf8_on(at, static_cast<std::size_t>(at - p));
        return {scan.stop, scan.code_points, class_of_utf8(scan.max_byte)};
    } else {
        const auto scan = text::detail::scan_string_on(at, 0);
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

// A str of one run.
template <typename Source>
OCIOR_INLINE Read<typename Source::Unit> finish_plain(Call<Source>& call, const typename Source::Unit* p,
                                                      Run<typename Source::Unit> run) noexcept {
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

}  // namespace ocior::decode
