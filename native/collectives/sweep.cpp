#include "native/collectives/sweep.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "core/scenario/words.hpp"
#include "native/collectives/table.hpp"
#include "native/harness/command.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/launch.hpp"

namespace meshgauge::harness {
namespace {

constexpr std::size_t gibibyte_of_memory = std::size_t{1} << 30U;

/// Bytes that each of the two buffers may have. A GPU keeps room for contexts and NCCL as nccl-tests does: 1 GiB for
/// each 16 GiB, at most 4, and 1 more.
std::size_t most_bytes(Runtime& runtime) {
  std::size_t free = runtime.device->free_bytes();
  if (runtime.device->is_gpu()) {
    const std::size_t reserved =
        std::min<std::size_t>((free + 16 * gibibyte_of_memory - 1) / (16 * gibibyte_of_memory), 4) + 1;
    free -= std::min(free, reserved * gibibyte_of_memory);
  } else {
    free = free / static_cast<std::size_t>(runtime.local_size) / 10 * 8;
  }
  return static_cast<std::size_t>(combined(runtime, static_cast<double>(free / 2), Average::least));
}

std::optional<double> least_bandwidth() {
  const auto text = environment_variable("NCCL_TESTS_MIN_BW");
  return text ? std::optional(std::atof(text->c_str())) : std::nullopt;
}

}  // namespace

Sweep::Sweep(Runtime& runtime, Operation op, CollectiveFlags flags)
    : runtime_(runtime), op_(op), flags_(std::move(flags)), member_(join_group(runtime, flags_)) {
  if (runtime_.leads()) {
    check_writable(flags_.common.json);
    check_writable(flags_.nccl_tests_json);
  }
  if (flags_.predict) model_ = model_of(runtime_);
  read_matrix();
  check_and_limit();
  if (!member_.takes_part) return;
  member_.group->one_by_one(true);
  const std::size_t capacity = request_of(flags_.most, flags_.types.front(), flags_.ops.front(), 0).layout.bytes();
  call_ = std::make_unique<Call>(*member_.group, *runtime_.device, std::max(capacity, flags_.most), flags_.unaligned);
  if (flags_.registration > 0) {
    const Registration kind = flags_.registration == 2 ? Registration::symmetric : Registration::local;
    for (Buffer* buffer : {&call_->send_buffer(), &call_->receive_buffer()}) {
      member_.group->register_buffer(buffer->data(), buffer->bytes(), kind);
    }
  }
}

/// Rank 0 reads for all: its node alone needs the file.
void Sweep::read_matrix() {
  const std::string& file = flags_.skew.matrix;
  if (file.empty() || op_ != Operation::alltoallv) return;
  std::string text;
  if (runtime_.leads()) {
    std::ifstream in(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
    if (!in.is_open() || in.bad()) throw BadInput("--matrix " + in_quotes(file) + " cannot be read.");
  }
  matrix_ = bytes_of_matrix(runtime_.gather(text).front(), file, flags_.skew.matrix_scale);
  const auto n = static_cast<std::size_t>(member_.group->size());
  if (matrix_.size() < n) {
    throw BadInput(
        fmt::format("--matrix {}: {} rows and columns are too few for {} ranks.", in_quotes(file), matrix_.size(), n));
  }
  const Traffic bytes = traffic_of(matrix_, ElementType::uint8, static_cast<int>(n));
  const std::size_t most = layout_of(bytes, ElementType::uint8, 0).bytes();
  if (!flags_.sizes_given) flags_.least = flags_.most = most;
  if (flags_.least != flags_.most || flags_.most < most) {
    throw BadInput(fmt::format(
        "--matrix {}: it says itself what is sent, {} bytes by the busiest rank. Leave out -b and -e, or make both at "
        "least that.",
        in_quotes(file), most));
  }
}

void Sweep::check_and_limit() {
  const Communicator& group = *member_.group;
  const int n = group.size();
  const std::string backend(group.backend());
  if (op_ == Operation::hypercube && !std::has_single_bit(static_cast<unsigned>(n))) {
    throw BadInput("hypercube needs a power of two of ranks, there are " + std::to_string(n) + ".");
  }
  if (has_root(op_) && flags_.root >= n) {
    throw BadInput("-r " + std::to_string(flags_.root) + " is no rank. Allowed: 0 to " + std::to_string(n - 1) +
                   ", -1 for each.");
  }
  if (flags_.skew.imbalance > n) {
    throw BadInput(fmt::format("--imbalance {:g}: over {} ranks the busiest cannot get more than {} times the mean.",
                               flags_.skew.imbalance, n, n));
  }
  if (flags_.graph_launches > 0 && op_ == Operation::hypercube) {
    throw BadInput("-G: hypercube copies between its steps, which no graph here holds. Allowed: 0.");
  }
  if (flags_.graph_launches > 0 && !group.captures()) {
    throw BadInput("-G " + std::to_string(flags_.graph_launches) + ": the backend " + backend +
                   " has no graphs. Allowed: 0.");
  }
  if (backend == "mpi" && flags_.registration > 0)
    flags_.notes.emplace_back("-R has no effect: MPI registers memory by itself");
  if (backend == "mpi" && flags_.cta_policy >= 0) flags_.notes.emplace_back("-x has no effect: it is NCCL's");
  const bool several = flags_.types.size() > 1 || flags_.ops.size() > 1;
  if (!reduces(op_)) flags_.ops = {ReduceOp::sum};
  if (!several &&
      (!group.supports(flags_.types[0]) || (reduces(op_) && !group.supports(flags_.types[0], flags_.ops[0])))) {
    throw BadInput(fmt::format("-d {} -o {}: the backend {} has no such {}.", name_of(flags_.types[0]),
                               name_of(flags_.ops[0]), backend, reduces(op_) ? "reduction" : "type"));
  }
  const std::size_t most = most_bytes(runtime_);
  if (flags_.most > most) {
    flags_.notes.push_back("Reducing maxBytes to " + std::to_string(most) + " due to memory limitation");
    flags_.most = most;
    flags_.least = std::min(flags_.least, most);
  }
}

Request Sweep::request_of(std::size_t bytes, ElementType type, ReduceOp op, int root) const {
  Request request{op_, {}, op, root, {}};
  const int n = member_.group->size();
  if (op_ == Operation::alltoallv) {
    request.traffic = matrix_.empty() ? traffic_of(bytes, type, n, flags_.skew) : traffic_of(matrix_, type, n);
    request.layout = layout_of(request.traffic, type, bytes);
  } else {
    request.layout = layout_of(op_, bytes, type, n);
  }
  return request;
}

std::vector<RankLine> Sweep::rank_lines() {
  const std::string mine = packed(
      {std::to_string(member_.colour), std::to_string(getpid()), host_name(), std::to_string(runtime_.local_rank),
       runtime_.device->address().empty() ? "0000:00:00" : runtime_.device->address(), runtime_.device->name()});
  std::vector<RankLine> lines;
  for (const std::string& text : runtime_.gather(mine)) {
    const std::vector<std::string> said = unpacked(text);
    lines.push_back({static_cast<int>(lines.size()), std::stoi(said[0]), std::stol(said[1]), said[2],
                     std::stoi(said[3]), said[4], said[5]});
  }
  return lines;
}

void Sweep::print(const std::string& text) const {
  if (!runtime_.leads() || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw Failure("Standard output takes no more.");
  }
}

int Sweep::run() {
  const std::vector<RankLine> ranks = rank_lines();
  print(head(op_, flags_,
             fmt::format("meshgauge-bench {} backend={} library={}", MESHGAUGE_VERSION, runtime_.backend,
                         runtime_.library_version)));
  print("# Using devices\n");
  for (const RankLine& rank : ranks) print(line_of(rank));
  if (member_.groups > 1) {
    print(fmt::format("# {} of {} groups of {} ranks, {} a node, {}\n", flags_.one_group ? 1 : member_.groups,
                      member_.groups, member_.route.size, member_.route.in_node(),
                      flags_.one_group ? "the others idle" : "all at once"));
  }
  if (flags_.predict && !model_ && runtime_.device->is_gpu()) {
    print("# No prediction: the catalog does not know this GPU. --gpu names one.\n");
  }
  print(columns(flags_));
  nccl_tests_json_ = std::make_unique<NcclTestsJson>(flags_, ranks);
  const int first_root = flags_.root < 0 ? 0 : flags_.root,
            last_root = flags_.root < 0 ? member_.group->size() - 1 : first_root;
  for (const ElementType type : flags_.types) {
    for (const ReduceOp op : flags_.ops) {
      if (!member_.group->supports(type) || (reduces(op_) && !member_.group->supports(type, op))) {
        print(fmt::format("# {} {} is not there with the backend {}\n", name_of(type), name_of(op), runtime_.backend));
        continue;
      }
      for (int root = first_root; root <= (has_root(op_) ? last_root : first_root); ++root) {
        warm_up(type, op, root);
        for (int cycle = 0; flags_.cycles == 0 || cycle < flags_.cycles; ++cycle) {
          for (const std::size_t bytes : sizes_of(flags_)) row(bytes, type, op, root);
        }
      }
    }
  }
  const double mean = halves_ > 0 ? bandwidths_ / halves_ : 0;
  if (flags_.memory && call_) {
    print(fmt::format("# {:<20} : {} B\n", "Buffers of a rank",
                      call_->send_buffer().bytes() + call_->receive_buffer().bytes()));
  }
  print(foot(op_, wrong_, mean, least_bandwidth()));
  if (call_) call_->group().forget_buffers();
  const Json environment = environment_of(runtime_);
  if (runtime_.leads() && !flags_.common.json.empty()) write_results(flags_.common.json, environment, records_);
  if (runtime_.leads() && !flags_.nccl_tests_json.empty()) {
    write_whole(flags_.nccl_tests_json, nccl_tests_json_->text(wrong_, mean, least_bandwidth()));
  }
  return wrong_ > 0 || too_slow(mean, least_bandwidth()) ? wrong_results : done;
}

void Sweep::warm_up(ElementType type, ReduceOp op, int root) {
  if (!call_) return;
  for (std::size_t bytes = flags_.least; bytes <= flags_.most; bytes *= 2) {
    runtime_.progress("warm-up");
    call_->ask(request_of(bytes, type, op, root));
    for (int i = 0; i < flags_.warm_up; ++i) call_->run(false, static_cast<std::size_t>(i));
    call_->wait();
    if (bytes == 0) break;
  }
}

void Sweep::row(std::size_t bytes, ElementType type, ReduceOp op, int root) {
  const Request request = request_of(bytes, type, op, root);
  const int n = member_.group->size();
  if (call_) call_->ask(request);
  const std::optional<double> prediction = predicted(model_, op_, request.layout, member_.route);
  print(row_start(op_, request));
  nccl_tests_json_->start_row(op_, request, flags_.iterations);
  std::vector<Measured> halves;
  for (const bool in_place : {false, true}) {
    runtime_.progress(fmt::format("{} of {} bytes", name_of(op_), request.layout.bytes()));
    if (call_ && flags_.checks > 0) call_->fill(in_place, 0);
    halves.push_back(measure(runtime_, call_.get(), flags_, in_place));
    const double seconds = halves.back().seconds;
    const double algbw = seconds > 0 ? counted_bytes(op_, request.layout, n) / seconds : 0;
    const double busbw = algbw * bus_factor(op_, n);
    std::optional<std::int64_t> wrong;
    if (flags_.checks > 0 && (!in_place || checked_in_place(op_))) wrong = count_wrong(in_place);
    wrong_ += wrong.value_or(0);
    bandwidths_ += busbw;
    ++halves_;
    print(row_half(halves.back(), flags_, algbw, busbw, wrong));
    nccl_tests_json_->add_half(in_place, halves.back(), flags_.cpu_time, algbw, busbw, wrong);
    keep(request, in_place, halves.back(), algbw, busbw, wrong, prediction);
  }
  print((flags_.timestamps ? "  " + time_of_day() : "") + "\n");
  print(below_row(halves, prediction));
}

std::int64_t Sweep::count_wrong(bool in_place) {
  for (int check = 0; check < flags_.checks; ++check) {
    ++round_;
    Wrong own;
    if (call_) {
      const int data = round_ * member_.groups + member_.colour;  // other data in each group
      call_->fill(in_place, data);
      runtime_.world->barrier();
      call_->run(in_place, 0);
      call_->wait();
      own = call_->check(in_place, data);
    } else {
      runtime_.world->barrier();
    }
    std::int64_t all = 0;
    const std::vector<std::string> reports = runtime_.gather(packed({std::to_string(own.count), own.first}));
    std::string first;
    for (std::size_t r = 0; r < reports.size(); ++r) {
      const std::vector<std::string> said = unpacked(reports[r]);
      const std::int64_t count = std::stoll(said[0]);
      if (count > 0 && first.empty()) first = fmt::format("rank {}: {}", r, said[1]);
      all += count;
    }
    if (all == 0) continue;
    if (runtime_.leads()) {
      fmt::print(stderr, "meshgauge-bench: {} wrong elements, {}. First, {}\n", all,
                 in_place ? "in place" : "out of place", first);
    }
    return all;
  }
  return 0;
}

void Sweep::keep(const Request& request, bool in_place, const Measured& measured, double algbw, double busbw,
                 std::optional<std::int64_t> wrong, std::optional<double> prediction) {
  Record record;
  record.kind = "collective";
  record.what = {{"operation", name_of(op_)},
                 {"type", name_of(request.layout.type)},
                 {"redop", reduces(op_) ? Json(name_of(request.reduce_op)) : Json(nullptr)},
                 {"root", has_root(op_) ? Json(request.root) : Json(nullptr)},
                 {"in_place", in_place},
                 {"count", request.layout.count},
                 {"group_size", member_.route.size},
                 {"ranks_per_node", member_.route.in_node()},
                 {"groups", flags_.one_group ? 1 : member_.groups},
                 {"split", flags_.split.empty() ? Json(nullptr) : Json(flags_.split)}};
  record.bytes = static_cast<double>(request.layout.bytes());
  record.time = measured.summary;
  record.algbw = algbw;
  record.busbw = busbw;
  record.wrong = wrong;
  record.predicted = prediction;
  const bool apart = flags_.samples == Samples::until_certain || flags_.each_iteration;
  record.more = {{"timing", apart ? "each" : "mean"},
                 {"iterations", apart ? Json(nullptr) : Json(flags_.iterations)},
                 {"aggregated", flags_.aggregated},
                 {"blocking", static_cast<int>(flags_.blocking)},
                 {"graph_launches", flags_.graph_launches},
                 {"registration", flags_.registration},
                 {"over_ranks", flags_.samples == Samples::until_certain ? 3 : static_cast<int>(flags_.average)}};
  records_.push_back(std::move(record));
}

}  // namespace meshgauge::harness
