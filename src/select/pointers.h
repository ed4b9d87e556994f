// JSON pointers (RFC 6901), compiled to a tree: what leads on from a value, and which values are wanted.
#pragma once

#include "grammar/stack.h"
#include "py/str.h"

namespace ocior::select {

using namespace grammar;

// A value that a pointer leads to or through. A node stands behind its parent, and the children of one stand together: first those that
// may be indexes of an array, in ascending order.
struct Node {
    static constexpr std::uint64_t kNoIndex = ~std::uint64_t{0};
    static constexpr std::uint32_t kFew = 8;  // children that are looked at one by one

    PyObject* key = nullptr;     // the token that leads here, a str, owned; null: the whole document
    PyObject* places = nullptr;  // the numbers of children by their keys, owned; null where they are few
    std::uint64_t index = kNoIndex;
    std::uint32_t parent = 0;
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
    std::uint32_t index_count = 0;  // of the children
    bool is_wanted = false;
    bool is_below_wanted = false;
    std::uint64_t key_marks = 0;  // mark_of() the children's keys, ORed together
};

// One of 64 bits, by the first code point and the number of them that a key has. Of an empty key the first one is the quote behind it.
OCIOR_INLINE std::uint64_t mark_of(std::uint32_t first, std::size_t length) noexcept {
    return std::uint64_t{1} << ((length * 8 + first) % 64);
}

// The tokens of a pointer, without their escapes: a tuple of str. Empty with ValueError set for what is no pointer, or TypeError for no
// str.
Owned tokens_of(PyObject* pointer) noexcept;

class Selection {
public:
    Selection() noexcept = default;
    ~Selection() { clear(); }
    Selection(const Selection&) = delete;
    Selection& operator=(const Selection&) = delete;

    // `pointers`: a str, or an iterable of str, each a pointer. False with TypeError set for what is neither, ValueError for what is no
    // pointer, or MemoryError; the selection is empty then.
    [[nodiscard]] bool compile(PyObject* pointers) noexcept;
    void clear() noexcept;
    int visit(visitproc visit, void* arg) const noexcept;

    // Whether one str was given: the result is the value itself then, else a tuple.
    bool is_single() const noexcept { return is_single_; }
    std::size_t pointer_count() const noexcept { return static_cast<std::size_t>(PyTuple_GET_SIZE(pointers_)); }
    PyObject* pointer(std::size_t i) const noexcept { return PyTuple_GET_ITEM(pointers_, static_cast<Py_ssize_t>(i)); }  // borrowed
    // The number of the node that a pointer leads to.
    std::uint32_t node_of(std::size_t pointer) const noexcept { return node_of_.data()[pointer]; }

    const Node* nodes() const noexcept { return nodes_.data(); }
    std::size_t node_count() const noexcept { return node_count_; }
    // How many nodes are wanted; and without those below others that are.
    std::size_t wanted_count() const noexcept { return wanted_count_; }
    std::size_t top_wanted_count() const noexcept { return top_wanted_count_; }

    // The child of that key, a str; null where there is none, or with an error set.
    const Node* child_of(const Node& node, PyObject* key) const noexcept;

private:
    [[nodiscard]] bool compile_all(PyObject* pointers) noexcept;
    [[nodiscard]] bool add(std::size_t pointer) noexcept;
    // The number of the child, which is new if need be; negative with an error set.
    std::int64_t add_child(std::uint32_t parent, PyObject* token) noexcept;
    [[nodiscard]] bool arrange() noexcept;

    PyObject* pointers_ = nullptr;  // a tuple of str, owned
    Stack<Node> nodes_;
    Stack<std::uint32_t> node_of_;
    std::size_t node_count_ = 0, wanted_count_ = 0, top_wanted_count_ = 0;
    bool is_single_ = false;
};

}  // namespace ocior::select
