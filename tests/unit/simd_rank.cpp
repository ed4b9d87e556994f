// rank against a scalar twin: any number of numbers, many of them the same, the least and the greatest among them.
#include <doctest/doctest.h>

#include "simd/rank.h"
#include "text_samples.h"

using namespace ocior;

namespace {

template <std::size_t kRoom>
void check_ranks(samples::Random& r) {
    constexpr std::int64_t kRare[] = {0, -1, 1, INT64_MIN, INT64_MAX, INT64_C(1) << 32, -(INT64_C(1) << 32)};
    for (std::size_t count = 0; count <= kRoom; ++count) {
        for (unsigned kinds : {1u, 2u, 5u, 7u, 1000u}) {
            std::int64_t numbers[kRoom], less[kRoom], same[kRoom];
            for (std::int64_t& number : numbers)
                number = kinds < 1000 ? kRare[r.next() % kinds] : static_cast<std::int64_t>(r.next() << 32 ^ r.next());
            simd::rank(numbers, count, less, same);
            for (std::size_t i = 0; i < count; ++i) {
                std::int64_t expected_less = 0, expected_same = 0;
                for (std::size_t j = 0; j < count; ++j) {
                    expected_less += numbers[j] < numbers[i];
                    expected_same += numbers[j] == numbers[i];
                }
                CHECK(less[i] == expected_less);
                CHECK(same[i] == expected_same);
            }
        }
    }
}

}  // namespace

TEST_CASE("the ranks of a few numbers") {
    samples::Random r(11);
    for (int i = 0; i < 50; ++i) {
        check_ranks<8>(r);
        check_ranks<16>(r);
        check_ranks<32>(r);
    }
}
