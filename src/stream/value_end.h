// Where a value of a text ends of which more and more comes: found by its brackets and quotes alone, each byte looked at once.
#pragma once

#include "base/config.h"

namespace ocior::stream {

// A record separator of RFC 7464: wherever it stands, a text begins behind it.
inline constexpr std::uint8_t kSeparator = 0x1E;

// Begins anew with each value. Whether what lies between its ends is JSON is the parser's business.
class ValueEnd {
public:
    // How a value of this first byte ends.
    enum class Kind : std::uint8_t { kUnknown, kContainer, kString, kScalar };

    // The end of the value at `first`, of which all up to `last` has come; null while it has not come. Behind `last` kReadSlack bytes are
    // readable. `has_separators`: a record separator ends any value, finished or not.
    const std::uint8_t* find(const std::uint8_t* first, const std::uint8_t* last, bool has_separators) noexcept;
    void begin() noexcept { *this = ValueEnd(); }
    // What has been looked at of a value that has not ended is given up: the next find() is told of what follows.
    void drop() noexcept {
        looked_at_ = 0;
        is_dropped_ = true;
    }
    // How many of the value's bytes have been looked at.
    std::size_t looked_at() const noexcept { return looked_at_; }

private:
    template <bool kHasSeparators>
    const std::uint8_t* find_close(const std::uint8_t* first, const std::uint8_t* last) noexcept;
    const std::uint8_t* find_close_at(const std::uint8_t* p) noexcept;
    std::uint64_t escaped_among(std::uint64_t backslashes, std::size_t n) noexcept;
    const std::uint8_t* find_scalar(const std::uint8_t* first, const std::uint8_t* last) noexcept;

    std::size_t looked_at_ = 0;
    std::size_t depth_ = 0;
    std::uint64_t in_string_ = 0;  // all bits, or none
    bool is_dropped_ = false;      // the value began before `first`
    bool is_escaped_ = false;      // the next byte stands behind a backslash
    Kind kind_ = Kind::kUnknown;
};

}  // namespace ocior::stream
