// The command `band` on the terminal.
#include <string>

#include "tests/support/catch.hpp"
#include "tests/support/program.hpp"

using meshgauge::testing::Outcome;
using meshgauge::testing::run;

namespace {

const std::string group = "band --system dgx-h100 --operation all_reduce --size 1GB --ranks 8";

bool says(const std::string& text, const std::string& words) { return text.find(words) != std::string::npos; }

}  // namespace

TEST_CASE("band shows what is normal, and its status says whether a figure is low") {
  const Outcome open = run(group);
  CHECK(open.status == 0);
  CHECK(says(open.out, "with NVLS"));
  CHECK(says(open.out, "NVIDIA/nccl-tests#212"));
  const Outcome either = run(group + " --busbw 370");  // normal for a ring, low with NVLS
  CHECK(either.status == 0);
  CHECK(says(either.out, "with NVLS    low"));
  CHECK(says(either.out, "without NVLS normal"));
  CHECK(run(group + " --busbw 370 --nvls on").status == 1);
  CHECK(run(group + " --busbw 370 --nvls off").status == 0);
  CHECK(run(group + " --busbw 40 --json").status == 1);
}

TEST_CASE("band refuses what it cannot judge") {
  CHECK(run("band").status == 2);
  CHECK(run("band --system no-such-system --operation all_reduce --size 1GB --ranks 8").status == 2);
  CHECK(run(group + " --busbw fast").status == 2);
  CHECK(says(run("band --gpu h100-sxm-80gb --ranks 8 --size 1GB").err, "--operation"));
  CHECK(run("band /no/such/file").status == 2);
}
