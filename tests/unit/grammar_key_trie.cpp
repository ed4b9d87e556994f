// Which key follows which, with a leaf that knows no Python: what was added is found, nothing else is, and every bound holds.
#include "grammar/key_trie.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "text_samples.h"

using namespace ocior;

namespace {

struct Column {
    int number = 0;
    int* released = nullptr;
    void release() noexcept { ++*released; }
};
struct Bare {
    std::uint64_t words[6] = {};
};
using Trie = grammar::KeyTrie<Column>;
using Node = Trie::Node;

struct Fixture {
    grammar::KeyBudget budget;
    int released = 0;
    Trie trie;

    Node* add(Node* parent, const std::string& key, int number = 0) {
        return Trie::add(budget, parent, padded(key).data(), key.size(), {number, &released});
    }
    Node* find(Node* parent, const std::string& key) { return Trie::find(parent, padded(key).data(), key.size()); }
    // With what may be read behind it.
    static std::string padded(const std::string& key) { return key + "\"garbage\""; }
};

std::string key_of(std::size_t length, char first = 'k') {
    std::string key(length, first);
    for (std::size_t i = 1; i < length; ++i) key[i] = static_cast<char>('a' + i * 7 % 26);
    return key;
}

}  // namespace

TEST_CASE("what was added is found, and what differs in one byte is not") {
    for (std::size_t length = 1; length <= 200; ++length) {
        Fixture f;
        const std::string key = key_of(length);
        Node* const node = f.add(f.trie.root(), key, 7);
        REQUIRE(node);
        CHECK(node->leaf.number == 7);
        CHECK(node->parent == f.trie.root());
        CHECK(node->key_count == 1);
        CHECK(node->path_bytes == length);
        CHECK(std::string(reinterpret_cast<const char*>(node->raw()), node->raw_len) == key);
        CHECK(f.find(f.trie.root(), key) == node);
        for (std::size_t i = 0; i < length; ++i) {
            std::string other = key;
            other[i] ^= 1;
            CHECK(f.find(f.trie.root(), other) == nullptr);
        }
        CHECK(f.find(f.trie.root(), key.substr(0, length - 1)) == nullptr);
        CHECK(f.find(f.trie.root(), key + "x") == nullptr);
        CHECK(f.find(node, key) == nullptr);
        f.trie.clear();
        CHECK(f.released == 1);
        CHECK(f.find(f.trie.root(), key) == nullptr);
    }
}

TEST_CASE("any two short keys are told apart") {
    for (unsigned n = 0; n < 0x10000; ++n) {
        Fixture f;
        const std::string one(1, static_cast<char>(n)), two{static_cast<char>(n), static_cast<char>(n >> 8)};
        Node* const first = f.add(f.trie.root(), one);
        Node* const second = f.add(f.trie.root(), two);
        if (f.find(f.trie.root(), one) != first || f.find(f.trie.root(), two) != second) FAIL(n);
    }
}

TEST_CASE("a node matches text of every width, up to the text's end") {
    const samples::Guarded memory(16);
    const auto check = [&]<typename Unit>(Unit) {
        for (std::size_t length = 1; length <= 150; ++length) {
            Fixture f;
            std::vector<Unit> key(length + 8);  // of which more than the key may be read
            for (std::size_t i = 0; i < length; ++i) key[i] = static_cast<Unit>('a' + i % 26);
            key[length - 1] = '"';
            Node* const node = Trie::add(f.budget, f.trie.root(), key.data(), length * sizeof(Unit), {0, &f.released});
            REQUIRE(node);
            // The document ends `cut` units before the key would.
            for (std::size_t cut = 0; cut <= length; ++cut) {
                const std::size_t n = length - cut;
                Unit* const p = memory.room<Unit>(n + 1, kReadSlack / sizeof(Unit));
                std::memset(p, 0, (n + 1) * sizeof(Unit) + kReadSlack);
                std::memcpy(p, key.data(), n * sizeof(Unit));
                CHECK(node->matches(p, p + n) == (cut == 0));
                if (n == 0) continue;
                p[n / 2] ^= 1;
                CHECK(!node->matches(p, p + n));
            }
        }
    };
    check(std::uint8_t{});
    check(std::uint16_t{});
    check(std::uint32_t{});
}

TEST_CASE("a node has so many children, of which each is found") {
    Fixture f;
    Node* const root = f.trie.root();
    std::vector<Node*> nodes;
    for (int i = 0; i < Trie::kMaxChildren; ++i) nodes.push_back(f.add(root, "key" + std::to_string(i) + "\"", i));
    CHECK(f.budget.refused == 0);
    CHECK(f.add(root, "one more\"") == nullptr);
    CHECK(f.budget.refused == 1);
    CHECK(f.budget.nodes == Trie::kMaxChildren);
    for (int i = 0; i < Trie::kMaxChildren; ++i)
        CHECK(f.find(root, "key" + std::to_string(i) + "\"") == nodes[static_cast<std::size_t>(i)]);
    // Where others come all the time, every 16th is looked for, and one that is found ends that.
    for (int i = 0; i < Trie::kHopeless; ++i) CHECK(f.find(root, "other") == nullptr);
    int found = 0;
    for (int i = 0; i < 16; ++i) found += f.find(root, "key3\"") != nullptr;
    CHECK(found == 1);
    CHECK(f.find(root, "key3\"") == nodes[3]);
    f.trie.clear();
    CHECK(f.released == Trie::kMaxChildren);
}

TEST_CASE("a way ends at so many keys, and at so many bytes") {
    Fixture f;
    Node* node = f.trie.root();
    for (unsigned n = 0; n < Trie::kMaxKeys; ++n) REQUIRE((node = f.add(node, "k\"")));
    CHECK(node->key_count == Trie::kMaxKeys);
    CHECK(f.add(node, "k\"") == nullptr);
    CHECK(f.budget.refused == 1);

    node = f.trie.root();
    CHECK(f.add(node, key_of(Trie::kMaxKeyBytes + 1)) == nullptr);
    CHECK(f.budget.refused == 2);
    REQUIRE((node = f.add(node, key_of(Trie::kMaxKeyBytes))));
    REQUIRE((node = f.add(node, key_of(Trie::kMaxPathBytes - Trie::kMaxKeyBytes))));
    CHECK(f.add(node, "k") == nullptr);
    CHECK(f.budget.refused == 2);  // it is full by itself
    f.trie.clear();
    CHECK(f.released == Trie::kMaxKeys + 2);
}

TEST_CASE("trees share their budget") {
    Fixture f;
    Trie other;
    const auto fill = [&](Trie& trie, std::size_t key_bytes) {
        std::vector<Node*> parents{trie.root()};
        int added = 0;
        for (std::size_t at = 0; at < parents.size(); ++at) {
            for (int i = 0; i < Trie::kMaxChildren; ++i) {
                Node* const node = f.add(parents[at], key_of(key_bytes - 1, static_cast<char>('a' + i)) + "\"");
                if (!node) return added;
                parents.push_back(node);
                ++added;
            }
        }
        return added;
    };
    CHECK(fill(f.trie, 4) == grammar::KeyBudget::kMaxNodes);
    CHECK(fill(other, 4) == 0);
    f.trie.clear();
    f.budget = {};
    CHECK(fill(other, 1024) == grammar::KeyBudget::kMaxRawBytes / 1024);
    other.clear();
    CHECK(f.released == grammar::KeyBudget::kMaxNodes + grammar::KeyBudget::kMaxRawBytes / 1024);
}

TEST_CASE("a leaf may be anything that fits") {
    grammar::KeyBudget budget;
    grammar::KeyTrie<Bare> trie;
    auto* const node = grammar::KeyTrie<Bare>::add(budget, trie.root(), "key\"        ", 4, {{1, 2, 3, 4, 5, 6}});
    REQUIRE(node);
    CHECK(node->leaf.words[5] == 6);
}
