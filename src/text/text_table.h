// Texts found by what they are, by numbers that tell where they are kept.
#pragma once

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/bits.h"

namespace ocior::text {

struct Bytes {
    const std::uint8_t* first;
    std::size_t byte_len;

    friend bool operator==(Bytes a, Bytes b) noexcept { return a.byte_len == b.byte_len && std::memcmp(a.first, b.first, a.byte_len) == 0; }
};

// A hash table with open addressing. Places in it are told by products of two words, as in wyhash by Wang Yi, from a number that changes
// with each table: nobody can make texts that collide. TextAt: gives the Bytes of a number from 0 on, at once.
template <typename TextAt>
class TextTable {
public:
    explicit TextTable(TextAt text_at) noexcept : text_at_(text_at) {
        const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
        seed_ = mix(now ^ kFactor, reinterpret_cast<std::uintptr_t>(this));
    }
    ~TextTable() { std::free(places_); }
    TextTable(const TextTable&) = delete;
    TextTable& operator=(const TextTable&) = delete;

    // Room for so many texts. False when out of memory.
    [[nodiscard]] bool reserve(std::size_t count) noexcept {
        if (2 * count <= place_count_) return true;
        std::size_t wanted = 64;
        while (wanted < 4 * count) wanted *= 2;
        auto* const made = static_cast<Place*>(std::calloc(wanted, sizeof(Place)));
        if (!made) return false;
        Place* const old = std::exchange(places_, made);
        std::swap(wanted, place_count_);
        for (std::size_t i = 0; i < wanted; ++i) {
            if (old[i].number == 0) continue;
            std::size_t at = old[i].hash;
            while (place(at).number != 0) ++at;
            place(at) = old[i];
        }
        std::free(old);
        return true;
    }
    // 1 + the number of the text that equals this one; or 0 if there is none, which the caller sets so when it has kept the text.
    std::uint32_t& find(Bytes text) noexcept {
        const std::uint32_t hash = hash_of(text);
        for (std::size_t at = hash;; ++at) {
            Place& found = place(at);
            if (found.number == 0) found.hash = hash;
            if (found.number == 0 || (found.hash == hash && text == text_at_(found.number - 1))) return found.number;
        }
    }

private:
    struct Place {
        std::uint32_t hash, number;
    };
    static constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;

    Place& place(std::size_t at) noexcept { return places_[at & (place_count_ - 1)]; }
    static std::uint64_t mix(std::uint64_t a, std::uint64_t b) noexcept {
        const uint128 product = static_cast<uint128>(a) * b;
        return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
    }
    std::uint32_t hash_of(Bytes text) const noexcept {
        auto [p, n] = text;
        std::uint64_t hash = seed_ ^ n;
        for (; n >= 8; p += 8, n -= 8) hash = mix(hash ^ load<std::uint64_t>(p), kFactor) + seed_;
        std::uint64_t rest = 0;
        std::memcpy(&rest, p, n);
        return static_cast<std::uint32_t>(mix(hash ^ rest, kFactor));
    }

    TextAt text_at_;
    Place* places_ = nullptr;
    std::size_t place_count_ = 0;  // a power of two
    std::uint64_t seed_;
};

}  // namespace ocior::text
