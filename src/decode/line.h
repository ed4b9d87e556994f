// A line of text that is put together from code points, for people to read.
#pragma once

#include <cstdio>

#include "decode/stack.h"
#include "py/str.h"

namespace ocior::decode {

// Once something of it is lost, for want of memory say, it never is whole again.
class Line {
public:
    void add(std::uint32_t code_point) noexcept {
        if (!units_.reserve(length_ + 1)) is_whole_ = false;
        if (is_whole_) units_.data()[length_++] = code_point;
    }
    void add(const char* ascii) noexcept {
        while (*ascii) add(static_cast<std::uint32_t>(*ascii++));
    }
    void add_number(std::size_t number) noexcept {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%zu", number);
        add(digits);
    }
    void lose() noexcept { is_whole_ = false; }
    // Empty where it is not whole.
    Owned finish() noexcept {
        if (!is_whole_) return {};
        return Owned::steal(PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, units_.data(), static_cast<Py_ssize_t>(length_)));
    }

private:
    Stack<std::uint32_t> units_;
    std::size_t length_ = 0;
    bool is_whole_ = true;
};

}  // namespace ocior::decode
