// What the global batch is made of, and rules of thumb for the learning rate that goes with another one.
#include "core/launch/batch.hpp"

#include <cmath>

namespace meshgauge {
namespace {

bool is_adaptive(Optimizer optimizer) {
  return optimizer == Optimizer::adamw || optimizer == Optimizer::adamw_8bit || optimizer == Optimizer::adafactor ||
         optimizer == Optimizer::lion;
}

std::optional<double> scaled(const std::optional<double>& rate, const std::optional<double>& factor) {
  if (!rate || !factor) return std::nullopt;
  return *rate * *factor;
}

/// Linear in the batch, for SGD.
BatchHint linear(const BatchReference& r, const std::optional<double>& k) {
  return {"linear_scaling",
          "lr * k",
          "learning rate",
          scaled(r.learning_rate, k),
          "Goyal et al. 2017, arXiv:1706.02677 section 2.1",
          "Derived for SGD with momentum, and shown for ResNet-50 up to 8,192 images; needs warm-up, and stops to hold "
          "where the batch passes the gradient noise scale."};
}

BatchHint variance(const BatchReference& r, const std::optional<double>& root) {
  return {"square_root_scaling",
          "lr * sqrt(k)",
          "learning rate",
          scaled(r.learning_rate, root),
          "Krizhevsky 2014, arXiv:1404.5997",
          "Keeps the variance of the update; its author then found linear scaling to work better for SGD up to batches "
          "of 1,024. The careful choice for SGD beyond what was tried."};
}

std::vector<BatchHint> adam_rules(const BatchReference& r, const std::optional<double>& k,
                                  const std::optional<double>& root) {
  constexpr std::string_view source = "Malladi et al. 2022, arXiv:2205.10287";
  const auto beta = [&](double b) -> std::optional<double> {
    if (!k || *k * (1 - b) > 1) return std::nullopt;  // the averaging would be shorter than one step
    return 1 - *k * (1 - b);
  };
  return {
      {"adam_square_root_scaling", "lr * sqrt(k)", "learning rate", scaled(r.learning_rate, root), source,
       "Holds as long as the gradient's noise outweighs the gradient; beyond the noise scale a larger rate only "
       "destabilises."},
      {"adam_beta1", "1 - k * (1 - beta1)", "beta1", beta(r.beta1), source,
       "Goes with the square root rule; no value exists for k above 1 / (1 - beta1)."},
      {"adam_beta2", "1 - k * (1 - beta2)", "beta2", beta(r.beta2), source,
       "Goes with the square root rule; no value exists for k above 1 / (1 - beta2). Most recipes leave the betas."},
      {"lamb", "lr * sqrt(k), warm-up * k", "learning rate", scaled(r.learning_rate, root),
       "You et al. 2019, arXiv:1904.00962",
       "For LAMB, whose layer-wise rates let BERT train in batches of 32,868; plain Adam needs the rule above."}};
}

BatchHint efficiency(double batch, double noise) {
  return {"noise_scale_efficiency",
          "1 / (1 + B / B_noise)",
          "share of the samples' worth that is kept",
          1 / (1 + batch / noise),
          "McCandlish et al. 2018, arXiv:1812.06162 section 2",
          "B_noise is measured and grows while the loss falls: a batch too large at the start may be right at the end. "
          "At B = B_noise twice the fewest samples and twice the fewest steps are needed."};
}

BatchHint warm_up(bool adaptive) {
  if (adaptive) {
    return {
        "warm_up",
        "linear from 0 to lr",
        "steps",
        2000,
        "Llama 2, arXiv:2307.09288 section 2.2 (2,000 steps); GPT-3, arXiv:2005.14165 appendix B (375M tokens)",
        "What large runs did, not a law: longer for larger batches or rates, and at least some 2 / (1 - beta2) steps "
        "for Adam's averages to fill (Ma and Yarats 2019, arXiv:1910.04209)."};
  }
  return {"warm_up",
          "linear from lr to lr * k",
          "epochs",
          5,
          "Goyal et al. 2017, arXiv:1706.02677 section 2.2",
          "For the linear rule above on ImageNet."};
}

}  // namespace

std::vector<BatchHint> batch_hints(const Scenario& s, const BatchReference& reference) {
  const auto batch = static_cast<double>(s.training.global_batch_size);
  std::optional<double> k, root;
  if (reference.global_batch) {
    k = batch / *reference.global_batch;
    root = std::sqrt(*k);
  }
  const bool adaptive = is_adaptive(s.training.optimizer);
  std::vector<BatchHint> hints;
  if (adaptive) {
    hints = adam_rules(reference, k, root);
  } else if (s.training.optimizer != Optimizer::muon) {  // nobody has published a rule for it
    hints = {linear(reference, k), variance(reference, root)};
  }
  if (reference.noise_scale) hints.push_back(efficiency(batch, *reference.noise_scale));
  hints.push_back(warm_up(adaptive || s.training.optimizer == Optimizer::muon));
  return hints;
}

}  // namespace meshgauge
