// Whether a claimed speed is possible, and how it compares with what others have published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/catalog/published.hpp"
#include "core/claim/claim.hpp"
#include "core/scenario/cluster.hpp"

namespace meshgauge {

/// From the worst on. contradictory: each figure could be true, but not all of them. undetermined: the figures say
/// nothing of a speed.
enum class Verdict { impossible, contradictory, extraordinary, poor, normal, undetermined };
MESHGAUGE_NAMES(Verdict, "impossible", "contradictory", "extraordinary", "poor", "normal", "undetermined");

/// A speed that the claim states or implies, and what it would mean.
struct Speed {
  Fact basis;  ///< tflops_per_gpu or mfu as given; tokens_per_second_per_gpu: from work and time
  double tflops_per_gpu = 0;
  std::optional<double> mfu;
  Verdict verdict = Verdict::undetermined;
};

/// The bounds of a part: no claim gets past them.
struct Ceiling {
  double peak_tflops = 0;      ///< dense datasheet
  double measured_tflops = 0;  ///< the fastest matrix product that anybody measured; 0 if nobody did
};
[[nodiscard]] Ceiling ceiling_of(const Gpu&, Precision);

struct Comparison {
  std::vector<PublishedRun> nearest;  ///< by size of model and job, the nearest first
  std::optional<PublishedRun> best;   ///< of the same part and format, whatever its size
  bool same_gpu = true;               ///< else too few runs of the part are known: its architecture's stand in
  bool causal = false;                ///< which of the runs' utilisations compares with the claim's
};
[[nodiscard]] Comparison compare(const Gpu&, Precision, const Facts&, bool causal);
[[nodiscard]] double utilisation(const PublishedRun&, bool causal);

struct Judgement {
  Verdict verdict = Verdict::undetermined;
  std::vector<Speed> speeds;
  std::vector<Conflict> conflicts;
  Consequences consequences;
};
[[nodiscard]] Judgement judge(const Claim&, const Ceiling&, const Comparison&);

}  // namespace meshgauge
