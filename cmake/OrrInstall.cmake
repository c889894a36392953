# cmake --install: two libraries, LAPACK's names over them, headers, pkg-config file, CMake package, command with man
# page and completions, performance models.
include(CMakePackageConfigHelpers)

file(RELATIVE_PATH _bin_to_lib "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_target_properties(orrery_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${_bin_to_lib}")

install(TARGETS orrery EXPORT orrery
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS orrery_static EXPORT orrery_static
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET orrery_lapack)
  install(TARGETS orrery_lapack LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS orrery_sched LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/orrery)
if(TARGET orrery_record)
  install(TARGETS orrery_record LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/orrery)
endif()
if(TARGET orrery_real)
  set_target_properties(orrery_real PROPERTIES INSTALL_RPATH "$ORIGIN/..")
  install(TARGETS orrery_real RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/orrery)
endif()
install(TARGETS orrery_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/orrery DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
install(DIRECTORY examples/studies examples/graphs DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery USE_SOURCE_PERMISSIONS OPTIONAL)
install(DIRECTORY perfmodels DESTINATION ${CMAKE_INSTALL_DATADIR}/orrery OPTIONAL)

# The command writes its own man pages and completions: orrery --man, orrery --completion bash.
# A missing one is left out.
set(_pages ${CMAKE_BINARY_DIR}/pages)
file(MAKE_DIRECTORY "${_pages}/man1")
install(DIRECTORY ${_pages}/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${_pages}/bash RENAME orrery OPTIONAL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${_pages}/zsh RENAME _orrery OPTIONAL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${_pages}/fish RENAME orrery.fish OPTIONAL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
if(NOT CMAKE_CROSSCOMPILING AND NOT ORR_STARPU STREQUAL "simgrid")
  add_custom_command(TARGET orrery_cli POST_BUILD VERBATIM COMMENT ""
    COMMAND sh "${CMAKE_CURRENT_SOURCE_DIR}/cmake/pages.sh" $<TARGET_FILE:orrery_cli> "${_pages}")
endif()

# pkg-config: -lorrery needs nothing else when shared; "pkg-config --static" adds the rest.
file(RELATIVE_PATH ORR_PC_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
list(JOIN LAPACK_LIBRARIES " " _lapack)
set(ORR_PC_LIBS "-L${STARPU_LIBDIR} -l${STARPU_MODULE_NAME} -lhwloc ${_lapack} -lz -fopenmp -lpthread -lm")
if(NOT STARPU_LIBDIR IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  string(PREPEND ORR_PC_LIBS "-Wl,-rpath,${STARPU_LIBDIR} ")
endif()
if(ORR_CUDA)
  string(APPEND ORR_PC_LIBS " -L${CUDAToolkit_LIBRARY_DIR} -lcudart -lcublas -lstdc++")
  list(APPEND ORR_PACKAGE_DEPENDENCIES CUDAToolkit)
endif()
if(ORR_OPENCL_ON_CPU)
  string(APPEND ORR_PC_LIBS " -lOpenCL")
  list(APPEND ORR_PACKAGE_DEPENDENCIES OpenCL)
endif()
if(ORR_MPI)
  list(JOIN MPI_C_LIBRARIES " " _mpi)
  string(APPEND ORR_PC_LIBS " ${_mpi}")
  list(APPEND ORR_PACKAGE_DEPENDENCIES MPI)
endif()
list(JOIN ORR_PACKAGE_DEPENDENCIES " " ORR_PACKAGE_DEPENDENCIES)
configure_file(cmake/orrery.pc.in orrery.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/orrery.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# find_package(Orrery) gives Orrery::orrery; COMPONENTS static adds Orrery::orrery_static.
set(_package ${CMAKE_INSTALL_LIBDIR}/cmake/Orrery)
install(EXPORT orrery NAMESPACE Orrery:: FILE OrreryTargets.cmake DESTINATION ${_package})
install(EXPORT orrery_static NAMESPACE Orrery:: FILE OrreryStaticTargets.cmake DESTINATION ${_package})
configure_package_config_file(cmake/OrreryConfig.cmake.in OrreryConfig.cmake INSTALL_DESTINATION ${_package})
write_basic_package_version_file(OrreryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/OrreryConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/OrreryConfigVersion.cmake
  DESTINATION ${_package})
