// Runs of an array's elements: numbers in batches where there are vectors for them, truths four at a time.
#pragma once

#include <array>
#include <utility>

#include "num/float_batch.h"
#include "num/integer_batch.h"
#include "num/write.h"
#include "py/ref.h"

namespace ocior::encode {

// An element at any address.
template <typename Type>
OCIOR_INLINE Type load_element(const char* from, bool is_swapped) noexcept {
    auto value = load<Type>(from);
    if (OCIOR_UNLIKELY(is_swapped)) {
        auto* const bytes = reinterpret_cast<std::uint8_t*>(&value);
        for (std::size_t i = 0; i < sizeof value / 2; ++i) std::swap(bytes[i], bytes[sizeof value - 1 - i]);
    }
    return value;
}

// The numbers of an array that are written next, as text.
class NumberWindow {
public:
    // Whether the number at `from` is the next one; else fill_floats() or fill_integers() makes it that, and `count - 1` more behind it,
    // `stride` bytes apart.
    OCIOR_INLINE bool is_at(const char* from) const noexcept { return OCIOR_LIKELY(from == next_); }
    // Their memory holds `Bits`; floats of 16 bits may be written as floats of 32.
    template <num::FloatFormat format, typename Bits>
    void fill_floats(const char* from, Py_ssize_t stride, Py_ssize_t count, bool is_swapped) noexcept;
    template <typename Type>
    void fill_integers(const char* from, Py_ssize_t stride, Py_ssize_t count, bool is_swapped) noexcept;

    // Calls put(batch, i) for the next numbers, `most` at most, as long as it returns true, and goes on behind them. How many they were.
    template <typename Put>
    OCIOR_INLINE Py_ssize_t take_floats(Py_ssize_t most, Put put) noexcept {
        return take(most, [&](int i) OCIOR_INLINE_LAMBDA { return put(floats_, i); });
    }
    template <typename Put>
    OCIOR_INLINE Py_ssize_t take_integers(Py_ssize_t most, Put put) noexcept {
        return take(most, [&](int i) OCIOR_INLINE_LAMBDA { return put(integers_, i); });
    }

    // Calls put(batch, i) for the next integers, each time for the eight from i on, 8 * `most` at most, where all are short; else for none.
    template <typename Put>
    OCIOR_INLINE Py_ssize_t take_eights(Py_ssize_t most, Put put) noexcept {
        constexpr int kEight = num::IntegerBatch::kLanes;
        return integers_.are_short() ? take<kEight>(most, [&](int i) OCIOR_INLINE_LAMBDA { return put(integers_, i); }) : 0;
    }

private:
    // Calls put(i) for the next numbers, each time for the kStep from i on, kStep * `most` at most.
    template <int kStep = 1, typename Put>
    OCIOR_INLINE Py_ssize_t take(Py_ssize_t most, Put put) noexcept {
        const int first = i_, steps = (count_ - first) / kStep;
        const int last = first + kStep * (most < steps ? static_cast<int>(most) : steps);
        int i = first;
        while (i < last && put(std::exchange(i, i + kStep))) {}
        i_ = i;
        next_ = i < count_ ? next_ + (i - first) * stride_ : nullptr;
        return i - first;
    }
    void begin(const char* from, Py_ssize_t stride, Py_ssize_t count) noexcept {
        static_assert(num::IntegerBatch::kSize == num::FloatBatch::kSize);
        count_ = count < num::FloatBatch::kSize ? static_cast<int>(count) : num::FloatBatch::kSize;
        i_ = 0;
        next_ = from;
        stride_ = stride;
    }

    const char* next_ = nullptr;
    Py_ssize_t stride_ = 0;
    int i_ = 0, count_ = 0;
    union {  // an array has numbers of one kind
        num::FloatBatch floats_;
        num::IntegerBatch integers_;
    };
};

// The text of four truths, each with a separator of `separator_length` units. Of 32 bytes the last one says how many are text.
using FourTruths = std::array<std::uint8_t, 32>;
template <std::size_t separator_length, std::uint64_t separator>
struct TruthTable {
    std::array<FourTruths, 16> row{};

    constexpr TruthTable() {
        for (unsigned truths = 0; truths < 16; ++truths) {
            std::uint8_t length = 0;
            const auto add = [&](std::uint64_t word, std::size_t n) {
                for (std::size_t i = 0; i < n; ++i) row[truths][length++] = static_cast<std::uint8_t>(word >> (8 * i));
            };
            for (unsigned i = 0; i < 4; ++i) {
                if (truths >> i & 1) add(0x65757274, 4);
                else add(0x65736c6166, 5);
                add(separator, separator_length);
            }
            row[truths][31] = length;
        }
    }
};
template <std::size_t separator_length, std::uint64_t separator>
alignas(64) inline constexpr TruthTable<separator_length, separator> kTruthTable{};

// Which of four bytes are not zero: bit i for byte i.
constexpr OCIOR_INLINE unsigned truths_of(std::uint32_t bytes) noexcept {
    constexpr std::uint32_t kLow = 0x7f7f7f7f;
    const std::uint32_t high = (((bytes & kLow) + kLow) | bytes) & ~kLow;
    return (high >> 7) * 0x10204080u >> 28;
}
static_assert([] {
    for (unsigned truths = 0; truths < 16; ++truths) {
        std::uint32_t bytes = 0;
        for (unsigned i = 0; i < 4; ++i) bytes |= (truths >> i & 1 ? 2 * i + 1 : 0) << (8 * i);
        if (truths_of(bytes) != truths) return false;
    }
    return true;
}());

}  // namespace ocior::encode
