# ORR_VGPU=ON: CUDA codelets and emulated kernels on virtual devices (docs/simt.md). No nvcc, of
# the toolkit only its headers. Include after orr_kernels exists, in place of OrrCuda.
find_path(ORR_CUDA_INCLUDE cuda_runtime_api.h HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include)
find_path(ORR_BOOST_CONTEXT_INCLUDE boost/context/detail/fcontext.hpp)
find_library(ORR_BOOST_CONTEXT boost_context)
if(NOT ORR_CUDA_INCLUDE OR NOT ORR_BOOST_CONTEXT OR NOT ORR_BOOST_CONTEXT_INCLUDE)
  message(FATAL_ERROR "Virtual devices need the CUDA toolkit's headers (CUDA_HOME) and Boost.Context")
endif()
enable_language(CXX)
set(CUDAToolkit_INCLUDE_DIRS ${ORR_CUDA_INCLUDE})
set(vgpu ${PROJECT_SOURCE_DIR}/tests/vgpu)
set(ORR_VGPU_DIR ${PROJECT_BINARY_DIR}/vgpu)

# The stand-ins, with the names and versions of the real ones.
file(STRINGS ${ORR_CUDA_INCLUDE}/cuda_runtime_api.h version REGEX "define CUDART_VERSION")
string(REGEX MATCH "[0-9]+" version "${version}")
math(EXPR cuda_major "${version} / 1000")
function(vgpu_library name soversion)
  add_library(vgpu_${name} SHARED ${ARGN})
  target_include_directories(vgpu_${name} SYSTEM PRIVATE ${ORR_CUDA_INCLUDE} ${STARPU_INCLUDE_DIRS})
  target_compile_features(vgpu_${name} PRIVATE cxx_std_17)
  target_compile_options(vgpu_${name} PRIVATE -Wall -Wextra)
  target_link_options(vgpu_${name} PRIVATE -Wl,--version-script=${vgpu}/${name}.map)
  set_target_properties(vgpu_${name} PROPERTIES OUTPUT_NAME ${name} SOVERSION ${soversion}
    C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY ${ORR_VGPU_DIR} LINK_DEPENDS ${vgpu}/${name}.map)
endfunction()
vgpu_library(cudart ${cuda_major} ${vgpu}/cudart.cpp ${vgpu}/stream.cpp ${vgpu}/device.cpp
  ${vgpu}/pages.cpp ${vgpu}/plan.cpp ${vgpu}/record.cpp ${vgpu}/task.c)
add_library(vgpu_freed SHARED ${vgpu}/freed.c)
set_target_properties(vgpu_freed PROPERTIES C_VISIBILITY_PRESET default LIBRARY_OUTPUT_DIRECTORY ${ORR_VGPU_DIR})
vgpu_library(cublas ${cuda_major} ${vgpu}/vcublas.cpp)
vgpu_library(cusparse 12 ${vgpu}/vcusparse.c)
set(ORR_VGPU_STARPU vgpu_cusparse) # what StarPU is linked with besides
math(EXPR cusolver_major "${cuda_major} - 1")
vgpu_library(cusolver ${cusolver_major} ${vgpu}/vcusolver.c)
if(STARPU_VERSION VERSION_GREATER_EQUAL 1.4)
  vgpu_library(cublasLt ${cuda_major} ${vgpu}/vcublaslt.c)
  list(APPEND ORR_VGPU_STARPU vgpu_cusolver vgpu_cublasLt)
endif()
target_compile_definitions(vgpu_cudart PRIVATE _GNU_SOURCE)
target_link_libraries(vgpu_cudart PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
target_link_libraries(vgpu_cublas PRIVATE vgpu_cudart BLAS::BLAS)
add_library(CUDA::cudart ALIAS vgpu_cudart)
add_library(CUDA::cublas ALIAS vgpu_cublas)
add_library(CUDA::cusolver ALIAS vgpu_cusolver)
add_library(CUDA::cusparse ALIAS vgpu_cusparse)
# Unlike RUNPATH, RPATH is also looked at for what StarPU needs.
add_link_options(-Wl,--disable-new-dtags)

# The kernels are C++ here. Optimised but for Debug: emulated they are slow enough. The thread
# sanitizer cannot follow their threads, which are fibers of a process of their own: races_* does.
file(GLOB CUDA_KERNELS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cuda/*.cu)
if(ORR_SANITIZE MATCHES thread)
  set(not_watched ";-fno-sanitize=thread")
endif()
set_source_files_properties(${CUDA_KERNELS} PROPERTIES LANGUAGE CXX
  COMPILE_OPTIONS "-x;c++;$<$<NOT:$<CONFIG:Debug>>:-O1;-g1>;-ffp-contract=off${not_watched}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/tests/simt/simt.cpp PROPERTIES COMPILE_OPTIONS "-O2${not_watched}")
target_sources(orr_kernels PRIVATE ${CUDA_KERNELS} ${PROJECT_SOURCE_DIR}/tests/simt/simt.cpp ${vgpu}/simt_plan.cpp)
target_compile_features(orr_kernels PRIVATE cxx_std_17)
target_compile_definitions(orr_kernels INTERFACE ORR_WITH_CUDA PRIVATE $<$<COMPILE_LANGUAGE:CXX>:ORR_SIMT ORR_VGPU>)
target_include_directories(orr_kernels PRIVATE ${vgpu})
target_include_directories(orr_kernels SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS} ${ORR_BOOST_CONTEXT_INCLUDE})
