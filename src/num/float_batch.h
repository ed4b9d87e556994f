// Many floats to text at once, by the arithmetic of shortest.h and in the notation of float_text.h. Each lane of a vector works at one
// number, which costs 3.0 ns instead of 8.3 (64 in a batch, Zen 5). It is only there where simd::kHasU64x8.
#pragma once

#include "num/float_text.h"
#include "simd/u64x8.h"

namespace ocior::num {

#if defined(__AVX512IFMA__) && defined(__AVX512VBMI__)

// Places in a row of a FloatBatch. A row holds sixteen digits, the last one first, then the seventeenth digit, a point, a sign, and zeros.
inline constexpr std::uint8_t kTakeTail = 16, kTakePoint = 17, kTakeSign = 18, kTakeZero = 19;

// From which place in the row each character of a text in positional notation is taken: by the sign, by whether the sixteen digits start
// with a zero, and by the exponent of the first digit.
inline constexpr int kLeastPositional = -4, kPositional = 20;
struct PositionalRow {
    std::uint8_t take[32];
};
struct PositionalTable {
    PositionalRow row[2][2][32];
};
constexpr PositionalTable make_positional_table() noexcept {
    PositionalTable table{};
    for (int sign = 0; sign < 2; ++sign) {
        for (int lead = 0; lead < 2; ++lead) {
            for (int exponent = kLeastPositional; exponent < kLeastPositional + kPositional; ++exponent) {
                std::uint8_t* const take = table.row[sign][lead][exponent - kLeastPositional].take;
                const int point = sign + (exponent < 0 ? 1 : exponent + 1);
                // Where the first of the sixteen digits would be, were there no point.
                const int first = sign - lead - (exponent < 0 ? exponent : 0);
                for (int i = 0; i < 32; ++i) {
                    const int digit = i - first - (i > point);
                    if (i < sign) take[i] = kTakeSign;
                    else if (i == point) take[i] = kTakePoint;
                    else if (digit < lead || digit > 16) take[i] = kTakeZero;
                    else take[i] = digit == 16 ? kTakeTail : static_cast<std::uint8_t>(15 - digit);
                }
            }
        }
    }
    return table;
}
alignas(64) inline constexpr PositionalTable kPositionalTable = make_positional_table();

class FloatBatch {
public:
    static constexpr int kSize = 64, kLanes = 8;

    // Takes the numbers of this format that have the bits of bits(0) to bits(count - 1), whatever they are. It asks for more of them, up to
    // the next multiple of kLanes.
    template <FloatFormat format = FloatFormat::k64, typename Bits>
    OCIOR_INLINE void format_bits(int count, Bits bits) noexcept {
        irregular_ = 0;
        // Each loop is short enough for the processor to work at several rounds at once, which hides their latency.
        for (int i = 0; i < count; i += kLanes) {
            const auto eight = simd::U64x8::from([&](int j) OCIOR_INLINE_LAMBDA { return static_cast<std::uint64_t>(bits(i + j)); });
            if constexpr (format == FloatFormat::k64) scale_eight(i, eight);
            else scale_narrow_eight<format>(i, eight);
        }
        others_ = irregular_;
        for (int i = 0; i < count; i += kLanes) lay_out_eight(i);
    }
    // Takes the doubles number(0) to number(count - 1), as format_bits() takes bits.
    template <typename Number>
    OCIOR_INLINE void format(int count, Number number) noexcept {
        format_bits(count, [&](int i) OCIOR_INLINE_LAMBDA { return std::bit_cast<std::uint64_t>(number(i)); });
    }

    // Writes what write_f64, write_f32 or write_f16 writes for the number i. Null for subnormals, for some powers of two, and for what is
    // not finite. 32 bytes are stored.
    OCIOR_INLINE std::uint8_t* put(std::uint8_t* out, int i) const noexcept {
        simd::put_row(out, row_[i], reinterpret_cast<const std::uint8_t*>(&kPositionalTable) + take_[i]);
        out += length_[i];
        if (OCIOR_LIKELY((others_ >> i & 1) == 0)) return out;
        return irregular_ >> i & 1 ? nullptr : detail::put_exponent(out, static_cast<int>(exponent_[i]));
    }

private:
    OCIOR_INLINE void scale_eight(int first, simd::U64x8 bits) noexcept;
    template <FloatFormat format>
    OCIOR_INLINE void scale_narrow_eight(int first, simd::U64x8 bits) noexcept;
    OCIOR_INLINE void lay_out_eight(int first) noexcept;

    alignas(64) std::uint8_t row_[kSize][32];
    std::uint64_t take_[kSize];  // first the sixteen digits of each number, later its offset in kPositionalTable
    std::uint64_t length_[kSize], exponent_[kSize], tail_[kSize], sign_[kSize];
    std::uint64_t irregular_, others_;  // a bit for each number: put() returns null for it; or it does, or the notation is scientific
};

namespace detail {

// They are used as operands in memory: GCC would make each of them anew from a general register.
struct BatchConstants {
    std::uint64_t one = 1, two = 2, four = 4, seven = 7, eight = 8, ten = 10, twelve = 12, sixteen = 16, seventeen = 17, eighteen = 18,
                  twenty_two = 22, thirty = 30, thirty_four = 34, minus_fifteen = static_cast<std::uint64_t>(-15);
    std::uint64_t fraction_bits = (1ull << 52) - 1, exponent_bits = 0x7ff, regular_exponents = 0x7fe, bias = 1075;
    std::uint64_t least_regular_power = 1023 - 23, regular_powers = 23 + 63 + 1;  // make_exponent_table: which powers of two are regular
    std::uint64_t log10_2 = kLog10Of2, log2_10 = kLog2Of10, first_power = static_cast<std::uint64_t>(-kMinPow10);
    std::uint64_t tie_bias = kTieBias, tie = 1ull << 62, e15 = k1e15, e8 = 100000000, div_e8 = kDivE8;
    std::uint64_t positional = kPositional, zeros = 0x3030303030303030, beside = 0x30303030302d2e30;  // tail, point, sign
    std::uint64_t e4 = 10000, e7 = 10000000, e9 = 1000000000, e16 = 10000000000000000;
    simd::Digits8Constants digits{};
    alignas(64) simd::RowOrder order{};

    // x / 10^8 for x < 10^16 as (x / 2^8) * factor >> 70: rounding the factor up is harmless while (x / 2^8) * excess < 2^70.
    static constexpr std::uint64_t kDivE8 = 3022314549036573;
    static_assert(kDivE8 == (static_cast<uint128>(1) << 70) / 390625 + 1 && 390625ull << 8 == 100000000);
    static_assert((10000000000000000 >> 8) * static_cast<uint128>(kDivE8 * static_cast<uint128>(390625) - (static_cast<uint128>(1) << 70)) <
                  static_cast<uint128>(1) << 70);
};
alignas(64) inline constexpr BatchConstants kBatchConstants{};

}  // namespace detail

// Does for eight doubles what shortest.h does for one.
OCIOR_INLINE void FloatBatch::scale_eight(int first, simd::U64x8 bits) noexcept {
    using simd::Mask8;
    using simd::U64x8;
    const detail::BatchConstants* k = &detail::kBatchConstants;
    asm("" : "+r"(k));
    const auto of = [](const std::uint64_t& constant) OCIOR_INLINE_LAMBDA { return U64x8::splat(constant); };

    const U64x8 fraction = bits & of(k->fraction_bits), biased = bits.shift_right<52>() & of(k->exponent_bits);
    const Mask8 is_null = is_zero(bits.shift_left<1>());
    const Mask8 is_regular = less(biased - of(k->one), of(k->regular_exponents)) &
                             (~is_zero(fraction) | less(biased - of(k->least_regular_power), of(k->regular_powers)));

    // The row of kExponentTable: the decimal exponent, the power of ten and the shift, 3 to 6.
    const U64x8 q = biased - of(k->bias);
    const U64x8 exponent10 = multiply_32_signed(q, of(k->log10_2)).shift_right_signed<20>();
    const U64x8 power = -exponent10 - of(k->one);
    const U64x8 shift = q + multiply_32_signed(power, of(k->log2_10)).shift_right_signed<16>() + of(k->seven);
    U64x8 high, low;
    load_pairs(kPow10.row, power + of(k->first_power), high, low);

    // scale(): the product of (2^52 + fraction) and the power, in limbs of 52 bits, of which the lowest cannot carry. In units of
    // 2^(134 - shift) the integral part begins in bit 30 - shift of the limb at 2^104.
    const U64x8 limb_bits = of(k->fraction_bits);
    const U64x8 p0 = low & limb_bits, p1 = (high.shift_left<12>() | low.shift_right<52>()) & limb_bits, p2 = high.shift_right<40>();
    const U64x8 at_52 = add_product_low(add_product_high(p0, fraction, p0), fraction, p1);
    const U64x8 at_104 = add_product_low(add_product_high(p1, fraction, p1), fraction, p2) + at_52.shift_right<52>();
    const U64x8 at_156 = add_product_high(p2, fraction, p2);
    const U64x8 integral = (at_156 << (of(k->twenty_two) + shift)) + (at_104 >> (of(k->thirty) - shift));
    const U64x8 part = (at_104 << (of(k->thirty_four) + shift)) | ((at_52 & limb_bits) >> (of(k->eighteen) - shift));

    // shortest_regular(), round_to_digit().
    const U64x8 reach = (high >> (of(k->seven) - shift)) + (of(k->one) - (bits & of(k->one)));
    const U64x8 sum = part + reach;
    const Mask8 is_above = less(sum, reach);
    const U64x8 biased_part = part + of(k->tie_bias);
    const U64x8 ten = of(k->ten);
    const U64x8 digit =
        (multiply_32(biased_part, ten).shift_right<32>() + multiply_32(biased_part.shift_right<32>(), ten)).shift_right<32>();
    const U64x8 tail = where(~(is_above | less(part, reach) | is_null), select(equal(part, of(k->tie)), of(k->two), digit));
    where(~is_null, add_where(is_above, integral, of(k->one))).store(take_ + first);
    tail.store(tail_ + first);
    select(is_null, of(k->minus_fifteen), exponent10).store(exponent_ + first);  // the first digit is that of the ones
    bits.shift_right<63>().store(sign_ + first);
    irregular_ |= static_cast<std::uint64_t>((~(is_regular | is_null)).bits) << first;
}

// Does for eight numbers of fewer digits what scale_eight() does for doubles: the significand is one limb by itself, and what comes of it
// is brought to sixteen digits.
template <FloatFormat format>
OCIOR_INLINE void FloatBatch::scale_narrow_eight(int first, simd::U64x8 bits) noexcept {
    using simd::Mask8;
    using simd::U64x8;
    using Format = NarrowFormat<format>;
    static constexpr std::uint64_t kOfFormat[] = {
        Format::one,  Format::fraction_bits,       Format::exponent_bits, Format::magnitude_bits, Format::regular_exponents,
        Format::bias, Format::least_regular_power, Format::regular_powers};
    const detail::BatchConstants* k = &detail::kBatchConstants;
    const std::uint64_t* f = kOfFormat;
    asm("" : "+r"(k), "+r"(f));
    const auto of = [](const std::uint64_t& constant) OCIOR_INLINE_LAMBDA { return U64x8::splat(constant); };

    const U64x8 fraction = bits & of(f[1]), biased = bits.shift_right<Format::kFractionBits>() & of(f[2]);
    const Mask8 is_null = is_zero(bits & of(f[3]));
    const Mask8 is_regular = less(biased - of(k->one), of(f[4])) & (~is_zero(fraction) | less(biased - of(f[6]), of(f[7])));
    const U64x8 c = fraction | of(f[0]);

    const U64x8 q = biased - of(f[5]);
    const U64x8 exponent10 = multiply_32_signed(q, of(k->log10_2)).template shift_right_signed<20>();
    const U64x8 power = -exponent10 - of(k->one);
    const U64x8 shift = q + multiply_32_signed(power, of(k->log2_10)).template shift_right_signed<16>() + of(k->seven);
    U64x8 high, low;
    load_pairs(kPow10.row, power + of(k->first_power), high, low);

    const U64x8 limb_bits = of(k->fraction_bits), zero = U64x8::zero();
    const U64x8 p0 = low & limb_bits, p1 = (high.shift_left<12>() | low.shift_right<52>()) & limb_bits, p2 = high.shift_right<40>();
    const U64x8 at_52 = add_product_low(add_product_high(zero, p0, c), p1, c);
    const U64x8 at_104 = add_product_low(add_product_high(at_52.shift_right<52>(), p1, c), p2, c);
    const U64x8 at_156 = add_product_high(zero, p2, c);
    const U64x8 integral = (at_156 << (of(k->twenty_two) + shift)) + (at_104 >> (of(k->thirty) - shift));
    const U64x8 part = (at_104 << (of(k->thirty_four) + shift)) | ((at_52 & limb_bits) >> (of(k->eighteen) - shift));

    const U64x8 reach = (high >> (of(k->seven) - shift)) + (of(k->one) - (bits & of(k->one)));
    const U64x8 sum = part + reach;
    const Mask8 is_above = less(sum, reach);
    const U64x8 biased_part = part + of(k->tie_bias);
    const U64x8 ten = of(k->ten);
    const U64x8 digit =
        (multiply_32(biased_part, ten).template shift_right<32>() + multiply_32(biased_part.template shift_right<32>(), ten))
            .template shift_right<32>();
    const U64x8 tail = where(~(is_above | less(part, reach)), select(equal(part, of(k->tie)), of(k->two), digit));

    // 8388608 to 167772160 for 32 bits; for 16, 1024 to 20480, which four zeros bring near to that.
    U64x8 digits = multiply_32(add_where(is_above, integral, of(k->one)), ten) + tail;
    if constexpr (Format::k16) digits = multiply_32(digits, of(k->e4));
    const Mask8 is_long = ~less(digits, of(k->e8)), is_short = less(digits, of(k->e7));
    const U64x8 factor = select(is_long, of(k->e7), select(is_short, of(k->e9), of(k->e8)));
    const U64x8 zeros = of(Format::k16 ? k->twelve : k->eight) + where(is_short, of(k->one)) - where(is_long, of(k->one));
    where(~is_null, multiply_32(digits, factor)).store(take_ + first);
    zero.store(tail_ + first);
    select(is_null, of(k->minus_fifteen), exponent10 - of(k->one) - zeros).store(exponent_ + first);
    bits.shift_right<Format::kFractionBits + Format::kExponentBits>().store(sign_ + first);
    irregular_ |= static_cast<std::uint64_t>((~(is_regular | is_null)).bits) << first;
}

// Does for eight doubles what Digits17 and put_decimal() do for one.
OCIOR_INLINE void FloatBatch::lay_out_eight(int first) noexcept {
    using simd::Mask8;
    using simd::U64x8;
    const detail::BatchConstants* k = &detail::kBatchConstants;
    asm("" : "+r"(k));
    const auto of = [](const std::uint64_t& constant) OCIOR_INLINE_LAMBDA { return U64x8::splat(constant); };

    const U64x8 head = U64x8::load(take_ + first), tail = U64x8::load(tail_ + first);
    const U64x8 exponent10 = U64x8::load(exponent_ + first), sign = U64x8::load(sign_ + first);
    const U64x8 head_high = add_product_high(U64x8::zero(), head.shift_right<8>(), of(k->div_e8)).shift_right<18>();
    const U64x8 digits_high = digits8(head_high, k->digits), digits_low = digits8(head - multiply_32(head_high, of(k->e8)), k->digits);
    const Mask8 is_low_zero = is_zero(digits_low);
    const U64x8 last = select(is_low_zero, digits_high, digits_low);  // the last digit that is not 0 is in the lowest byte that is not
    const U64x8 zeros = select(is_low_zero, of(k->sixteen), of(k->eight)) - leading_zeros(last & -last).shift_right<3>();
    const U64x8 lead = where(less(head, of(k->e15)), of(k->one));
    const U64x8 count = select(is_zero(head), of(k->one), of(k->seventeen) - lead - where(is_zero(tail), zeros));
    const U64x8 exponent = exponent10 + of(k->sixteen) - lead;
    const Mask8 is_scientific = ~less(exponent + of(k->four), of(k->positional));
    exponent.store(exponent_ + first);
    others_ |= static_cast<std::uint64_t>(is_scientific.bits) << first;

    // In scientific notation the digits look like those of a number below 10, but that a single one has no point.
    const U64x8 shown = where(~is_scientific, exponent);
    const U64x8 no_fraction = where(is_scientific & equal(count, of(k->one)), of(k->two));
    (shown + of(k->four) + lead.shift_left<5>() + sign.shift_left<6>()).shift_left<5>().store(take_ + first);
    (max_signed(count, shown + of(k->two)) + of(k->one) - no_fraction + sign + max_signed(-shown, U64x8::zero())).store(length_ + first);
    store_rows(row_ + first, digits_low + of(k->zeros), digits_high + of(k->zeros), tail + of(k->beside), k->order);
}

#else

class FloatBatch {  // for code that is compiled and never run
public:
    static constexpr int kSize = 64, kLanes = 8;
    template <typename Number>
    void format(int, Number) noexcept {}
    template <FloatFormat format = FloatFormat::k64, typename Bits>
    void format_bits(int, Bits) noexcept {}
    std::uint8_t* put(std::uint8_t*, int) const noexcept { return nullptr; }
};

#endif

}  // namespace ocior::num
