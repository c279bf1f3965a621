// Random programs of open sizes: padded to their bounds they give what they give exactly, whatever
// lies in the padding, at sizes from none to the bound.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "codegen/cpu/compile.h"
#include "compiler/evaluator/evaluator.h"
#include "compiler/ir/assumptions.h"
#include "compiler/ir/bind_symbols.h"
#include "compiler/ir/verifier.h"
#include "compiler/passes/evaluation_check.h"
#include "compiler/passes/physical_padding.h"
#include "tests/differential/open_graph.h"

namespace swage::differential {
namespace {

using passes::PaddingFill;
using passes::PaddingMasks;

struct Sized {
  ir::SymbolBinding sizes;
  std::vector<ir::Literal> arguments;
};

// Arguments at none, one, the bound, the bound - 1 and two more of each size; windows that do not
// fit have no meaning.
std::vector<Sized> ArgumentsOf(const ir::Module& module, passes::InputKind kind) {
  std::vector<Sized> all;
  const auto symbols = ir::SymbolsOf(module);
  for (int round = 0; round < 6; ++round) {
    Sized one;
    for (const ir::Symbol* symbol : symbols) {
      const int64_t places[] = {symbol->min, 1, symbol->max, symbol->max - 1, 2, 3};
      EXPECT_TRUE(one.sizes.Bind(symbol, places[round]).ok());
    }
    const auto bound = module.Clone();
    if (!ir::BindSymbols(one.sizes, bound.get()).ok()) continue;
    auto arguments = passes::RandomArguments(*bound, kind);
    EXPECT_TRUE(arguments.ok()) << arguments.status();
    if (!arguments.ok()) continue;
    one.arguments = *std::move(arguments);
    all.push_back(std::move(one));
  }
  return all;
}

// The evaluator, with each fill; `checked` counts runs.
void CheckPass(const ir::Module& module, passes::InputKind kind, bool dots, int* checked) {
  std::vector<std::pair<std::string, std::unique_ptr<ir::Module>>> padded;
  for (const PaddingFill fill :
       {PaddingFill::kZero, PaddingFill::kNan, PaddingFill::kInfinity, PaddingFill::kLarge}) {
    for (const PaddingMasks masks : {PaddingMasks::kNeeded, PaddingMasks::kAll}) {
      passes::CompilerOptions options;
      options.padding = passes::Padding::kForced;
      options.padding_fill = fill;
      options.padding_masks = masks;
      passes::PassContext context(options);
      auto copy = module.Clone();
      const Status status = passes::PhysicalPadding().Run(*copy, context).status();
      ASSERT_TRUE(status.ok()) << status;
      const Status verified = ir::Verify(*copy);
      ASSERT_TRUE(verified.ok()) << verified;
      padded.emplace_back(
          absl::StrCat("fill ", static_cast<int>(fill), ", masks ", static_cast<int>(masks)),
          std::move(copy));
    }
  }
  for (const Sized& one : ArgumentsOf(module, kind)) {
    const auto want = evaluator::Evaluate(module, one.arguments);
    ASSERT_TRUE(want.ok()) << want.status();
    ++*checked;
    for (const auto& [name, copy] : padded) {
      const auto got = evaluator::Evaluate(*copy, one.arguments);
      ASSERT_TRUE(got.ok()) << got.status();
      const auto difference = passes::FirstDifference(*want, *got, dots);
      ASSERT_FALSE(difference.has_value()) << name << ": " << *difference << "\n"
                                           << copy->ToString();
    }
  }
}

class RandomPaddingTest : public testing::TestWithParam<int> {};

#ifdef SWAGE_LONG_TESTS
constexpr int kSeedsPerTest = 2500, kCompiledPerTest = 60;
#else
constexpr int kSeedsPerTest = 50, kCompiledPerTest = 2;
#endif

TEST_P(RandomPaddingTest, ThePassKeepsTheMeaning) {
  const ir::AssumptionScope sizes_fit;
  int checked = 0;
  for (int i = 0; i < kSeedsPerTest && !HasFailure(); ++i) {
    const int seed = GetParam() * 10'000 + i;
    const bool dots = i % 5 == 0;
    const auto module = OpenGraph(seed, {.ops = 6 + 6 * (i % 4), .dots = dots});
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", module->ToString()));
    CheckPass(*module, passes::InputKind::kOrdinary, dots, &checked);
    if (!dots) CheckPass(*module, passes::InputKind::kSpecial, dots, &checked);
  }
  EXPECT_GT(checked, kSeedsPerTest);
}

TEST_P(RandomPaddingTest, CompiledPaddedProgramsAreExact) {
  const ir::AssumptionScope sizes_fit;
  int checked = 0;
  for (int i = 0; i < kCompiledPerTest && !HasFailure(); ++i) {
    const int seed = 5'000'000 + GetParam() * 10'000 + i;
    const bool dots = i % 5 == 4;
    const auto module = OpenGraph(seed, {.ops = 12, .dots = dots});
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", module->ToString()));
    const auto check = cpu::MakePaddingCheck(*module, {});
    ASSERT_TRUE(check.ok()) << check.status();
    const auto kind =
        dots || i % 2 == 0 ? passes::InputKind::kOrdinary : passes::InputKind::kSpecial;
    for (const Sized& one : ArgumentsOf(*module, kind)) {
      const auto results = (*check)->Run(one.sizes, one.arguments);
      ASSERT_TRUE(results.ok()) << results.status();
      const auto want = evaluator::Evaluate(*module, one.arguments);
      ASSERT_TRUE(want.ok()) << want.status();
      const auto difference = passes::FirstDifference(*want, ir::Literal::Tuple(*results), dots);
      ASSERT_FALSE(difference.has_value()) << *difference;
      ++checked;
    }
  }
  EXPECT_GE(checked, kCompiledPerTest);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPaddingTest, testing::Range(0, 8));

}  // namespace
}  // namespace swage::differential
