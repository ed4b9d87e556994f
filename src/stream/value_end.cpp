#include "stream/value_end.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bits.h"
#include "simd/lanes.h"

namespace ocior::stream {
namespace {

constexpr std::size_t kStep = 64;  // bytes that are looked at at once: one bit each

// Which of the 64 bytes at `p` matter, as bits.
struct Marks {
    std::uint64_t quotes = 0, backslashes = 0, opening = 0, closing = 0, separators = 0;
};

template <bool kHasSeparators>
OCIOR_INLINE Marks marks_at(const std::uint8_t* p) noexcept {
    using V = simd::Vec<std::uint8_t>;
    Marks marks;
    for (std::size_t i = 0; i < kStep; i += V::kLanes) {
        const V bytes = V::load(p + i);
        const V folded = bytes | V::splat(0x20);  // [ becomes {, and ] becomes }
        const auto bits_of = [i](auto mask) OCIOR_INLINE_LAMBDA { return static_cast<std::uint64_t>(mask.lane_bits()) << i; };
        marks.quotes |= bits_of(simd::eq<std::uint8_t>(bytes, '"'));
        marks.backslashes |= bits_of(simd::eq<std::uint8_t>(bytes, '\\'));
        marks.opening |= bits_of(simd::eq<std::uint8_t>(folded, '{'));
        marks.closing |= bits_of(simd::eq<std::uint8_t>(folded, '}'));
        if constexpr (kHasSeparators) marks.separators |= bits_of(simd::eq<std::uint8_t>(bytes, kSeparator));
    }
    return marks;
}

// Each bit becomes the xor of itself and of all below it: with a bit for each quote, those inside of strings are set.
constexpr std::uint64_t prefix_xor(std::uint64_t bits) noexcept {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}
static_assert(prefix_xor(0b100010) == 0b011110);

}  // namespace

// Strings are told from what lies between them as simdjson does (Langdale and Lemire, Parsing Gigabytes of JSON per Second, 2019): a bit
// for each byte, and the quotes' bits added up without carry. Brackets are counted 64 bytes at a time, unless the last one may be among
// them.
template <bool kHasSeparators>
const std::uint8_t* ValueEnd::find_close(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    if (last - first == static_cast<std::ptrdiff_t>(looked_at_ + 1) && !(kHasSeparators && last[-1] == kSeparator))
        return find_close_at(last - 1);
    for (const std::uint8_t* p = first + looked_at_; p < last; p += kStep) {
        std::size_t n = std::min(static_cast<std::size_t>(last - p), kStep);
        const Marks marks = marks_at<kHasSeparators>(p);
        bool is_cut = false;
        if constexpr (kHasSeparators) {
            if (OCIOR_UNLIKELY(marks.separators != 0) && trailing_zeros(marks.separators) < n) {
                n = trailing_zeros(marks.separators);
                is_cut = true;
            }
        }
        const std::uint64_t valid = low_bits(static_cast<unsigned>(n));
        std::uint64_t quotes = marks.quotes & valid;
        if (OCIOR_UNLIKELY((marks.backslashes & valid) != 0 || is_escaped_)) quotes &= ~escaped_among(marks.backslashes & valid, n);
        const std::uint64_t outside = ~(prefix_xor(quotes) ^ in_string_) & valid;
        if (std::popcount(quotes) % 2) in_string_ = ~in_string_;
        looked_at_ += n;
        if (kind_ == Kind::kString) {
            if (quotes) return p + trailing_zeros(quotes) + 1;
        } else {
            const std::uint64_t opening = marks.opening & outside, closing = marks.closing & outside;
            const auto closed = static_cast<std::size_t>(std::popcount(closing));
            if (OCIOR_LIKELY(closed < depth_)) {
                depth_ = depth_ + static_cast<std::size_t>(std::popcount(opening)) - closed;
            } else {
                for (std::uint64_t rest = opening | closing; rest; rest &= rest - 1) {
                    if ((closing & rest & (~rest + 1)) == 0) ++depth_;
                    else if (--depth_ == 0) return p + trailing_zeros(rest) + 1;
                }
            }
        }
        if (is_cut) return p + n;
    }
    return nullptr;
}

// Goes on as find_close() does where one byte more has come. To look at 64 takes longer, above all at bytes that have just been written.
const std::uint8_t* ValueEnd::find_close_at(const std::uint8_t* p) noexcept {
    ++looked_at_;
    const bool was_escaped = std::exchange(is_escaped_, false);
    if (*p == '\\') {
        is_escaped_ = !was_escaped;
    } else if (*p == '"') {
        if (was_escaped) return nullptr;
        in_string_ = ~in_string_;
        if (kind_ == Kind::kString) return p + 1;
    } else if (in_string_ == 0) {
        const int folded = *p | 0x20;
        if (folded == '{') ++depth_;
        else if (folded == '}' && --depth_ == 0) return p + 1;
    }
    return nullptr;
}

// The bits of those of the next `n` bytes that stand behind a backslash which is none of these itself.
std::uint64_t ValueEnd::escaped_among(std::uint64_t backslashes, std::size_t n) noexcept {
    std::uint64_t escaped = is_escaped_;
    is_escaped_ = is_escaped_ && n == 0;
    for (std::uint64_t rest = backslashes & ~escaped; rest;) {
        const unsigned at = trailing_zeros(rest);
        if (at + 1 == n) {
            is_escaped_ = true;
            break;
        }
        escaped |= std::uint64_t{2} << at;
        rest &= ~(std::uint64_t{3} << at);
    }
    return escaped;
}

// A number or a word ends before anything that cannot be part of one.
const std::uint8_t* ValueEnd::find_scalar(const std::uint8_t* first, const std::uint8_t* last) noexcept {
    for (const std::uint8_t* p = first + looked_at_; p != last; ++p, ++looked_at_) {
        switch (*p) {
            case ' ':
            case '\t':
            case '\n':
            case '\r':
            case kSeparator:
            case '"':
            case '[':
            case ']':
            case '{':
            case '}':
            case ',':
            case ':': return p == first && !is_dropped_ ? p + 1 : p;  // what begins no value is a mistake by itself
            default: break;
        }
    }
    return nullptr;
}

const std::uint8_t* ValueEnd::find(const std::uint8_t* first, const std::uint8_t* last, bool has_separators) noexcept {
    if (kind_ == Kind::kUnknown) {
        if (first == last) return nullptr;
        kind_ = *first == '{' || *first == '[' ? Kind::kContainer : *first == '"' ? Kind::kString : Kind::kScalar;
        looked_at_ = kind_ == Kind::kScalar ? 0 : 1;
        depth_ = kind_ == Kind::kContainer;
        in_string_ = kind_ == Kind::kString ? ~std::uint64_t{0} : 0;
    }
    if (kind_ == Kind::kScalar) return find_scalar(first, last);
    return has_separators ? find_close<true>(first, last) : find_close<false>(first, last);
}

}  // namespace ocior::stream
