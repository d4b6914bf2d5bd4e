#include <cblas.h>

#include <climits>
#include <string>

#include "native/harness/failure.hpp"
#include "native/kernels/cpu_cache.hpp"
#include "native/kernels/operands.hpp"
#include "native/kernels/product.hpp"

namespace meshgauge::harness {
namespace {

class CpuProduct final : public Product {
 public:
  CpuProduct(Device& device, const ProductShape& shape, int threads)
      : shape_(shape),
        sets_(sets_of(bytes_of(shape, MatmulFormat::fp32), cpu_cache_bytes())),
        a_(operand(device, shape.m * shape.k, 1)),
        b_(operand(device, shape.k * shape.n, 2)),
        c_(device, sets_ * shape.groups * shape.m * shape.n * sizeof(float)) {
    openblas_set_num_threads(threads);
  }

  void launch() override {
    const std::size_t set = turn_++ % sets_;
    for (std::size_t group = set * shape_.groups; group < (set + 1) * shape_.groups; ++group) {
      const auto m = size(shape_.m), n = size(shape_.n), k = size(shape_.k);
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1, at(a_, group * shape_.m * shape_.k), k,
                  at(b_, group * shape_.k * shape_.n), k, 0, at(c_, group * shape_.m * shape_.n), n);
    }
  }

  [[nodiscard]] Operands first_set() const override { return {a_.data(), b_.data(), c_.data()}; }

 private:
  [[nodiscard]] Buffer operand(Device& device, std::size_t elements, unsigned seed) const {
    return random_operands(device, MatmulFormat::fp32, sets_ * shape_.groups * elements * sizeof(float), seed);
  }
  static blasint size(std::size_t n) {
    if (n > static_cast<std::size_t>(INT_MAX)) throw BadInput("OpenBLAS takes no side of " + std::to_string(n) + '.');
    return static_cast<blasint>(n);
  }
  static float* at(const Buffer& buffer, std::size_t element) { return static_cast<float*>(buffer.data()) + element; }

  ProductShape shape_;
  std::size_t sets_, turn_ = 0;
  Buffer a_, b_, c_;
};

}  // namespace

std::unique_ptr<Product> cpu_product(Device& device, const ProductShape& shape, int threads) {
  return std::make_unique<CpuProduct>(device, shape, threads);
}

}  // namespace meshgauge::harness
