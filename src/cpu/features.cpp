// CPUID and XGETBV (x86-64), or nothing to ask (aarch64), into the bits of features.h. Compiled with baseline flags.
#include "cpu/features.h"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ocior::cpu {
namespace {

#if defined(__x86_64__)

// Where a feature's bits are: a leaf and an output register of CPUID, or XCR0, read by XGETBV.
enum class Register : std::uint8_t { kLeaf1Ecx, kLeaf7Ebx, kLeaf7Ecx, kExtended1Ecx, kXcr0 };

struct Row {
    Feature feature;
    Register where;
    std::uint32_t mask;
};

constexpr std::uint32_t bit(unsigned n) { return std::uint32_t{1} << n; }

// XCR0: the system saves SSE (1) and AVX (2) state; and opmasks (5), upper halves of ZMM0-15 (6), ZMM16-31 (7).
constexpr std::uint32_t kAvxState = bit(1) | bit(2);
constexpr std::uint32_t kAvx512State = kAvxState | bit(5) | bit(6) | bit(7);

// The levels are those of the x86-64 psABI, but that our v4 also asks for VBMI, VBMI2 and IFMA, which came with the same
// processors.
constexpr Row kRows[] = {
    // clang-format off
    {{"sse3", "v2"}, Register::kLeaf1Ecx, bit(0)},
    {{"ssse3", "v2"}, Register::kLeaf1Ecx, bit(9)},
    {{"cmpxchg16b", "v2"}, Register::kLeaf1Ecx, bit(13)},
    {{"sse4.1", "v2"}, Register::kLeaf1Ecx, bit(19)},
    {{"sse4.2", "v2"}, Register::kLeaf1Ecx, bit(20)},
    {{"popcnt", "v2"}, Register::kLeaf1Ecx, bit(23)},
    {{"lahf", "v2"}, Register::kExtended1Ecx, bit(0)},
    {{"fma", "v3"}, Register::kLeaf1Ecx, bit(12)},
    {{"movbe", "v3"}, Register::kLeaf1Ecx, bit(22)},
    {{"osxsave", "v3"}, Register::kLeaf1Ecx, bit(27)},
    {{"avx", "v3"}, Register::kLeaf1Ecx, bit(28)},
    {{"f16c", "v3"}, Register::kLeaf1Ecx, bit(29)},
    {{"bmi1", "v3"}, Register::kLeaf7Ebx, bit(3)},
    {{"avx2", "v3"}, Register::kLeaf7Ebx, bit(5)},
    {{"bmi2", "v3"}, Register::kLeaf7Ebx, bit(8)},
    {{"lzcnt", "v3"}, Register::kExtended1Ecx, bit(5)},
    {{"os-avx", "v3"}, Register::kXcr0, kAvxState},
    {{"avx512f", "v4"}, Register::kLeaf7Ebx, bit(16)},
    {{"avx512dq", "v4"}, Register::kLeaf7Ebx, bit(17)},
    {{"avx512ifma", "v4"}, Register::kLeaf7Ebx, bit(21)},
    {{"avx512cd", "v4"}, Register::kLeaf7Ebx, bit(28)},
    {{"avx512bw", "v4"}, Register::kLeaf7Ebx, bit(30)},
    {{"avx512vl", "v4"}, Register::kLeaf7Ebx, bit(31)},
    {{"avx512vbmi", "v4"}, Register::kLeaf7Ecx, bit(1)},
    {{"avx512vbmi2", "v4"}, Register::kLeaf7Ecx, bit(6)},
    {{"os-avx512", "v4"}, Register::kXcr0, kAvx512State},
    // clang-format on
};
constexpr std::size_t kRowCount = sizeof kRows / sizeof kRows[0];
constexpr const char* kLevels[] = {"v2", "v3", "v4"};

// XCR0's low half. Only where CPUID says OSXSAVE: elsewhere the instruction is undefined. Not the intrinsic, because
// that would need -mxsave.
std::uint32_t read_xcr0() noexcept {
    std::uint32_t eax, edx;
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

#else

struct Row {
    Feature feature;
};

// Advanced SIMD is part of every 64-bit ARM processor that runs an operating system: there is nothing to ask.
constexpr Row kRows[] = {{{"asimd", "neon"}}};
constexpr std::size_t kRowCount = 1;
constexpr const char* kLevels[] = {"neon"};

#endif

static_assert(kRowCount <= 64, "features travel as bits of one 64-bit word");
constexpr std::size_t kLevelCount = sizeof kLevels / sizeof kLevels[0];

}  // namespace

FeatureList features() noexcept {
    static constexpr auto list = [] {
        struct {
            Feature items[kRowCount];
        } out{};
        for (std::size_t i = 0; i < kRowCount; ++i) out.items[i] = kRows[i].feature;
        return out;
    }();
    return {list.items, kRowCount};
}

LevelList levels() noexcept { return {kLevels, kLevelCount}; }

std::uint64_t detect() noexcept {
#if defined(__x86_64__)
    std::uint32_t words[5] = {};   // by Register
    std::uint32_t eax, ebx, ecx, edx;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx)) {
        words[std::size_t(Register::kLeaf1Ecx)] = ecx;
        if (ecx & bit(27)) words[std::size_t(Register::kXcr0)] = read_xcr0();
    }
    if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        words[std::size_t(Register::kLeaf7Ebx)] = ebx;
        words[std::size_t(Register::kLeaf7Ecx)] = ecx;
    }
    if (__get_cpuid(0x80000001u, &eax, &ebx, &ecx, &edx)) words[std::size_t(Register::kExtended1Ecx)] = ecx;

    std::uint64_t found = 0;
    for (std::size_t i = 0; i < kRowCount; ++i) {
        const bool has = (words[std::size_t(kRows[i].where)] & kRows[i].mask) == kRows[i].mask;
        found |= std::uint64_t{has} << i;
    }
    return found;
#else
    return 1;
#endif
}

std::uint64_t needed_by(std::size_t index) noexcept {
    std::uint64_t needed = 0;
    for (std::size_t i = 0; i < kRowCount; ++i) {
        for (std::size_t below = 0; below <= index && below < kLevelCount; ++below) {
            if (std::strcmp(kRows[i].feature.level, kLevels[below]) == 0) needed |= std::uint64_t{1} << i;
        }
    }
    return needed;
}

}  // namespace ocior::cpu
