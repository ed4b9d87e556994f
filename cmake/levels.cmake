# Which instruction-set levels exist for the target, the flags that make each, and which of them this processor runs.

set(ocior_flags_v2 -march=x86-64-v2)
set(ocior_flags_v3 -march=x86-64-v3)
set(ocior_flags_v4 -march=x86-64-v4 -mavx512vbmi -mavx512vbmi2 -mavx512ifma)
set(ocior_flags_neon -march=armv8-a)

# Ask the compiler, not CMAKE_SYSTEM_PROCESSOR: it alone knows what it compiles for.
include(CheckCXXSourceCompiles)
check_cxx_source_compiles("#if !defined(__x86_64__)\n#error\n#endif\nint main() {}" OCIOR_TARGET_X86_64)
check_cxx_source_compiles("#if !defined(__aarch64__)\n#error\n#endif\nint main() {}" OCIOR_TARGET_AARCH64)
if(OCIOR_TARGET_X86_64)
  set(ocior_known_levels v2 v3 v4)   # from least to most
  set(ocior_baseline_flags -march=x86-64)
elseif(OCIOR_TARGET_AARCH64)
  set(ocior_known_levels neon)
  set(ocior_baseline_flags -march=armv8-a)
else()
  message(FATAL_ERROR "ocior has no level for this processor: it needs x86-64 or aarch64.")
endif()

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "ocior needs GCC 12 or newer, found ${CMAKE_CXX_COMPILER_VERSION}.")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "AppleClang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15)
  message(FATAL_ERROR "ocior needs the clang of Xcode 15 or newer, found ${CMAKE_CXX_COMPILER_VERSION}.")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "MSVC" OR CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC")
  message(FATAL_ERROR "ocior is written in the language of GCC and clang; on Windows CXX=clang++ chooses the clang that Visual Studio comes with.")
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16)
  message(FATAL_ERROR "ocior needs clang 16 or newer, found ${CMAKE_CXX_COMPILER_VERSION}.")
endif()

# The levels that this machine can run, from least to most: the baseline module's own detection, run now.
# Under an emulator CMake runs the probe in it; without one a cross build can run nothing.
function(ocior_find_usable_levels out)
  if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
    set(${out} "" PARENT_SCOPE)
    return()
  endif()
  if(NOT DEFINED OCIOR_USABLE_LEVELS)
    try_run(ran compiled
      SOURCES "${PROJECT_SOURCE_DIR}/src/cpu/probe.cpp" "${PROJECT_SOURCE_DIR}/src/cpu/features.cpp"
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${PROJECT_SOURCE_DIR}/src"
      CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON
      COMPILE_OUTPUT_VARIABLE compile_log RUN_OUTPUT_VARIABLE levels)
    if(NOT compiled OR NOT ran EQUAL 0)
      message(FATAL_ERROR "The processor probe failed (exit ${ran}):\n${compile_log}\n${levels}")
    endif()
    string(STRIP "${levels}" levels)
    string(REPLACE " " ";" levels "${levels}")
    set(OCIOR_USABLE_LEVELS "${levels}" CACHE INTERNAL "Levels that this machine can run")
  endif()
  set(${out} "${OCIOR_USABLE_LEVELS}" PARENT_SCOPE)
endfunction()

if(OCIOR_LEVELS STREQUAL "all")
  set(ocior_levels ${ocior_known_levels})
elseif(OCIOR_LEVELS MATCHES "^(usable|host)$")
  ocior_find_usable_levels(ocior_levels)
  if(NOT ocior_levels)
    message(FATAL_ERROR "This machine runs none of the levels ${ocior_known_levels}.")
  endif()
  if(OCIOR_LEVELS STREQUAL "host")
    list(GET ocior_levels -1 ocior_levels)
  endif()
else()
  string(REGEX REPLACE "[, ]+" ";" ocior_levels "${OCIOR_LEVELS}")
  foreach(level IN LISTS ocior_levels)
    if(NOT level IN_LIST ocior_known_levels)
      message(FATAL_ERROR "OCIOR_LEVELS names '${level}'; this architecture has: ${ocior_known_levels}")
    endif()
  endforeach()
endif()
message(STATUS "ocior ${PROJECT_VERSION}: building levels ${ocior_levels}")
