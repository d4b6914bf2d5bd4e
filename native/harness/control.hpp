// Small values between ranks over TCP, beside the backend, and the watch over ranks that are lost or silent.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "native/harness/socket.hpp"

namespace meshgauge::harness {

class Control {
 public:
  virtual ~Control() = default;
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  /// The values of all ranks, by rank. Every rank calls.
  [[nodiscard]] virtual std::vector<std::string> gather(std::string_view mine) = 0;
  void barrier() { (void)gather(""); }
  /// Says that this rank goes on, and with what.
  virtual void progress(std::string_view what) = 0;
  /// Ends all ranks with this status; the reason is said once.
  [[noreturn]] virtual void abort(int status, const std::string& reason) = 0;

 protected:
  Control() = default;
};

/// How the ranks of one start find each other.
struct Meeting {
  int rank = 0, size = 1;
  std::string run_id;              ///< of this start alone: what else answers at the port is not ours
  double timeout_seconds = 120;    ///< to come together, and later without progress; 0: for ever
  Socket listener;                 ///< of rank 0
  std::vector<std::string> hosts;  ///< of the others: addresses of rank 0, to be tried in this order,
  std::vector<int> ports;          ///< at each of these
};

/// Returns when all ranks are there. Throws Failure that names those that are not.
[[nodiscard]] std::unique_ptr<Control> meet(Meeting);

/// Several texts as one, and back.
[[nodiscard]] std::string packed(const std::vector<std::string>&);
[[nodiscard]] std::vector<std::string> unpacked(std::string_view);

}  // namespace meshgauge::harness
