// What the tests of src/num share: repr's notation from independent digits.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>

#include "num/float_batch.h"
#include "num/write.h"

namespace num_test {

// Python's repr(float) rules applied to the shortest digits that std::to_chars (Ryu) finds.
template <typename Real>
std::string repr(Real v) {
    char text[64];
    char* const end = std::to_chars(text, text + sizeof text, v, std::chars_format::scientific).ptr;  // -d.ddde+XX
    const bool negative = text[0] == '-';
    const char* p = text + negative;
    std::string digits;
    for (; *p != 'e'; ++p) {
        if (*p != '.') digits += *p;
    }
    int exponent = 0;
    std::from_chars(p + (p[1] == '+' ? 2 : 1), end, exponent);
    const int count = static_cast<int>(digits.size());
    std::string out = negative ? "-" : "";
    if (exponent >= 16 || exponent < -4) {
        out += digits[0];
        if (count > 1) out.append(".").append(digits, 1);
        const std::string magnitude = std::to_string(exponent < 0 ? -exponent : exponent);
        return out + (exponent < 0 ? "e-" : "e+") + (magnitude.size() < 2 ? "0" : "") + magnitude;
    }
    if (exponent < 0) return out + "0." + std::string(static_cast<std::size_t>(-exponent - 1), '0') + digits;
    const auto point = static_cast<std::size_t>(exponent) + 1;
    if (count <= exponent + 1) return out + digits + std::string(point - digits.size(), '0') + ".0";
    return out + digits.substr(0, point) + "." + digits.substr(point);
}

inline std::string written(double v) {
    std::uint8_t out[64];
    return {out, ocior::num::write_f64(out, v)};
}

// Takes doubles, and once it has many, or is asked to, writes them as a batch. What that gives in write_f64's place has to be repr's text,
// and nothing has to be left to write_f64 but what the batch may leave: wrong() counts the others.
class BatchCheck {
public:
    void add(double v) {
        if (!ocior::simd::kHasU64x8) return;
        value_[count_++] = v;
        if (count_ == kSize) check();
    }
    void check() {
        if constexpr (ocior::simd::kHasU64x8) check_batch(batch_);
        count_ = 0;
    }
    unsigned long long wrong() const { return wrong_; }
    double last_wrong() const { return last_wrong_; }

private:
    using FloatBatch = ocior::num::FloatBatch;
    static constexpr int kSize = FloatBatch::kSize, kLanes = FloatBatch::kLanes;

    template <typename Batch>
    void check_batch(Batch& batch) {
        batch.format(count_, [&](int i) { return value_[i < count_ ? i : 0]; });
        for (int i = 0; i < count_; ++i) {
            const double v = value_[i];
            std::uint8_t out[64];
            const std::uint8_t* const end = batch.put(out, i);
            if (end ? std::string(out, const_cast<std::uint8_t*>(end)) == repr(v) : may_leave(v)) continue;
            ++wrong_;
            last_wrong_ = v;
        }
    }
    // The smallest normal double is a power of two that the table calls regular.
    static bool may_leave(double v) {
        const auto biased = static_cast<unsigned>(std::bit_cast<std::uint64_t>(v) >> 52) & 0x7ff;
        if (v == 0) return false;
        if (biased == 0 || biased == 0x7ff) return true;
        return std::bit_cast<std::uint64_t>(v) << 12 == 0 && (biased == 1 || !ocior::num::kExponentTable.row[biased].regular);
    }

    FloatBatch batch_;
    double value_[kSize];
    int count_ = 0;
    unsigned long long wrong_ = 0;
    double last_wrong_ = 0;
};

}  // namespace num_test
