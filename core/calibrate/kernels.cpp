#include "core/calibrate/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/calibrate/factors.hpp"
#include "core/price/gemm.hpp"
#include "core/price/logarithm.hpp"

namespace meshgauge {
namespace {

using Shape = std::tuple<MatmulFormat, double, double, double, double>;  // format, m, n, k, groups

struct MeasuredProduct {
  MatmulFormat format;
  double m, n, k, groups;
  Seconds seconds;
};

constexpr std::size_t fewest_products = 4;

/// Of each shape once, in order, whatever files they come from.
std::vector<MeasuredProduct> products_of(const std::vector<ImportedRun>& runs) {
  std::map<Shape, std::vector<double>> times;
  for (const ImportedRun& run : runs) {
    for (const Measurement& measurement : run.measurements) {
      const auto* kernel = std::get_if<MeasuredKernel>(&measurement.what);
      if (kernel == nullptr || kernel->call.op != KernelOp::gemm || kernel->seconds.value <= 0) continue;
      const KernelCall& c = kernel->call;
      if (c.m <= 0 || c.n <= 0 || c.k <= 0) continue;
      times[{c.format, c.m, c.n, c.k, c.groups}].push_back(kernel->seconds.value);
    }
  }
  std::vector<MeasuredProduct> products;
  for (const auto& [shape, seconds] : times) {
    const auto& [format, m, n, k, groups] = shape;
    products.push_back({format, m, n, k, groups, {median_of_different(seconds)}});
  }
  return products;
}

struct RateField {
  const char* name;
  FlopsPerSecond Profile::*rate;
};

RateField rate_field(MatmulFormat format) {
  switch (format) {
    case MatmulFormat::fp32:
      return {"matmul_fp32_flops_per_second", &Profile::matmul_fp32};
    case MatmulFormat::tf32:
      return {"matmul_tf32_flops_per_second", &Profile::matmul_tf32};
    case MatmulFormat::bf16:
    case MatmulFormat::fp16:
      break;
    case MatmulFormat::fp8:
      return {"matmul_fp8_flops_per_second", &Profile::matmul_fp8};
    case MatmulFormat::fp4:
      return {"matmul_fp4_flops_per_second", &Profile::matmul_fp4};
  }
  return {"matmul_16bit_flops_per_second", &Profile::matmul_16bit};
}

std::vector<Seconds> predictions(const Profile& profile, const std::vector<MeasuredProduct>& products) {
  std::vector<Seconds> times;
  for (const MeasuredProduct& p : products) times.push_back(gemm_time(profile, p.format, p.m, p.n, p.k, p.groups));
  return times;
}

/// What the sweep of a GPU is off by as a whole: its chip is cooler than in training, so only the shapes are compared.
double common_factor(const Cluster& cluster, const std::vector<double>& ratios) {
  return cluster.gpu.is_cpu() ? 1 : median(ratios);
}

/// The rates, then the table.
Profile fit_products(const Profile& base, const Cluster& cluster, const std::vector<MeasuredProduct>& all,
                     std::vector<FittedParameter>& parameters) {
  Profile profile = base;
  profile.measured.products.clear();
  std::map<MatmulFormat, std::vector<MeasuredProduct>> formats;
  for (const MeasuredProduct& p : all) formats[p.format].push_back(p);
  for (const auto& [format, products] : formats) {
    if (products.size() < fewest_products) continue;
    if (cluster.gpu.is_cpu()) {
      const RateField field = rate_field(format);
      constexpr double unknown = 3;
      std::vector<double> measured;
      for (const MeasuredProduct& p : products) measured.push_back(natural_log(p.seconds.value));
      const std::vector<double> priors{unknown, unknown};
      const auto with = [&](std::span<const double> logs) {
        Profile p = profile;
        p.*field.rate = p.*field.rate / exponential(logs[0]);
        p.gemm_depth *= exponential(logs[1]);
        return p;
      };
      const Factors factors = fit_factors(measured, priors, [&, &list = products](std::span<const double> logs) {
        std::vector<double> predicted;
        for (const Seconds t : predictions(with(logs), list)) predicted.push_back(natural_log(t.value));
        return predicted;
      });
      Profile refitted = with(factors.logs);
      parameters.push_back(
          {field.name, (profile.*field.rate).value, (refitted.*field.rate).value, exponential(factors.sigmas[0]) - 1});
      parameters.push_back({"gemm_depth", profile.gemm_depth, refitted.gemm_depth, exponential(factors.sigmas[1]) - 1});
      profile = std::move(refitted);
    }
    std::vector<double> ratios;
    const std::vector<Seconds> modelled = predictions(profile, products);
    for (std::size_t i = 0; i < products.size(); ++i) ratios.push_back(products[i].seconds / modelled[i]);
    const double common = common_factor(cluster, ratios);
    for (std::size_t i = 0; i < products.size(); ++i) {
      if (products[i].groups != 1) continue;
      profile.measured.products.push_back({format, products[i].m, products[i].n, products[i].k, ratios[i] / common});
    }
  }
  return profile;
}

struct Copy {
  double bytes = 0, rate = 0;
};

/// Bytes that a copy inside the device's memory reads and writes, and how many of them a second.
Copy copy_of(const Measurement& measurement) {
  if (const auto* link = std::get_if<MeasuredLink>(&measurement.what)) {
    if (link->kind == LinkKind::device_local) return {link->bytes, link->bandwidth.value};
  } else if (const auto* kernel = std::get_if<MeasuredKernel>(&measurement.what)) {
    const bool streams = kernel->call.op == KernelOp::copy || kernel->call.op == KernelOp::elementwise;
    if (streams && kernel->seconds.value > 0) return {kernel->call.bytes, kernel->call.bytes / kernel->seconds.value};
  }
  return {};
}

/// Of the largest copies (up to half as large), the fastest: small ones stay in a cache, few threads do not fill it.
double memory_bandwidth(const std::vector<ImportedRun>& runs) {
  std::vector<Copy> copies;
  for (const ImportedRun& run : runs) {
    for (const Measurement& measurement : run.measurements) copies.push_back(copy_of(measurement));
  }
  double largest = 0, rate = 0;
  for (const Copy& c : copies) largest = std::max(largest, c.bytes);
  for (const Copy& c : copies) rate = 2 * c.bytes >= largest ? std::max(rate, c.rate) : rate;
  return rate;
}

/// Predicted times as the sweep would see them.
std::vector<Seconds> in_sweep(const Cluster& cluster, const std::vector<MeasuredProduct>& products,
                              std::vector<Seconds> predicted) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < products.size(); ++i) ratios.push_back(products[i].seconds / predicted[i]);
  const double common = ratios.empty() ? 1 : common_factor(cluster, ratios);
  for (Seconds& t : predicted) t = common * t;
  return predicted;
}

}  // namespace

KernelFit fit_kernels(const Profile& base, const Cluster& cluster, const std::vector<ImportedRun>& runs) {
  KernelFit fit;
  fit.profile = base;
  const std::vector<MeasuredProduct> products = products_of(runs);
  const std::vector<Seconds> before = in_sweep(cluster, products, predictions(base, products));
  fit.error_before = errors_of(products, &MeasuredProduct::seconds, before);
  if (products.size() >= fewest_products) fit.profile = fit_products(base, cluster, products, fit.parameters);
  const std::vector<Seconds> after = in_sweep(cluster, products, predictions(fit.profile, products));
  fit.error_after = errors_of(products, &MeasuredProduct::seconds, after);
  for (std::size_t i = 0; i < products.size(); ++i) {
    const MeasuredProduct& p = products[i];
    fit.products.push_back({p.format, p.m, p.n, p.k, p.groups, p.seconds, before[i], after[i]});
  }
  if (products.size() >= 2 * fewest_products) {
    std::vector<MeasuredProduct> even, odd;
    for (std::size_t i = 0; i < products.size(); ++i) (i % 2 == 0 ? even : odd).push_back(products[i]);
    std::vector<FittedParameter> unused;
    const Profile half = fit_products(base, cluster, even, unused);
    fit.held_out = errors_of(odd, &MeasuredProduct::seconds, in_sweep(cluster, odd, predictions(half, odd)));
  }
  if (const double bandwidth = memory_bandwidth(runs); bandwidth > 0) {
    constexpr double repeatable = 0.05;
    fit.parameters.push_back({"hbm_bytes_per_second", base.hbm.value, bandwidth, repeatable});
    fit.profile.hbm = {bandwidth};
  }
  return fit;
}

}  // namespace meshgauge
