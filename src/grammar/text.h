// The text of strings, without an object: where it ends, what its escapes stand for, whether it obeys the rules.
#pragma once

#include "grammar/call.h"
#include "text/convert.h"
#include "text/scan.h"
#include "text/utf8.h"

namespace ocior::grammar {

// OR of all code points, rounded up to its class, from the largest byte of valid UTF-8.
OCIOR_INLINE std::uint32_t class_of_utf8(std::uint8_t max_byte) noexcept {
    return max_byte < 0x80 ? 0x7f : max_byte < 0xC4 ? 0xff : max_byte < 0xF0 ? 0xffff : 0x10ffff;
}

// A run without escapes: where it ends, how many code points it holds, and their OR, of which only the class counts. UTF-8 is taken to be
// valid: whoever writes it elsewhere finds out.
template <typename Unit>
struct Run {
    const Unit* stop;
    std::size_t length;
    std::uint32_t bits;
};

OCIOR_INLINE Run<std::uint8_t> run_of(const text::Utf8Scan& scan) noexcept {
    return {scan.stop, scan.code_points, class_of_utf8(scan.max_byte)};
}

template <typename Source>
OCIOR_INLINE Run<typename Source::Unit> scan_run(const typename Source::Unit* p) noexcept {
    if constexpr (Source::kUtf8) {
        return run_of(text::scan_string_utf8(p));
    } else {
        const auto scan = text::scan_string(p);
        return {scan.stop, static_cast<std::size_t>(scan.stop - p), scan.bits};
    }
}

// The run of one-byte units at `p`, which is ASCII up to `at`.
template <typename Source>
OCIOR_INLINE Run<std::uint8_t> scan_rest_of_run(const std::uint8_t* p, const std::uint8_t* at) noexcept {
    if constexpr (Source::kUtf8) {
        return run_of(text::detail::scan_string_utf8_on(at, static_cast<std::size_t>(at - p)));
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

// A whole string: `unit_count` units in the document or in the scratch block, up to the next use of that. kReadSlack bytes behind them are
// readable.
template <typename Unit>
struct StringText {
    const void* units;       // null: the call's error is set
    std::size_t unit_count;
    unsigned width;          // bytes of a unit; 0: bytes of UTF-8
    std::size_t length;      // code points
    std::uint32_t bits;      // as a run's
    const Unit* next;        // behind the closing quote; or the unit to blame
};

// The string at `p`, behind its opening quote.
template <typename Source>
StringText<typename Source::Unit> read_text(Call<Source>& call, const typename Source::Unit* p) noexcept;

// Reads a string at `p` whose first run, up to `stop`, has been scanned, and does not end at a quote. UTF-8 may be invalid.
template <typename Source>
StringText<typename Source::Unit> resolve_escapes(Call<Source>& call, const typename Source::Unit* p, const typename Source::Unit* stop,
                                                  std::uint32_t bits) noexcept;

// The first surrogate without its pair in the text of a string at `p`, which holds one: its unit, or the backslash of its escape.
template <typename Source>
const typename Source::Unit* find_lone_surrogate(const typename Source::Unit* p) noexcept;

// The first escape in the JSON text [first, last), which is valid, that stands for a surrogate without its pair; or null. For UTF-8 alone.
template <typename Source>
const typename Source::Unit* find_lone_escape(const typename Source::Unit* first, const typename Source::Unit* last) noexcept;

// Checks the string whose text begins at `first` and is plain up to `p`, and moves behind it; or false, the call's error set, and `p` the
// unit to blame.
template <typename Source>
[[nodiscard]] bool skip_string(Call<Source>& call, const typename Source::Unit* first, const typename Source::Unit*& p) noexcept;

}  // namespace ocior::grammar
