// The control channel of several ranks, once they have met: rank 0 is connected to each other rank.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "native/harness/control.hpp"

namespace meshgauge::harness {

/// Of the messages between ranks.
enum Kind : std::uint8_t { hello = 1, welcome, part, whole, ping, pong, ending, bye };

/// The other end of a connection.
struct Peer {
  Socket socket;
  std::string who;  ///< "rank 2 (process 4711 on node7)"
  bool said_bye = false;
  double answered = 0;
  std::string doing;
  std::deque<std::string> inbox;
};

/// `peers` are all other ranks by number on rank 0, and rank 0 alone on the others.
[[nodiscard]] std::unique_ptr<Control> star(int rank, double timeout_seconds, std::vector<Peer> peers);

}  // namespace meshgauge::harness
