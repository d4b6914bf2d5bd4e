#include "native/step/cpu_backend.hpp"

#include <cblas.h>

namespace meshgauge::step {
namespace {

void one(const Product& p, const float* a, const float* b, float* c) {
  const auto size = [](std::size_t n) { return static_cast<blasint>(n); };
  cblas_sgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans, p.transpose_b ? CblasTrans : CblasNoTrans,
              size(p.m), size(p.n), size(p.k), static_cast<float>(p.alpha), a, size(p.lda), b, size(p.ldb),
              static_cast<float>(p.beta), c, size(p.ldc));
}

void one(const Product& p, const double* a, const double* b, double* c) {
  const auto size = [](std::size_t n) { return static_cast<blasint>(n); };
  cblas_dgemm(CblasRowMajor, p.transpose_a ? CblasTrans : CblasNoTrans, p.transpose_b ? CblasTrans : CblasNoTrans,
              size(p.m), size(p.n), size(p.k), p.alpha, a, size(p.lda), b, size(p.ldb), p.beta, c, size(p.ldc));
}

template <class T>
void each_of_batch(const Product& p, const T* a, const T* b, T* c) {
  for (std::size_t i = 0; i < p.batch; ++i) one(p, a + i * p.stride_a, b + i * p.stride_b, c + i * p.stride_c);
}

/// Rows without their gaps.
void widen_rows(const Bfloat16* from, std::size_t rows, std::size_t columns, std::size_t stride,
                std::vector<float>& to) {
  to.resize(rows * columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) to[i * columns + j] = widen(from[i * stride + j]);
  }
}

}  // namespace

CpuBackend::CpuBackend(harness::Device& device, int threads) : device_(device) { openblas_set_num_threads(threads); }

void CpuBackend::multiply(const Product& p, const float* a, const float* b, float* c) {
  if (!computes) return;
  each_of_batch(p, a, b, c);
  between();
}

void CpuBackend::multiply(const Product& p, const double* a, const double* b, double* c) {
  if (!computes) return;
  each_of_batch(p, a, b, c);
  between();
}

void CpuBackend::multiply(const Product& p, const Bfloat16* a, const Bfloat16* b, Bfloat16* c) {
  if (!computes) return;
  Product wide = dense(p.m, p.n, p.k, p.transpose_a, p.transpose_b, p.beta);
  wide.alpha = p.alpha;
  for (std::size_t i = 0; i < p.batch; ++i) {
    widen_rows(a + i * p.stride_a, p.transpose_a ? p.k : p.m, wide.lda, p.lda, wide_a_);
    widen_rows(b + i * p.stride_b, p.transpose_b ? p.n : p.k, wide.ldb, p.ldb, wide_b_);
    Bfloat16* out = c + i * p.stride_c;
    widen_rows(out, p.m, p.n, p.ldc, wide_c_);
    one(wide, wide_a_.data(), wide_b_.data(), wide_c_.data());
    for (std::size_t row = 0; row < p.m; ++row) {
      for (std::size_t j = 0; j < p.n; ++j) out[row * p.ldc + j] = narrow<Bfloat16>(wide_c_[row * p.n + j]);
    }
  }
  between();
}

void CpuBackend::multiply(const Product& p, const Bfloat16* a, const Bfloat16* b, float* c) {
  if (!computes) return;
  Product wide = p;
  wide.lda = p.transpose_a ? p.m : p.k;
  wide.ldb = p.transpose_b ? p.k : p.n;
  for (std::size_t i = 0; i < p.batch; ++i) {
    widen_rows(a + i * p.stride_a, p.transpose_a ? p.k : p.m, wide.lda, p.lda, wide_a_);
    widen_rows(b + i * p.stride_b, p.transpose_b ? p.n : p.k, wide.ldb, p.ldb, wide_b_);
    one(wide, wide_a_.data(), wide_b_.data(), c + i * p.stride_c);
  }
  between();
}

}  // namespace meshgauge::step
