// Key objects seen lately, by their text: what a key that no shape predicts costs instead of a new str and its hash.
// Direct-mapped, so a collision costs one miss and an adversary gains nothing.
#pragma once

#include "base/bits.h"
#include "py/str.h"

namespace ocior::decode {

class KeyCache {
public:
    static constexpr std::size_t kMaxLen = 64;  // ASCII units

    // Slot for the ASCII text [text, text + len), 2 <= len <= kMaxLen.
    OCIOR_INLINE PyObject*& slot(const std::uint8_t* text, std::size_t len) noexcept {
        return slots_[hash(text, len) >> (64 - kLogSlots)];
    }

    // True when `key`, a compact ASCII str out of a slot, is that text.
    static OCIOR_INLINE bool matches(PyObject* key, const std::uint8_t* text, std::size_t len) noexcept {
        return static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)) == len && std::memcmp(ascii_data(key), text, len) == 0;
    }

    void clear() noexcept {
        for (PyObject*& key : slots_) Py_CLEAR(key);
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

    PyObject* slots_[std::size_t{1} << kLogSlots] = {};
};

}  // namespace ocior::decode
