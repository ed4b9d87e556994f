// The value of a record that has not come whole: read token by token as the text comes, so that nothing is read more than twice.
#pragma once

#include "decode/inside.h"
#include "stream/block.h"
#include "stream/value_end.h"

namespace ocior::stream {

using namespace grammar;

class Snapshot {
public:
    Snapshot() noexcept = default;
    ~Snapshot() { forget(); }
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;

    // What values are made of.
    struct Means {
        const Constants& constants;
        decode::Context& context;
        const decode::Options& options;  // without hooks
    };

    // The value so far of the record that begins at `offset` of its source, of which [first, last) has come: a new reference, None where
    // nothing of it can be told. Containers that are open are new objects, what is complete in them is the same in every snapshot. A string
    // that is open counts with its whole characters, or, without `with_strings`, not at all, as half a number, word or key. Null with
    // error() set, where Error::kPython means that an exception is set; mistake() is the byte to blame. Behind `last` are a NUL and bytes
    // that may be read.
    PyObject* take(const Means& means, std::uint64_t offset, const std::uint8_t* first, const std::uint8_t* last,
                   bool with_strings) noexcept;
    void forget() noexcept;
    // For the garbage collector: who has snapshots has what is complete in them, too, and may tie it to the owner of this.
    int visit(visitproc visit, void* arg) const noexcept;

    Error error() const noexcept { return error_; }
    const std::uint8_t* mistake() const noexcept { return mistake_; }

private:
    enum class Expects : std::uint8_t { kValue, kFirstValue, kKey, kFirstKey, kColon, kAfter, kNothing };

    // A container that is open.
    struct Level {
        PyObject* container;  // owned: what is complete in it
        PyObject* key;        // owned: of the value that comes, or null
        bool is_object;
    };

    [[nodiscard]] bool advance(const Means& means, const std::uint8_t* first, const std::uint8_t* last) noexcept;
    [[nodiscard]] bool open(const Means& means, bool is_object) noexcept;
    [[nodiscard]] bool put(PyObject* value) noexcept;
    [[nodiscard]] bool fail(Error error, const std::uint8_t* at) noexcept;
    // The token at `p`, a string, number or word, which is whole. Null where it is wrong.
    PyObject* read(const Means& means, const std::uint8_t* p, const std::uint8_t* last, const std::uint8_t*& next) noexcept;
    [[nodiscard]] bool begin_of_string(const Means& means, const std::uint8_t* first, const std::uint8_t* last, Owned& string) noexcept;
    [[nodiscard]] bool append_text(int kind_of_piece, const void* piece, std::size_t length, Py_UCS4 largest) noexcept;
    void begin_text() noexcept;
    [[nodiscard]] bool add_open(const Level& level, PyObject* container, PyObject* value) const noexcept;
    PyObject* put_together(Owned innermost) noexcept;

    Stack<Level> levels_;
    // Of a string that is open: its text as far as a snapshot has read it, in the units of a str of that kind and largest character.
    Stack<std::uint8_t> text_, piece_;
    std::size_t text_at_ = 1;  // how many bytes of the token that is
    std::size_t text_len_ = 0;
    int text_kind_ = 1;
    Py_UCS4 text_max_ = 0;
    ValueEnd end_;               // of the token that begins at at_
    std::size_t depth_ = 0;
    std::size_t at_ = 0;         // how many bytes of the record have been read
    std::uint64_t offset_ = ~std::uint64_t{0};
    PyObject* root_ = nullptr;   // owned: the record's value, once it is whole
    Expects expects_ = Expects::kValue;
    bool is_token_open_ = false;
    bool keeps_first_ = false;   // of equal keys
    Error error_ = Error::kNone;
    const std::uint8_t* mistake_ = nullptr;
};

}  // namespace ocior::stream
