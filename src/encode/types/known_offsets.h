// The offsets from UTC that zones had of late, as text, with the local times that have them. Most documents are of few zones, and of times
// between two changes of these.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bits.h"
#include "base/system_headers.h"

namespace ocior::encode {

// The text of an offset, in the lowest bytes of a word.
struct OffsetText {
    std::uint64_t word;
    unsigned length;

    // Eight bytes are stored.
    OCIOR_INLINE std::uint8_t* put(std::uint8_t* to) const noexcept {
        store(to, word);
        return to + length;
    }
};

class KnownOffsets {
public:
    // Zones are borrowed: it has to be cleared before one can die. Local times are given by numbers in the same order.
    void clear() noexcept {
        for (Entry& entry : entries_) entry.zone = nullptr;
        for (Met& met : met_) met.zone = nullptr;
    }
    // Null where it is not known.
    OCIOR_INLINE const OffsetText* find(PyObject* zone, std::uint64_t time) const noexcept {
        for (const Entry& entry : entries_)
            if (entry.zone == zone && time - entry.first <= entry.length) return &entry.text;
        return nullptr;
    }
    // Whether the stretch of a zone that has this number was met often of late: then it is worth to be remembered.
    OCIOR_INLINE bool is_met_often(PyObject* zone, std::size_t stretch) noexcept {
        constexpr unsigned kOften = 3;
        for (Met& met : met_)
            if (met.zone == zone && met.stretch == stretch) return ++met.times >= kOften;
        met_[oldest_] = {zone, stretch, 1};
        oldest_ ^= 1;
        return false;
    }
    void remember(PyObject* zone, std::uint64_t first, std::uint64_t last, OffsetText text) noexcept {
        entries_[1] = entries_[0];
        entries_[0] = {zone, first, last - first, text};
    }

private:
    struct Entry {
        PyObject* zone = nullptr;
        std::uint64_t first = 0, length = 0;
        OffsetText text{};
    };
    struct Met {
        PyObject* zone = nullptr;
        std::size_t stretch = 0;
        unsigned times = 0;
    };
    Entry entries_[2];
    Met met_[2];
    unsigned oldest_ = 0;  // of these
};

}  // namespace ocior::encode
