#include "simd/short_text.h"

namespace ocior::simd {

#if defined(__AVX512VL__)
namespace {

constexpr ShortMarks make_marks() noexcept {
    ShortMarks marks{};
    for (int i = 0; i < 32; ++i) {
        marks.quote[i] = '"';
        marks.backslash[i] = '\\';
        marks.space[i] = ' ';
        marks.del[i] = 0x7f;
    }
    return marks;
}

}  // namespace

const ShortMarks kShortMarks = make_marks();
#endif

}  // namespace ocior::simd
