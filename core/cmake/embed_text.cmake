# embed_text(<target> <file> <symbol> [KEEP_INDENTATION]): compiles a text file into `extern const std::string_view meshgauge::embedded::<symbol>`.
# Run as a script (cmake -DINPUT= -DOUTPUT= -DSYMBOL= -P) it writes that source file; the build needs no other tool.
if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${INPUT} text)
  if(NOT KEEP_INDENTATION)  # JSON strings hold no line breaks, so it carries nothing there
    string(REGEX REPLACE "\n[ \t]+" "\n" text "${text}")
  endif()
  file(WRITE ${OUTPUT} "// Generated from ${NAME}.
#include <string_view>
#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace meshgauge::embedded {
namespace {
constexpr char text[] = R\"~~~(${text})~~~\";
}
extern const std::string_view ${SYMBOL};
const std::string_view ${SYMBOL}{text, sizeof text - 1};
}  // namespace meshgauge::embedded
")
  return()
endif()

set(embed_text_script ${CMAKE_CURRENT_LIST_FILE})
function(embed_text target file symbol)
  cmake_parse_arguments(embed "KEEP_INDENTATION" "" "" ${ARGN})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${symbol}.cpp)
  set(input ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DINPUT=${input} -DOUTPUT=${output} -DNAME=${file} -DSYMBOL=${symbol}
      -DKEEP_INDENTATION=${embed_KEEP_INDENTATION} -P ${embed_text_script}
    DEPENDS ${input} ${embed_text_script} COMMENT "Embedding ${file}" VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
