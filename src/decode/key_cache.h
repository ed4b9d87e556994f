// The keys of a document, so that equal ones are one object. Short ASCII keys that were seen lately are found by their text, before a str
// is made: that is what a key that no shape predicts costs. Any other is made, and given up for the one seen before (key_table.h).
// Direct-mapped, so a collision costs one miss and an adversary gains nothing.
#pragma once

#include "base/bits.h"
#include "decode/key_table.h"
#include "py/str.h"

namespace ocior::decode {

class KeyCache {
public:
    static constexpr std::size_t kMaxLen = 64;  // ASCII units

    // Slot for the ASCII text [text, text + len), 2 <= len <= kMaxLen: a borrowed key, or null.
    OCIOR_INLINE PyObject*& slot(const std::uint8_t* text, std::size_t len) noexcept { return slots_[hash(text, len) >> (64 - kLogSlots)]; }

    // True when `key`, a compact ASCII str out of a slot, is that text.
    static OCIOR_INLINE bool matches(PyObject* key, const std::uint8_t* text, std::size_t len) noexcept {
        return static_cast<std::size_t>(PyUnicode_GET_LENGTH(key)) == len && std::memcmp(ascii_data(key), text, len) == 0;
    }

    // Whether to look for the next key at all. After so many new ones that most likely no key comes again, only now and then: to remember
    // them all takes up to a third of the time.
    OCIOR_INLINE bool is_worth_a_look() noexcept { return OCIOR_LIKELY(misses_ < kHopeless) || ++skipped_ % 64 == 0; }
    OCIOR_INLINE void hit() noexcept {
        misses_ = 0;
        all_.expect_none();
    }
    // A new reference to the key that comes next where keys come again in their order, if it is that text; else null.
    OCIOR_INLINE PyObject* expected(const std::uint8_t* text, std::size_t len) noexcept {
        PyObject* const key = all_.expected();
        if (OCIOR_LIKELY(!key) || !is_compact_ascii(key) || !matches(key, text, len)) return nullptr;
        all_.was_expected();
        return new_ref(key);
    }

    // The key that equals `key`, a str, or else `key` itself, which is remembered: what may be put into a slot. Takes over a reference and
    // gives one back. Null with an error set.
    OCIOR_INLINE PyObject* share(PyObject* key) noexcept {
        if (OCIOR_UNLIKELY(unregistered_)) register_keys();
        PyObject* const shared = all_.share(key);
        misses_ = shared == key ? misses_ + (misses_ < kHopeless) : 0;
        return shared;
    }

    // A dict of many keys has been made. Those that were not looked for are remembered when the next object asks for a key: such dicts come
    // several times, or make up a whole document.
    OCIOR_INLINE void made(PyObject* dict) noexcept {
        if (OCIOR_UNLIKELY(skipped_ != 0)) register_later(dict);
    }

    // Shares a key of a shape, which outlives the call, as share() does. Returns the key itself where there is no memory for that.
    PyObject* share_and_keep(PyObject* key) noexcept { return all_.share_and_keep(key); }

    // To be called after a call: once the keys that are in no shape have become many, they go.
    OCIOR_INLINE void trim() noexcept {
        misses_ = skipped_ = 0;
        if (OCIOR_UNLIKELY(unregistered_)) Py_CLEAR(unregistered_);
        if (OCIOR_UNLIKELY(all_.is_large())) forget_others();
    }
    void clear() noexcept;

private:
    static constexpr unsigned kLogSlots = 11;

    void register_later(PyObject* dict) noexcept;
    OCIOR_COLD void register_keys() noexcept;
    OCIOR_COLD void forget_others() noexcept;

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

    static constexpr std::uint32_t kHopeless = 4096;
    std::uint32_t misses_ = 0;   // keys in a row that were new
    std::uint32_t skipped_ = 0;  // keys that were not looked for since the last dict was registered
    PyObject* unregistered_ = nullptr;  // such a dict; owned
    PyObject* slots_[std::size_t{1} << kLogSlots] = {};
    KeyTable all_;
};

}  // namespace ocior::decode
