// The name of this module, which ends in that of its instruction-set level.
#pragma once

#ifndef OCIOR_LEVEL_NAME
#error "OCIOR_LEVEL_NAME must name the instruction-set level of this build"
#endif
#define OCIOR_STRING_OF(x) #x
#define OCIOR_STRING(x) OCIOR_STRING_OF(x)
#define OCIOR_JOIN_OF(a, b) a##b
#define OCIOR_JOIN(a, b) OCIOR_JOIN_OF(a, b)

#define OCIOR_MODULE_NAME "ocior._core_" OCIOR_STRING(OCIOR_LEVEL_NAME)
