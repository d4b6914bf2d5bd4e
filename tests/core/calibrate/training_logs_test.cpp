// Training logs, one engine each. Numbers are those of the logs.
#include <string>
#include <vector>

#include "core/io/import.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/logs.hpp"

using namespace meshgauge;
using namespace meshgauge::test;

namespace {

std::vector<MeasuredStep> steps_of(const Imported& imported) {
  REQUIRE(imported.runs.size() == 1);
  CHECK(imported.unread.empty());
  return measured<MeasuredStep>(imported.runs[0]);
}

constexpr double gib = 1073741824, mib = 1048576;

}  // namespace

TEST_CASE("Megatron's iterations give time, tokens and TFLOP/s, its memory reports peaks") {
  const Imported imported = import_text(log_text("megatron.txt"));
  CHECK(imported.tool == "megatron");
  const auto steps = steps_of(imported);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].step == 1);
  CHECK(steps[0].seconds.value == 20.48);
  CHECK(steps[0].model_flops_per_gpu.value == 250.5e12);
  CHECK(steps[0].tokens_per_second == Approx(512 * 4096 / 20.48));
  CHECK(steps[0].tokens_per_second_per_gpu == Approx(512 * 4096 / 20.48 / 16));
  CHECK(steps[1].allocated.value == 40960 * mib);
  CHECK(steps[1].reserved.value == 46080 * mib);
  CHECK(steps[2].tokens_per_second_per_gpu == 12800);
  CHECK(steps[2].place.ranks == 16);
}

TEST_CASE("DeepSpeed's samples per second become step times with the batch of its configuration") {
  const auto steps = steps_of(import_text(log_text("deepspeed.txt")));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].allocated.value == 12.5 * gib);
  CHECK(steps[0].reserved.value == 15 * gib);
  CHECK(steps[1].step == 10);
  CHECK(steps[1].seconds.value == 2.0);
  CHECK(steps[1].allocated.value == 40.25 * gib);
  CHECK(steps[1].place.ranks == 8);
}

TEST_CASE("DeepSpeed's wall clock breakdown stands in where no throughput is logged") {
  const auto steps = steps_of(import_text(log_text("deepspeed-breakdown.txt")));
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].step == 20);
  CHECK(steps[0].seconds.value == 1.75);
}

TEST_CASE("torchtitan's colours and commas are read, its validation is not") {
  const Imported imported = import_text(log_text("torchtitan.txt"));
  const auto steps = steps_of(imported);
  REQUIRE(steps.size() == 1);
  CHECK(imported.runs[0].place.gpu == "NVIDIA H100 80GB HBM3");
  CHECK(steps[0].place.ranks == 8);
  CHECK(steps[0].tokens_per_second_per_gpu == 4096);
  CHECK(steps[0].reserved.value == 40.5 * gib);
  CHECK(steps[0].model_flops_per_gpu.value == 200.5e12);
  CHECK(steps[0].mfu == Approx(0.2027));
  CHECK(steps[0].seconds.value == 8 * 8192.0 / (4096 * 8));
}

TEST_CASE("nanotron's three digits tell the ranks") {
  const auto steps = steps_of(import_text(log_text("nanotron.txt")));
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].step == 3);
  CHECK(steps[0].seconds.value == Approx(8.63));
  CHECK(steps[0].tokens_per_second == Approx(486e3));
  CHECK(steps[0].reserved.value == Approx(21.5e9));
  CHECK(steps[0].place.ranks == 128);
}

TEST_CASE("The Trainer's dictionaries give averages over the training") {
  const auto steps = steps_of(import_text(log_text("hf-trainer.txt")));
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].tokens_per_second == 78019.05);
  CHECK(steps[1].seconds.value == 8);
  CHECK(steps[1].tokens_per_second_per_gpu == 8192);
  CHECK(steps[1].allocated.value == 10000);
}

TEST_CASE("Step lines of scripts are read by the units that they print") {
  const Imported imported = import_text(log_text("training-scripts.txt"));
  CHECK(imported.tool == "training-script");
  const auto steps = steps_of(imported);
  REQUIRE(steps.size() == 5);
  CHECK(steps[0].seconds.value == Approx(0.15231));
  CHECK(steps[0].mfu == Approx(0.3852));
  CHECK(steps[1].seconds.value == Approx(1.23456));
  CHECK(steps[1].tokens_per_second == 424242);
  CHECK(steps[1].mfu == Approx(0.482));
  CHECK(steps[2].seconds.value == Approx(1.00012));
  CHECK(steps[2].tokens_per_second == 524288);
  CHECK(steps[3].seconds.value == Approx(0.34567));
  CHECK(steps[4].tokens_per_second_per_gpu == 4242.5);
  CHECK(steps[4].reserved.value == 24.5 * gib);
}
