// The command suite: all that calibration needs, part by part, in one results file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>
#include <string>

#include "native/harness/clock.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/suite/command.hpp"
#include "native/suite/journal.hpp"
#include "native/suite/plan.hpp"

namespace meshgauge::harness {
namespace {

struct SuiteFlags {
  CommonOptions common;
  SuiteScope scope;
  double time_limit_seconds = 0;  ///< 0: none
  bool dry_run = false, fresh = false;
};

std::string time_text(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return fmt::format("{:.0f} min", seconds / 60);
}

/// What rank 0 says, on every rank.
std::string from_first(Runtime& runtime, const std::string& said) {
  return runtime.gather(runtime.leads() ? said : "").front();
}

double total(std::span<const Part> parts) {
  double seconds = 0;
  for (const Part& part : parts) seconds += part.seconds;
  return seconds;
}

void print_plan(const Runtime& runtime, std::span<const Part> parts) {
  fmt::print("{} rank{} on {} node{}, backend {}, each on {}\n", runtime.size, runtime.size == 1 ? "" : "s",
             runtime.nodes, runtime.nodes == 1 ? "" : "s", runtime.backend, runtime.device->name());
  for (const Part& part : parts) fmt::print("  {:<28} {:>8}  {}\n", part.id, time_text(part.seconds), part.title);
  fmt::print("{} parts, about {} in all\n", parts.size(), time_text(total(parts)));
}

/// What must be the same for parts to belong together.
Json identity(const Json& environment, const SuiteFlags& flags) {
  Json json;
  for (const char* name : {"backend", "library", "ranks", "nodes", "ranks_per_node", "device", "shares_gpu"}) {
    json[name] = environment[name];
  }
  json["quick"] = flags.scope.quick;
  json["model"] = {{"id", flags.scope.model},
                   {"tp", flags.scope.tensor_parallel},
                   {"micro_batch", flags.scope.micro_batch},
                   {"sequence", flags.scope.sequence}};
  return json;
}

/// Parts, one after the other, with what is left to do on standard error.
class Run {
 public:
  Run(Runtime& runtime, const SuiteFlags& flags, std::vector<Part> parts)
      : runtime_(runtime), flags_(flags), parts_(std::move(parts)), environment_(environment_of(runtime)) {
    if (!runtime_.leads()) return;
    if (flags.fresh) Journal::start_afresh(flags.common.json);
    journal_.emplace(flags.common.json, identity(environment_, flags));
  }

  int all() {
    int status = done;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const Part& part = parts_[i];
      const std::string decision = from_first(runtime_, runtime_.leads() ? decide(i) : "");
      if (decision == "stop") break;
      if (decision == "skip") continue;
      runtime_.progress(part.title);
      const double start = now_seconds();
      const int ended = part.run(runtime_, runtime_.leads() ? journal_->file_of(part) : "");
      if (ended != done) status = ended;
      Guess& guess = guesses_[part.kind];
      guess.spent += now_seconds() - start;
      guess.guessed += part.seconds;
    }
    if (runtime_.leads()) write();
    return status;
  }

 private:
  struct Guess {
    double spent = 0, guessed = 0;  ///< seconds of the parts that have been measured
  };
  /// The guess, corrected by how wrong it was for the parts before.
  [[nodiscard]] double seconds_of(const Part& part) const {
    const auto known = guesses_.find(part.kind);
    return part.seconds * (known == guesses_.end() ? 1 : known->second.spent / known->second.guessed);
  }
  [[nodiscard]] double left(std::size_t from) const {
    double seconds = 0;
    for (std::size_t i = from; i < parts_.size(); ++i) {
      if (!journal_->has(parts_[i])) seconds += seconds_of(parts_[i]);
    }
    return seconds;
  }

  [[nodiscard]] std::string decide(std::size_t i) const {
    const Part& part = parts_[i];
    const std::string head = fmt::format("[{:>2}/{}] {}", i + 1, parts_.size(), part.title);
    if (journal_->has(part)) {
      fmt::print(stderr, "{}: measured before\n", head);
      return "skip";
    }
    const double limit = flags_.time_limit_seconds, soon = seconds_of(part);
    if (limit > 0 && now_seconds() - begin_ + soon > limit) {
      fmt::print(stderr, "{}: not begun, it takes about {} and --time-limit is near\n", head, time_text(soon));
      return "stop";
    }
    fmt::print(stderr, "{}; about {} left\n", head, time_text(left(i)));
    return "measure";
  }

  void write() const {
    Json records = Json::array(), missing = Json::array();
    for (const Part& part : parts_) {
      const Json list = journal_->records_of(part);
      if (!list.is_array()) missing.push_back(part.id);
      for (const Json& record : list.is_array() ? list : Json::array()) records.push_back(record);
    }
    const bool complete = missing.empty();
    const std::size_t absent = missing.size();
    const Json document = {{"schema_version", 1},
                           {"environment", environment_},
                           {"suite", {{"complete", complete}, {"quick", flags_.scope.quick}, {"missing", missing}}},
                           {"records", records}};
    write_whole(flags_.common.json, document.dump(1) + '\n');
    fmt::print(stderr, "{} records in {}\n", records.size(), flags_.common.json);
    if (complete) return journal_->remove();
    fmt::print(stderr, "Not complete: {} of {} parts are missing. The same command again measures them.\n", absent,
               parts_.size());
  }

  Runtime& runtime_;
  const SuiteFlags& flags_;
  std::vector<Part> parts_;
  Json environment_;
  std::optional<Journal> journal_;
  double begin_ = now_seconds();
  std::map<std::string, Guess> guesses_;  ///< by kind
};

int with_plan(Runtime& runtime, const SuiteFlags& flags) {
  std::vector<Part> parts = plan_of(runtime, flags.scope);
  if (flags.dry_run) {
    if (runtime.leads()) print_plan(runtime, parts);
    return done;
  }
  if (runtime.leads()) check_writable(flags.common.json);
  return Run(runtime, flags, std::move(parts)).all();
}

}  // namespace

int run_suite(std::string_view name, std::span<const std::string> arguments) {
  SuiteFlags flags;
  flags.common.json = "meshgauge-suite.json";
  CLI::App app("Measures what calibration needs: collectives, products, copies, steps. Goes on after a break.",
               "meshgauge-bench " + std::string(name));
  add_common_flags(app, flags.common);
  app.add_flag("--dry-run", flags.dry_run, "only show what would be measured and about how long it takes");
  app.add_option("--time-limit", flags.time_limit_seconds, "begin nothing that would end after this: 90s, 10m, 2h")
      ->transform(CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}}))
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--quick", flags.scope.quick, "few sizes and shapes: to see that all works");
  app.add_flag("--fresh", flags.fresh, "forget what an interrupted run of the same --json has measured");
  app.add_option("--model", flags.scope.model, "measure the products of this model of the catalog too");
  app.add_option("--tp", flags.scope.tensor_parallel, "tensor parallel size (with --model)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--micro-batch", flags.scope.micro_batch, "sequences (with --model)")->check(CLI::Range(1, 1'000'000));
  app.add_option("--seq", flags.scope.sequence, "tokens of a sequence (with --model)")
      ->check(CLI::Range(1, 100'000'000));
  if (const std::optional<int> status = read_flags(app, arguments)) return *status;
  if (flags.common.json.empty()) throw BadInput("--json: a suite needs a file for its results.");
  return with_ranks(flags.common, [&](Runtime& runtime) { return with_plan(runtime, flags); });
}

}  // namespace meshgauge::harness
