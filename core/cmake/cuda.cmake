# CUDA with the GPUs that nvcc knows from sm_70 to sm_100, and code of the last for those after it; and NCCL.
find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDACXX ENV CUDA_PATH PATH_SUFFIXES bin PATHS /usr/local/cuda/bin REQUIRED)
if(NOT CMAKE_CUDA_ARCHITECTURES)
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE listed COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" numbers "${listed}")
  list(FILTER numbers INCLUDE REGEX "^([789][0-9]|100)$")
  list(SORT numbers COMPARE NATURAL)
  list(POP_BACK numbers last)
  list(TRANSFORM numbers APPEND "-real")
  set(CMAKE_CUDA_ARCHITECTURES ${numbers} ${last} CACHE STRING "GPUs that CUDA code is compiled for")
endif()
enable_language(CUDA)
set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)  # CMake 3.25 does not know that nvcc has it
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
find_package(CUDAToolkit REQUIRED)

find_path(NCCL_INCLUDE_DIR nccl.h HINTS ENV NCCL_HOME PATH_SUFFIXES include PATHS ${CUDAToolkit_INCLUDE_DIRS} REQUIRED)
find_library(NCCL_LIBRARY nccl HINTS ENV NCCL_HOME PATH_SUFFIXES lib lib64 PATHS ${CUDAToolkit_LIBRARY_DIR} REQUIRED)
add_library(NCCL::NCCL UNKNOWN IMPORTED GLOBAL)
set_target_properties(NCCL::NCCL PROPERTIES
  IMPORTED_LOCATION ${NCCL_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${NCCL_INCLUDE_DIR})
