// Lines that were encoded one by one and wait to be written together.
#pragma once

#include <cstdlib>
#include <cstring>

#include "py/ref.h"

namespace ocior::module {

// Whoever uses it holds the lock of the object that it belongs to.
class WaitingLines {
public:
    WaitingLines() noexcept = default;
    ~WaitingLines() { std::free(data_); }
    WaitingLines(const WaitingLines&) = delete;
    WaitingLines& operator=(const WaitingLines&) = delete;

    std::size_t byte_len() const noexcept { return used_; }

    // Puts the bytes object `line` behind the others. False with an error set: MemoryError, or ValueError after the last take().
    [[nodiscard]] bool add(PyObject* line) noexcept {
        if (OCIOR_UNLIKELY(is_over_)) return PyErr_SetString(PyExc_ValueError, "the Writer is closed"), false;
        const auto n = static_cast<std::size_t>(PyBytes_GET_SIZE(line));
        if (OCIOR_UNLIKELY(capacity_ - used_ < n) && !grow(n)) return false;
        std::memcpy(data_ + used_, PyBytes_AS_STRING(line), n);
        used_ += n;
        return true;
    }

    // All of them, which wait no longer. Null with MemoryError set: then they still do. `is_last`: no more are taken in.
    PyObject* take(bool is_last) noexcept {
        PyObject* const lines = PyBytes_FromStringAndSize(data_, static_cast<Py_ssize_t>(used_));
        if (!lines) return nullptr;
        used_ = 0;
        is_over_ |= is_last;
        if (is_over_ || capacity_ > kMostKept) {
            std::free(std::exchange(data_, nullptr));
            capacity_ = 0;
        }
        return lines;
    }

private:
    static constexpr std::size_t kFirst = 64 * 1024, kMostKept = 1024 * 1024;  // bytes

    OCIOR_NOINLINE bool grow(std::size_t extra) noexcept {
        std::size_t capacity = capacity_ ? 2 * capacity_ : kFirst;
        if (capacity - used_ < extra) capacity = used_ + extra;
        char* const data = static_cast<char*>(std::realloc(data_, capacity));
        if (!data) return PyErr_NoMemory(), false;
        data_ = data;
        capacity_ = capacity;
        return true;
    }

    char* data_ = nullptr;
    std::size_t used_ = 0, capacity_ = 0;
    bool is_over_ = false;
};

}  // namespace ocior::module
