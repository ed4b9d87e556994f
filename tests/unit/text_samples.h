// What the text tests share: texts of every script and mixture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/config.h"
#include "guarded_pages.h"

namespace samples {

// splitmix64
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15ull;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
        z = (z ^ z >> 27) * 0x94D049BB133111EBull;
        return z ^ z >> 31;
    }
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>((next() >> 32) * n >> 32); }

private:
    std::uint64_t state_;
};

inline std::uint32_t letter(Random& r) {
    std::uint32_t c;
    do c = 0x20 + r.below(0x5F);
    while (c == '"' || c == '\\');
    return c;
}
inline std::uint32_t short_escape(Random& r) { return static_cast<std::uint8_t>("\"\\\"\\\n\t\r\b\f\\"[r.below(10)]); }
inline std::uint32_t edge(Random& r) {
    static const std::uint32_t edges[] = {0,      1,      0x1F,   0x20,   0x22,    0x5C,    0x7E,    0x7F,    0x80,    0xBF,     0xC0,
                                          0xFF,   0x100,  0x7FF,  0x800,  0xFFF,   0x1000,  0xCFFF,  0xD000,  0xD7FF,  0xE000,   0xFDD0,
                                          0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000, 0x1F600, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF};
    return edges[r.below(sizeof edges / sizeof *edges)];
}

inline constexpr int kTextKinds = 19;

// The c'th unit of a text of the given kind; kinds whose code points do not fit `limit` fall back to narrower ones.
inline std::uint32_t code_point(int kind, Random& r, std::uint32_t limit) {
    std::uint32_t c = 'a';
    switch (kind) {
        case 0: c = letter(r); break;                                                                // ASCII
        case 1: c = r.below(60) == 0 ? short_escape(r) : letter(r); break;                           // a rare escape
        case 2: c = r.below(3) == 0 ? short_escape(r) : letter(r); break;                            // JSON in JSON
        case 3: c = r.below(6) == 0 ? r.below(0x20) : letter(r); break;                              // control characters
        case 4: c = r.below(5) == 0 ? 0x80 + r.below(0x80) : letter(r); break;                       // Latin-1
        case 5: c = r.below(7) == 0 ? ' ' : 0x400 + r.below(0x100); break;                           // Cyrillic
        case 6: c = 0x4E00 + r.below(0x5000); break;                                                 // CJK
        case 7: c = r.below(2) ? 0x4E00 + r.below(0x5000) : r.below(9) ? letter(r) : short_escape(r); break;
        case 8: c = 0x1F300 + r.below(0x300); break;                                                 // emoji
        case 9: c = r.below(4) == 0 ? 0x1F300 + r.below(0x300) : r.below(8) ? letter(r) : short_escape(r); break;
        case 10:
            c = r.below(2)   ? letter(r)
                : r.below(2) ? 0x80 + r.below(0x780)
                : r.below(2) ? 0x800 + r.below(0xD000)
                             : 0x10000 + r.below(0x100000);
            break;
        case 11: c = edge(r); break;
        case 12: c = 0x80 + r.below(0x80); break;                                                    // dense Latin-1
        case 13: c = r.below(12) == 0 ? short_escape(r) : 0x80 + r.below(0x780); break;              // two-byte, escapes
        case 14: c = r.below(30) == 0 ? 0x1F300 + r.below(0x300) : 0x4E00 + r.below(0x5000); break;  // CJK and a few emoji
        case 15: c = r.below(9) == 0 ? 0x1B : r.below(50) ? letter(r) : short_escape(r); break;      // terminal colours
        case 16: c = r.below(12) == 0 ? 0x1B : 0x4E00 + r.below(0x5000); break;                      // among CJK
        case 17: c = r.below(16) == 0 ? 0x7 : 0x1F300 + r.below(0x300); break;                       // among emoji
        default: c = r.below(20) == 0 ? 0x0 + r.below(0x20) : 0x80 + r.below(0x80); break;
    }
    if (c >= 0xD800 && c < 0xE000) c -= 0x800;
    return c <= limit ? c : limit <= 0xFF ? c & 0xFF : (c & 0xFFF) + 0x3000;
}

// n units; every other kind in runs of its neighbour kind, so that fast paths are entered and left.
template <ocior::CodeUnit U>
std::vector<U> text(int kind, std::size_t n, Random& r) {
    constexpr std::uint32_t limit = sizeof(U) == 1 ? 0xFF : sizeof(U) == 2 ? 0xFFFF : 0x10FFFF;
    std::vector<U> units;
    const bool runs = r.below(3) == 0;
    int current = kind;
    std::size_t left = 0;
    while (units.size() < n) {
        if (left-- == 0) {
            left = 1 + r.below(80);
            current = runs && r.below(2) ? static_cast<int>(r.below(kTextKinds)) : kind;
        }
        units.push_back(static_cast<U>(code_point(current, r, limit)));
    }
    return units;
}

// Alignments worth trying at length n: all 64 at a few lengths, some at every length.
inline std::vector<std::size_t> alignments(std::size_t n) {
    std::vector<std::size_t> list;
    const bool all = n < 4 || ((n + 1) & 15) < 3;
    for (std::size_t a = 0; a < 64; a += all ? 3 : 21) list.push_back((a + n) % 64);
    list.push_back(0);
    return list;
}

}  // namespace samples
