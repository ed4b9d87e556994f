# How everything is compiled, whatever its level: strict warnings, no exceptions or RTTI, nothing visible by accident.

set(ocior_warnings -Wall -Wextra -Wno-char-subscripts)   # tables are indexed by ASCII literals
if(OCIOR_WERROR)
  list(APPEND ocior_warnings -Werror)
endif()

# Aligned, because the speed of a loop is otherwise a matter of what stands before it: decoding words lost a quarter to an edit of
# the encoder (Zen 5).
set(ocior_optimize -O3 -falign-functions=64 -falign-loops=32)

# A module brings what it needs of the C++ run time and shows nobody anything but PyInit_<name>. How that is said differs between systems:
# MSVC's is chosen by MSVC_RUNTIME_LIBRARY, that of macOS is a part of the system.
set(ocior_link_flags "")
set(ocior_strip_flags "")
if(APPLE)
  set(ocior_strip_flags -Wl,-x)
elseif(WIN32)
  if(MINGW)
    set(ocior_link_flags -static)
    set(ocior_strip_flags -s)
  else()
    list(APPEND ocior_optimize -D_HAS_EXCEPTIONS=0)   # what -fno-exceptions is called by the headers of MSVC
  endif()
else()
  list(APPEND ocior_optimize -fno-plt -fno-semantic-interposition)
  set(ocior_link_flags -static-libstdc++ -static-libgcc -Wl,-O1 -Wl,--as-needed -Wl,--gc-sections
    "-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map")
  set(ocior_strip_flags -s)
endif()
set(ocior_sanitize_flags "")
if(OCIOR_SANITIZE)
  # -O1 keeps the kernels' vector code real and the reports readable; these want lines and functions, not the variables of -g, which take
  # a third of the time. GCC's own intrinsics headers warn there.
  set(ocior_optimize -O1 -g1 -fno-omit-frame-pointer -Wno-uninitialized -Wno-maybe-uninitialized)
  set(ocior_sanitize_flags -fsanitize=${OCIOR_SANITIZE} -fno-sanitize-recover=all)
  # Each access is checked by a call: what is inlined into the walks makes them so long that code for each takes twice as long to compile.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND OCIOR_SANITIZE MATCHES "address")
    list(APPEND ocior_optimize --param=asan-instrumentation-with-call-threshold=0)
  endif()
endif()

separate_arguments(ocior_extra_flags UNIX_COMMAND "${OCIOR_EXTRA_FLAGS}")

# The C++ standard, warnings, optimisation and level flags of one target. Level flags come last, so that they win
# over a -march in CXXFLAGS.
function(ocior_compile_options target)
  target_compile_features(${target} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS ON   # unsigned __int128
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(${target} PRIVATE
    ${ocior_warnings} ${ocior_optimize} ${ocior_sanitize_flags} -fno-exceptions -fno-rtti ${ocior_extra_flags} ${ARGN})
  target_link_options(${target} PRIVATE ${ocior_sanitize_flags})
endfunction()

# ocior_precompile_headers(<target> [<header>...]): these headers, and those of the system that most sources include, are compiled once.
function(ocior_precompile_headers target)
  if(OCIOR_PRECOMPILED_HEADERS)
    target_precompile_headers(${target} PRIVATE ${ARGN} "${PROJECT_SOURCE_DIR}/src/base/system_headers.h")
    # Its own intrinsics for AVX-512 make GCC 12 warn, thousands of times, once they come out of such a file.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      target_compile_options(${target} PRIVATE -Wno-uninitialized -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()
