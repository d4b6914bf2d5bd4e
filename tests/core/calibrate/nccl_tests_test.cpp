// Tables of nccl-tests of every version, clean, torn and cut. Numbers are those of the logs.
#include <string>
#include <vector>

#include "core/io/import.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/logs.hpp"

using namespace meshgauge;
using namespace meshgauge::test;

TEST_CASE("A table of nccl-tests gives both times of each row, with the place that the device list says") {
  const Imported imported = import_text(log_text("nccl-tests-all-reduce.txt"));
  REQUIRE(imported.tool == "nccl-tests");
  REQUIRE(imported.unread.empty());
  REQUIRE(imported.runs.size() == 1);
  const ImportedRun& run = imported.runs[0];
  CHECK(run.place.ranks == 4);
  CHECK(run.place.ranks_per_node == 2);
  CHECK(run.place.gpus_per_node == 2);
  CHECK(run.place.gpu == "NVIDIA H100 80GB HBM3");
  CHECK(run.place.library == "NCCL 2.29.3");
  CHECK(run.questions.empty());
  const std::vector<MeasuredCollective> rows = collectives_of(run);
  REQUIRE(rows.size() == 6);
  CHECK(run.measurements[4].line == 17);
  CHECK(rows[4].operation == "all_reduce");
  CHECK(rows[4].collective == Collective::all_reduce);
  CHECK(rows[4].bytes == 1048576);
  CHECK(rows[4].seconds.value == 40.00 / 1e6);
  CHECK_FALSE(rows[4].in_place);
  CHECK(rows[5].seconds.value == 39.80 / 1e6);
  CHECK(rows[5].in_place);
  CHECK(rows[5].place.ranks == 4);
}

TEST_CASE("Columns before 2022 tell the collective by the columns that they lack") {
  const Imported imported = import_text(log_text("nccl-tests-old-columns.txt"));
  REQUIRE(imported.unread.empty());
  REQUIRE(imported.runs.size() == 3);
  CHECK(collectives_of(imported.runs[0]).at(0).operation == "all_gather");
  CHECK(collectives_of(imported.runs[0]).size() == 4);
  CHECK(imported.runs[0].notes.at(0) == "1 row of 0 bytes left out: too small to be shared among the ranks.");
  const auto alltoall = collectives_of(imported.runs[1]);
  CHECK(alltoall.at(0).operation == "all_to_all");
  CHECK(alltoall.at(2).seconds.value == 11085 / 1e6);
  const auto broadcast = collectives_of(imported.runs[2]);
  CHECK(broadcast.at(0).operation == "broadcast");
  CHECK(broadcast.at(0).seconds.value == 12345 / 1e6);
}

TEST_CASE("Version 1 prints milliseconds") {
  const Imported imported = import_text(log_text("nccl-tests-version-1.txt"));
  REQUIRE(imported.unread.empty());
  REQUIRE(imported.runs.size() == 1);
  const auto rows = collectives_of(imported.runs[0]);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].operation == "all_reduce");
  CHECK(rows[0].seconds.value == 0.080 / 1e3);
  CHECK(rows[0].place.gpu == "Tesla P100-SXM2-16GB");
}

TEST_CASE("Rows that NCCL's own lines tear apart are put together") {
  const Imported imported = import_text(log_text("nccl-tests-torn-rows.txt"));
  CHECK(imported.unread.empty());
  REQUIRE(imported.runs.size() == 1);
  const auto rows = collectives_of(imported.runs[0]);
  REQUIRE(rows.size() == 6);
  CHECK(rows[2].bytes == 2097152);
  CHECK(rows[2].seconds.value == 64.00 / 1e6);
  CHECK(rows[3].seconds.value == 65.00 / 1e6);
  CHECK(rows[4].seconds.value == 100.00 / 1e6);
  CHECK(rows[5].seconds.value == 101.00 / 1e6);
  CHECK(imported.runs[0].place.ranks == 16);
  CHECK(imported.runs[0].questions == std::vector{Question::gpu, Question::ranks_per_node});
}
