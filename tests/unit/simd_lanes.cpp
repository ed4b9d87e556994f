// The port's vocabulary, lane by lane.
#include <doctest/doctest.h>

#include "simd/lanes.h"
#include "text_samples.h"

using namespace ocior;

namespace {

template <CodeUnit U>
std::size_t lane_faults() {
    using V = simd::Vec<U>;
    samples::Random r(11);
    std::size_t wrong = 0;
    for (int round = 0; round < 3000; ++round) {
        U lanes[V::kLanes];
        const U pivot = static_cast<U>(r.next() >> r.below(50));
        const U span = static_cast<U>(r.below(2) ? ~U{0} : 3);
        std::uint64_t same = 0, less = 0;
        for (std::size_t i = 0; i < V::kLanes; ++i) {
            lanes[i] = static_cast<U>(pivot - 1 + (static_cast<U>(r.next()) & span));
            if (lanes[i] == pivot) same |= 1ull << i;
            if (lanes[i] < pivot) less |= 1ull << i;
        }
        const V v = V::load(lanes);
        const std::uint64_t all = low_bits(V::kLanes);
        wrong += simd::eq<U>(v, pivot).lane_bits() != same;
        if (pivot != 0) wrong += simd::lt<U>(v, pivot).lane_bits() != less;
        wrong += simd::ge<U>(v, pivot).lane_bits() != (~less & all);
        wrong += simd::eq<U>(v, pivot).any() != (same != 0);
        wrong += simd::eq<U>(v, pivot).none() != (same == 0);
        if (same != 0) wrong += simd::eq<U>(v, pivot).first() != trailing_zeros(same);
        U back[V::kLanes];
        v.store(back);
        wrong += std::memcmp(back, lanes, sizeof lanes) != 0;
    }
    return wrong;
}

template <CodeUnit Src, CodeUnit Dst>
std::size_t store_as_faults() {
    using V = simd::Vec<Src>;
    samples::Random r(13);
    std::size_t wrong = 0;
    for (int round = 0; round < 200; ++round) {
        Src lanes[V::kLanes];
        for (Src& u : lanes) u = static_cast<Src>(r.next() & (sizeof(Dst) == 1 ? 0xFF : 0xFFFF));
        Dst out[V::kLanes];
        simd::store_as<Src, Dst>(out, V::load(lanes));
        for (std::size_t i = 0; i < V::kLanes; ++i) wrong += out[i] != static_cast<Dst>(lanes[i]);
    }
    return wrong;
}

template <CodeUnit U>
std::size_t load_upto_faults() {
    using V = simd::Vec<U>;
    const samples::Guarded memory(1);
    std::size_t wrong = 0;
    for (std::size_t n = 1; n <= V::kLanes; ++n) {
        for (std::size_t before_guard = 0; before_guard < 70; ++before_guard) {
            U* p = memory.room<U>(n, before_guard);
            for (std::size_t i = 0; i < n; ++i) p[i] = static_cast<U>(i * 7 + 1);
            U lanes[V::kLanes];
            V::load_upto(p, n).store(lanes);
            wrong += std::memcmp(lanes, p, n * sizeof(U)) != 0;
        }
    }
    return wrong;
}

// Around the end of the first page of two, and before the guard.
template <CodeUnit Src, CodeUnit Dst>
std::size_t store_first_faults() {
    constexpr std::size_t kLanes = simd::Vec<Src>::kLanes;
    const samples::Guarded memory(2);
    const std::size_t bytes = static_cast<std::size_t>(memory.last() - memory.first());
    samples::Random r(37);
    std::size_t wrong = 0;
    for (std::size_t n = 1; n <= kLanes; ++n) {
        for (std::size_t place = 0; place < 300; ++place) {
            const std::size_t end = place < 290 ? bytes / 2 + n * sizeof(Dst) + 1 - place : bytes + 290 - place;
            Src lanes[kLanes];
            for (Src& u : lanes) u = static_cast<Src>(r.next() & (sizeof(Dst) == 1 ? 0xFF : 0xFFFF));
            auto* const out = reinterpret_cast<Dst*>(memory.first() + end - n * sizeof(Dst));
            std::memset(memory.first(), 0xA5, bytes);
            wrong += simd::store_first<Src, Dst>(out, simd::Vec<Src>::load(lanes), n) != out + n;
            for (std::size_t i = 0; i < n; ++i) {
                wrong += load<Dst>(out + i) != static_cast<Dst>(lanes[i]);
                std::memset(out + i, 0xA5, sizeof(Dst));
            }
            for (std::size_t i = 0; i < bytes; ++i) wrong += memory.first()[i] != 0xA5;
        }
    }
    return wrong;
}

// Every byte in every lane, behind lanes that stop nothing and before any.
std::size_t head_stop_faults() {
    constexpr std::size_t kLanes = sizeof(simd::StringHead);
    samples::Random r(41);
    std::size_t wrong = 0;
    for (unsigned byte = 0; byte < 256; ++byte) {
        const bool stops = byte < 0x20 || byte == '"' || byte == '\\' || byte >= 0x80;
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            std::uint8_t lanes[kLanes];
            for (std::size_t i = 0; i < kLanes; ++i)
                lanes[i] = static_cast<std::uint8_t>(stops && i > lane ? r.next() : "a !#[]\x7f~"[r.below(8)]);
            lanes[lane] = static_cast<std::uint8_t>(byte);
            const auto found = simd::marked_or_wide_lanes(simd::StringHead::load(lanes));
            wrong += found.any() != stops || (stops && found.first() != lane);
        }
    }
    return wrong;
}

// Around the end of the first page of two, and before the guard.
template <typename Head>
std::size_t head_store_faults() {
    if constexpr (!simd::kExactStores) return 0;
    else {
        const samples::Guarded memory(2);
        const std::size_t bytes = static_cast<std::size_t>(memory.last() - memory.first());
        std::size_t wrong = 0;
        std::uint8_t lanes[sizeof(Head)];
        for (std::size_t i = 0; i < sizeof lanes; ++i) lanes[i] = static_cast<std::uint8_t>(i + 1);
        for (std::size_t n = 1; n <= sizeof lanes; ++n) {
            for (std::size_t place = 0; place < 100; ++place) {
                std::uint8_t* const out = memory.first() + (place < 80 ? bytes / 2 + 1 - place : bytes - n + 80 - place);
                std::memset(memory.first(), 0xA5, bytes);
                Head::load(lanes).store_upto(out, n);
                wrong += std::memcmp(out, lanes, n) != 0;
                std::memset(out, 0xA5, n);
                for (std::size_t i = 0; i < bytes; ++i) wrong += memory.first()[i] != 0xA5;
            }
        }
        return wrong;
    }
}

template <int k>
std::size_t lanes_after_faults(const std::uint8_t (&lanes)[simd::kVecBytes]) {
    std::uint8_t out[simd::kVecBytes];
    simd::lanes_after<k>(simd::Vec<std::uint8_t>::load(lanes)).store(out);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < simd::kVecBytes; ++i) wrong += out[i] != (i + k < simd::kVecBytes ? lanes[i + k] : 0);
    return wrong;
}

template <CodeUnit U>
std::size_t narrowing_faults() {
    constexpr std::size_t kLanes = simd::Vec<U>::kLanes;
    samples::Random r(29);
    std::size_t wrong = 0;
    for (int round = 0; round < 500; ++round) {
        U lanes[kLanes];
        for (U& u : lanes) u = static_cast<U>(r.next() >> r.below(60));
        std::uint8_t out[simd::kVecBytes];
        simd::narrow_saturated(simd::Vec<U>::load(lanes)).store(out);
        for (std::size_t i = 0; i < simd::kVecBytes; ++i) wrong += out[i] != (i >= kLanes ? 0 : lanes[i] > 0xFF ? 0xFF : lanes[i]);
    }
    return wrong;
}

}  // namespace

TEST_CASE("what escapes are resolved with") {
    samples::Random r(31);
    std::uint8_t lanes[simd::kVecBytes], out[simd::kVecBytes];
    std::size_t wrong = 0;
    for (int round = 0; round < 2000; ++round) {
        for (auto& lane : lanes) lane = static_cast<std::uint8_t>(r.next());
        simd::Mask<std::uint8_t> digits;
        simd::hex_values(simd::Vec<std::uint8_t>::load(lanes), digits).store(out);
        for (std::size_t i = 0; i < simd::kVecBytes; ++i) {
            const char* const place =
                lanes[i] != 0 ? std::strchr("0123456789abcdef", lanes[i] >= 'A' && lanes[i] <= 'F' ? lanes[i] + 32 : lanes[i]) : nullptr;
            const bool is_digit = (digits.lane_bits() >> i & 1) != 0;
            wrong += is_digit != (place != nullptr) || out[i] > 15 ||
                     (place && out[i] != (lanes[i] <= '9' ? lanes[i] - '0' : (lanes[i] | 32) - 'a' + 10));
        }
        wrong += lanes_after_faults<1>(lanes) + lanes_after_faults<3>(lanes);
        const std::uint64_t bits = r.next() & low_bits(simd::kVecBytes);
        wrong += simd::byte_lanes_of(bits).lane_bits() != bits;
    }
    CHECK(wrong == 0);
    CHECK(narrowing_faults<std::uint8_t>() == 0);
    CHECK(narrowing_faults<std::uint16_t>() == 0);
    CHECK(narrowing_faults<std::uint32_t>() == 0);
}

TEST_CASE("comparisons and masks") {
    CHECK(lane_faults<std::uint8_t>() == 0);
    CHECK(lane_faults<std::uint16_t>() == 0);
    CHECK(lane_faults<std::uint32_t>() == 0);
}

TEST_CASE("stores to other widths") {
    CHECK(store_as_faults<std::uint8_t, std::uint8_t>() == 0);
    CHECK(store_as_faults<std::uint8_t, std::uint16_t>() == 0);
    CHECK(store_as_faults<std::uint8_t, std::uint32_t>() == 0);
    CHECK(store_as_faults<std::uint16_t, std::uint8_t>() == 0);
    CHECK(store_as_faults<std::uint16_t, std::uint32_t>() == 0);
    CHECK(store_as_faults<std::uint32_t, std::uint8_t>() == 0);
    CHECK(store_as_faults<std::uint32_t, std::uint16_t>() == 0);
}

TEST_CASE("stores of a few units write nothing else") {
    if constexpr (simd::kExactStores) {
        CHECK(store_first_faults<std::uint8_t, std::uint8_t>() == 0);
        CHECK(store_first_faults<std::uint8_t, std::uint16_t>() == 0);
        CHECK(store_first_faults<std::uint8_t, std::uint32_t>() == 0);
        CHECK(store_first_faults<std::uint16_t, std::uint8_t>() == 0);
        CHECK(store_first_faults<std::uint16_t, std::uint16_t>() == 0);
        CHECK(store_first_faults<std::uint16_t, std::uint32_t>() == 0);
        CHECK(store_first_faults<std::uint32_t, std::uint8_t>() == 0);
        CHECK(store_first_faults<std::uint32_t, std::uint16_t>() == 0);
        CHECK(store_first_faults<std::uint32_t, std::uint32_t>() == 0);
    }
}

TEST_CASE("the head of a string") {
    CHECK(head_stop_faults() == 0);
    CHECK(head_store_faults<simd::StringHead>() == 0);
}

TEST_CASE("loads of a few units never touch the next page") {
    CHECK(load_upto_faults<std::uint8_t>() == 0);
    CHECK(load_upto_faults<std::uint16_t>() == 0);
    CHECK(load_upto_faults<std::uint32_t>() == 0);
}

TEST_CASE("equal") {
    std::uint8_t a[400 + 64], b[400 + 64];
    samples::Random r(17);
    std::size_t wrong = 0;
    for (std::size_t n = 0; n <= 300; ++n) {
        for (std::size_t offset = 0; offset < 8; ++offset) {
            for (auto& x : a) x = static_cast<std::uint8_t>(r.next());
            for (auto& x : b) x = static_cast<std::uint8_t>(r.next());
            std::memcpy(b + 3, a + offset, n);
            wrong += !simd::equal(a + offset, b + 3, n);
            for (std::size_t i = 0; i < n; i += 1 + n / 20) {
                b[3 + i] ^= 4;
                wrong += simd::equal(a + offset, b + 3, n);
                b[3 + i] ^= 4;
            }
        }
    }
    CHECK(wrong == 0);
}
