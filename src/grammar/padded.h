// A document's units with the sentinel and the readable slack that the parser relies on: in place where the page allows
// it, else a copy.
#pragma once

#include <cstdlib>
#include <utility>

#include "grammar/source.h"

namespace ocior::grammar {

// (AddressSanitizer knows no pages: under it everything is copied.)
inline constexpr bool kMayReadInPlace = !OCIOR_HAS_ASAN;

// Whether the NUL unit at `sentinel`, which is ours, lies so far from its page's end that reading on cannot fault.
template <typename Unit>
OCIOR_INLINE bool may_read_in_place(const Unit* sentinel) noexcept {
    const std::uintptr_t in_page = reinterpret_cast<std::uintptr_t>(sentinel) & (kPageBytes - 1);
    return kMayReadInPlace && in_page + sizeof(Unit) + kReadSlack <= kPageBytes;
}

// A copy of units with both behind them.
template <typename Source>
class PaddedCopy {
    using Unit = typename Source::Unit;

public:
    PaddedCopy() noexcept = default;
    ~PaddedCopy() {
        if (OCIOR_UNLIKELY(units_)) std::free(units_);
    }
    PaddedCopy(const PaddedCopy&) = delete;
    PaddedCopy& operator=(const PaddedCopy&) = delete;

    // `text` becomes its copy, the last one ends. False, and `text` is what it was, when out of memory.
    [[nodiscard]] bool take(Text<Source>& text) noexcept {
        const auto length = static_cast<std::size_t>(text.last - text.first);
        auto* const units = static_cast<Unit*>(std::malloc((length + 1) * sizeof(Unit) + kReadSlack));
        if (!units) return false;
        if (length) std::memcpy(units, text.first, length * sizeof(Unit));
        std::memset(units + length, 0, sizeof(Unit) + kReadSlack);
        std::free(std::exchange(units_, units));
        text = {units, units + length};
        return true;
    }

private:
    Unit* units_ = nullptr;
};

}  // namespace ocior::grammar
