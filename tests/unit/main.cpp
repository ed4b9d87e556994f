// doctest uses the name without a header for it, which not every system's other headers bring.
#ifndef DBL_EPSILON
#define DBL_EPSILON __DBL_EPSILON__
#endif

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
