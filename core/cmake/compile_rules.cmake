# One INTERFACE target that every target of ours links privately: warnings are errors, results do not depend on FMA.
add_library(meshgauge_compile_rules INTERFACE)
function(meshgauge_compile_rule)
  target_compile_options(meshgauge_compile_rules INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>")
endfunction()
meshgauge_compile_rule(-Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Werror
  -ffp-contract=off)  # else a compiler may fuse a*b+c on one platform and not on another
if(EMSCRIPTEN)
  meshgauge_compile_rule(
    -fno-exceptions            # the core throws nothing, and the module gets a third smaller
    -Wno-shorten-64-to-32)     # 64-bit indices into containers, whose size type has 32 bits here
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # False alarms inside std::string once it inlines, from GCC 12 on (GCC bugs 105329, 105651), 14 included.
  meshgauge_compile_rule(-Wno-restrict -Wno-array-bounds -Wno-stringop-overflow)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")  # and inside std::function once it is instrumented (GCC bug 105562)
    meshgauge_compile_rule(-Wno-maybe-uninitialized)
  endif()
endif()
if(MESHGAUGE_CUDA)  # nvcc hands the host's part to the C++ compiler
  target_compile_options(meshgauge_compile_rules INTERFACE
    "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow,-Werror;--Werror=all-warnings>")
endif()
