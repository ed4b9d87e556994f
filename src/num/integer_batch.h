// Many integers to text at once: each lane of a vector works at one. It is only there where simd::kHasU64x8.
#pragma once

#include "num/float_batch.h"

namespace ocior::num {

#if defined(__AVX512IFMA__) && defined(__AVX512VBMI__)

class IntegerBatch {
public:
    static constexpr int kSize = 64, kLanes = 8;

    // Takes the integers integer(0) to integer(count - 1).
    template <typename Integer>
    OCIOR_INLINE void format(int count, Integer integer) noexcept {
        using Type = decltype(integer(0));
        std::uint64_t any = 0;
        for (int i = 0; i < count; ++i) {
            const auto value = static_cast<std::uint64_t>(integer(i));
            const std::uint64_t sign = std::is_signed_v<Type> ? value >> 63 : 0;
            sign_[i] = sign;
            magnitude_[i] = (value ^ -sign) + sign;
            any |= magnitude_[i];
        }
        for (int i = count; i % kLanes != 0; ++i) magnitude_[i] = 0;
        wide_ = 0;
        width_ = any < k1e8 ? 8 : 16;  // no integer is above `any`
        are_short_ = any < k1e13;
        if (width_ == 8) {
            for (int i = 0; i < count; i += kLanes) format_short(i);
        } else {
            for (int i = 0; i < count; i += kLanes) format_eight(i);
        }
    }

    // Writes the integer i. 21 bytes may be stored.
    OCIOR_INLINE std::uint8_t* put(std::uint8_t* out, int i) const noexcept {
        *out = '-';
        out += sign_[i];
        if (OCIOR_UNLIKELY(wide_ >> i & 1)) return write_u64(out, magnitude_[i]);
        std::memcpy(out, text_ + width_ * static_cast<unsigned>(i) + start_[i], 16);
        return out + (width_ - start_[i]);
    }

    // Whether put_eight() writes them: none has more than 13 digits.
    OCIOR_INLINE bool are_short() const noexcept { return are_short_; }
    // Writes the integers from `first` on, kLanes of them, each with a separator of one or two bytes. 152 bytes may be stored.
    OCIOR_INLINE std::uint8_t* put_eight(std::uint8_t* out, int first, std::uint16_t separator, unsigned separator_length) const noexcept {
        const auto load = [first](const std::uint64_t* numbers) OCIOR_INLINE_LAMBDA { return simd::U64x8::load_any(numbers + first); };
        const std::uint8_t* const text = text_ + width_ * static_cast<unsigned>(first);
        return width_ == 8 ? simd::put_eight<8>(out, text, load(start_), load(sign_), separator, separator_length)
                           : simd::put_eight<16>(out, text, load(start_), load(sign_), separator, separator_length);
    }

private:
    static constexpr std::uint64_t k1e8 = 100000000, k1e13 = 10000000000000;
    OCIOR_INLINE void format_eight(int first) noexcept;
    OCIOR_INLINE void format_short(int first) noexcept;  // the same of integers below 10^8

    alignas(64) std::uint8_t text_[16 * (kSize + 1)];  // `width_` digits each, with zeros before
    alignas(64) std::uint64_t magnitude_[kSize];
    std::uint64_t start_[kSize], sign_[kSize];
    std::uint64_t width_;
    bool are_short_;
    std::uint64_t wide_;  // a bit for each integer of more than sixteen digits
};

OCIOR_INLINE void IntegerBatch::format_eight(int first) noexcept {
    using simd::U64x8;
    const detail::BatchConstants* k = &detail::kBatchConstants;
    asm("" : "+r"(k));
    const auto of = [](const std::uint64_t& constant) OCIOR_INLINE_LAMBDA { return U64x8::splat(constant); };

    const U64x8 all = U64x8::load(magnitude_ + first);
    const simd::Mask8 is_wide = ~less(all, of(k->e16));
    const U64x8 high = add_product_high(U64x8::zero(), all.shift_right<8>(), of(k->div_e8)).shift_right<18>();
    const U64x8 digits_high = digits8(high, k->digits), digits_low = digits8(all - multiply_32(high, of(k->e8)), k->digits);
    const simd::Mask8 is_short = is_zero(digits_high);
    const U64x8 zeros = leading_zeros(select(is_short, digits_low, digits_high) | of(k->one)).shift_right<3>();
    (zeros + where(is_short, of(k->eight))).store(start_ + first);
    store_reversed(text_ + 16 * first, digits_high + of(k->zeros), digits_low + of(k->zeros), k->order);
    wide_ |= static_cast<std::uint64_t>(is_wide.bits) << first;
}

OCIOR_INLINE void IntegerBatch::format_short(int first) noexcept {
    using simd::U64x8;
    const detail::BatchConstants* k = &detail::kBatchConstants;
    asm("" : "+r"(k));
    const U64x8 digits = digits8(U64x8::load(magnitude_ + first), k->digits);
    leading_zeros(digits | U64x8::splat(k->one)).shift_right<3>().store(start_ + first);
    store_reversed(text_ + 8 * first, digits + U64x8::splat(k->zeros));
}

#else

class IntegerBatch {  // for code that is compiled and never run
public:
    static constexpr int kSize = 64, kLanes = 8;
    template <typename Integer>
    void format(int, Integer) noexcept {}
    std::uint8_t* put(std::uint8_t*, int) const noexcept { return nullptr; }
    bool are_short() const noexcept { return false; }
    std::uint8_t* put_eight(std::uint8_t*, int, std::uint16_t, unsigned) const noexcept { return nullptr; }
};

#endif

}  // namespace ocior::num
