#include "decode/shapes.h"

#include <cstdlib>
#include <new>

#include "py/container.h"

namespace ocior::decode {
namespace {

void free_node(ShapeNode* node) noexcept {
    Py_XDECREF(node->dict_template);
    Py_XDECREF(node->key);
    std::free(node->keys);
    std::free(node->long_raw);
    std::free(node);
}

std::uint64_t head_of(const void* raw, std::size_t raw_len) noexcept {
    const auto head = load<std::uint64_t>(raw);
    return raw_len < sizeof head ? head & low_bits(static_cast<unsigned>(8 * raw_len)) : head;
}

// A dict with the node's keys and None for every value, or empty: out of memory, or not clonable (then no error is set).
Owned make_template(ShapeNode* node) noexcept {
    Owned dict = Owned::steal(PyDict_New());
    if (!dict) return dict;
    for (std::uint16_t i = 0; i < node->key_count; ++i)
        if (PyDict_SetItem(dict.get(), node->keys[i], Py_None) < 0) return {};
    if (!is_template(dict.get(), node->key_count)) return {};  // a key occurs twice
    if (PyObject_GC_IsTracked(dict.get())) PyObject_GC_UnTrack(dict.get());
    return dict;
}

}  // namespace

ShapeNode* ShapeTree::find_child(ShapeNode* parent, const void* raw, std::size_t raw_len) noexcept {
    if (OCIOR_UNLIKELY(parent->misses == kHopeless) && ++parent->skipped % 16 != 0) return nullptr;
    const std::uint64_t head = head_of(raw, raw_len);
    for (ShapeNode* child = parent->first_child; child; child = child->next_sibling) {
        if (child->raw_head == head && child->raw_len == raw_len && std::memcmp(child->raw(), raw, raw_len) == 0) {
            parent->misses = 0;
            return child;
        }
    }
    if (parent->child_count == kMaxChildren && parent->misses < kHopeless) ++parent->misses;
    return nullptr;
}

ShapeNode* ShapeTree::add_child(ShapeBudget& budget, ShapeNode* parent, const void* raw, std::size_t raw_len, PyObject* key) noexcept {
    if (parent->path_bytes + raw_len > kMaxShapeBytes) return nullptr;  // full by itself: no reason to forget the others
    const bool fits = raw_len <= kMaxKeyBytes && parent->child_count < kMaxChildren && parent->key_count < kMaxKeys &&
                      budget.nodes < ShapeBudget::kMaxNodes && budget.raw_bytes + raw_len <= ShapeBudget::kMaxRawBytes;
    if (!fits) {
        ++budget.refused;
        return nullptr;
    }
    void* memory = std::aligned_alloc(alignof(ShapeNode), sizeof(ShapeNode));
    if (!memory) return nullptr;
    auto* node = new (memory) ShapeNode;
    std::uint8_t* copy = node->short_raw;
    if (raw_len > ShapeNode::kShortRaw) {
        // Room for whole vectors on both sides of a compare.
        copy = node->long_raw = static_cast<std::uint8_t*>(std::calloc(raw_len + kReadSlack, 1));
        if (!copy) return std::free(node), nullptr;
    }
    std::memcpy(copy, raw, raw_len);
    node->raw_head = head_of(raw, raw_len);
    node->raw_len = static_cast<std::uint32_t>(raw_len);
    node->path_bytes = parent->path_bytes + node->raw_len;
    node->key = key;
    node->key_count = static_cast<std::uint16_t>(parent->key_count + 1);
    node->parent = parent;
    node->next_sibling = parent->first_child;
    parent->first_child = node;
    ++parent->child_count;
    ++budget.nodes;
    budget.raw_bytes += static_cast<std::uint32_t>(raw_len);
    return node;
}

bool ShapeTree::settle(ShapeBudget& budget, ShapeNode* node, bool want_template) noexcept {
    if (budget.settled_keys + node->key_count > ShapeBudget::kMaxSettledKeys) {
        ++budget.refused;
        return true;
    }
    budget.settled_keys += node->key_count;
    node->keys = static_cast<PyObject**>(std::malloc(node->key_count * sizeof(PyObject*)));
    if (!node->keys) return PyErr_NoMemory(), false;
    ShapeNode* step = node;
    for (std::uint16_t i = node->key_count; i-- > 0; step = step->parent) node->keys[i] = step->key;
    if (want_template) {
        Owned dict = make_template(node);
        if (!dict && PyErr_Occurred()) return false;
        node->dict_template = dict.release();
    }
    return true;
}

void ShapeTree::clear() noexcept {
    // Depth first without recursion: children are spliced into a list of nodes to free.
    ShapeNode* pending = root_.first_child;
    while (pending) {
        ShapeNode* node = pending;
        pending = node->next_sibling;
        for (ShapeNode* child = node->first_child; child;) {
            ShapeNode* next = child->next_sibling;
            child->next_sibling = pending;
            pending = child;
            child = next;
        }
        free_node(node);
    }
    root_ = ShapeNode{};
}

}  // namespace ocior::decode
