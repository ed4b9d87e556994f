// A line of text that is put together from code points, for people to read.
#pragma once

#include <algorithm>
#include <cstdio>

#include "grammar/stack.h"
#include "py/str.h"

namespace ocior::decode {

using namespace grammar;

// Short ASCII lines lie in the object itself, any others in a block of code points. Once something of a line is lost, for want of memory
// say, it never is whole again.
class Line {
public:
    Line() noexcept = default;
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    void add(std::uint32_t code_point) noexcept {
        if (OCIOR_LIKELY(code_point < 0x80 && is_short_ && length_ < kShort)) ascii_[length_++] = static_cast<std::uint8_t>(code_point);
        else add_to_units(code_point);
    }
    // `n` units that are code points.
    template <typename Unit>
    void add(const Unit* units, std::size_t n) noexcept {
        for (std::size_t i = 0; i < n; ++i) add(units[i]);
    }
    template <typename Unit>
    void add_ascii(const Unit* units, std::size_t n) noexcept {
        if (!is_short_ || length_ + n > kShort) return add(units, n);
        for (std::size_t i = 0; i < n; ++i) ascii_[length_ + i] = static_cast<std::uint8_t>(units[i]);
        length_ += n;
    }
    void add(const char* ascii) noexcept { add_ascii(ascii, std::strlen(ascii)); }
    void add(const Line& line) noexcept {
        if (line.is_short_) add_ascii(line.ascii_, line.length_);
        else add(line.units_.data(), line.length_);
        is_whole_ = is_whole_ && line.is_whole_;
    }
    void add_spaces(std::size_t n) noexcept {
        while (n-- > 0) add(' ');
    }
    void add_number(std::size_t number) noexcept {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%zu", number);
        add(digits);
    }
    void lose() noexcept { is_whole_ = false; }

    // Empty where it is not whole, or an error is set.
    Owned to_str() const noexcept {
        if (!is_whole_) return {};
        const auto length = static_cast<Py_ssize_t>(length_);
        if (!is_short_) return Owned::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, units_.data(), length));
        if (length_ <= 1) return Owned::steal(PyUnicode_FromKindAndData(PyUnicode_1BYTE_KIND, ascii_, length));  // one of its own
        Owned str = Owned::steal(PyUnicode_New(length, 0x7f));
        if (str) std::memcpy(PyUnicode_1BYTE_DATA(str.get()), ascii_, length_);
        return str;
    }

private:
    static constexpr std::size_t kShort = 480;

    OCIOR_NOINLINE void add_to_units(std::uint32_t code_point) noexcept {
        if (!units_.reserve(length_ + 1)) is_whole_ = false;
        if (!is_whole_) return;
        if (is_short_) std::copy(ascii_, ascii_ + length_, units_.data());
        is_short_ = false;
        units_.data()[length_++] = code_point;
    }

    Stack<std::uint32_t> units_;
    std::size_t length_ = 0;
    bool is_short_ = true;
    bool is_whole_ = true;
    std::uint8_t ascii_[kShort];
};

}  // namespace ocior::decode
