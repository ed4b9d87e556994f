// The headers of the system that most sources include. A build compiles them once, and every source then begins with the result
// (OCIOR_PRECOMPILED_HEADERS): to read them anew for each took a third of the time of a build. A source does not include this
// file; it includes what it uses, and has to compile without this one.
#pragma once
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
