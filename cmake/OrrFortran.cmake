# The Fortran module of the headers, a source file: module files of one compiler are none to another.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  file(GLOB _headers CONFIGURE_DEPENDS include/orrery/*.h)
  set(ORR_FORTRAN_MODULE ${CMAKE_CURRENT_BINARY_DIR}/generated/orrery.f90)
  add_custom_command(OUTPUT ${ORR_FORTRAN_MODULE} VERBATIM
    COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/packaging/fortran/module.py ${CMAKE_CURRENT_SOURCE_DIR}/include ${ORR_FORTRAN_MODULE}
    DEPENDS ${_headers} packaging/fortran/module.py)
  add_custom_target(orrery_fortran ALL DEPENDS ${ORR_FORTRAN_MODULE})
  install(FILES ${ORR_FORTRAN_MODULE} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/orrery OPTIONAL)
endif()
