# The git id of the sources, in a header that the target orr_git rewrites when the id
# changes: a commit recompiles what says ORR_GIT, nothing has to be configured again.
# Run as a script (cmake -P) it writes the header.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ORR_GIT_H "${CMAKE_BINARY_DIR}/generated/orr_git.h")
  add_custom_target(orr_git BYPRODUCTS "${ORR_GIT_H}"
    COMMAND ${CMAKE_COMMAND} "-DSOURCE=${CMAKE_SOURCE_DIR}" "-DHEADER=${ORR_GIT_H}" -P "${CMAKE_CURRENT_LIST_FILE}"
    COMMENT "" VERBATIM)
  function(orr_use_git target) # TARGET's sources see the macro ORR_GIT, a string
    add_dependencies(${target} orr_git)
    target_compile_options(${target} PRIVATE "SHELL:-include ${ORR_GIT_H}")
  endfunction()
  return()
endif()

cmake_minimum_required(VERSION 3.21)
set(id unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C "${SOURCE}" describe --always --dirty --abbrev=12
                  OUTPUT_VARIABLE out RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(id "${out}")
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define ORR_GIT \"@id@\"\n" @ONLY)
