#include "native/harness/control.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "native/harness/clock.hpp"
#include "native/harness/failure.hpp"
#include "native/harness/star.hpp"

namespace meshgauge::harness {
namespace {

/// One rank needs nobody.
class Alone final : public Control {
 public:
  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override { return {std::string(mine)}; }
  void progress(std::string_view) override {}
  [[noreturn]] void abort(int status, const std::string& reason) override {
    std::fflush(stdout);
    std::fprintf(stderr, "meshgauge-bench: %s\n", reason.c_str());
    _exit(status);
  }
};

std::string who_am_i(int rank) {
  return "rank " + std::to_string(rank) + " (process " + std::to_string(getpid()) + " on " + host_name() + ")";
}

std::vector<Peer> receive_all(Meeting& meeting, double deadline) {
  std::vector<Peer> peers(static_cast<std::size_t>(meeting.size - 1));
  std::size_t missing = peers.size();
  while (missing > 0) {
    Socket socket = accept_until(meeting.listener, deadline);
    if (!socket.open() && now_seconds() >= deadline) {
      std::string absent;
      for (std::size_t i = 0; i < peers.size(); ++i) {
        if (!peers[i].socket.open()) absent += (absent.empty() ? "" : ", ") + std::to_string(i + 1);
      }
      throw Failure("After " + std::to_string(static_cast<int>(meeting.timeout_seconds)) + " s (--timeout) of " +
                    std::to_string(meeting.size) + " ranks there are missing: " + absent +
                    ". Were they started, and can they reach port " + std::to_string(port_of(meeting.listener)) +
                    " of this node?");
    }
    if (!socket.open()) continue;
    // A stranger that says nothing must not keep the others waiting.
    const auto message = receive_message(socket, std::min(deadline, now_seconds() + 2));
    if (!message || message->kind != hello) continue;
    const std::vector<std::string> said = unpacked(message->text);
    if (said.size() != 3 || said[0] != meeting.run_id) continue;
    const std::size_t rank = std::strtoul(said[1].c_str(), nullptr, 10);
    if (rank < 1 || rank > peers.size()) continue;
    Peer& peer = peers[rank - 1];
    if (peer.socket.open())
      throw Failure("Two processes say that they are rank " + said[1] + ": " + peer.who + ", " + said[2]);
    if (!send_message(socket, {welcome, packed({meeting.run_id, who_am_i(0)})})) continue;
    peer.socket = std::move(socket);
    peer.who = said[2];
    --missing;
  }
  return peers;
}

std::vector<Peer> reach_first(const Meeting& meeting, double deadline) {
  const Message greeting{hello, packed({meeting.run_id, std::to_string(meeting.rank), who_am_i(meeting.rank)})};
  do {
    for (const int port : meeting.ports) {
      for (const std::string& host : meeting.hosts) {
        Socket socket = connect_to(host, port, 2);
        if (!socket.open() || !send_message(socket, greeting)) continue;
        const auto answer = receive_message(socket, now_seconds() + 5);
        if (!answer || answer->kind != welcome) continue;
        const std::vector<std::string> said = unpacked(answer->text);
        if (said.size() != 2 || said[0] != meeting.run_id) continue;
        std::vector<Peer> peers(1);
        peers[0].socket = std::move(socket);
        peers[0].who = said[1];
        return peers;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  } while (now_seconds() < deadline);
  std::string hosts;
  for (const std::string& host : meeting.hosts) hosts += (hosts.empty() ? "" : ", ") + host;
  throw Failure("Rank " + std::to_string(meeting.rank) + " found no rank 0 in " +
                std::to_string(static_cast<int>(meeting.timeout_seconds)) + " s (--timeout) at " + hosts + ", port " +
                std::to_string(meeting.ports.front()) + " to " + std::to_string(meeting.ports.back()) +
                ". Was it started, and is the port open? MASTER_ADDR and MESHGAUGE_PORT say where it listens.");
}

}  // namespace

std::unique_ptr<Control> meet(Meeting meeting) {
  if (meeting.size == 1) return std::make_unique<Alone>();
  const double deadline = now_seconds() + (meeting.timeout_seconds > 0 ? meeting.timeout_seconds : 1e9);
  std::vector<Peer> peers = meeting.rank == 0 ? receive_all(meeting, deadline) : reach_first(meeting, deadline);
  return star(meeting.rank, meeting.timeout_seconds, std::move(peers));
}

std::string packed(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += std::to_string(text.size()) + ':' + text;
  return all;
}

std::vector<std::string> unpacked(std::string_view all) {
  std::vector<std::string> texts;
  while (!all.empty()) {
    std::size_t length = 0;
    const auto [stop, error] = std::from_chars(all.data(), all.data() + all.size(), length);
    const auto digits = static_cast<std::size_t>(stop - all.data());
    if (error != std::errc{} || digits >= all.size() || *stop != ':' || length > all.size() - digits - 1) return {};
    texts.emplace_back(all.substr(digits + 1, length));
    all.remove_prefix(digits + 1 + length);
  }
  return texts;
}

}  // namespace meshgauge::harness
