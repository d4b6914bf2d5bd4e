// Ranks as processes that meet over TCP, exchange, and find out who is missing or lost.
#include "native/harness/control.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "native/harness/clock.hpp"
#include "native/harness/failure.hpp"
#include "tests/support/catch.hpp"

using namespace meshgauge::harness;
using Catch::Matchers::ContainsSubstring;

namespace {

Meeting meeting(int rank, int size, const Socket& listener, double timeout, const std::string& run = "this") {
  Meeting m{rank, size, run, timeout, {}, {"127.0.0.1"}, {port_of(listener)}};
  if (rank == 0) m.listener = Socket(dup(listener.descriptor()));
  return m;
}

pid_t child(const std::function<int()>& body) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  freopen("/dev/null", "w", stderr);
  int status = 99;
  try {
    status = body();
  } catch (const Failure&) {
    status = 3;
  }
  _exit(status);
}

int status_of(pid_t pid) {
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace

TEST_CASE("Texts are packed and unpacked, nonsense is not") {
  const std::vector<std::string> texts{"", "a:b", std::string("\0x", 2), "12:"};
  CHECK(unpacked(packed(texts)) == texts);
  CHECK(unpacked("5:abc").empty());
  CHECK(unpacked("x:abc").empty());
  CHECK(unpacked("99999999999999999999:a").empty());
}

TEST_CASE("Four ranks gather in order, many times, with large values") {
  const Socket listener = listen_at(0);
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 4; ++rank) {
    ranks.push_back(child([&] {
      const auto control = meet(meeting(rank, 4, listener, 20));
      for (std::size_t round = 0; round < 200; ++round) {
        const std::string mine(round * 1000 + static_cast<std::size_t>(rank), static_cast<char>('a' + rank));
        const auto all = control->gather(mine);
        for (std::size_t r = 0; r < 4; ++r) {
          if (all.size() != 4 || all[r] != std::string(round * 1000 + r, static_cast<char>('a' + r))) return 1;
        }
      }
      return 0;
    }));
  }
  for (const pid_t rank : ranks) CHECK(status_of(rank) == 0);
}

TEST_CASE("A stranger and a rank of another run do not disturb") {
  const Socket listener = listen_at(0);
  const pid_t first = child([&] { return meet(meeting(0, 2, listener, 20))->gather("x").size() == 2 ? 0 : 1; });
  const Socket stranger = connect_to("127.0.0.1", port_of(listener), 2);
  REQUIRE(send_message(stranger, {7, "GET / HTTP/1.1"}));
  const pid_t other = child([&] {
    (void)meet(meeting(1, 2, listener, 1, "another"));
    return 0;
  });
  CHECK(status_of(other) == 3);
  const pid_t second = child([&] { return meet(meeting(1, 2, listener, 20))->gather("y")[0] == "x" ? 0 : 1; });
  CHECK(status_of(second) == 0);
  CHECK(status_of(first) == 0);
}

TEST_CASE("Missing ranks are named after the timeout") {
  const Socket listener = listen_at(0);
  const pid_t second = child([&] {
    (void)meet(meeting(2, 4, listener, 2));
    return 0;
  });
  const double start = now_seconds();
  CHECK_THROWS_WITH(meet(meeting(0, 4, listener, 1.5)), ContainsSubstring("of 4 ranks there are missing: 1, 3."));
  CHECK(now_seconds() - start < 5);
  (void)status_of(second);
}

TEST_CASE("Nobody at the port: the addresses and ports that were tried are named") {
  int port = 0;
  {
    const Socket gone = listen_at(0);
    port = port_of(gone);
  }
  Meeting m{1, 2, "this", 0.5, {}, {"127.0.0.1"}, {port}};
  CHECK_THROWS_WITH(meet(std::move(m)),
                    ContainsSubstring("found no rank 0") && ContainsSubstring(std::to_string(port)));
}

TEST_CASE("A lost rank and a silent rank end the others within the timeout") {
  for (const int signal : {SIGKILL, SIGSTOP}) {
    for (const std::size_t victim : {std::size_t{0}, std::size_t{2}}) {
      const Socket listener = listen_at(0);
      std::vector<pid_t> ranks;
      for (int rank = 0; rank < 3; ++rank) {
        ranks.push_back(child([&]() -> int {
          const auto control = meet(meeting(rank, 3, listener, 1));
          for (;;) (void)control->gather("going on");
        }));
      }
      usleep(300'000);
      const double start = now_seconds();
      kill(ranks[victim], signal);
      for (std::size_t r = 0; r < 3; ++r) {
        if (r != victim) CHECK(status_of(ranks[r]) == 3);
      }
      CHECK(now_seconds() - start < 15);  // timeout, 6 s more where rank 0 is the silent one, 3 s to answer
      kill(ranks[victim], SIGKILL);
      (void)status_of(ranks[victim]);
    }
  }
}

TEST_CASE("The status of the rank that gives up becomes that of all") {
  const Socket listener = listen_at(0);
  std::vector<pid_t> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ranks.push_back(child([&]() -> int {
      const auto control = meet(meeting(rank, 3, listener, 20));
      if (rank == 1) control->abort(2, "no such thing");
      for (;;) (void)control->gather("");
    }));
  }
  for (const pid_t rank : ranks) CHECK(status_of(rank) == 2);
}
