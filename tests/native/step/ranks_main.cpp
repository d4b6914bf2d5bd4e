// The entry point of tests that run on several ranks: rank 0 reports, and a failure on any rank ends all of them.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_RUNNER
#endif
#include <iostream>
#include <sstream>

#include "tests/native/step/ranks.hpp"
#include "tests/support/catch.hpp"

namespace meshgauge::testing {
namespace {

harness::Communicator* all_ranks = nullptr;

}  // namespace

harness::Communicator& world() { return *all_ranks; }

}  // namespace meshgauge::testing

int main(int argc, char* argv[]) {
  using namespace meshgauge;
  const harness::MpiSession session;
  const std::unique_ptr<harness::Communicator> ranks = session.world();
  testing::all_ranks = ranks.get();
  Catch::Session tests;
  if (const int status = tests.applyCommandLine(argc, argv); status != 0) return status;
  tests.configData().abortAfter = 1;  // the others wait for a rank that has left a test
  std::ostringstream held_back;
  std::streambuf* const shown = std::cout.rdbuf();
  if (ranks->rank() > 0) std::cout.rdbuf(held_back.rdbuf());
  const int status = tests.run();
  std::cout.rdbuf(shown);
  if (status == 0) return 0;
  if (ranks->rank() > 0) std::cout << "rank " << ranks->rank() << ":\n" << held_back.str() << std::flush;
  harness::MpiSession::abort(1);
}
