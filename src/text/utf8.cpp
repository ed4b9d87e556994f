// UTF-8 to Latin-1, UCS-2 and UCS-4, vector after vector: see utf8_block.h.
#include "text/utf8.h"

#include "text/utf8_block.h"

namespace ocior::text {

namespace {

using detail::transcode_bmp;
using detail::Utf8Block;
using detail::Utf8Lanes;
using detail::V16;
using detail::V8;
using V32 = simd::Vec<std::uint32_t>;
constexpr std::size_t kBlock = V8::kLanes;

bool transcode(std::uint8_t*& dst, const Utf8Block& block, V8 v) noexcept { return detail::transcode_latin1(dst, block, v); }

bool transcode(std::uint16_t*& dst, const Utf8Block& block, V8) noexcept { return block.four == 0 && transcode_bmp(dst, block); }

// Characters of one to four bytes, for ports that cannot gather them; lead bytes above F4 must have been excluded. False where one has an
// overlong form or is beyond U+10FFFF.
[[maybe_unused]] bool transcode_any(std::uint32_t*& dst, const Utf8Block& block) noexcept {
    constexpr std::size_t kLanes = V32::kLanes;
    std::uint64_t bad = 0;
    for (std::size_t i = 0; i < block.n; i += kLanes) {
        const std::uint8_t* p = block.p + i;
        const std::uint64_t begins = block.begins >> i & low_bits(kLanes);
        const auto continuation = [p](std::size_t k) { return simd::load_widened<std::uint32_t>(p + k) & V32::splat(0x3F); };
        const V32 first = simd::load_widened<std::uint32_t>(p);
        const V32 two = simd::shift_left<6>(first) | continuation(1);
        const V32 three = simd::shift_left<6>(two) | continuation(2);
        const V32 four = (simd::shift_left<6>(three) | continuation(3)) & V32::splat(0x1FFFFF);
        const V32 low_three = three & V32::splat(0xFFFF);
        const auto is_three = simd::ge<std::uint32_t>(first, 0xE0), is_four = simd::ge<std::uint32_t>(first, 0xF0);
        V32 unit = simd::select(simd::ge<std::uint32_t>(first, 0xC0), two & V32::splat(0x7FF), first);
        unit = simd::select(is_four, four, simd::select(is_three, low_three, unit));
        const auto outside = simd::lt<std::uint32_t>(four, 0x10000) | simd::ge<std::uint32_t>(four, 0x110000);
        bad |= ((is_three & simd::lt<std::uint32_t>(unit, 0x800)) | (is_four & outside)).lane_bits() & begins;
        dst = simd::store_kept<std::uint32_t, std::uint32_t>(dst, unit, begins);
    }
    return bad == 0;
}

// Characters of one to four bytes.
bool transcode(std::uint32_t*& dst, const Utf8Block& block, V8 v) noexcept {
    if (block.four == 0) return transcode_bmp(dst, block);
    if ((simd::ge<std::uint8_t>(v, 0xF5).lane_bits() & block.begins) != 0) return false;
    if constexpr (simd::kGathersCharacters) return simd::store_characters(dst, v, block.begins);
    else return transcode_any(dst, block);
}

// Transcodes [p, last), or, if kWhole, up to where a block might be stored past `limit`. p is moved on. False where the text is invalid.
template <bool kWhole, CodeUnit Dst>
bool transcode_blocks(Dst*& dst, const Dst* limit, const std::uint8_t*& p, const std::uint8_t* last) noexcept {
    while (p < last) {
        const auto left = static_cast<std::size_t>(last - p);
        if (kWhole && (left < kBlock || limit - dst < static_cast<std::ptrdiff_t>(kBlock))) return true;
        if constexpr (sizeof(Dst) > 1) {
            // A run of three-byte characters, taken only if it is as long as it can be: to wait for its length costs more than it gains.
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
        std::size_t n = left < kBlock ? left : kBlock;
        const V8 v = V8::load(p);
        std::uint64_t valid = low_bits(static_cast<unsigned>(n));
        Utf8Lanes lanes(v, valid);
        if (lanes.high == 0) {
            dst = simd::store_first<std::uint8_t, Dst>(dst, v, n);
            p += n;
            continue;
        }
        if (!lanes.cut_to_whole(v, n, n == left)) return false;
        valid = low_bits(static_cast<unsigned>(n));
        const Utf8Block block{p, n, lanes.three, lanes.four, valid & ~lanes.continuations()};
        if (!transcode(dst, block, v)) return false;
        p += n;
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
    if constexpr (!simd::kExactStores) {
        // Whole vectors, as long as they stay below the end of the output; the rest goes through a buffer.
        if (static_cast<std::size_t>(last - first) > 2 * kBlock) {
            const Dst* limit = dst + count_code_points(first, last);
            if (!transcode_blocks<true, Dst>(dst, limit, first, last)) return nullptr;
            if (static_cast<std::size_t>(last - first) > 4 * kBlock) return nullptr;  // more bytes than the code points can have
        }
    }
    return detail::write_exactly<5 * kBlock>(
        dst, [&](Dst*& end) OCIOR_INLINE_LAMBDA { return transcode_blocks<false, Dst>(end, nullptr, first, last); });
}

bool is_utf8(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    while (first < last) {
        const auto left = static_cast<std::size_t>(last - first);
        std::size_t n = left < kBlock ? left : kBlock;
        const V8 v = V8::load(first);
        Utf8Lanes lanes(v, low_bits(static_cast<unsigned>(n)));
        if (lanes.high != 0 && (!lanes.cut_to_whole(v, n, n == left) || lanes.have_bad_values(v))) return false;
        first += n;
    }
    return true;
}

template std::uint8_t* utf8_to(std::uint8_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
template std::uint16_t* utf8_to(std::uint16_t*, const std::uint8_t*, const std::uint8_t*) noexcept;
template std::uint32_t* utf8_to(std::uint32_t*, const std::uint8_t*, const std::uint8_t*) noexcept;

}  // namespace ocior::text
