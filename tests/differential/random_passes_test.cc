// Random programs through the passes of the CPU pipeline: the evaluator gives the same before and
// after each pass, and none lies about what it changed.
#include <gtest/gtest.h>

#include "compiler/cost/device_description.h"
#include "compiler/passes/pass.h"
#include "compiler/pipelines/cpu.h"
#include "tests/differential/random_graph.h"

namespace swage::differential {
namespace {

void CheckSeed(uint64_t seed, const GraphOptions& options) {
  static const cost::DeviceDescription kDevice = cost::TestCpu();
  const std::unique_ptr<ir::Module> module = RandomGraph(seed, options);
  const std::string before = module->ToString();
  passes::CompilerOptions checks;
  checks.check_passes = true;
  passes::PassContext context(checks, &kDevice);
  const Status status = pipelines::RunCpuPipeline(module.get(), context);
  EXPECT_TRUE(status.ok()) << "seed " << seed << ": " << status.message() << "\n"
                           << before << "\nbecame\n"
                           << module->ToString();
}

class RandomPassesTest : public testing::TestWithParam<int> {};

#ifdef SWAGE_LONG_TESTS
constexpr int kSeedsPerTest = 2500;
#else
constexpr int kSeedsPerTest = 50;
#endif

TEST_P(RandomPassesTest, EveryPassKeepsTheMeaning) {
  for (int i = 0; i < kSeedsPerTest && !HasFailure(); ++i) {
    CheckSeed(1'000'000 + GetParam() * 10'000 + i, {.ops = 10 + 10 * (i % 4), .dots = i % 7 == 0});
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPassesTest, testing::Range(0, 8));

}  // namespace
}  // namespace swage::differential
