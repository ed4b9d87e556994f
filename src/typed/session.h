// What one reading into types works with: the decoder's plan and memory, what the module knows of other types, and the problems found.
#pragma once

#include "base/pool.h"
#include "decode/context.h"
#include "decode/state.h"
#include "grammar/key_trie.h"
#include "py/moments.h"
#include "typed/plan.h"

namespace ocior::typed {

using namespace grammar;

// What follows a key.
struct FieldLeaf {
    static constexpr std::int32_t kUnwanted = -1, kRest = -2;

    const Node* node = nullptr;
    std::int32_t slot = kUnwanted;
};
using FieldTrie = KeyTrie<FieldLeaf>;
using FieldNode = FieldTrie::Node;

// An open container.
struct Frame {
    static constexpr std::size_t kNoSlot = ~std::size_t{0};

    Inside inside;
    bool holds_containers;
    std::size_t base;        // index of the first of its values on the value stack
    std::size_t outer_slot;  // index of the place that the container itself is for; kNoSlot: the top of the stack
    const Node* outer;       // what was expected where it stands
    union {
        const ArrayPlan* array;
        const ObjectPlan* object;
    };
    FieldNode* at;       // a class's key that came last; null where keys are not remembered
    const void* key_at;  // the text of the key that came last, behind its quote; null where there was none
    const void* start;   // the opening bracket
};

// Where containers end that were looked through for a tag, so that nothing is looked through twice (unions.h).
class Ends {
public:
    void clear() noexcept {
        if (count_ == 0) return;
        std::memset(places_.data(), 0, (mask_ + 1) * sizeof(Place));
        count_ = 0;
    }
    // The offset behind the container that begins at `start`, which is not 0; 0 where it is not known.
    std::size_t find(std::size_t start) const noexcept {
        if (count_ == 0) return 0;
        for (std::size_t at = slot_of(start);; ++at) {
            const Place& place = places_.data()[at & mask_];
            if (place.end == 0) return 0;
            if (place.start == start) return place.end;
        }
    }
    // False when out of memory.
    [[nodiscard]] bool add(std::size_t start, std::size_t end) noexcept {
        if (2 * count_ >= mask_ && !grow()) return false;
        put(start, end);
        return true;
    }
    void trim(std::size_t kept_bytes) noexcept {
        clear();
        if (places_.capacity() * sizeof(Place) <= kept_bytes) return;
        places_.trim(kept_bytes);
        mask_ = 0;
    }

private:
    struct Place {
        std::size_t start, end;
    };

    static std::size_t slot_of(std::size_t start) noexcept { return start * 0x9E3779B97F4A7C15ull >> 20; }
    void put(std::size_t start, std::size_t end) noexcept {
        std::size_t at = slot_of(start);
        while (places_.data()[at & mask_].end != 0 && places_.data()[at & mask_].start != start) ++at;
        count_ += places_.data()[at & mask_].end == 0;
        places_.data()[at & mask_] = {start, end};
    }
    [[nodiscard]] bool grow() noexcept {
        const std::size_t old_size = mask_ ? mask_ + 1 : 0, size = old_size ? 2 * old_size : 64;
        Stack<Place> old;
        if (!old.reserve(old_size + 1)) return false;
        if (old_size) std::memcpy(old.data(), places_.data(), old_size * sizeof(Place));
        if (!places_.reserve(size)) return false;
        std::memset(places_.data(), 0, size * sizeof(Place));
        mask_ = size - 1;
        count_ = 0;
        for (std::size_t i = 0; i < old_size; ++i)
            if (old.data()[i].end != 0) put(old.data()[i].start, old.data()[i].end);
        return true;
    }

    Stack<Place> places_;
    std::size_t mask_ = 0, count_ = 0;
};

// What a decoder keeps from one reading to the next.
struct Memory {
    using Owner = const Plan*;
    static constexpr std::size_t kKeptBytes = 64 * 1024;

    const Plan* plan;
    Stack<Frame> frames;
    KeyBudget budget;
    FieldTrie* tries = nullptr;  // for each class and source; made when first needed
    Ends ends;
    bool may_be_nested = false;

    explicit Memory(const Plan* owner) noexcept : plan(owner) {}
    ~Memory() { delete[] tries; }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;

    // The trie of a class; null when out of memory: then keys are not remembered.
    FieldTrie* trie(std::uint32_t index, unsigned source) noexcept {
        if (OCIOR_UNLIKELY(!tries)) tries = new (std::nothrow) FieldTrie[plan->trie_count * kSourceCount];
        return OCIOR_LIKELY(tries != nullptr) ? tries + index * kSourceCount + source : nullptr;
    }
    void trim() noexcept {
        frames.trim(kKeptBytes);
        ends.trim(kKeptBytes);
        if (OCIOR_UNLIKELY(budget.refused > 4 * KeyBudget::kMaxNodes)) {
            delete[] std::exchange(tries, nullptr);
            budget = {};
        }
    }
};
using Memories = Pool<Memory, !layout::kHasGil>;

// What the module knows of other types and of the package, once a decoder has been made.
struct State {
    Moments moments;
    InstanceForm uuid;
    std::uint16_t uuid_places[2];
    PyObject* uuid_names[2] = {};  // "int", "is_safe"
    PyObject* unknown_safety = nullptr;
    PyObject* kept = nullptr;  // list
    PyObject *deque_type = nullptr, *decimal_type = nullptr, *path_note = nullptr, *raise_errors = nullptr, *multiple_of = nullptr,
             *describe = nullptr;
    PyObject* decoder_for = nullptr;
    PyObject* validation_error = nullptr;
    PyObject* raw_type = nullptr;  // borrowed
    // Decoders that loads() has used lately, by the address of the type, owned; with a GIL alone.
    static constexpr std::size_t kRecent = 64;
    PyObject* recent[kRecent] = {};
    bool is_ready = false;

    template <typename Act>
    void for_each(Act&& act) noexcept {
        for (PyObject** const one : {&unknown_safety, &kept, &deque_type, &decimal_type, &path_note, &raise_errors, &multiple_of, &describe,
                                     &decoder_for, &validation_error, &uuid_names[0], &uuid_names[1], &moments.module})
            act(*one);
        for (PyObject*& one : recent) act(one);
    }
    int visit(visitproc visit, void* arg) noexcept {
        int stop = 0;
        for_each([&](PyObject* object) {
            if (!stop && object) stop = visit(object, arg);
        });
        return stop;
    }
    void clear() noexcept {
        is_ready = false;
        for_each([](PyObject*& object) { Py_CLEAR(object); });
    }
};

// One reading.
struct Session {
    State& state;
    decode::State& decoder;
    const Plan& plan;
    Memory& memory;
    const decode::Options& any_options;  // of values that are read as loads() reads them
    std::size_t max_errors;
    bool is_bytes;  // the document is bytes of UTF-8, and positions count bytes

    bool is_exacting = false;  // as Decoder::is_exacting
    const decode::Options* options = nullptr;
    Owned stop{};               // a StopIteration that passes through, which decoding takes for what scan_once says
    Owned problems{};           // list of tuples, once there are any
    std::size_t problem_count = 0;
    bool is_utf8 = false;       // positions count bytes of UTF-8
    std::size_t depth = 0;      // of open containers: the index of the innermost frame
    bool is_in_key = false;     // of a dict, which is read as a value: what is wrong with it is the code "key"
    const void* bracket = nullptr;  // where the container begins that is about to be entered
    const ObjectPlan* member = nullptr;  // of the union that it was found to be
    const void* tag_at = nullptr;        // the value of the tag by which that was looked for; null where there was none
    PyObject* last_step = nullptr;       // borrowed: a key at the end of the way to a problem, behind those of the open containers
    const void *tag = nullptr, *behind_tag = nullptr;  // the value that has told the member, if it is a short string
    Lease<decode::Contexts> nested{};  // for values that are read as loads() reads them

    // Whether only mistakes are looked for by now: no code of the user is called, and what is made does not matter.
    bool is_collecting() const noexcept { return problem_count > 0; }
};

}  // namespace ocior::typed
