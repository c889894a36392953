# The Python package beside the library that was built: PYTHONPATH=BUILD/python. It is installed where
# ORR_PYTHON_DIR says.
set(ORR_PYTHON_DIR "" CACHE STRING "Where to install the Python package, e.g. lib/python3/dist-packages; empty: nowhere")
file(GLOB _python CONFIGURE_DEPENDS packaging/python/orrery/*.py)
set(_package ${CMAKE_CURRENT_BINARY_DIR}/python/orrery)
file(REMOVE_RECURSE ${_package})
file(MAKE_DIRECTORY ${_package})
foreach(_file ${_python})
  get_filename_component(_name ${_file} NAME)
  file(CREATE_LINK ${_file} ${_package}/${_name} SYMBOLIC)
endforeach()
file(GENERATE OUTPUT ${_package}/library-path CONTENT "$<TARGET_FILE:orrery>\n")

if(ORR_PYTHON_DIR)
  get_filename_component(_place "${ORR_PYTHON_DIR}/orrery" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
  file(RELATIVE_PATH _library "${_place}" "${CMAKE_INSTALL_FULL_LIBDIR}/$<TARGET_SONAME_FILE_NAME:orrery>")
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/library-path CONTENT "${_library}\n")
  install(FILES ${_python} ${CMAKE_CURRENT_BINARY_DIR}/library-path DESTINATION ${ORR_PYTHON_DIR}/orrery)
endif()
