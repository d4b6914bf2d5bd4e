#include "native/harness/nccl_communicator.hpp"

#include <cuda_runtime.h>
#include <nccl.h>

#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "native/harness/clock.hpp"
#include "native/harness/cuda_check.hpp"
#include "native/harness/device.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/nccl_types.hpp"

namespace meshgauge::harness {
namespace {

static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));

[[noreturn]] void fail(const std::string& what, ncclResult_t result, ncclComm_t comm) {
  std::string text = what + ": " + ncclGetErrorString(result) + '.';
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 13, 0)
  const char* detail = ncclGetLastError(comm);
  if (detail && *detail) text += std::string(" NCCL says: ") + detail;
#endif
  throw Failure(text + " Set NCCL_DEBUG=WARN for more.");
}

/// One event that two queues are ordered by.
class Order {
 public:
  Order() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate"); }
  ~Order() { cudaEventDestroy(event_); }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  void between(cudaStream_t first, cudaStream_t second) {
    check(cudaEventRecord(event_, first), "cudaEventRecord");
    check(cudaStreamWaitEvent(second, event_, 0), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class NcclCommunicator final : public Communicator {
 public:
  /// `connect` makes the communicator; it returns when the other ranks have come.
  template <class Connect>
  NcclCommunicator(const NcclOptions& options, const char* call, Connect&& connect) : options_(options) {
    check(cudaGetDevice(&device_), "cudaGetDevice");
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "cudaDeviceGetStreamPriorityRange");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest), "cudaStreamCreate");
    run(call, [&] { return connect(comm_); });
    if (!comm_) return;  // this rank has no part in it
    run("ncclCommUserRank", [&] { return ncclCommUserRank(comm_, &rank_); });
    run("ncclCommCount", [&] { return ncclCommCount(comm_, &size_); });
    check(cudaMalloc(&token_, sizeof(int)), "cudaMalloc");
    check(cudaMemsetAsync(token_, 0, sizeof(int), stream_), "cudaMemset");
  }

  ~NcclCommunicator() override {
    if (graph_) cudaGraphExecDestroy(graph_);
    if (comm_ && std::uncaught_exceptions() > 0) {
      ncclCommAbort(comm_);  // a rank that has failed is not waited for
    } else if (comm_) {
      forget_buffers();
      cudaStreamSynchronize(stream_);
      ncclCommDestroy(comm_);
    }
    cudaFree(token_);
    cudaStreamDestroy(stream_);
  }

  [[nodiscard]] bool part_of_it() const { return comm_ != nullptr; }
  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::string_view backend() const override { return "nccl"; }
  [[nodiscard]] bool supports(ElementType) const override { return true; }
  [[nodiscard]] bool supports(ElementType type, ReduceOp) const override {
    if (type != ElementType::f8e4m3 && type != ElementType::f8e5m2) return true;
    int major = 0;  // NCCL reduces fp8 from sm_90 on
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device_), "cudaDeviceGetAttribute");
    return nccl_has_fp8 && major >= 9;
  }

  void group_begin() override {
    run("ncclGroupStart", [] { return ncclGroupStart(); });
  }
  void group_end() override {
    run("ncclGroupEnd", [] { return ncclGroupEnd(); });
  }

  void start_after(const Device& device) override {
    before_.between(static_cast<cudaStream_t>(device.queue()), stream_);
  }
  void finish_before(const Device& device) override {
    after_.between(stream_, static_cast<cudaStream_t>(device.queue()));
  }

  [[nodiscard]] bool captures() const override { return true; }
  void begin_capture() override {
    check(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  }
  void end_capture() override {
    cudaGraph_t recorded = nullptr;
    check(cudaStreamEndCapture(stream_, &recorded), "cudaStreamEndCapture");
    if (graph_) check(cudaGraphExecDestroy(std::exchange(graph_, nullptr)), "cudaGraphExecDestroy");
    const cudaError_t made = cudaGraphInstantiateWithFlags(&graph_, recorded, 0);
    cudaGraphDestroy(recorded);
    check(made, "cudaGraphInstantiate");
  }
  void launch() override { check(cudaGraphLaunch(graph_, stream_), "cudaGraphLaunch"); }

  void register_buffer(void* data, std::size_t bytes, Registration kind) override {
    if (kind == Registration::local) {
      void* handle = nullptr;
      run("ncclCommRegister", [&] { return ncclCommRegister(comm_, data, bytes, &handle); });
      registered_.push_back(handle);
    } else if (kind == Registration::symmetric) {
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
      ncclWindow_t window = nullptr;
      run("ncclCommWindowRegister",
          [&] { return ncclCommWindowRegister(comm_, data, bytes, &window, NCCL_WIN_COLL_SYMMETRIC); });
      windows_.push_back(window);
#else
      throw Failure("Symmetric windows need NCCL 2.27; this was built with " + std::to_string(NCCL_MAJOR) + '.' +
                    std::to_string(NCCL_MINOR) + '.');
#endif
    }
  }
  void forget_buffers() override {
    if (!comm_) return;
    for (void* handle : std::exchange(registered_, {})) ncclCommDeregister(comm_, handle);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
    for (const ncclWindow_t window : std::exchange(windows_, {})) {
      ncclCommWindowDeregister(comm_, window);
    }
#endif
  }

  [[nodiscard]] bool test() override {
    const cudaError_t state = cudaStreamQuery(stream_);
    if (state == cudaSuccess) return true;
    static_cast<void>(cudaGetLastError());  // "not ready" would stay as the last error
    if (state != cudaErrorNotReady) check(state, "cudaStreamQuery");
    ncclResult_t result = ncclSuccess;
    if (const ncclResult_t asked = ncclCommGetAsyncError(comm_, &result); asked != ncclSuccess) result = asked;
    if (result != ncclSuccess && result != ncclInProgress) abort_for("A rank or its network has failed", result);
    return false;
  }

  void wait() override {
    const double started = now_seconds();
    while (!test()) {
      if (options_.timeout_seconds > 0 && now_seconds() - started > options_.timeout_seconds) {
        abort_for("The ranks have not finished within " + std::to_string(static_cast<int>(options_.timeout_seconds)) +
                      " s (--timeout): one is lost or silent",
                  ncclInProgress);
      }
      std::this_thread::yield();  // NCCL's own threads need the processor
    }
  }

  /// NCCL has none: a sum of one element that all have to bring.
  void barrier() override {
    run("ncclAllReduce", [&] { return ncclAllReduce(token_, token_, 1, ncclInt32, ncclSum, comm_, stream_); });
    wait();
  }

  [[nodiscard]] std::unique_ptr<Communicator> split(int colour, int key) override {
    auto part = std::make_unique<NcclCommunicator>(options_, "ncclCommSplit", [&](ncclComm_t& comm) {
      return ncclCommSplit(comm_, colour < 0 ? NCCL_SPLIT_NOCOLOR : colour, key, &comm, nullptr);
    });
    if (!part->part_of_it()) return nullptr;
    return part;
  }

 private:
  template <class Call>
  void run(const char* name, Call&& call) {
    if (const ncclResult_t result = call(); result != ncclSuccess) fail(name, result, comm_);
  }

  [[noreturn]] void abort_for(const std::string& reason, ncclResult_t result) {
    ncclComm_t lost = std::exchange(comm_, nullptr);
    std::string detail = ncclGetLastError(lost);
    ncclCommAbort(lost);
    throw Failure(reason + (result == ncclInProgress ? "" : std::string(": ") + ncclGetErrorString(result)) + '.' +
                  (detail.empty() ? "" : " NCCL says: " + detail));
  }

  void do_all_reduce(const void* send, void* receive, std::size_t count, ElementType type, ReduceOp op) override {
    run("ncclAllReduce",
        [&] { return ncclAllReduce(send, receive, count, nccl_type(type), nccl_op(op), comm_, stream_); });
  }
  void do_all_gather(const void* send, void* receive, std::size_t count, ElementType type) override {
    run("ncclAllGather", [&] { return ncclAllGather(send, receive, count, nccl_type(type), comm_, stream_); });
  }
  void do_reduce_scatter(const void* send, void* receive, std::size_t count, ElementType type, ReduceOp op) override {
    run("ncclReduceScatter",
        [&] { return ncclReduceScatter(send, receive, count, nccl_type(type), nccl_op(op), comm_, stream_); });
  }
  void do_broadcast(const void* send, void* receive, std::size_t count, ElementType type, int root) override {
    run("ncclBroadcast", [&] { return ncclBroadcast(send, receive, count, nccl_type(type), root, comm_, stream_); });
  }
  void do_reduce(const void* send, void* receive, std::size_t count, ElementType type, ReduceOp op, int root) override {
    run("ncclReduce",
        [&] { return ncclReduce(send, receive, count, nccl_type(type), nccl_op(op), root, comm_, stream_); });
  }

  void do_send(const void* data, std::size_t count, ElementType type, int to) override {
    run("ncclSend", [&] { return ncclSend(data, count, nccl_type(type), to, comm_, stream_); });
  }
  void do_receive(void* data, std::size_t count, ElementType type, int from) override {
    run("ncclRecv", [&] { return ncclRecv(data, count, nccl_type(type), from, comm_, stream_); });
  }
  void do_send_receive(const void* send, int to, void* receive, int from, std::size_t count,
                       ElementType type) override {
    group_begin();
    do_send(send, count, type, to);
    do_receive(receive, count, type, from);
    group_end();
  }

  void do_all_to_all_uneven(const void* send, Parts to, void* receive, Parts from, ElementType type) override {
    with_each_peer([&](int peer, std::size_t i) {
      if (to.counts[i] > 0) do_send(at(send, to.offsets[i], type), to.counts[i], type, peer);
      if (from.counts[i] > 0) do_receive(at(receive, from.offsets[i], type), from.counts[i], type, peer);
    });
  }
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
  void do_all_to_all(const void* send, void* receive, std::size_t count, ElementType type) override {
    run("ncclAlltoAll", [&] { return ncclAlltoAll(send, receive, count, nccl_type(type), comm_, stream_); });
  }
  void do_gather(const void* send, void* receive, std::size_t count, ElementType type, int root) override {
    run("ncclGather", [&] { return ncclGather(send, receive, count, nccl_type(type), root, comm_, stream_); });
  }
  void do_scatter(const void* send, void* receive, std::size_t count, ElementType type, int root) override {
    run("ncclScatter", [&] { return ncclScatter(send, receive, count, nccl_type(type), root, comm_, stream_); });
  }
#else
  void do_all_to_all(const void* send, void* receive, std::size_t count, ElementType type) override {
    with_each_peer([&](int peer, std::size_t i) {
      do_send(at(send, i * count, type), count, type, peer);
      do_receive(at(receive, i * count, type), count, type, peer);
    });
  }
  void do_gather(const void* send, void* receive, std::size_t count, ElementType type, int root) override {
    with_each_peer([&](int peer, std::size_t i) {
      if (rank_ == root) do_receive(at(receive, i * count, type), count, type, peer);
      if (peer == root) do_send(send, count, type, root);
    });
  }
  void do_scatter(const void* send, void* receive, std::size_t count, ElementType type, int root) override {
    with_each_peer([&](int peer, std::size_t i) {
      if (rank_ == root) do_send(at(send, i * count, type), count, type, peer);
      if (peer == root) do_receive(receive, count, type, root);
    });
  }
#endif

  template <class Work>
  void with_each_peer(Work&& work) {
    group_begin();
    for (int peer = 0; peer < size_; ++peer) work(peer, static_cast<std::size_t>(peer));
    group_end();
  }
  static const void* at(const void* data, std::size_t offset, ElementType type) {
    return static_cast<const std::byte*>(data) + offset * bytes_of(type);
  }
  static void* at(void* data, std::size_t offset, ElementType type) {
    return static_cast<std::byte*>(data) + offset * bytes_of(type);
  }

  NcclOptions options_;
  int device_ = 0, rank_ = 0, size_ = 1;
  cudaStream_t stream_ = nullptr;
  ncclComm_t comm_ = nullptr;
  Order before_, after_;
  cudaGraphExec_t graph_ = nullptr;
  void* token_ = nullptr;
  std::vector<void*> registered_;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  std::vector<ncclWindow_t> windows_;
#endif
};

ncclConfig_t config_of(const NcclOptions& options) {
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  if (!options.cta_policy) return config;
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 27, 0)
  config.CTAPolicy = static_cast<int>(*options.cta_policy);  // in the order of NCCL_CTA_POLICY_DEFAULT to _ZERO
  return config;
#else
  throw Failure("The policy of CTAs needs NCCL 2.27.");
#endif
}

}  // namespace

std::unique_ptr<Communicator> nccl_communicator(int rank, int size, const std::function<void(NcclId&)>& share,
                                                const NcclOptions& options) {
  ncclUniqueId id{};
  if (rank == 0) {
    if (const ncclResult_t made = ncclGetUniqueId(&id); made != ncclSuccess) fail("ncclGetUniqueId", made, nullptr);
  }
  NcclId bytes{};
  std::memcpy(bytes.data(), &id, bytes.size());
  share(bytes);
  std::memcpy(&id, bytes.data(), bytes.size());
  ncclConfig_t config = config_of(options);
  return std::make_unique<NcclCommunicator>(options, "ncclCommInitRank", [&](ncclComm_t& comm) {
    return ncclCommInitRankConfig(&comm, size, id, rank, &config);
  });
}

std::string nccl_version() {
  int version = 0;
  if (const ncclResult_t asked = ncclGetVersion(&version); asked != ncclSuccess) fail("ncclGetVersion", asked, nullptr);
  return "NCCL " + std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100) + '.' +
         std::to_string(version % 100);
}

}  // namespace meshgauge::harness
