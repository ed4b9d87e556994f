// UTF-8 to Latin-1, UCS-2 and UCS-4: every byte position is transcoded as if a character began there, from the bytes that follow it; the
// lanes that do begin a character are kept. Structure is checked on bit masks, overlong forms on the values.
//
// (Other transcoders shuffle whole characters by tables indexed by length patterns: Lemire and Mula, "Transcoding billions of Unicode
// characters per second with SIMD instructions". Here no step waits for the length of the character before it.)
#include "text/utf8.h"

#include "simd/lanes.h"

namespace ocior::text {

namespace {

using V8 = simd::Vec<std::uint8_t>;
using V16 = simd::Vec<std::uint16_t>;
using V32 = simd::Vec<std::uint32_t>;
constexpr std::size_t kBlock = V8::kLanes;

// One block whose lanes [0, n) hold whole characters (a transcoder may take fewer): bit masks of the bytes >= 0xE0 and >= 0xF0, and of those that begin a character.
struct Block {
    const std::uint8_t* p;
    std::size_t n;
    std::uint64_t three, four, begins;
};

// Latin-1: lead bytes C2 and C3 only.
bool transcode(std::uint8_t*& dst, Block& block, V8 v) noexcept {
    if ((simd::ge<std::uint8_t>(v, 0xC4).lane_bits() & block.begins) != 0) return false;
    const V8 next = V8::load(block.p + 1);
    const V8 unit = simd::select(simd::eq<std::uint8_t>(v, 0xC3), next | V8::splat(0x40), simd::select(simd::eq<std::uint8_t>(v, 0xC2), next, v));
    dst = simd::store_kept<std::uint8_t, std::uint8_t>(dst, unit, block.begins);
    return true;
}

// Characters of one to three bytes, as 16-bit lanes.
template <CodeUnit Dst>
OCIOR_INLINE bool transcode_bmp(Dst*& dst, const Block& block) noexcept {
    constexpr std::size_t kLanes = V16::kLanes;
    const V16 tail = V16::splat(0x3F);
    for (std::size_t i = 0; i < block.n; i += kLanes) {
        const std::uint8_t* p = block.p + i;
        const std::uint64_t begins = block.begins >> i & low_bits(kLanes);
        const V16 first = simd::load_widened<std::uint16_t>(p);
        const V16 two = simd::shift_left<6>(first) | (simd::load_widened<std::uint16_t>(p + 1) & tail);
        V16 unit = simd::select(simd::ge<std::uint16_t>(first, 0xC0), two & V16::splat(0x7FF), first);
        if (block.three != 0) {
            const V16 three = simd::shift_left<6>(two) | (simd::load_widened<std::uint16_t>(p + 2) & tail);
            const auto is_three = simd::ge<std::uint16_t>(first, 0xE0);
            if (((is_three & simd::lt<std::uint16_t>(three, 0x800)).lane_bits() & begins) != 0) return false;
            unit = simd::select(is_three, three, unit);
        }
        dst = simd::store_kept<std::uint16_t, Dst>(dst, unit, begins);
    }
    return true;
}

bool transcode(std::uint16_t*& dst, Block& block, V8) noexcept { return block.four == 0 && transcode_bmp(dst, block); }

// A block with characters of four bytes, for ports that cannot gather: vectors up to the first one when that is worth it, then one by one until
// there are enough others for another vector.
[[maybe_unused]] bool transcode_astral(std::uint32_t*& dst, Block& block) noexcept {
    const std::uint8_t* p = block.p;
    const std::uint8_t* last = p + block.n;
    const auto before = trailing_zeros(block.four);
    if (before >= 8) {
        Block start{p, before, block.three & low_bits(before), 0, block.begins & low_bits(before)};
        if (!transcode_bmp(dst, start)) return false;
        p += before;
    }
    for (std::size_t others = 0; p < last && others < 8; ++others) {
        // Structure has been checked: what begins with four bytes has them all.
        const std::uint32_t bytes = __builtin_bswap32(load<std::uint32_t>(p));
        if (*p < 0x80) {
            *dst++ = *p++;
        } else if (*p >= 0xF0) {
            const std::uint32_t c = (bytes >> 6 & 0x1C0000) | (bytes >> 4 & 0x3F000) | (bytes >> 2 & 0xFC0) | (bytes & 0x3F);
            if (*p > 0xF4 || c - 0x10000 >= 0x100000) return false;
            *dst++ = c;
            p += 4;
            others = 0;
        } else {
            std::uint32_t code_point;
            const unsigned length = scalar::decode_one(p, last, code_point);
            if (length == 0) return false;
            *dst++ = code_point;
            p += length;
        }
    }
    block.n = static_cast<std::size_t>(p - block.p);
    return true;
}

// Characters of one to four bytes.
bool transcode(std::uint32_t*& dst, Block& block, V8 v) noexcept {
    if (block.four == 0) return transcode_bmp(dst, block);
    if constexpr (simd::kGathersCharacters) {
        if ((simd::ge<std::uint8_t>(v, 0xF5).lane_bits() & block.begins) != 0) return false;
        return simd::store_characters(dst, v, block.begins);
    } else {
        return transcode_astral(dst, block);
    }
}

// Transcodes from p on while a block may be stored whole below `limit` (kWhole), or up to last. False when invalid.
template <bool kWhole, CodeUnit Dst>
bool transcode_blocks(Dst*& dst, const Dst* limit, const std::uint8_t*& p, const std::uint8_t* last) noexcept {
    while (p < last) {
        const auto left = static_cast<std::size_t>(last - p);
        if (kWhole && (left < kBlock || limit - dst < static_cast<std::ptrdiff_t>(kBlock))) return true;
        if constexpr (sizeof(Dst) > 1) {
            // A run of three-byte characters, taken whole: an advance that had to wait for its length would cost more than it gains.
            if ((*p & 0xF0) == 0xE0 && (p[3] & 0xF0) == 0xE0 && left >= 6) {
                V16 units;
                const std::size_t chars = left < 3 * simd::kUtf8RunChars ? left / 3 : simd::kUtf8RunChars;
                if (simd::load_utf8_run(p, chars, units) == chars) {
                    dst = simd::store_first<std::uint16_t, Dst>(dst, units, chars);
                    p += 3 * chars;
                    continue;
                }
            }
        }
        if constexpr (sizeof(Dst) == 4 && !simd::kGathersCharacters) {
            if (*p >= 0xF0 && left >= 16 && simd::load_utf8_quads_to(dst, p)) {
                dst += 4;
                p += 16;
                continue;
            }
        }
        Block block{p, left < kBlock ? left : kBlock, 0, 0, 0};
        const V8 v = V8::load(p);
        std::uint64_t valid = low_bits(static_cast<unsigned>(block.n));
        const std::uint64_t high = simd::ge<std::uint8_t>(v, 0x80).lane_bits() & valid;
        if (high == 0) {
            dst = simd::store_first<std::uint8_t, Dst>(dst, v, block.n);
            p += block.n;
            continue;
        }
        const std::uint64_t lead = simd::ge<std::uint8_t>(v, 0xC0).lane_bits() & valid;
        block.three = simd::ge<std::uint8_t>(v, 0xE0).lane_bits() & valid;
        block.four = simd::ge<std::uint8_t>(v, 0xF0).lane_bits() & valid;
        // A character that goes on past the block waits for the next one, and is truncated when there is none.
        const std::uint64_t split = (lead & ~(valid >> 1)) | (block.three & ~(valid >> 2)) | (block.four & ~(valid >> 3));
        if (split != 0) {
            if (block.n == left) return false;
            block.n = trailing_zeros(split);
            valid = low_bits(static_cast<unsigned>(block.n));
            block.three &= valid;
            block.four &= valid;
        }
        const std::uint64_t leads = lead & valid;
        const std::uint64_t wanted = leads << 1 | block.three << 2 | block.four << 3;
        if (wanted != (high & ~lead & valid)) return false;
        if ((simd::lt<std::uint8_t>(v, 0xC2).lane_bits() & leads) != 0) return false;
        block.begins = valid & ~wanted;
        if (!transcode(dst, block, v)) return false;
        p += block.n;
    }
    return true;
}

// The bytes in [first, last) that are no continuation bytes.
[[maybe_unused]] std::size_t count_code_points(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    std::size_t continuations = 0;
    for (const std::uint8_t* p = first; p < last; p += kBlock) {
        const V8 v = V8::load(p);
        std::uint64_t bits = simd::ge<std::uint8_t>(v, 0x80).lane_bits() & ~simd::ge<std::uint8_t>(v, 0xC0).lane_bits();
        if (static_cast<std::size_t>(last - p) < kBlock) bits &= low_bits(static_cast<unsigned>(last - p));
        continuations += static_cast<std::size_t>(__builtin_popcountll(bits));
    }
    return static_cast<std::size_t>(last - first) - continuations;
}

}  // namespace

template <CodeUnit Dst>
Dst* utf8_to(Dst* dst, const std::uint8_t* first, const std::uint8_t* last) noexcept {
    if constexpr (simd::kExactStores) {
        return transcode_blocks<false, Dst>(dst, nullptr, first, last) ? dst : nullptr;
    } else {
        // Whole vectors as long as they stay below the output's end, the rest through a buffer.
        if (static_cast<std::size_t>(last - first) > 2 * kBlock) {
            const Dst* limit = dst + count_code_points(first, last);
            if (!transcode_blocks<true, Dst>(dst, limit, first, last)) return nullptr;
            if (static_cast<std::size_t>(last - first) > 4 * kBlock) return nullptr;  // more bytes than the code points can have
        }
        Dst rest[5 * kBlock];
        Dst* end = rest;
        if (!transcode_blocks<false, Dst>(end, nullptr, first, last)) return nullptr;
        const auto count = static_cast<std::size_t>(end - rest);
        simd::copy_exact(dst, rest, count * sizeof(Dst));
        return dst + count;
    }
}

template std::uint8_t* utf8_to(std::uint8_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
template std::uint16_t* utf8_to(std::uint16_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
template std::uint32_t* utf8_to(std::uint32_t*, const std::uint8_t*, const std::uint8_t*) noexcept;

}  // namespace ocior::text
