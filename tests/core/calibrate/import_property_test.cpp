// What holds for every log: how it was carried here changes nothing, and what is cut away takes no row before it along.
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "core/io/import.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/logs.hpp"

using namespace meshgauge;
using namespace meshgauge::test;

namespace {

const std::vector<std::string> logs = log_names();

using Figures = std::vector<std::tuple<double, double, double>>;

/// Size and figures of every measurement in order, with an answer to what some logs leave open.
Figures figures_of(std::string_view text) {
  KnownPlace known;
  known.place.gpus_per_node = known.place.ranks = 8;
  Figures all;
  for (const ImportedRun& run : import_text(text, known).runs) {
    for (const Measurement& one : run.measurements) {
      if (const auto* collective = std::get_if<MeasuredCollective>(&one.what)) {
        all.emplace_back(collective->bytes, collective->seconds.value, collective->in_place ? 1 : 0);
      } else if (const auto* link = std::get_if<MeasuredLink>(&one.what)) {
        all.emplace_back(link->bytes, link->bandwidth.value, link->latency.value);
      } else if (const auto* step = std::get_if<MeasuredStep>(&one.what)) {
        all.emplace_back(step->tokens_per_second_per_gpu, step->reserved.value, step->allocated.value);
      }
    }
  }
  return all;
}

std::string each_line(const std::string& text, const std::string& before, const std::string& behind) {
  std::string out;
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    out += before + text.substr(start, end - start) + behind + '\n';
    start = end + 1;
  }
  return out;
}

}  // namespace

TEST_CASE("Carriage returns, colours and prefixes of launchers change no measurement") {
  for (const std::string& name : logs) {
    CAPTURE(name);
    const std::string text = log_text(name);
    const Figures plain = figures_of(text);
    REQUIRE_FALSE(plain.empty());
    CHECK(figures_of(each_line(text, "", "\r")) == plain);
    CHECK(figures_of(each_line(text, "\x1b[32m", "\x1b[0m")) == plain);
    CHECK(figures_of(each_line(text, "[1,0]<stdout>:", "")) == plain);
    CHECK(figures_of(each_line(text, " 0: ", "")) == plain);
    CHECK(figures_of(each_line(text, "2026-05-01T12:00:00.123456789Z ", "")) == plain);
    CHECK(figures_of(each_line(text, "[pod/worker-0/trainer] ", "")) == plain);
    CHECK(figures_of("\xef\xbb\xbf" + text) == plain);
  }
}

TEST_CASE("A log cut after any byte gives the first of its measurements") {
  for (const std::string& name : logs) {
    CAPTURE(name);
    const std::string text = log_text(name);
    const Figures whole = figures_of(text);
    for (std::size_t length = 0; length < text.size(); ++length) {
      const Figures part = figures_of(std::string_view(text).substr(0, length));
      const bool is_prefix = part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
      if (!is_prefix) {
        CAPTURE(length);
        CHECK(is_prefix);
        break;
      }
    }
  }
}

TEST_CASE("Other output between the lines changes no measurement") {
  const std::array<std::string, 6> noise{
      "node-0:1000:1004 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/IB/1\n",
      "Warning: Permanently added 'node-1' (ED25519) to the list of known hosts.\n",
      "...\n",
      "```\n",
      "\n",
      "[1622510437.752046] [node-6:1024:0]  ucp_context.c:1437 UCX  WARN  UCP version is incompatible\n"};
  std::mt19937 random(7);
  for (const std::string& name : logs) {
    CAPTURE(name);
    if (name == "nvbandwidth.txt" || name == "p2p-bandwidth-latency.txt") continue;  // a matrix ends at other output
    const std::string text = log_text(name);
    const Figures plain = figures_of(text);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::string noisy;
      std::size_t start = 0;
      while (start < text.size()) {
        const std::size_t end = text.find('\n', start);
        noisy += text.substr(start, end == std::string::npos ? std::string::npos : end + 1 - start);
        start = end == std::string::npos ? text.size() : end + 1;
        for (auto lines = random() % 3; lines > 0; --lines) noisy += noise[random() % noise.size()];
      }
      CHECK(figures_of(noisy) == plain);
    }
  }
}

TEST_CASE("Texts of no tool, and bytes of none, are not recognised and do no harm") {
  CHECK(import_text("").tool.empty());
  CHECK(import_text("step by step, 12 float 13 half").tool.empty());
  std::mt19937 random(11);
  std::string bytes(20000, '\0');
  for (char& c : bytes) c = static_cast<char>(random());
  CHECK(import_text(bytes).runs.empty());
}

TEST_CASE("What a file holds beyond the limit is counted") {
  std::string text = log_text("nccl-tests-all-reduce.txt");
  const std::string row =
      "        1024           256     float     sum      -1    16.00    0.06    0.10       0    15.50    0.07    0.10  "
      "     0\n";
  for (std::size_t i = 0; i < most_measurements / 2 + 10; ++i) text += row;
  const Imported imported = import_text(text);
  CHECK(imported.measurements_kept == most_measurements);
  CHECK(imported.measurements_left_out == 26);
}
