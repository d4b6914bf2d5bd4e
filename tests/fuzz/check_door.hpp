// What must hold of an answer of the door whatever the bytes were.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/io/answer_text.hpp"
#include "core/io/api.hpp"
#include "core/io/api_with_files.hpp"
#include "core/io/band.hpp"
#include "core/io/calibrate.hpp"
#include "core/io/command_table.hpp"
#include "core/io/diagnose.hpp"
#include "core/io/parse.hpp"

namespace meshgauge::test {

/// How the bytes come in: as they are inside the request, as a string of it, or as a file beside it.
enum class Bytes { spliced, quoted, file };

/// A way in: the bytes between two halves of a request.
struct Door {
  std::string_view id;
  Bytes bytes;
  std::string_view before, after;
};

inline constexpr auto doors = std::to_array<Door>({
    {"api", Bytes::spliced, "", ""},
    {"band", Bytes::file, R"({"command":"band","cluster":{"gpu":"h100-sxm-80gb"},"place":{"ranks_per_node":8}})", ""},
    {"calibrate", Bytes::file, R"({"command":"calibrate","cluster":{"system":"dgx-h100"}})", ""},
    {"diagnose", Bytes::file, R"({"command":"diagnose"})", ""},
    {"diagnose-job", Bytes::file,
     R"({"command":"diagnose","scenario":{"model":"gpt2-1.5b","cluster":{"gpu":"a100-sxm-80gb","gpus":8}}})", ""},
    {"estimate", Bytes::spliced, R"({"command":"estimate","scenario":)", "}"},
    {"launch", Bytes::spliced, R"({"command":"launch","target":"megatron","scenario":)", "}"},
    {"model", Bytes::spliced,
     R"({"command":"estimate","explain":false,"scenario":{"cluster":{"system":"dgx-h100"},"model":)", "}}"},
    {"plan", Bytes::spliced, R"({"command":"plan","top":1,"budget":300,"scenario":)", "}"},
    {"profile", Bytes::spliced,
     R"({"command":"estimate","explain":false,"scenario":{"model":"mixtral-8x7b","cluster":{"system":"dgx-h100","gpus":16},)"
     R"("parallelism":{"tensor_parallel_size":2,"pipeline_parallel_size":2},"training":{"engine":"megatron"}},"profile":)",
     "}"},
    {"read-config", Bytes::quoted, R"({"command":"read_config","text":)", "}"},
    {"validate", Bytes::spliced, R"({"command":"validate","files":[{"file":"runs","runs":[)", "]}]}"},
});

using Json = nlohmann::ordered_json;

/// JSON writes null for what is no number: it has to be seen before it is written.
inline bool is_finite(const Json& value) {
  if (value.is_number_float()) return std::isfinite(value.get<double>());
  return !value.is_structured() ||
         std::all_of(value.begin(), value.end(), [](const Json& one) { return is_finite(one); });
}

/// An answer, or what is wrong in words.
inline bool is_sound_text(const std::string& text) {
  const Json answer = Json::parse(text, nullptr, false);
  if (!answer.is_object() || !answer.contains("ok") || !answer["ok"].is_boolean()) return false;
  if (answer["ok"] == true) return true;
  if (!answer.contains("issues") || !answer["issues"].is_array() || answer["issues"].empty()) return false;
  return std::all_of(answer["issues"].begin(), answer["issues"].end(), [](const Json& issue) {
    return issue.size() == 2 && issue.value("path", Json()).is_string() && issue.value("message", Json()).is_string() &&
           !issue["message"].get_ref<const std::string&>().empty();
  });
}

/// The answer before it is written, where the request gets as far as a command.
inline Result<Json> answer_of(const Json& request, std::span<const NamedText> files) {
  const Json command = request.is_object() ? request.value("command", Json()) : Json();
  if (!files.empty()) {
    return command == "band"        ? band_files(files, request)
           : command == "calibrate" ? calibrate_files(files, request)
                                    : diagnose_files(files, request);
  }
  for (const Command& one : command_table()) {
    if (command == one.name) return one.answer(request);
  }
  return Issues{{"", "no command"}};
}

/// The answer if it is finite, in the words that the door gives, and the same when asked again; else nothing.
inline std::optional<std::string> sound_answer(const std::string& request, std::span<const NamedText> files) {
  std::string text = files.empty() ? api(request) : api_with_files(request, files);
  if (!is_sound_text(text)) return std::nullopt;
  const Result<Json> parsed = parse_json(request);
  if (!parsed.ok()) return text;
  const Result<Json> answer = answer_of(*parsed.value, files);
  if (!answer.ok()) return text;
  if (!is_finite(*answer.value) || answer_text(parsed.issues, answer) != text) return std::nullopt;
  return text;
}

/// What is asked next with an answer: the resolved scenario reads back to the same bytes, a part of a search is merged,
/// the files of a launch are read.
inline bool follows(const Door& door, const std::string& text) {
  const Json answer = Json::parse(text, nullptr, false);
  if (answer.value("ok", false) != true) return true;
  if (door.id == "estimate") {
    return !answer.contains("scenario") || !answer.contains("step") ||
           api(std::string(door.before) + answer["scenario"].dump() + std::string(door.after)) == text;
  }
  if (door.id == "plan")
    return sound_answer(Json{{"command", "plan"}, {"merge", Json::array({answer})}}.dump(), {}).has_value();
  if (door.id == "launch") {
    return std::all_of(answer["files"].begin(), answer["files"].end(), [](const Json& file) {
      return sound_answer(Json{{"command", "read_config"}, {"text", file["text"]}}.dump(), {}).has_value();
    });
  }
  return true;
}

inline const Door* find_door(std::string_view id) {
  const auto* const found = std::find_if(doors.begin(), doors.end(), [&](const Door& one) { return one.id == id; });
  return found == doors.end() ? nullptr : found;
}

inline bool door_is_sound(const Door& door, std::string_view bytes) {
  if (door.bytes == Bytes::file) {
    const NamedText file{"file", bytes};
    return sound_answer(std::string(door.before), {&file, 1}).has_value();
  }
  const bool quoted = door.bytes == Bytes::quoted;
  const std::string middle =
      quoted ? Json(bytes).dump(-1, ' ', false, Json::error_handler_t::replace) : std::string(bytes);
  const std::string request = std::string(door.before) + middle + std::string(door.after);
  const std::optional<std::string> text = sound_answer(request, {});
  return text && follows(door, *text);
}

}  // namespace meshgauge::test
