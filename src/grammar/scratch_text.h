// Text under construction, in the working memory of a call.
#pragma once

#include "grammar/stack.h"
#include "simd/unescape.h"
#include "text/scalar.h"

namespace ocior::grammar {

// The width of the units that hold code points with these bits, ORed together.
OCIOR_INLINE unsigned unit_width(std::uint32_t bits) noexcept { return bits < 0x100 ? 1 : bits < 0x10000 ? 2 : 4; }

// A string with escapes, in units that grow wider as wider ones are met. What comes from single bytes may be
// UTF-16 while its units have two (simd::kUtf16Escapes).
class ScratchText {
public:
    explicit ScratchText(Stack<std::uint8_t>& scratch) noexcept : scratch_(scratch) {}

    // Begins with the n units at `units`. False when out of memory.
    template <CodeUnit Unit>
    [[nodiscard]] bool start(const Unit* units, std::size_t n) noexcept {
        width_ = sizeof(Unit);
        if (!reserve(n)) return false;
        std::memcpy(scratch_.data(), units, n * sizeof(Unit));
        length_ = n;
        return true;
    }

    std::size_t length() const noexcept { return length_; }
    unsigned width() const noexcept { return width_; }
    std::uint8_t* data() noexcept { return scratch_.data(); }
    template <CodeUnit Unit>
    Unit* end() noexcept {
        return reinterpret_cast<Unit*>(scratch_.data()) + length_;
    }
    void advance(std::size_t units) noexcept { length_ += units; }

    // Makes room for `extra` more units of the present width, and for a vector's store behind them.
    [[nodiscard]] bool reserve(std::size_t extra) noexcept { return scratch_.reserve((length_ + extra) * width_ + kWriteSlack); }
    std::size_t room() const noexcept { return (scratch_.capacity() - kWriteSlack) / width_ - length_; }

    // Makes room for `extra` more units that hold code points with these bits. The text gets wider units first, if its present ones are too
    // narrow.
    [[nodiscard]] bool prepare(std::size_t extra, std::uint32_t bits) noexcept {
        const unsigned width = unit_width(bits);
        if (OCIOR_LIKELY(width <= width_)) return reserve(extra);
        if (simd::kUtf16Escapes && has_pairs_) {
            const std::uint32_t* const units = join_pairs();
            if (!units) return false;
            std::memmove(scratch_.data(), units, length_ * width_);
            return reserve(extra);
        }
        if (!scratch_.reserve((length_ + extra) * width + kWriteSlack)) return false;
        if (width == 2) widen<std::uint8_t, std::uint16_t>();
        else if (width_ == 2) widen<std::uint16_t, std::uint32_t>();
        else widen<std::uint8_t, std::uint32_t>();
        return true;
    }

    [[nodiscard]] bool append(std::uint32_t code_point) noexcept {
        if (!prepare(1, code_point)) return false;
        if (width_ == 1) *end<std::uint8_t>() = static_cast<std::uint8_t>(code_point);
        else if (width_ == 2) *end<std::uint16_t>() = static_cast<std::uint16_t>(code_point);
        else *end<std::uint32_t>() = code_point;
        ++length_;
        return true;
    }

    // Appends a code point to a text that may be UTF-16.
    [[nodiscard]] bool append_utf16(std::uint32_t code_point) noexcept {
        if (!simd::kUtf16Escapes || width_ == 4 || (code_point < 0x10000 && !text::is_surrogate(code_point))) return append(code_point);
        const bool appended = code_point < 0x10000
                                  ? append(code_point)
                                  : append(0xD800 + ((code_point - 0x10000) >> 10)) && append(0xDC00 + (code_point & 0x3FF));
        has_pairs_ = true;
        return appended;
    }
    // Notes that pairs of surrogates may be among what was written.
    void add_pairs() noexcept { has_pairs_ = true; }
    bool has_pairs() const noexcept { return has_pairs_; }

    // Turns UTF-16 into units of four bytes, and returns these, which are not at data() yet. Null when out of memory.
    std::uint32_t* join_pairs() noexcept {
        const std::size_t wide_at = (2 * length_ + kWriteSlack + 63) & ~std::size_t{63};
        if (!scratch_.reserve(wide_at + 4 * length_ + kWriteSlack)) return nullptr;
        *end<std::uint16_t>() = 0;
        auto* const wide = reinterpret_cast<std::uint32_t*>(scratch_.data() + wide_at);
        length_ =
            static_cast<std::size_t>(simd::join_surrogates(wide, reinterpret_cast<const std::uint16_t*>(scratch_.data()), length_) - wide);
        width_ = 4;
        has_pairs_ = false;
        return wide;
    }

    // Appends a code point to a text of UTF-8.
    [[nodiscard]] bool append_utf8(std::uint32_t code_point) noexcept {
        if (!reserve(4)) return false;
        length_ = static_cast<std::size_t>(text::scalar::write_utf8(end<std::uint8_t>(), code_point) - scratch_.data());
        return true;
    }

private:
    // Widens the units in place, from the last vector to the first: what is stored lies at or behind what is still to be read.
    template <CodeUnit Narrow, CodeUnit Wide>
    void widen() noexcept {
        constexpr std::size_t kStep = simd::Vec<Wide>::kLanes;
        auto* const from = reinterpret_cast<const Narrow*>(scratch_.data());
        auto* const to = reinterpret_cast<Wide*>(scratch_.data());
        for (std::size_t i = (length_ + kStep - 1) / kStep * kStep; i > 0; i -= kStep)
            simd::load_widened<Wide>(from + i - kStep).store(to + i - kStep);
        width_ = sizeof(Wide);
    }

    Stack<std::uint8_t>& scratch_;
    std::size_t length_ = 0;
    unsigned width_ = 1;
    bool has_pairs_ = false;
};

}  // namespace ocior::grammar
