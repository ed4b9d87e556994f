// Text that records are read from, as UTF-8: a str, bytes, or what any other buffer holds.
#pragma once

#include "py/str.h"

namespace ocior::module {

// Holds the text, or its export. Nobody changes it, unless it is a buffer of somebody's.
class Utf8Text {
public:
    Utf8Text() noexcept { buffer_.obj = nullptr; }
    ~Utf8Text() { close(); }
    Utf8Text(const Utf8Text&) = delete;
    Utf8Text& operator=(const Utf8Text&) = delete;

    // False with an exception set, TypeError for what is none of these, which `refusal` words: %.100s stands for the name of its type.
    [[nodiscard]] OCIOR_INLINE bool open(PyObject* text, const char* refusal) noexcept {
        if (OCIOR_LIKELY(PyBytes_Check(text))) hold_ = Owned::borrow(text);
        else if (PyUnicode_Check(text)) return open_str(text);
        else return open_buffer(text, refusal);
        return set(PyBytes_AS_STRING(text), static_cast<std::size_t>(PyBytes_GET_SIZE(text)));
    }
    void close() noexcept {
        if (buffer_.obj) PyBuffer_Release(&buffer_);
        hold_ = Owned();
    }

    const std::uint8_t* data() const noexcept { return data_; }
    std::size_t byte_len() const noexcept { return byte_len_; }
    // Whether it stays as it is, and has a NUL behind it.
    bool is_ours() const noexcept { return static_cast<bool>(hold_); }

private:
    bool set(const void* data, std::size_t byte_len) noexcept {
        data_ = static_cast<const std::uint8_t*>(data);
        byte_len_ = byte_len;
        return true;
    }
    [[nodiscard]] bool open_str(PyObject* text) noexcept {
        if (PyUnicode_CheckExact(text) && is_compact_ascii(text)) {
            hold_ = Owned::borrow(text);
            return set(ascii_data(text), static_cast<std::size_t>(PyUnicode_GET_LENGTH(text)));
        }
        hold_ = Owned::steal(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass"));
        return hold_ && set(PyBytes_AS_STRING(hold_.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(hold_.get())));
    }
    [[nodiscard]] bool open_buffer(PyObject* text, const char* refusal) noexcept {
        if (!PyObject_CheckBuffer(text)) return PyErr_Format(PyExc_TypeError, refusal, Py_TYPE(text)->tp_name), false;
        return PyObject_GetBuffer(text, &buffer_, PyBUF_SIMPLE) == 0 && set(buffer_.buf, static_cast<std::size_t>(buffer_.len));
    }

    Owned hold_;
    Py_buffer buffer_;
    const std::uint8_t* data_ = nullptr;
    std::size_t byte_len_ = 0;
};

}  // namespace ocior::module
