// Which measurements make a series, whatever the order they come in.
#include "core/calibrate/series.hpp"

#include <algorithm>

#include "tests/support/catch.hpp"

namespace meshgauge {
namespace {

MeasuredCollective call(double bytes, double seconds) {
  MeasuredCollective m;
  m.operation = "all_reduce";
  m.collective = Collective::all_reduce;
  m.place.ranks = m.place.ranks_per_node = 8;
  m.bytes = bytes;
  m.seconds = {seconds};
  m.type = "float";
  return m;
}

ImportedRun run_of(std::vector<MeasuredCollective> calls) {
  ImportedRun run;
  for (MeasuredCollective& m : calls) run.measurements.push_back({0, std::move(m)});
  return run;
}

}  // namespace

TEST_CASE("A size that was measured several times counts once, with its median") {
  const SeriesSet set = series_of({run_of({call(1024, 3e-6), call(1024, 1e-6), call(1024, 2e-6), call(64, 1e-6)})});
  REQUIRE(set.series.size() == 1);
  REQUIRE(set.series[0].samples.size() == 2);
  CHECK(set.series[0].samples[0].bytes == 64);
  CHECK(set.series[0].samples[1].seconds.value == 2e-6);
}

TEST_CASE("A file that is given twice, and files in another order, make the same series") {
  std::vector<ImportedRun> runs{run_of({call(64, 1e-6), call(1024, 2e-6)}), run_of({call(1024, 4e-6)})};
  const auto samples = [](const std::vector<ImportedRun>& list) {
    std::vector<std::pair<double, double>> out;
    const SeriesSet set = series_of(list);
    for (const Sample& s : set.series.at(0).samples) out.emplace_back(s.bytes, s.seconds.value);
    return out;
  };
  const auto once = samples(runs);
  std::reverse(runs.begin(), runs.end());
  CHECK(samples(runs) == once);
  runs.push_back(runs.front());
  CHECK(samples(runs) == once);
}

TEST_CASE("Out-of-place calls, the type with most sizes and groups that run at once are preferred") {
  MeasuredCollective in_place = call(64, 9e-6), half = call(64, 8e-6), alone = call(64, 7e-6), crowd = call(64, 5e-6);
  in_place.in_place = true;
  half.type = "half";
  crowd.concurrent = 4;
  CHECK(series_of({run_of({in_place, alone})}).series[0].samples[0].seconds.value == 7e-6);
  CHECK(series_of({run_of({half, alone, call(128, 7e-6)})}).series[0].samples[0].seconds.value == 7e-6);
  CHECK(series_of({run_of({alone, crowd})}).series[0].samples[0].seconds.value == 5e-6);
  CHECK(series_of({run_of({in_place})}).series[0].samples[0].seconds.value == 9e-6);
}

TEST_CASE("Single ranks, empty messages, wrong results and unpriced operations are left out with their reason") {
  MeasuredCollective single = call(64, 1e-6), wrong = call(64, 1e-6), other = call(64, 1e-6);
  single.place.ranks = single.place.ranks_per_node = 1;
  wrong.wrong = 3;
  other.collective.reset();
  other.operation = "gather";
  const SeriesSet set = series_of({run_of({single, wrong, other, call(0, 1e-6)})});
  CHECK(set.series.empty());
  REQUIRE(set.left_out.size() == 4);
  CHECK(set.left_out[0] == "1 measurement of a single rank: nothing is communicated");
  CHECK(set.left_out[2] == "1 measurement of gather: the model has no price for it");
}

}  // namespace meshgauge
