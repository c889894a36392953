# Finds StarPU: target PkgConfig::STARPU, variables STARPU_INCLUDE_DIRS, ORR_STARPU_PREFIX.
#
# ORR_STARPU says which:
#   auto        what PKG_CONFIG_PATH offers; else the cuda (with ORR_CUDA) or cpu build of
#               scripts/starpu if it is there and Debian's library would not do; else Debian's
#   debian      the system's own
#   pkg-config  what PKG_CONFIG_PATH offers, e.g. from Spack or Guix
#   cpu, cuda, simgrid   the build of scripts/starpu
# Public structs of StarPU depend on how it was configured: a build directory stays with
# the StarPU it began with.
set(ORR_STARPU auto CACHE STRING "StarPU: auto, debian, pkg-config, cpu, cuda or simgrid")
set_property(CACHE ORR_STARPU PROPERTY STRINGS auto debian pkg-config cpu cuda simgrid)

foreach(_built cpu cuda simgrid) # where scripts/starpu puts what it builds
  execute_process(COMMAND "${CMAKE_CURRENT_LIST_DIR}/../scripts/starpu" --print-prefix ${_built}
    OUTPUT_VARIABLE _prefix_${_built} OUTPUT_STRIP_TRAILING_WHITESPACE)
endforeach()

find_package(PkgConfig REQUIRED)
set(_flavour ${ORR_STARPU})
if(_flavour STREQUAL "auto")
  cmake_host_system_information(RESULT _cores QUERY NUMBER_OF_PHYSICAL_CORES)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --exists starpu-1.4 RESULT_VARIABLE _no_14)
  execute_process(COMMAND ${PKG_CONFIG_EXECUTABLE} --exists starpu-1.3 RESULT_VARIABLE _no_13)
  set(_workers 4) # Debian's 1.3.10 stops there, its 1.4.7 at 32
  if(NOT _no_14)
    set(_workers 32)
  endif()
  if(NOT "$ENV{PKG_CONFIG_PATH}" STREQUAL "")
    set(_flavour pkg-config)
  elseif(ORR_CUDA AND EXISTS "${_prefix_cuda}/complete")
    set(_flavour cuda)
  elseif((_cores GREATER _workers OR (_no_13 AND _no_14)) AND EXISTS "${_prefix_cpu}/complete")
    set(_flavour cpu)
  else()
    set(_flavour debian)
  endif()
endif()

set(_saved_path "$ENV{PKG_CONFIG_PATH}")
if(_flavour MATCHES "^(cpu|cuda|simgrid)$")
  set(_prefix "${_prefix_${_flavour}}")
  if(NOT EXISTS "${_prefix}/complete")
    message(FATAL_ERROR "No StarPU in ${_prefix}. Build it (one minute): scripts/starpu ${_flavour}")
  endif()
  set(ENV{PKG_CONFIG_PATH} "${_prefix}/lib/pkgconfig:${_saved_path}")
elseif(_flavour STREQUAL "debian")
  set(ENV{PKG_CONFIG_PATH} "")
elseif(NOT _flavour STREQUAL "pkg-config")
  message(FATAL_ERROR "ORR_STARPU=${ORR_STARPU}: expected auto, debian, pkg-config, cpu, cuda or simgrid")
endif()

pkg_search_module(STARPU IMPORTED_TARGET starpu-1.4 starpu-1.3)
if(NOT STARPU_FOUND)
  message(FATAL_ERROR "No StarPU found (ORR_STARPU=${ORR_STARPU}). Debian: scripts/deps; "
                      "more than 4 cores, CUDA or SimGrid: scripts/starpu cpu|cuda|simgrid; "
                      "your own: PKG_CONFIG_PATH")
endif()
pkg_get_variable(_found_prefix ${STARPU_MODULE_NAME} prefix)
set(ENV{PKG_CONFIG_PATH} "${_saved_path}")

set(_id "${STARPU_VERSION} in ${_found_prefix}")
if(DEFINED ORR_STARPU_ID AND NOT ORR_STARPU_ID STREQUAL _id)
  message(FATAL_ERROR "This build directory began with StarPU ${ORR_STARPU_ID}, and now it is ${_id}: "
                      "use a new build directory (or cmake --fresh)")
endif()
set(ORR_STARPU_ID "${_id}" CACHE INTERNAL "the StarPU of this build directory")
set(ORR_STARPU_PREFIX "${_found_prefix}")
message(STATUS "StarPU: ${_id}")
