// What a step holds, counted by its allocator, against the core's ledger: line by line, in every phase in which the
// core has the line alive.
#include "core/count/memory.hpp"

#include <map>
#include <set>

#include "core/count/overhead.hpp"
#include "tests/native/step/ranks.hpp"

namespace meshgauge::testing {
namespace {

using step::Job;

/// All lines of these categories are compared, and no line may be held that the core does not have, but for:
constexpr std::array compared_categories{Category::parameters,  Category::gradients, Category::optimizer,
                                         Category::activations, Category::logits,    Category::buffers};
/// Lines of the core that are libraries' scratch, not the step's: cuBLAS as PyTorch asks for it, Transformer Engine.
const std::set<std::string_view> only_counted{"cublas_workspace", "te_workspace"};
/// Of the transient lines these are of one tensor each, and compared too; the others are a layer's inside.
const std::set<std::string_view> compared_transients{
    "unsharded_gradients", "reduce_scatter_input", "reduce_bucket_copy", "tied_table_gradient", "fp32_gradient_shard"};
/// And these of a layer that is rebuilt, whose input is the checkpoint: eager PyTorch's rule, which has it once.
const std::set<std::string_view> rebuilt_lines{
    "norms", "norm_statistics", "attention_qkv", "attention_output", "attention_statistics", "mlp"};

/// Bytes of an element.
struct Widths {
  double stored, gradient, reduced, compute;
};
template <class F>
constexpr Widths widths_of{sizeof(typename F::Stored), sizeof(typename F::Gradient), sizeof(typename F::Reduced),
                           sizeof(typename F::Compute)};

/// How much longer the step's arrays are than their elements, for equal parts. From lengths alone.
class Padding {
 public:
  Padding(const step::ParameterList& list, const Job& job, const Widths& widths)
      : strategy_(job.strategy), replicas_(static_cast<std::size_t>(job.replicas())), widths_(widths) {
    for (const step::Parameter& p : list.all) all_ += p.elements;
    for (std::size_t unit = 0; unit < list.units(); ++unit) {
      units_.push_back(step::flat_of(list, list.of_unit(unit), 1).elements);
    }
  }

  /// Bytes of a ledger line on one rank.
  [[nodiscard]] double of(const LedgerLine& line) const {
    const std::string_view id = line.text.id;
    const auto d = static_cast<double>(replicas_);
    const bool states = id == "parameters" || id == "gradients";
    if (strategy_ == StrategyKind::zero1 && states) {
      return (id == "gradients" ? widths_.gradient : widths_.stored) * added(all_);
    }
    if (strategy_ == StrategyKind::zero2 && states) {
      return widths_.stored * added(all_) / (id == "gradients" ? d : 1);
    }
    if (strategy_ != StrategyKind::zero3) return 0;
    const double layer = added(units_.front()), root = added(units_.back());
    const double all = (static_cast<double>(units_.size() - 1) * layer + root) / d;
    if (states) return (id == "gradients" ? widths_.reduced : widths_.stored) * all;
    if (id == "gathered_units") return widths_.compute * value(line, "n") * layer;
    if (id == "gathered_root") return widths_.compute * root;
    if (id == "unsharded_gradients") return widths_.gradient * (layer + root);
    if (id == "reduce_scatter_input") return widths_.reduced * layer;
    return 0;
  }

 private:
  [[nodiscard]] double added(std::size_t n) const {
    return static_cast<double>((replicas_ - n % replicas_) % replicas_);
  }
  static double value(const LedgerLine& line, std::string_view symbol) {
    for (const Value& v : line.values) {
      if (v.symbol == symbol) return v.value;
    }
    return 0;
  }

  StrategyKind strategy_;
  std::size_t replicas_;
  Widths widths_;
  std::size_t all_ = 0;
  std::vector<std::size_t> units_;
};

/// The mean over ranks of what is held: optimizer states of parts that differ by an element, too.
double mean_held(std::size_t mine) {
  auto sum = static_cast<std::int64_t>(mine);
  world().all_reduce(&sum, &sum, 1, ElementType::int64, ReduceOp::sum);
  world().wait();
  return static_cast<double>(sum) / static_cast<double>(ranks());
}

bool is_compared(Category category, std::string_view id) {
  if (category == Category::transient) return compared_transients.contains(id);
  return std::find(compared_categories.begin(), compared_categories.end(), category) != compared_categories.end() &&
         !only_counted.contains(id);
}

/// What is saved of the first layer when its backward begins; the core has it as one line.
template <class F>
void compare_first_layer(TestJob<F>& trained, const Ledger& ledger) {
  std::size_t held = 0;
  for (const auto& [key, line] : trained.allocator().lines()) {
    const bool apart = key.second == "token_ids" || key.second == "autocast_copies";  // lines of their own
    const bool of_layer = key.first == Category::activations && !apart;
    if (of_layer) held += line.peaks[static_cast<std::size_t>(Phase::reduce)];
  }
  for (const LedgerLine& line : ledger.lines) {
    if (line.text.id == std::string_view("first_layer")) CHECK(static_cast<double>(held) == line.bytes.value);
  }
}

/// Returns how many lines were compared.
template <class F>
std::size_t compare_memory_in(const Job& job) {
  TestJob<F> trained(job);
  for (int i = 0; i < 2; ++i) static_cast<void>(trained.step(StepBatches(job, static_cast<std::uint64_t>(i)).mine));
  Ledger ledger;
  count_memory(trained.scenario(), OverheadConstants{}, 0, ledger);
  const Padding padding(trained.parameters(), job, widths_of<F>);

  std::map<step::Allocator::Key, double> most_counted;  // an id may have a line for each of several phases
  std::size_t compared = 0;
  for (const LedgerLine& line : ledger.lines) {
    const std::string_view id = line.text.id;
    if (!is_compared(line.category, id)) continue;
    ++compared;
    double& most = most_counted[{line.category, id}];
    most = std::max(most, line.bytes.value + padding.of(line));
    for (std::size_t i = 0; i < phase_count; ++i) {
      const auto phase = static_cast<Phase>(i);
      if (!line.phases.has(phase)) continue;
      INFO(id << " in phase " << name_of(phase));
      const double held = mean_held(trained.allocator().peak(line.category, id, phase));
      CHECK(whole(held - padding.of(line)).value == line.bytes.value);
    }
  }
  for (const auto& [key, line] : trained.allocator().lines()) {
    const auto& [category, id] = key;
    const std::size_t most = *std::max_element(line.peaks.begin(), line.peaks.end());
    if (!is_compared(category, id) || most == 0) continue;
    INFO(id << " is held");
    REQUIRE(most_counted.contains(key));
    constexpr double rounding = 0.5;                            // of the core's lines, to whole bytes
    CHECK(mean_held(most) <= most_counted.at(key) + rounding);  // in no other phase more
  }
  compare_first_layer(trained, ledger);
  return compared;
}

std::size_t compare_memory(const Job& job) {
  return step::with_formats(job, [&]<class F>() { return compare_memory_in<F>(job); });
}

TEST_CASE("A rebuilt layer holds what the lines of the core's ledger say, to the byte") {
  Job job;
  job.model = small_gpt(3, 35, 5, 257);
  job.ranks = ranks();
  job.sequence = 9;
  job.micro_batch = 2;
  job.recompute = true;
  job.kernels = Kernels::eager;
  TestJob<> trained(job);
  static_cast<void>(trained.step(StepBatches(job, 1).mine));
  Ledger ledger;
  count_memory(trained.scenario(), OverheadConstants{}, 0, ledger);
  std::size_t compared = 0;
  for (const LedgerLine& line : ledger.lines) {
    if (line.category != Category::transient || !rebuilt_lines.contains(line.text.id)) continue;
    ++compared;
    for (const Phase phase : {Phase::backward, Phase::reduce}) {
      INFO(line.text.id << " in phase " << name_of(phase));
      CHECK(static_cast<double>(trained.allocator().peak(line.category, line.text.id, phase)) == line.bytes.value);
    }
  }
  CHECK(compared == rebuilt_lines.size());
}

struct Case {
  ModelShape model;
  StrategyKind strategy;
  std::int64_t sequence, micro_batch, accumulation;
  bool recompute;
};

ModelShape untied(ModelShape model) {
  model.tie_embeddings = false;
  return model;
}

/// Hidden sizes 35 and 21, and vocabularies of odd length where the engine does not pad it, are divided by no number of
/// ranks. Megatron's zero1 pads the vocabulary to a multiple of 128, which the core counts.
std::vector<Case> cases() {
  using enum StrategyKind;
  const ModelShape gpt = small_gpt(3, 32, 4, 256), uneven = small_gpt(2, 35, 5, 257), deep = small_gpt(6, 16, 2, 128);
  const ModelShape llama = small_llama(3, 24, 52, 6, 2, 131), multi_query = small_llama(2, 32, 40, 8, 1, 256);
  const ModelShape odd = untied(small_gpt(3, 21, 3, 101));
  std::vector<Case> list;
  for (const StrategyKind strategy : {ddp, zero1, zero2, zero3}) {
    list.push_back({gpt, strategy, 16, 1, 1, false});
    list.push_back({uneven, strategy, 9, 2, 1, false});
    list.push_back({uneven, strategy, 7, 1, 3, true});
    list.push_back({odd, strategy, 5, 3, 2, false});
    list.push_back({llama, strategy, 11, 2, 1, false});
    list.push_back({llama, strategy, 13, 1, 2, true});
    list.push_back({multi_query, strategy, 8, 4, 1, false});
    list.push_back({deep, strategy, 16, 1, 1, true});
  }
  return list;
}

Job job_of(const Case& c) {
  Job job;
  job.model = c.model;
  job.strategy = c.strategy;
  job.ranks = ranks();
  job.sequence = c.sequence;
  job.micro_batch = c.micro_batch;
  job.accumulation = c.accumulation;
  job.recompute = c.recompute;
  return job;
}

TEST_CASE("A step holds what the lines of the core's ledger say, to the byte") {
  REQUIRE(cases().size() >= 20);
  for (const Case& c : cases()) {
    INFO(c.model.id << " of hidden size " << c.model.hidden << " under " << name_of(c.strategy) << ", " << c.sequence
                    << " tokens, " << c.micro_batch << " x " << c.accumulation << (c.recompute ? ", rebuilt" : ""));
    CHECK(compare_memory(job_of(c)) >= (c.recompute ? 6 : 11));
  }
}

TEST_CASE("A step in bf16, pure or mixed, holds what the lines of the core's ledger say, to the byte") {
  for (const Case& c : cases()) {
    const bool tied = c.model.tie_embeddings;
    if (c.model.hidden != 35 && (tied || c.model.hidden != 21)) continue;
    for (const Precision precision : {Precision::pure_bf16, Precision::bf16}) {
      Job job = job_of(c);
      job.precision = precision;
      INFO(name_of(precision) << " under " << name_of(c.strategy) << (c.recompute ? ", rebuilt" : ""));
      CHECK(compare_memory(job) >= (c.recompute ? 6 : 11));
    }
  }
}

TEST_CASE("Tensor-parallel ranks hold what the lines of the core's ledger say, to the byte") {
  if (ranks() % 2 != 0) return;
  for (const ModelShape& model :
       {small_gpt(3, 32, 4, 256), untied(small_gpt(2, 24, 4, 512)), small_llama(3, 24, 52, 6, 2, 256)}) {
    for (const StrategyKind strategy :
         {StrategyKind::ddp, StrategyKind::zero1, StrategyKind::zero2, StrategyKind::zero3}) {
      for (const bool sequence_parallel : {true, false}) {
        for (const bool recompute : {true, false}) {
          Job job = job_of({model, strategy, 12, 2, 2, recompute});
          job.tensor = 2;
          job.sequence_parallel = sequence_parallel;
          job.precision = recompute ? Precision::fp32 : Precision::bf16;
          // Alone, a replica of DeepSpeed's or FSDP's has nothing to reduce or gather.
          if (job.replicas() == 1 && strategy != StrategyKind::ddp && strategy != StrategyKind::zero1) continue;
          INFO(model.id << " under " << name_of(strategy) << (sequence_parallel ? ", sequence parallel" : "")
                        << (recompute ? ", rebuilt" : ""));
          CHECK(compare_memory(job) >= (recompute ? 6 : 11));
        }
      }
    }
  }
}

}  // namespace
}  // namespace meshgauge::testing
