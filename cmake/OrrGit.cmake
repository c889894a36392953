# The git id of the sources, in a header that the target orr_git rewrites when the id
# changes: a commit recompiles what includes orr_git.h, nothing has to be configured again.
# Run as a script (cmake -P) it writes the header. In a release tarball (scripts/release) the id stands here.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ORR_GENERATED "${CMAKE_BINARY_DIR}/generated")
  add_custom_target(orr_git BYPRODUCTS "${ORR_GENERATED}/orr_git.h"
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DHEADER=${ORR_GENERATED}/orr_git.h"
      -P "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "" VERBATIM)
  function(orr_use_git target) # its sources may include orr_git.h: the macro ORR_GIT, a string
    add_dependencies(${target} orr_git)
    target_include_directories(${target} PRIVATE "${ORR_GENERATED}")
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.21)
set(id unknown)
set(archived "$Format:%H$")
find_program(GIT git)
if(archived MATCHES "^[0-9a-f]+$")
  string(SUBSTRING ${archived} 0 12 id)
elseif(GIT)
  execute_process(COMMAND ${GIT} -C "${SOURCE}" describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE out RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(id "${out}")
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define ORR_GIT \"@id@\"\n" @ONLY)
