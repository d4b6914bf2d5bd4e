// Groups of CPU ranks over MPI.
#pragma once

#include <memory>

#include "native/harness/communicator.hpp"

namespace meshgauge::harness {

/// MPI for as long as it lives; one a process. Errors become Failures instead of aborts.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] std::unique_ptr<Communicator> world() const;
  /// "Open MPI 4.1.4".
  [[nodiscard]] static std::string library_version();
  /// Ends all ranks at once, from whichever calls it.
  [[noreturn]] static void abort(int status);
};

}  // namespace meshgauge::harness
