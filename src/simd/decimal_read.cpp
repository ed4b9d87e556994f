#include "simd/decimal_read.h"

namespace ocior::simd {

#if defined(__AVX2__)
namespace {

constexpr NumberMarks make_marks() noexcept {
    NumberMarks marks{};
    for (int i = 0; i < 32; ++i) {
        marks.zero[i] = '0';
        marks.to_nine[i] = 127 - 9;
        marks.minus_point[i] = static_cast<std::uint8_t>(-'.');
        marks.from_point[i] = 127 - ('9' - '.');
    }
    return marks;
}

}  // namespace

const NumberMarks kNumberMarks = make_marks();
#endif

}  // namespace ocior::simd
