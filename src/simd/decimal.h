// Decimal digits in vector registers, both ways.
#pragma once

#include "simd/decimal_read.h"
#include "simd/decimal_write.h"
