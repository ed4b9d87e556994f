#include "simd/short_text.h"

namespace ocior::simd {

#if defined(__x86_64__)
namespace {

constexpr ShortTextConstants make_constants() noexcept {
    ShortTextConstants constants{};
    for (int i = 0; i < 32; ++i) {
        const int low_bits = i % 16;  // a shuffle looks up within 16 bytes
        constants.twin[i] = constants.ascii_twin[i] = static_cast<std::uint8_t>(~low_bits);
        constants.space[i] = ' ';
        constants.backslash[i] = '\\';
        constants.two[i] = 2;
        constants.del[i] = 0x7f;
    }
    for (int half = 0; half < 32; half += 16) {
        constants.twin[half + '"' % 16] = constants.ascii_twin[half + '"' % 16] = '"';
        constants.twin[half + '\\' % 16] = constants.ascii_twin[half + '\\' % 16] = '\\';
        constants.ascii_twin[half + 0x7f % 16] = 0x7f;
    }
    return constants;
}

}  // namespace

const ShortTextConstants kShortTextConstants = make_constants();
#endif

}  // namespace ocior::simd
