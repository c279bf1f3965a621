// Random programs: what the CPU compiler makes of them gives what the evaluator gives, on ordinary
// and on special inputs, with run-time and with baked extents.
#include "tests/differential/random_graph.h"

#include <gtest/gtest.h>

#include "codegen/cpu/compile.h"
#include "codegen/run_on_literals.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/verifier.h"
#include "compiler/passes/evaluation_check.h"

namespace swage::differential {
namespace {

StatusOr<ir::Literal> RunOnCpu(const ir::Module& module, const std::vector<ir::Literal>& arguments,
                               const codegen::KernelOptions& kernels) {
  cpu::CompileOptions options;
  options.kernels = kernels;
  SWAGE_ASSIGN_OR_RETURN(const auto executable, cpu::Compile(module.Clone(), options));
  SWAGE_ASSIGN_OR_RETURN(std::vector<ir::Literal> results,
                         codegen::RunOnLiterals(*executable, arguments));
  return ir::Literal::Tuple(std::move(results));
}

void CheckSeed(uint64_t seed, const GraphOptions& options) {
  const std::unique_ptr<ir::Module> module = RandomGraph(seed, options);
  SCOPED_TRACE(module->ToString());
  const Status verified = ir::Verify(*module);
  ASSERT_TRUE(verified.ok()) << verified;
  for (passes::InputKind kind : {passes::InputKind::kOrdinary, passes::InputKind::kSpecial}) {
    // Where numbers are huge, a sum overflows in one order and not in another.
    if (options.dots && kind == passes::InputKind::kSpecial) continue;
    const StatusOr<std::vector<ir::Literal>> arguments = passes::RandomArguments(*module, kind);
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    const StatusOr<ir::Literal> want = evaluator::Evaluate(*module, *arguments);
    ASSERT_TRUE(want.ok()) << want.status();
    for (const bool baked : {false, true}) {
      const StatusOr<ir::Literal> got = RunOnCpu(*module, *arguments, {.baked_dims = baked});
      ASSERT_TRUE(got.ok()) << got.status();
      const auto difference = passes::FirstDifference(*want, *got, options.dots);
      EXPECT_FALSE(difference.has_value()) << "seed " << seed << ": " << *difference;
    }
  }
}

// A stand-in, whose kernels are generated fast, against the program that takes its place.
void CheckStandIn(uint64_t seed, const GraphOptions& options) {
  const std::unique_ptr<ir::Module> module = RandomGraph(seed, options);
  SCOPED_TRACE(module->ToString());
  for (passes::InputKind kind : {passes::InputKind::kOrdinary, passes::InputKind::kSpecial}) {
    const StatusOr<std::vector<ir::Literal>> arguments = passes::RandomArguments(*module, kind);
    ASSERT_TRUE(arguments.ok()) << arguments.status();
    codegen::KernelCache::Get().Clear();  // or it would take the better kernels
    const StatusOr<ir::Literal> quick = RunOnCpu(*module, *arguments, {.quick = true});
    const StatusOr<ir::Literal> full = RunOnCpu(*module, *arguments, {});
    ASSERT_TRUE(quick.ok() && full.ok()) << quick.status() << full.status();
    const auto difference = passes::FirstDifference(*quick, *full, false);
    EXPECT_FALSE(difference.has_value()) << "seed " << seed << ": " << *difference;
  }
}

class RandomGraphTest : public testing::TestWithParam<int> {};

#ifdef SWAGE_LONG_TESTS
constexpr int kSeedsPerTest = 250;
#else
constexpr int kSeedsPerTest = 6;
#endif

TEST_P(RandomGraphTest, CpuAgreesWithTheEvaluatorBitForBit) {
  for (int i = 0; i < kSeedsPerTest && !HasFailure(); ++i) {
    CheckSeed(GetParam() * 1000 + i, {.ops = 10 + 5 * (i % 5)});
  }
}

TEST_P(RandomGraphTest, CpuAgreesWithTheEvaluatorAroundDots) {
  for (int i = 0; i < kSeedsPerTest && !HasFailure(); ++i) {
    CheckSeed(500000 + GetParam() * 1000 + i, {.ops = 20, .dots = true});
  }
}

TEST_P(RandomGraphTest, StandInsGiveTheBitsOfWhatTheyStandFor) {
  for (int i = 0; i < kSeedsPerTest && !HasFailure(); ++i) {
    CheckStandIn(900000 + GetParam() * 1000 + i, {.ops = 15, .dots = i % 2 == 0});
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphTest, testing::Range(0, 8));

}  // namespace
}  // namespace swage::differential
