// The key objects of a document, found by what they hold, so that equal keys are one object, as json has it, however many there are.
#pragma once

#include "grammar/stack.h"
#include "py/ref.h"

namespace ocior::decode {

using namespace grammar;

// A hash table with open addressing over an array of keys in the order in which they came. Places in it are told by CPython's own hash of a
// str, for which every process has a secret key: nobody can make keys that collide.
class KeyTable {
public:
    KeyTable() noexcept = default;
    ~KeyTable() { clear(); }
    KeyTable(const KeyTable&) = delete;
    KeyTable& operator=(const KeyTable&) = delete;

    // Whether there are so many keys, or keys so long, that those nobody keeps are to be forgotten after a call.
    bool is_large() const noexcept { return log_slots_ > kFirstLogSlots || unit_count_ > kMostUnits; }

    // The key that equals `key`, a str, or else `key` itself, which is remembered. Takes over a reference and gives one back. Null, with
    // the reference dropped and an error set, when out of memory.
    PyObject* share(PyObject* key) noexcept;

    // The key that came behind the one that was found last, borrowed: large objects that come again mostly have their keys in the same
    // order, and so neither a str need be made nor a place be looked at. Null where none is expected.
    OCIOR_INLINE PyObject* expected() noexcept { return OCIOR_LIKELY(found_ == 0) || found_ == count_ ? nullptr : key_at(found_); }
    OCIOR_INLINE void was_expected() noexcept { ++found_; }
    OCIOR_INLINE void expect_none() noexcept { found_ = 0; }

    // Makes room for `n` more keys, as far as there is memory.
    void expect_more(std::size_t n) noexcept;

    // Shares a key as share() does, so that it outlives forget_others(). Returns the key itself, without an error, where there is no memory
    // for that.
    PyObject* share_and_keep(PyObject* key) noexcept;

    void forget_others() noexcept;
    void clear() noexcept;

private:
    // A place in the table: 0 if it is free, else the upper half of a hash, and the number of the key, from 1 on.
    using Slot = std::uint64_t;
    // The first block of places, and that of the keys in them, are got early and kept: what is got while a large document is read, and
    // stays, would keep the C library from giving back all that lies below it.
    static constexpr unsigned kFirstLogSlots = 13;
    static constexpr std::size_t kFirstKeys = 6144, kMostUnits = 512 * 1024;
    static constexpr std::uintptr_t kIsKept = 1;  // in the address of a key

    static std::uint32_t half_of(Py_hash_t hash) noexcept { return static_cast<std::uint32_t>(static_cast<std::uint64_t>(hash) >> 32); }
    // Takes the upper bits: a table twice as large has the keys in the same order, so that growing goes through both tables from end to
    // end.
    std::size_t home_of(std::uint32_t half) const noexcept { return half >> (32 - log_slots_); }
    std::size_t mask() const noexcept { return (std::size_t{1} << log_slots_) - 1; }
    // The number of the key that equals `key`, which it becomes if there is none. 0 with an error set.
    std::size_t number_of(PyObject* key) noexcept;
    PyObject* key_at(std::size_t i) noexcept { return reinterpret_cast<PyObject*>(keys_.data()[i] & ~kIsKept); }
    // A table holds at most three keys in four places.
    bool is_full_with(std::size_t count) const noexcept { return !slots_ || 4 * count > 3 * (mask() + 1); }
    [[nodiscard]] bool begin() noexcept;
    [[nodiscard]] bool grow(unsigned log_slots) noexcept;
    [[nodiscard]] bool grow() noexcept { return slots_ ? grow(log_slots_ + 1) : begin(); }
    void put(Slot* slots, std::uint32_t half, Slot slot) noexcept;
    void forget_slots() noexcept;

    Slot* slots_ = nullptr;  // the first block, or a larger one
    Slot* first_slots_ = nullptr;
    unsigned log_slots_ = 0;
    std::size_t count_ = 0;
    std::size_t found_ = 0;  // the number of the key that was found last, if it was the last that was asked for; else 0
    std::size_t unit_count_ = 0;
    Stack<std::uintptr_t> keys_;  // owned references
};

}  // namespace ocior::decode
