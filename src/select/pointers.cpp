#include "select/pointers.h"

#include <algorithm>

namespace ocior::select {
namespace {

bool no_memory() noexcept { return PyErr_NoMemory(), false; }

// A token of a pointer without its escapes: ~1 stands for a slash, ~0 for a tilde. Empty with an error set.
Owned unescape(Owned token, PyObject* pointer) noexcept {
    const Py_ssize_t length = PyUnicode_GET_LENGTH(token.get());
    const Py_ssize_t first = PyUnicode_FindChar(token.get(), '~', 0, length, 1);
    if (first == -1) return token;
    for (Py_ssize_t i = first; i >= 0 && i < length; ++i) {
        if (PyUnicode_READ_CHAR(token.get(), i) != '~') continue;
        const Py_UCS4 next = i + 1 < length ? PyUnicode_READ_CHAR(token.get(), i + 1) : 0;
        if (next == '0' || next == '1') continue;
        return PyErr_Format(PyExc_ValueError, "in a JSON pointer '~' is followed by '0' or '1': %R", pointer), Owned();
    }
    for (const char* const escape : {"~1/", "~0~"}) {
        const Owned from = Owned::steal(PyUnicode_FromStringAndSize(escape, 2)), to = Owned::steal(PyUnicode_FromString(escape + 2));
        if (!from || !to) return {};
        token = Owned::steal(PyUnicode_Replace(token.get(), from.get(), to.get(), -1));
        if (!token) return {};
    }
    return token;
}

// The index of an array that a token stands for: digits, the first of which is only 0 where it is the only one.
std::uint64_t index_of(PyObject* token) noexcept {
    constexpr Py_ssize_t kMostDigits = 18;  // all of them fit into 64 bits, and no array is longer
    const Py_ssize_t length = PyUnicode_GET_LENGTH(token);
    if (length == 0 || length > kMostDigits || (length > 1 && PyUnicode_READ_CHAR(token, 0) == '0')) return Node::kNoIndex;
    std::uint64_t index = 0;
    for (Py_ssize_t i = 0; i < length; ++i) {
        const Py_UCS4 digit = PyUnicode_READ_CHAR(token, i) - '0';
        if (digit > 9) return Node::kNoIndex;
        index = index * 10 + digit;
    }
    return index;
}

}  // namespace

Owned tokens_of(PyObject* pointer) noexcept {
    if (!PyUnicode_Check(pointer))
        return PyErr_Format(PyExc_TypeError, "a JSON pointer must be a str, not %.200s", Py_TYPE(pointer)->tp_name), Owned();
    const Py_ssize_t length = PyUnicode_GET_LENGTH(pointer);
    if (length && PyUnicode_READ_CHAR(pointer, 0) != '/')
        return PyErr_Format(PyExc_ValueError, "a JSON pointer is empty or begins with '/': %R", pointer), Owned();
    const Owned tokens = Owned::steal(PyList_New(0));
    for (Py_ssize_t at = 0; tokens && at < length;) {
        Py_ssize_t end = PyUnicode_FindChar(pointer, '/', at + 1, length, 1);
        if (end < 0) end = length;
        Owned token = Owned::steal(PyUnicode_Substring(pointer, at + 1, end));
        if (token) token = unescape(std::move(token), pointer);
        if (!token || PyList_Append(tokens.get(), token.get()) < 0) return {};
        at = end;
    }
    return tokens ? Owned::steal(PyList_AsTuple(tokens.get())) : Owned();
}

void Selection::clear() noexcept {
    for (std::size_t i = 0; i < node_count_; ++i) {
        Py_CLEAR(nodes_.data()[i].key);
        Py_CLEAR(nodes_.data()[i].places);
    }
    node_count_ = wanted_count_ = top_wanted_count_ = 0;
    Py_CLEAR(pointers_);
}

int Selection::visit(visitproc visit, void* arg) const noexcept {
    Py_VISIT(pointers_);
    for (std::size_t i = 0; i < node_count_; ++i) Py_VISIT(nodes_.data()[i].places);
    return 0;
}

bool Selection::compile(PyObject* pointers) noexcept {
    clear();
    if (compile_all(pointers)) return true;
    clear();
    return false;
}

bool Selection::compile_all(PyObject* pointers) noexcept {
    is_single_ = PyUnicode_Check(pointers);
    const Owned given = is_single_ ? Owned::steal(PyTuple_Pack(1, pointers)) : Owned::steal(PySequence_Tuple(pointers));
    if (!given) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) && !Py_TYPE(pointers)->tp_iter)
            PyErr_Format(PyExc_TypeError, "pointers must be a str or an iterable of str, not %.200s", Py_TYPE(pointers)->tp_name);
        return false;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(given.get());
    pointers_ = PyTuple_New(count);
    if (!pointers_) return false;
    std::size_t most_nodes = 1;
    for (Py_ssize_t i = 0; i < count; ++i) {
        PyObject* const pointer = PyTuple_GET_ITEM(given.get(), i);
        if (!PyUnicode_Check(pointer))
            return PyErr_Format(PyExc_TypeError, "a JSON pointer must be a str, not %.200s", Py_TYPE(pointer)->tp_name), false;
        PyObject* const text = PyUnicode_FromObject(pointer);  // of an instance of a derived class the str itself
        if (!text) return false;
        PyTuple_SET_ITEM(pointers_, i, text);
        StrView view;
        if (!view_of(text, view)) return false;
        for (std::size_t k = 0; k < view.length; ++k) most_nodes += PyUnicode_READ_CHAR(text, static_cast<Py_ssize_t>(k)) == '/';
    }
    constexpr std::size_t kMostNodes = ~std::uint32_t{0} / 2;
    if (most_nodes > kMostNodes || !nodes_.reserve(most_nodes) || !node_of_.reserve(static_cast<std::size_t>(count))) return no_memory();
    nodes_.data()[0] = {};
    node_count_ = 1;
    for (Py_ssize_t i = 0; i < count; ++i)
        if (!add(static_cast<std::size_t>(i))) return false;
    return arrange();
}

bool Selection::add(std::size_t pointer) noexcept {
    const Owned tokens = tokens_of(this->pointer(pointer));
    if (!tokens) return false;
    std::uint32_t node = 0;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tokens.get()); ++i) {
        const std::int64_t child = add_child(node, PyTuple_GET_ITEM(tokens.get(), i));
        if (child < 0) return false;
        node = static_cast<std::uint32_t>(child);
    }
    nodes_.data()[node].is_wanted = true;
    node_of_.data()[pointer] = node;
    return true;
}

std::int64_t Selection::add_child(std::uint32_t parent, PyObject* token) noexcept {
    PyObject*& places = nodes_.data()[parent].places;
    if (!places && !(places = PyDict_New())) return -1;
    if (PyObject* const found = PyDict_GetItemWithError(places, token)) return PyLong_AsLongLong(found);
    if (PyErr_Occurred()) return -1;
    const Owned place = Owned::steal(PyLong_FromSize_t(node_count_));
    if (!place || PyDict_SetItem(places, token, place.get()) < 0) return -1;
    Node& child = nodes_.data()[node_count_];
    child = {};
    child.key = new_ref(token);
    child.index = index_of(token);
    child.parent = parent;
    return static_cast<std::int64_t>(node_count_++);
}

// Sorts the nodes by their parents, behind which they stand already, and so they do afterwards.
bool Selection::arrange() noexcept {
    Node* const nodes = nodes_.data();
    Stack<Node> old;
    Stack<std::uint32_t> order, place_of;
    if (!old.reserve(node_count_) || !order.reserve(node_count_) || !place_of.reserve(node_count_)) return no_memory();
    std::copy(nodes, nodes + node_count_, old.data());
    std::uint32_t* const first = order.data();
    for (std::size_t i = 0; i < node_count_; ++i) first[i] = static_cast<std::uint32_t>(i);
    std::sort(first + 1, first + node_count_, [&old](std::uint32_t a, std::uint32_t b) {
        const Node &x = old.data()[a], &y = old.data()[b];
        return x.parent != y.parent ? x.parent < y.parent : x.index != y.index ? x.index < y.index : a < b;
    });
    for (std::size_t i = 0; i < node_count_; ++i) {
        place_of.data()[first[i]] = static_cast<std::uint32_t>(i);
        nodes[i] = old.data()[first[i]];
        nodes[i].parent = place_of.data()[nodes[i].parent];
    }
    for (std::size_t i = 0; i < pointer_count(); ++i) node_of_.data()[i] = place_of.data()[node_of_.data()[i]];
    for (std::size_t i = 0; i < node_count_; ++i) {
        Node& node = nodes[i];
        if (i > 0) {
            Node& parent = nodes[node.parent];
            if (parent.child_count++ == 0) parent.first_child = static_cast<std::uint32_t>(i);
            parent.index_count += node.index != Node::kNoIndex;
            node.is_below_wanted = parent.is_wanted || parent.is_below_wanted;
            const Py_ssize_t length = PyUnicode_GET_LENGTH(node.key);
            parent.key_marks |= mark_of(length ? PyUnicode_READ_CHAR(node.key, 0) : '"', static_cast<std::size_t>(length));
            // The numbers change that the parent knows its children by.
            const Owned place = Owned::steal(PyLong_FromSize_t(i));
            if (!place || PyDict_SetItem(parent.places, node.key, place.get()) < 0) return false;
        }
        wanted_count_ += node.is_wanted;
        top_wanted_count_ += node.is_wanted && !node.is_below_wanted;
    }
    for (std::size_t i = 0; i < node_count_; ++i)
        if (nodes[i].child_count <= Node::kFew) Py_CLEAR(nodes[i].places);
    return true;
}

const Node* Selection::child_of(const Node& node, PyObject* key) const noexcept {
    if (node.places) {
        PyObject* const place = PyDict_GetItemWithError(node.places, key);
        return place ? nodes() + PyLong_AsLong(place) : nullptr;
    }
    const Node* const first = nodes() + node.first_child;
    for (const Node* child = first; child != first + node.child_count; ++child)
        if (PyUnicode_Compare(child->key, key) == 0) return child;
    return nullptr;
}

}  // namespace ocior::select
