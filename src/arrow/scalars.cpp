#include "arrow/scalars.h"

#include "num/write.h"
#include "text/scalar.h"

namespace ocior::arrow {
namespace {

using num::detail::put_2;

std::uint8_t* put(std::uint8_t* to, char character) noexcept {
    *to = static_cast<std::uint8_t>(character);
    return to + 1;
}

}  // namespace

// Three bytes are four characters; what is missing of the last three are "=".
std::uint8_t* put_base64(std::uint8_t* to, const std::uint8_t* p, std::size_t n) noexcept {
    constexpr const char* kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (; n > 0; p += 3) {
        const std::size_t count = n < 3 ? n : 3;
        const unsigned word = unsigned{p[0]} << 16 | (count > 1 ? unsigned{p[1]} << 8 : 0) | (count > 2 ? p[2] : 0);
        for (unsigned i = 0; i < 4; ++i) to = put(to, i <= count ? kDigits[word >> (18 - 6 * i) & 63] : '=');
        n -= count;
    }
    return to;
}

std::uint8_t* put_uuid(std::uint8_t* to, const std::uint8_t* p) noexcept {
    for (int i = 0; i < 16; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) to = put(to, '-');
        to = put(put(to, text::kHexDigits[p[i] >> 4]), text::kHexDigits[p[i] & 15]);
    }
    return to;
}

// As str(Decimal) has it: an integer of `width` bytes, times 10^-scale.
std::uint8_t* put_decimal(std::uint8_t* to, const std::uint8_t* p, std::int64_t width, std::int32_t scale) noexcept {
    constexpr std::uint32_t k1e9 = 1000000000;
    constexpr int kWords = 8;
    std::uint32_t words[kWords];
    const bool is_negative = p[width - 1] >> 7;
    std::memset(words, is_negative ? 0xFF : 0, sizeof words);
    std::memcpy(words, p, static_cast<std::size_t>(width));
    std::uint64_t carry = is_negative;
    for (std::uint32_t& word : words) {
        if (!is_negative) break;
        carry += static_cast<std::uint32_t>(~word);
        word = static_cast<std::uint32_t>(carry);
        carry >>= 32;
    }
    std::uint32_t parts[9];  // of nine digits each, the lowest first
    int count = 0;
    for (int top = kWords; top > 0; ++count) {
        while (top > 0 && words[top - 1] == 0) --top;
        std::uint64_t rest = 0;
        for (int i = top; i-- > 0;) {
            rest = rest << 32 | words[i];
            words[i] = static_cast<std::uint32_t>(rest / k1e9);
            rest %= k1e9;
        }
        parts[count] = static_cast<std::uint32_t>(rest);
        while (top > 0 && words[top - 1] == 0) --top;
    }
    std::uint8_t digits[96];
    std::uint8_t* end = num::write_u64(digits, std::uint64_t{count ? parts[count - 1] : 0});
    for (int i = count - 1; i-- > 0;) end = num::detail::put_9(end, parts[i]);
    const auto n = end - digits;
    const std::int64_t exponent = -std::int64_t{scale}, adjusted = n - 1 + exponent;
    if (is_negative) to = put(to, '-');
    const auto copy = [&](std::int64_t from, std::int64_t until) {
        std::memcpy(to, digits + from, static_cast<std::size_t>(until - from));
        to += until - from;
    };
    if (exponent <= 0 && adjusted >= -6) {
        const std::int64_t whole = n + exponent;
        if (whole <= 0) to = put(put(to, '0'), '.');
        for (std::int64_t i = whole; i < 0; ++i) to = put(to, '0');
        if (whole > 0) copy(0, whole);
        if (whole > 0 && exponent < 0) to = put(to, '.');
        copy(whole > 0 ? whole : 0, n);
        return to;
    }
    copy(0, 1);
    if (n > 1) to = put(to, '.');
    copy(1, n);
    to = put(put(to, 'E'), adjusted < 0 ? '-' : '+');
    return num::write_u64(to, magnitude(adjusted));
}

std::uint8_t* put_date(std::uint8_t* to, const Date& date) noexcept {
    to = put_2(put_2(to, static_cast<unsigned>(date.year / 100)), static_cast<unsigned>(date.year % 100));
    return put_2(put(put_2(put(to, '-'), date.month), '-'), date.day);
}

std::uint8_t* put_clock(std::uint8_t* to, std::uint32_t ticks, std::int64_t of_day, bool has_fraction) noexcept {
    const auto second = static_cast<unsigned>(of_day / ticks), minute = second / 60;
    const auto part = static_cast<std::uint32_t>(of_day % ticks) * (1000000000 / ticks);
    to = put_2(put(put_2(put(put_2(to, minute / 60), ':'), minute % 60), ':'), second % 60);
    if (part == 0 || !has_fraction) return to;
    to = num::detail::put_6(put(to, '.'), part / 1000);
    return part % 1000 ? num::detail::put_3(to, part % 1000) : to;
}

}  // namespace ocior::arrow
