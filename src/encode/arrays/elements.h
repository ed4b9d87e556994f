// The elements of an array as text: runs of numbers, truths and times, which are ASCII whatever the output is.
#pragma once

#include "encode/arrays/array_run.h"
#include "encode/arrays/view.h"
#include "encode/line.h"
#include "encode/options.h"

namespace ocior::encode {

// What stands behind each element, a line included: text of any length up to kMostLength.
struct ElementSeparator {
    static constexpr std::size_t kMostLength = 8 + 1 + kShortLine;
    static constexpr std::size_t kStored = 48;  // bytes that are copied each time
    static_assert(kMostLength <= kStored);

    std::uint8_t text[kStored] = {};
    std::size_t length = 0;

    OCIOR_INLINE std::uint8_t* put(std::uint8_t* at) const noexcept {
        std::memcpy(at, text, kStored);
        return at + length;
    }
};

// The separators that are known when this is compiled: behind one that is no line, lists of elements follow one another in one run.
template <std::size_t kLength>
struct KnownSeparator {
    static constexpr std::size_t length = kLength;
    static constexpr std::uint16_t kWord = kLength == 2 ? ',' | ' ' << 8 : ',';

    static OCIOR_INLINE std::uint8_t* put(std::uint8_t* at) noexcept {
        if constexpr (kLength == 1) *at = ',';
        else store(at, kWord);
        return at + kLength;
    }
};

// Bytes that must be free behind `limit` below.
inline constexpr std::size_t kElementsRoom = 8 * (1 + 20 + 2 + 2) + ElementSeparator::kStored + 64;

// Writes elements of the innermost list that is open, each with its separator, as long as they begin at `limit` or before it, and notes in
// the view how far it got. By a known separator it writes those of the lists that follow in the same list, too, with the brackets between
// them. It stops before an element that has no text here: a float that is no number, an integer beyond what is allowed. Where that is the
// first one, it returns `at`. Null with an error set.
template <typename Separator>
std::uint8_t* write_elements(Call& call, ArrayView& view, NumberWindow& window, const Separator& separator, std::uint8_t* at,
                             const std::uint8_t* limit) noexcept;

}  // namespace ocior::encode
