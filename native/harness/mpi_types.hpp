// MPI's names for our elements, and reductions of the 16-bit types that it lacks.
#pragma once

#include <mpi.h>

#include "native/harness/element.hpp"

namespace meshgauge::harness {

[[nodiscard]] MPI_Datatype mpi_type(ElementType);
/// `avg` is a sum: MPI has no mean.
[[nodiscard]] MPI_Op mpi_op(ElementType, ReduceOp);
[[nodiscard]] bool mpi_reduces(ElementType);
/// Each element over `ranks`; integers towards zero.
void divide(void* data, std::size_t count, ElementType, int ranks);

}  // namespace meshgauge::harness
