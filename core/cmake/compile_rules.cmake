# One INTERFACE target that every target of ours links privately: warnings are errors, results do not depend on FMA.
add_library(meshgauge_compile_rules INTERFACE)
target_compile_options(meshgauge_compile_rules INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow -Werror
  -ffp-contract=off)  # else a compiler may fuse a*b+c on one platform and not on another
if(EMSCRIPTEN)
  target_compile_options(meshgauge_compile_rules INTERFACE -fno-exceptions)  # the core throws nothing: a third less code
endif()
