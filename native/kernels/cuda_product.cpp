#include <cublasLt.h>
#include <cuda_runtime.h>

#include <array>
#include <cstdint>
#include <string>

#include "native/harness/cuda_check.hpp"
#include "native/harness/failure.hpp"
#include "native/kernels/operands.hpp"
#include "native/kernels/product.hpp"

namespace meshgauge::harness {
namespace {

/// What NVIDIA recommends for Hopper (cuBLAS documentation, cublasSetWorkspace), and enough before it.
constexpr std::size_t workspace_bytes = std::size_t{32} << 20U;

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    throw Failure(std::string(call) + ": " + cublasLtGetStatusString(status) + '.');
  }
}

/// A handle of the library that is given back.
template <class Handle, cublasStatus_t (*destroy)(Handle)>
struct Owned {
  Handle handle = nullptr;
  Owned() = default;
  ~Owned() {
    if (handle) destroy(handle);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
};

template <class Value>
void set(cublasLtMatmulDesc_t description, cublasLtMatmulDescAttributes_t attribute, Value value) {
  check(cublasLtMatmulDescSetAttribute(description, attribute, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
}

struct Formats {
  cudaDataType_t in, out;
  cublasComputeType_t compute;
};
Formats formats_of(MatmulFormat format) {
  switch (format) {
    case MatmulFormat::bf16:
      return {CUDA_R_16BF, CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case MatmulFormat::fp16:
      return {CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case MatmulFormat::tf32:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32};
    case MatmulFormat::fp8:
      return {CUDA_R_8F_E4M3, CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case MatmulFormat::fp32:
    case MatmulFormat::fp4:
      return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
  }
  return {CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F};
}

/// cuBLAS stores columns: our rows x weights^T is its weights^T x rows, n x m, with the first operand transposed. The
/// layout of linear layers, and the only one that takes fp8.
class CudaProduct final : public Product {
 public:
  CudaProduct(Device& device, const ProductShape& shape, MatmulFormat format)
      : device_(device), stream_(static_cast<cudaStream_t>(device.queue())) {
    const Formats formats = formats_of(format);
    check(cublasLtCreate(&library_.handle), "cublasLtCreate");
    check(cublasLtMatmulDescCreate(&product_.handle, formats.compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    set(product_.handle, CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
    set(product_.handle, CUBLASLT_MATMUL_DESC_TRANSB, CUBLAS_OP_N);
    // As Transformer Engine runs the forward.
    if (format == MatmulFormat::fp8) set(product_.handle, CUBLASLT_MATMUL_DESC_FAST_ACCUM, std::int8_t{1});
    lay_out(weights_.handle, formats.in, shape.k, shape.n, shape.groups);
    lay_out(rows_.handle, formats.in, shape.k, shape.m, shape.groups);
    lay_out(results_.handle, formats.out, shape.n, shape.m, shape.groups);
    if (!choose_algorithm()) return;

    const auto in = static_cast<std::size_t>(operand_bytes(format)),
               out = static_cast<std::size_t>(result_bytes(format));
    weights_step_ = aligned(shape.groups * shape.k * shape.n * in);
    rows_step_ = aligned(shape.groups * shape.k * shape.m * in);
    results_step_ = aligned(shape.groups * shape.n * shape.m * out);
    int cache = 0, index = 0;
    harness::check(cudaGetDevice(&index), "cudaGetDevice");
    harness::check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, index), "cudaDeviceGetAttribute");
    sets_ = sets_of(bytes_of(shape, format), static_cast<std::size_t>(cache));
    weights_data_ = random_operands(device, format, sets_ * weights_step_, 1);
    rows_data_ = random_operands(device, format, sets_ * rows_step_, 2);
    results_data_ = Buffer(device, sets_ * results_step_);
    workspace_ = Buffer(device, workspace_bytes);
  }

  [[nodiscard]] bool possible() const { return sets_ > 0; }

  void launch() override {
    const std::size_t turn = turn_++ % sets_;
    const float one = 1, zero = 0;
    void* results = at(results_data_, turn * results_step_);
    check(
        cublasLtMatmul(library_.handle, product_.handle, &one, at(weights_data_, turn * weights_step_), weights_.handle,
                       at(rows_data_, turn * rows_step_), rows_.handle, &zero, results, results_.handle, results,
                       results_.handle, &algorithm_, workspace_.data(), workspace_bytes, stream_),
        "cublasLtMatmul");
  }
  void finish() override { device_.synchronize(); }
  [[nodiscard]] Operands first_set() const override {
    return {rows_data_.data(), weights_data_.data(), results_data_.data()};
  }

 private:
  static std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }
  static void* at(const Buffer& buffer, std::size_t byte) { return static_cast<std::byte*>(buffer.data()) + byte; }

  static void lay_out(cublasLtMatrixLayout_t& layout, cudaDataType_t type, std::size_t rows, std::size_t columns,
                      std::size_t groups) {
    check(cublasLtMatrixLayoutCreate(&layout, type, rows, columns, static_cast<std::int64_t>(rows)),
          "cublasLtMatrixLayoutCreate");
    const auto count = static_cast<std::int32_t>(groups);
    const auto step = static_cast<std::int64_t>(rows * columns);
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count),
          "cublasLtMatrixLayoutSetAttribute");
    check(cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof step),
          "cublasLtMatrixLayoutSetAttribute");
  }

  bool choose_algorithm() {
    Owned<cublasLtMatmulPreference_t, cublasLtMatmulPreferenceDestroy> preference;
    check(cublasLtMatmulPreferenceCreate(&preference.handle), "cublasLtMatmulPreferenceCreate");
    check(cublasLtMatmulPreferenceSetAttribute(preference.handle, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                               &workspace_bytes, sizeof workspace_bytes),
          "cublasLtMatmulPreferenceSetAttribute");
    cublasLtMatmulHeuristicResult_t best{};
    int found = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(library_.handle, product_.handle, weights_.handle, rows_.handle, results_.handle,
                                       results_.handle, preference.handle, 1, &best, &found);
    if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_INVALID_VALUE) return false;
    check(status, "cublasLtMatmulAlgoGetHeuristic");
    algorithm_ = best.algo;
    return found > 0 && best.state == CUBLAS_STATUS_SUCCESS;
  }

  Device& device_;
  cudaStream_t stream_;
  Owned<cublasLtHandle_t, cublasLtDestroy> library_;
  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> product_;
  Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy> weights_, rows_, results_;
  cublasLtMatmulAlgo_t algorithm_{};
  std::size_t weights_step_ = 0, rows_step_ = 0, results_step_ = 0, sets_ = 0, turn_ = 0;
  Buffer weights_data_, rows_data_, results_data_, workspace_;
};

}  // namespace

std::unique_ptr<Product> cuda_product(Device& device, const ProductShape& shape, MatmulFormat format) {
  auto product = std::make_unique<CudaProduct>(device, shape, format);
  if (!product->possible()) return nullptr;
  return product;
}

}  // namespace meshgauge::harness
