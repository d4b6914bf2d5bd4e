#include "native/step/attention_kernel.hpp"
#include "native/step/cuda_backend.cuh"
#include "native/step/measure.hpp"

namespace meshgauge::step {
namespace {

/// cuBLAS' own for Hopper and later; smaller GPUs take 4 MiB (cuBLAS documentation, cublasSetWorkspace).
constexpr std::size_t workspace_bytes = 32U << 20U;

void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw harness::Failure(std::string(call) + ": " + cublasGetStatusString(status) + '.');
}

}  // namespace

CudaBackend::CudaBackend(harness::Device& device, int) : device_(device) {
  check(cublasCreate(&handle_), "cublasCreate");
  check(cublasSetStream(handle_, queue()), "cublasSetStream");
  workspace_ = device.allocate(workspace_bytes);
  check(cublasSetWorkspace(handle_, workspace_, workspace_bytes), "cublasSetWorkspace");
}

CudaBackend::~CudaBackend() {
  cublasDestroy(handle_);
  device_.release(workspace_);
}

void CudaBackend::multiply(const Product& p, const float* a, const float* b, float* c) {
  multiply(p, a, b, c, CUDA_R_32F, CUDA_R_32F);
}

void CudaBackend::multiply(const Product& p, const Bfloat16* a, const Bfloat16* b, Bfloat16* c) {
  multiply(p, a, b, c, CUDA_R_16BF, CUDA_R_16BF);
}

void CudaBackend::multiply(const Product& p, const Bfloat16* a, const Bfloat16* b, float* c) {
  multiply(p, a, b, c, CUDA_R_16BF, CUDA_R_32F);
}

/// cuBLAS stores columns: row major C = A B is column major C^T = B^T A^T.
void CudaBackend::multiply(const Product& p, const void* a, const void* b, void* c, cudaDataType type,
                           cudaDataType result) {
  if (!computes) return;
  const auto size = [](std::size_t n) { return static_cast<int>(n); };
  const auto stride = [](std::size_t n) { return static_cast<long long>(n); };
  const auto alpha = static_cast<float>(p.alpha), beta = static_cast<float>(p.beta);
  check(cublasGemmStridedBatchedEx(handle_, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N,
                                   p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N, size(p.n), size(p.m), size(p.k), &alpha,
                                   b, type, size(p.ldb), stride(p.stride_b), a, type, size(p.lda), stride(p.stride_a),
                                   &beta, c, result, size(p.ldc), stride(p.stride_c), size(p.batch), CUBLAS_COMPUTE_32F,
                                   CUBLAS_GEMM_DEFAULT),
        "cublasGemmStridedBatchedEx");
}

Measured measure_on_gpu(harness::Runtime& runtime, const MeasurePlan& plan) {
  return measure<CudaBackend>(runtime, plan);
}

std::unique_ptr<AttentionKernel> attention_on_gpu(harness::Runtime& runtime, const AttentionShape& shape,
                                                  AttentionDirection direction, bool half) {
  return attention_of<CudaBackend>(runtime, shape, direction, half);
}

}  // namespace meshgauge::step
