// The command `check`: a claim about a training run in, what follows from it and whether that is possible out.
#include <nlohmann/json.hpp>

#include "core/claim/judge.hpp"
#include "core/io/commands.hpp"
#include "core/io/read_claim.hpp"
#include "core/io/write_claim.hpp"
#include "core/scenario/words.hpp"

namespace meshgauge {
namespace {

/// Conventions and repetitions of a parameter count differ by less.
constexpr double same_model = 1.1;

/// Parameters stated beside a model that has others.
void compare_parameters(const StatedClaim& stated, Judgement& judgement) {
  if (!stated.stated_parameters) return;
  const double model = *stated.claim.given[static_cast<std::size_t>(Fact::parameters)];
  const double factor = std::max(model / *stated.stated_parameters, *stated.stated_parameters / model);
  if (!(factor > same_model)) return;
  const LineText text{"parameters", "parameters", "N", "the model of the catalog"};
  judgement.conflicts.push_back({.fact = Fact::parameters,
                                 .given = *stated.stated_parameters,
                                 .implied = {Fact::parameters, {text, "", model, {{"N", model}}}, {}},
                                 .factor = factor});
  if (judgement.verdict != Verdict::impossible) judgement.verdict = Verdict::contradictory;
}

}  // namespace

Result<nlohmann::ordered_json> check_command(const nlohmann::ordered_json& request) {
  Result<StatedClaim> read = read_claim(request);
  if (!read.ok()) return std::move(read.issues);
  const StatedClaim& stated = *read.value;
  Ceiling ceiling;
  Comparison others;
  if (stated.gpu) {
    const bool causal = stated.claim.shape.matrices > 0;
    ceiling = ceiling_of(*stated.gpu, stated.precision);
    others = compare(*stated.gpu, stated.precision, consequences_of(stated.claim).values, causal);
  }
  Judgement judgement = judge(stated.claim, ceiling, others);
  compare_parameters(stated, judgement);
  return write_claim(stated, judgement, ceiling, others);
}

}  // namespace meshgauge
