#include "stream/block.h"

#include <bit>

#include "base/bits.h"
#include "simd/lanes.h"

namespace ocior::stream {

std::uint64_t count_newlines(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    using V = simd::Vec<std::uint8_t>;
    std::uint64_t count = 0;
    for (const std::uint8_t* p = first; p < last; p += V::kLanes) {
        std::uint64_t bits = simd::eq<std::uint8_t>(V::load(p), '\n').lane_bits();
        if (static_cast<std::size_t>(last - p) < V::kLanes) bits &= low_bits(static_cast<unsigned>(last - p));
        count += static_cast<std::uint64_t>(std::popcount(bits));
    }
    return count;
}

const std::uint8_t* end_of_characters(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    const std::uint8_t* lead = last;
    while (lead != first && last - lead < 4 && (lead[-1] & 0xC0) == 0x80) --lead;
    if (lead == first) return last;
    const std::uint8_t byte = *--lead;
    const std::ptrdiff_t length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1;
    return last - lead < length ? lead : last;
}

}  // namespace ocior::stream
