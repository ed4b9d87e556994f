// What the processor and the operating system offer, as names, found by code that runs on any processor of the
// architecture. Called by the module ocior._cpu and by the build's probe.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocior::cpu {

struct Feature {
    const char* name;   // as in the vendors' manuals, lower case; "os-avx" and "os-avx512": the system saves the registers
    const char* level;  // the first level that needs it
};

// Every feature that some level needs, in the order of the levels. Bit i of `detect()` belongs to features()[i].
struct FeatureList {
    const Feature* data;
    std::size_t size;
};
FeatureList features() noexcept;
std::uint64_t detect() noexcept;

// The levels of this architecture, from least to most. A level needs its own features and those of all below it.
struct LevelList {
    const char* const* data;
    std::size_t size;
};
LevelList levels() noexcept;

// The features, as bits like detect()'s, that levels()[index] needs.
std::uint64_t needed_by(std::size_t index) noexcept;

}  // namespace ocior::cpu
