// The tree of object shapes: which key follows which. A node stands for one key after the keys of its ancestors; the
// parser predicts the child that came last time, verifies it by one compare of raw text, and pushes values only. A node at
// which objects end keeps their keys in order and, where CPython's layout is proven, a template dict to clone.
// Everything is bounded: nodes, raw text, fan-out, keys per shape. What does not fit is parsed key by key.
#pragma once

#include "base/bits.h"
#include "py/ref.h"

namespace ocior::decode {

// What is looked at for every key lies in two cache lines that processors fetch as a pair.
struct alignas(128) ShapeNode {
    static constexpr std::size_t kShortRaw = 64;

    ShapeNode* parent = nullptr;
    ShapeNode* predicted = nullptr;         // the child that followed last time
    ShapeNode* first_child = nullptr;       // children, most recent first
    ShapeNode* first_key_inside = nullptr;  // first key of the last object found under this key's value
    ShapeNode* nest_inside = nullptr;       // where the last such object ended that held nests; it has a template
    PyObject* key = nullptr;                // owned
    PyObject** keys = nullptr;              // the `key_count` keys of an object that ends here (borrowed), once seen twice
    std::uint32_t raw_len = 0;              // bytes of `raw`: the key as written, with its closing quote
    std::uint16_t key_count = 0;
    std::uint8_t child_count = 0;
    std::uint8_t ended : 1 = 0;        // an object has ended here once
    std::uint8_t list_room : 7 = 0;    // for the items of the last list found under this key's value that held nests, or 0

    // Second cache line.
    std::uint8_t short_raw[kShortRaw] = {};  // `raw`, if it is no longer; zeros behind it

    // Third.
    ShapeNode* next_sibling = nullptr;
    PyObject* dict_template = nullptr;  // owned
    std::uint64_t raw_head = 0;         // the first 8 bytes of `raw`, zeros behind it: most keys differ there
    std::uint8_t* long_raw = nullptr;   // `raw`, if it is longer, and kReadSlack zeros; owned
    std::uint32_t path_bytes = 0;       // of raw text, from the root to here
    std::uint8_t misses = 0;            // keys in a row that were none of as many children as there may be
    std::uint8_t skipped = 0;           // keys that were not even looked for since

    const std::uint8_t* raw() const noexcept { return OCIOR_LIKELY(raw_len <= kShortRaw) ? short_raw : long_raw; }
};
static_assert(sizeof(ShapeNode) == 256 && offsetof(ShapeNode, short_raw) == 64 && ShapeNode::kShortRaw >= kReadSlack);

// Budget that the trees of one context share.
struct ShapeBudget {
    static constexpr std::uint32_t kMaxNodes = 4096;
    static constexpr std::uint32_t kMaxRawBytes = 256 * 1024;
    static constexpr std::uint32_t kMaxSettledKeys = 32 * 1024;  // over all nodes at which objects end
    std::uint32_t nodes = 0;
    std::uint32_t settled_keys = 0;
    std::uint32_t raw_bytes = 0;
    std::uint32_t refused = 0;  // keys that found no room since the trees were last cleared
};

class ShapeTree {
public:
    static constexpr std::uint32_t kMaxKeyBytes = 8192;
    // Limits of one shape. A shape that goes through more memory for its keys is slower than no shape, as soon as the program does anything
    // else between two objects.
    static constexpr std::uint16_t kMaxKeys = 1024;
    static constexpr std::uint32_t kMaxShapeBytes = 16 * 1024;  // of raw text
    static constexpr std::uint16_t kFirstKeys = 64;  // and so many of an object that was never met
    static constexpr std::uint8_t kMaxChildren = 24;
    static constexpr std::uint8_t kHopeless = 255;  // misses after which the children are looked through for every 16th key only

    ShapeNode* root() noexcept { return &root_; }

    // The child of `parent` whose raw text is the `raw_len` bytes at `raw`, 8 of which may be read in any case; or null.
    static ShapeNode* find_child(ShapeNode* parent, const void* raw, std::size_t raw_len) noexcept;

    // A new child; takes over `key` only when it succeeds. Null when the budget or a bound is exhausted.
    static ShapeNode* add_child(ShapeBudget& budget, ShapeNode* parent, const void* raw, std::size_t raw_len, PyObject* key) noexcept;

    // Collects the keys of an object that ends at `node`, and its template if `want_template`. False with MemoryError set.
    // Does nothing where the budget is exhausted.
    [[nodiscard]] static bool settle(ShapeBudget& budget, ShapeNode* node, bool want_template) noexcept;

    void clear() noexcept;

private:
    ShapeNode root_;
};

}  // namespace ocior::decode
