// The shapes of objects: a tree of which key follows which, whose nodes have the key as an object. The parser predicts the key that came
// last time, and pushes values only. A node at which objects end keeps their keys in order and, where CPython's layout is proven, a
// template dict to clone. What does not fit into the tree is parsed key by key.
#pragma once

#include "grammar/key_trie.h"
#include "py/ref.h"

namespace ocior::decode {

using namespace grammar;

struct DictLeaf {
    using Node = KeyNode<DictLeaf>;

    PyObject* key = nullptr;            // owned
    PyObject** keys = nullptr;          // the keys of an object that ends here (borrowed), once seen twice; owned block
    PyObject* dict_template = nullptr;  // owned
    Node* first_key_inside = nullptr;   // first key of the last object found under this key's value
    Node* nest_inside = nullptr;        // where the last such object ended that held nests; it has a template
    std::uint8_t ended : 1 = 0;         // an object has ended here once
    std::uint8_t list_room : 7 = 0;     // for the items of the last list found under this key's value that held nests, or 0

    void release() noexcept;
};

using ShapeNode = KeyNode<DictLeaf>;
using ShapeTree = KeyTrie<DictLeaf>;

// Budget that the trees of one context share.
struct ShapeBudget : KeyBudget {
    static constexpr std::uint32_t kMaxSettledKeys = 32 * 1024;  // over all nodes at which objects end
    std::uint32_t settled_keys = 0;
};

inline constexpr std::uint16_t kFirstKeys = 64;  // so many keys are learnt of an object that was never met

// Collects the keys of an object that ends at `node`, and its template if `want_template`. False with MemoryError set. Does nothing where
// the budget is exhausted.
[[nodiscard]] bool settle(ShapeBudget& budget, ShapeNode* node, bool want_template) noexcept;

}  // namespace ocior::decode
