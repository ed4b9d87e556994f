// Width conversion and or_of against their twins: both sides end at a guard page, nothing beside the output changes.
#include <doctest/doctest.h>

#include "base/copy.h"
#include "text/convert.h"
#include "text_oracle.h"
#include "text_samples.h"

using namespace ocior;
using samples::Guarded;

namespace {

template <CodeUnit Src, CodeUnit Dst>
std::size_t convert_differences() {
    const Guarded source(2), output(2);
    samples::Random r(3);
    std::size_t wrong = 0;
    const std::uint32_t limit = sizeof(Src) == 1 || sizeof(Dst) == 1 ? 0xFF : sizeof(Src) == 2 || sizeof(Dst) == 2 ? 0xFFFF : 0x10FFFF;
    for (std::size_t n = 0; n <= 300; ++n) {
        for (std::size_t alignment = 0; alignment < 64; alignment += n < 70 ? 1 : 5) {
            Src* src = source.room<Src>(n, alignment);
            for (std::size_t i = 0; i < n; ++i) src[i] = static_cast<Src>(r.next() & limit);
            Dst* dst = output.room<Dst>(n, (n + alignment) % 3 * 7);
            std::memset(output.last() - 4000, 0xA5, 4000);
            text::convert<Src, Dst>(dst, src, n);
            for (std::size_t i = 0; i < n; ++i) wrong += dst[i] != src[i];
            for (const std::uint8_t* p = reinterpret_cast<std::uint8_t*>(dst + n); p < output.last(); ++p) wrong += *p != 0xA5;
            wrong += reinterpret_cast<std::uint8_t*>(dst)[-1] != 0xA5;
        }
    }
    return wrong;
}

// In one block, which ends at the guard page; the wider units begin up to a vector behind the narrower ones.
template <CodeUnit Src, CodeUnit Dst>
std::size_t widen_differences() {
    const Guarded block(2);
    samples::Random r(7);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= 300; ++n) {
        for (std::size_t gap = 0; gap <= 64; gap += sizeof(Dst)) {
            Dst* dst = block.room<Dst>(n);
            Src* src = reinterpret_cast<Src*>(reinterpret_cast<std::uint8_t*>(dst) - gap);
            std::vector<Src> units(n);
            for (Src& unit : units) unit = static_cast<Src>(r.next());
            if (n > 0) std::memcpy(src, units.data(), n * sizeof(Src));
            src[-1] = 0xA5;
            text::widen_within<Src, Dst>(dst, src, n);
            for (std::size_t i = 0; i < n; ++i) wrong += dst[i] != units[i];
            wrong += src[-1] != 0xA5;
        }
    }
    return wrong;
}

// Blocks of several lengths with the target every few bytes behind the source, counted within a page.
std::size_t copy_differences() {
    constexpr std::size_t kRoom = 3 * 4096, kPage = 4096;
    static std::uint8_t source[kRoom], output[kRoom + 2 * kPage];
    samples::Random r(11);
    for (std::uint8_t& byte : source) byte = static_cast<std::uint8_t>(r.next());
    std::size_t wrong = 0;
    for (const std::size_t n : {0, 1, 63, 64, 1023, 1024, 1025, 1087, 1088, 1089, 2500, 4096, 9001}) {
        for (std::size_t behind = 0; behind < 70; behind += behind < 40 ? 1 : 8) {
            std::uint8_t* const dst =
                output + (reinterpret_cast<std::uintptr_t>(source) - reinterpret_cast<std::uintptr_t>(output)) % kPage + behind + 1;
            std::memset(output, 0xA5, sizeof output);
            copy_block(dst, source + 1, n);
            wrong += n > 0 && std::memcmp(dst, source + 1, n) != 0;
            for (const std::uint8_t& byte : output) wrong += byte != 0xA5 && !(&byte >= dst && &byte < dst + n);
        }
    }
    return wrong;
}

template <CodeUnit U>
std::size_t or_differences() {
    const Guarded source(2);
    samples::Random r(5);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= 300; ++n) {
        for (std::size_t alignment = 0; alignment < 64; ++alignment) {
            U* p = source.room<U>(n, alignment);
            std::memset(source.first(), 0xFF, 4096);
            std::memset(source.last() - alignment * sizeof(U), 0xFF, alignment * sizeof(U));
            for (std::size_t i = 0; i < n; ++i) p[i] = 'a';
            if (n > 0) p[r.below(static_cast<std::uint32_t>(n))] = static_cast<U>(r.next());
            wrong += text::or_of(p, n) != text::scalar::or_of(p, n);
        }
    }
    return wrong;
}

}  // namespace

TEST_CASE("blocks are copied however they lie to each other") { CHECK(copy_differences() == 0); }

TEST_CASE("units are widened where they are") {
    CHECK(widen_differences<std::uint8_t, std::uint16_t>() == 0);
    CHECK(widen_differences<std::uint8_t, std::uint32_t>() == 0);
    CHECK(widen_differences<std::uint16_t, std::uint32_t>() == 0);
}

TEST_CASE("conversions are exact") {
    CHECK(convert_differences<std::uint8_t, std::uint8_t>() == 0);
    CHECK(convert_differences<std::uint8_t, std::uint16_t>() == 0);
    CHECK(convert_differences<std::uint8_t, std::uint32_t>() == 0);
    CHECK(convert_differences<std::uint16_t, std::uint8_t>() == 0);
    CHECK(convert_differences<std::uint16_t, std::uint32_t>() == 0);
    CHECK(convert_differences<std::uint32_t, std::uint8_t>() == 0);
    CHECK(convert_differences<std::uint32_t, std::uint16_t>() == 0);
}

TEST_CASE("or_of equals its twin") {
    CHECK(or_differences<std::uint8_t>() == 0);
    CHECK(or_differences<std::uint16_t>() == 0);
    CHECK(or_differences<std::uint32_t>() == 0);
}
