// The kept inputs of the fuzzers, replayed: each importer, and the reader of NCCL's words, reads its own without harm.
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/fuzz/check_import.hpp"
#include "tests/fuzz/check_nccl.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("Importers and the reader of NCCL take the corpus of their fuzzers without harm") {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MESHGAUGE_FUZZ_CORPUS)) {
    if (!entry.is_regular_file()) continue;
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    const std::string target = entry.path().parent_path().filename().string();
    if (target == "nccl-log") {
      CHECK(meshgauge::test::nccl_is_sound(text.str()));
    } else {
      CHECK(meshgauge::test::import_is_sound(target, text.str()));
    }
    ++files;
  }
  CHECK(files >= meshgauge::text_importers().size());
}
