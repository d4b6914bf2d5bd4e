#include "native/harness/mpi_types.hpp"

#include <algorithm>
#include <array>

#include "native/harness/half.hpp"

namespace meshgauge::harness {
namespace {

Bfloat16 narrow(float x, Bfloat16) { return to_bfloat16(x); }
Half narrow(float x, Half) { return to_half(x); }

template <class Narrow, ReduceOp op>
void reduce_narrow(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const Narrow*>(in);
  auto* b = static_cast<Narrow*>(in_out);
  for (int i = 0; i < *count; ++i) {
    const float x = to_float(a[i]), y = to_float(b[i]);
    float r = x + y;
    if constexpr (op == ReduceOp::prod) r = x * y;
    if constexpr (op == ReduceOp::min) r = std::min(x, y);
    if constexpr (op == ReduceOp::max) r = std::max(x, y);
    b[i] = narrow(r, Narrow{});
  }
}

/// Made once and kept until the process ends, as MPI's own are.
template <class Narrow>
MPI_Op narrow_op(ReduceOp op) {
  static const std::array<MPI_Op, 4> ops = [] {
    std::array<MPI_Op, 4> list{};
    MPI_Op_create(&reduce_narrow<Narrow, ReduceOp::sum>, 1, &list[0]);
    MPI_Op_create(&reduce_narrow<Narrow, ReduceOp::prod>, 1, &list[1]);
    MPI_Op_create(&reduce_narrow<Narrow, ReduceOp::min>, 1, &list[2]);
    MPI_Op_create(&reduce_narrow<Narrow, ReduceOp::max>, 1, &list[3]);
    return list;
  }();
  return ops[op == ReduceOp::avg ? 0 : static_cast<std::size_t>(op)];
}

template <class T>
void divide_all(void* data, std::size_t count, int ranks) {
  auto* x = static_cast<T*>(data);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<T>(x[i] / static_cast<T>(ranks));
}

template <class Narrow>
void divide_narrow(void* data, std::size_t count, int ranks) {
  auto* x = static_cast<Narrow*>(data);
  for (std::size_t i = 0; i < count; ++i) x[i] = narrow(to_float(x[i]) / static_cast<float>(ranks), Narrow{});
}

}  // namespace

MPI_Datatype mpi_type(ElementType type) {
  switch (type) {
    case ElementType::int8:
      return MPI_INT8_T;
    case ElementType::uint8:
    case ElementType::f8e4m3:
    case ElementType::f8e5m2:
      return MPI_UINT8_T;
    case ElementType::int32:
      return MPI_INT32_T;
    case ElementType::uint32:
      return MPI_UINT32_T;
    case ElementType::int64:
      return MPI_INT64_T;
    case ElementType::uint64:
      return MPI_UINT64_T;
    case ElementType::half:
    case ElementType::bfloat16:
      return MPI_UINT16_T;
    case ElementType::float32:
      return MPI_FLOAT;
    case ElementType::float64:
      return MPI_DOUBLE;
  }
  return MPI_BYTE;
}

MPI_Op mpi_op(ElementType type, ReduceOp op) {
  if (type == ElementType::bfloat16) return narrow_op<Bfloat16>(op);
  if (type == ElementType::half) return narrow_op<Half>(op);
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::avg:
      return MPI_SUM;
    case ReduceOp::prod:
      return MPI_PROD;
    case ReduceOp::min:
      return MPI_MIN;
    case ReduceOp::max:
      return MPI_MAX;
  }
  return MPI_SUM;
}

bool mpi_reduces(ElementType type) { return type != ElementType::f8e4m3 && type != ElementType::f8e5m2; }

void divide(void* data, std::size_t count, ElementType type, int ranks) {
  switch (type) {
    case ElementType::int8:
      return divide_all<std::int8_t>(data, count, ranks);
    case ElementType::uint8:
      return divide_all<std::uint8_t>(data, count, ranks);
    case ElementType::int32:
      return divide_all<std::int32_t>(data, count, ranks);
    case ElementType::uint32:
      return divide_all<std::uint32_t>(data, count, ranks);
    case ElementType::int64:
      return divide_all<std::int64_t>(data, count, ranks);
    case ElementType::uint64:
      return divide_all<std::uint64_t>(data, count, ranks);
    case ElementType::float32:
      return divide_all<float>(data, count, ranks);
    case ElementType::float64:
      return divide_all<double>(data, count, ranks);
    case ElementType::half:
      return divide_narrow<Half>(data, count, ranks);
    case ElementType::bfloat16:
      return divide_narrow<Bfloat16>(data, count, ranks);
    case ElementType::f8e4m3:
    case ElementType::f8e5m2:
      return;
  }
}

}  // namespace meshgauge::harness
