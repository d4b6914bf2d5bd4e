// One step's FLOPs as papers and tools count them.
#include "core/count/flop_conventions.hpp"

#include "core/count/parameters.hpp"

namespace meshgauge {

std::vector<Figure> flops_by_convention(const Scenario& scenario, const StepFlops& flops) {
  const ModelShape& m = scenario.model;
  const StepFlops::Token& t = flops.token;
  const double f = t.matrix_passes, N = active_parameters(m);
  // A tied matrix is multiplied with as the head, so nothing of it is a look-up alone.
  const double E = m.tie_embeddings || m.kind == ModelKind::vit
                       ? 0
                       : static_cast<double>(m.vocab) * static_cast<double>(m.token_width());
  const auto figure = [](LineText text, double value, std::vector<Value> values) {
    return Figure{text, "FLOP", value, std::move(values)};
  };
  const Value passes{"f", f}, matrices{"M", t.matrices}, parameters{"N", N}, embedding{"E", E};
  return {
      figure({"causal", "causal", "f * M + 6 * C",
              "Megatron-LM megatron/training/training.py num_floating_point_operations: scores halved by the mask"},
             f * t.matrices + 6 * t.causal_core, {passes, matrices, {"C", t.causal_core}}),
      figure({"full", "full attention (Narayanan, Korthikanti)", "f * M + 6 * C",
              "Narayanan et al. 2021, arXiv:2104.04473 section 5.1 less its recompute; Korthikanti et al. 2022, "
              "arXiv:2205.05198 appendix A"},
             f * t.matrices + 6 * t.core, {passes, matrices, {"C", t.core}}),
      figure({"palm", "PaLM: all parameters, full attention", "f * N + 6 * C",
              "Chowdhery et al. 2022, arXiv:2204.02311 appendix B; llm-foundry, nanoGPT"},
             f * N + 6 * t.core, {passes, parameters, {"C", t.core}}),
      figure({"palm_without_embedding", "the same without input embedding", "f * (N - E) + 6 * C",
              "torchtitan/models/utils.py; NeMo 24.07; MLPerf Training's constant for Llama 3.1 405B"},
             f * (N - E) + 6 * t.core, {passes, parameters, embedding, {"C", t.core}}),
      figure({"causal_without_embedding", "the same, causal", "f * (N - E) + 6 * C",
              "Megatron-Bridge performance summaries; MLPerf Training's constant for Llama 3.1 8B"},
             f * (N - E) + 6 * t.causal_core, {passes, parameters, embedding, {"C", t.causal_core}}),
      figure({"six_n", "6 N: no attention", "f * N",
              "Kaplan et al. 2020, arXiv:2001.08361 section 2.1 with all parameters; FlagPerf"},
             f * N, {passes, parameters}),
      figure({"six_n_without_embedding", "6 N without input embedding", "f * (N - E)",
              "Kaplan et al. 2020, arXiv:2001.08361 section 2.1, head included"},
             f * (N - E), {passes, parameters, embedding}),
      figure({"hardware", "hardware: what is executed (HFU)", "f * M + c * C + 2 * R",
              "Korthikanti et al. 2022, arXiv:2205.05198 section 6.3; flash-attention "
              "benchmarks/benchmark_flash_attention.py"},
             f * t.matrices + t.core_passes * t.executed_core + 2 * t.again,
             {passes, matrices, {"c", t.core_passes}, {"C", t.executed_core}, {"R", t.again}}),
      figure({"hardware_full", "hardware, full attention (SC21, BigScience, OPT)", "f * M + 6 * C + 2 * R",
              "Narayanan et al. 2021, arXiv:2104.04473 section 5.1: 96 B s l h^2 (1 + s/6h + V/16lh) under full "
              "recompute; about 8 N + 16 L h s"},
             f * t.matrices + 6 * t.core + 2 * t.again_full_core,
             {passes, matrices, {"C", t.core}, {"R", t.again_full_core}}),
  };
}

}  // namespace meshgauge
