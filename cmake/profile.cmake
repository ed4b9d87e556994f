# Optimisation that looks further than one file: at link time, and by a profile of a training run. A profile belongs to
# one level, one compiler and one state of the sources; it lives under the build folder and nowhere else. tools/record_profiles.py
# goes through the first steps, OCIOR_PGO=generate and tools/train.py with every level that the machine runs; then comes OCIOR_PGO=use.

option(OCIOR_LTO "Optimise each core as a whole, at link time; measured, it gains nothing" OFF)
set(OCIOR_PGO "" CACHE STRING "'generate' builds cores that record a profile when they run, 'use' optimises by what they recorded")
set_property(CACHE OCIOR_PGO PROPERTY STRINGS "" generate use)
set(OCIOR_PROFILE_DIR "${PROJECT_SOURCE_DIR}/build/profile" CACHE PATH "Where profiles are recorded and read, one folder per level")

if(NOT OCIOR_PGO MATCHES "^(generate|use|)$")
  message(FATAL_ERROR "OCIOR_PGO is '${OCIOR_PGO}'; it can be 'generate', 'use' or empty.")
endif()
if(OCIOR_LTO)
  include(CheckIPOSupported)
  check_ipo_supported(RESULT ocior_lto_works OUTPUT reason LANGUAGES CXX)
  if(NOT ocior_lto_works)
    message(WARNING "This compiler cannot optimise at link time; OCIOR_LTO is ignored.\n${reason}")
  endif()
endif()

# clang's raw profiles have to be merged, by the llvm-profdata of its version. Without one there is no point in recording any.
if(OCIOR_PGO AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  string(REGEX MATCH "^[0-9]+" major "${CMAKE_CXX_COMPILER_VERSION}")
  get_filename_component(beside "${CMAKE_CXX_COMPILER}" REALPATH)
  get_filename_component(beside "${beside}" DIRECTORY)
  set(ocior_of_xcode "")
  if(APPLE)   # it is not on the path there
    execute_process(COMMAND xcrun --find llvm-profdata OUTPUT_VARIABLE ocior_of_xcode ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    get_filename_component(ocior_of_xcode "${ocior_of_xcode}" DIRECTORY)
  endif()
  find_program(OCIOR_LLVM_PROFDATA NAMES llvm-profdata-${major} llvm-profdata HINTS "${beside}" "${ocior_of_xcode}")
  if(OCIOR_PGO STREQUAL "generate" AND NOT OCIOR_LLVM_PROFDATA)
    message(FATAL_ERROR "There is no llvm-profdata beside ${CMAKE_CXX_COMPILER}, and no profile of clang can be used without it.")
  endif()
endif()

# Files that GCC 12 makes slower when it knows their profile: it lays their hot loops, shaped by hand, out anew. The walks
# wrote literals at 0.84 of their speed, the UTF-8 writer CJK text at 0.80. clang gains on them.
set(ocior_unprofiled "^$")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(ocior_unprofiled "^(encode/walk/.*|text/escape_utf8)\\.cpp$")
endif()

# ocior_profile_sources(<source>...): gives each source that is to be profiled the flags of the core it is compiled for.
function(ocior_profile_sources)
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src" "${source}")
    if(NOT name MATCHES "${ocior_unprofiled}")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS "$<TARGET_PROPERTY:OCIOR_PROFILE_FLAGS>")
    endif()
  endforeach()
endfunction()

# ocior_optimize_module(<target> <level>): the step that OCIOR_PGO names, and OCIOR_LTO, for one core. A level without a
# profile, because this machine cannot run it or the compiler cannot record one, is built without.
function(ocior_optimize_module target level)
  if(OCIOR_LTO AND ocior_lto_works)
    set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
  endif()
  set(dir "${OCIOR_PROFILE_DIR}/${level}")
  set(flags "")
  file(GLOB recorded "${dir}/*.gcda" "${dir}/*.profraw")
  if(OCIOR_PGO STREQUAL "generate")
    set(flags "-fprofile-generate=${dir}")
    target_link_options(${target} PRIVATE ${flags})
  elseif(OCIOR_PGO STREQUAL "use" AND recorded)
    if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
      ocior_merge_profiles(merged "${dir}/merged.profdata" ${recorded})
      if(merged)
        set(flags "-fprofile-use=${dir}/merged.profdata")
      endif()
    else()
      # Code that training did not reach is compiled as if there were no profile, not for size. GCC copies with `rep movsq`
      # where a profile tells it the usual length: long strings were then decoded at 0.45 of their speed.
      set(flags "-fprofile-use=${dir}" -fprofile-partial-training -Wno-missing-profile)
      if(OCIOR_TARGET_X86_64)
        list(APPEND flags -mstringop-strategy=libcall)
      endif()
    endif()
    if(flags)
      message(STATUS "Level ${level}: optimised by the profile in ${dir}")
    endif()
  elseif(OCIOR_PGO STREQUAL "use")
    message(STATUS "Level ${level}: no profile in ${dir}, built without one")
  endif()
  if(flags AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC names a profile after the object file. Without the build folder in the name, the two steps may use different ones.
    list(APPEND flags "-fprofile-prefix-path=${CMAKE_BINARY_DIR}")
  endif()
  set_target_properties(${target} PROPERTIES OCIOR_PROFILE_FLAGS "${flags}")
endfunction()

# ocior_merge_profiles(<merged> <file> <raw>...): makes of clang's raw profiles the one that it reads. A tool of another version refuses them.
function(ocior_merge_profiles merged file)
  execute_process(COMMAND "${OCIOR_LLVM_PROFDATA}" merge "-output=${file}" ${ARGN} RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(${merged} TRUE PARENT_SCOPE)
  else()
    message(STATUS "'${OCIOR_LLVM_PROFDATA}' cannot merge what is in ${OCIOR_PROFILE_DIR}: that level is built without a profile")
    set(${merged} FALSE PARENT_SCOPE)
  endif()
endfunction()
