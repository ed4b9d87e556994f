#include "simd/decimal_read.h"

namespace ocior::simd {

#if defined(__AVX2__)
namespace {

constexpr NumberConstants make_constants() noexcept {
    NumberConstants constants{};
    for (int i = 0; i < 32; ++i) {
        constants.zero[i] = '0';
        constants.to_nine[i] = 127 - 9;
        constants.minus_point[i] = static_cast<std::uint8_t>(-'.');
        constants.from_point[i] = 127 - ('9' - '.');
    }
    return constants;
}

}  // namespace

const NumberConstants kNumberConstants = make_constants();
#endif

}  // namespace ocior::simd
