// Prints the levels that this machine can run, from least to most. Run by the build, to know what it may test.
#include <cstdio>

#include "cpu/features.h"

int main() {
    using namespace ocior;
    const auto levels = cpu::levels();
    const auto found = cpu::detect();
    for (std::size_t i = 0; i < levels.size; ++i) {
        if ((cpu::needed_by(i) & ~found) == 0) std::printf("%s ", levels.data[i]);
    }
    return 0;
}
