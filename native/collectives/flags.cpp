#include "native/collectives/flags.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>

#include "core/scenario/words.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

/// What is read as text first.
struct Words {
  std::string least = "32M", most = "32M", step = "1M", factor = "1", op = "sum", type = "float",
              samples = "nccl-tests";
  int cycles = 1, parallel_init = 0, stream_null = 0, device_implementation = 0, device_ctas = 16;
  int blocking = 0, average = 1;
  int check = 1;
};

[[noreturn]] void refuse(const std::string& flag, const std::string& value, const std::string& allowed) {
  throw BadInput(flag + " " + in_quotes(value) + ": " + allowed);
}

std::size_t size(const char* flag, const std::string& text) {
  const std::optional<std::size_t> bytes = size_of_text(text);
  if (!bytes) refuse(flag, text, "expected bytes, like 8, 64K, 38.3M or 1G (powers of 1024).");
  return *bytes;
}

template <class Enum>
std::vector<Enum> one_or_all(const char* flag, const std::string& text) {
  std::vector<Enum> list;
  if (text == "all") {
    for (std::size_t i = 0; i < all_names<Enum>().size(); ++i) list.push_back(static_cast<Enum>(i));
    return list;
  }
  const std::optional<Enum> one = from_name<Enum>(text);
  if (!one)
    refuse(flag, text, "expected " + list_text(all_names<Enum>()) + " or all." + did_you_mean(text, all_names<Enum>()));
  return {*one};
}

void add_nccl_tests_flags(CLI::App& app, CollectiveFlags& f, Words& w) {
  const auto at_least = [](int least) { return CLI::Range(least, 1'000'000'000); };
  app.add_option("-t,--nthreads", f.threads, "times -g: ranks to start without a launcher, one process each (1)")
      ->check(at_least(1));
  app.add_option("-g,--ngpus", f.gpus, "times -t: ranks to start without a launcher, one process each (1)")
      ->check(at_least(1));
  app.add_option("-b,--minbytes", w.least, "smallest size, K M G allowed (32M)");
  app.add_option("-e,--maxbytes", w.most, "largest size (32M)");
  app.add_option("-i,--stepbytes", w.step, "from one size to the next (1M)");
  app.add_option("-f,--stepfactor", w.factor, "over 1: multiply instead");
  app.add_option("-n,--iters", f.iterations, "timed iterations (20)")->check(at_least(1));
  app.add_option("-m,--agg_iters", f.aggregated, "operations of one iteration, as one group (1)")->check(at_least(1));
  app.add_option("-w,--warmup_iters", f.warm_up, "of each doubled size, not timed (1)")->check(at_least(0));
  app.add_option("-N,--run_cycles", f.cycles, "repeat the table (1; 0: until interrupted)")->check(at_least(0));
  app.add_option("-p,--parallel_init", w.parallel_init, "accepted: each rank is a process here")
      ->check(CLI::Range(0, 1));
  app.add_option("-c,--check", w.check, "checks of the data of each row (1; 0: none)")->check(at_least(0));
  app.add_option("-o,--op", w.op, "sum (default), prod, min, max, avg, all");
  app.add_option("-d,--datatype", w.type, "float (default), half, bfloat16, double, int8 ... f8e5m2, all");
  app.add_option("-r,--root", f.root, "of broadcast, reduce, gather, scatter (0; -1: each in turn)");
  app.add_option("-z,--blocking", w.blocking,
                 "1 wait and barrier after each operation, 2 wait alone, 3 wait and a "
                 "barrier that is not timed after each iteration (0)")
      ->check(CLI::Range(0, 3));
  app.add_option("-y,--stream_null", w.stream_null, "accepted: a stream of its own is used")->check(CLI::Range(0, 1));
  app.add_option("-T", f.common.timeout_seconds, "the same as --timeout")->check(CLI::Range(0.0, 1e6));
  app.add_option("-G,--cudagraph", f.graph_launches, "replay the iterations as a CUDA graph so often (0: none)")
      ->check(at_least(0));
  app.add_option("-C,--report_cputime", f.cpu_time, "1: time until the calls return")->check(CLI::Range(0, 1));
  app.add_option("-a,--average", w.average, "over ranks: 0 rank 0, 1 mean, 2 least, 3 most (1)")
      ->check(CLI::Range(0, 3));
  app.add_option("-R,--local_register", f.registration, "1 registered, 2 symmetric buffers (0)")
      ->check(CLI::Range(0, 2));
  app.add_option("-x,--cta_policy", f.cta_policy, "of NCCL: 0 default, 1 efficiency, 2 zero")->check(CLI::Range(0, 2));
  app.add_option("-D,--device_implementation", w.device_implementation, "0: NCCL's own (others are not here)");
  app.add_option("-V,--device_cta_count", w.device_ctas, "of -D")->check(CLI::Range(1, 127));
  app.add_option("-S,--report_timestamps", f.timestamps, "1: the time of day ends each row")->check(CLI::Range(0, 1));
  app.add_option("-J,--output_file", f.nccl_tests_json, "the table as nccl-tests' JSON");
  app.add_option("-M,--memory", f.memory, "1: memory of the buffers")->check(CLI::Range(0, 1));
  app.add_option("-u,--unalign", f.unaligned, "index of the first element in the buffers (0)")
      ->check(CLI::Range(0, 4096));
  app.add_option("-I,--per_iter_timing", f.each_iteration, "1: time each iteration, four more columns (0)")
      ->check(CLI::Range(0, 1));
  app.add_option("-K,--per_iter_skip", f.skipped, "of these, leave out the first (0)")->check(at_least(0));
}

void add_own_flags(Operation op, CLI::App& app, CollectiveFlags& f, Words& w) {
  app.add_option("--samples", w.samples,
                 "nccl-tests: the mean of -n iterations (default); auto: one by one, the "
                 "median, until it is certain to 1 %")
      ->check(CLI::IsMember({"nccl-tests", "auto"}));
  app.add_option("--split", f.split, "measure all groups at once: tp=8 of neighbours, dp=4 of ranks far apart");
  app.add_flag("--one-group", f.one_group, "only the first group of --split, the others idle");
  app.add_flag("!--no-predict", f.predict, "without the prediction below each row");
  if (op == Operation::alltoallv) {
    app.add_option("--spread", f.skew.spread, "0 equal parts to 1 parts that grow with the distance (1)")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--imbalance", f.skew.imbalance, "of experts: what the busiest rank gets over the mean")
        ->check(CLI::Range(1.0, 1e6));
    app.add_option("--matrix", f.skew.matrix,
                   "file of bytes from each rank (row) to each rank (column); one size alone");
    app.add_option("--matrix-scale", f.skew.matrix_scale, "times its numbers (1)")->check(CLI::Range(0.0, 1e12));
  }
}

void check_together(Operation op, CollectiveFlags& f, const Words& w) {
  if (f.least > f.most) {
    throw BadInput("-b " + w.least + " is more than -e " + w.most + ". Allowed: -b up to -e.");
  }
  if (f.factor < 2 && f.step == 0 && f.least < f.most) {
    throw BadInput("-i 0 never gets from -b to -e. Allowed: 1 and more, or -f 2.");
  }
  if (f.skipped >= f.iterations || (f.skipped > 0 && !f.each_iteration)) {
    throw BadInput("-K " + std::to_string(f.skipped) + " needs -I 1 and more iterations than that (-n " +
                   std::to_string(f.iterations) + ").");
  }
  if (f.graph_launches > 0 && (f.each_iteration || f.blocking != Blocking::none)) {
    throw BadInput("-G goes with neither -I nor -z: within a graph nothing waits and nothing is timed.");
  }
  if (f.samples == Samples::until_certain &&
      (f.graph_launches > 0 || f.each_iteration || f.blocking != Blocking::none)) {
    throw BadInput("--samples auto times each operation from barrier to end. It goes with none of -G, -I, -z.");
  }
  if (w.device_implementation != 0) {
    throw BadInput("-D " + std::to_string(w.device_implementation) +
                   ": kernels that use NCCL's device interface are not "
                   "here. Allowed: 0.");
  }
  if (f.root < -1) throw BadInput("-r " + std::to_string(f.root) + ": expected a rank, or -1 for each in turn.");
  if (f.one_group && f.split.empty()) throw BadInput("--one-group needs --split.");
  if (w.stream_null != 0) f.notes.emplace_back("-y 1 has no effect: operations have a stream of their own");
  if (w.parallel_init != 0) f.notes.emplace_back("-p 1 has no effect: each rank is a process and starts by itself");
  if (!reduces(op) && w.op != "sum") f.notes.push_back("-o " + w.op + " has no effect: nothing is reduced");
}

}  // namespace

std::optional<std::size_t> size_of_text(const std::string& text) {
  const char* end = text.data() + text.size();
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || !(number >= 0)) return std::nullopt;
  if (stop + 1 == end) {
    const std::size_t unit = std::string_view("kmg").find(static_cast<char>(*stop | 0x20));  // capitals or not
    if (unit == std::string_view::npos) return std::nullopt;
    number = std::ldexp(number, 10 * (static_cast<int>(unit) + 1));
  } else if (stop != end) {
    return std::nullopt;
  }
  if (number > 1e15) return std::nullopt;
  return static_cast<std::size_t>(number);
}

std::vector<std::size_t> sizes_of(const CollectiveFlags& f) {
  std::vector<std::size_t> sizes;
  for (std::size_t size = f.least; size <= f.most;) {
    sizes.push_back(size);
    const std::size_t next = f.factor > 1 ? size * static_cast<std::size_t>(f.factor) : size + f.step;
    if (next <= size) break;  // 0 times something
    size = next;
  }
  return sizes;
}

std::optional<int> read_collective_flags(Operation op, std::span<const std::string> arguments, CollectiveFlags& f) {
  CLI::App app("Measures " + std::string(name_of(op)) + ". The flags with one letter are those of nccl-tests.",
               "meshgauge-bench " + std::string(name_of(op)));
  Words words;
  add_nccl_tests_flags(app, f, words);
  add_own_flags(op, app, f, words);
  add_common_flags(app, f.common);
  if (const char* spread = std::getenv("NCCL_TESTS_ALLTOALLV_SPREAD")) f.skew.spread = std::atof(spread);
  if (const char* file = std::getenv("NCCL_TESTS_ALLTOALLV_MATRIX_FILE")) f.skew.matrix = file;
  if (const char* scale = std::getenv("NCCL_TESTS_ALLTOALLV_MATRIX_SCALE")) f.skew.matrix_scale = std::atof(scale);
  if (const auto status = read_flags(app, arguments)) return status;
  f.sizes_given = app.count("-b") + app.count("-e") > 0;
  f.least = size("-b", words.least);
  f.most = size("-e", words.most);
  f.step = size("-i", words.step);
  const char* end = words.factor.data() + words.factor.size();
  const auto [stop, error] = std::from_chars(words.factor.data(), end, f.factor);
  if (error != std::errc{} || stop != end || f.factor < 0)
    refuse("-f", words.factor, "expected a whole number of 2 or more.");
  if (words.op == "mulsum") refuse("-o", words.op, "sums of scaled operands are not here; sum and avg are.");
  f.ops = one_or_all<ReduceOp>("-o", words.op);
  f.types = one_or_all<ElementType>("-d", words.type);
  f.checks = words.check;
  f.blocking = static_cast<Blocking>(words.blocking);
  f.average = static_cast<Average>(words.average);
  f.samples = words.samples == "auto" ? Samples::until_certain : Samples::mean_of_iterations;
  check_together(op, f, words);
  if (f.cta_policy >= 0) f.common.cta_policy = static_cast<CtaPolicy>(f.cta_policy);
  f.common.registered_memory = f.registration > 0;
  if (f.common.ranks == 0) f.common.ranks = f.threads * f.gpus > 1 ? f.threads * f.gpus : 0;
  return std::nullopt;
}

}  // namespace meshgauge::harness
