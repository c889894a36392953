# ORR_CUDA=ON: the CUDA kernels join orr_kernels. Include after that target exists.
# Machine code for A100 (80) and H100/H200 (90), PTX of both for what comes later.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)
endif()
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  find_program(ORR_NVCC nvcc PATHS /usr/local/cuda/bin)
  if(ORR_NVCC)
    set(CMAKE_CUDA_COMPILER ${ORR_NVCC})
  endif()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)

file(GLOB CUDA_KERNELS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/kernels/cuda/*.cu)
target_sources(orr_kernels PRIVATE ${CUDA_KERNELS})
# The target is older than the language, so the defaults above have passed it by.
set_target_properties(orr_kernels PROPERTIES CUDA_ARCHITECTURES "${CMAKE_CUDA_ARCHITECTURES}"
  CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
target_compile_definitions(orr_kernels INTERFACE ORR_WITH_CUDA)
target_compile_options(orr_kernels PRIVATE
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra -Wno-deprecated-gpu-targets>)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 12.8) # kernels in a quarter of the space
  target_compile_options(orr_kernels PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--compress-mode=size>)
endif()
target_include_directories(orr_kernels SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
