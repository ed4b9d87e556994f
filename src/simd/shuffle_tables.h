// The tables of pack_shuffle.h, made at compile time. An entry says for each output byte which input byte it is.
#pragma once

#include "base/config.h"

namespace ocior::simd::detail {

inline constexpr std::uint8_t kNothing = 0x80;  // a shuffle index that yields zero

struct alignas(16) Shuffle {
    std::uint8_t from[16];
    constexpr Shuffle() : from{} {
        for (auto& f : from) f = kNothing;
    }
};

// Entry m: all units of bytes 0-7, unit i behind its prefix, which is in bytes 8-15, where bit i of m is set.
template <std::size_t kUnitBytes>
struct ExpandTable {
    static constexpr unsigned kLanes = 8 / kUnitBytes;
    Shuffle at[1u << kLanes];
    constexpr ExpandTable() : at{} {
        for (unsigned m = 0; m < 1u << kLanes; ++m) {
            unsigned out = 0;
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                for (unsigned source = (m >> lane & 1) != 0 ? 0u : 1u; source < 2; ++source)
                    for (unsigned b = 0; b < kUnitBytes; ++b)
                        at[m].from[out++] = static_cast<std::uint8_t>((source == 0 ? 8 : 0) + lane * kUnitBytes + b);
            }
        }
    }
};
template <std::size_t kUnitBytes>
inline constexpr ExpandTable<kUnitBytes> kExpand;

// Entry m: the units of kUnitBytes bytes (2 or 4) whose bit in m is set, moved together.
template <std::size_t kUnitBytes>
struct KeepTable {
    static constexpr unsigned kLanes = 16 / kUnitBytes;
    Shuffle at[1u << kLanes];
    constexpr KeepTable() : at{} {
        for (unsigned m = 0; m < 1u << kLanes; ++m) {
            unsigned out = 0;
            for (unsigned lane = 0; lane < kLanes; ++lane)
                for (unsigned b = 0; b < kUnitBytes && (m >> lane & 1) != 0; ++b)
                    at[m].from[out++] = static_cast<std::uint8_t>(lane * kUnitBytes + b);
        }
    }
};
template <std::size_t kUnitBytes>
inline constexpr KeepTable<kUnitBytes> kKeep;

// Entry m: those of 8 bytes whose bit in m is set, moved together; and how many they are.
struct KeepBytesTable {
    alignas(8) std::uint8_t at[256][8];
    std::uint8_t count[256];
    constexpr KeepBytesTable() : at{}, count{} {
        for (unsigned m = 0; m < 256; ++m) {
            for (unsigned i = 0; i < 8; ++i) at[m][i] = kNothing;
            for (unsigned i = 0; i < 8; ++i)
                if ((m >> i & 1) != 0) at[m][count[m]++] = static_cast<std::uint8_t>(i);
        }
    }
};
inline constexpr KeepBytesTable kKeepBytes;

// Entry i has two bits for each of four 32-bit lanes: how many bytes of it are used besides the last one. The used bytes, moved together.
struct UsedBytesTable {
    Shuffle at[256];
    std::uint8_t count[256];
    std::uint8_t spread[16];  // four bits, moved to every second bit of eight
    constexpr UsedBytesTable() : at{}, count{}, spread{} {
        for (unsigned i = 0; i < 256; ++i)
            for (unsigned lane = 0; lane < 4; ++lane)
                for (unsigned b = 3 - (i >> 2 * lane & 3); b < 4; ++b) at[i].from[count[i]++] = static_cast<std::uint8_t>(lane * 4 + b);
        for (unsigned m = 0; m < 16; ++m) spread[m] = static_cast<std::uint8_t>((m & 1) | (m & 2) << 1 | (m & 4) << 2 | (m & 8) << 3);
    }
};
inline constexpr UsedBytesTable kUsedBytes;

// Two units of store_ascii_mix, from 4 bytes of the first, 4 bytes of the second, '\\' and 'u'. Of an index, bits 0 and 1 say which unit
// goes behind a backslash, bits 2 and 3 which is \uxxxx; no unit is both.
struct AsciiMixTable {
    Shuffle at[16];
    std::uint8_t count[16];
    constexpr AsciiMixTable() : at{}, count{} {
        for (unsigned i = 0; i < 16; ++i)
            for (unsigned unit = 0; unit < 2; ++unit) {
                const bool prefixed = (i >> unit & 1) != 0, hexed = (i >> (2 + unit) & 1) != 0;
                if (prefixed || hexed) at[i].from[count[i]++] = 8;
                if (hexed) at[i].from[count[i]++] = 9;
                for (unsigned b = 0; b < (hexed ? 4u : 1u) && count[i] < 16; ++b)
                    at[i].from[count[i]++] = static_cast<std::uint8_t>(unit * 4 + b);
            }
    }
};
inline constexpr AsciiMixTable kAsciiMix;

// Entry m: four code points as UTF-16, from lanes as utf16_lanes() makes them. Lane i is a pair where bit i of m is set, else one unit.
struct Utf16Table {
    Shuffle at[16];
    constexpr Utf16Table() : at{} {
        for (unsigned m = 0; m < 16; ++m) {
            unsigned out = 0;
            for (unsigned lane = 0; lane < 4; ++lane)
                for (unsigned b = 0; b < ((m >> lane & 1) != 0 ? 4u : 2u); ++b) at[m].from[out++] = static_cast<std::uint8_t>(lane * 4 + b);
        }
    }
};
inline constexpr Utf16Table kUtf16;

}  // namespace ocior::simd::detail
