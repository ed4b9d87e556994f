// A document's units with the sentinel and the readable slack that the parser relies on: in place where the page allows
// it, else a copy.
#pragma once

#include <cstdlib>

#include "decode/source.h"
#include "py/ref.h"

namespace ocior::decode {

// (AddressSanitizer knows no pages: under it everything is copied.)
inline constexpr bool kMayReadInPlace = !OCIOR_HAS_ASAN;

// Whether the NUL unit at `sentinel`, which is ours, lies so far from its page's end that reading on cannot fault.
template <typename Unit>
OCIOR_INLINE bool may_read_in_place(const Unit* sentinel) noexcept {
    const std::uintptr_t in_page = reinterpret_cast<std::uintptr_t>(sentinel) & (kPageBytes - 1);
    return kMayReadInPlace && in_page + sizeof(Unit) + kReadSlack <= kPageBytes;
}

template <typename Source>
class Padded {
    using Unit = typename Source::Unit;

public:
    Padded() noexcept = default;
    ~Padded() { std::free(copy_); }
    Padded(const Padded&) = delete;
    Padded& operator=(const Padded&) = delete;

    // The units are immutable for the whole call and a NUL unit follows them.
    [[nodiscard]] bool prepare(const void* data, std::size_t length, Text<Source>& text) noexcept {
        const auto* first = static_cast<const Unit*>(data);
        if (may_read_in_place(first + length)) {
            text = {first, first + length};
            return true;
        }
        return copy(first, length, text);
    }

    // A copy, whatever is behind the units. False with MemoryError set.
    [[nodiscard]] bool copy(const Unit* first, std::size_t length, Text<Source>& text) noexcept {
        copy_ = std::malloc((length + 1) * sizeof(Unit) + kReadSlack);
        if (!copy_) return PyErr_NoMemory(), false;
        auto* units = static_cast<Unit*>(copy_);
        if (length) std::memcpy(units, first, length * sizeof(Unit));
        std::memset(units + length, 0, sizeof(Unit) + kReadSlack);
        text = {units, units + length};
        return true;
    }

private:
    void* copy_ = nullptr;
};

}  // namespace ocior::decode
