# The extension modules: ocior._cpu for every processor, ocior._core_<level> for each level.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sys; print(sys.implementation.name, end='')"
  OUTPUT_VARIABLE ocior_implementation COMMAND_ERROR_IS_FATAL ANY)
if(NOT ocior_implementation STREQUAL "cpython")
  message(FATAL_ERROR "ocior works on CPython's own objects and needs CPython 3.10 or newer; ${Python_EXECUTABLE} is ${ocior_implementation}.")
endif()
# With both named, CMake takes headers of the interpreter's own version only. Those of another system may be of another version than the
# interpreter that runs here.
if(CMAKE_CROSSCOMPILING)
  find_package(Python 3.10 QUIET COMPONENTS Development.Module)
else()
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
endif()
if(NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "The C headers of ${Python_EXECUTABLE} are missing (Python.h; on Debian they are in the package "
    "python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}-dev).")
endif()

# The headers of CPython for Windows serve both builds, and are told by whoever includes them which one is meant.
set(ocior_python_definitions "")
if(WIN32 AND NOT CMAKE_CROSSCOMPILING)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0, end='')"
    OUTPUT_VARIABLE ocior_has_no_gil COMMAND_ERROR_IS_FATAL ANY)
  if(ocior_has_no_gil)
    set(ocior_python_definitions Py_GIL_DISABLED=1)
  endif()
endif()

# The walk, compiled for each kind of output: what takes longest to compile, and so begins first.
file(GLOB ocior_walks CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/encode/walk/*.cpp")
# Every room of the core but cpu/, which has a module of its own.
file(GLOB ocior_core_sources CONFIGURE_DEPENDS
  "${PROJECT_SOURCE_DIR}/src/core.cpp"
  "${PROJECT_SOURCE_DIR}/src/module/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/compat/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/base/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/platform/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/simd/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/text/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/num/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/py/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/py/memory/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/encode/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/encode/types/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/encode/arrays/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/grammar/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/arrow/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/decode/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/decode/errors/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/select/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/stream/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/columns/*.cpp"
  "${PROJECT_SOURCE_DIR}/src/typed/*.cpp")
list(PREPEND ocior_core_sources ${ocior_walks})
list(REMOVE_DUPLICATES ocior_core_sources)

# The walks save and restore pairs of pointers: as one vector they are read before their halves, just written, have left the
# store buffer, which stalls every small container (canada to str took 1.3 times as long).
set_property(SOURCE ${ocior_walks} "${PROJECT_SOURCE_DIR}/src/encode/encode.cpp" APPEND PROPERTY COMPILE_OPTIONS -fno-tree-slp-vectorize)

# What runs once in a program, or describes mistakes, is compiled for size; what runs once in a call without vectors for its loops, and both
# without room between functions. (Tried and lost: -O2 for what writes rich types, which makes sorted keys, decimals and datetimes a tenth
# to a fifth slower; and for what counts the lines before a mistake, by a loop that GCC makes vectors of at -O3 alone.)
if(NOT OCIOR_SANITIZE AND CMAKE_BUILD_TYPE STREQUAL "Release")
  set(ocior_cold "core|decode/errors/(duplicates|raise)|encode/(dialect|policies)|encode/walk/(notes|hints)\
|encode/types/(models|structs)|module/(json_encoding|policies|rich|suggestion)\
|py/(moments|numpy_array|tricks)|typed/(compile|compile_containers|problems)")
  set(ocior_warm "compat/.*|encode/look|module/.*|py/(decimal|numpy_array)|typed/(containers|numbers|strings|unions|whole)")
  foreach(source IN LISTS ocior_core_sources)
    file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}/src" "${source}")
    if(name MATCHES "^(${ocior_cold})\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -Os -falign-functions=16 -falign-loops=1)
      set_property(SOURCE "${source}" PROPERTY SKIP_PRECOMPILE_HEADERS ON)   # these are compiled with other flags
    elseif(name MATCHES "^(${ocior_warm})\\.cpp$")
      set_property(SOURCE "${source}" APPEND PROPERTY COMPILE_OPTIONS -O2 -falign-functions=16 -falign-loops=16)
    endif()
  endforeach()
endif()

function(ocior_add_module name)
  cmake_parse_arguments(arg "" "" "SOURCES;FLAGS" ${ARGN})
  Python_add_library(${name} MODULE WITH_SOABI ${arg_SOURCES})
  # As headers of the system, GCC follows Debian's links from those of a debug interpreter to the others, which say another layout.
  set_target_properties(${name} PROPERTIES NO_SYSTEM_FROM_IMPORTED ON)
  ocior_compile_options(${name} ${arg_FLAGS})
  target_compile_definitions(${name} PRIVATE OCIOR_VERSION="${PROJECT_VERSION}" ${ocior_python_definitions})
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
  if(NOT OCIOR_SANITIZE)
    target_link_options(${name} PRIVATE ${ocior_link_flags} $<$<CONFIG:Release>:${ocior_strip_flags}>)
    set_target_properties(${name} PROPERTIES MSVC_RUNTIME_LIBRARY "MultiThreaded$<$<CONFIG:Debug>:Debug>")
  endif()
  if(OCIOR_INPLACE)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_SOURCE_DIR}/python/ocior")
  endif()
  install(TARGETS ${name} LIBRARY DESTINATION ocior)
endfunction()

ocior_add_module(_cpu
  SOURCES "${PROJECT_SOURCE_DIR}/src/cpu/features.cpp" "${PROJECT_SOURCE_DIR}/src/cpu/module.cpp"
  FLAGS ${ocior_baseline_flags})

ocior_profile_sources(${ocior_core_sources})
foreach(level IN LISTS ocior_levels)
  if(NOT ocior_core_sources)
    message(FATAL_ERROR "No sources for the core under src/.")
  endif()
  ocior_add_module(_core_${level} SOURCES ${ocior_core_sources} FLAGS ${ocior_flags_${level}})
  target_compile_definitions(_core_${level} PRIVATE OCIOR_LEVEL_NAME=${level})
  ocior_optimize_module(_core_${level} ${level})
  ocior_precompile_headers(_core_${level} <Python.h>)
endforeach()
