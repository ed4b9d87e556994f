// The digits of dates and times, as RFC 3339 has them, in the compiler's own vectors.
#pragma once

#include <cstring>
#include <utility>

#include "simd/lanes.h"

namespace ocior::simd {

namespace detail {

// Which bytes each 16 bytes of a result take: numbers below 16 mean bytes of one vector, others those of another.
struct BytePattern {
    std::uint8_t at[16];
};

// Joins two vectors to one.
template <typename V>
OCIOR_INLINE auto joined(V a, V b) noexcept {
    return [=]<std::size_t... i>(std::index_sequence<i...>) OCIOR_INLINE_LAMBDA {
        return __builtin_shufflevector(a, b, i...);
    }(std::make_index_sequence<2 * sizeof(V) / sizeof(a[0])>());
}
// Loads `count` times 16 bytes as one vector.
template <std::size_t count>
OCIOR_INLINE auto load_all(const void* const* stored) noexcept {
    if constexpr (count > 1) {
        return joined(load_all<count / 2>(stored), load_all<count / 2>(stored + count / 2));
    } else {
        std::uint8_t __attribute__((vector_size(16))) one;
        std::memcpy(&one, *stored, sizeof one);
        return one;
    }
}
template <typename V, typename One>
OCIOR_INLINE V repeat(One one) noexcept {
    if constexpr (sizeof(V) == sizeof(One)) return one;
    else return repeat<V>(joined(one, one));
}

// Makes two digits of each number below 100 in a lane of 16 bits. The first digit of x, x * 103 / 1024, goes into the lower byte, the
// second one, x - 10 * tens, into the upper. The last lane of each eight is ignored. (Were its factor the same, GCC would write shifts and
// sums for the product, more instructions.)
template <typename Bytes, typename Lanes>
OCIOR_INLINE Bytes two_digits(Lanes numbers) noexcept {
    using Eight = std::uint16_t __attribute__((vector_size(16)));
    constexpr std::uint16_t kLift = 10 * 256 - 1;
    const Lanes tens = numbers * 103 >> 10;
    return (Bytes)((numbers << 8) - tens * repeat<Lanes>(Eight{kLift, kLift, kLift, kLift, kLift, kLift, kLift, 0})) + '0';
}

}  // namespace detail

// Stores 20 bytes: "YYYY-MM-DDThh:mm:ss.". `pairs` has a byte below 100 for every two digits, the century in the lowest one; the uppermost
// one is ignored.
OCIOR_INLINE void store_date_time(std::uint8_t* to, std::uint64_t pairs) noexcept {
    using Bytes = std::uint8_t __attribute__((vector_size(16)));
    using Lanes = std::uint16_t __attribute__((vector_size(16)));
    using Words = std::uint64_t __attribute__((vector_size(16)));
    const auto lanes =
        (Lanes)__builtin_shufflevector((Bytes)Words{pairs, 0}, Bytes{}, 0, 16, 1, 16, 2, 16, 3, 16, 4, 16, 5, 16, 6, 16, 7, 16);
    const Bytes digits = detail::two_digits<Bytes>(lanes);
    const Bytes marks = {'-', 'T', ':', '.'};
    const Bytes head = __builtin_shufflevector(digits, marks, 0, 1, 2, 3, 16, 4, 5, 16, 6, 7, 17, 8, 9, 18, 10, 11);
    const Bytes tail = __builtin_shufflevector(digits, marks, 18, 12, 13, 19, 12, 13, 12, 13, 12, 13, 12, 13, 12, 13, 12, 13);
    const std::uint64_t tail_word = ((Words)tail)[0];
    std::memcpy(to, &head, sizeof head);
    std::memcpy(to + 16, &tail_word, 4);
}

// A vector of dates and times, each in 16 bytes as CPython stores it: byte 0 is ignored, then two of the year, the higher one first, one
// each of month, day, hour, minute and second, three of the microsecond, the highest one first; the rest is ignored.
class DateTimes {
public:
    static constexpr std::size_t kCount = kVecBytes / 16;

    OCIOR_INLINE explicit DateTimes(const void* const (&stored)[kCount]) noexcept {
        const Bytes all = detail::load_all<kCount>(stored);
        // The year and the microsecond. A quotient is right, as long as they have four and six digits, because a half is added.
        const Numbers wide =
            (Numbers)pick<Pattern{{2, 1, 0, 0, 10, 9, 8, 0}}>(all, all) & detail::repeat<Numbers>(Quad{0xFFFF, 0xFFFFFF, 0, 0});
        const Reals halves = __builtin_convertvector(wide, Reals) + 0.5f;
        const Numbers quotients = __builtin_convertvector(halves * detail::repeat<Reals>(RealQuad{0.01f, 0.001f, 0, 0}), Numbers);
        const Numbers remainders = wide - quotients * detail::repeat<Numbers>(Quad{100, 1000, 0, 0});
        // In lanes of 16 bits: the century, the rest of the year, the thousands and the rest of the microsecond.
        const Lanes split = (Lanes)(quotients | remainders << 16);
        constexpr std::uint16_t kAll = 0xFFFF, kByte = 0xFF;
        const Lanes short_parts = (Lanes)pick<Pattern{{0, 0, 0, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0, 0}}>(all, all) &
                                  detail::repeat<Lanes>(Eight{0, 0, kByte, kByte, kByte, kByte, kByte, 0});
        const Lanes pairs = short_parts | (split & detail::repeat<Lanes>(Eight{kAll, kAll, 0, 0, 0, 0, 0, 0}));
        const Lanes triples = split & detail::repeat<Lanes>(Eight{0, 0, kAll, kAll, 0, 0, 0, 0});
        // (Were all lanes of a factor the same, GCC would write shifts and sums for the product, as in two_digits().)
        const Lanes hundreds = triples * detail::repeat<Lanes>(Eight{0, 0, 41, 41, 0, 0, 0, 0}) >> 12;
        // The hundreds of both, the rest of both, the seconds.
        const Lanes apart = hundreds | (short_parts & detail::repeat<Lanes>(Eight{0, 0, 0, 0, 0, 0, kAll, 0}));
        const Lanes below_hundred = triples - hundreds * detail::repeat<Lanes>(Eight{0, 0, 100, 100, 0, 0, 0, 0});
        const Lanes fraction = below_hundred | (Lanes)((Words)apart >> 32);
        are_usual_ = (ge<std::uint16_t>(as_vec(pairs), 100) | ge<std::uint16_t>(as_vec(triples), 1000)).none();
        const Bytes marks = detail::repeat<Bytes>(Sixteen{'-', 'T', ':', '.'});
        const Bytes head = pick<Pattern{{0, 1, 2, 3, 16, 4, 5, 16, 6, 7, 17, 8, 9, 18, 10, 11}}>(detail::two_digits<Bytes>(pairs), marks);
        const Bytes tail = pick<Pattern{{18, 8, 9, 19, 1, 4, 5, 3, 6, 7}}>(detail::two_digits<Bytes>(fraction), marks);
        std::memcpy(head_, &head, sizeof head);
        std::memcpy(tail_, &tail, sizeof tail);
    }

    // Whether all have years below 10000, microseconds below a million, and other numbers below 100.
    OCIOR_INLINE bool are_usual() const noexcept { return are_usual_; }
    // Stores 32 bytes, where they are: "YYYY-MM-DDThh:mm:ss.uuuuuu", of which the last 6 are any.
    OCIOR_INLINE void put(std::size_t i, std::uint8_t* to) const noexcept {
        std::memcpy(to, head_ + 16 * i, 16);
        std::memcpy(to + 16, tail_ + 16 * i, 16);
    }

private:
    using Pattern = detail::BytePattern;
    template <typename Number, std::size_t bytes>
    using Vector __attribute__((vector_size(bytes))) = Number;
    using Bytes = Vector<std::uint8_t, kVecBytes>;
    using Lanes = Vector<std::uint16_t, kVecBytes>;
    using Numbers = Vector<std::int32_t, kVecBytes>;
    using Reals = Vector<float, kVecBytes>;
    using Words = Vector<std::uint64_t, kVecBytes>;
    // Vectors of 16 bytes, for one date and time.
    using Sixteen = Vector<std::uint8_t, 16>;
    using Eight = Vector<std::uint16_t, 16>;
    using Quad = Vector<std::int32_t, 16>;
    using RealQuad = Vector<float, 16>;

    template <detail::BytePattern kPattern>
    static OCIOR_INLINE Bytes pick(Bytes a, Bytes b) noexcept {
        constexpr auto kPlace = [](std::size_t i) {
            const std::size_t at = kPattern.at[i % 16];
            return static_cast<int>(i / 16 * 16 + (at < 16 ? at : kVecBytes + at - 16));
        };
        return [=]<std::size_t... i>(std::index_sequence<i...>)
                   OCIOR_INLINE_LAMBDA { return __builtin_shufflevector(a, b, kPlace(i)...); }(std::make_index_sequence<kVecBytes>());
    }
    static OCIOR_INLINE Vec<std::uint16_t> as_vec(Lanes lanes) noexcept {
        Vec<std::uint16_t> vec;
        static_assert(sizeof vec == sizeof lanes);
        std::memcpy(&vec, &lanes, sizeof vec);
        return vec;
    }

    alignas(kVecBytes) std::uint8_t head_[kVecBytes], tail_[kVecBytes];
    bool are_usual_;
};

}  // namespace ocior::simd
