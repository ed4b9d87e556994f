// Which key follows which in the objects of documents: a tree of keys as they were written, with a leaf of whoever asks at each. A node
// stands for one key behind the keys of its ancestors. Readers predict the child that came last time and verify it by one compare of text.
// Everything is bounded: nodes, text, fan-out, keys on one way. What does not fit is not remembered.
#pragma once

#include <cstdlib>
#include <new>

#include "base/bits.h"
#include "simd/lanes.h"

namespace ocior::grammar {

// What is looked at for every key lies in two cache lines that processors fetch as a pair. Leaf: values without destructors, which fit
// into what is left of the first line.
template <typename Leaf>
struct alignas(128) KeyNode {
    static constexpr std::size_t kShortRaw = 64, kLeafBytes = 48;
    static_assert(sizeof(Leaf) <= kLeafBytes && alignof(Leaf) <= 8 && std::is_trivially_destructible_v<Leaf>);

    KeyNode* predicted = nullptr;  // the child that followed last time
    std::uint32_t raw_len = 0;     // bytes of raw(): the key as written, with its closing quote
    std::uint16_t key_count = 0;   // from the root to here
    Leaf leaf{};

    // Second cache line.
    alignas(64) std::uint8_t short_raw[kShortRaw] = {};  // raw(), if it is no longer; zeros behind it

    // Third.
    KeyNode* parent = nullptr;
    KeyNode* first_child = nullptr;  // children, most recent first
    KeyNode* next_sibling = nullptr;
    std::uint64_t raw_head = 0;        // the first 8 bytes of raw(), zeros behind it: most keys differ there
    std::uint8_t* long_raw = nullptr;  // raw(), if it is longer, and kReadSlack zeros; owned
    std::uint32_t path_bytes = 0;      // of raw text, from the root to here
    std::uint8_t child_count = 0;
    std::uint8_t misses = 0;   // keys in a row that were none of as many children as there may be
    std::uint8_t skipped = 0;  // keys that were not even looked for since

    const std::uint8_t* raw() const noexcept { return OCIOR_LIKELY(raw_len <= kShortRaw) ? short_raw : long_raw; }

    // Whether the text at `p`, behind an opening quote, is this key and its closing quote. `last`: where the document ends.
    template <CodeUnit Unit>
    OCIOR_INLINE bool matches(const Unit* p, const Unit* last) const noexcept {
        const std::size_t length = raw_len;
        if (OCIOR_LIKELY(length <= kReadSlack)) return simd::equal(p, raw(), length);
        return length <= static_cast<std::size_t>(last - p) * sizeof(Unit) && simd::equal(p, raw(), length);
    }
};

// What the trees of one owner may have together.
struct KeyBudget {
    static constexpr std::uint32_t kMaxNodes = 4096;
    static constexpr std::uint32_t kMaxRawBytes = 256 * 1024;
    std::uint32_t nodes = 0;
    std::uint32_t raw_bytes = 0;
    std::uint32_t refused = 0;  // keys that found no room since the trees were last cleared
};

// A leaf may have a release(), which is called once for each when the tree is cleared.
template <typename Leaf>
class KeyTrie {
public:
    using Node = KeyNode<Leaf>;
    static_assert(sizeof(Node) == 256 && offsetof(Node, short_raw) == 64 && Node::kShortRaw >= kReadSlack);

    static constexpr std::uint32_t kMaxKeyBytes = 8192;
    // Limits of one way. One that goes through more memory for its keys is slower than none, as soon as the program does anything else
    // between two objects.
    static constexpr std::uint16_t kMaxKeys = 1024;
    static constexpr std::uint32_t kMaxPathBytes = 16 * 1024;
    static constexpr std::uint8_t kMaxChildren = 24;
    static constexpr std::uint8_t kHopeless = 255;  // misses after which the children are looked through for every 16th key only

    KeyTrie() noexcept = default;
    ~KeyTrie() { clear(); }
    KeyTrie(const KeyTrie&) = delete;
    KeyTrie& operator=(const KeyTrie&) = delete;

    Node* root() noexcept { return &root_; }

    // The child of `parent` whose raw text is the `raw_len` bytes at `raw`, 8 of which may be read in any case; or null.
    static OCIOR_NOINLINE Node* find(Node* parent, const void* raw, std::size_t raw_len) noexcept {
        if (OCIOR_UNLIKELY(parent->misses == kHopeless) && ++parent->skipped % 16 != 0) return nullptr;
        const std::uint64_t head = head_of(raw, raw_len);
        for (Node* child = parent->first_child; child; child = child->next_sibling) {
            if (child->raw_head == head && child->raw_len == raw_len && std::memcmp(child->raw(), raw, raw_len) == 0) {
                parent->misses = 0;
                return child;
            }
        }
        if (parent->child_count == kMaxChildren && parent->misses < kHopeless) ++parent->misses;
        return nullptr;
    }

    // A new child of such a raw text, which takes over the leaf. Null when the budget or a bound is exhausted, or out of memory: then
    // nobody has taken it.
    static OCIOR_NOINLINE Node* add(KeyBudget& budget, Node* parent, const void* raw, std::size_t raw_len, Leaf leaf) noexcept {
        if (parent->path_bytes + raw_len > kMaxPathBytes) return nullptr;  // full by itself: no reason to forget the others
        const bool fits = raw_len <= kMaxKeyBytes && parent->child_count < kMaxChildren && parent->key_count < kMaxKeys &&
                          budget.nodes < KeyBudget::kMaxNodes && budget.raw_bytes + raw_len <= KeyBudget::kMaxRawBytes;
        if (!fits) {
            ++budget.refused;
            return nullptr;
        }
        auto* const node = new (std::nothrow) Node;
        if (!node) return nullptr;
        std::uint8_t* copy = node->short_raw;
        if (raw_len > Node::kShortRaw) {
            // Room for whole vectors on both sides of a compare.
            copy = node->long_raw = static_cast<std::uint8_t*>(std::calloc(raw_len + kReadSlack, 1));
            if (!copy) return delete node, nullptr;
        }
        std::memcpy(copy, raw, raw_len);
        node->raw_head = head_of(raw, raw_len);
        node->raw_len = static_cast<std::uint32_t>(raw_len);
        node->path_bytes = parent->path_bytes + node->raw_len;
        node->leaf = leaf;
        node->key_count = static_cast<std::uint16_t>(parent->key_count + 1);
        node->parent = parent;
        node->next_sibling = parent->first_child;
        parent->first_child = node;
        ++parent->child_count;
        ++budget.nodes;
        budget.raw_bytes += static_cast<std::uint32_t>(raw_len);
        return node;
    }

    // Forgets all keys. What they took of the budget is the owner's to give back.
    OCIOR_NOINLINE void clear() noexcept {
        // Depth first without recursion: children are spliced into a list of nodes to free.
        Node* pending = root_.first_child;
        while (pending) {
            Node* const node = pending;
            pending = node->next_sibling;
            for (Node* child = node->first_child; child;) {
                Node* const next = child->next_sibling;
                child->next_sibling = pending;
                pending = child;
                child = next;
            }
            if constexpr (requires { node->leaf.release(); }) node->leaf.release();
            std::free(node->long_raw);
            delete node;
        }
        root_ = Node{};
    }

private:
    static std::uint64_t head_of(const void* raw, std::size_t raw_len) noexcept {
        const auto head = load<std::uint64_t>(raw);
        return raw_len < sizeof head ? head & low_bits(static_cast<unsigned>(8 * raw_len)) : head;
    }

    Node root_;
};

}  // namespace ocior::grammar
