// The kept inputs of the fuzzers, replayed: each goes its way in without harm.
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "tests/fuzz/check_door.hpp"
#include "tests/fuzz/check_import.hpp"
#include "tests/fuzz/check_nccl.hpp"
#include "tests/support/catch.hpp"

namespace {

bool is_sound(const std::string& id, const std::string& bytes) {
  using namespace meshgauge::test;
  if (const Door* door = find_door(id)) return door_is_sound(*door, bytes);
  return id == "nccl-log" ? nccl_is_sound(bytes) : import_is_sound(id, bytes);
}

}  // namespace

TEST_CASE("Whatever comes in takes the corpus of its fuzzer without harm") {
  std::set<std::string> seen;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(MESHGAUGE_FUZZ_CORPUS)) {
    if (!entry.is_regular_file()) continue;
    CAPTURE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    const std::string id = entry.path().parent_path().filename().string();
    CHECK(is_sound(id, bytes.str()));
    seen.insert(id);
  }
  for (const meshgauge::Importer* importer : meshgauge::text_importers()) CHECK(seen.count(std::string(importer->id)));
  for (const meshgauge::test::Door& door : meshgauge::test::doors) CHECK(seen.count(std::string(door.id)));
}

TEST_CASE("A door of the fuzzers lets an answer in, a refusal, and nothing that is none") {
  using namespace meshgauge::test;
  CHECK(is_sound_text(R"({"ok":true})"));
  CHECK(is_sound_text(R"({"ok":false,"issues":[{"path":"","message":"no"}]})"));
  for (const char* text : {"", "{", "[]", "{}", R"({"ok":1})", R"({"ok":false})", R"({"ok":false,"issues":[]})",
                           R"({"ok":false,"issues":[{"path":"","message":""}]})",
                           R"({"ok":false,"issues":[{"path":1,"message":"no"}]})"}) {
    CHECK_FALSE(is_sound_text(text));
  }
  CHECK(is_finite(Json::parse(R"({"a":[1,2.5,null,"x"]})")));
  CHECK_FALSE(is_finite(Json{{"a", Json::array({1, std::nan("")})}}));
  CHECK_FALSE(is_finite(Json{{"a", HUGE_VAL}}));
}
