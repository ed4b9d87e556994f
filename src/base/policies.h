// What becomes of values that JSON leaves open, read or written: what loads and Default name by the same words. The first of each leaves
// the matter to json's ways.
#pragma once

#include <cstdint>

namespace ocior {

// What becomes of NaN, of infinities, and, where they are read, of numbers beyond the range of a double. Constants are JavaScript's names.
enum class NonFiniteNumbers : std::uint8_t { kConstant, kError, kNull };

// What becomes of integers that have too many bits. As the text of a key an integer always has all its digits.
enum class BigIntegers : std::uint8_t { kExact, kFloat, kStr, kError };

// What becomes of surrogates without their pair. Kept they are an error in UTF-8 only, which has no form for them.
enum class Surrogates : std::uint8_t { kKeep, kError, kReplace };

// Containers may be nested so deep. The stacks are our own, so this is a choice: above what json reaches on any version's default stack,
// below what a hostile document could make of memory.
inline constexpr std::uint32_t kMaxDepth = 65536;

}  // namespace ocior
