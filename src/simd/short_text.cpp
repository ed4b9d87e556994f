#include "simd/short_text.h"

namespace ocior::simd {

#if defined(__AVX512VL__)
namespace {

constexpr ShortMarks make_marks() noexcept {
    ShortMarks marks{};
    for (int i = 0; i < 32; ++i) {
        const int low_bits = i % 16;  // permuted by halves
        marks.twin[i] = marks.ascii_twin[i] = static_cast<std::uint8_t>(~low_bits);
        marks.space[i] = ' ';
    }
    for (int half = 0; half < 32; half += 16) {
        marks.twin[half + '"' % 16] = marks.ascii_twin[half + '"' % 16] = '"';
        marks.twin[half + '\\' % 16] = marks.ascii_twin[half + '\\' % 16] = '\\';
        marks.ascii_twin[half + 0x7f % 16] = 0x7f;
    }
    return marks;
}

}  // namespace

const ShortMarks kShortMarks = make_marks();
#endif

}  // namespace ocior::simd
