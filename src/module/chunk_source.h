// Where the text of records comes from, chunk by chunk: a text in memory, or an object of the package's _stream/sources.py.
#pragma once

#include <algorithm>

#include "module/utf8_text.h"
#include "py/attribute.h"
#include "py/taken_error.h"

namespace ocior::module {

inline constexpr std::size_t kSlice = 256 * 1024;  // bytes that are asked for at a time

// A text that is in memory already, which is given by slices.
class TextInMemory {
public:
    // False with an exception set.
    [[nodiscard]] bool open(PyObject* text) noexcept { return text_.open(text, "data must be str or bytes-like, not %.100s"); }
    // Appends the next slice to `sink`; `is_last` where nothing follows. False when out of memory.
    template <typename Sink>
    [[nodiscard]] bool append_to(Sink& sink, bool& is_last) noexcept {
        const std::size_t n = std::min(text_.byte_len() - appended_, kSlice);
        if (!sink.append(text_.data() + appended_, n)) return false;
        appended_ += n;
        is_last = appended_ == text_.byte_len();
        return true;
    }
    void close() noexcept { text_.close(); }
    const Utf8Text& text() const noexcept { return text_; }

private:
    Utf8Text text_;
    std::size_t appended_ = 0;  // bytes
};

class ChunkSource {
public:
    TextInMemory memory;  // if there is no object to ask
    Owned name;           // for messages: a str, or None

    // `source`: what source_of() of the package has given. False with an exception set.
    [[nodiscard]] bool open(PyObject* source) noexcept {
        if (PyBytes_CheckExact(source)) return name = Owned::borrow(Py_None), memory.open(source);
        read_ = get_attribute(source, "read");
        name = read_ ? get_attribute(source, "name") : Owned();
        if (!name) return false;
        source_ = Owned::borrow(source);
        return true;
    }
    bool is_object() const noexcept { return static_cast<bool>(source_); }

    // Appends the next bytes to `sink`, which has append(), room_for() and add() as stream::Block has, and begin_at(), which is told how
    // many bytes of the data come before them. `is_last`: nothing follows. False with an exception set.
    template <typename Sink>
    [[nodiscard]] bool append_to(Sink& sink, bool& is_last) noexcept {
        if (!source_) {
            if (!memory.append_to(sink, is_last)) return PyErr_NoMemory(), false;
            return PyErr_CheckSignals() == 0;
        }
        if (read_into_) return write_into(sink, is_last);
        const Owned read = Owned::borrow(read_.get());
        const Owned chunk = Owned::steal(PyObject_CallNoArgs(read.get()));
        if (!chunk) return false;
        if (chunk.get() == Py_None) return is_last = true;
        if (!is_begun_) {
            std::uint64_t offset = 0;
            if (!begin(offset)) return false;
            sink.begin_at(offset);
        }
        Utf8Text text;
        if (!text.open(chunk.get(), "a chunk must be bytes-like or str, not %.100s")) return false;
        if (sink.append(text.data(), text.byte_len())) return true;
        return PyErr_NoMemory(), false;
    }

    // Lets go of the source, and has it close what it has opened. False with an exception set.
    [[nodiscard]] bool close() noexcept;
    // Closes the source where an exception is set already, which is what counts.
    void close_in_error() noexcept;

    int visit(visitproc visit, void* arg) const noexcept {
        Py_VISIT(source_.get());
        Py_VISIT(read_.get());
        Py_VISIT(read_into_.get());
        return 0;
    }

private:
    [[nodiscard]] bool begin(std::uint64_t& offset) noexcept;
    // Has read_into() write to the memory. The number of bytes, 0 too where nothing follows; -1 with an exception set.
    Py_ssize_t read_into(char* room, bool& is_last) noexcept;

    // Has a file of our own write its next bytes where they are read.
    template <typename Sink>
    [[nodiscard]] bool write_into(Sink& sink, bool& is_last) noexcept {
        auto* const room = reinterpret_cast<char*>(sink.room_for(kSlice));
        if (!room) return PyErr_NoMemory(), false;
        const Py_ssize_t n = read_into(room, is_last);
        if (n > 0) sink.add(static_cast<std::size_t>(n));
        return n >= 0;
    }

    Owned source_, read_;  // an object with read() and close(), and its method; or none
    Owned read_into_;      // its method that writes to memory that it is given, if it has one
    bool is_begun_ = false;
};

}  // namespace ocior::module
