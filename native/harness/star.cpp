#include "native/harness/star.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <thread>

#include "native/harness/clock.hpp"
#include "native/harness/failure.hpp"

namespace meshgauge::harness {
namespace {

/// Seconds that a live rank may take to answer a ping: its watching thread does nothing else.
constexpr double longest_answer = 3;

/// A star: rank 0 holds a connection to each other rank, each other rank one to rank 0. A thread reads them all.
class Star final : public Control {
 public:
  Star(int rank, double timeout, std::vector<Peer> peers) : rank_(rank), timeout_(timeout), peers_(std::move(peers)) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Failure("No pipe for the watch over the ranks.");
    wake_read_ = Socket(ends[0]);
    wake_write_ = Socket(ends[1]);
    progress("start");
    watcher_ = std::thread([this] { watch(); });
  }

  ~Star() override {
    (void)gather("");  // nobody leaves before all are done, so that a connection that ends early means a lost rank
    {
      const std::scoped_lock lock(mutex_);
      closing_ = true;
      for (Peer& peer : peers_) (void)send_message(peer.socket, {bye, ""});
    }
    (void)!write(wake_write_.descriptor(), "", 1);
    watcher_.join();
  }

  [[nodiscard]] std::vector<std::string> gather(std::string_view mine) override {
    progress_keeping_label();
    if (rank_ != 0) {
      send_or_end(peers_[0], {part, std::string(mine)});
      return unpacked(next(peers_[0]));
    }
    std::vector<std::string> all{std::string(mine)};
    for (Peer& peer : peers_) all.push_back(next(peer));
    const std::string text = packed(all);
    for (Peer& peer : peers_) send_or_end(peer, {whole, text});
    return all;
  }

  void progress(std::string_view what) override {
    const std::scoped_lock lock(mutex_);
    moved_ = now_seconds();
    doing_ = what;
  }

  [[noreturn]] void abort(int status, const std::string& reason) override {
    {
      const std::scoped_lock lock(mutex_);
      for (Peer& peer : peers_) (void)send_message(peer.socket, {ending, std::to_string(status) + ' ' + reason});
    }
    // Rank 0 says it and sends it round; the watching thread ends this process when it comes back.
    if (rank_ != 0) std::this_thread::sleep_for(std::chrono::seconds(2));
    end(status, reason);
  }

 private:
  void progress_keeping_label() {
    const std::scoped_lock lock(mutex_);
    moved_ = now_seconds();
  }

  [[noreturn]] void end(int status, const std::string& reason) {
    static std::atomic<bool> once = false;
    if (!once.exchange(true)) {
      std::fflush(stdout);
      if (!reason.empty()) std::fprintf(stderr, "meshgauge-bench: %s\n", reason.c_str());
      std::fflush(stderr);
      _exit(status);
    }
    for (;;) pause();  // the other thread is ending the process
  }

  void send_or_end(Peer& peer, const Message& message) {
    std::unique_lock lock(mutex_);
    const bool sent = send_message(peer.socket, message);
    lock.unlock();
    if (sent) return;
    // The watching thread ends this process: it alone reads, and what the peer said before it went says more.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    lost(peer);
  }

  std::string next(Peer& peer) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !peer.inbox.empty(); });
    std::string text = std::move(peer.inbox.front());
    peer.inbox.pop_front();
    return text;
  }

  [[noreturn]] void lost(const Peer& peer) {
    end_all("Lost " + peer.who + ": it was killed, ran out of memory or crashed. Its node's log says more.");
  }

  /// A failure that all ranks but rank 0 see alike if it is rank 0's: rank 1 says it, and before another one ends, for
  /// who started the ranks may end them all as soon as one has ended.
  [[noreturn]] void end_all(const std::string& reason) {
    if (rank_ == 0) abort(3, reason);
    if (rank_ > 1) std::this_thread::sleep_for(std::chrono::seconds(1));
    end(3, rank_ == 1 ? reason : "");
  }

  void watch() {
    std::vector<pollfd> entries;
    for (const Peer& peer : peers_) entries.push_back({peer.socket.descriptor(), POLLIN, 0});
    entries.push_back({wake_read_.descriptor(), POLLIN, 0});
    for (;;) {
      const int wait_ms = std::clamp(static_cast<int>(timeout_ * 100), 50, 1000);
      (void)poll(entries.data(), entries.size(), wait_ms);
      if (closing_ && entries.back().revents != 0) return;
      for (std::size_t i = 0; i < peers_.size(); ++i) {
        if (entries[i].revents != 0) read(peers_[i], entries[i]);
      }
      if (!asked_at_) {
        ask_if_stalled();
      } else if (now_seconds() > *asked_at_ + answer_) {
        judge();
      }
    }
  }

  void read(Peer& peer, pollfd& entry) {
    if (const auto message = receive_message(peer.socket, now_seconds() + 60)) return take(peer, *message);
    entry.fd = -1;  // no longer polled
    if (!peer.said_bye && !closing_) lost(peer);
  }

  void take(Peer& peer, const Message& message) {
    switch (message.kind) {
      case part:
      case whole: {
        const std::scoped_lock lock(mutex_);
        peer.inbox.push_back(message.text);
        return arrived_.notify_all();
      }
      case ping: {
        const std::scoped_lock lock(mutex_);
        (void)send_message(peer.socket, {pong, doing_});
        return;
      }
      case pong:
        peer.answered = now_seconds();
        peer.doing = message.text;
        return;
      case bye:
        peer.said_bye = true;
        return;
      case ending: {
        const std::size_t blank = message.text.find(' ');
        const int status = std::atoi(message.text.c_str());
        if (rank_ != 0) end(status, "");  // rank 0 has said it
        abort(status, message.text.substr(blank + 1));
      }
      default:
        return;
    }
  }

  /// The other ranks wait a little longer than rank 0, which can name the silent one.
  void ask_if_stalled() {
    const std::scoped_lock lock(mutex_);
    const double patience = rank_ == 0 ? timeout_ : timeout_ + 2 * answer_;
    if (timeout_ <= 0 || now_seconds() - moved_ < patience) return;
    asked_at_ = now_seconds();
    for (Peer& peer : peers_) (void)send_message(peer.socket, {ping, ""});
  }

  void judge() {
    std::unique_lock lock(mutex_);
    const std::string doing = doing_;
    lock.unlock();
    std::string silent, busy;
    for (const Peer& peer : peers_) {
      if (peer.answered < *asked_at_) {
        silent += (silent.empty() ? "" : ", ") + peer.who;
      } else if (peer.doing != doing) {
        busy += "; " + peer.who + " is at " + peer.doing;
      }
    }
    const std::string since =
        "Nothing went on for " + std::to_string(static_cast<int>(timeout_)) + " s (--timeout) at " + doing + ". ";
    if (!silent.empty()) end_all(since + "No answer from " + silent + ": stopped, hung or cut off.");
    if (rank_ == 0) {
      abort(3, since + "All ranks answer" + busy +
                   ". If it only takes longer, raise --timeout; else look at the network (meshgauge-bench preflight).");
    }
    asked_at_.reset();
    progress_keeping_label();  // rank 0 answers, so it watches
  }

  const int rank_;
  const double timeout_, answer_ = std::min(timeout_, longest_answer);
  std::vector<Peer> peers_;
  Socket wake_read_, wake_write_;
  std::mutex mutex_;  ///< of all below, the peers' inboxes and all sending
  std::condition_variable arrived_;
  double moved_ = 0;
  std::string doing_;
  std::atomic<bool> closing_ = false;
  std::optional<double> asked_at_;  ///< the watching thread's own
  std::thread watcher_;
};

}  // namespace

std::unique_ptr<Control> star(int rank, double timeout_seconds, std::vector<Peer> peers) {
  return std::make_unique<Star>(rank, timeout_seconds, std::move(peers));
}

}  // namespace meshgauge::harness
