// Key objects seen lately, so that equal keys of a document are one object. Short ASCII keys are found by their text, before a str
// is made: that is what a key that no shape predicts costs. Any other is made, and given up for the one seen before.
// Direct-mapped, so a collision costs one miss and an adversary gains nothing.
#pragma once

#include "base/bits.h"
#include "py/str.h"

namespace ocior::decode {

class KeyCache {
public:
    static constexpr std::size_t kMaxLen = 64;  // ASCII units

    // Slot for the ASCII text [text, text + len), 2 <= len <= kMaxLen.
    OCIOR_INLINE PyObject*& slot(const std::uint8_t* text, std::size_t len) noexcept { return slots_[hash(text, len) >> (64 - kLogSlots)]; }

    // True when `key`, a compact ASCII str out of a slot, is that text.
    static OCIOR_INLINE bool matches(PyObject* key, const std::uint8_t* text, std::size_t len) noexcept {
        return static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)) == len && std::memcmp(ascii_data(key), text, len) == 0;
    }

    // Puts a new key into its slot, with its hash computed. False with an error set.
    [[nodiscard]] static bool remember(PyObject*& slot, PyObject* key) noexcept {
        if (OCIOR_UNLIKELY(PyObject_Hash(key) == -1)) return false;
        PyObject* old = slot;
        slot = new_ref(key);
        Py_XDECREF(old);
        return true;
    }

    // Whether to look for the next key at all: after many that were new, only now and then.
    OCIOR_INLINE bool is_worth_a_look() noexcept { return OCIOR_LIKELY(misses_ < kHopeless) || ++skipped_ % 16 == 0; }
    OCIOR_INLINE void hit() noexcept { misses_ = 0; }
    OCIOR_INLINE void missed() noexcept { misses_ += misses_ < kHopeless; }

    // The key seen before that equals `key`, or `key` itself, remembered. Takes over a reference and gives one back.
    // Null with an error set when the key has no hash.
    PyObject* share(PyObject* key) noexcept {
        const auto length = static_cast<std::size_t>(PyUnicode_GET_LENGTH(key));
        if (length > kMaxSharedLen) return key;
        const Py_hash_t hash = PyObject_Hash(key);
        if (OCIOR_UNLIKELY(hash == -1)) return Py_DECREF(key), nullptr;
        const bool is_short = PyUnicode_IS_ASCII(key) && length >= 2 && length <= kMaxLen;
        PyObject*& place = is_short ? slot(ascii_data(key), length) : shared_[static_cast<std::size_t>(hash) % kSharedSlots];
        if (place && PyObject_Hash(place) == hash && PyUnicode_Compare(place, key) == 0) {
            Py_DECREF(key);
            return new_ref(place);
        }
        PyObject* old = place;
        place = new_ref(key);
        Py_XDECREF(old);
        return key;
    }

    void clear() noexcept {
        for (PyObject*& key : slots_) Py_CLEAR(key);
        for (PyObject*& key : shared_) Py_CLEAR(key);
    }

private:
    static constexpr unsigned kLogSlots = 11;

    // First and last words, folded by a multiplication by 2^64 / golden ratio (Knuth, TAOCP 3, 6.4).
    static OCIOR_INLINE std::uint64_t hash(const std::uint8_t* text, std::size_t len) noexcept {
        std::uint64_t head = 0, tail = 0;
        if (len >= 8) {
            head = load<std::uint64_t>(text);
            tail = load<std::uint64_t>(text + len - 8);
        } else if (len >= 4) {
            head = load<std::uint32_t>(text);
            tail = load<std::uint32_t>(text + len - 4);
        } else {
            head = load<std::uint16_t>(text);
            tail = text[len - 1];
        }
        std::uint64_t h = (head ^ len) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 32;
        return (h + tail) * 0x9E3779B97F4A7C15ull;
    }

    static constexpr std::size_t kMaxSharedLen = 512;
    static constexpr std::size_t kSharedSlots = 256;

    static constexpr std::uint32_t kHopeless = 512;
    std::uint32_t misses_ = 0;   // short keys in a row that were not there
    std::uint32_t skipped_ = 0;  // keys that were not even looked for since
    PyObject* shared_[kSharedSlots] = {};
    PyObject* slots_[std::size_t{1} << kLogSlots] = {};
};

}  // namespace ocior::decode
